/* SPDX-License-Identifier: Apache-2.0 */
/* pairwise: ratios of what confidence.c holds against the explorer, seed by seed; kernels of one seed are paired by
 * name. */
#include "harness/report/data/pairwise.h"

#include "harness/report/data/confidence.h"
#include "harness/report/render/markup.h"
#include "harness/stats/noise_floor.h"

#include <math.h>

static const struct {
    const char *name, *title, *rows; /* in JSON, for people; what rows are */
} ratios[PAIRWISE_COUNT] = {
    [PAIRWISE_KERNELS] = {"kernels", "kernels", "networks"},
    [PAIRWISE_EACH] = {"each", "each kernel alike", "kernels"},
    [PAIRWISE_RECORDS] = {"exploit_records", "exploitation, records", "networks"},
    [PAIRWISE_WALL] = {"exploit_wall", "exploitation, wall clock", "networks"},
};

static double positive(double v)
{
    return isfinite(v) && v > 0 ? v : NAN;
}

static double sums_ratio(const struct contest_sums *mine, const struct contest_sums *theirs, enum pairwise_ratio r,
                         enum contest_ratio headline)
{
    return !mine || !theirs        ? NAN
           : r == PAIRWISE_KERNELS ? positive(mine->ratio[headline] / theirs->ratio[headline])
           : r == PAIRWISE_RECORDS ? positive(theirs->cost_s / mine->cost_s)
                                   : positive(theirs->wall_s / mine->wall_s);
}

static double kernel_ratio(const struct contest_kernel *mine, const struct contest_kernel *theirs, bool again)
{
    return again ? positive(theirs->kept_again_s / mine->kept_again_s) : positive(theirs->kept_s / mine->kept_s);
}

/* Rows of v: each network, or each of its kernels; how many. */
static int add_rows(const struct contest *c, const struct contest_row *mine, const struct contest_row *theirs,
                    enum pairwise_ratio r, bool again, double *v)
{
    int seeds = (int)c->seeds, n = r == PAIRWISE_EACH ? mine->nkernels : 1;
    for (int i = 0; i < n; i++)
        for (int s = 0; s < seeds; s++) {
            bool both = mine->by_seed && theirs->by_seed && mine->by_seed[s] && theirs->by_seed[s];
            v[i * seeds + s] = !both                ? (double)NAN
                               : r == PAIRWISE_EACH ? kernel_ratio(&mine->kernels[s][i], &theirs->kernels[s][i], again)
                                                    : sums_ratio(mine->by_seed[s], theirs->by_seed[s], r,
                                                                 again ? RATIO_AGAIN : RATIO_KEPT);
        }
    return n;
}

static void fight(const struct report *r, const struct contest_entrant *mine, const struct contest_entrant *theirs,
                  bool again, struct pairwise *out)
{
    const struct contest *c = &r->contest;
    int most = 1;
    for (int n = 0; n < c->nnetworks; n++)
        most += mine->rows[n].nkernels + 1;
    double *v = ARENA_ARRAY(r->arena, double, most *(int)c->seeds);
    *out = (struct pairwise){.first = mine->label, .other = theirs->label};
    for (int i = 0; i < PAIRWISE_COUNT; i++) {
        int rows = 0;
        for (int n = 0; n < c->nnetworks; n++)
            rows += add_rows(c, &mine->rows[n], &theirs->rows[n], (enum pairwise_ratio)i, again, v + rows * c->seeds);
        estimate_of(r->arena, v, rows, (int)c->seeds, noise_floor_tie(r->calm.single), &out->of[i]);
    }
}

struct pairwises pairwises_make(const struct report *r)
{
    const struct contest *c = &r->contest;
    struct pairwises out = {.all = ARENA_ARRAY(r->arena, struct pairwise, c->nentrants + 1)};
    enum contest_ratio h = confidence_headline(r);
    struct estimate **family = ARENA_ARRAY(r->arena, struct estimate *, c->nentrants + 1);
    for (int i = 1; i < c->nentrants; i++)
        if (c->entrants[i].k == c->entrants[0].k)
            fight(r, &c->entrants[0], &c->entrants[i], contest_is_again(h), &out.all[out.n++]);
    for (int k = 0; k < PAIRWISE_COUNT; k++) {
        for (int i = 0; i < out.n; i++)
            family[i] = &out.all[i].of[k];
        estimate_correct(r->arena, family, out.n);
    }
    return out;
}

