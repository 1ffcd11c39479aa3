/* SPDX-License-Identifier: Apache-2.0 */
/* report_contest: prints a contest three ways. Text, spreadsheet and JSON hold the same numbers; an absent one is a
 * dash, an empty field, a null. */
#include "harness/report/render/report_contest.h"

#include "harness/report/data/confidence.h"
#include "harness/stats/noise_floor.h"

#include <math.h>

static bool make(struct report *r, struct err *err)
{
    if (!contest_make(r->arena, r->experiment, r->store, &r->contest, err))
        return false;
    confidence_make(r->arena, &r->contest, noise_floor_tie(r->calm.single));
    r->duels = pairwises_make(r);
    return true;
}

/* ---- contest ---- */

static const char contest_head[] =
    "                               own records only      with the seed     winners  gain over  exploitation alone\n"
    "  exploiter                 kernel ms  speedup  kernel ms  speedup   retimed   its seed   wall s  records s  "
    "trials/failed  kernels\n";

static void contest_cells(const char *label, const struct contest_sums *s, bool complete, struct text *t)
{
    text_printf(t, "  %-25s", label);
    report_cell(t, 9, 3, complete ? 1e3 * s->own_s : NAN);
    report_cell(t, 8, 3, s->ratio[RATIO_OWN]);
    report_cell(t, 10, 3, 1e3 * s->kept_s);
    report_cell(t, 8, 3, s->ratio[RATIO_KEPT]);
    report_cell(t, 9, 3, s->ratio[RATIO_AGAIN]);
    report_cell(t, 10, 3, s->ratio[RATIO_GAIN]);
    report_cell(t, 8, 1, s->wall_s);
    report_cell(t, 10, 1, s->cost_s);
    text_printf(t, "  %lld/%lld  %lld/%lld\n", (long long)s->records, (long long)s->failed, (long long)s->counted,
                (long long)s->kernels);
}

static void published_rows(const struct report *r, struct text *t)
{
    const struct published_rows *p = r->rows;
    for (int i = 0; p && i < p->n; i++) {
        if (i == 0 || !str_eq(p->at[i].title, p->at[i - 1].title))
            text_printf(t, "\n%s, %s\n", p->paper, p->at[i].title);
        text_printf(t, "  %s\n", p->at[i].text);
    }
}

static void contest_text(const struct report *r, struct text *t)
{
    const struct contest *c = &r->contest;
    text_add(t,
             "\nEach exploiter starts from the best of the explorer's first k records of a kernel (the number in its "
             "name). Speedups are over the\nexplorer's full run, kernel sums, above 1 favours the exploiter. own: "
             "what the exploiter found itself, over networks where it found\nsomething valid for every kernel "
             "(kernels: found/all); with the seed: the better of that and the seed, which is what one would use.\n");
    for (int n = 0; n < c->nnetworks; n++) {
        text_printf(t, "\n%s\n%s", r->experiment->networks[n]->name, contest_head);
        for (int i = 0; i < c->nentrants; i++) {
            const struct contest_row *row = &c->entrants[i].rows[n];
            if (row->seeds)
                contest_cells(c->entrants[i].label, &row->sums, row->sums.counted == row->sums.kernels, t);
            else
                text_printf(t, "  %-25s not finished yet\n", c->entrants[i].label);
        }
    }
    text_printf(t, "\nall networks: sums, and geometric means of the speedups\n%s", contest_head);
    for (int i = 0; i < c->nentrants; i++)
        contest_cells(c->entrants[i].label, &c->entrants[i].all, c->entrants[i].all.complete > 0, t);
    published_rows(r, t);
}

/* Cost of exploitation, speedup (the headline's), that of its own records, label, interval of the speedup: one block
 * for the means, one for each network. */
