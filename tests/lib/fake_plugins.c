/* SPDX-License-Identifier: Apache-2.0 */
/* fake_plugins: see fake_plugins.h. The searchers' state is one number into which every told record is mixed in order.
 */
#include "tests/lib/fake_plugins.h"

#include "harness/base/clock.h"
#include "harness/base/hash.h"
#include "harness/base/map.h"
#include "harness/base/text.h"
#include "tests/lib/fixture.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STEP_S 1e-3 /* of a build and of a run on target apart */

static long runs;
long fake_calls, fake_die_at, fake_interrupt_at, *fake_runs = &runs;
int fake_fail_every = 7;
bool fake_mixes_costs = true;

static void called(void)
{
    fake_calls++;
    if (fake_calls == fake_interrupt_at)
        raise(SIGINT);
    if (fake_calls == fake_die_at)
        raise(SIGKILL);
}

static void close_nothing(void *self)
{
    (void)self;
}

/* --- target --- */

static bool target_open(void *self, struct target_env *env, struct limits *limits, struct err *err)
{
    (void)self, (void)env, (void)err;
    *limits = limits_cpu(8);
    return true;
}

static enum outcome target_build(void *self, const struct candidate *c, struct blob *object,
                                 char message[SAMPLE_MESSAGE])
{
    (void)self;
    called();
    ++*fake_runs;
    if (fake_fail_every && c->hash % (uint64_t)fake_fail_every == 0) {
        snprintf(message, SAMPLE_MESSAGE, "fake failure %d", (int)(c->hash % 3));
        return OUTCOME_BUILD_FAILED;
    }
    object->n = sizeof(double);
    object->bytes = malloc(object->n);
    if (!object->bytes)
        return OUTCOME_OUT_OF_MEMORY;
    double seconds = 1e-6 * (1 + (double)(hash_mix(c->hash, 5) % 100000));
    memcpy(object->bytes, &seconds, sizeof seconds);
    return OUTCOME_OK;
}

static enum outcome target_load(void *self, const struct candidate *c, const struct blob *object, void **kernel,
                                char message[SAMPLE_MESSAGE])
{
    (void)self, (void)c, (void)message;
    double *k = malloc(sizeof *k);
    if (!k)
        return OUTCOME_OUT_OF_MEMORY;
    memcpy(k, object->bytes, sizeof *k);
    *kernel = k;
    return OUTCOME_OK;
}

static enum outcome target_run(void *self, void *kernel, void *const *args, int number, double *seconds,
                               char message[SAMPLE_MESSAGE])
{
    (void)self, (void)args, (void)message;
    *seconds = number * *(double *)kernel;
    return OUTCOME_OK;
}

static void target_drop(void *self, void *kernel)
{
    (void)self;
    free(kernel);
}

static const struct target fake_target = {.name = "fake",
                                          .summary = "times are hashes of the steps",
                                          .is_virtual = true,
                                          .open = target_open,
                                          .build = target_build,
                                          .load = target_load,
                                          .run = target_run,
                                          .drop = target_drop,
                                          .close = close_nothing};

/* --- target apart --- */

struct apart {
    int tally; /* -1: none */
};

/* Opened here, since a worker that is ready may not open files. */
static bool apart_open(void *self, struct target_env *env, struct limits *limits, struct err *err)
{
    const char *path = getenv("RAINGAUGE_TALLY");
    *(struct apart *)self = (struct apart){.tally = path ? open(path, O_WRONLY | O_APPEND | O_CLOEXEC) : -1};
    return target_open(self, env, limits, err);
}

static void tell_step(const void *self, const char *letter)
{
    const struct apart *t = self;
    if (t->tally >= 0 && write(t->tally, letter, 1) != 1)
        abort();
}

static enum outcome apart_build(void *self, const struct candidate *c, struct blob *object,
                                char message[SAMPLE_MESSAGE])
{
    tell_step(self, "B");
    clock_sleep(STEP_S);
    enum outcome o = target_build(self, c, object, message);
    tell_step(self, "b");
    return o;
}

static enum outcome apart_load(void *self, const struct candidate *c, const struct blob *object, void **kernel,
                               char message[SAMPLE_MESSAGE])
{
    tell_step(self, "R");
    clock_sleep(STEP_S);
    return target_load(self, c, object, kernel, message);
}

static void apart_drop(void *self, void *kernel)
{
    target_drop(self, kernel);
    tell_step(self, "r");
}

static bool apart_runs_apart(const void *self)
{
    (void)self;
    return true;
}

static const struct target apart_target = {.name = "apart",
                                           .summary = "the same times, from real workers",
                                           .state_size = sizeof(struct apart),
                                           .open = apart_open,
                                           .build = apart_build,
                                           .load = apart_load,
                                           .run = target_run,
                                           .drop = apart_drop,
                                           .runs_apart = apart_runs_apart,
                                           .close = close_nothing};

/* --- model --- */

struct fake_model {
    struct model_env *env;
    uint64_t told, fitted;
    struct rng rng; /* taken at the fit, as a trained model's randomness is */
};

