/* SPDX-License-Identifier: Apache-2.0 */
/* machine_changes: what a machine has that it had not in another night. */
#pragma once
#include "harness/base/text.h"
#include "harness/nightly/history.h"

/* Hardware, kernel, microcode, governor, libraries, compiler: "kernel "6.1" is now "6.2", ..."; nothing where raingauge
 * sees no change. */
void machine_changes(const struct night *old, const struct night *new, struct text *t);
