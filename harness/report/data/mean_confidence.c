/* SPDX-License-Identifier: Apache-2.0 */
/* mean_confidence: the ratios of each network and seed stand in the table's rows; harness/stats/estimate.h does the
 * rest. */
#include "harness/report/data/mean_confidence.h"

#include "harness/report/data/confidence.h"
#include "harness/report/render/markup.h"
#include "harness/stats/noise_floor.h"

#include <math.h>

static const struct {
    const char *name, *title; /* in JSON; for people */
} ratios[MEAN_CONFIDENCE_COUNT] = {
    [MEAN_CONFIDENCE_RETIMED] = {"kernel_speedup_retimed", "kernels, re-timed"},
    [MEAN_CONFIDENCE_KERNEL] = {"kernel_speedup", "kernels, as tuned"},
    [MEAN_CONFIDENCE_RECORDS] = {"search_speedup_records", "search, paper's clock"},
    [MEAN_CONFIDENCE_WALL] = {"search_speedup_wall", "search, wall clock"},
};

static double value_of(const struct table3_k *k, enum mean_confidence_ratio r)
{
    return r == MEAN_CONFIDENCE_RETIMED   ? k->retimed_speedup[SUM_PLAIN]
           : r == MEAN_CONFIDENCE_KERNEL  ? k->kernel_speedup[SUM_PLAIN]
           : r == MEAN_CONFIDENCE_RECORDS ? k->search_speedup[CLOCK_RECORDS]
                                          : k->search_speedup[CLOCK_WALL];
}

static void fill(const struct report *r, int k, enum mean_confidence_ratio which, double *v)
{
    int seeds = (int)r->experiment->seeds;
    for (int n = 0; n < r->table.nnetworks; n++)
        for (int s = 0; s < seeds; s++) {
            const struct table3_k *one = r->table.networks[n].k[k].by_seed[s];
            v[n * seeds + s] = one ? value_of(one, which) : (double)NAN;
        }
}

const struct mean_confidence *mean_confidence_make(const struct report *r)
{
    int nk = r->table.nk, seeds = (int)r->experiment->seeds;
    struct mean_confidence *all = ARENA_ARRAY(r->arena, struct mean_confidence, nk + 1);
    struct estimate **family = ARENA_ARRAY(r->arena, struct estimate *, nk + 1);
    double *v = ARENA_ARRAY(r->arena, double, r->table.nnetworks *seeds + 1);
    for (int which = 0; which < MEAN_CONFIDENCE_COUNT; which++) {
        for (int k = 0; k < nk; k++) {
            fill(r, k, (enum mean_confidence_ratio)which, v);
            estimate_of(r->arena, v, r->table.nnetworks, seeds, noise_floor_tie(r->calm.single), &all[k].of[which]);
            family[k] = &all[k].of[which];
        }
        estimate_correct(r->arena, family, nk);
    }
    return all;
}

void mean_confidence_text(const struct report *r, struct text *t)
{
    text_add(t,
             "\nhow sure the means over networks are (beats: the chance to beat the full Ansor run; p: sign-flip test "
             "that the ratio is 1, Holm: over k)\n"
             "      k  ratio                        mean  95 %               over             beats       p    "
             "Holm\n");
    for (int k = 0; k < r->table.nk; k++)
        for (int i = 0; i < MEAN_CONFIDENCE_COUNT; i++) {
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

void mean_confidence_html(const struct report *r, struct text *t)
{
    static const char *const heads[] = {"k", "ratio", "mean", "95 %", "over", "beats", "p", "Holm", NULL};
    text_add(t, "<h3>How sure these means are</h3>\n");
    markup_table(t, heads);
    for (int k = 0; k < r->table.nk; k++)
        for (int i = 0; i < MEAN_CONFIDENCE_COUNT; i++) {
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

void mean_confidence_json(const struct mean_confidence *one, struct text *t)
{
    text_add(t, ", \"stats\": {");
    for (int i = 0; i < MEAN_CONFIDENCE_COUNT; i++) {
        text_printf(t, "%s\"%s\": ", i ? ", " : "", ratios[i].name);
        confidence_estimate(&one->of[i], estimate_over_word(&one->of[i], "networks"), t);
    }
    text_char(t, '}');
}
