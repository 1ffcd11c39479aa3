/* SPDX-License-Identifier: Apache-2.0 */
/* race_tables: one function a table. */
#include "harness/report/data/race_tables.h"

#include "harness/report/data/race.h"
#include "harness/stats/summary.h"
#include "harness/stats/superiority.h"
#include "harness/stats/t_test.h"

#include <math.h>

static void put_arm(const struct results *r, const struct race_arm *one, struct document *d)
{
    struct document_row to = document_add(d, TABLE_RACE);
    document_text(to, COL_NETWORK, one->network < 0 ? NULL : r->networks[one->network].name);
    document_text(to, COL_ARM, r->arms[one->arm].label);
    document_text(to, COL_OVER, r->arms[0].label);
    document_count(to, COL_RUNS, one->runs);
    document_number(to, COL_TARGET_MS, 1e3 * one->target_s);
    document_number(to, COL_REACH_WALL_S, one->wall_s);
    document_number(to, COL_BASE_WALL_S, one->base_wall_s);
    document_number(to, COL_REACH_TRIALS, one->trials);
    document_number(to, COL_BASE_TRIALS, one->base_trials);
    document_ratio(to, COL_SOONER_WALL, &one->wall);
    document_ratio(to, COL_SOONER_TRIALS, &one->in_trials);
}

static void put_parity(const struct results *r, const struct race_parity *one, enum report_table table,
                       struct document *d)
{
    struct document_row to = document_add(d, table);
    int runs = one->runs[RACE_TUNED], reached = one->reached[RACE_TUNED];
    document_text(to, COL_ARM, r->arms[one->arm].label);
    document_text(to, COL_OVER, r->arms[one->over].label);
    document_count(to, COL_RUNS, runs);
    document_count(to, COL_REACHED, reached);
    document_number(to, COL_PARITY_NEVER, runs ? 1 - (double)reached / runs : (double)NAN);
    if (table == TABLE_PARITY) {
        document_text(to, COL_NETWORK, one->network < 0 ? NULL : r->networks[one->network].name);
        document_number(to, COL_TARGET_MS, 1e3 * one->target_s);
        document_number(to, COL_BASE_WHOLE_S, one->whole_s);
        document_number(to, COL_REACH_WALL_S, one->reach_s);
    } else {
        document_count(to, COL_NETWORKS, one->networks);
        document_ratio(to, COL_SOONER_WALL, &one->common);
    }
    document_ratio(to, COL_PARITY_MEAN, &one->arithmetic[RACE_TUNED]);
    document_ratio(to, COL_PARITY, &one->geometric[RACE_TUNED]);
    document_count(to, COL_PARITY_RETIMED_RUNS, one->runs[RACE_RETIMED]);
    document_count(to, COL_PARITY_RETIMED_REACHED, one->reached[RACE_RETIMED]);
    document_ratio(to, COL_PARITY_RETIMED_MEAN, &one->arithmetic[RACE_RETIMED]);
    document_ratio(to, COL_PARITY_RETIMED, &one->geometric[RACE_RETIMED]);
}

static void put_kernel(const struct results *r, const struct race_kernel *k, double peak_gflops, struct document *d)
{
    if (!k->name)
        return;
    struct document_row to = document_add(d, TABLE_RACE_KERNELS);
    document_text(to, COL_NETWORK, r->networks[k->network].name);
    document_text(to, COL_KERNEL, k->name);
    document_text(to, COL_ARM, r->arms[k->arm].label);
    document_count(to, COL_SEEDS, k->runs);
    document_number(to, COL_KERNEL_MS, 1e3 * k->kernel_s);
    document_number(to, COL_GFLOPS, k->gflops);
    document_range(to, COL_GFLOPS_INTERVAL, k->low, k->high);
    document_number(to, COL_SHARE_OF_PEAK, k->gflops / peak_gflops);
    document_range(to, COL_SHARE_OF_PEAK_INTERVAL, k->low / peak_gflops, k->high / peak_gflops);
}