static void contest_figure(const struct report *r, struct text *t)
{
    const struct contest *c = &r->contest;
    enum contest_ratio h = confidence_headline(r);
    for (int n = -1; n < c->nnetworks; n++) {
        text_printf(t, "%s\"%s\"\n", n < 0 ? "" : "\n\n", n < 0 ? "all networks" : r->experiment->networks[n]->name);
        for (int i = 0; i < c->nentrants; i++) {
            const struct contest_entrant *e = &c->entrants[i];
            const struct contest_sums *s = n < 0 ? &e->all : &e->rows[n].sums;
            const struct estimate *of = n < 0 ? &e->estimate[h] : &e->rows[n].estimate[h];
            double own = s->ratio[RATIO_OWN];
            if (s->ratio[h] > 0 && isfinite(s->ratio[h]) && s->cost_s > 0)
                text_printf(t, "%.6g %.6g %.6g \"%s\" %.6g %.6g\n", s->cost_s, s->ratio[h],
                            isfinite(own) && own > 0 ? own : (double)NAN, e->label,
                            isfinite(of->low) ? of->low : s->ratio[h], isfinite(of->high) ? of->high : s->ratio[h]);
        }
    }
    text_add(t, "\n");
}

/* ---- micro ---- */

/* Geometric mean over seeds of a kernel's time, in ms; which: 0 explorer, 1 seed, 2 kept. NaN without a seed done. */
static double kernel_ms(const struct contest *c, const struct contest_row *row, int kernel, int which)
{
    double logs = 0;
    int n = 0;
    for (int64_t s = 0; s < c->seeds; s++) {
        if (!row->kernels[s])
            continue;
        const struct contest_kernel *k = &row->kernels[s][kernel];
        logs += log(which == 0 ? k->explorer_s : which == 1 ? k->seed_s : k->kept_s);
        n++;
    }
    return n ? 1e3 * exp(logs / n) : NAN;
}

static void micro_cells(const struct contest *c, const char *label, const struct contest_row *row, int which,
                        struct text *t)
{
    text_printf(t, "  %-25s", label);
    for (int i = 0; i < row->nkernels; i++)
        report_cell(t, 11, 4, kernel_ms(c, row, i, which));
}

static void micro_text(const struct report *r, struct text *t)
{
    const struct contest *c = &r->contest;
    text_add(t,
             "\nMilliseconds of the best program of each kernel: of the explorer's full run, and of each exploiter "
             "(its best or its seed, whichever\nis faster), started from the best of the explorer's first k records. "
             "search: the explorer's summed record cost over that of the\nfirst k and the exploiter; a sum over "
             "unrelated kernels, so read it as nothing more.\n");
    for (int n = 0; n < c->nnetworks; n++) {
        const struct network *net = r->experiment->networks[n];
        text_printf(t, "\n%s\n  %-25s", net->name, "");
        for (int i = 0; i < net->nkernels; i++) {
            const char *name = net->tasks[i].name ? net->tasks[i].name : net->tasks[i].task->name;
            text_printf(t, " %11.11s", name);
        }
        text_add(t, "  search  trials/failed\n");
        for (int i = 0; i < c->nentrants; i++) {
            const struct contest_row *row = &c->entrants[i].rows[n];
            if (!row->seeds)
                continue;
            if (i == 0) {
                micro_cells(c, "explorer, full run", row, 0, t);
                text_char(t, '\n');
            }
            micro_cells(c, c->entrants[i].label, row, 2, t);
            report_cell(t, 7, 2, row->sums.ratio[RATIO_RECORDS]);
            text_printf(t, "  %lld/%lld\n", (long long)row->sums.records, (long long)row->sums.failed);
        }
    }
    published_rows(r, t);
}

/* Explorer over kept of one kernel, each seed a value. */
static struct interval kernel_interval(struct arena *a, const struct contest *c, const struct contest_row *row,
                                       int kernel)
{
    double *v = ARENA_ARRAY(a, double, c->seeds + 1);
    int n = 0;
    for (int64_t s = 0; s < c->seeds; s++)
        if (row->kernels[s])
            v[n++] = row->kernels[s][kernel].explorer_s / row->kernels[s][kernel].kept_s;
    return interval_ratios(v, n, ESTIMATE_CONFIDENCE);
}

