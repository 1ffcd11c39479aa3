/* SPDX-License-Identifier: Apache-2.0 */
/* section_maker: what the sections of a report are written with. */
#pragma once
#include "harness/report/data/selection.h"
#include "harness/report/render/grid.h"

enum { SECTION_PARAGRAPHS = 8, SECTION_GRIDS = 6 };
struct report_section {
    const char *id, *title;
    const char *paragraphs[SECTION_PARAGRAPHS]; /* nparagraphs of them, plain text */
    struct grid grids[SECTION_GRIDS];
    int nparagraphs, ngrids;
    const char *figure; /* stem of plots/<figure>.gp; NULL: none */
    bool folded, bad;   /* bad: it says why the run is INVALID */
    bool page_only;     /* too long for a terminal */
};
struct report_sections {
    struct report_section *at;
    int n;
};

struct section_maker {
    const struct document *d;
    struct arena *a;
    const struct selection *kind;
    struct report_sections out;
    struct report_section *now; /* between begin and end */
};

void section_begin(struct section_maker *m, const char *id, const char *title, bool folded);
void section_end(struct section_maker *m); /* keeps the section when it has something to say */
/* A paragraph; SECTION_PARAGRAPHS at most. */
#define section_say(m, ...) ((m)->now->paragraphs[(m)->now->nparagraphs++] = arena_printf((m)->a, __VA_ARGS__))
void section_add(struct section_maker *m, struct grid g); /* unless it is empty; SECTION_GRIDS at most */

#define CHOICES(...)                                                                                                   \
    (const struct grid_choice[]){__VA_ARGS__},                                                                         \
        sizeof((const struct grid_choice[]){__VA_ARGS__}) / sizeof(struct grid_choice)

/* Columns as CHOICES(...) gives them; all rows, not grouped. */
struct grid_request section_request(const struct section_maker *m, enum report_table table, const char *caption,
                                    const struct grid_choice *columns, size_t n);
void section_chosen(struct section_maker *m, enum report_table table, const char *caption,
                    const struct grid_choice *columns, size_t n);
void section_all(struct section_maker *m, enum report_table table, const char *caption); /* of VIEW_FULL */
