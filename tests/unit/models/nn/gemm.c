/* SPDX-License-Identifier: Apache-2.0 */
/* gemm: both products against one written out with doubles, in all four forms, with gaps between rows. */
#include "models/nn/gemm.h"

#include "harness/base/rng.h"
#include "tests/lib/random_data.h"
#include "tests/lib/tap.h"

#include <math.h>

enum { GAP = 3, MOST = 90 * 90 };

static float at(const float *x, int ld, bool transposed, int row, int column)
{
    return transposed ? x[column * ld + row] : x[row * ld + column];
}

/* The largest difference from the truth, and whether what lies between the rows is untouched. */
static double worst(const struct gemm *g, const float *before)
{
    double most = 0;
    for (int i = 0; i < g->m; i++)
        for (int j = 0; j < g->ldc; j++) {
            double want = (double)before[i * g->ldc + j];
            if (j < g->n && !g->add)
                want = 0;
            for (int l = 0; j < g->n && l < g->k; l++)
                want += (double)at(g->a, g->lda, g->ta, i, l) * (double)at(g->b, g->ldb, g->tb, l, j);
            most = fmax(most, fabs(want - (double)g->c[i * g->ldc + j]));
        }
    return most;
}

static void test_form(int m, int n, int k, int form)
{
    static float a[MOST], b[MOST], c[MOST], before[MOST];
    bool ta = form & 1, tb = form & 2, add = form & 4;
    struct rng rng;
    rng_seed(&rng, (uint64_t)m * 10000 + (uint64_t)n * 100 + (uint64_t)k);
    for (int i = 0; i < MOST; i++) {
        a[i] = (float)random_data_normal(&rng);
        b[i] = (float)random_data_normal(&rng);
        before[i] = (float)random_data_normal(&rng);
    }
    struct gemm g = {m, n, k, ta, tb, add, a, b, c, (ta ? m : k) + GAP, (tb ? k : n) + GAP, n + GAP};
    void (*const both[])(const struct gemm *) = {gemm, gemm_plain};
    for (int i = 0; i < 2; i++) {
        for (int p = 0; p < MOST; p++)
            c[p] = before[p];
        both[i](&g);
        double off = worst(&g, before);
        ok(off < 1e-4, "%s: %d x %d x %d%s%s%s is the product (off by %.1e)", i ? "plain" : "used", m, n, k,
           ta ? ", A transposed" : "", tb ? ", B transposed" : "", add ? ", added" : "", off);
    }
}

int main(void)
{
    static const int sizes[][3] = {{1, 1, 1}, {8, 8, 32}, {7, 23, 5}, {64, 17, 80}, {3, 1, 77}, {5, 9, 0}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int form = 0; form < 8; form++)
            test_form(sizes[i][0], sizes[i][1], sizes[i][2], form);
    return done_testing();
}
