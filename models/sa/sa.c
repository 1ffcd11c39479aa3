/* SPDX-License-Identifier: Apache-2.0 */
/* sa: Pruner's Symbol-based Analyzer (arXiv 2402.02361) as a cost model that learns nothing: a state's score is one
 * over the estimated milliseconds, as in the released code, so that scores are positive and parents can be drawn by
 * them. It is the draft of searcher pruner, and the model of any searcher by itself.
 *
 * GPUs: variant `code` is what the authors' released program computes, `paper` what their paper prints
 * (models/sa/latency.h). CPUs: ours, whatever the variant. The device is the machine's (its file's symbol_analyzer, or
 * this very machine); settings that are not 0 stand in its place. A CPU of which nothing is known is taken for one with
 * 8 lanes and caches of 32 KiB, 1 MiB and 8 MiB. No phases are booked: the time belongs to the caller's phase. */
#include "harness/plug/model.h"
#include "harness/program/lower/cross_thread.h"
#include "harness/program/lower/lower.h"
#include "models/sa/latency.h"

#include <math.h>
#include <stdlib.h>

enum sa_variant { SA_CODE, SA_PAPER };
struct sa_options {
    int variant;
    bool compute, memory;
    double peak_gflops, memory_gb_s, ghz;
    double l1_kib, l2_kib, l3_kib, register_bytes_cycle, l1_bytes_cycle, l2_bytes_cycle, memory_bytes_cycle;
    int64_t multiprocessors, shared_elements, transaction_elements, vector_lanes, vector_registers;
};
static const char *const variants[] = {"code", "paper", NULL};
static const struct setting settings[] = {
    ENUM_SETTING("variant", struct sa_options, variant, "code", variants,
                 "on GPUs: the authors' released code or their paper's section 4.1; they differ"),
    BOOL_SETTING("compute_penalties", struct sa_options, compute, "true",
                 "idle warps, lanes, blocks and cores count (false: an ablation of the paper's Table 10)"),
    BOOL_SETTING("memory_penalties", struct sa_options, memory, "true",
                 "full registers, full shared memory and short transfers count (false: the other ablation)"),
    REAL_SETTING("peak_gflops", struct sa_options, peak_gflops, "0", 0, 1e9,
                 "of a GPU: float32 operations, 10^9 a second; 0: the machine's"),
    REAL_SETTING("memory_gb_s", struct sa_options, memory_gb_s, "0", 0, 1e9,
                 "of a GPU: memory bandwidth, 10^9 bytes a second; 0: the machine's"),
    INT_SETTING("multiprocessors", struct sa_options, multiprocessors, "0", 0, 65536, "of a GPU; 0: the machine's"),
    INT_SETTING(
        "shared_elements", struct sa_options, shared_elements, "0", 0, 1 << 28,
        "variant paper: float32 numbers in a block's shared memory; 0: by the target's limit (the paper gives no "
        "value)"),
    INT_SETTING("transaction_elements", struct sa_options, transaction_elements, "32", 1, 4096,
                "variant paper: float32 numbers of one transfer of global memory (ours, 128 bytes: the paper gives no "
                "value)"),
    INT_SETTING("vector_lanes", struct sa_options, vector_lanes, "0", 0, 1024,
                "of a CPU: float32 numbers of a vector; 0: the machine's"),
    INT_SETTING("vector_registers", struct sa_options, vector_registers, "0", 0, 1024, "of a CPU; 0: the machine's"),
    REAL_SETTING("l1_kib", struct sa_options, l1_kib, "0", 0, 1e9,
                 "of a CPU: first-level data cache; 0: the machine's"),
    REAL_SETTING("l2_kib", struct sa_options, l2_kib, "0", 0, 1e9,
                 "of a CPU: second level, of a core; 0: the machine's"),
    REAL_SETTING("l3_kib", struct sa_options, l3_kib, "0", 0, 1e9, "of a CPU: third level, of all; 0: the machine's"),
    REAL_SETTING("ghz", struct sa_options, ghz, "3", 0.1, 100, "of a CPU: a scale that changes no order"),
    REAL_SETTING("register_bytes_cycle", struct sa_options, register_bytes_cycle, "0", 0, 1e6,
                 "of a CPU: bytes a core loads from the first level in a cycle; 0: two vectors (ours)"),
    REAL_SETTING("l1_bytes_cycle", struct sa_options, l1_bytes_cycle, "32", 0.01, 1e6,
                 "of a CPU: bytes a core gets from the second level in a cycle (ours)"),
    REAL_SETTING("l2_bytes_cycle", struct sa_options, l2_bytes_cycle, "16", 0.01, 1e6,
                 "of a CPU: bytes a core gets from the third level in a cycle (ours)"),
    REAL_SETTING("memory_bytes_cycle", struct sa_options, memory_bytes_cycle, "8", 0.01, 1e6,
                 "of a CPU: bytes all cores get from memory in a cycle (ours)"),
    {0},
};

struct sa {
    const struct sa_options *o;
    struct model_env *env;
    bool is_gpu;
    struct sa_device device;
    struct sa_cpu cpu;
    int nthreads;
    struct arena **scratch; /* of each thread */
    struct state *const *states;
    double *scores;
};

static double given(double own, double machine)
{
    return own > 0 ? own : machine;
}

