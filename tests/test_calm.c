/* SPDX-License-Identifier: Apache-2.0 */
/* calm: floor and drift of sums by hand, and of noise of a known size. That a campaign's records are read is for
 * cli.sh. */
#include "harness/experiment/calm.h"
#include "tests/deviate.h"
#include "tests/tap.h"

#include <math.h>

int main(void)
{
    struct arena *a = arena_open("test");
    static const double TWO[] = {1.00, 1.01, 2.00, 1.98, NAN, 1, 3, INFINITY};
    struct calm c = calm_of(a, TWO, 4, 2);
    is_int(c.pairs, 2, "two of four sums are whole");
    is_near(c.floor, 2 / 1.98 - 1, 1e-12, "the larger of 1.0 and 1.01 %%");
    is_near(c.drift, sqrt(1.01 * 0.99), 1e-12, "they drift in opposite ways");
    ok(c.gates == VERDICT_GATES_PASSED && !c.reason, "which is no drift");
    static const double DRIFT[] = {1.00, 1.02, 1.04, 2.00, 2.04, 2.08};
    c = calm_of(a, DRIFT, 2, 3);
    ok(c.gates == VERDICT_GATES_FAILED, "4 %% from the first to the last round");
    is_str(c.reason, "the same winners drifted by +4.0 % from the first to the last round", "is told");
    is_int(c.pairs, 4, "neighbouring rounds of two sums");
    c = calm_of(a, DRIFT, 2, 1);
    ok(isnan(c.floor) && c.gates == VERDICT_GATES_UNKNOWN && c.reason, "one round says nothing");
    c = calm_of(a, DRIFT, 0, 3);
    ok(isnan(c.floor) && c.gates == VERDICT_GATES_UNKNOWN, "nor do no sums");

    enum { SUMS = 400, ROUNDS = 3 };
    static double sums[SUMS * ROUNDS];
    struct rng rng;
    rng_seed(&rng, 11);
    deviate_ratios(&rng, 0, 0.01, sums, SUMS * ROUNDS);
    c = calm_of(a, sums, SUMS, ROUNDS);
    is_near(c.floor, 1.96 * 0.01 * sqrt(2), 0.06,
            "two launches of 1 %% each differ by 1.4 %%, 95 %% of them within 2.8 %%");
    ok(c.gates == VERDICT_GATES_PASSED, "and noise is no drift");
    arena_close(a);
    return done_testing();
}
