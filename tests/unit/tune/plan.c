/* SPDX-License-Identifier: Apache-2.0 */
/* plan_order: every cell once, none before the cell that seeds it, blocks in the plan's order, arms in any. */
#include "harness/tune/plan.h"
#include "tests/lib/chi_square_test.h"
#include "tests/lib/tap.h"

/* Two seeds of one network, one of another; an explorer, two that it seeds, and one that stands alone. */
enum { ARMS = 4, BLOCKS = 3, CELLS = ARMS * BLOCKS, PLANS = 4000 };

static void fill(struct cell_plan cells[CELLS])
{
    for (int i = 0; i < CELLS; i++) {
        int block = i / ARMS, arm = i % ARMS;
        cells[i] = (struct cell_plan){.network = block == 1 ? "two" : "one",
                                      .arm = (const char *[]){"explore", "a", "b", "alone"}[arm],
                                      .seed = 1 + block / 2,
                                      .explore_cell = arm == 1 || arm == 2 ? block * ARMS : -1};
    }
}

int main(void)
{
    struct cell_plan cells[CELLS];
    fill(cells);
    bool once = true, seeded = true, blocked = true;
    int64_t first[2] = {0}, alone[ARMS] = {0};
    for (int s = 0; s < PLANS; s++) {
        struct plan p = {.cells = cells, .ncells = CELLS, .input_seed = (uint64_t)s * 1000};
        int order[CELLS], at[CELLS];
        for (int i = 0; i < CELLS; i++)
            at[i] = -1;
        plan_order(&p, order);
        for (int i = 0; i < CELLS; i++) {
            once = once && order[i] >= 0 && order[i] < CELLS && at[order[i]] < 0;
            blocked = blocked && order[i] / ARMS == i / ARMS;
            at[order[i]] = i;
        }
        for (int i = 0; i < CELLS; i++)
            seeded = seeded && (cells[i].explore_cell < 0 || at[cells[i].explore_cell] < at[i]);
        first[at[1] > at[2]]++;
        alone[at[3]]++;
    }
    ok(once, "the order has every cell once");
    ok(seeded, "no cell comes before the cell that seeds it");
    ok(blocked, "the arms of a network and seed stand together, the blocks in the plan's order");
    double p = chi_square_test(first, (const double[]){1, 1}, 2).p;
    ok(p > 0.001, "of two arms either comes first (p %.3f)", p);
    for (int i = 0; i < ARMS; i++)
        ok(alone[i] > PLANS / 20, "an arm that needs no other may come at place %d (%d of %d)", i, (int)alone[i],
           PLANS);
    return done_testing();
}
