/* SPDX-License-Identifier: Apache-2.0 */
/* trained_model: a cost model that is told programs of recordings and ranks others. */
#pragma once
#include "harness/plug/model.h"
#include "harness/plug/recording.h"

struct ranked_model {
    const struct model *plug;
    const char *settings;
    const char *name; /* in tables; NULL: the plug-in's */
};
struct ranked_kernel { /* one that has programs */
    const struct task *task;
    int *rows; /* numbers of its rows in the recording */
    int n;
    double weight;
};
struct ranked_kernels {
    const struct recording *r;
    struct ranked_kernel *at; /* in the recording's order */
    int n;
};
/* All in a. False: a task line is no kernel. */
MUST_CHECK bool ranked_kernels_read(struct arena *a, const struct recording *r, struct ranked_kernels *out,
                                    struct err *err);
/* Number of the kernel with that task; -1: none. */
int ranked_kernels_find(const struct ranked_kernels *k, const struct task *t);

/* Some programs of one kernel. */
struct lesson {
    const struct recording *r;
    const struct task *task;
    const int *rows;
    int n;
};
struct trained_model {
    struct model_env env;
    struct model_use use;
    struct phases phases;
};
struct trained_model_about { /* what a model is told before */
    struct limits limits;
    const struct machine_analyzer *analyzer; /* NULL: unknown */
    struct pool *pool;
    int seed;
};
/* out must not move and outlives a, in which its state is. False: the settings are not the model's. */
MUST_CHECK bool trained_model_open(struct arena *a, const struct ranked_model *m,
                                   const struct trained_model_about *about, struct trained_model *out, struct err *err);
/* Tells all lessons in one go, failures too. */
MUST_CHECK bool trained_model_tell(struct trained_model *m, const struct lesson *lessons, int n, struct err *err);
MUST_CHECK bool trained_model_fit(struct trained_model *m, struct err *err);
/* Scores of the programs, one each. */
MUST_CHECK bool trained_model_score(struct trained_model *m, const struct lesson *of, double *scores, struct err *err);
void trained_model_close(struct trained_model *m);