/* A block for each kernel: k, explorer / kept, explorer / seed, interval of the first over seeds. */
static void micro_figure(const struct report *r, struct text *t)
{
    const struct contest *c = &r->contest;
    for (int n = 0; n < c->nnetworks; n++)
        for (int i = 0; i < r->experiment->networks[n]->nkernels; i++) {
            const struct plan_task *task = &r->experiment->networks[n]->tasks[i];
            text_printf(t, "%s\"%s\"\n", n || i ? "\n\n" : "", task->name ? task->name : task->task->name);
            for (int e = 0; e < c->nentrants; e++) {
                const struct contest_row *row = &c->entrants[e].rows[n];
                double full = kernel_ms(c, row, i, 0), kept = kernel_ms(c, row, i, 2);
                if (!isfinite(full) || !isfinite(kept))
                    continue;
                struct interval of = kernel_interval(r->arena, c, row, i);
                bool known = of.n > 1 && isfinite(of.high);
                text_printf(t, "%lld %.6g %.6g %.6g %.6g\n", (long long)c->entrants[e].k, full / kept,
                            full / kernel_ms(c, row, i, 1), known ? of.low : (double)NAN,
                            known ? of.high : (double)NAN);
            }
        }
    text_add(t, "\n");
}

/* ---- variance ---- */

static void variance_line(const char *label, const struct contest_sums *s, struct text *t)
{
    text_printf(t, "  %-12s", label);
    report_cell(t, 9, 3, 1e3 * s->kept_s);
    report_cell(t, 9, 3, 1e3 * s->seed_s);
    report_cell(t, 9, 3, 1e3 * s->explorer_s);
    report_cell(t, 7, 3, s->ratio[RATIO_KEPT]);
    report_cell(t, 8, 3, s->ratio[RATIO_AGAIN]);
    report_cell(t, 8, 2, s->ratio[RATIO_RECORDS]);
    text_printf(t, "  %4d %4d %4d", s->sign[SIGN_BETTER], s->sign[SIGN_WORSE], s->sign[SIGN_OPEN]);
    report_cell(t, 6, 1, 100 * s->spread);
    text_printf(t, "  %4d %4d %4d", s->sign_again[SIGN_BETTER], s->sign_again[SIGN_WORSE], s->sign_again[SIGN_OPEN]);
    report_cell(t, 6, 1, 100 * s->spread_again);
    text_char(t, '\n');
}

static void variance_text(const struct report *r, struct text *t)
{
    const struct contest *c = &r->contest;
    text_printf(
        t,
        "\nWinners kernel by kernel against the explorer's, two-sided t-test at p <= %.2f: better, worse, not "
        "told apart (kernels, all seeds).\nrepeats: between the repeats of the two search records, the authors' "
        "test, which says nothing about the luck of a search or of a\nprocess. launches: between means of fresh "
        "processes of the shoot-out. sd %%: median over kernels of sd / mean.\n",
        CONTEST_P);
    for (int n = 0; n < c->nnetworks; n++) {
        text_printf(
            t,
            "\n%s\n  %-12s    kernel sums, ms           speedup           search  over repeats         over "
            "launches\n  %-12s  exploiter     seed  explorer   record retimed  speedup  bett wors  not    sd %%  "
            "bett wors  not    sd %%\n",
            r->experiment->networks[n]->name, "", "exploiter");
        for (int i = 0; i < c->nentrants; i++) {
            const struct contest_row *row = &c->entrants[i].rows[n];
            if (row->seeds)
                variance_line(c->entrants[i].label, &row->sums, t);
            for (int64_t s = 0; s < c->seeds && row->seeds > 1; s++)
                if (row->kernels[s]) {
                    double kept = 0, full = 0;
                    for (int k = 0; k < row->nkernels; k++) {
                        kept += row->kernels[s][k].kept_s;
                        full += row->kernels[s][k].explorer_s;
                    }
                    text_printf(t, "    seed %-5lld", (long long)c->first_seed + s);
                    report_cell(t, 9, 3, 1e3 * kept);
                    report_cell(t, 19, 3, 1e3 * full);
                    report_cell(t, 7, 3, full / kept);
                    text_char(t, '\n');
                }
        }
    }
    published_rows(r, t);
}

