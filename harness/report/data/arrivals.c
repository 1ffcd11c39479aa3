/* SPDX-License-Identifier: Apache-2.0 */
/* arrivals: from the tables of the report, so that it can be said of one that was read back, too. */
#include "harness/report/data/arrivals.h"

#include "harness/stats/summary.h"
#include "harness/stats/superiority.h"
#include "harness/stats/t_test.h"

#include <math.h>

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
