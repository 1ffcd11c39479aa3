/* SPDX-License-Identifier: Apache-2.0 */
/* tlp: TLP (ASPLOS 2023; tlp_train.py): a schedule's steps as rows of numbers, no lowering, 610,241 parameters on
 * GPUs, lambda-rank. The epoch with the lowest loss on a tenth of the records is taken. Its authors train it once and
 * search with update=never.
 *
 * Deviations: rows of CPUs are ours in the order of their flags (step_rows.h); random numbers are ours. */
#include "models/learner.h"
#include "models/nn/networks.h"
#include "models/step_rows.h"

_Static_assert((int)STEP_ROWS_GPU_WIDTH == (int)TLP_GPU_WIDTH && (int)STEP_ROWS_CPU_WIDTH == (int)TLP_CPU_WIDTH,
               "rows fit the network");

struct tlp_options {
    struct learner_options learn;
};
static const struct setting settings[] = {
    LEARNER_SETTINGS(struct tlp_options, learn, "1024", "0", "1", "0.1", "none"),
    {0},
};

static void make(struct net *n, bool gpu)
{
    net_make_tlp(n, gpu ? TLP_GPU_WIDTH : TLP_CPU_WIDTH);
}

static bool show(struct arena *a, const struct example_source *s, struct example_inputs *out)
{
    int rows = s->gpu ? STEP_ROWS_GPU : STEP_ROWS_CPU, width = s->gpu ? STEP_ROWS_GPU_WIDTH : STEP_ROWS_CPU_WIDTH;
    float *at = ARENA_ARRAY(a, float, rows *width);
    step_rows(s->steps, s->nsteps, s->gpu, at);
    out->in[0] = (struct example_rows){rows, at};
    return true;
}

static const struct learner_kind kind = {
    .name = "tlp",
    .file = "tlp",
    .cpu = {.inputs = 1, .width = {TLP_CPU_WIDTH}, .none = {STEP_ROWS_CPU}, .show = show},
    .gpu = {.inputs = 1, .width = {TLP_GPU_WIDTH}, .none = {STEP_ROWS_GPU}, .show = show},
    .make = make,
};

static bool open(void *self, struct model_env *env, struct err *err)
{
    const struct tlp_options *o = env->options;
    return learner_open(self, &kind, &o->learn, NULL, env, err);
}

/* 2 ms a record and epoch, as pacm was timed. */
LEARNER_MODEL(tlp, "steps of the schedule, not lowered, self-attention, lambda-rank (TLP)", struct tlp_options,
              struct learner, 0.002);
