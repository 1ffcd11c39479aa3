/* SPDX-License-Identifier: Apache-2.0 */
/* fake: a machine that is a formula, for tests of search, records and resume: no code is built and no real time passes.
 *
 *     seconds = base * (1 + tiles + annotations),   base = flops / 1e11 + 1e-6
 *
 * tiles: every axis of the main stage (the one with most arithmetic) has two optimal lengths, made from the task's
 * hash: one of the last split part (a divisor of the extent, at most 16), one of the product of the parts between it
 * and the outermost (a divisor of what is left, at most 64). Each costs WEIGHT times the squared base-2 logarithm of
 * the ratio between the length and its optimum.
 * annotations: a missing parallel loop per root stage, a missing vector loop innermost in the main stage, and the
 * distance of auto_unroll_max_step from its optimum in 0, 16, 64, 512.
 * With gpu=true it is a GPU: instead of parallel and vector loops, the missing threads of a root stage and the distance
 * of its threads from an optimum in 32 to 256 cost. What a block cannot hold is invalid.
 * So every change of a schedule changes the cost by itself. The least cost, base, is that of a schedule which the CPU
 * sketches can reach. */
#include "harness/base/hash.h"
#include "harness/base/rng.h"
#include "harness/plug/target.h"
#include "harness/program/ir/flop.h"
#include "harness/program/lower/bound.h"
#include "harness/program/lower/gpu_verify.h"
#include "targets/outcome_because.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WEIGHT 0.05

struct fake_options {
    double noise, fail, slow;
    int64_t seed, night, node;
    bool gpu;
};
static const struct setting SETTINGS[] = {
    REAL_SETTING("noise", struct fake_options, noise, "0", 0, 1,
                 "standard deviation of the relative noise, fixed per candidate and repeat, and per launch of a duel"),
    REAL_SETTING("fail", struct fake_options, fail, "0", 0, 1, "share of the candidates that fail, chosen by hash"),
    INT_SETTING("seed", struct fake_options, seed, "0", 0, 1e15, "moves the optimum, the noise and the failures"),
    REAL_SETTING("slow", struct fake_options, slow, "0", -0.9, 100,
                 "share by which every program is slower: plants a regression"),
    BOOL_SETTING("gpu", struct fake_options, gpu, "false",
                 "be a GPU with CUDA's limits: schedules are bound to blocks and threads"),
    INT_SETTING("night", struct fake_options, night, "0", 0, 1e15, "another one gives other noise"),
    INT_SETTING("node", struct fake_options, node, "0", 0, 1e15, "be this machine of several of a kind; 0: of none"),
    {0},
};

struct fake {
    const struct target_env *env;
    struct fake_options now, *options;
    struct arena *scratch;
};
struct fake_object { /* the "object code": what build hands to load */
    double seconds;
    uint64_t hash;
};
struct fake_kernel {
    struct fake_object object;
    uint64_t calls, process;
};

/* RAINGAUGE_FAKE ("slow=0.1,night=3") overrides settings without changing the experiment: the machine has changed. */
static bool fake_open(void *self, struct target_env *env, struct limits *limits, struct err *err)
{
    struct fake *f = self;
    const char *override = getenv("RAINGAUGE_FAKE");
    *f = (struct fake){.now = *(const struct fake_options *)env->options, .scratch = arena_open("fake")};
    f->options = &f->now;
    f->env = env;
    if (override && !setting_parse(SETTINGS, f->options, f->scratch, override, err)) {
        arena_close(f->scratch);
        return err_context(err, "RAINGAUGE_FAKE");
    }
    *limits = f->options->gpu ? limits_cuda() : limits_cpu(env->threads > 0 ? env->threads : 8);
    return true;
}

static void fake_close(void *self)
{
    struct fake *f = self;
    arena_close(f->scratch);
}

/* ---- the formula ---- */

static int main_stage(const struct state *s)
{
    int best = -1;
    double most = -1;
    for (int i = 0; i < s->nstages; i++) {
        double flops = s->stages[i].op->kind == OP_COMPUTE ? flop_op(s->dag->ops[i]) : -1;
        if (flops > most && s->stages[i].at != AT_INLINED) {
            most = flops;
            best = i;
        }
    }
    return best;
}

