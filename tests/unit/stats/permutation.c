/* SPDX-License-Identifier: Apache-2.0 */
/* permute: Fisher's own example (The Design of Experiments, section 21: Darwin's maize, 863 of 32,768 patterns in one
 * tail), scipy's mannwhitneyu, the least p of few values, Holm by statsmodels; and size and family error by
 * simulation. */
#include "harness/stats/permutation.h"
#include "tests/lib/random_data.h"
#include "tests/lib/tap.h"

#include <math.h>

static const double MAIZE[15] = {49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48};

static void test_signs(void)
{
    struct permutation t = permutation_signs(MAIZE, 15, 0, 0);
    ok(t.exact, "the sign patterns of 15 pairs are enumerated");
    is_near(t.p, 2 * 863. / 32768, 1e-15, "Darwin's maize has 863 patterns in each tail, as Fisher counted");
    is_near(t.least, 2 / 32768., 1e-15, "the least p of 15 pairs is 2 of 32768");
    static const double UP[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    is_near(permutation_signs(UP, 5, 0, 0).p, 0.0625, 1e-15, "5 pairs cannot reach p 0.05");
    is_near(permutation_signs(UP, 6, 0, 0).p, 0.03125, 1e-15, "6 pairs can reach p 0.05");
    is_near(permutation_signs(UP, 10, 0, 0).p, 0.001953125, 1e-15, "10 pairs can reach p 0.002");
    static const double NONE[] = {0, 0, 0};
    is_near(permutation_signs(NONE, 3, 0, 0).p, 1, 0, "pairs without a difference have p 1");
    ok(isnan(permutation_signs(NONE, 0, 0, 0).p), "no pairs have no p");
    is_near(permutation_signs(UP, 1, 0, 0).p, 1, 0, "one pair has p 1");
}

static void test_drawn(void)
{
    double many[45];
    for (int i = 0; i < 45; i++)
        many[i] = MAIZE[i % 15];
    struct permutation t = permutation_signs(many, 45, PERMUTATION_DRAWS, PERMUTATION_SEED);
    ok(!t.exact, "the sign patterns of 45 pairs are sampled");
    /* The exact share by adding up all 2^45 patterns' sums, in Python. */
    is_near(t.p, 0.0005579375614388482, 4 * sqrt(1 / (0.000558 * PERMUTATION_DRAWS)),
            "the sampled p of 45 pairs is near the exact one");
    ok(permutation_signs(many, 45, PERMUTATION_DRAWS, PERMUTATION_SEED).p == t.p,
       "the same seed gives the same sampled p");
    double far[30];
    for (int i = 0; i < 30; i++)
        far[i] = 1;
    is_near(permutation_signs(far, 30, 999, 1).p, 0.001, 1e-12, "a sampled p is never 0: the least is 1 of draws + 1");
}

static void test_ranks(void)
{
    static const double MALES[] = {19, 22, 16, 29, 24}, FEMALES[] = {20, 11, 17, 12};
    is_near(permutation_ranks(MALES, 5, FEMALES, 4), 1 / 9., 1e-14,
            "the rank test of the ages in scipy's manual gives its p, 0.1111");
    static const double A[] = {1, 2, 2, 3, 5}, B[] = {2, 3, 4, 4, 6, 6};
    is_near(permutation_ranks(A, 5, B, 6), 60. / 462, 1e-14,
            "the rank test with ties equals all 462 choices counted by hand");
    static const double C[] = {1, 1, 1, 2}, D[] = {1, 2, 2, 2, 3};
    is_near(permutation_ranks(C, 4, D, 5), 22. / 126, 1e-14,
            "the rank test with many ties equals all 126 choices counted by hand");
    static const double LOW[] = {1, 2, 3, 4, 5, 6, 7}, HIGH[] = {11, 12, 13, 14, 15, 16, 17};
    is_near(permutation_ranks(LOW, 4, HIGH, 4), 2 / 70., 1e-14, "the least p of 4 against 4 values is 0.029");
    is_near(permutation_ranks(LOW, 6, HIGH, 6), 2 / 924., 1e-14, "the least p of 6 against 6 values is 0.0022");
    is_near(permutation_ranks(HIGH, 7, LOW, 7), 2 / 3432., 1e-14, "the least p of 7 against 7 values is 0.0006");
    double a[150], b[120];
    for (int i = 0; i < 150; i++)
        a[i] = i;
    for (int i = 0; i < 120; i++)
        b[i] = floor(1.3 * i + i % 7);
    is_near(permutation_ranks(a, 150, b, 120), 0.3347332287043725, 1e-10,
            "many values get scipy's asymptotic p with ties");
    ok(isnan(permutation_ranks(a, 0, b, 3)), "an empty sample has no p");
    static const double SAME[] = {3, 3, 3};
    is_near(permutation_ranks(SAME, 3, SAME, 3), 1, 0, "equal values have p 1");
}

static void test_holm(void)
{
    static const double P[] = {0.01, 0.04, NAN, 0.03, 0.005}, WANT[] = {0.03, 0.06, NAN, 0.06, 0.02};
    double got[15];
    permutation_holm(P, 5, got);
    for (int i = 0; i < 5; i++)
        is_near(got[i], WANT[i], 1e-14, "Holm's correction of %g is that of statsmodels", P[i]);
    /* The 15 p values of Benjamini and Hochberg (1995), section 3.2; statsmodels multipletests(method="holm"). */
    static const double BH[15] = {0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
                                  0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0};
    static const double ADJUSTED[15] = {0.0015, 0.0056, 0.0247, 0.114, 0.2211, 0.278, 0.278, 0.278,
                                        0.3213, 1,      1,      1,     1,      1,     1};
    permutation_holm(BH, 15, got);
    bool same = true;
    for (int i = 0; i < 15; i++)
        same = same && fabs(got[i] - ADJUSTED[i]) < 1e-12;
    ok(same, "Holm's correction of the 15 p values of Benjamini and Hochberg is right");
}

static void test_size(void)
{
    enum { RUNS = 4000, N = 10 };
    int rejected = 0, drawn = 0;
    for (int run = 0; run < RUNS; run++) {
        struct rng rng;
        double v[25];
        rng_seed(&rng, 500000 + (uint64_t)run);
        for (int i = 0; i < 25; i++)
            v[i] = pow(random_data_normal(&rng), 3); /* symmetric, heavy tails: the test does not mind */
        rejected += permutation_signs(v, N, 0, 0).p <= 0.05;
        if (run < 1000)
            drawn += permutation_signs(v, 25, 199, (uint64_t)run).p <= 0.05;
    }
    ok(random_data_agrees(rejected, RUNS, 51 / 1024., 0), "the exact test of 10 pairs rejects equals in 5 %% of runs");
    ok(random_data_agrees(drawn, 1000, 0.05, 0), "the drawn test of 25 pairs rejects equals in 5 %% of runs");
}

/* 20 networks of which none differs: at least one false alarm in at most 5 of 100 campaigns; without Holm in 64. */
static void test_family(void)
{
    enum { RUNS = 1500, NETWORKS = 20, N = 12 };
    int alarms = 0, naive = 0;
    for (int run = 0; run < RUNS; run++) {
        struct rng rng;
        double p[NETWORKS], adjusted[NETWORKS];
        bool alarm = false, plain = false;
        rng_seed(&rng, 900000 + (uint64_t)run);
        for (int k = 0; k < NETWORKS; k++) {
            double v[N];
            for (int i = 0; i < N; i++)
                v[i] = random_data_normal(&rng);
            p[k] = permutation_signs(v, N, 0, 0).p;
        }
        permutation_holm(p, NETWORKS, adjusted);
        for (int k = 0; k < NETWORKS; k++)
            alarm = alarm || adjusted[k] <= 0.05, plain = plain || p[k] <= 0.05;
        alarms += alarm;
        naive += plain;
    }
    /* p moves in steps of 1/2048: the largest step below 0.05/20 is 5/2048. */
    ok(random_data_agrees(alarms, RUNS, 1 - pow(1 - 5 / 2048., NETWORKS), 0),
       "with Holm's correction the error of a family of networks is 5 %%");
    ok(random_data_agrees(naive, RUNS, 1 - pow(1 - 102 / 2048., NETWORKS), 0),
       "without Holm's correction the error of a family of networks is 64 %%");
}

int main(void)
{
    test_signs();
    test_drawn();
    test_ranks();
    test_holm();
    test_size();
    test_family();
    return done_testing();
}
