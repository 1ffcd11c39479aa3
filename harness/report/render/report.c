/* SPDX-License-Identifier: Apache-2.0 */
/* report: the table of kinds; the text form and the spreadsheet form of Table 3; report_json.c and figure.c hold the
 * others, report_contest.c the other kinds. */
#include "harness/report/render/report.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/claims/claims.h"
#include "harness/record/counter.h"
#include "harness/record/tally.h"
#include "harness/report/data/confidence.h"
#include "harness/report/data/search_cost.h"
#include "harness/report/render/figure.h"
#include "harness/report/render/report_contest.h"
#include "harness/report/render/report_json.h"
#include "harness/report/render/validity_text.h"

#include <math.h>
#include <stdio.h>

static bool table3_open(struct report *r, struct err *err);
static void table3_text(const struct report *r, struct text *t);
static void table3_tsv(const struct report *r, struct text *t);

static const struct report_kind table3_kind = {.name = "table3",
                                               .make = table3_open,
                                               .text = table3_text,
                                               .json = report_json_table3,
                                               .tsv = table3_tsv,
                                               .figure = figure_table3};
static const struct report_kind *const kinds[] = {&table3_kind, &report_contest_contest, &report_contest_micro,
                                                  &report_contest_variance};
enum { KINDS = sizeof kinds / sizeof *kinds };

static bool find_kind(const struct experiment *e, struct report *out, struct err *err)
{
    const char *names[KINDS], *near;
    for (int i = 0; i < KINDS; i++) {
        names[i] = kinds[i]->name;
        if (str_eq(e->report, names[i]))
            out->kind = kinds[i];
    }
    if (out->kind)
        return true;
    near = str_nearest(e->report, names, KINDS);
    return near ? err_set(err, "'%s' has no report '%s': did you mean '%s'?", e->stem, e->report, near)
                : err_set(err, "'%s' has no report '%s': this version makes table3, contest, micro and variance",
                          e->stem, e->report);
}

static bool count_cells(struct report *r, struct err *err)
{
    struct store_cell *cells;
    int n;
    if (!store_cells(r->store, r->arena, &cells, &n, err))
        return false;
    for (int i = 0; i < n; i++)
        r->cells_done += str_eq(cells[i].state, "done");
    r->cells = r->experiment->plan.ncells;
    return true;
}

const char *report_missing(const struct report *r)
{
    if (r->complete)
        return NULL;
    return r->cells_done < r->cells ? arena_printf(r->arena, "%d of %d cells are done", r->cells_done, r->cells)
                                    : "the shoot-out is not finished, run --resume goes on with it";
}

/* What others published for this table, typed in. */
static bool load_published(struct report *r, const char *folder, struct err *err)
{
    const struct experiment *e = r->experiment;
    struct published *p = NULL;
    struct published_rows *rows = NULL;
    bool done = r->kind != &table3_kind
                    ? published_rows_load(r->arena, folder, e->stem, &rows, err)
                    : !*e->machine.compare || published_load(r->arena, folder, e->report, e->machine.compare, &p, err);
    r->published = p;
    r->rows = rows;
    return done;
}

bool report_open(struct arena *a, const struct experiment *e, const char *folder, struct report *out, struct err *err)
{
    *out = (struct report){.experiment = e, .arena = a};
    if (!find_kind(e, out, err))
        return false;
    if (!store_exists(e->plan.results_dir)) {
        err->code = EXIT_INCONCLUSIVE;
        return err_set(err, "nothing is measured yet in '%s': start with `raingauge run %s%s%s`", e->plan.results_dir,
                       e->stem, *e->tier ? " --tier " : "", e->tier);
    }
    if (!load_published(out, folder, err))
        return false;
    claims_hash(a, folder, e->paper, out->claims_hash);
    if (!store_open_read(e->plan.results_dir, &out->store, err))
        return false;
    const struct store_campaign *c = store_campaign(out->store);
    bool same =
        str_eq(c->experiment_hash, e->plan.experiment_hash) ||
        err_set(err,
                "the records in '%s' are of another version of '%s': give the --tier and --set they were made with "
                "(where only the shoot-out differs, `raingauge run --resume` takes them over)",
                e->plan.results_dir, e->stem);
    if (same && count_cells(out, err) && validity_read(a, out->store, &out->calm, err) &&
        selection_loss_make(a, out->store, &out->regret, err) && few_records_make(a, out->store, &out->shortage, err) &&
        out->kind->make(out, err) && time_to_target_make(a, e, out->store, &out->chase, err)) {
        out->complete = out->cells_done == out->cells && !(e->plan.launches > 0 && out->calm.awaited);
        return true;
    }
    report_close(out);
    return false;
}