/* A divisor of n, at most limit, picked by the hash. */
static int64_t optimal_divisor(int64_t n, int64_t limit, uint64_t hash)
{
    int64_t count = 1, pick; /* 1 divides everything */
    for (int64_t d = 2; d <= n && d <= limit; d++)
        count += n % d == 0;
    pick = (int64_t)(hash % (uint64_t)count);
    for (int64_t d = 1; d <= n; d++)
        if (n % d == 0 && pick-- == 0)
            return d;
    return 1;
}

static double log_distance(int64_t length, int64_t optimum)
{
    double d = log2((double)(length > 0 ? length : 1) / (double)optimum);
    return d * d;
}

/* Lengths of the split parts below a var: the last one, and the product of those between it and the outermost. */
static void parts_of(const struct stage *st, int var, int64_t *middle, int64_t *last)
{
    bool first = true, again = true;
    *middle = *last = 1;
    while (again) {
        again = false;
        for (int i = 0; i < st->nrels && !again; i++) {
            const struct relation *r = &st->rels[i];
            if (r->kind != REL_SPLIT || r->parent != var)
                continue;
            *(first ? last : middle) *= st->vars[r->inner].extent;
            first = false;
            var = r->outer; /* a split into many parts splits the outer part again and again */
            again = true;
        }
    }
}

static double tile_cost(const struct fake *f, const struct task *t, const struct stage *st)
{
    double cost = 0;
    uint64_t seed = hash_mix(t->hash, (uint64_t)f->options->seed);
    for (int a = 0; a < st->op->nspatial + st->op->nreduce; a++) {
        int64_t extent = st->op->axes[a].extent, middle, last;
        bool spatial = a < st->op->nspatial; /* reduce axes have two parts in the sketches */
        int64_t optimum = optimal_divisor(extent, 16, hash_mix(seed, 2 * (uint64_t)a));
        int64_t between = optimal_divisor(extent / optimum, 64, hash_mix(seed, 2 * (uint64_t)a + 1));
        parts_of(st, a, &middle, &last);
        cost += WEIGHT * log_distance(last, optimum) + (spatial ? WEIGHT * log_distance(middle, between) : 0);
    }
    return cost;
}

static double annotation_cost(const struct fake *f, const struct task *t, const struct state *s, int main)
{
    static const int64_t steps[] = {0, 16, 64, 512};
    int64_t optimum = steps[hash_mix(hash_mix(t->hash, (uint64_t)f->options->seed), 99) % 4];
    const struct stage *st = &s->stages[main];
    double cost = 0.02 * fabs(log2(1 + (double)st->auto_unroll) - log2(1 + (double)optimum));
    if (st->nleaf > 0 && stage_iter(st, st->nleaf - 1)->annotation != ANN_VECTORIZE)
        cost += 0.3;
    for (int i = 0; i < s->nstages; i++) {
        if (s->stages[i].at != AT_ROOT || s->stages[i].op->kind != OP_COMPUTE)
            continue;
        bool parallel = false;
        for (int l = 0; l < s->stages[i].nleaf; l++)
            parallel |= stage_iter(&s->stages[i], l)->annotation == ANN_PARALLEL;
        cost += parallel ? 0 : 0.5;
    }
    return cost;
}

/* On a GPU: each root stage wants its loops bound to blocks and threads, the main stage as many threads as the hash
 * says. */
static double binding_cost(const struct fake *f, const struct task *t, const struct state *s, int main)
{
    static const int64_t steps[] = {0, 16, 64, 512, 1024};
    uint64_t seed = hash_mix(t->hash, (uint64_t)f->options->seed);
    int64_t optimum = steps[hash_mix(seed, 99) % 5], threads = INT64_C(32) << hash_mix(seed, 98) % 4;
    double cost = 0.02 * fabs(log2(1 + (double)s->stages[main].auto_unroll) - log2(1 + (double)optimum));
    for (int i = 0; i < s->nstages; i++) {
        const struct stage *st = &s->stages[i];
        bool bound = false;
        for (int l = 0; l < st->nleaf; l++)
            if (stage_iter(st, l)->annotation == ANN_THREAD_X) {
                bound = true;
                cost += st->at == AT_ROOT ? WEIGHT * log_distance(stage_iter(st, l)->extent, threads) : 0;
            }
        cost += st->at == AT_ROOT && st->op->kind == OP_COMPUTE && !bound ? 0.5 : 0;
    }
    return cost;
}