void race_tables_fill(const struct race_input *in, struct document *d)
{
    const struct results *r = in->comparisons->results;
    double peak = in->validity->peak_flops;
    struct race_results race;
    race_make(in->comparisons, in->margin, &race);
    for (int i = 0; i < race.narms; i++)
        put_arm(r, &race.arms[i], d);
    for (int i = 0; i < race.narms; i++)
        put_parity(r, &race.parity[i], TABLE_PARITY, d);
    for (int i = 0; i < race.npairs; i++)
        if (race.pairs[i].networks)
            put_parity(r, &race.pairs[i], TABLE_PARITY_PAIRS, d);
    for (int i = 0; i < race.nkernels; i++)
        put_kernel(r, &race.kernels[i], peak / 1e9, d);
}

/* ---- who arrives: from the tables, so that it can be said of a report that was read back, too ---- */

/* Last sums of the first arm, one a seed; how many. */
static int last_sums(const struct document *d, const char *first, const char *network, double *out)
{
    int n = 0;
    for (int i = 0; i < document_rows(d, TABLE_EXPLORER_SEEDS); i++) {
        double v = document_number_at(d, TABLE_EXPLORER_SEEDS, i, COL_KERNEL_MS);
        if (v > 0 && str_eq(document_text_at(d, TABLE_EXPLORER_SEEDS, i, COL_ARM), first) &&
            str_eq(document_text_at(d, TABLE_EXPLORER_SEEDS, i, COL_NETWORK), network))
            out[n++] = v;
    }
    return n;
}

/* How many of them are at most the median of the others. */
static int below_others(struct arena *a, const double *v, int n)
{
    double *others = ARENA_ARRAY(a, double, n + 1);
    int reached = 0;
    for (int i = 0; i < n && n > 1; i++) {
        int k = 0;
        for (int j = 0; j < n; j++)
            if (j != i)
                others[k++] = v[j];
        reached += v[i] <= summary_median(others, k);
    }
    return reached;
}

struct arrivals arrivals_of(struct arena *a, const struct document *d, const char *arm, const char *network)
{
    struct arrivals out = {.low = -1, .high = 1};
    int rows = document_rows(d, TABLE_PARITY), n = 0;
    double *sums = ARENA_ARRAY(a, double, document_rows(d, TABLE_EXPLORER_SEEDS) + 1);
    double sum = 0, squares = 0, share = 0;
    for (int i = 0; i < rows; i++) {
        const char *of = document_text_at(d, TABLE_PARITY, i, COL_NETWORK);
        double runs = document_number_at(d, TABLE_PARITY, i, COL_RUNS);
        double reached = document_number_at(d, TABLE_PARITY, i, COL_REACHED);
        if (!*of || (*network && !str_eq(of, network)) || !(runs > 0) ||
            !str_eq(document_text_at(d, TABLE_PARITY, i, COL_ARM), arm))
            continue;
        int own = last_sums(d, document_text_at(d, TABLE_PARITY, i, COL_OVER), of, sums),
            null = below_others(a, sums, own);
        if (own < 2)
            continue;
        out.runs += (int)runs;
        out.reached += (int)reached;
        out.null_runs += own;
        out.null_reached += null;
        share = (double)null / own;
        double more = reached / runs - share;
        sum += more;
        squares += more * more;
        n++;
    }
    if (n > 1) {
        double mean = sum / n, variance = fmax(0, squares - n * mean * mean) / (n - 1);
        double half = t_test_quantile(ESTIMATE_CONFIDENCE, n - 1) * sqrt(variance / n);
        out.low = fmax(-1, mean - half);
        out.high = fmin(1, mean + half);
    } else if (n == 1) {
        struct superiority s = superiority_counts(out.reached, 0, out.runs - out.reached, ESTIMATE_CONFIDENCE);
        out.low = s.low - share;
        out.high = s.high - share;
    }
    return out;
}
