/* SPDX-License-Identifier: Apache-2.0 */
/* markup: text that goes into HTML and SVG. Whatever comes from a file, a record or a person goes through here: names
 * cannot become markup, bytes that are not UTF-8 and control characters become U+FFFD. */
#pragma once
#include "harness/base/text.h"

void markup_text(struct text *t, const char *s); /* for element content and quoted attributes */
void markup_printf(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3))); /* escaped as a whole */
/* A table cell with a number of so many digits after the point; a dash when it is not finite or not above 0 (no ratio
 * or time of ours is). */
void markup_cell(struct text *t, int digits, double v);
/* The same for what may be 0 or less: a dash only when it is not finite. */
void markup_number(struct text *t, int digits, double v);
/* A table that a phone scrolls sideways: its head (NULL ends the names) and the start of its body; its end. */
void markup_table(struct text *t, const char *const *heads);
void markup_table_end(struct text *t);