static double schedule_cost(const struct fake *f, const struct task *t, const struct state *s, int main)
{
    return tile_cost(f, t, &s->stages[main]) +
           (f->options->gpu ? binding_cost(f, t, s, main) : annotation_cost(f, t, s, main));
}

static double unit_of(uint64_t hash)
{
    struct rng r;
    rng_seed(&r, hash);
    return rng_unit(&r);
}

/* ---- the interface of a target ---- */

static bool fits_gpu(struct arena *a, const struct state *s, struct err *err)
{
    struct nest *nest;
    struct limits limits = limits_cuda();
    return lower(a, s, LAYOUT_NONE, &nest, err) && gpu_verify(nest, &limits, err);
}

static enum outcome fake_build(void *self, const struct candidate *c, struct blob *object, char message[SAMPLE_MESSAGE])
{
    struct fake *f = self;
    struct err err = {0};
    struct state *s;
    arena_reset(f->scratch);
    if (!state_replay(f->scratch, c->task, c->steps, c->nsteps, &s, &err) || !bound_infer(s, &err) ||
        (f->options->gpu && !fits_gpu(f->scratch, s, &err)))
        return outcome_because(message, OUTCOME_INVALID, err.text);
    struct fake_object p = {.hash = hash_mix(state_hash(s), (uint64_t)f->options->seed)};
    if (unit_of(p.hash) < f->options->fail && p.hash % 2)
        return outcome_because(message, OUTCOME_BUILD_FAILED, "this candidate was chosen to fail to build");
    int main = main_stage(s);
    double flops = c->task->flops > 0 ? c->task->flops : 0;
    p.seconds = (flops / 1e11 + 1e-6) * (1 + (main < 0 ? 0 : schedule_cost(f, c->task, s, main)));
    object->bytes = malloc(sizeof p);
    object->n = sizeof p;
    if (!object->bytes)
        return OUTCOME_OUT_OF_MEMORY;
    memcpy(object->bytes, &p, sizeof p);
    return OUTCOME_OK;
}

static enum outcome fake_load(void *self, const struct candidate *c, const struct blob *object, void **kernel,
                              char message[SAMPLE_MESSAGE])
{
    const struct fake *f = self;
    (void)c;
    if (object->n != sizeof(struct fake_object))
        return outcome_because(message, OUTCOME_LOAD_FAILED, "not an object of target fake");
    struct fake_kernel *k = calloc(1, sizeof *k);
    memcpy(&k->object, object->bytes, sizeof k->object);
    k->process = f->env->process;
    *kernel = k;
    return OUTCOME_OK;
}

static enum outcome fake_run(void *self, void *kernel, void *const *args, int number, double *seconds,
                             char message[SAMPLE_MESSAGE])
{
    const struct fake *f = self;
    struct fake_kernel *k = kernel;
    (void)args;
    *seconds = 0;
    if (unit_of(k->object.hash) < f->options->fail)
        return outcome_because(message, OUTCOME_CRASHED, "this candidate was chosen to crash");
    struct rng r;
    uint64_t of = hash_mix(k->object.hash, ++k->calls + ((uint64_t)f->options->night << 32));
    rng_seed(&r, k->process ? hash_mix(of, k->process) : of);
    double u = rng_unit(&r), v = rng_unit(&r);
    double normal = sqrt(-2 * log(1 - u)) * cos(6.283185307179586 * v);
    *seconds = number * (1 + f->options->slow) * k->object.seconds * exp(f->options->noise * normal);
    return OUTCOME_OK;
}

static void fake_drop(void *self, void *kernel)
{
    (void)self;
    free(kernel);
}

static void fake_describe(void *self, cJSON *object)
{
    const struct fake *f = self;
    char node[24];
    json_put_str(object, "cpu", "a formula");
    json_put_str(object, "features", "");
    snprintf(node, sizeof node, "%lld", (long long)f->options->node);
    if (f->options->node)
        json_put_str(object, "node", node);
}

extern const struct target target_fake;
const struct target target_fake = {
    .name = "fake",
    .summary = "a formula with a known optimum: for tests, no real time passes",
    .settings = SETTINGS,
    .options_size = sizeof(struct fake_options),
    .state_size = sizeof(struct fake),
    .is_virtual = true,
    .open = fake_open,
    .build = fake_build,
    .load = fake_load,
    .run = fake_run,
    .drop = fake_drop,
    .describe = fake_describe,
    .close = fake_close,
};