static bool table3_open(struct report *r, struct err *err)
{
    if (!table3_make(r->arena, r->experiment, r->store, &r->table, err) ||
        !control_arms_make(r->arena, r->experiment, r->store, &r->control, err))
        return false;
    r->assay = mean_confidence_make(r);
    return true;
}

void report_close(struct report *r)
{
    store_close(r->store);
    r->store = NULL;
}

void report_cell(struct text *t, int width, int digits, double v)
{
    text_cell(t, width, digits, v > 0 ? v : NAN);
}

static void paper_cells(const struct report *r, const char *network, int64_t k, struct text *t)
{
    int at = published_k(r->published, k);
    const struct published_network *n = published_network(r->published, network);
    report_cell(t, 7, 2, n && at >= 0 ? n->kernel[at] : NAN);
    report_cell(t, 7, 2, n && k == 300 ? n->search : NAN);
}

static void ratio_cells(const struct table3_k *k, struct text *t)
{
    report_cell(t, 7, 2, k->search_speedup[CLOCK_WALL]);
    report_cell(t, 7, 2, k->search_speedup[CLOCK_RECORDS]);
    report_cell(t, 7, 3, k->kernel_speedup[SUM_PLAIN]);
    report_cell(t, 7, 3, k->kernel_speedup[SUM_CALLS]);
    report_cell(t, 7, 3, k->retimed_speedup[SUM_PLAIN]);
    report_cell(t, 7, 3, k->ansor_k_kernel[SUM_PLAIN]);
    report_cell(t, 7, 2, k->ansor_k_search[CLOCK_WALL]);
    report_cell(t, 7, 3, k->seed_gain[SUM_PLAIN]);
}

static void between(struct text *t, const char *name, double low, double high)
{
    if (isfinite(low) && isfinite(high))
        text_printf(t, "  %s [%.3f, %.3f]", name, low, high);
}

/* What several seeds say, in a line of its own under the row. */
static void interval_row(const struct table3_k *low, const struct table3_k *high, int n, const char *of, double holm,
                         struct text *t)
{
    if (n < 2)
        return;
    text_printf(t, "        95 %% of %d %s:", n, of);
    between(t, "search wall", low->search_speedup[CLOCK_WALL], high->search_speedup[CLOCK_WALL]);
    between(t, "records", low->search_speedup[CLOCK_RECORDS], high->search_speedup[CLOCK_RECORDS]);
    between(t, "kernel sum", low->kernel_speedup[SUM_PLAIN], high->kernel_speedup[SUM_PLAIN]);
    between(t, "retimed", low->retimed_speedup[SUM_PLAIN], high->retimed_speedup[SUM_PLAIN]);
    if (!isnan(holm))
        text_printf(t, "  p %.2g", holm);
    text_char(t, '\n');
}

