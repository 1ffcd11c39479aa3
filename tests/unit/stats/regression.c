/* SPDX-License-Identifier: Apache-2.0 */
/* regression: harness/doc/measurement.md, "Nightly rule", condition by condition, and how often it cries wolf. */
#include "harness/stats/regression.h"
#include "tests/lib/random_data.h"
#include "tests/lib/tap.h"

#include <math.h>

static double window[30], same[10], slow[10], quick[10], slight[10], wide[10];

static void fill(double *out, int n, double level)
{
    for (int i = 0; i < n; i++)
        out[i] = level * (1 + 0.002 * ((i * 7) % 10 - 4.5));
}

static struct regression_input tonight(const double *fresh)
{
    return (struct regression_input){.window = window, .nwindow = 30, .fresh = fresh, .nfresh = 10, .noise = 0.01};
}

static void gives(struct regression_input in, enum regression_kind want, const char *name)
{
    is_str(regression_words[regression_of(&in).kind], regression_words[want], "%s", name);
}

static void test_rules(void)
{
    fill(window, 30, 1);
    fill(same, 10, 1.0001);
    fill(slow, 10, 1.08);
    fill(quick, 10, 0.9);
    fill(slight, 10, 1.025);
    gives(tonight(same), REGRESSION_NONE, "equal times are no regression");
    gives(tonight(slight), REGRESSION_NONE, "2.5 % slower is inside the margin of 3 %, however significant");
    gives(tonight(slow), REGRESSION_SUSPECT, "8 % slower asks for a rerun");
    gives(tonight(quick), REGRESSION_FASTER, "times that are faster are no alarm");
    struct regression_input in = tonight(slow);
    in.noise = 0.03;
    gives(in, REGRESSION_NONE, "8 % slower is inside three times a noise floor of 3 %");
    in = tonight(slow);
    in.nfresh = 6;
    gives(in, REGRESSION_TOO_FEW, "6 times of either side are too few to judge");
    in = tonight(slow);
    in.same_binary = true;
    gives(in, REGRESSION_MACHINE_CHANGED, "where the same binary is slower, the machine changed");
    in.fresh = quick;
    gives(in, REGRESSION_MACHINE_CHANGED, "where the same binary is faster, the machine changed");
    in.can_rerun = true;
    gives(in, REGRESSION_SUSPECT, "where the same binary can be run again, that is asked for first");
    in.fresh = slow, in.old_again = same, in.new_again = slow, in.npairs = 10;
    gives(in, REGRESSION_NOT_CONFIRMED, "a rerun of one binary against itself confirms nothing");
    in = tonight(slow);
    in.old_again = same, in.new_again = slow, in.npairs = 10;
    gives(in, REGRESSION_CONFIRMED, "a rerun that shows the slowdown again confirms it");
    is_near(regression_of(&in).again, 1.08 / 1.0001, 1e-12, "the confirmed slowdown is the rerun's ratio");
    in.new_again = slight;
    gives(in, REGRESSION_NOT_CONFIRMED, "a rerun that does not show the slowdown does not confirm it");
    in.npairs = 6;
    gives(in, REGRESSION_SUSPECT, "6 pairs are not enough for a rerun");
    for (int i = 0; i < 10; i++)
        wide[i] = i % 2 ? 1.5 : 0.8;
    in = tonight(slow);
    in.old_again = same, in.new_again = wide, in.npairs = 10;
    gives(in, REGRESSION_NOT_CONFIRMED, "a rerun too noisy to say does not confirm the slowdown");
    in = tonight(slow);
    in.noise = NAN;
    is_near(regression_of(&in).margin, 0.03, 1e-15, "without a noise floor the margin is 3 %%");
}

/* 5 % noise, no change: nights that ask for a rerun are rarer than 2 in 1000, confirmed ones rarer still. */
static void test_wolf(void)
{
    enum { NIGHTS = 3000 };
    int suspects = 0, found = 0;
    for (int night = 0; night < NIGHTS; night++) {
        struct rng rng;
        double old[14], fresh[7];
        rng_seed(&rng, 600 + (uint64_t)night);
        random_data_ratios(&rng, 0, 0.05, old, 14);
        random_data_ratios(&rng, 0, 0.05, fresh, 7);
        struct regression_input in = {.window = old, .nwindow = 14, .fresh = fresh, .nfresh = 7, .noise = 0.01};
        suspects += regression_of(&in).kind == REGRESSION_SUSPECT;
        for (int i = 0; i < 7; i++)
            fresh[i] *= 1.2;
        found += regression_of(&in).kind == REGRESSION_SUSPECT;
    }
    ok(suspects <= 8, "few quiet nights are suspected (%d of %d)", suspects, NIGHTS);
    ok(found > 0.95 * NIGHTS, "20 %% slower among noisy times is noticed (%d of %d)", found, NIGHTS);
}

int main(void)
{
    test_rules();
    test_wolf();
    return done_testing();
}
