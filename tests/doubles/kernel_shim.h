/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_shim: put before the CUDA C of a program, makes C of it that runs on the host. Blocks run one after the other.
 * The threads of a block are contexts (ucontext) that take turns: one that waits gives way to the next. At a barrier
 * they go on when all of the block wait there, at a shuffle when the lanes of its mask do. If none can go on (a barrier
 * under a condition, a mask of a lane that does not come or is not there) the process ends. What is read from a lane
 * outside of the mask is a number that no test has. Every other block runs its threads backwards, so that a missing
 * barrier shows. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define __global__
#define __launch_bounds__(n)
#define __shared__ static
#define __align__(n) __attribute__((aligned(n)))
#define __expf expf
#define __logf logf
#define max(a, b)                                                                                                      \
    __extension__({                                                                                                    \
        __auto_type a_ = (a);                                                                                          \
        __auto_type b_ = (b);                                                                                          \
        a_ > b_ ? a_ : b_;                                                                                             \
    })
#define min(a, b)                                                                                                      \
    __extension__({                                                                                                    \
        __auto_type a_ = (a);                                                                                          \
        __auto_type b_ = (b);                                                                                          \
        a_ < b_ ? a_ : b_;                                                                                             \
    })
#define __syncthreads() shim_wait(0, __LINE__)
#define __syncwarp(mask) shim_wait(shim_mask(mask), __LINE__)
#define __shfl_down_sync(mask, value, by, width) shim_shuffle((mask), (value), (width), shim_down(by, width), __LINE__)
#define __shfl_sync(mask, value, from, width) shim_shuffle((mask), (value), (width), (from), __LINE__)

struct shim_float2 {
    float x, y;
};
struct shim_float4 {
    float x, y, z, w;
};
struct shim_int2 {
    int x, y;
};
struct shim_int4 {
    int x, y, z, w;
};
#define float2 struct shim_float2
#define float4 struct shim_float4
#define int2 struct shim_int2
#define int4 struct shim_int4
#define make_float2(a, b) ((float2){a, b})
#define make_float4(a, b, c, d) ((float4){a, b, c, d})
#define make_int2(a, b) ((int2){a, b})
#define make_int4(a, b, c, d) ((int4){a, b, c, d})

enum { SHIM_THREADS = 1024, SHIM_STACK = 1 << 16, SHIM_ARGUMENTS = 32, SHIM_WARP = 32 };
struct shim_index {
    unsigned x, y, z;
};
static struct shim_index threadIdx, blockIdx;
static struct {
    ucontext_t scheduler, context[SHIM_THREADS];
    char *stack[SHIM_THREADS];
    int waits[SHIM_THREADS];     /* line at which the thread waits; 0: it has ended */
    unsigned mask[SHIM_THREADS]; /* for these lanes of its warp; 0: for the block */
    char ready[SHIM_THREADS];    /* it waits no longer */
    double passed[SHIM_THREADS];
    int now, n;
    void (*kernel)(void);
    void *argument[SHIM_ARGUMENTS];
} shim;

static void shim_fail(const char *why)
{
    fprintf(stderr, "error: %s\n", why);
    abort();
}

static void __attribute__((unused)) shim_wait(unsigned mask, int line)
{
    shim.waits[shim.now] = line;
    shim.mask[shim.now] = mask;
    swapcontext(&shim.context[shim.now], &shim.scheduler);
}

static unsigned __attribute__((unused)) shim_mask(unsigned mask)
{
    if (!(mask >> shim.now % SHIM_WARP & 1))
        shim_fail("a lane waits for others by a mask that does not name it");
    return mask;
}

/* The lane that is so far on; of its own number when that is not in its part of the warp. */
static int __attribute__((unused)) shim_down(int by, int width)
{
    int lane = shim.now % width;
    return lane + by < width ? lane + by : lane;
}

/* The value of lane number `from` of the thread's part of its warp, of width lanes. */
static double __attribute__((unused)) shim_shuffle(unsigned mask, double value, int width, int from, int line)
{
    int lane = shim.now % SHIM_WARP / width * width + from, source = shim.now / SHIM_WARP * SHIM_WARP + lane;
    shim.passed[shim.now] = value;
    shim_wait(shim_mask(mask), line);
    double got = mask >> lane & 1 ? shim.passed[source] : 123456789;
    shim_wait(mask, -line);
    return got;
}

