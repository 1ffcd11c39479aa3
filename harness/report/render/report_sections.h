/* SPDX-License-Identifier: Apache-2.0 */
/* report_sections: what people read of a document, in order: sections with a title, paragraphs, grids and a figure.
 * Text form and page print the same sections; a page folds those that are marked. */
#pragma once
#include "harness/report/render/grid.h"

enum { SECTION_PARAGRAPHS = 8, SECTION_GRIDS = 6 };
struct report_section {
    const char *id, *title;
    const char *paragraphs[SECTION_PARAGRAPHS]; /* nparagraphs of them, plain text */
    struct grid grids[SECTION_GRIDS];
    int nparagraphs, ngrids;
    const char *figure; /* stem of plots/<figure>.gp; NULL: none */
    bool folded, bad;   /* bad: it tells why the run is INVALID */
    bool page_only;     /* too long for a terminal */
};
struct report_sections {
    struct report_section *at;
    int n;
};
/* In the document's arena. */
struct report_sections report_sections_make(const struct document *d);
/* "table3, tier short: title", without a line end. */
const char *report_sections_title(const struct document *d);
/* What was run on what, a line each: machine, target, regime; hashes and seeds. */
enum { SECTIONS_FACTS = 10 };
int report_sections_facts(const struct document *d, const char *names[SECTIONS_FACTS],
                          const char *values[SECTIONS_FACTS]);
