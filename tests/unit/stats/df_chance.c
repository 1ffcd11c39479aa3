/* SPDX-License-Identifier: Apache-2.0 */
/* df_chance: shares of runs that reach 15 degrees of freedom, against another program's simulation of the same design
 * (Python's random.gauss, 800 runs each), and those that harness/doc/measurement.md, "Power", prints. */
#include "harness/stats/df_chance.h"
#include "tests/lib/random_data.h"
#include "tests/lib/tap.h"

int main(void)
{
    static const struct {
        int rows, seeds;
        double spread, share;
    } known[] = {{16, 2, 0, 0.66},   {16, 3, 0, 0.99},   {16, 2, 0.6, 0.26}, {16, 3, 0.6, 0.66},
                 {16, 4, 0.6, 0.86}, {10, 5, 0.6, 0.80}, {5, 8, 0.6, 0.84},  {5, 4, 0.6, 0.16},
                 {8, 3, 0.6, 0.23},  {16, 2, 0.8, 0.15}, {1, 8, 0.6, 0}};
    for (int i = 0; i < (int)(sizeof known / sizeof *known); i++) {
        struct df_chance c = df_chance_of(known[i].rows, known[i].seeds, known[i].spread, 15);
        ok(random_data_agrees((int)(c.share * DF_CHANCE_DRAWS + 0.5), DF_CHANCE_DRAWS, known[i].share, 0.06),
           "%d networks with %d seeds and a spread of %g have 15 degrees of freedom in %.0f %% of runs", known[i].rows,
           known[i].seeds, known[i].spread, 100 * c.share);
        ok((c.likely >= 15) == (c.share >= DF_CHANCE_ENOUGH), "what four of five have, %.1f, agrees with that",
           c.likely);
    }
    is_near(df_chance_of(5, 1, 0.6, 15).likely, 0, 0, "one seed has none");
    is_near(df_chance_of(1, 16, 0.6, 15).share, 1, 0, "one network of 16 seeds has 15");
    return done_testing();
}
