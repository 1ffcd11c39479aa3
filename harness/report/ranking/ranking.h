/* SPDX-License-Identifier: Apache-2.0 */
/* ranking: cost models, trained on one part of a recording or on another recording, rank programs. */
#pragma once
#include "harness/report/ranking/trained_model.h"

/* PROGRAMS: of each kernel a share is learned from, the rest is ranked. KERNELS: a kernel is ranked by a model that has
 * seen the share of every other kernel, and nothing of it. RECORDINGS: all is learned from another recording, but for
 * kernels that are in both, and this one is ranked. */
enum ranking_split { RANKING_PROGRAMS, RANKING_KERNELS, RANKING_RECORDINGS };
extern const char *const ranking_splits[]; /* "programs", "kernels", "recordings", NULL */
enum { RANKING_TOPS = 2 };                 /* Top-1 and Top-5 */
extern const int ranking_tops[RANKING_TOPS];

struct ranking_options {
    const struct ranked_model *models;
    int nmodels;
    enum ranking_split split;
    const struct recording *learn;           /* with RECORDINGS */
    double share;                            /* that is learned from, in 0..1; not with RECORDINGS */
    int seeds;                               /* 1, 2, ...: of the split and of the models */
    const struct machine_analyzer *analyzer; /* of the recorded machine, for analytic models; NULL: unknown */
    struct pool *pool;
};

struct ranking_number { /* mean over seeds with its 95 % t-interval; low and high NaN with one seed */
    double mean, low, high;
};
struct ranking_row {
    const char *kernel, *model;              /* kernel: its name, "all": all of them together; model NULL: chance */
    int programs, learned;                   /* ranked; learned from; of one seed, on average */
    int adapted;                             /* programs of this kernel that were told later (adaptation.h); -1: none */
    struct ranking_number top[RANKING_TOPS]; /* of chance: its mean, as it is known; NaN for all kernels */
    struct ranking_number spearman; /* of all kernels: the mean over those that have one; NaN of chance, and where all
                              scores are equal */
};
struct ranking {
    struct ranking_row *rows; /* kernels in the recording's order, then all; models in theirs, then chance */
    int n;
};
/* Mean and interval of the n values that are not NaN. Memory of a is used. */
struct ranking_number ranking_over_seeds(struct arena *a, const double *v, int n);
/* All in a. progress, called before each training: how many are done. False: a model broke, or the recording has too
 * little to learn from. */
MUST_CHECK bool ranking_make(struct arena *a, const struct recording *r, const struct ranking_options *o,
                             void (*progress)(void *ctx, int done, int of), void *ctx, struct ranking *out,
                             struct err *err);
