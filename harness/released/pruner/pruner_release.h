/* SPDX-License-Identifier: Apache-2.0 */
/* pruner_release: what is public of the results of arXiv 2402.02361 (ASPLOS 2025), in memory: bars and curve ends of
 * the repository's pictures as numbers, the numbers that the paper prints, and the one run whose curves ship. The last,
 * the estimated latency of ResNet-50 while it was searched on an A100 of 40 GB in January 2024, five methods, a row
 * after every ten trials, is not of the runs of the paper. It may be the authors' own files (scripts/res/resnet_50-A100
 * of qiaolian9/Pruner) or tables with a head line. */
#pragma once
#include "harness/released/tsv_table.h"

enum pruner_platform { PRUNER_A100, PRUNER_ORIN, PRUNER_TITANV, PRUNER_PLATFORMS };
enum pruner_method {
    PRUNER_ANSOR, /* with the MLP trained while searching, 10 measurements a round: not upstream Ansor */
    PRUNER_PRUNER,
    PRUNER_MOA,
    PRUNER_TENSETMLP, /* offline: trained before and not while searching, as the two below */
    PRUNER_TLP,
    PRUNER_OFFLINE,
    PRUNER_METHODS
};
enum { PRUNER_NETWORKS = 10 };
extern const char *const pruner_platforms[PRUNER_PLATFORMS], *const pruner_methods[PRUNER_METHODS],
                                                                 *const pruner_networks[PRUNER_NETWORKS];

enum pruner_parity {
    PRUNER_WHOLE_RUN,
    PRUNER_TO_PARITY,
    PRUNER_PARITIES
}; /* of the baseline; until the method is as good as its end */
enum pruner_origin {
    PRUNER_DIGITISED,
    PRUNER_PRINTED,
    PRUNER_ORIGINS
}; /* read from a curve's end; in a table of the paper */
struct pruner_printed { /* a number of the paper */
    const char *table, *row, *column;
    double value;
};
struct pruner_point {
    double seconds, ms; /* ms: NAN until every task has a valid program */
    int trials;
};
struct pruner_curve {
    struct pruner_point *at;
    int n;
    double measured_ms; /* end to end, by the run's best programs; NAN: not known */
};
struct pruner_release { /* NAN: not there, or the authors left the entry out */
    double bar_s[PRUNER_PARITIES][PRUNER_PLATFORMS][PRUNER_METHODS][PRUNER_METHODS]
                [PRUNER_NETWORKS];                                                        /* [baseline][method] */
    double latency_ms[PRUNER_ORIGINS][PRUNER_PLATFORMS][PRUNER_METHODS][PRUNER_NETWORKS]; /* after 2,000 trials */
    int bars, latencies;                                                                  /* rows */
    VEC(struct pruner_printed) printed;
    struct pruner_curve curves[PRUNER_METHODS]; /* n 0: not there */
    int files;
    bool authors; /* the curves are the authors' own files */
    struct tsv_problems *problems;
};
/* Reads the tables that are in dir: search_time.tsv, final_latency.tsv, published.tsv; and the curves:
 * resnet50_a100/METHOD.tsv, or the authors' total_latency.tsv. A curve with a damaged row is left out: what comes after
 * it cannot be trusted. False: dir cannot be listed, or holds none of the files (then *none is set and err is not). In
 * a. */
MUST_CHECK bool pruner_release_open(struct arena *a, const char *dir, struct pruner_release **out, bool *none,
                                    struct err *err);
/* A number of the paper, NAN where the file has it not. */
double pruner_printed(const struct pruner_release *r, const char *table, const char *row, const char *column);
/* The first point that is as fast as ms; NULL: none is. */
const struct pruner_point *pruner_curve_reach(const struct pruner_curve *c, double ms);
const struct pruner_point *pruner_curve_end(const struct pruner_curve *c);            /* NULL: no curve */
const struct pruner_point *pruner_curve_at(const struct pruner_curve *c, int trials); /* NULL: no such row */
double pruner_curve_round_s(const struct pruner_curve *c); /* seconds of a round once every task has a program */
