/* SPDX-License-Identifier: Apache-2.0 */
/* random: scores from the model's own random stream (TVM: RandomModel). The baseline every model must beat. */
#include "harness/plug/model.h"

struct random_model {
    struct model_env *env;
};

static bool random_open(void *self, struct model_env *env, struct err *err)
{
    (void)err;
    ((struct random_model *)self)->env = env;
    return true;
}

static bool random_tell(void *self, const struct candidate *c, const struct sample *s, int n, struct err *err)
{
    (void)self, (void)c, (void)s, (void)n, (void)err;
    return true;
}

static bool random_fit(void *self, struct err *err)
{
    (void)self, (void)err;
    return true;
}

static bool random_score(void *self, const struct task *task, struct state *const *states, int n, double *scores,
                         struct err *err)
{
    (void)task, (void)states, (void)err;
    for (int i = 0; i < n; i++)
        scores[i] = rng_unit(&((struct random_model *)self)->env->rng);
    return true;
}

static void random_close(void *self)
{
    (void)self;
}

extern const struct model model_random;
const struct model model_random = {
    .name = "random",
    .summary = "uniform random scores",
    .options_size = 0,
    .state_size = sizeof(struct random_model),
    .open = random_open,
    .tell = random_tell,
    .fit = random_fit,
    .score = random_score,
    .close = random_close,
};
