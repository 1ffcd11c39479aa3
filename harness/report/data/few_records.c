/* SPDX-License-Identifier: Apache-2.0 */
/* few_records: counts the explorer's records, kernel by kernel, of every cell that starts from the first k of them. */
#include "harness/report/data/few_records.h"

#include "harness/record/tally.h"
#include "harness/report/data/arm_result.h"
#include "harness/report/render/markup.h"

static struct few_records_arm *arm_of(struct few_records *x, const struct store_cell *c)
{
    for (int i = 0; i < x->n; i++)
        if (str_eq(x->arms[i].arm, c->arm))
            return &x->arms[i];
    x->arms[x->n] = (struct few_records_arm){.arm = c->arm, .k = arm_result_seeds(c)};
    return &x->arms[x->n++];
}

static bool count_cell(struct store *s, const struct store_cell *c, struct few_records_arm *arm, struct err *err)
{
    for (int t = 0; t < c->ntasks; t++) {
        struct tally_sums first;
        if (!tally_sum(s, c->explore_cell, t, arm->k, &first, err))
            return false;
        arm->kernels++;
        if (first.records >= arm->k)
            continue;
        if (arm->lacking++ == 0 || first.records < arm->least) {
            arm->least = first.records;
            arm->kernel = c->tasks[t].name;
            arm->network = c->network;
        }
    }
    return true;
}

bool few_records_make(struct arena *a, struct store *s, struct few_records *out, struct err *err)
{
    struct store_cell *cells;
    int n, kept = 0;
    *out = (struct few_records){0};
    if (!store_cells(s, a, &cells, &n, err))
        return false;
    out->arms = ARENA_ARRAY(a, struct few_records_arm, n + 1);
    for (int i = 0; i < n; i++)
        if (cells[i].explore_cell >= 0 && cells[i].k && str_eq(cells[i].state, "done") &&
            !count_cell(s, &cells[i], arm_of(out, &cells[i]), err))
            return false;
    for (int i = 0; i < out->n; i++)
        if (out->arms[i].lacking)
            out->arms[kept++] = out->arms[i];
    out->n = kept;
    return true;
}

void few_records_text(const struct few_records *x, struct text *t)
{
    if (x->n)
        text_add(t, "\nstarted from fewer records than k, all that the explorer has of a kernel:\n");
    for (int i = 0; i < x->n; i++) {
        const struct few_records_arm *s = &x->arms[i];
        text_printf(t, "  %-16s %d of %d kernels; fewest: %lld, '%s' of %s\n", s->arm, s->lacking, s->kernels,
                    (long long)s->least, s->kernel, s->network);
    }
}

void few_records_html(const struct few_records *x, struct text *t)
{
    static const char *const heads[] = {"arm", "k", "kernels", "with fewer", "fewest records", "of", NULL};
    if (!x->n)
        return;
    text_add(t, "<section id=\"shortage\"><h2>Started from fewer records than k</h2>\n<p class=\"note\">All that the "
                "explorer has of these kernels: they start as they would at a lower k.</p>\n");
    markup_table(t, heads);
    for (int i = 0; i < x->n; i++) {
        const struct few_records_arm *s = &x->arms[i];
        text_add(t, "<tr><td>");
        markup_text(t, s->arm);
        text_printf(t, "</td><td>%lld</td><td>%d</td><td>%d</td><td>%lld</td><td class=\"l\">", (long long)s->k,
                    s->kernels, s->lacking, (long long)s->least);
        markup_text(t, s->kernel);
        text_add(t, " of ");
        markup_text(t, s->network);
        text_add(t, "</td></tr>\n");
    }
    markup_table_end(t);
    text_add(t, "</section>\n");
}

void few_records_json(const struct few_records *x, struct text *t)
{
    text_char(t, '[');
    for (int i = 0; i < x->n; i++) {
        const struct few_records_arm *s = &x->arms[i];
        text_printf(t, "%s{\"arm\": ", i ? ", " : "");
        text_json(t, s->arm);
        text_printf(t,
                    ", \"k\": %lld, \"kernels\": %d, \"lacking\": %d, \"least\": %lld, \"kernel\": ", (long long)s->k,
                    s->kernels, s->lacking, (long long)s->least);
        text_json(t, s->kernel);
        text_add(t, ", \"network\": ");
        text_json(t, s->network);
        text_add(t, "}");
    }
    text_char(t, ']');
}
