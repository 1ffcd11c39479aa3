/* SPDX-License-Identifier: Apache-2.0 */
/* peak: loops of independent multiply-adds, and of loads, in the compiler's vector extension, once per instruction set.
 * The best of several short runs: a peak is a maximum, and other processes only slow it down. */
#include "targets/cpu/peak.h"

#include "harness/base/clock.h"
#include "targets/cpu/parallel.h"

#include <stdint.h>

#define CHAINS 12 /* latency 4 on two ports needs 8; SSE has 16 registers */
#define ITERATIONS 20000
#define LINES 256 /* 16 KiB */
/* A sanitizer's checks inside these loops would lower the measured peak. */
#define BARE __attribute__((noinline, no_sanitize("thread", "address", "undefined")))

/* Twelve variables and not an array: compilers keep those in registers at every level. The empty assembly says that all
 * are used and changed, without an instruction. */
#define EACH(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)
#define CHAIN_START(i) acc##i = x,
#define CHAIN_STEP(i) acc##i = acc##i * x + x;
#define KEEP(c)                                                                                                        \
    __asm__ volatile("" : "+" c(acc0), "+" c(acc1), "+" c(acc2), "+" c(acc3), "+" c(acc4), "+" c(acc5));               \
    __asm__ volatile("" : "+" c(acc6), "+" c(acc7), "+" c(acc8), "+" c(acc9), "+" c(acc10), "+" c(acc11));
#define MAKE_LOOPS(isa, bytes, attribute)                                                                              \
    typedef float vector_##isa __attribute__((vector_size(bytes)));                                                    \
    attribute BARE static void flops_##isa(void)                                                                       \
    {                                                                                                                  \
        vector_##isa x = (vector_##isa){0} + 1.0000001f, EACH(CHAIN_START) last = x;                                   \
        for (int t = 0; t < ITERATIONS; t++) {                                                                         \
            EACH(CHAIN_STEP)                                                                                           \
            KEEP_##isa                                                                                                 \
        }                                                                                                              \
        (void)last;                                                                                                    \
    }                                                                                                                  \
    attribute BARE static void reads_##isa(const char *from)                                                           \
    {                                                                                                                  \
        for (int t = 0; t < ITERATIONS / 20; t++)                                                                      \
            for (int i = 0; i < LINES * 64; i += 4 * (bytes)) {                                                        \
                vector_##isa a = *(const vector_##isa *)(from + i), b = *(const vector_##isa *)(from + i + (bytes));   \
                vector_##isa c = *(const vector_##isa *)(from + i + 2 * (bytes));                                      \
                vector_##isa d = *(const vector_##isa *)(from + i + 3 * (bytes));                                      \
                __asm__ volatile("" : : REG_##isa(a), REG_##isa(b), REG_##isa(c), REG_##isa(d));                       \
            }                                                                                                          \
    }

#if defined(__x86_64__)
#define KEEP_avx512 KEEP("v")
#define KEEP_avx2 KEEP("x")
#define KEEP_plain KEEP("x")
#define REG_avx512 "v"
#define REG_avx2 "x"
#define REG_plain "x"
MAKE_LOOPS(avx512, 64, __attribute__((target("avx512f,fma"))))
MAKE_LOOPS(avx2, 32, __attribute__((target("avx2,fma"))))
MAKE_LOOPS(plain, 16, )
#endif

struct peak_loops {
    void (*flops)(void);
    void (*reads)(const char *from);
    int bytes;
};

static struct peak_loops widest(int plain)
{
#if defined(__x86_64__)
    if (!plain && __builtin_cpu_supports("avx512f"))
        return (struct peak_loops){flops_avx512, reads_avx512, 64};
    if (!plain && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return (struct peak_loops){flops_avx2, reads_avx2, 32};
    return (struct peak_loops){flops_plain, reads_plain, 16};
#else
    (void)plain;
    return (struct peak_loops){0};
#endif
}

static void part_flops(int64_t lo, int64_t hi, void *env, int64_t thread)
{
    const struct peak_loops *r = env;
    (void)thread;
    for (int64_t i = lo; i < hi; i++)
        r->flops();
}

static void part_reads(int64_t lo, int64_t hi, void *env, int64_t thread)
{
    static _Alignas(64) char lines[LINES * 64];
    const struct peak_loops *r = env;
    (void)thread;
    for (int64_t i = lo; i < hi; i++)
        r->reads(lines);
}

/* Seconds that all threads take for one call each: the least of 40 measurements. */
static double best_time(void (*part)(int64_t lo, int64_t hi, void *env, int64_t thread), struct peak_loops *r,
                        int threads)
{
    double best = 1e9;
    for (int i = 0; i < 40; i++) {
        double start = clock_now();
        raingauge_parallel(part, r, threads);
        double seconds = clock_now() - start;
        best = seconds < best ? seconds : best;
    }
    return best;
}

double peak_measure_flops(int threads, int plain)
{
    struct peak_loops r = widest(plain);
    if (!r.flops)
        return 0;
    int lanes = r.bytes / 4;
    return 2.0 * CHAINS * ITERATIONS * lanes * threads / best_time(part_flops, &r, threads);
}

double peak_measure_bandwidth(int threads)
{
    struct peak_loops r = widest(0);
    if (!r.reads)
        return 0;
    int iterations = ITERATIONS / 20;
    return 64.0 * LINES * iterations * threads / best_time(part_reads, &r, threads);
}