static void network_rows(const struct report *r, const struct table3_network *n, struct text *t)
{
    text_printf(t, "\n%s: K = %d kernels, %d calls; Ansor: %lld trials (%lld failed)", n->name, n->kernels, n->calls,
                (long long)n->ansor.trials, (long long)n->ansor.failed);
    if (!n->seeds) {
        text_add(t, "; not finished yet\n");
        return;
    }
    text_printf(t, "\n  Ansor search %.1f s wall, %.1f s of records; kernel time %.3f ms (sum), %.3f ms (by calls)\n",
                n->ansor.search_s[CLOCK_WALL], n->ansor.search_s[CLOCK_RECORDS], 1e3 * n->ansor.kernel_s[SUM_PLAIN],
                1e3 * n->ansor.kernel_s[SUM_CALLS]);
    for (int i = 0; i < r->table.nk; i++) {
        const struct table3_k *k = &n->k[i];
        text_printf(t, "  %5lld", (long long)k->k);
        report_cell(t, 9, 1, k->dpansor.search_s[CLOCK_WALL]);
        report_cell(t, 9, 3, 1e3 * k->dpansor.kernel_s[SUM_PLAIN]);
        ratio_cells(k, t);
        paper_cells(r, n->name, k->k, t);
        text_printf(t, "  %lld/%lld\n", (long long)(k->dpansor.trials - k->ansor_k.trials),
                    (long long)k->dpansor.failed);
        interval_row(k->low, k->high, k->nseeds, "seeds", k->holm, t);
    }
}

static const char heading[] =
    "           DPAnsor-k          search speedup   kernel speedup           Ansor-k alone    Droplet  paper\n"
    "      k  search s kernel ms    wall records    sum  calls retimed  kernel  search   gain  kernel  search  Droplet "
    "trials/failed\n";

static void mean_rows(const struct report *r, struct text *t)
{
    const struct table3 *m = &r->table;
    text_printf(t,
                "\ngeometric mean over %s networks (last column: networks whose kernel sums, re-timed if they were, "
                "are at least as fast / counted)\n",
                table3_spread(r->arena, m));
    for (int i = 0; i < m->nk; i++) {
        const struct table3_k *k = &m->mean[i];
        int at = published_k(r->published, k->k);
        text_printf(t, "  %5lld %19s", (long long)k->k, "");
        ratio_cells(k, t);
        report_cell(t, 7, 2, at >= 0 ? r->published->mean_kernel[at] : NAN);
        report_cell(t, 7, 2, at >= 0 ? r->published->mean_search[at] : NAN);
        text_printf(t, "  %d/%d\n", m->wins[i], m->counted[i]);
        interval_row(k->low, k->high, k->nseeds, "seeds (these networks)", NAN, t);
        interval_row(k->across_low, k->across_high, m->counted[i], "networks (others like these)", NAN, t);
    }
}

/* The gain over the seed, taken apart by the shoot-out. */
static void gain_rows(const struct report *r, struct text *t)
{
    bool any = false;
    for (int i = 0; i < r->table.nk; i++) {
        const struct table3_k *k = &r->table.mean[i];
        if (!(k->search_gain[SUM_PLAIN] > 0))
            continue;
        if (!any)
            text_add(t, "\nDroplet's gain over its seed by the shoot-out (geometric means): timing the seed again x "
                        "searching (as tuned: gain)\n");
        any = true;
        text_printf(t, "  %5lld  timing %.3f  searching %.3f  (as tuned %.3f)\n", (long long)k->k,
                    k->timing_gain[SUM_PLAIN], k->search_gain[SUM_PLAIN], k->seed_gain[SUM_PLAIN]);
    }
}

static bool failure_rows(const struct report *r, struct text *t, struct err *err)
{
    struct tally_failure *f;
    int n;
    if (!tally_failures(r->store, r->arena, -1, -1, &f, &n, err))
        return false;
    text_add(t, n ? "\nfailed candidates:\n" : "\nno candidate failed\n");
    for (int i = 0; i < n && i < 12; i++)
        text_printf(t, "  %6lld  %s: %s\n", (long long)f[i].count, outcome_word(f[i].outcome), f[i].message);
    if (n > 12)
        text_printf(t, "  and %d other reasons (--format json has all)\n", n - 12);
    return true;
}

static bool phase_row(const struct report *r, struct text *t, struct err *err)
{
    double seconds[PHASE_COUNT], wall, sum = 0;
    if (!tally_phases(r->store, -1, seconds, &wall, err))
        return false;
    text_add(t, "\nwhere the time went:");
    for (int i = 0; i < PHASE_COUNT; i++) {
        sum += seconds[i];
        text_printf(t, " %s %.1f s,", phase_name((enum phase)i), seconds[i]);
    }
    text_printf(t, " together %.1f s of %.1f s\n", sum, wall);
    return true;
}