#define A(i) shim.argument[i]
static void shim_thread(void)
{
    void (*call)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *,
                 void *, void *, void *) = (void *)shim.kernel;
    call(A(0), A(1), A(2), A(3), A(4), A(5), A(6), A(7), A(8), A(9), A(10), A(11), A(12), A(13), A(14), A(15));
    shim.waits[shim.now] = 0;
}
#undef A

static void shim_resume(int t, const unsigned block[3])
{
    shim.now = t;
    threadIdx = (struct shim_index){(unsigned)t % block[0], (unsigned)t / block[0] % block[1],
                                    (unsigned)t / block[0] / block[1]};
    swapcontext(&shim.scheduler, &shim.context[t]);
}

static void shim_begin(int t)
{
    if (!shim.stack[t])
        shim.stack[t] = malloc(SHIM_STACK);
    getcontext(&shim.context[t]);
    shim.context[t].uc_stack.ss_sp = shim.stack[t];
    shim.context[t].uc_stack.ss_size = SHIM_STACK;
    shim.context[t].uc_link = &shim.scheduler;
    makecontext(&shim.context[t], shim_thread, 0);
    shim.waits[t] = 1 << 30;
    shim.ready[t] = 1;
}

/* Whether all lanes that thread t waits for wait there, too. */
static int shim_lanes_came(int t)
{
    int first = t / SHIM_WARP * SHIM_WARP;
    for (int lane = 0; lane < SHIM_WARP; lane++) {
        int other = first + lane;
        if (!(shim.mask[t] >> lane & 1))
            continue;
        if (other >= shim.n || !shim.waits[other])
            shim_fail("a mask names a lane that is not there");
        if (shim.waits[other] != shim.waits[t] || shim.mask[other] != shim.mask[t])
            return 0;
    }
    return 1;
}

static void shim_release_lanes(int t)
{
    int first = t / SHIM_WARP * SHIM_WARP;
    for (int lane = 0; lane < SHIM_WARP; lane++)
        if (shim.mask[t] >> lane & 1)
            shim.ready[first + lane] = 1;
}

/* Lets those go on that may, when no thread is ready. How many threads there still are. */
static int shim_release(void)
{
    int left = 0, released = 0, line = 0;
    for (int t = 0; t < shim.n; t++) {
        left += shim.waits[t] != 0;
        if (shim.waits[t] && shim.mask[t] && !shim.ready[t] && shim_lanes_came(t)) {
            shim_release_lanes(t);
            released = 1;
        }
    }
    if (released)
        return left;
    for (int t = 0; t < shim.n; t++) {
        if (!shim.waits[t])
            continue;
        if (shim.mask[t] || (line && shim.waits[t] != line))
            shim_fail("threads of a block wait at two places");
        line = shim.waits[t];
        shim.ready[t] = 1;
    }
    return left;
}

static void shim_block(const unsigned block[3], int backwards)
{
    for (int t = 0; t < shim.n; t++)
        shim_begin(t);
    do {
        for (int i = 0; i < shim.n; i++) {
            int t = backwards ? shim.n - 1 - i : i;
            if (!shim.ready[t])
                continue;
            shim.ready[t] = 0;
            shim_resume(t, block);
        }
    } while (shim_release());
}

/* When the code is unloaded. */
static void __attribute__((destructor)) shim_end(void)
{
    for (int t = 0; t < SHIM_THREADS; t++)
        free(shim.stack[t]);
}

/* Runs a kernel; arguments as cuLaunchKernel has them: pointers to the values. */
void shim_launch(void (*kernel)(void), int n, void **arguments, const unsigned grid[3], const unsigned block[3])
{
    shim.kernel = kernel;
    shim.n = (int)(block[0] * block[1] * block[2]);
    memset(shim.argument, 0, sizeof shim.argument);
    for (int i = 0; i < n; i++)
        memcpy(&shim.argument[i], arguments[i], sizeof(void *));
    for (unsigned z = 0; z < grid[2]; z++)
        for (unsigned y = 0; y < grid[1]; y++)
            for (unsigned x = 0; x < grid[0]; x++) {
                blockIdx = (struct shim_index){x, y, z};
                shim_block(block, (x + y + z) % 2);
            }
}
