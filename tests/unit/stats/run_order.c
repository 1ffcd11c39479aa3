/* SPDX-License-Identifier: Apache-2.0 */
/* blocks: every block is a permutation, all permutations are equally likely, blocks do not depend on one another. */
#include "harness/stats/run_order.h"
#include "tests/lib/chi_square_test.h"
#include "tests/lib/tap.h"

#include <string.h>

int main(void)
{
    enum { BLOCKS = 6000, ARMS = 3 };
    static struct run_order_turn t[BLOCKS * ARMS], again[BLOCKS * ARMS];
    run_order_of(BLOCKS, ARMS, 42, t);
    bool whole = true;
    int64_t orders[27] = {0};
    for (int b = 0; b < BLOCKS; b++) {
        int seen = 0, code = 0;
        for (int i = 0; i < ARMS; i++) {
            const struct run_order_turn *turn = &t[b * ARMS + i];
            whole = whole && turn->block == b;
            seen |= 1 << turn->arm;
            code = 3 * code + turn->arm;
        }
        whole = whole && seen == 7;
        orders[code]++;
    }
    ok(whole, "every block holds every arm once, and blocks come in order");
    double shares[27] = {0};
    static const int SIX[] = {5, 7, 11, 15, 19, 21}; /* 012 021 102 120 201 210 in base 3 */
    for (int i = 0; i < 6; i++)
        shares[SIX[i]] = 1;
    struct chi_square_test g = chi_square_test(orders, shares, 27);
    ok(g.p > 0.001, "all orders of the arms are equally likely (p %.3f)", g.p);
    run_order_of(BLOCKS, ARMS, 42, again);
    is_mem(again, t, sizeof t, "the same seed gives the same run order");
    memset(again, 0, sizeof again);
    run_order_of(5, ARMS, 42, again);
    is_mem(again, t, sizeof *t * 5 * ARMS, "the order of fewer blocks is the beginning of the order of more");
    run_order_of(BLOCKS, ARMS, 43, again);
    ok(memcmp(again, t, sizeof t) != 0, "another seed gives another run order");
    run_order_of(1, 1, 7, again);
    ok(again[0].arm == 0 && again[0].block == 0, "a single arm has its one place in the order");
    return done_testing();
}
