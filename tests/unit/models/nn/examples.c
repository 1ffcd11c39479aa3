/* SPDX-License-Identifier: Apache-2.0 */
/* examples: TVM's labels: least cost of the task so far over own cost, made anew when asked; failures
 * cost 1e10 seconds; tasks do not mix. And the one deviation: a task that only failed. */
#include "models/nn/examples.h"

#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

#include <math.h>

enum { WIDTH = 164 };

static void add(struct examples *e, uint64_t task, int rows, double cost)
{
    static float at[4 * WIDTH];
    for (int row = 0; row < rows; row++)
        for (int i = 0; i < WIDTH; i++)
            at[row * WIDTH + i] = (float)(e->cost.n * 1000 + row);
    struct err err = {0};
    fixture_must(examples_add(e, task, &(struct example_inputs){.in = {{rows, at}}}, cost, &err), &err);
}

int main(void)
{
    struct examples d;
    examples_open(&d, 1, (int[]){WIDTH});
    add(&d, 7, 3, 2);
    add(&d, 7, 1, 8);
    add(&d, 9, 2, 100);
    examples_label(&d);
    examples_unload(&d);
    const int *first = d.in[0].first.at;
    is_int(d.cost.n, 3, "examples count their three programs");
    is_int(d.in[0].rows.n, 6 * WIDTH, "examples hold their six rows");
    ok(first[0] == 0 && first[1] == 3 && first[2] == 4 && first[3] == 6, "each example has its own rows");
    ok(d.in[0].rows.at[4 * WIDTH] == 2000 && d.in[0].rows.at[5 * WIDTH] == 2001,
       "the rows of examples stand in the order of the tells");
    is_near(d.label.at[0], 1, 0, "the best program of a task has label 1");
    is_near(d.label.at[1], 0.25, 1e-7, "a program four times as slow as the best has label 1/4");
    is_near(d.label.at[2], 1, 0, "the best program of another task has label 1, too");
    add(&d, 7, 1, 0.5);
    add(&d, 9, 1, EXAMPLE_FAILED);
    add(&d, 9, 1, NAN);
    examples_label(&d);
    is_near(d.label.at[0], 0.25, 1e-7, "a better program lowers the labels of the older ones");
    is_near(d.label.at[1], 0.0625, 1e-7, "a better program lowers the labels of all older ones");
    is_near(d.label.at[2], 1, 0, "a better program leaves the labels of other tasks alone");
    is_near(d.label.at[3], 1, 0, "a better program has label 1");
    ok(d.label.at[4] > 0 && d.label.at[4] < 1e-7f, "the label of a failure is next to 0: %.1e", (double)d.label.at[4]);
    ok(d.label.at[5] == d.label.at[4], "a mean that is no number counts as a failure");
    add(&d, 11, 1, INFINITY);
    examples_label(&d);
    ok(d.label.at[6] == 0, "a task that only failed has label 0 (TVM: 1)");
    for (int i = 0; i < 1500; i++) /* beyond the first MiB of the file */
        add(&d, 11, 1, 1);
    bool same = true;
    for (int i = 7; i < d.cost.n; i++)
        same = same && d.in[0].rows.at[d.in[0].first.at[i] * WIDTH] == (float)(i * 1000);
    ok(same && d.in[0].rows.at[4 * WIDTH] == 2000, "rows stay as they are when their file grows");
    examples_free(&d);
    return done_testing();
}
