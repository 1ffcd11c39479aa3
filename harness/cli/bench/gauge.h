/* SPDX-License-Identifier: Apache-2.0 */
/* gauge: the numbers of `raingauge bench`, and what the bench_*.c files that take them share. A gauge repeats its
 * measurement and keeps every reading; the number is their median and the spread stands beside it. */
#pragma once
#include "harness/base/process.h"
#include "harness/cli/cli.h"
#include "harness/measure/measure.h"
#include "harness/tune/plan.h"

enum { READINGS_MAX = 256, READINGS = 2 };
struct reading { /* what a gauge gave */
    int n;
    double at[READINGS_MAX];
    const char *about;        /* what was measured, one line; in the arena of the bench */
    double number;            /* 0, or the number itself where it is not the median */
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
};

void reading_add(struct reading *r, double v); /* beyond READINGS_MAX they are dropped */
/* One kernel beside another program's. The reading is theirs over ours, above 1 where ours is faster; the number is
 * the geometric mean. */
void reading_pair(struct bench_env *b, struct reading *r, const char *kernel, double ours_ms, double theirs_ms);
double reading_number(const struct reading *r); /* NaN without readings */
/* n readings of what pass gives, after some that are not kept and warm caches. */
MUST_CHECK bool reading_repeat(struct reading *r, int warm, int n, bool (*pass)(void *, double *, struct err *),
                               void *self, struct err *err);
/* "    HEAD a 1.2 ms, b 3 ms": for reading.lines, of n values with names; those that are 0 are left out. */
const char *gauge_parts(struct bench_env *b, const char *head, const char *unit, int n, const double *values,
                        const char *(*name)(int));

/* The conv2d kernels of resnet18, in the network's order. */
MUST_CHECK bool gauge_kernels(struct bench_env *b, const struct task ***out, int *n, struct err *err);
struct gauge_draws { /* random programs of Ansor's space that the limits allow: `each` for each kernel */
    const struct task *const *kernels; /* NULL: the conv2d kernels of resnet18 */
    int nkernels, each;
    uint64_t seed;
    struct limits limits;
    struct candidate *c; /* out: n of them, steps only, kernel by kernel, in the bench's arena */
    int n;
};
MUST_CHECK bool gauge_draw(struct bench_env *b, struct gauge_draws *d, struct err *err);
/* What a measurer is opened with, on all threads; cpu has the settings of the command line. */
MUST_CHECK bool gauge_measure(struct bench_env *b, const char *target, const char *regime, struct measure_options *out,
                              struct err *err);
/* Default options of a plug-in, and room for its state, in the bench's arena. */
void *gauge_options(struct bench_env *b, const struct setting *table, size_t size);
/* Starts this program with these n words and this bench's experiments. What it prints is dropped, its errors too unless
 * they are to be shown. */
MUST_CHECK bool gauge_spawn(struct bench_env *b, const char *const *words, int n, bool tell_errors, struct process *out,
                            struct err *err);
MUST_CHECK bool gauge_peak_mib(pid_t pid, double *out, struct err *err); /* of resident memory so far, by Linux */
/* An empty folder for records; remove it with all that is in it. */
MUST_CHECK bool gauge_folder(struct bench_env *b, const char **out, struct err *err);
void gauge_folder_remove(struct bench_env *b, const char *folder);