/* A block for each network: kernel number, explorer / kept from the records, from the launches, 1 when told apart. */
static void variance_figure(const struct report *r, struct text *t)
{
    const struct contest *c = &r->contest;
    for (int n = 0; n < c->nnetworks; n++) {
        text_printf(t, "%s\"%s\"\n", n ? "\n\n" : "", r->experiment->networks[n]->name);
        for (int e = 0; e < c->nentrants; e++)
            for (int64_t s = 0; s < c->seeds; s++)
                for (int i = 0; c->entrants[e].rows[n].kernels[s] && i < c->entrants[e].rows[n].nkernels; i++) {
                    const struct contest_kernel *k = &c->entrants[e].rows[n].kernels[s][i];
                    double again = k->explorer_again_s / k->kept_again_s, one = k->explorer_s / k->kept_s;
                    if (isfinite(one))
                        text_printf(t, "%d %.6g %.6g %d\n", i + 1, one, again, k->p_again <= CONTEST_P);
                }
    }
    text_add(t, "\n");
}

/* ---- what all have in common: one row for each network and entrant ---- */

static void sums_members(const struct contest_sums *s, bool complete, struct text *t)
{
    text_printf(t, ", \"kernels\": %lld, \"kernels_found\": %lld, \"trials\": %lld, \"failed\": %lld",
                (long long)s->kernels, (long long)s->counted, (long long)s->records, (long long)s->failed);
    text_member_number(t, "explorer_kernel_ms", 1e3 * s->explorer_s);
    text_member_number(t, "seed_kernel_ms", 1e3 * s->seed_s);
    text_member_number(t, "own_kernel_ms", complete ? 1e3 * s->own_s : NAN);
    text_member_number(t, "kernel_ms", 1e3 * s->kept_s);
    text_member_number(t, "own_speedup", s->ratio[RATIO_OWN]);
    text_member_number(t, "kernel_speedup", s->ratio[RATIO_KEPT]);
    text_member_number(t, "kernel_speedup_retimed", s->ratio[RATIO_AGAIN]);
    text_member_number(t, "seed_gain", s->ratio[RATIO_GAIN]);
    text_member_number(t, "search_speedup_records", s->ratio[RATIO_RECORDS]);
    text_member_number(t, "exploit_wall_s", s->wall_s);
    text_member_number(t, "exploit_records_s", s->cost_s);
    text_member_number(t, "spread_repeats", s->spread);
    text_member_number(t, "spread_launches", s->spread_again);
    text_printf(t, ", \"repeats\": {\"better\": %d, \"worse\": %d, \"open\": %d}", s->sign[SIGN_BETTER],
                s->sign[SIGN_WORSE], s->sign[SIGN_OPEN]);
    text_printf(t, ", \"launches\": {\"better\": %d, \"worse\": %d, \"open\": %d}", s->sign_again[SIGN_BETTER],
                s->sign_again[SIGN_WORSE], s->sign_again[SIGN_OPEN]);
}

static void kernel_objects(const struct contest *c, const struct contest_row *row, struct text *t)
{
    text_add(t, ", \"kernel_list\": [");
    bool first = true;
    for (int64_t s = 0; s < c->seeds; s++)
        for (int i = 0; row->kernels[s] && i < row->nkernels; i++, first = false) {
            const struct contest_kernel *k = &row->kernels[s][i];
            text_add(t, first ? "{\"kernel\": " : ", {\"kernel\": ");
            text_json(t, k->name);
            text_printf(t, ", \"seed\": %lld, \"trials\": %lld, \"failed\": %lld", (long long)c->first_seed + s,
                        (long long)k->records, (long long)k->failed);
            text_member_number(t, "explorer_ms", 1e3 * k->explorer_s);
            text_member_number(t, "seed_ms", 1e3 * k->seed_s);
            text_member_number(t, "own_ms", 1e3 * k->own_s);
            text_member_number(t, "ms", 1e3 * k->kept_s);
            text_member_number(t, "p", k->p);
            text_member_number(t, "p_launches", k->p_again);
            text_add(t, "}");
        }
    text_add(t, "]");
}

