/* SPDX-License-Identifier: Apache-2.0 */
/* confidence: what is one value has no interval and says so. With one seed a network's sums are one value, and the mean
 * over networks has the interval over networks; ratios of single kernels have that over kernels. */
#include "harness/report/data/confidence.h"

#include "harness/report/render/markup.h"
#include "harness/report/render/report_contest.h"

#include <math.h>

/* ---- estimating ---- */

static bool is_each(enum contest_ratio r)
{
    return r == RATIO_EACH || r == RATIO_EACH_AGAIN;
}

static double kernel_ratio(const struct contest_kernel *k, enum contest_ratio r)
{
    double v = r == RATIO_EACH ? k->explorer_s / k->kept_s : k->explorer_again_s / k->kept_again_s;
    return isfinite(v) ? v : NAN;
}

/* Rows of v: the network with its seeds, or each of its kernels; how many. */
static int add_rows(const struct contest *c, const struct contest_row *row, enum contest_ratio r, double *v)
{
    int seeds = (int)c->seeds, n = is_each(r) ? row->nkernels : 1;
    for (int i = 0; i < n; i++)
        for (int s = 0; s < seeds; s++)
            v[i * seeds + s] = !row->by_seed || !row->by_seed[s] ? (double)NAN
                               : is_each(r)                      ? kernel_ratio(&row->kernels[s][i], r)
                                                                 : row->by_seed[s]->ratio[r];
    return n;
}

static void estimate_entrant(struct arena *a, const struct contest *c, struct contest_entrant *e, enum contest_ratio r,
                             double margin)
{
    int seeds = (int)c->seeds, most = 1, n = 0;
    for (int i = 0; i < c->nnetworks; i++)
        most += e->rows[i].nkernels + 1;
    double *v = ARENA_ARRAY(a, double, most *seeds);
    for (int i = 0; i < c->nnetworks; i++)
        estimate_of(a, v, add_rows(c, &e->rows[i], r, v), seeds, margin, &e->rows[i].estimate[r]);
    for (int i = 0; i < c->nnetworks; i++)
        n += add_rows(c, &e->rows[i], r, v + n * seeds);
    estimate_of(a, v, n, seeds, margin, &e->estimate[r]);
    if (is_each(r))
        e->all.ratio[r] = e->estimate[r].ratio;
}

/* network -1: over networks. */
static struct estimate *estimate_at(const struct contest_entrant *e, int network, enum contest_ratio r)
{
    return (struct estimate *)(network < 0 ? &e->estimate[r] : &e->rows[network].estimate[r]);
}

void confidence_make(struct arena *a, struct contest *c, double margin)
{
    struct estimate **family = ARENA_ARRAY(a, struct estimate *, c->nentrants + 1);
    for (int r = 0; r < RATIO_COUNT; r++) {
        for (int i = 0; i < c->nentrants; i++)
            estimate_entrant(a, c, &c->entrants[i], (enum contest_ratio)r, margin);
        for (int n = -1; n < c->nnetworks; n++) {
            for (int i = 0; i < c->nentrants; i++)
                family[i] = estimate_at(&c->entrants[i], n, (enum contest_ratio)r);
            estimate_correct(a, family, c->nentrants);
        }
    }
}

enum contest_ratio confidence_headline(const struct report *r)
{
    bool kernels = r->kind == &report_contest_micro, again = false;
    for (int i = 0; i < r->contest.nentrants; i++)
        again = again || isfinite(r->contest.entrants[i].all.ratio[RATIO_AGAIN]);
    return kernels ? again ? RATIO_EACH_AGAIN : RATIO_EACH : again ? RATIO_AGAIN : RATIO_KEPT;
}

/* ---- what one entrant's numbers are ---- */

struct view {
    const char *label;
    const struct contest_sums *sums;
    const struct estimate *of; /* by ratio */
};

/* row NULL: over networks. */
static struct view view_of(const struct contest_entrant *e, const struct contest_row *row)
{
    return (struct view){e->label, row ? &row->sums : &e->all, row ? row->estimate : e->estimate};
}

static const char *over_word(const struct view *v, enum contest_ratio r)
{
    return estimate_over_word(&v->of[r], is_each(r) ? "kernels" : "networks");
}

