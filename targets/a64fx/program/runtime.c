/* SPDX-License-Identifier: Apache-2.0 */
/* runtime: parallel loops in one thread, workspaces, and the C library's functions (targets/cpu/parallel.h says what
 * each is to do). */
#include "targets/a64fx/program/runtime.h"

#include "targets/cpu/parallel.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static int threads = 1;

void runtime_threads(int n)
{
    threads = n > 1 ? n : 1;
}

static void emulated_parallel(void (*body)(int64_t lo, int64_t hi, void *env, int64_t thread), void *env, int64_t n)
{
    int64_t each = (n + threads - 1) / threads;
    for (int64_t t = 0; t < threads; t++) {
        int64_t lo = each * t, hi = lo + each < n ? lo + each : n;
        if (lo < hi)
            body(lo, hi, env, t);
    }
}

static void emulated_launch(void (*task)(int32_t id, int32_t n, void *env), void *env)
{
    for (int32_t i = 0; i < threads; i++)
        task(i, threads, env);
}

static void *emulated_workspace(void *memory)
{
    return memory;
}

static void emulated_workspace_end(void *memory)
{
    (void)memory;
}

uint64_t runtime_find(const char *name)
{
#define CALLABLE(f) {#f, (uintptr_t)(f)}
    const struct {
        const char *name;
        uintptr_t at;
    } table[] = {{"raingauge_parallel", (uintptr_t)emulated_parallel},
                 {"raingauge_launch", (uintptr_t)emulated_launch},
                 {"raingauge_workspace", (uintptr_t)emulated_workspace},
                 {"raingauge_workspace_end", (uintptr_t)emulated_workspace_end},
                 KERNEL_CALLS(CALLABLE)};
#undef CALLABLE
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(table[i].name, name))
            return table[i].at;
    return 0;
}
