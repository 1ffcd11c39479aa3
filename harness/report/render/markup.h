/* SPDX-License-Identifier: Apache-2.0 */
/* markup: text that goes into HTML and SVG. Whatever comes from a file, a record or a person goes through here: names
 * cannot become markup, bytes that are not UTF-8 and control characters become U+FFFD. */
#pragma once
#include "harness/base/text.h"

void markup_text(struct text *t, const char *s); /* for element content and quoted attributes */