static enum table3_clocks clocks_of(const struct view *v)
{
    return table3_clocks_of(v->of[RATIO_WALL].ratio, v->of[RATIO_RECORDS].ratio);
}

static const char *clocks_say(const struct view *v)
{
    static const char *const words[] = {"agree", "they disagree in size", "they disagree in direction"};
    return words[clocks_of(v)];
}

/* ---- text ---- */

void confidence_cell(const struct estimate *e, const char *over, int digits, struct text *t)
{
    struct text pair = {0};
    if (e->over == ESTIMATE_NOTHING || !isfinite(e->low) || !isfinite(e->high))
        text_add(&pair, "none");
    else
        text_printf(&pair, "[%.*f, %.*f] %d %s", digits, e->low, digits, e->high, e->n, over);
    report_cell(t, 9, digits, e->ratio);
    text_printf(t, "  %-28s", text_str(&pair));
    text_free(&pair);
}

static void text_ratio(const struct view *v, enum contest_ratio r, int digits, struct text *t)
{
    confidence_cell(&v->of[r], over_word(v, r), digits, t);
}

static void kernel_row(const struct view *v, enum contest_ratio h, struct text *t)
{
    const struct estimate *e = &v->of[h];
    text_printf(t, "  %-25s", v->label);
    text_ratio(v, h, 3, t);
    text_cell(t, 5, 2, e->better.share);
    text_cell(t, 7, 4, e->p);
    text_cell(t, 7, 4, e->holm);
    if (!is_each(h))
        text_ratio(v, contest_is_again(h) ? RATIO_EACH_AGAIN : RATIO_EACH, 3, t);
    text_char(t, '\n');
}

static void search_row(const struct view *v, struct text *t)
{
    text_printf(t, "  %-25s", v->label);
    text_ratio(v, RATIO_RECORDS, 2, t);
    text_ratio(v, RATIO_WALL, 2, t);
    text_printf(t, "  %-26s  %lld/%lld\n", clocks_say(v), (long long)v->sums->records, (long long)v->sums->failed);
}

static void headline_sentence(const struct report *r, struct text *t)
{
    enum contest_ratio h = confidence_headline(r);
    text_printf(t, "kernels: %s, %s over the explorer's",
                contest_is_again(h) ? "winners timed again in the shoot-out" : "as tuned",
                is_each(h) ? "geometric mean over kernels" : "kernel sums");
}

/* network -1: over networks. */
static void text_block(const struct report *r, int network, enum contest_ratio h, struct text *t)
{
    const struct contest *c = &r->contest;
    const char *name = network < 0 ? "all networks" : r->experiment->networks[network]->name;
    for (int table = 0; table < 2; table++) {
        if (table == 0)
            text_printf(t, "\n%-27s   kernels  %-28sbeats       p    Holm%s\n", name, "95 %",
                        is_each(h) ? "" : "      each  95 %, each kernel alike");
        else
            text_printf(t, "  %-25s   records  %-28s     wall  %-28s  %-26s  trials/failed\n", "search", "95 %", "95 %",
                        "clocks");
        for (int i = 0; i < c->nentrants; i++) {
            const struct contest_row *row = network < 0 ? NULL : &c->entrants[i].rows[network];
            struct view v = view_of(&c->entrants[i], row);
            if (!(row ? row->seeds : c->entrants[i].all.networks))
                continue;
            if (table == 0)
                kernel_row(&v, h, t);
            else
                search_row(&v, t);
        }
    }
}

void confidence_text(const struct report *r, struct text *t)
{
    const struct contest *c = &r->contest;
    enum contest_ratio h = confidence_headline(r);
    text_add(t, "\nhow sure: ");
    headline_sentence(r, t);
    text_printf(
        t,
        "; above 1 favours the exploiter\n95 %%: interval of the geometric mean, t on the logs below %d values, BCa "
        "bootstrap from there; none: one value has none. beats: the\nchance that it beats the explorer (ties a half, "
        "inside the larger of 2 %% and twice the A/A floor). p: sign-flip test that the ratio is 1;\nHolm: corrected "
        "over the exploiters. records: the paper's clock, summed record cost; wall: the clock on the wall.\n",
        INTERVAL_BOOTSTRAP_FROM);
    for (int n = -1; n < (c->seeds > 1 && c->nnetworks > 1 ? c->nnetworks : 0); n++)
        text_block(r, n, h, t);
    if (c->seeds == 1)
        text_add(t, "one seed: a single network's ratios have no interval, as nothing says how lucky its search was\n");
}

