/* SPDX-License-Identifier: Apache-2.0 */
/* report_sections: what people read of a document, in order: sections with a title, paragraphs, grids and a figure.
 * Text form and page print the same sections; a page folds those that are marked. */
#pragma once
#include "harness/report/render/section_maker.h"

/* In the document's arena. */
struct report_sections report_sections_make(const struct document *d);
/* "table3, tier short: title", without a line end. */
const char *report_sections_title(const struct document *d);
/* What was run on what, a line each: machine, target, regime; hashes and seeds. */
enum { SECTIONS_FACTS = 10 };
int report_sections_facts(const struct document *d, const char *names[SECTIONS_FACTS],
                          const char *values[SECTIONS_FACTS]);
