/* SPDX-License-Identifier: Apache-2.0 */
/* retime: measures the seed again and searches nothing. As an arm beside Droplet it tells what re-measuring gains from
 * what searching gains: the authors timed the seed under another regime than its descent (droplet.md 2.2), and the
 * fastest of many noisy readings is lucky even under one. */
#include "harness/plug/searcher.h"

#include <math.h>

struct retime_options {
    int64_t times;
};
static const struct setting retime_settings[] = {{.name = "times",
                                                  .help = "how often the seed is measured",
                                                  .type = SETTING_INT,
                                                  .offset = offsetof(struct retime_options, times),
                                                  .fallback = "1",
                                                  .min = 1,
                                                  .max = 1000},
                                                 {0}};

struct retime {
    struct searcher_env *env;
    int64_t left; /* of times: told ones are done */
};

static bool retime_open(void *self, struct searcher_env *env, struct err *err)
{
    struct retime *r = self;
    const struct retime_options *o = env->options;
    if (!env->seed)
        return err_set(err, "searcher 'retime' needs a seed schedule: name an arm to explore first");
    *r = (struct retime){.env = env, .left = o->times};
    return true;
}

static bool retime_ask(void *self, struct arena *a, int max, struct candidate *out, int *n, struct err *err)
{
    const struct retime *r = self;
    (void)a, (void)err;
    *n = r->left < max ? (int)r->left : max;
    for (int i = 0; i < *n; i++) {
        out[i] = *r->env->seed;
        out[i].score = NAN;
    }
    return true;
}

static bool retime_tell(void *self, const struct candidate *c, const struct sample *s, int n, struct err *err)
{
    struct retime *r = self;
    (void)c, (void)s, (void)err;
    r->left -= n < r->left ? n : r->left;
    return true;
}

static void retime_close(void *self)
{
    (void)self;
}

const struct searcher searcher_retime = {
    .name = "retime",
    .summary = "the explorer's best schedule measured again, as a control: no search",
    .settings = retime_settings,
    .options_size = sizeof(struct retime_options),
    .state_size = sizeof(struct retime),
    .needs_seed = true,
    .open = retime_open,
    .ask = retime_ask,
    .tell = retime_tell,
    .close = retime_close,
};
