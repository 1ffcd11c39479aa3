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
    is_int(p.n, 3, "a dataset counts its three programs");
    is_int(dataset_rows(&d), 6, "a dataset counts its six rows");
    ok(p.first[0] == 0 && p.first[1] == 3 && p.first[2] == 4 && p.first[3] == 6,
       "each program of a dataset has its own rows");
    ok(d.rows.at[4 * FEATURE_WIDTH] == 2000 && d.rows.at[5 * FEATURE_WIDTH] == 2001,
       "the rows of a dataset stand in the order of the tells");
    is_near(p.label[0], 1, 0, "the best program of a task has label 1");
    is_near(p.label[1], 0.25, 1e-7, "a program four times as slow as the best has label 1/4");
    is_near(p.label[2], 1, 0, "the best program of another task has label 1, too");
    add(&d, 7, 1, 0.5);
    add(&d, 9, 1, DATASET_FAILED);
    add(&d, 9, 1, NAN);
    p = dataset_label(&d);
    is_near(p.label[0], 0.25, 1e-7, "a better program lowers the labels of the older ones");
    is_near(p.label[1], 0.0625, 1e-7, "a better program lowers the labels of all older ones");
    is_near(p.label[2], 1, 0, "a better program leaves the labels of other tasks alone");
    is_near(p.label[3], 1, 0, "a better program has label 1");
    ok(p.label[4] > 0 && p.label[4] < 1e-7f, "the label of a failure is next to 0: %.1e", (double)p.label[4]);
    ok(p.label[5] == p.label[4], "a mean that is no number counts as a failure");
    add(&d, 11, 1, INFINITY);
    p = dataset_label(&d);
    ok(p.label[6] == 0, "a task that only failed has label 0 (TVM: 1)");
    dataset_free(&d);
    return done_testing();
}
