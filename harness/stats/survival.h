/* SPDX-License-Identifier: Apache-2.0 */
/* survival: time to target when some runs never get there. A run that stops at its budget says "longer than this", and
 * is neither dropped nor counted as if it had arrived. Kaplan and Meier (1958), Greenwood's variance,
 * the log-rank test (Mantel 1966), and COCO's expected running time. */
#pragma once
#include <stdbool.h>

struct survival_run {
    double time;  /* until the target, or until the run was stopped; >= 0 */
    bool reached; /* false: right-censored at `time` */
};

struct survival_step {
    double time;
    int at_risk, events; /* runs not yet arrived or stopped just before; arrivals at this time */
    double share;        /* still under way after it, S(t) */
    double error;        /* Greenwood's standard error of S(t) */
};

struct survival {
    int n, reached;
    double share;     /* reached / n */
    double median;    /* the least t with S(t) <= 1/2; INFINITY when it is never that small */
    double low, high; /* its 95 % interval, Brookmeyer and Crowley (1982) on the log-log scale; high may be INFINITY */
    double mean, mean_error; /* of the time restricted to the horizon: area under S up to it, and its standard error */
    double horizon;
    double expected; /* COCO's expected running time: total time spent / arrivals; INFINITY without any */
    bool settled; /* share >= 1/2: median and mean may be told, else only the share (harness/doc/measurement.md, "Time
                     to target") */
};

/* The curve: at most n steps into `steps` (one for each distinct arrival time), returns how many. */
int survival_curve(const struct survival_run *runs, int n, struct survival_step *steps);
/* horizon: the common budget; <= 0: the longest time. NaN everywhere for n = 0. */
struct survival survival_of(const struct survival_run *runs, int n, double horizon);

struct logrank {
    double chi2, p;                /* one degree of freedom; p NaN without an arrival */
    double observed_a, expected_a; /* arrivals of a, and how many a would have if both were alike */
};
struct logrank survival_logrank(const struct survival_run *a, int na, const struct survival_run *b, int nb);