/* ---- HTML ---- */

void confidence_interval(const struct estimate *e, const char *over, struct text *t)
{
    if (e->over == ESTIMATE_NOTHING || !isfinite(e->low) || !isfinite(e->high))
        text_add(t, "<td>none</td>");
    else
        text_printf(t, "<td>%.3f&#8211;%.3f (%d %s)</td>", e->low, e->high, e->n, over);
}

static void html_interval(const struct view *v, enum contest_ratio r, struct text *t)
{
    confidence_interval(&v->of[r], over_word(v, r), t);
}

static void html_row(const char *network, const struct view *v, enum contest_ratio h, struct text *t)
{
    const struct estimate *e = &v->of[h];
    text_printf(t, "<tr%s><td>", clocks_of(v) == CLOCKS_AGREE ? "" : " class=\"far\"");
    markup_printf(t, "%s: %s", network, v->label);
    text_add(t, "</td>");
    markup_cell(t, 3, e->ratio);
    html_interval(v, h, t);
    text_printf(t, "<td>%.2f</td>", e->better.share);
    markup_number(t, 4, e->p);
    markup_number(t, 4, e->holm);
    enum contest_ratio each = contest_is_again(h) ? RATIO_EACH_AGAIN : RATIO_EACH;
    markup_cell(t, 3, v->of[each].ratio);
    html_interval(v, each, t);
    markup_cell(t, 3, v->of[RATIO_KEPT].ratio);
    markup_cell(t, 2, v->of[RATIO_RECORDS].ratio);
    html_interval(v, RATIO_RECORDS, t);
    markup_cell(t, 2, v->of[RATIO_WALL].ratio);
    html_interval(v, RATIO_WALL, t);
    text_printf(t, "<td>%s</td><td>%lld</td><td>%lld</td></tr>\n", clocks_say(v), (long long)v->sums->records,
                (long long)v->sums->failed);
}

void confidence_html(const struct report *r, struct text *t)
{
    static const char *const heads[] = {"exploiter",
                                        "kernels",
                                        "95 %",
                                        "beats",
                                        "p",
                                        "Holm",
                                        "each kernel alike",
                                        "95 %",
                                        "sums as tuned",
                                        "search, paper's clock",
                                        "95 %",
                                        "search, wall clock",
                                        "95 %",
                                        "the clocks",
                                        "trials",
                                        "failed",
                                        NULL};
    const struct contest *c = &r->contest;
    struct text say = {0};
    headline_sentence(r, &say);
    text_add(t, "<section id=\"standing\"><h2>How sure</h2>\n<p>Above 1 favours the exploiter; ");
    markup_text(t, text_str(&say));
    text_free(&say);
    text_add(t, ". Intervals: t on the logs, BCa bootstrap from 20 values; beats: the chance to beat the explorer; p: "
                "sign-flip test that the ratio is 1, Holm: corrected over the exploiters.</p>\n");
    markup_table(t, heads);
    for (int n = -1; n < (c->nnetworks > 1 ? c->nnetworks : 0); n++)
        for (int i = 0; i < c->nentrants; i++) {
            const struct contest_row *row = n < 0 ? NULL : &c->entrants[i].rows[n];
            struct view v = view_of(&c->entrants[i], row);
            if (row ? row->seeds : c->entrants[i].all.networks)
                html_row(n < 0 ? "all" : row->network, &v, confidence_headline(r), t);
        }
    markup_table_end(t);
    text_printf(t, "<p class=\"note\">%lld seed%s.%s</p></section>\n", (long long)c->seeds, c->seeds == 1 ? "" : "s",
                c->seeds == 1 ? " A single network's ratios then have no interval: nothing says how lucky its search "
                                "was."
                              : "");
}

/* ---- JSON and spreadsheet ---- */