static const char *over_word(const struct pairwise *d, int r)
{
    return estimate_over_word(&d->of[r], ratios[r].rows);
}

void pairwises_text(const struct report *r, struct text *t)
{
    const struct pairwises *d = &r->duels;
    if (!d->n)
        return;
    text_printf(
        t,
        "\n%s against each of the others, which start from the same records (above 1 favours %s; p, Holm: of the "
        "kernels)\n  %-25s   kernels  %-28s     each  %-28s      p    Holm\n",
        d->all[0].first, d->all[0].first, "", "95 %", "95 %, each kernel alike");
    for (int i = 0; i < d->n; i++) {
        const struct pairwise *one = &d->all[i];
        text_printf(t, "  %-25s", one->other);
        confidence_cell(&one->of[PAIRWISE_KERNELS], over_word(one, PAIRWISE_KERNELS), 3, t);
        confidence_cell(&one->of[PAIRWISE_EACH], over_word(one, PAIRWISE_EACH), 3, t);
        const struct estimate *tested = &one->of[isnan(one->of[PAIRWISE_KERNELS].p) ? PAIRWISE_EACH : PAIRWISE_KERNELS];
        text_cell(t, 6, 4, tested->p);
        text_cell(t, 7, 4, tested->holm);
        text_char(t, '\n');
    }
    text_printf(t, "  %-25s   records  %-28s     wall  %-28s\n", "exploitation alone", "95 %", "95 %");
    for (int i = 0; i < d->n; i++) {
        const struct pairwise *one = &d->all[i];
        text_printf(t, "  %-25s", one->other);
        confidence_cell(&one->of[PAIRWISE_RECORDS], over_word(one, PAIRWISE_RECORDS), 2, t);
        confidence_cell(&one->of[PAIRWISE_WALL], over_word(one, PAIRWISE_WALL), 2, t);
        text_char(t, '\n');
    }
}

void pairwises_html(const struct report *r, struct text *t)
{
    const struct pairwises *d = &r->duels;
    if (!d->n)
        return;
    text_add(t, "<section id=\"duels\"><h2>");
    markup_printf(t, "%s against each of the others", d->all[0].first);
    text_add(t, "</h2>\n<p>They start from the same records; above 1 favours the first.</p>\n");
    const char *heads[2 * PAIRWISE_COUNT + 2] = {"against"};
    for (int k = 0; k < PAIRWISE_COUNT; k++) {
        heads[2 * k + 1] = ratios[k].title;
        heads[2 * k + 2] = "95 %";
    }
    markup_table(t, heads);
    for (int i = 0; i < d->n; i++) {
        text_add(t, "<tr><td>");
        markup_text(t, d->all[i].other);
        text_add(t, "</td>");
        for (int k = 0; k < PAIRWISE_COUNT; k++) {
            markup_cell(t, 3, d->all[i].of[k].ratio);
            confidence_interval(&d->all[i].of[k], over_word(&d->all[i], k), t);
        }
        text_add(t, "</tr>\n");
    }
    markup_table_end(t);
    text_add(t, "</section>\n");
}

void pairwises_json(const struct report *r, struct text *t)
{
    const struct pairwises *d = &r->duels;
    text_char(t, '[');
    for (int i = 0; i < d->n; i++) {
        text_add(t, i ? ", {\"arm\": " : "{\"arm\": ");
        text_json(t, d->all[i].first);
        text_member_string(t, "over", d->all[i].other);
        for (int k = 0; k < PAIRWISE_COUNT; k++) {
            text_printf(t, ", \"%s\": ", ratios[k].name);
            confidence_estimate(&d->all[i].of[k], over_word(&d->all[i], k), t);
        }
        text_char(t, '}');
    }
    text_char(t, ']');
}
