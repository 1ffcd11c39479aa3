/* SPDX-License-Identifier: Apache-2.0 */
/* json_reference: the JSON of all verbs in Markdown, from their tables of members. tests/cli/json_members.sh reads it
 * and holds it against what the verbs print. */
#pragma once
#include "harness/base/text.h"

void json_reference(struct text *t);
