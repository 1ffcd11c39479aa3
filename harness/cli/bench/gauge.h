/* SPDX-License-Identifier: Apache-2.0 */
/* gauge: the numbers of `raingauge bench`, and what the bench_*.c files that take them share. A gauge repeats its
 * measurement and keeps every reading; the number is their median and the spread stands beside it. */
#pragma once
#include "harness/base/process.h"
#include "harness/cli/cli.h"
#include "harness/measure/regime.h"
#include "harness/plug/candidate.h"
#include "harness/program/schedule/limits.h"
#include "harness/tune/plan.h"

enum { READINGS_MAX = 256 };
struct pair { /* one kernel beside another program's */
    const char *kernel;
    double ours_ms, theirs_ms;
};
struct reading { /* what a gauge gave */
    int n;
    double at[READINGS_MAX];
    const char *about; /* what was measured, one line; in the arena of the bench */
    /* NULL, or n of them: at[i] is theirs over ours, above 1 where ours is faster, and the number is the geometric mean
     * instead of the median. */
    struct pair *pairs;
    bool geometric;           /* the number is the geometric mean, without pairs too */
    double number;            /* 0, or the number itself where it is neither median nor geometric mean */
    const char *lines;        /* more for people, whole lines; NULL none */
    const char *details_name; /* more for scripts: a member of the number's JSON and its value; NULL none */
    cJSON *details;
};
struct bench_env {
    struct cli *cli;
    struct arena *arena;
    const char *target_settings; /* of target cpu: "codegen=tvm", or "" */
    int64_t trials;              /* of a search; 0: what the number asks for */
    int64_t runs, mirrors;       /* of the numbers about duels: re-timings, and duel_rules' mirrors; 0: the default */
    double minutes;              /* of one of these re-timings, at most; 0: the default */
    const char *kernel;          /* NULL, or part of the names of the kernels wanted, where a number is of several */
    int cores;                   /* online */
    struct tvm_comparison *tvm;  /* the searches of bench_rivals; NULL: not yet run */
    struct reading *report_s, *report_mib; /* of bench_report; NULL: not yet taken */
    struct reading *fit;                   /* fit_s comes with round_s; NULL: not yet taken */
    struct reading *trial[2]; /* trial_s comes with build_ms, and again under codegen=tvm; NULL: not yet taken */
};
struct gauge {
    const char *name, *unit, *summary;
    bool (*take)(struct bench_env *b, struct reading *out, struct err *err);
    const char *family; /* another name for --only, which some share; NULL none */
};

void reading_add(struct reading *r, double v); /* beyond READINGS_MAX they are dropped */
void reading_pair(struct bench_env *b, struct reading *r, struct pair p);
double reading_number(const struct reading *r); /* NaN without readings */
/* The conv2d kernels of resnet18, in the network's order. */
MUST_CHECK bool gauge_kernels(struct bench_env *b, const struct task ***out, int *n, struct err *err);
struct gauge_draws { /* random programs of Ansor's space that the limits allow: `each` for each kernel */
    const struct task *const *kernels;
    int nkernels, each;
    uint64_t seed;
    struct limits limits;
};
/* nkernels * each of them, steps only, kernel by kernel, in the bench's arena. */
MUST_CHECK bool gauge_candidates(struct bench_env *b, const struct gauge_draws *d, struct candidate **out,
                                 struct err *err);
/* Default options of a plug-in, and room for its state, in the bench's arena. */
void *gauge_options(struct bench_env *b, const struct setting *table, size_t size);
/* Starts this program with these n words and this bench's experiments. What it prints is dropped, its errors too unless
 * they are to be told. */
MUST_CHECK bool gauge_spawn(struct bench_env *b, const char *const *words, int n, bool tell_errors, struct process *out,
                            struct err *err);
/* An empty folder for records; remove it with all that is in it. */
MUST_CHECK bool gauge_folder(struct bench_env *b, const char **out, struct err *err);
void gauge_folder_remove(struct bench_env *b, const char *folder);
/* A campaign of one cell, which has its network, seed, tasks and trials: Ansor with model xgb in TVM's batches. Target,
 * threads and regimes are the caller's. */
struct plan gauge_plan(struct bench_env *b, const char *folder, struct cell_plan cell);
