/* SPDX-License-Identifier: Apache-2.0 */
/* time_to_target: runs from the traces that the charts show. The target is one for all seeds of a network (practice.md
 * has "the baseline's final": with several seeds it has several, of which the median), so that an explorer's seed may
 * miss it too. People see q = 1.00 and 1.05; JSON has all. */
#include "harness/report/data/time_to_target.h"

#include "harness/report/data/best_curve.h"
#include "harness/report/render/markup.h"
#include "harness/stats/permutation.h"
#include "harness/stats/summary.h"

#include <math.h>

const double time_to_target_q[TIME_TO_TARGET_TARGETS] = {1.00, 1.01, 1.02, 1.05};
static const int shown[] = {0, 3};
enum { SHOWN = sizeof shown / sizeof *shown };

static struct survival_run run_of(const struct best_curve *t, double target)
{
    double at = best_curve_reach(t, target * (1 + 1e-9)); /* a sum of the same kernels in another order */
    bool reached = isfinite(at);
    return (struct survival_run){reached ? at : best_curve_end(t), reached};
}

static int runs_of(struct arena *a, const struct best_curve_entrant *e, double target, struct survival_run **out)
{
    *out = ARENA_ARRAY(a, struct survival_run, e->n + 1);
    for (int s = 0; s < e->n; s++)
        (*out)[s] = run_of(&e->of[s], target);
    return e->n;
}

static double target_of(struct arena *a, const struct best_curve_entrant *explorer)
{
    double *v = ARENA_ARRAY(a, double, explorer->n + 1);
    int n = 0;
    for (int s = 0; s < explorer->n; s++)
        if (isfinite(best_curve_last(&explorer->of[s])))
            v[n++] = best_curve_last(&explorer->of[s]);
    return n ? summary_median(v, n) : NAN;
}

static void time_to_target_one(struct arena *a, const struct best_curves *traces, int q,
                               struct time_to_target_network *out)
{
    struct survival_run *base, *runs;
    double target = time_to_target_q[q] * out->target_s, *p = ARENA_ARRAY(a, double, traces->n + 1);
    int nbase = runs_of(a, &traces->all[0], target, &base);
    for (int i = 0; i < traces->n; i++) {
        int n = runs_of(a, &traces->all[i], target, &runs);
        out->arms[i].name = traces->all[i].name;
        out->arms[i].of[q] = survival_of(runs, n, 0);
        p[i] = i && n ? survival_logrank(runs, n, base, nbase).p : (double)NAN;
        out->arms[i].p[q] = p[i];
    }
    permutation_holm(p, traces->n, p);
    for (int i = 0; i < traces->n; i++)
        out->arms[i].holm[q] = p[i];
}

bool time_to_target_make(struct arena *a, const struct experiment *e, struct store *s, struct time_to_target *out,
                         struct err *err)
{
    *out = (struct time_to_target){0};
    if (e->seeds < 2)
        return true;
    out->networks = ARENA_ARRAY(a, struct time_to_target_network, e->nnetworks + 1);
    for (int i = 0; i < e->nnetworks; i++) {
        struct time_to_target_network *network = &out->networks[out->n];
        struct best_curves traces;
        bool fine = best_curves_read(a, s, e, e->networks[i]->name, &traces, err);
        if (fine && traces.n) {
            network->network = e->networks[i]->name;
            network->target_s = target_of(a, &traces.all[0]);
            network->n = isfinite(network->target_s) ? traces.n : 0;
            network->arms = ARENA_ARRAY(a, struct time_to_target_arm, traces.n);
            for (int q = 0; q < TIME_TO_TARGET_TARGETS && network->n; q++)
                time_to_target_one(a, &traces, q, network);
            out->n++;
        }
        best_curves_free(&traces);
        if (!fine)
            return false;
    }
    return true;
}

/* ---- printing ---- */

/* "12.3 [8.1, 20.5]"; "-" where fewer than half arrived (practice.md 3.3). */
static void median_words(const struct survival *s, struct text *t)
{
    if (!s->settled || !isfinite(s->median))
        text_add(t, "-");
    else if (isfinite(s->high))
        text_printf(t, "%.1f [%.1f, %.1f]", s->median, s->low, s->high);
    else
        text_printf(t, "%.1f [%.1f, longer]", s->median, s->low);
}

/* "If < 50% reach, print only the share" (practice.md 3.3); JSON has all. */
static double told(const struct survival *s, double v)
{
    return s->settled ? v : (double)NAN;
}

static void arm_line(const struct time_to_target_network *n, const struct time_to_target_arm *arm, int q,
                     struct text *t)
{
    const struct survival *s = &arm->of[q];
    struct text median = {0};
    median_words(s, &median);
    text_printf(t, "  %-16s %4.2f", n->network, time_to_target_q[q]);
    text_cell(t, 9, 3, 1e3 * time_to_target_q[q] * n->target_s);
    text_printf(t, "  %-25s %3d of %-3d  %-22s", arm->name, s->reached, s->n, text_str(&median));
    text_cell(t, 9, 1, told(s, s->mean));
    text_cell(t, 9, 1, told(s, s->expected));
    text_cell(t, 7, 4, told(s, arm->p[q]));
    text_cell(t, 7, 4, told(s, arm->holm[q]));
    text_char(t, '\n');
    text_free(&median);
}