/* The names of those absent for the same reason, once per reason. */
static void absent_row(const struct counter_sum *c, int n, struct text *t)
{
    for (int i = 0; i < n; i++) {
        bool told = c[i].programs > 0;
        for (int j = 0; j < i && !told; j++)
            told = c[j].programs == 0 && str_eq(c[j].reason, c[i].reason);
        if (told)
            continue;
        text_printf(t, "; %s", c[i].name);
        for (int j = i + 1; j < n; j++)
            if (c[j].programs == 0 && str_eq(c[j].reason, c[i].reason))
                text_printf(t, ", %s", c[j].name);
        text_printf(t, " absent: %s", c[i].reason);
    }
}

/* The names of those that some winner has, with how many, where that is not all. */
static bool counter_row(const struct report *r, struct text *t, struct err *err)
{
    struct counter_sum *c;
    int n, had = 0;
    int64_t counted;
    if (!counters_sum(r->store, r->arena, &c, &n, &counted, err))
        return false;
    if (n == 0) {
        text_add(t, store_campaign(r->store)->is_virtual ? "counters: none, the target is virtual\n"
                                                         : "counters: none, no winner was counted\n");
        return true;
    }
    text_add(t, "counters:");
    for (; had < n && c[had].programs > 0; had++) {
        text_printf(t, "%s %s", had ? "," : "", c[had].name);
        if (c[had].programs < counted)
            text_printf(t, " (%lld of them: %s)", (long long)c[had].programs, c[had].reason);
    }
    text_printf(t, "%s counted on %lld winner%s", had ? "" : " nothing", (long long)counted, counted == 1 ? "" : "s");
    absent_row(c, n, t);
    text_add(t, "\n");
    return true;
}

static void table3_text(const struct report *r, struct text *t)
{
    const struct experiment *e = r->experiment;
    text_add(t, "\nAbove 1 favours DPAnsor (Droplet started from the best of Ansor's first k records of each kernel) "
                "over the full Ansor run.\n"
                "sum: every distinct kernel once, as the authors count; calls: as often as the network calls it.\n"
                "records: search time as the authors' summed record cost; wall: what the clock on the wall showed.\n");
    if (e->seeds > 1)
        text_add(
            t,
            "95 %: interval of the geometric mean, t on the logs below 20, BCa bootstrap from there; p: sign-flip test "
            "that the kernel\nratio (sum, retimed if it was) is 1, corrected over networks by Holm.\n");
    if (r->published)
        text_printf(t,
                    "paper: %s, rebuilt from the authors' released results (Ansor with 10,000 trials a network; search "
                    "at k = 300).\n",
                    r->published->title);
    text_add(t, "\n");
    text_add(t, heading);
    for (int i = 0; i < r->table.nnetworks; i++)
        network_rows(r, &r->table.networks[i], t);
    mean_rows(r, t);
    mean_confidence_text(r, t);
    search_cost_text(&r->table, t);
    gain_rows(r, t);
    control_arms_text(&r->control, t);
}

bool report_text(const struct report *r, struct text *t, struct err *err)
{
    const struct experiment *e = r->experiment;
    const struct store_campaign *c = store_campaign(r->store);
    text_printf(t, "%s%s%s: %s\n", e->stem, *e->tier ? ", tier " : "", e->tier, e->title);
    text_printf(t, "machine %s, target %s {%s}, %s threads, layout mode %d, regime %s\n", c->machine, c->target,
                c->target_settings, c->threads ? arena_printf(r->arena, "%d", c->threads) : "all", c->layout,
                c->regime);
    text_printf(t, "experiment %.12s, raingauge %s, %lld seed%s%s\n", c->experiment_hash, c->revision,
                (long long)e->seeds, e->seeds == 1 ? "" : "s",
                e->seeds < 5 ? ": too few for a verdict, read as an indication" : "");
    if (*r->claims_hash)
        text_printf(t, "claims of '%s': %.12s (raingauge claims %s)\n", e->paper, r->claims_hash, e->paper);
    if (report_missing(r))
        text_printf(t, "NOT COMPLETE: %s\n", report_missing(r));
    if (validity_invalid(r))
        text_printf(t, "%s\n", validity_invalid(r));
    r->kind->text(r, t);
    if (r->contest.nentrants) { /* the page has tables of its own for these */
        confidence_text(r, t);
        pairwises_text(r, t);
    }
    time_to_target_text(&r->chase, t);
    few_records_text(&r->shortage, t);
    validity_text_text(r, t);
    return failure_rows(r, t, err) && phase_row(r, t, err) && counter_row(r, t, err);
}

