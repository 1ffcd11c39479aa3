/* SPDX-License-Identifier: Apache-2.0 */
/* run_order: every order is a permutation, all permutations are equally likely, and the seed alone decides. */
#include "harness/stats/run_order.h"
#include "tests/lib/chi_square_test.h"
#include "tests/lib/tap.h"

#include <string.h>

int main(void)
{
    enum { ORDERS = 6000, ARMS = 3 };
    bool whole = true;
    int64_t orders[27] = {0};
    int order[ARMS], again[ARMS], changed = 0;
    for (uint64_t seed = 0; seed < ORDERS; seed++) {
        int seen = 0, code = 0;
        run_order_of(ARMS, seed, order);
        run_order_of(ARMS, seed, again);
        changed += memcmp(order, again, sizeof order) != 0;
        for (int i = 0; i < ARMS; i++) {
            seen |= 1 << order[i];
            code = 3 * code + order[i];
        }
        whole = whole && seen == 7;
        orders[code]++;
    }
    ok(whole, "every order holds every arm once");
    is_int(changed, 0, "the same seed gives the same order");
    double shares[27] = {0};
    static const int SIX[] = {5, 7, 11, 15, 19, 21}; /* 012 021 102 120 201 210 in base 3 */
    for (int i = 0; i < 6; i++)
        shares[SIX[i]] = 1;
    struct chi_square_test g = chi_square_test(orders, shares, 27);
    ok(g.p > 0.001, "all orders of the arms are equally likely (p %.3f)", g.p);
    run_order_of(1, 7, again);
    is_int(again[0], 0, "a single arm has its one place in the order");
    return done_testing();
}