void confidence_estimate(const struct estimate *e, const char *over, struct text *t)
{
    text_printf(t, "{\"over\": \"%s\", \"n\": %d, \"method\": \"%s\"", over, e->n, interval_word(e->method));
    text_member_number(t, "ratio", e->ratio);
    text_member_pair(t, "interval", e->low, e->high);
    text_printf(t, ", \"rows\": %d", e->rows.n);
    text_member_pair(t, "interval_rows", e->rows.n > 1 ? e->rows.low : NAN, e->rows.n > 1 ? e->rows.high : NAN);
    text_member_number(t, "beats", e->better.share);
    text_member_pair(t, "beats_interval", e->better.low, e->better.high);
    text_printf(t, ", \"wins\": %d, \"ties\": %d, \"losses\": %d", e->better.wins, e->better.ties, e->better.losses);
    text_member_number(t, "p", e->p);
    text_member_number(t, "p_holm", e->holm);
    text_char(t, '}');
}

static void seed_objects(const struct contest *c, const struct contest_row *row, struct text *t)
{
    bool first = true;
    text_add(t, ", \"by_seed\": [");
    for (int64_t s = 0; s < c->seeds && row->by_seed; s++) {
        const struct contest_sums *one = row->by_seed[s];
        if (!one)
            continue;
        text_printf(t, "%s{\"seed\": %lld", first ? "" : ", ", (long long)c->first_seed + s);
        for (int i = 0; i < RATIO_COUNT; i++)
            text_member_number(t, contest_ratio_word((enum contest_ratio)i), one->ratio[i]);
        text_member_number(t, "exploit_wall_s", one->wall_s);
        text_member_number(t, "exploit_records_s", one->cost_s);
        text_char(t, '}');
        first = false;
    }
    text_char(t, ']');
}

void confidence_json(const struct report *r, const struct contest_entrant *e, const struct contest_row *row,
                     struct text *t)
{
    struct view v = view_of(e, row);
    text_member_number(t, "search_speedup_wall", v.of[RATIO_WALL].ratio);
    text_member_string(t, "clocks", table3_clocks_word(clocks_of(&v)));
    text_member_string(t, "headline", contest_ratio_word(confidence_headline(r)));
    text_add(t, ", \"stats\": {");
    for (int i = 0; i < RATIO_COUNT; i++) {
        text_printf(t, "%s\"%s\": ", i ? ", " : "", contest_ratio_word((enum contest_ratio)i));
        confidence_estimate(&v.of[i], over_word(&v, (enum contest_ratio)i), t);
    }
    text_char(t, '}');
    if (row)
        seed_objects(&r->contest, row, t);
}

static const enum contest_ratio told[] = {RATIO_KEPT, RATIO_AGAIN, RATIO_EACH, RATIO_RECORDS, RATIO_WALL};
enum { TOLD = sizeof told / sizeof *told };

const char confidence_columns[] =
    "\tsearch_speedup_wall\tclocks\tkernel_geomean"
    "\tkernel_speedup_low\tkernel_speedup_high\tkernel_speedup_beats\tkernel_speedup_p\tkernel_speedup_holm"
    "\tkernel_speedup_retimed_low\tkernel_speedup_retimed_high\tkernel_speedup_retimed_beats\tkernel_speedup_retimed_p"
    "\tkernel_speedup_retimed_holm"
    "\tkernel_geomean_low\tkernel_geomean_high\tkernel_geomean_beats\tkernel_geomean_p\tkernel_geomean_holm"
    "\tsearch_speedup_records_low\tsearch_speedup_records_high\tsearch_speedup_records_beats\tsearch_speedup_records_p"
    "\tsearch_speedup_records_holm"
    "\tsearch_speedup_wall_low\tsearch_speedup_wall_high\tsearch_speedup_wall_beats\tsearch_speedup_wall_p"
    "\tsearch_speedup_wall_holm";

static void field(struct text *t, double v)
{
    text_char(t, '\t');
    if (isfinite(v))
        text_printf(t, "%.6g", v);
}

void confidence_tsv(const struct contest_row *row, struct text *t)
{
    struct view v = {.of = row->estimate};
    field(t, v.of[RATIO_WALL].ratio);
    text_printf(t, "\t%s", table3_clocks_word(clocks_of(&v)));
    field(t, v.of[RATIO_EACH].ratio);
    for (int i = 0; i < TOLD; i++) {
        const struct estimate *e = &v.of[told[i]];
        field(t, e->low);
        field(t, e->high);
        field(t, e->better.share);
        field(t, e->p);
        field(t, e->holm);
    }
}
