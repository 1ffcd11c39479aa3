/* SPDX-License-Identifier: Apache-2.0 */
/* key_reference: the page of all keys of the YAML files, printed from the tables that read them. */
#pragma once
#include "harness/base/text.h"

/* Markdown, without a title of its own: a section for each map, a table with a row for each key. */
void key_reference(struct text *markdown);
