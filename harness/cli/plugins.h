/* SPDX-License-Identifier: Apache-2.0 */
/* plugins: searchers and cost models from shared objects (--plugin FILE). */
#pragma once
#include "harness/base/settings.h"
#include "harness/plug/registry.h"

/* Adds what the files hold to the registry. False: a file is no plug-in of this version, or brings a name that is
 * there. */
MUST_CHECK bool plugins_load(struct arena *a, const struct setting_strings *files, struct registry *k, struct err *err);
