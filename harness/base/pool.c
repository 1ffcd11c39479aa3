/* SPDX-License-Identifier: Apache-2.0 */
/* pool: threads that take items from one atomic counter. Between loops they stay awake for a moment, as a search has
 * hundreds of loops a round and a wake-up takes tens of microseconds, then they wait on a condition. The caller works
 * too, as thread 0. */
#include "harness/base/pool.h"

#include "harness/base/clock.h"
#include "harness/base/cpus.h"
#include "harness/base/err.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define AWAKE_S 100e-6 /* after a loop: longer than what a search does between two */

struct pool;
struct pool_thread {
    struct pool *pool;
    pthread_t thread;
    int index;
};

struct pool {
    pthread_mutex_t lock;
    pthread_cond_t start, done;
    struct pool_thread *others; /* threads 1..n-1 */
    int threads;
    double awake_s;          /* 0: there are fewer cores than threads */
    atomic_uint round, busy; /* a new number starts the others; how many of them work */
    bool closing;
    int n;
    void (*work)(void *ctx, int item, int thread);
    void *ctx;
    atomic_int next;
};

static void pool_work(struct pool *p, int thread)
{
    for (int item; (item = atomic_fetch_add_explicit(&p->next, 1, memory_order_relaxed)) < p->n;)
        p->work(p->ctx, item, thread);
}

/* Until the number is the value; who makes it that signals the condition under the lock. */
static void await(struct pool *p, atomic_uint *number, unsigned value, pthread_cond_t *cond)
{
    for (double until = clock_now() + p->awake_s; clock_now() < until;)
        if (atomic_load(number) == value)
            return;
    pthread_mutex_lock(&p->lock);
    while (atomic_load(number) != value)
        pthread_cond_wait(cond, &p->lock);
    pthread_mutex_unlock(&p->lock);
}

static void next_round(struct pool *p)
{
    pthread_mutex_lock(&p->lock);
    atomic_fetch_add(&p->round, 1);
    pthread_cond_broadcast(&p->start);
    pthread_mutex_unlock(&p->lock);
}

static void *thread_main(void *arg)
{
    struct pool_thread *t = arg;
    struct pool *p = t->pool;
    for (unsigned round = 1;; round++) { /* no thread misses one: each is waited for */
        await(p, &p->round, round, &p->start);
        if (p->closing)
            return NULL;
        pool_work(p, t->index);
        if (atomic_fetch_sub(&p->busy, 1) > 1)
            continue;
        pthread_mutex_lock(&p->lock);
        pthread_cond_signal(&p->done);
        pthread_mutex_unlock(&p->lock);
    }
}

/* Signals are for the main thread: the others never run a handler. Fewer threads than asked for is slower, not wrong.
 */
static void pool_start(struct pool *p, int want)
{
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    for (int i = 1; i < want; i++) {
        struct pool_thread *t = &p->others[i - 1];
        *t = (struct pool_thread){.pool = p, .index = i};
        if (pthread_create(&t->thread, NULL, thread_main, t) != 0)
            break;
        p->threads = i + 1;
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

struct pool *pool_open(int nthreads)
{
    if (nthreads < 1)
        nthreads = cpus_usable();
    struct pool *p = calloc(1, sizeof *p);
    if (!p || !(p->others = calloc((size_t)nthreads, sizeof *p->others)))
        bug("out of memory for %d threads", nthreads);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->start, NULL);
    pthread_cond_init(&p->done, NULL);
    p->threads = 1;
    p->awake_s = nthreads <= cpus_usable() ? AWAKE_S : 0;
    pool_start(p, nthreads);
    return p;
}

void pool_close(struct pool *p)
{
    if (!p)
        return;
    p->closing = true;
    next_round(p);
    for (int i = 1; i < p->threads; i++)
        pthread_join(p->others[i - 1].thread, NULL);
    pthread_cond_destroy(&p->start);
    pthread_cond_destroy(&p->done);
    pthread_mutex_destroy(&p->lock);
    free(p->others);
    free(p);
}

int pool_threads(const struct pool *p)
{
    return p ? p->threads : 1;
}

void pool_for(struct pool *p, int n, void (*work)(void *ctx, int item, int thread), void *ctx)
{
    for (int i = 0; i < n && !p; i++)
        work(ctx, i, 0);
    if (!p)
        return;
    p->n = n;
    p->work = work;
    p->ctx = ctx;
    atomic_store(&p->next, 0);
    atomic_store(&p->busy, n > 1 ? (unsigned)p->threads - 1 : 0);
    if (atomic_load(&p->busy) > 0)
        next_round(p);
    pool_work(p, 0);
    await(p, &p->busy, 0, &p->done);
}
