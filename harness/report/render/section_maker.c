/* SPDX-License-Identifier: Apache-2.0 */
/* section_maker: all text is in the document's arena. */
#include "harness/report/render/section_maker.h"

void section_begin(struct section_maker *m, const char *id, const char *title, bool folded)
{
    m->now = &m->out.at[m->out.n];
    *m->now = (struct report_section){.id = id, .title = title, .folded = folded};
}

void section_end(struct section_maker *m)
{
    m->out.n += m->now->nparagraphs || m->now->ngrids || m->now->figure;
}

void section_add(struct section_maker *m, struct grid g)
{
    if (g.nrows)
        m->now->grids[m->now->ngrids++] = g;
}

struct grid_request section_request(const struct section_maker *m, enum report_table table, const char *caption,
                                    const struct grid_choice *columns, size_t n)
{
    return (struct grid_request){
        .d = m->d, .table = table, .caption = caption, .columns = columns, .ncolumns = (int)n, .group = COL_COUNT};
}

void section_chosen(struct section_maker *m, enum report_table table, const char *caption,
                    const struct grid_choice *columns, size_t n)
{
    struct grid_request r = section_request(m, table, caption, columns, n);
    section_add(m, grid_of(&r));
}

void section_all(struct section_maker *m, enum report_table table, const char *caption)
{
    section_add(m, grid_view(m->d, table, VIEW_FULL, caption));
}