static bool model_open(void *self, struct model_env *env, struct err *err)
{
    (void)err;
    *(struct fake_model *)self = (struct fake_model){.env = env};
    return true;
}

static uint64_t mix_told(uint64_t told, const struct candidate *c, const struct sample *s, int n)
{
    for (int i = 0; i < n; i++) {
        uint64_t bits;
        double cost_s = fake_mixes_costs ? s[i].cost_s : 0;
        double mean = sample_mean(&s[i]) + cost_s + (isnan(s[i].model_score) ? 0 : s[i].model_score);
        memcpy(&bits, &mean, sizeof bits);
        told = hash_mix(hash_mix(told, c[i].hash), bits ^ hash_str(s[i].message) ^ (uint64_t)c[i].nsteps);
    }
    return told;
}

static bool model_tell(void *self, const struct candidate *c, const struct sample *s, int n, struct err *err)
{
    (void)err;
    called();
    struct fake_model *m = self;
    m->told = mix_told(m->told, c, s, n);
    return true;
}

static bool model_fit(void *self, struct err *err)
{
    (void)err;
    called();
    struct fake_model *m = self;
    m->fitted = hash_mix(m->told, rng_next(&m->env->rng));
    return true;
}

static bool model_score(void *self, const struct task *task, struct state *const *states, int n, double *scores,
                        struct err *err)
{
    (void)states, (void)err;
    struct fake_model *m = self;
    for (int i = 0; i < n; i++)
        scores[i] = (double)(hash_mix(m->fitted, task->hash + (uint64_t)i) % 1000) + rng_unit(&m->env->rng);
    return true;
}

static const struct model fake_model = {.name = "fake",
                                        .summary = "scores are hashes of all that was told",
                                        .state_size = sizeof(struct fake_model),
                                        .open = model_open,
                                        .tell = model_tell,
                                        .fit = model_fit,
                                        .score = model_score,
                                        .close = close_nothing};

/* --- searchers --- */

struct fake_options {
    int64_t space; /* the search ends after so many records of a task */
};
static const struct setting FAKE_SETTINGS[] = {
    INT_SETTING("space", struct fake_options, space, "1000", 1, 1e6, "records after which the search ends"),
    {0},
};

struct fake_searcher {
    struct searcher_env *env;
    uint64_t told;
    int64_t ntold;
};

static bool searcher_open(void *self, struct searcher_env *env, struct err *err)
{
    (void)err;
    called();
    *(struct fake_searcher *)self = (struct fake_searcher){.env = env};
    return true;
}

/* A split of the reduce axis with lengths that hold the random draw, so that steps differ. */
static struct candidate draw(struct fake_searcher *s, struct arena *a, uint64_t salt)
{
    int64_t *list = ARENA_ARRAY(a, int64_t, 2);
    uint64_t r = hash_mix(rng_next(&s->env->rng), hash_mix(s->told, salt));
    list[0] = 1 + (int64_t)(r % 30000);
    list[1] = 1 + (int64_t)((r >> 32) % 30000);
    struct step *step = ARENA_NEW(a, struct step);
    *step = (struct step){.kind = STEP_SP, .stage = 2, .iter = 2, .extent = 64, .flag = true, .n = 2, .list = list};
    struct text t = {0};
    steps_print(step, 1, &t);
    struct candidate c = {
        .task = s->env->task, .steps = step, .nsteps = 1, .hash = hash_str(text_str(&t)), .score = NAN};
    text_free(&t);
    return c;
}

static bool searcher_ask(void *self, struct arena *a, int max, struct candidate *out, int *n, struct err *err)
{
    struct fake_searcher *s = self;
    const struct fake_options *o = s->env->options;
    called();
    *n = 0;
    for (; *n < max && s->ntold + *n < o->space; ++*n) {
        out[*n] = draw(s, a, s->env->seed ? s->env->seed->hash : 0);
        if (s->env->model.plug &&
            !s->env->model.plug->score(s->env->model.self, s->env->task, NULL, 1, &out[*n].score, err))
            return false;
    }
    called();
    return true;
}

static bool searcher_tell(void *self, const struct candidate *c, const struct sample *s, int n, struct err *err)
{
    (void)err;
    called();
    struct fake_searcher *t = self;
    t->told = mix_told(t->told, c, s, n) ^ rng_next(&t->env->rng);
    t->ntold += n;
    return true;
}

#define FAKE_SEARCHER(word, model, seed)                                                                               \
    {.name = word,                                                                                                     \
     .summary = "draws",                                                                                               \
     .settings = FAKE_SETTINGS,                                                                                        \
     .options_size = sizeof(struct fake_options),                                                                      \
     .state_size = sizeof(struct fake_searcher),                                                                       \
     .needs_model = model,                                                                                             \
     .needs_seed = seed,                                                                                               \
     .open = searcher_open,                                                                                            \
     .ask = searcher_ask,                                                                                              \
     .tell = searcher_tell}