static void table3_tsv(const struct report *r, struct text *t)
{
    enum { LIMITS = 20 }; /* from here on v holds the ends of intervals */
    text_add(
        t, "network\tkernels\tcalls\tk\tansor_trials\tansor_search_wall_s\tansor_search_records_s\tansor_kernel_ms\t"
           "ansor_kernel_calls_ms\tdp_trials\tdp_search_wall_s\tdp_search_records_s\tdp_kernel_ms\tdp_kernel_calls_ms\t"
           "ansor_k_kernel_ms\tsearch_speedup_wall\tsearch_speedup_records\tkernel_speedup\tkernel_speedup_calls\t"
           "kernel_speedup_retimed\tseed_gain\tfailed\tpaper_kernel_speedup\tpaper_search_speedup\t"
           "seeds\tsearch_speedup_wall_low\tsearch_speedup_wall_high\tkernel_speedup_low\tkernel_speedup_high\t"
           "kernel_speedup_retimed_low\tkernel_speedup_retimed_high\n");
    for (int i = 0; i < r->table.nnetworks; i++)
        for (int j = 0; j < r->table.nk; j++) {
            const struct table3_network *n = &r->table.networks[i];
            const struct table3_k *k = &n->k[j];
            const struct published_network *p = published_network(r->published, n->name);
            int at = published_k(r->published, k->k);
            const double v[] = {n->ansor.search_s[0],
                                n->ansor.search_s[1],
                                1e3 * n->ansor.kernel_s[0],
                                1e3 * n->ansor.kernel_s[1],
                                (double)k->dpansor.trials,
                                k->dpansor.search_s[0],
                                k->dpansor.search_s[1],
                                1e3 * k->dpansor.kernel_s[0],
                                1e3 * k->dpansor.kernel_s[1],
                                1e3 * k->ansor_k.kernel_s[0],
                                k->search_speedup[0],
                                k->search_speedup[1],
                                k->kernel_speedup[0],
                                k->kernel_speedup[1],
                                k->retimed_speedup[0],
                                k->seed_gain[0],
                                (double)(n->ansor.failed + k->dpansor.failed),
                                p && at >= 0 ? p->kernel[at] : NAN,
                                p && k->k == 300 ? p->search : NAN,
                                k->nseeds,
                                k->low->search_speedup[CLOCK_WALL],
                                k->high->search_speedup[CLOCK_WALL],
                                k->low->kernel_speedup[SUM_PLAIN],
                                k->high->kernel_speedup[SUM_PLAIN],
                                k->low->retimed_speedup[SUM_PLAIN],
                                k->high->retimed_speedup[SUM_PLAIN]};
            text_printf(t, "%s\t%d\t%d\t%lld\t%lld", n->name, n->kernels, n->calls, (long long)k->k,
                        (long long)n->ansor.trials);
            for (size_t c = 0; c < sizeof v / sizeof *v; c++) {
                bool known = isfinite(v[c]) && (c < LIMITS || k->nseeds > 1);
                if (known)
                    text_printf(t, "\t%.6g", v[c]);
                else
                    text_add(t, "\t"); /* empty: not measured, or not in the source */
            }
            text_add(t, "\n");
        }
}

void report_tsv(const struct report *r, struct text *t)
{
    r->kind->tsv(r, t);
}
