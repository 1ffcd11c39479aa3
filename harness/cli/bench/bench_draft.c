/* SPDX-License-Identifier: Apache-2.0 */
/* bench_draft: how many programs model `sa` scores in a second on one core, from nests already lowered: its stores
 * found, their symbols, the latency. The programs are random ones of Ansor's space of GPUs and of CPUs for the conv2d
 * kernels of resnet18, those that fit; a reading is a pass over all of them. */
#include "harness/base/clock.h"
#include "harness/cli/bench/gauges.h"
#include "harness/program/lower/cross_thread.h"
#include "harness/program/lower/lower.h"
#include "models/sa/latency.h"
#include "search/sketch/draw.h"

enum { EACH = 16, PASSES = 15, TRIES = 1000 };

static double gpu_ms(struct arena *a, const struct nest *n, const struct nest_stores *all)
{
    static const struct sa_device DEVICE = {.of = {.peak_gflops = 19490, /* of a100-40 */
                                                   .memory_gb_s = 1555,
                                                   .multiprocessors = 108,
                                                   .blocks_per_multiprocessor = 1,
                                                   .multiprocessor_partitions = 4,
                                                   .warp_size = 32,
                                                   .thread_registers = 128}};
    struct sa_rows rows = sa_rows_of(a, n, all);
    return sa_latency_code(&DEVICE, (struct sa_penalties){true, true}, rows.at, rows.n);
}

static double cpu_ms(const struct nest_stores *all)
{
    static const struct sa_cpu CORE = {.cores = 4,
                                       .lanes = 8,
                                       .registers = 16,
                                       .ghz = 3,
                                       .capacity = {32 << 10, 1 << 20, 8 << 20},
                                       .bandwidth = {64, 32, 16, 8}};
    return sa_latency_cpu(&CORE, (struct sa_penalties){true, true}, all);
}

/* EACH nests of a kernel in a. */
static bool draw_nests(struct arena *a, const struct task *t, const struct limits *limits, const struct nest **out,
                       struct err *err)
{
    struct space sp;
    static const struct space_options options = {
        .version = SPACE_V0_16, .max_vectorize = 16, .cpu_structure = "SSRSRS", .gpu_structure = "SSSRRSRS"};
    struct rng r;
    int n = 0;
    rng_seed(&r, 1);
    if (!space_open(&sp, a, t, limits, &options, err))
        return false;
    for (int i = 0; i < TRIES && n < EACH; i++) {
        struct nest *nest;
        struct state *s = draw_state(&sp, a, &r, NULL, NULL);
        if (s && space_fits(&sp, a, s, NULL) && lower(a, s, LAYOUT_NONE, &nest, NULL))
            out[n++] = nest;
    }
    return n == EACH || err_set(err, "only %d of %d random programs of '%s' are valid", n, EACH, t->name);
}

static bool take(struct bench_env *b, const struct limits *limits, struct reading *out, struct err *err)
{
    const struct task **kernels;
    int nkernels;
    if (!gauge_kernels(b, &kernels, &nkernels, err))
        return false;
    struct arena *drawn = arena_open("nests"), *a = arena_open("sa");
    const struct nest **nests = ARENA_ARRAY(drawn, const struct nest *, nkernels *EACH);
    bool fine = true;
    int n = nkernels * EACH;
    for (int i = 0; fine && i < nkernels; i++)
        fine = draw_nests(drawn, kernels[i], limits, &nests[i * EACH], err);
    for (int pass = 0; fine && pass <= PASSES; pass++) {
        double start = clock_now(), sum = 0;
        for (int i = 0; fine && i < n; i++) {
            struct nest_stores all;
            const struct nest *nest = limits->is_gpu ? cross_thread_nest(a, nests[i]) : nests[i];
            fine = nest_stores_find(a, nest, &all, err);
            sum += !fine ? 0 : limits->is_gpu ? gpu_ms(a, nest, &all) : cpu_ms(&all);
            arena_reset(a);
        }
        if (pass > 0 && sum > 0) /* the first warms caches */
            reading_add(out, n / (clock_now() - start));
    }
    out->about =
        arena_printf(b->arena, "model sa on %d nests of the %d conv2d kernels of resnet18, one core", n, nkernels);
    arena_close(a);
    arena_close(drawn);
    return fine;
}

bool bench_draft_gpu(struct bench_env *b, struct reading *out, struct err *err)
{
    struct limits limits = limits_cuda();
    return take(b, &limits, out, err);
}

bool bench_draft_cpu(struct bench_env *b, struct reading *out, struct err *err)
{
    struct limits limits = limits_cpu(b->cores);
    return take(b, &limits, out, err);
}
