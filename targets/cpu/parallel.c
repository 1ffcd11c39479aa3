/* SPDX-License-Identifier: Apache-2.0 */
/* parallel: a persistent OpenMP team behind a barrier of our own.
 *
 * A kernel of 10 microseconds needs loops that start in well under one. So the team stays inside one `omp parallel`
 * region and waits by spinning; after SPIN polls a thread sleeps on a futex, so that building and verifying get the
 * cores. The region is entered by a helper thread, not by the caller: a runner is a forked process, and a forked
 * libgomp only works for threads that are new in the child. Thread t is pinned to the t-th CPU the process may use. */
#include "targets/cpu/parallel.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SPIN 20000

struct team {
    int threads;
    bool running;
    pthread_t helper;
    _Alignas(64) _Atomic uint32_t round; /* one more per loop; body, env and n share its cache line */
    void (*body)(int64_t lo, int64_t hi, void *env, int64_t thread);
    void *env;
    int64_t n;
    _Alignas(64) _Atomic uint32_t asleep;
    _Alignas(64) _Atomic int left; /* workers not yet done */
    _Atomic bool stop;
    cpu_set_t cpus;
};
static struct team team;

static inline void pause_cpu(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

static void pin(int thread)
{
    int n = CPU_COUNT(&team.cpus), want = n ? thread % n : 0;
    for (int c = 0; c < CPU_SETSIZE; c++)
        if (CPU_ISSET(c, &team.cpus) && want-- == 0) {
            cpu_set_t one;
            CPU_ZERO(&one);
            CPU_SET(c, &one);
            pthread_setaffinity_np(pthread_self(), sizeof one, &one); /* not allowed: run unpinned */
            return;
        }
}

static void work(int thread)
{
    int64_t each = (team.n + team.threads - 1) / team.threads, lo = each * thread, hi = lo + each;
    hi = hi < team.n ? hi : team.n;
    if (lo < hi)
        team.body(lo, hi, team.env, thread);
}

/* Waits until the round is no longer the one seen. */
static void wait_round(uint32_t seen)
{
    for (int i = 0; i < SPIN; i++) {
        if (atomic_load_explicit(&team.round, memory_order_acquire) != seen)
            return;
        pause_cpu();
    }
    atomic_fetch_add(&team.asleep, 1);
    while (atomic_load(&team.round) == seen)
        syscall(SYS_futex, &team.round, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
    atomic_fetch_sub(&team.asleep, 1);
}

static void next_round(void)
{
    atomic_fetch_add(&team.round, 1);
    if (atomic_load(&team.asleep))
        syscall(SYS_futex, &team.round, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

static void serve(int thread)
{
    uint32_t seen = 0;
    pin(thread);
    for (;;) {
        wait_round(seen);
        seen++;
        if (atomic_load(&team.stop))
            return;
        work(thread);
        atomic_fetch_sub_explicit(&team.left, 1, memory_order_release);
    }
}

static void *helper_main(void *unused)
{
    int workers = team.threads - 1;
#pragma omp parallel for num_threads(workers) schedule(static, 1)
    for (int t = 0; t < workers; t++)
        serve(t + 1);
    return unused;
}

/* The CPUs to run on. OpenMP may have bound this thread to one already; then all that the kernel lets the process have.
 */
static void find_cpus(void)
{
    cpu_set_t all;
    sched_getaffinity(0, sizeof team.cpus, &team.cpus);
    if (CPU_COUNT(&team.cpus) >= team.threads)
        return;
    memset(&all, 0xff, sizeof all);
    if (!sched_setaffinity(0, sizeof all, &all))
        sched_getaffinity(0, sizeof team.cpus, &team.cpus);
}

static void start(void)
{
    find_cpus();
    atomic_store(&team.round, 0);
    atomic_store(&team.stop, false);
    pin(0);
    team.running = pthread_create(&team.helper, NULL, helper_main, NULL) == 0;
    if (!team.running)
        team.threads = 1;
}

void parallel_stop(void)
{
    if (!team.running)
        return;
    atomic_store(&team.stop, true);
    next_round();
    pthread_join(team.helper, NULL);
    pthread_setaffinity_np(pthread_self(), sizeof team.cpus, &team.cpus);
    team.running = false;
}

void parallel_threads(int threads)
{
    parallel_stop();
    team.threads = threads > 1 ? threads : 1;
}

void raingauge_parallel(void (*body)(int64_t lo, int64_t hi, void *env, int64_t thread), void *env, int64_t n)
{
    if (n <= 1 || team.threads <= 1) {
        if (n > 0)
            body(0, n, env, 0);
        return;
    }
    if (!team.running)
        start();
    team.body = body;
    team.env = env;
    team.n = n;
    atomic_store_explicit(&team.left, team.threads - 1, memory_order_relaxed);
    if (team.running)
        next_round();
    work(0);
    for (int i = 0; team.running && atomic_load_explicit(&team.left, memory_order_acquire) != 0; i++) {
        if (i > SPIN) /* fewer cores than threads: let the others run */
            sched_yield();
        pause_cpu();
    }
}

struct launch {
    void (*task)(int32_t id, int32_t n, void *env);
    void *env;
    int32_t n;
};

static void run_tasks(int64_t lo, int64_t hi, void *env, int64_t thread)
{
    const struct launch *l = env;
    (void)thread;
    for (int64_t i = lo; i < hi; i++)
        l->task((int32_t)i, l->n, l->env);
}

void raingauge_launch(void (*task)(int32_t id, int32_t n, void *env), void *env)
{
    struct launch l = {.task = task, .env = env, .n = team.threads > 1 ? team.threads : 1};
    raingauge_parallel(run_tasks, &l, l.n);
}

void *raingauge_workspace(void *memory)
{
    return memory;
}

void raingauge_workspace_end(void *memory)
{
    (void)memory;
}
