/* SPDX-License-Identifier: Apache-2.0 */
/* pooled: two passes over the rows: the pooled variance first, as rows of one value borrow it. */
#include "harness/stats/pooled.h"

#include "harness/stats/t_test.h"

#include <math.h>
#include <stdbool.h>

struct row {
    int n;
    double mean, squares; /* of deviations from the mean */
};

static struct row row_of(const double *logs, int seeds)
{
    struct row r = {0};
    for (int s = 0; s < seeds; s++)
        if (!isnan(logs[s])) {
            r.mean += logs[s];
            r.n++;
        }
    r.mean = r.n ? r.mean / r.n : NAN;
    for (int s = 0; s < seeds && r.n > 1; s++)
        r.squares += isnan(logs[s]) ? 0 : (logs[s] - r.mean) * (logs[s] - r.mean);
    return r;
}

/* All but half the interval. */
static struct pooled spread_of(const double *logs, int rows, int seeds)
{
    struct pooled out = {.mean = NAN, .error = NAN, .half = INFINITY};
    double sum = 0, squares = 0, error = 0, fourth = 0;
    int alone = 0, all = 0, least = 0;
    for (int i = 0; i < rows; i++) {
        struct row r = row_of(logs + (long)i * seeds, seeds);
        out.rows += r.n > 0;
        out.values += r.n;
        sum += r.n ? r.mean : 0;
        squares += r.squares;
        alone += r.n == 1;
        all += r.n > 1 ? r.n - 1 : 0;
        least = r.n > 1 && (!least || r.n - 1 < least) ? r.n - 1 : least;
    }
    if (!out.rows)
        return out;
    out.mean = sum / out.rows;
    if (!all)
        return out;
    for (int i = 0; i < rows; i++) {
        struct row r = row_of(logs + (long)i * seeds, seeds);
        if (r.n < 2)
            continue;
        double share = 1.0 / r.n + (double)alone * (r.n - 1) / all, part = share * r.squares / (r.n - 1);
        error += part;
        fourth += part * part / (r.n + 1);
    }
    out.error = sqrt(error) / out.rows;
    out.df = fourth > 0 ? fmin(all, fmax(least, error * error / fourth - 2)) : all;
    return out;
}

struct pooled pooled_mean(const double *logs, int rows, int seeds, double confidence)
{
    struct pooled out = spread_of(logs, rows, seeds);
    if (out.df > 0)
        out.half = t_test_quantile(confidence, out.df) * out.error;
    return out;
}

double pooled_df(const double *logs, int rows, int seeds)
{
    return spread_of(logs, rows, seeds).df;
}

double pooled_expected(double rows, double replicated, double seeds)
{
    return seeds < POOLED_SEEDS ? (replicated / seeds + rows - replicated) / (rows * rows) : 1 / (replicated * seeds);
}

void pooled_rows(const double *logs, int rows, int seeds, double confidence, struct pooled_row *out)
{
    double squares = 0;
    int df = 0;
    for (int i = 0; i < rows; i++) {
        struct row r = row_of(logs + (long)i * seeds, seeds);
        squares += r.squares;
        df += r.n > 1 ? r.n - 1 : 0;
    }
    for (int i = 0; i < rows; i++) {
        struct row r = row_of(logs + (long)i * seeds, seeds);
        bool alone = r.n >= POOLED_SEEDS;
        double variance = alone ? r.squares / (r.n - 1) : df ? squares / df : INFINITY;
        int own = alone ? r.n - 1 : df;
        out[i] = (struct pooled_row){.n = r.n, .mean = r.mean, .half = INFINITY};
        if (r.n && own)
            out[i].half = t_test_quantile(confidence, own) * sqrt(variance / r.n);
    }
}