void time_to_target_text(const struct time_to_target *c, struct text *t)
{
    if (!c->n)
        return;
    text_add(t, "\ntime to target, wall clock, s: until the kernel sum (as tuned) is at most q times the median of the "
                "explorer's last. A run that ends before is\nright-censored. median with 95 %, mean up to the longest "
                "run; expected: time spent in all runs / arrivals; p: log-rank test against the\nexplorer, Holm: "
                "corrected over the arms. All these only where half of the runs arrive.\n"
                "  network             q target ms  arm                       reached     median                      "
                "mean  expected       p    Holm\n");
    for (int i = 0; i < c->n; i++)
        for (int k = 0; k < SHOWN; k++)
            for (int arm = 0; arm < c->networks[i].n; arm++)
                arm_line(&c->networks[i], &c->networks[i].arms[arm], shown[k], t);
}

static void arm_row(const struct time_to_target_network *n, const struct time_to_target_arm *arm, int q, struct text *t)
{
    const struct survival *s = &arm->of[q];
    struct text median = {0};
    median_words(s, &median);
    text_add(t, "<tr><td>");
    markup_printf(t, "%s: %s", n->network, arm->name);
    text_printf(t, "</td><td>%.2f</td>", time_to_target_q[q]);
    markup_number(t, 3, 1e3 * time_to_target_q[q] * n->target_s);
    text_printf(t, "<td>%d of %d</td><td>", s->reached, s->n);
    markup_text(t, text_str(&median));
    text_add(t, "</td>");
    markup_number(t, 1, told(s, s->mean));
    markup_number(t, 1, told(s, s->expected));
    markup_number(t, 4, told(s, arm->p[q]));
    markup_number(t, 4, told(s, arm->holm[q]));
    text_add(t, "</tr>\n");
    text_free(&median);
}

void time_to_target_html(const struct time_to_target *c, struct text *t)
{
    static const char *const heads[] = {"arm",     "q",           "target, ms", "reached", "median, s [95 %]",
                                        "mean, s", "expected, s", "p",          "Holm",    NULL};
    if (!c->n)
        return;
    text_add(t, "<section id=\"targets\"><h2>Time to target</h2>\n<p>Wall clock until the kernel sum (as tuned) is at "
                "most q times the median of the explorer's last. A run that ends before is right-censored. Median, "
                "mean (up to the longest run), expected (time spent in all runs over arrivals) and p (log-rank test "
                "against the explorer; Holm: corrected over the arms) are told where half of the runs arrive.</p>\n");
    markup_table(t, heads);
    for (int i = 0; i < c->n; i++)
        for (int k = 0; k < SHOWN; k++)
            for (int arm = 0; arm < c->networks[i].n; arm++)
                arm_row(&c->networks[i], &c->networks[i].arms[arm], shown[k], t);
    markup_table_end(t);
    text_add(t, "</section>\n");
}

static void arm_object(const struct time_to_target_arm *arm, int q, struct text *t)
{
    const struct survival *s = &arm->of[q];
    text_add(t, "{\"arm\": ");
    text_json(t, arm->name);
    text_printf(t, ", \"runs\": %d, \"reached\": %d", s->n, s->reached);
    text_member_number(t, "share", s->share);
    text_member_number(t, "median_s", s->settled ? s->median : (double)NAN);
    text_member_pair(t, "interval", s->settled ? s->low : (double)NAN, s->settled ? s->high : (double)NAN);
    text_member_number(t, "mean_s", s->settled ? s->mean : (double)NAN);
    text_member_number(t, "mean_error_s", s->settled ? s->mean_error : (double)NAN);
    text_member_number(t, "expected_s", s->expected);
    text_member_number(t, "p", arm->p[q]);
    text_member_number(t, "p_holm", arm->holm[q]);
    text_char(t, '}');
}

void time_to_target_json(const struct time_to_target *c, struct text *t)
{
    bool first = true;
    text_char(t, '[');
    for (int i = 0; i < c->n; i++)
        for (int q = 0; q < TIME_TO_TARGET_TARGETS && c->networks[i].n; q++, first = false) {
            const struct time_to_target_network *n = &c->networks[i];
            text_add(t, first ? "{\"network\": " : ", {\"network\": ");
            text_json(t, n->network);
            text_member_number(t, "q", time_to_target_q[q]);
            text_member_number(t, "target_ms", 1e3 * time_to_target_q[q] * n->target_s);
            text_add(t, ", \"arms\": [");
            for (int arm = 0; arm < n->n; arm++) {
                text_add(t, arm ? ", " : "");
                arm_object(&n->arms[arm], q, t);
            }
            text_add(t, "]}");
        }
    text_char(t, ']');
}
