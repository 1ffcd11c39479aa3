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
    is_int(survival_curve(DRUG, 21, s), 7, "seven arrival times");
    for (int i = 0; i < 7; i++) {
        ok(s[i].time == WANT[i][0] && s[i].at_risk == (int)WANT[i][1] && s[i].events == (int)WANT[i][2],
           "week %g: at risk, events", WANT[i][0]);
        is_near(s[i].share, WANT[i][3], 1e-6, "its share");
        is_near(s[i].error, WANT[i][4], 1e-5, "Greenwood's error");
    }
}

static void test_summaries(void)
{
    struct survival_run other[21];
    placebo(other);
    struct survival a = survival_of(DRUG, 21, 0), b = survival_of(other, 21, 35);
    is_int(a.reached, 9, "9 of 21 relapsed");
    ok(!a.settled && b.settled, "below a half only the share is told");
    ok(a.median == 23 && b.median == 8, "medians 23 and 8");
    ok(a.low == 13 && isinf(a.high), "interval of the first, 13 to infinity");
    ok(b.low == 4 && b.high == 11, "interval of the second, 4 to 11");
    is_near(a.mean, 23.287394957983196, 1e-13, "restricted mean to 35 weeks");
    is_near(a.mean_error, 2.8274676233714393, 1e-13, "its standard error");
    is_near(b.mean, 8.666666666666668, 1e-13, "restricted mean of the other");
    is_near(b.mean_error, 1.3773900412645488, 1e-13, "its standard error");
    is_near(survival_of(DRUG, 21, 20).mean, 16.116526610644257, 1e-13, "to 20 weeks");
    is_near(survival_of(DRUG, 21, 20).mean_error, 1.2515601960050473, 1e-13, "its standard error");
    is_near(a.expected, 359. / 9, 1e-14, "COCO's expected running time: all weeks over arrivals");
    struct logrank l = survival_logrank(DRUG, 21, other, 21);
    is_near(l.chi2, 16.792940989216532, 1e-12, "log-rank chi2");
    is_near(l.p, 4.1688091093394775e-05, 1e-9, "its p");
    is_near(l.observed_a, 9, 0, "observed on the drug");
    is_near(l.expected_a, 19.2505, 1e-4, "expected, 19.3 as R prints it");
}

static void test_edges(void)
{
    static const struct survival_run NEVER[] = {{5, false}, {5, false}};
    struct survival s = survival_of(NEVER, 2, 5);
    ok(s.share == 0 && isinf(s.median) && isinf(s.expected) && s.mean == 5, "none arrived");
    ok(isnan(survival_of(NEVER, 0, 5).share), "no runs");
    ok(isnan(survival_logrank(NEVER, 2, NEVER, 2).p), "no arrivals, no p");
    static const struct survival_run ALL[] = {{1, true}, {3, true}};
    s = survival_of(ALL, 2, 10);
    ok(s.median == 1 && s.mean == 2 && s.expected == 2, "all arrived: plain means");
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
    is_near(mean, truth, 0.005, "the restricted mean is unbiased");
    ok(dropped < 0.75 * truth, "the mean of those that arrived is not");
    ok(random_data_agrees(held, RUNS, 0.95, 0.015), "its interval covers 95 %%");
    ok(random_data_agrees(median, RUNS, 0.95, 0.015), "the interval of the median covers 95 %%");
    ok(random_data_agrees(alarms, RUNS, 0.05, 0.01), "the log-rank test has its size");
}

int main(void)
{
    test_curve();
    test_summaries();
    test_edges();
    test_censoring();
    return done_testing();
}
