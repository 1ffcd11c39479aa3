/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_shim: put before the CUDA C of a program, makes C of it that runs on the host. Blocks run one after the other.
 * The threads of a block are contexts (ucontext) that take turns at barriers: one that waits gives way to the next, and
 * when all have come the round begins again. Threads that wait at two places at once end the process: that is what a
 * barrier under a condition would be. Every other block runs its threads backwards, so that a missing barrier shows. */
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
#define __activemask() 0xffffffffu
#define __syncthreads() shim_wait(__LINE__)
#define __shfl_down_sync(mask, value, by, width) shim_shuffle((value), (by), (width), __LINE__)

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

enum { SHIM_THREADS = 1024, SHIM_STACK = 1 << 16, SHIM_ARGUMENTS = 32 };
struct shim_index {
    unsigned x, y, z;
};
static struct shim_index threadIdx, blockIdx;
static struct {
    ucontext_t scheduler, context[SHIM_THREADS];
    char *stack[SHIM_THREADS];
    int waits[SHIM_THREADS]; /* line at which the thread waits; 0: it has ended */
    double passed[SHIM_THREADS];
    int now, n;
    void (*kernel)(void);
    void *argument[SHIM_ARGUMENTS];
} shim;

static void __attribute__((unused)) shim_wait(int line)
{
    shim.waits[shim.now] = line;
    swapcontext(&shim.context[shim.now], &shim.scheduler);
}

static double __attribute__((unused)) shim_shuffle(double value, int by, int width, int line)
{
    int me = shim.now, from = me + by;
    shim.passed[me] = value;
    shim_wait(line);
    double got = me % width + by < width && from < shim.n ? shim.passed[from] : value;
    shim_wait(-line);
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

static void shim_block(const unsigned block[3], int backwards)
{
    for (int t = 0; t < shim.n; t++) {
        if (!shim.stack[t])
            shim.stack[t] = malloc(SHIM_STACK);
        getcontext(&shim.context[t]);
        shim.context[t].uc_stack.ss_sp = shim.stack[t];
        shim.context[t].uc_stack.ss_size = SHIM_STACK;
        shim.context[t].uc_link = &shim.scheduler;
        makecontext(&shim.context[t], shim_thread, 0);
        shim.waits[t] = 1 << 30; /* to begin */
    }
    for (int left = shim.n; left > 0;) {
        int line = 0;
        left = 0;
        for (int i = 0; i < shim.n; i++) {
            int t = backwards ? shim.n - 1 - i : i;
            if (!shim.waits[t])
                continue;
            shim_resume(t, block);
            if (shim.waits[t] && line && shim.waits[t] != line) {
                fprintf(stderr, "error: threads of a block wait at two places\n");
                abort();
            }
            line = shim.waits[t] ? shim.waits[t] : line;
            left += shim.waits[t] != 0;
        }
    }
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
