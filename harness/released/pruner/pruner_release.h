/* SPDX-License-Identifier: Apache-2.0 */
/* pruner_release: what is public of the results of arXiv 2402.02361 (ASPLOS 2025), in memory: bars and curve ends of
 * the repository's pictures as numbers, the numbers that the paper prints, and the one run whose curves ship. The last
 * may be the authors' own files (scripts/res/resnet_50-A100 of qiaolian9/Pruner) or tables with a head line. */
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

struct pruner_bar { /* a bar of search time */
    int network, platform, baseline, method;
    bool whole_run; /* of the baseline; else until the method is as good as the baseline in the end */
    double seconds; /* NAN: the authors left the entry out */
};
struct pruner_latency { /* of a network after 2,000 trials */
    int network, platform, method;
    bool printed; /* in a table of the paper; else read from a curve's end */
    double ms;    /* NAN: the authors left the entry out, or drew no curve */
};
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
    double measured_ms; /* end to end, by the run's best programs; NAN: not told */
};
struct pruner_release {
    VEC(struct pruner_bar) bars;
    VEC(struct pruner_latency) latencies;
    VEC(struct pruner_printed) printed;
    struct pruner_curve curves[PRUNER_METHODS]; /* n 0: not there */
    int files;
    bool authors; /* the curves are the authors' own files */
    struct tsv_problems *problems;
};
/* A number of the paper, NAN where the file has it not. */
double pruner_printed(const struct pruner_release *r, const char *table, const char *row, const char *column);