static bool open_gpu(struct sa *sa, const struct machine_analyzer *m, struct err *err)
{
    const struct sa_options *o = sa->o;
    struct sa_device *d = &sa->device;
    d->of = *m;
    d->of.peak_gflops = given(o->peak_gflops, m->peak_gflops);
    d->of.memory_gb_s = given(o->memory_gb_s, m->memory_gb_s);
    d->of.multiprocessors = (int)given((double)o->multiprocessors, m->multiprocessors);
    d->of.blocks_per_multiprocessor = m->blocks_per_multiprocessor ? m->blocks_per_multiprocessor : 1;
    d->of.multiprocessor_partitions = m->multiprocessor_partitions ? m->multiprocessor_partitions : 4;
    d->of.warp_size = m->warp_size ? m->warp_size : 32;
    d->of.thread_registers = m->thread_registers ? m->thread_registers : 128;
    d->shared_elements = given((double)o->shared_elements, (double)sa->env->limits.shared_bytes / 4);
    d->transaction_elements = (double)o->transaction_elements;
    if (d->of.peak_gflops > 0 && d->of.memory_gb_s > 0 && d->of.multiprocessors > 0)
        return true;
    return err_set(err,
                   "nothing is known of this GPU: its machine's file has no 'symbol_analyzer', so give peak_gflops, "
                   "memory_gb_s and multiprocessors");
}

static void open_cpu(struct sa *sa, const struct machine_analyzer *m)
{
    static const struct machine_analyzer COMMON = {
        .vector_lanes = 8, .vector_registers = 16, .l1_kib = 32, .l2_kib = 1024, .l3_kib = 8192};
    const struct sa_options *o = sa->o;
    if (m->vector_lanes == 0)
        m = &COMMON;
    struct sa_cpu *c = &sa->cpu;
    c->cores = sa->env->limits.cores > 0 ? (int)sa->env->limits.cores : 1;
    c->lanes = (int)given((double)o->vector_lanes, m->vector_lanes);
    c->registers = (int)given((double)o->vector_registers, m->vector_registers);
    c->ghz = o->ghz;
    c->capacity[0] = 1024 * given(o->l1_kib, m->l1_kib);
    c->capacity[1] = 1024 * given(o->l2_kib, m->l2_kib);
    c->capacity[2] = 1024 * given(o->l3_kib, m->l3_kib);
    c->bandwidth[0] = given(o->register_bytes_cycle, 2.0 * 4 * c->lanes);
    c->bandwidth[1] = o->l1_bytes_cycle;
    c->bandwidth[2] = o->l2_bytes_cycle;
    c->bandwidth[3] = o->memory_bytes_cycle;
}

static bool sa_open(void *self, struct model_env *env, struct err *err)
{
    static const struct machine_analyzer UNKNOWN;
    struct sa *sa = self;
    const struct machine_analyzer *m = env->analyzer ? env->analyzer : &UNKNOWN;
    *sa = (struct sa){.o = env->options, .env = env, .is_gpu = env->limits.is_gpu};
    if (sa->is_gpu && !open_gpu(sa, m, err))
        return false;
    if (!sa->is_gpu)
        open_cpu(sa, m);
    sa->nthreads = pool_threads(env->pool);
    sa->scratch = calloc((size_t)sa->nthreads, sizeof(struct arena *));
    if (!sa->scratch)
        bug("out of memory");
    for (int i = 0; i < sa->nthreads; i++)
        sa->scratch[i] = arena_open("sa");
    return true;
}

static void sa_close(void *self)
{
    struct sa *sa = self;
    for (int i = 0; i < sa->nthreads && sa->scratch; i++)
        arena_close(sa->scratch[i]);
    free(sa->scratch);
    sa->scratch = NULL;
}

/* It learns nothing. */
static bool sa_tell(void *self, const struct candidate *c, const struct sample *s, int n, struct err *err)
{
    (void)self, (void)c, (void)s, (void)n, (void)err;
    return true;
}

static bool sa_fit(void *self, struct err *err)
{
    (void)self, (void)err;
    return true;
}

static double latency_ms(const struct sa *sa, struct arena *a, const struct nest *n)
{
    struct nest_stores all;
    struct sa_penalties on = {.compute = sa->o->compute, .memory = sa->o->memory};
    if (sa->is_gpu)
        n = cross_thread_nest(a, n);
    if (!nest_stores_find(a, n, &all, NULL))
        return 0;
    if (!sa->is_gpu)
        return sa_latency_cpu(&sa->cpu, on, &all);
    if (sa->o->variant == SA_PAPER) {
        struct sa_symbols_list list = sa_symbols_of(a, n, &all);
        return sa_latency_paper(&sa->device, on, list.at, list.n);
    }
    struct sa_rows rows = sa_rows_of(a, n, &all);
    return sa_latency_code(&sa->device, on, rows.at, rows.n);
}

static void score_item(void *ctx, int item, int thread)
{
    struct sa *sa = ctx;
    struct arena *a = sa->scratch[thread];
    const struct nest *nest = lower_kept(a, sa->states[item]);
    double ms = nest ? latency_ms(sa, a, nest) : 0;
    sa->scores[item] = ms > 0 ? 1 / ms : -INFINITY;
    arena_reset(a);
}

static bool sa_score(void *self, const struct task *task, struct state *const *states, int n, double *scores,
                     struct err *err)
{
    struct sa *sa = self;
    (void)task, (void)err;
    sa->states = states;
    sa->scores = scores;
    pool_for(sa->env->pool, n, score_item, sa);
    return true;
}

extern const struct model model_sa;
const struct model model_sa = {
    .name = "sa",
    .summary = "Pruner's Symbol-based Analyzer: latency estimated from symbols of the program, nothing learned",
    .settings = settings,
    .options_size = sizeof(struct sa_options),
    .state_size = sizeof(struct sa),
    .open = sa_open,
    .tell = sa_tell,
    .fit = sa_fit,
    .score = sa_score,
    .close = sa_close,
};
