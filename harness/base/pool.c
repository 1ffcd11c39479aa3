/* SPDX-License-Identifier: Apache-2.0 */
/* pool: threads that wait on a condition and take items from one atomic counter. A loop costs two wake-ups, so it is
 * for items of tens of microseconds and more. The caller works too, as thread 0. */
#include "harness/base/pool.h"

#include "harness/base/cpus.h"
#include "harness/base/err.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    int threads, busy;
    uint64_t round; /* a new number starts them */
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

static void *thread_main(void *arg)
{
    struct pool_thread *t = arg;
    struct pool *p = t->pool;
    uint64_t seen = 0;
    pthread_mutex_lock(&p->lock);
    for (;;) {
        while (p->round == seen && !p->closing)
            pthread_cond_wait(&p->start, &p->lock);
        if (p->closing)
            break;
        seen = p->round;
        pthread_mutex_unlock(&p->lock);
        pool_work(p, t->index);
        pthread_mutex_lock(&p->lock);
        if (--p->busy == 0)
            pthread_cond_signal(&p->done);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
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
    pool_start(p, nthreads);
    return p;
}

void pool_close(struct pool *p)
{
    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    p->closing = true;
    pthread_cond_broadcast(&p->start);
    pthread_mutex_unlock(&p->lock);
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
    pthread_mutex_lock(&p->lock);
    p->n = n;
    p->work = work;
    p->ctx = ctx;
    atomic_store_explicit(&p->next, 0, memory_order_relaxed);
    p->busy = n > 1 ? p->threads - 1 : 0;
    if (p->busy) {
        p->round++;
        pthread_cond_broadcast(&p->start);
    }
    pthread_mutex_unlock(&p->lock);
    pool_work(p, 0);
    pthread_mutex_lock(&p->lock);
    while (p->busy > 0)
        pthread_cond_wait(&p->done, &p->lock);
    pthread_mutex_unlock(&p->lock);
}
