/* SPDX-License-Identifier: Apache-2.0 */
/* dataset: TVM's labels: least cost of the task so far over own cost, made anew when asked; failures
 * cost 1e10 seconds; tasks do not mix. And the one deviation: a task that only failed. */
#include "models/dataset.h"

#include "tests/lib/tap.h"

#include <math.h>

static void add(struct dataset *d, uint64_t task, int rows, double cost)
{
    static float at[4 * FEATURE_WIDTH];
    for (int row = 0; row < rows; row++)
        for (int i = 0; i < FEATURE_WIDTH; i++)
            at[row * FEATURE_WIDTH + i] = (float)(dataset_programs(d) * 1000 + row);
    dataset_add(d, task, at, rows, cost);
}

int main(void)
{
    struct dataset d = {0};
    add(&d, 7, 3, 2);
    add(&d, 7, 1, 8);
    add(&d, 9, 2, 100);
    struct packs p = dataset_label(&d);
    is_int(p.n, 3, "three programs");
    is_int(dataset_rows(&d), 6, "of six rows");
    ok(p.first[0] == 0 && p.first[1] == 3 && p.first[2] == 4 && p.first[3] == 6, "each with its own");
    ok(d.rows.at[4 * FEATURE_WIDTH] == 2000 && d.rows.at[5 * FEATURE_WIDTH] == 2001, "in the order told");
    is_near(p.label[0], 1, 0, "the best has label 1");
    is_near(p.label[1], 0.25, 1e-7, "four times as slow: 1/4");
    is_near(p.label[2], 1, 0, "another task's best has 1, too");
    add(&d, 7, 1, 0.5);
    add(&d, 9, 1, DATASET_FAILED);
    add(&d, 9, 1, NAN);
    p = dataset_label(&d);
    is_near(p.label[0], 0.25, 1e-7, "a better program lowers the labels of the older ones");
    is_near(p.label[1], 0.0625, 1e-7, "all of them");
    is_near(p.label[2], 1, 0, "of its task only");
    is_near(p.label[3], 1, 0, "and is the new best");
    ok(p.label[4] > 0 && p.label[4] < 1e-7f, "a failure's label is next to 0: %.1e", (double)p.label[4]);
    ok(p.label[5] == p.label[4], "a mean that is no number is a failure");
    add(&d, 11, 1, INFINITY);
    p = dataset_label(&d);
    ok(p.label[6] == 0, "a task that only failed: label 0 (TVM: 1)");
    dataset_free(&d);
    return done_testing();
}
