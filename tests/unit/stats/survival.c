/* SPDX-License-Identifier: Apache-2.0 */
/* survival: the leukaemia remissions of Freireich et al. (1963), as in Gehan (1965) and every textbook since, against
 * what R's survival package prints (survfit: rmean 23.29 se 2.83 and 8.67 se 1.38, medians 23 and 8; survdiff: chi2 =
 * 16.8) and the digits of Python's lifelines and statsmodels. */
#include "harness/stats/survival.h"
#include "tests/lib/random_data.h"
#include "tests/lib/tap.h"

#include <math.h>

static const struct survival_run DRUG[21] = {
    {6, true},   {6, true},   {6, true},   {6, false},  {7, true},   {9, false},  {10, true},
    {10, false}, {11, false}, {13, true},  {16, true},  {17, false}, {19, false}, {20, false},
    {22, true},  {23, true},  {25, false}, {32, false}, {32, false}, {34, false}, {35, false},
};
static const double PLACEBO_WEEKS[21] = {1, 1, 2, 2, 3, 4, 4, 5, 5, 8, 8, 8, 8, 11, 11, 12, 12, 15, 17, 22, 23};

static void placebo(struct survival_run *out)
{
    for (int i = 0; i < 21; i++)
        out[i] = (struct survival_run){PLACEBO_WEEKS[20 - i], true}; /* in any order */
}

static void test_curve(void)
{
    static const double WANT[7][5] = {
        {6, 21, 3, 0.857143, 0.076360},  {7, 17, 1, 0.806723, 0.086935},  {10, 15, 1, 0.752941, 0.096350},
        {13, 12, 1, 0.690196, 0.106815}, {16, 11, 1, 0.627451, 0.114054}, {22, 7, 1, 0.537815, 0.128234},
        {23, 6, 1, 0.448179, 0.134591},
    };
    struct survival_step s[21];
    is_int(survival_curve(DRUG, 21, s), 7, "the curve of the drug group has seven arrival times");
    for (int i = 0; i < 7; i++) {
        ok(s[i].time == WANT[i][0] && s[i].at_risk == (int)WANT[i][1] && s[i].events == (int)WANT[i][2],
           "the runs at risk and the events of week %g are right", WANT[i][0]);
        is_near(s[i].share, WANT[i][3], 1e-6, "the share still under way at a step is right");
        is_near(s[i].error, WANT[i][4], 1e-5, "Greenwood's error of a step is right");
    }
}

static void test_summaries(void)
{
    struct survival_run other[21];
    placebo(other);
    struct survival a = survival_of(DRUG, 21, 0), b = survival_of(other, 21, 35);
    is_int(a.reached, 9, "9 of the 21 patients on the drug relapsed");
    ok(!a.settled && b.settled, "a group of which less than a half arrived tells only its share");
    ok(a.median == 23 && b.median == 8, "the medians of the two groups are 23 and 8 weeks");
    ok(a.low == 13 && isinf(a.high), "the interval of the first median is 13 weeks to infinity");
    ok(b.low == 4 && b.high == 11, "the interval of the second median is 4 to 11 weeks");
    is_near(a.mean, 23.287394957983196, 1e-13, "the first group's mean restricted to 35 weeks is right");
    is_near(a.mean_error, 2.8274676233714393, 1e-13,
            "the standard error of the first group's restricted mean is right");
    is_near(b.mean, 8.666666666666668, 1e-13, "the second group's restricted mean is right");
    is_near(b.mean_error, 1.3773900412645488, 1e-13,
            "the standard error of the second group's restricted mean is right");
    is_near(survival_of(DRUG, 21, 20).mean, 16.116526610644257, 1e-13,
            "the first group's mean restricted to 20 weeks is right");
    is_near(survival_of(DRUG, 21, 20).mean_error, 1.2515601960050473, 1e-13,
            "the standard error of the mean restricted to 20 weeks is right");
    is_near(a.expected, 359. / 9, 1e-14, "COCO's expected running time is all weeks over the arrivals");
    struct logrank l = survival_logrank(DRUG, 21, other, 21);
    is_near(l.chi2, 16.792940989216532, 1e-12, "the log-rank statistic is R's");
    is_near(l.p, 4.1688091093394775e-05, 1e-9, "the p of the log-rank test is R's");
    is_near(l.observed_a, 9, 0, "the log-rank test counts 9 relapses on the drug");
    is_near(l.expected_a, 19.2505, 1e-4, "the log-rank test expects 19.3 relapses on the drug, as R prints it");
}

static void test_edges(void)
{
    static const struct survival_run NEVER[] = {{5, false}, {5, false}};
    struct survival s = survival_of(NEVER, 2, 5);
    ok(s.share == 0 && isinf(s.median) && isinf(s.expected) && s.mean == 5,
       "runs of which none arrived have an infinite median and the horizon as mean");
    ok(isnan(survival_of(NEVER, 0, 5).share), "no runs have no share");
    ok(isnan(survival_logrank(NEVER, 2, NEVER, 2).p), "two groups without arrivals have no p");
    static const struct survival_run ALL[] = {{1, true}, {3, true}};
    s = survival_of(ALL, 2, 10);
    ok(s.median == 1 && s.mean == 2 && s.expected == 2, "runs that all arrived have their plain median and means");
}

/* Exponential times with a budget that stops about 3 in 10: the estimates stay true, and dropping would not. */
static void test_censoring(void)
{
    enum { RUNS = 2000, N = 40 };
    double horizon = 1.2, truth = 1 - exp(-horizon), mean = 0, dropped = 0;
    int held = 0, alarms = 0, median = 0;
    for (int run = 0; run < RUNS; run++) {
        struct rng rng;
        struct survival_run v[N];
        double sum = 0;
        rng_seed(&rng, 31337 + (uint64_t)run);
        for (int i = 0; i < N; i++) {
            double t = -log(rng_unit(&rng) + 0x1p-54);
            v[i] = (struct survival_run){fmin(t, horizon), t <= horizon};
            sum += t <= horizon ? t : 0;
        }
        struct survival s = survival_of(v, N, horizon);
        mean += s.mean / RUNS;
        dropped += sum / s.reached / RUNS;
        held += fabs(s.mean - truth) <= 1.96 * s.mean_error;
        median += s.low <= M_LN2 && M_LN2 < s.high;
        alarms += survival_logrank(v, N / 2, v + N / 2, N / 2).p <= 0.05;
    }
    is_near(mean, truth, 0.005, "the restricted mean of censored runs is unbiased");
    ok(dropped < 0.75 * truth, "the mean of only those that arrived is far too small");
    ok(random_data_agrees(held, RUNS, 0.95, 0.015), "the interval of the restricted mean covers 95 %%");
    ok(random_data_agrees(median, RUNS, 0.95, 0.015), "the interval of the median covers 95 %%");
    ok(random_data_agrees(alarms, RUNS, 0.05, 0.01), "the log-rank test rejects equals in 5 %% of runs");
}

int main(void)
{
    test_curve();
    test_summaries();
    test_edges();
    test_censoring();
    return done_testing();
}