static const struct searcher fake_explore = FAKE_SEARCHER("explore", true, false);
static const struct searcher fake_exploit = FAKE_SEARCHER("exploit", false, true);

static const struct searcher *const searchers[] = {&fake_explore, &fake_exploit, NULL};
static const struct model *const models[] = {&fake_model, NULL};
static const struct target *const targets[] = {&fake_target, NULL}, *const apart_targets[] = {&apart_target, NULL};
static const struct collector *const collectors[] = {NULL};
const struct registry fake_registry = {
    .searchers = searchers, .models = models, .targets = targets, .collectors = collectors};
const struct registry fake_apart_registry = {
    .searchers = searchers, .models = models, .targets = apart_targets, .collectors = collectors};

const struct plan *fake_plan(struct arena *a, const char *dir, int64_t trials)
{
    static const char *const SPECS[] = {"dense n=4 ci=64 co=32", "dense n=4 ci=32 co=64", "dense n=8 ci=64 co=16"};
    struct plan_task *tasks = ARENA_ARRAY(a, struct plan_task, 3);
    for (int i = 0; i < 3; i++) {
        const struct task *task = fixture_task(a, SPECS[i]);
        tasks[i] = (struct plan_task){.task = task, .name = task->name, .weight = i + 1};
    }
    struct cell_plan *cells = ARENA_ARRAY(a, struct cell_plan, 3);
    cells[0] = (struct cell_plan){.network = "net",
                                  .arm = "ansor",
                                  .seed = 1,
                                  .tasks = tasks,
                                  .ntasks = 3,
                                  .searcher = "explore",
                                  .searcher_settings = "space=40",
                                  .model = "fake",
                                  .model_settings = "",
                                  .trials = trials,
                                  .batch = 8,
                                  .scheduler = SCHEDULER_GRADIENT,
                                  .explore_cell = -1};
    cells[1] = (struct cell_plan){.network = "net",
                                  .arm = "dp-3",
                                  .seed = 1,
                                  .tasks = tasks,
                                  .ntasks = 3,
                                  .searcher = "exploit",
                                  .searcher_settings = "space=9",
                                  .model = "",
                                  .model_settings = "",
                                  .trials_per_task = 10,
                                  .batch = 4,
                                  .scheduler = SCHEDULER_SEQUENTIAL,
                                  .explore_cell = 0,
                                  .k = 3,
                                  .share = true};
    cells[2] = cells[1];
    cells[2].arm = "dp-100";
    cells[2].k = 100;
    struct plan *p = ARENA_NEW(a, struct plan);
    *p = (struct plan){.stem = "fake",
                       .tier = "smoke",
                       .results_dir = dir,
                       .experiment_hash = "0123456789abcdef",
                       .target = "fake",
                       .target_settings = "",
                       .machine = "host",
                       .regime = {.number = 3, .repeat = 2, .patience = 2, .build_timeout_s = 10, .run_timeout_s = 10},
                       .threads = 1,
                       .duels = {.min_launches = DUEL_LEAST,
                                 .max_launches = DUEL_LEAST,
                                 .slice_calls = 1,
                                 .mirrors = 2,
                                 .launch_ms = 200,
                                 .null_least = 1},
                       .retime_regime = {.number = 5, .repeat = 3, .build_timeout_s = 10, .run_timeout_s = 10},
                       .cells = cells,
                       .ncells = 3};
    return p;
}

const struct plan *fake_apart_plan(struct arena *a, const char *dir, int64_t trials)
{
    struct plan *p = ARENA_NEW(a, struct plan);
    *p = *fake_plan(a, dir, trials);
    p->target = "apart";
    p->build_workers = 2;
    p->regime.warmup = 1; /* by it slow programs are known, which get fewer calls */
    p->regime.overlap = true;
    p->regime.memory_mib = p->retime_regime.memory_mib = 256;
    return p;
}

const struct plan *fake_sharing_plan(struct arena *a, const char *dir, int64_t trials_per_task)
{
    struct plan *p = ARENA_NEW(a, struct plan);
    struct plan_task *tasks = ARENA_ARRAY(a, struct plan_task, 3);
    const struct task *own = fixture_task(a, "dense n=2 ci=64 co=64");
    *p = *fake_plan(a, dir, 3 * trials_per_task);
    tasks[0] = p->cells[0].tasks[1];
    tasks[1] = (struct plan_task){.task = own, .name = own->name, .weight = 1};
    tasks[2] = p->cells[0].tasks[0];
    struct cell_plan *cells = ARENA_ARRAY(a, struct cell_plan, 6);
    for (int i = 0; i < 6; i++) {
        cells[i] = p->cells[i % 3];
        cells[i].scheduler = i % 3 ? SCHEDULER_SEQUENTIAL : SCHEDULER_ROUND_ROBIN;
        if (i < 3)
            continue;
        cells[i].network = "other";
        cells[i].tasks = tasks;
        cells[i].explore_cell = i == 3 ? -1 : 3;
    }
    p->cells = cells;
    p->ncells = 6;
    p->share_kernels = true;
    return p;
}
