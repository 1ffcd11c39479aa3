/* SPDX-License-Identifier: Apache-2.0 */
/* assay: the ratios of each network and seed stand in the table's rows; harness/stats/estimate.h does the rest. */
#include "harness/experiment/assay.h"

#include "harness/experiment/markup.h"
#include "harness/experiment/standing.h"
#include "harness/stats/noise.h"

#include <math.h>

static const struct {
    const char *name, *title; /* in JSON; for people */
} ratios[ASSAY_COUNT] = {
    [ASSAY_RETIMED] = {"kernel_speedup_retimed", "kernels, re-timed"},
    [ASSAY_KERNEL] = {"kernel_speedup", "kernels, as tuned"},
    [ASSAY_RECORDS] = {"search_speedup_records", "search, paper's clock"},
    [ASSAY_WALL] = {"search_speedup_wall", "search, wall clock"},
};

static double value_of(const struct table3_k *k, enum assay_ratio r)
{
    return r == ASSAY_RETIMED   ? k->retimed_speedup[SUM_PLAIN]
           : r == ASSAY_KERNEL  ? k->kernel_speedup[SUM_PLAIN]
           : r == ASSAY_RECORDS ? k->search_speedup[CLOCK_RECORDS]
                                : k->search_speedup[CLOCK_WALL];
}

static void fill(const struct report *r, int k, enum assay_ratio which, double *v)
{
    int seeds = (int)r->experiment->seeds;
    for (int n = 0; n < r->table.nnetworks; n++)
        for (int s = 0; s < seeds; s++) {
            const struct table3_k *one = r->table.networks[n].k[k].by_seed[s];
            v[n * seeds + s] = one ? value_of(one, which) : (double)NAN;
        }
}

const struct assay *assay_make(const struct report *r)
{
    int nk = r->table.nk, seeds = (int)r->experiment->seeds;
    struct assay *all = ARENA_ARRAY(r->arena, struct assay, nk + 1);
    struct estimate **family = ARENA_ARRAY(r->arena, struct estimate *, nk + 1);
    double *v = ARENA_ARRAY(r->arena, double, r->table.nnetworks *seeds + 1);
    for (int which = 0; which < ASSAY_COUNT; which++) {
        for (int k = 0; k < nk; k++) {
            fill(r, k, (enum assay_ratio)which, v);
            estimate_of(r->arena, v, r->table.nnetworks, seeds, noise_tie(r->calm.single), &all[k].of[which]);
            family[k] = &all[k].of[which];
        }
        estimate_correct(r->arena, family, nk);
    }
    return all;
}

void assay_text(const struct report *r, struct text *t)
{
    text_add(t,
             "\nhow sure the means over networks are (beats: the chance to beat the full Ansor run; p: sign-flip test "
             "that the ratio is 1, Holm: over k)\n"
             "      k  ratio                        mean  95 %               over             beats       p    "
             "Holm\n");
    for (int k = 0; k < r->table.nk; k++)
        for (int i = 0; i < ASSAY_COUNT; i++) {
            const struct estimate *e = &r->assay[k].of[i];
            if (isnan(e->ratio))
                continue;
            text_printf(t, "  %5lld  %-22s", (long long)r->table.ks[k], ratios[i].title);
            text_cell(t, 9, 3, e->ratio);
            if (e->over == ESTIMATE_NOTHING)
                text_printf(t, "  %-17s  %-15s", "none", "one value");
            else
                text_printf(t, "  [%7.3f, %7.3f]  %2d %-12s", e->low, e->high, e->n, estimate_over_word(e, "networks"));
            text_cell(t, 6, 2, e->better.share);
            text_cell(t, 7, 4, e->p);
            text_cell(t, 7, 4, e->holm);
            text_char(t, '\n');
        }
}

void assay_html(const struct report *r, struct text *t)
{
    static const char *const heads[] = {"k", "ratio", "mean", "95 %", "over", "beats", "p", "Holm", NULL};
    text_add(t, "<h3>How sure these means are</h3>\n");
    markup_table(t, heads);
    for (int k = 0; k < r->table.nk; k++)
        for (int i = 0; i < ASSAY_COUNT; i++) {
            const struct estimate *e = &r->assay[k].of[i];
            if (isnan(e->ratio))
                continue;
            text_printf(t, "<tr><td>%lld</td><td>%s</td>", (long long)r->table.ks[k], ratios[i].title);
            markup_number(t, 3, e->ratio);
            if (e->over == ESTIMATE_NOTHING)
                text_add(t, "<td>none</td><td>one value</td>");
            else
                text_printf(t, "<td>%.3f&#8211;%.3f</td><td>%d %s</td>", e->low, e->high, e->n,
                            estimate_over_word(e, "networks"));
            markup_number(t, 2, e->better.share);
            markup_number(t, 4, e->p);
            markup_number(t, 4, e->holm);
            text_add(t, "</tr>\n");
        }
    markup_table_end(t);
    text_add(t, "<p class=\"note\">With one seed the interval is over networks: what others like "
                "these would give, not how lucky the searches were. beats: the chance to beat the full Ansor run, ties "
                "a half; p: sign-flip test that the ratio is 1, Holm: corrected over k.</p>\n");
}

void assay_json(const struct assay *one, struct text *t)
{
    text_add(t, ", \"stats\": {");
    for (int i = 0; i < ASSAY_COUNT; i++) {
        text_printf(t, "%s\"%s\": ", i ? ", " : "", ratios[i].name);
        standing_estimate(&one->of[i], estimate_over_word(&one->of[i], "networks"), t);
    }
    text_char(t, '}');
}
