/* SPDX-License-Identifier: Apache-2.0 */
/* noise: the floor of A/A ratios, the margins of ties and alarms, and false alarms of a floor measured on the same
 * noise.
 */
#include "harness/stats/noise_floor.h"
#include "tests/lib/random_data.h"
#include "tests/lib/tap.h"

#include <math.h>

int main(void)
{
    static const double FEW[] = {1.01, 0.97, 1.02};
    is_near(noise_floor_of(FEW, 3), 1 / 0.97 - 1, 1e-12,
            "the floor of few ratios is the largest difference, 3.1 %% for 0.97");
    ok(noise_floor_of(FEW, 1) > 0.0099 && isnan(noise_floor_of(FEW, 0)),
       "one ratio gives a floor, no ratio gives none");
    static const double BAD[] = {1, 0};
    ok(isnan(noise_floor_of(BAD, 2)), "a ratio of 0 leaves no floor");
    is_near(noise_floor_tie(0.005), 0.02, 1e-15, "the margin of a tie is at least 2 %%");
    is_near(noise_floor_tie(0.03), 0.06, 1e-15, "the margin of a tie is twice the floor");
    is_near(noise_floor_tie(NAN), 0.02, 1e-15, "the margin of a tie is 2 %% without a floor");
    is_near(noise_floor_alarm(0.005), 0.03, 1e-15, "the margin of an alarm is at least 3 %%");
    is_near(noise_floor_alarm(0.02), 0.06, 1e-15, "the margin of an alarm is three times the floor");

    enum { N = 2000 };
    double ratios[N];
    struct rng rng;
    rng_seed(&rng, 5);
    random_data_ratios(&rng, 0, 0.01, ratios, N);
    double level = noise_floor_of(ratios, N);
    is_near(level, expm1(1.96 * 0.01), 0.06, "the floor of 1 %% noise is 1.96 %%");
    int beyond = 0;
    random_data_ratios(&rng, 0, 0.01, ratios, N);
    for (int i = 0; i < N; i++)
        beyond += fabs(log(ratios[i])) > log1p(level);
    ok(random_data_agrees(beyond, N, 0.05, 0.01), "one A/A comparison in 20 is beyond the floor");

    static const double TWO[] = {1.02, 1 / 1.02};
    is_near(noise_floor_mean(TWO, 2), expm1(4.302653 * log(1.02) / sqrt(2)), 1e-6,
            "the floor of a mean of two ratios uses t with 2 degrees of freedom, 4.303");
    ok(isnan(noise_floor_mean(TWO, 0)) && isnan(noise_floor_mean(BAD, 2)),
       "no ratios, or a ratio of 0, leave no floor of the mean");
    ok(noise_floor_mean((const double[]){1, 1}, 2) == 0, "A/A ratios of 1 give a floor of 0");
    enum { RUNS = 4000, FEW_N = 8 };
    int off = 0;
    for (int i = 0; i < RUNS; i++) { /* a bound from one set of 8 against the mean of the same 8: covers 95 % */
        double r[FEW_N], mean = 0;
        random_data_ratios(&rng, 0, 0.03, r, FEW_N);
        for (int k = 0; k < FEW_N; k++)
            mean += log(r[k]) / FEW_N;
        off += fabs(mean) > log1p(noise_floor_mean(r, FEW_N));
    }
    ok(off < RUNS / 20, "a mean of 8 is beyond its own bound in less than 1 of 20 runs (%d of %d)", off, (int)RUNS);
    off = 0;
    for (int i = 0; i < RUNS; i++) { /* the bound of one set against the mean of another: t-distributed, 5 % */
        double r[FEW_N], other[FEW_N], mean = 0;
        random_data_ratios(&rng, 0, 0.03, r, FEW_N);
        random_data_ratios(&rng, 0, 0.03, other, FEW_N);
        for (int k = 0; k < FEW_N; k++)
            mean += log(other[k]) / FEW_N;
        off += fabs(mean) > log1p(noise_floor_mean(r, FEW_N));
    }
    ok(random_data_agrees(off, RUNS, 0.05, 0), "another mean of 8 is beyond the bound in 1 of 20 runs (%d of %d)", off,
       (int)RUNS);
    return done_testing();
}