static void json(const struct report *r, struct text *t)
{
    const struct contest *c = &r->contest;
    text_add(t, ", \"exploiters\": [");
    for (int i = 0; i < c->nentrants; i++) {
        const struct contest_entrant *e = &c->entrants[i];
        text_add(t, i ? ", {\"arm\": " : "{\"arm\": ");
        text_json(t, e->label);
        text_add(t, ", \"searcher\": ");
        text_json(t, e->searcher);
        text_add(t, ", \"settings\": ");
        text_json(t, e->settings);
        text_printf(t, ", \"k\": %lld, \"networks_done\": %d, \"networks_complete\": %d", (long long)e->k,
                    e->all.networks, e->all.complete);
        sums_members(&e->all, e->all.complete > 0, t);
        confidence_json(r, e, NULL, t);
        text_add(t, ", \"networks\": [");
        for (int n = 0; n < c->nnetworks; n++) {
            text_printf(t, "%s{\"network\": \"%s\", \"seeds\": %d", n ? ", " : "", e->rows[n].network,
                        e->rows[n].seeds);
            sums_members(&e->rows[n].sums, e->rows[n].sums.counted == e->rows[n].sums.kernels, t);
            confidence_json(r, e, &e->rows[n], t);
            kernel_objects(c, &e->rows[n], t);
            text_add(t, "}");
        }
        text_add(t, "]}");
    }
    text_add(t, "], \"duels\": ");
    pairwises_json(r, t);
}

static void tsv(const struct report *r, struct text *t)
{
    const struct contest *c = &r->contest;
    text_add(
        t, "network\texploiter\tk\tseeds\tkernels\tkernels_found\ttrials\tfailed\texplorer_kernel_ms\tseed_kernel_ms\t"
           "own_kernel_ms\tkernel_ms\town_speedup\tkernel_speedup\tkernel_speedup_retimed\tseed_gain\t"
           "search_speedup_records\texploit_wall_s\texploit_records_s\tbetter\tworse\topen\tlaunches_better\t"
           "launches_worse\tlaunches_open");
    text_printf(t, "%s\n", confidence_columns);
    for (int n = 0; n < c->nnetworks; n++)
        for (int i = 0; i < c->nentrants; i++) {
            const struct contest_row *row = &c->entrants[i].rows[n];
            const struct contest_sums *s = &row->sums;
            const double v[] = {1e3 * s->explorer_s,
                                1e3 * s->seed_s,
                                1e3 * s->own_s,
                                1e3 * s->kept_s,
                                s->ratio[RATIO_OWN],
                                s->ratio[RATIO_KEPT],
                                s->ratio[RATIO_AGAIN],
                                s->ratio[RATIO_GAIN],
                                s->ratio[RATIO_RECORDS],
                                s->wall_s,
                                s->cost_s};
            if (!row->seeds)
                continue;
            text_printf(t, "%s\t%s\t%lld\t%d\t%lld\t%lld\t%lld\t%lld", row->network, c->entrants[i].label,
                        (long long)c->entrants[i].k, row->seeds, (long long)s->kernels, (long long)s->counted,
                        (long long)s->records, (long long)s->failed);
            for (size_t k = 0; k < sizeof v / sizeof *v; k++)
                if (isfinite(v[k]))
                    text_printf(t, "\t%.6g", v[k]);
                else
                    text_add(t, "\t");
            for (int k = 0; k < SIGN_COUNT; k++)
                text_printf(t, "\t%d", s->sign[k]);
            for (int k = 0; k < SIGN_COUNT; k++)
                text_printf(t, "\t%d", s->sign_again[k]);
            confidence_tsv(row, t);
            text_add(t, "\n");
        }
}

const struct report_kind report_contest_contest = {
    .name = "contest", .make = make, .text = contest_text, .json = json, .tsv = tsv, .figure = contest_figure};
const struct report_kind report_contest_micro = {
    .name = "micro", .make = make, .text = micro_text, .json = json, .tsv = tsv, .figure = micro_figure};
const struct report_kind report_contest_variance = {
    .name = "variance", .make = make, .text = variance_text, .json = json, .tsv = tsv, .figure = variance_figure};
