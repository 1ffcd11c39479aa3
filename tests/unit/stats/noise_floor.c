/* SPDX-License-Identifier: Apache-2.0 */
/* noise: the floor of ratios of equals, the margins of ties and alarms, and false alarms of a floor measured on the
 * same noise.
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
    ok(random_data_agrees(beyond, N, 0.05, 0.01), "one comparison of equals in 20 is beyond the floor");

    return done_testing();
}
