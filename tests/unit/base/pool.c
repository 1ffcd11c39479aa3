/* SPDX-License-Identifier: Apache-2.0 */
/* pool: every item once, by a thread number in range, over many loops of all sizes. Run it under MODE=tsan too. */
#include "harness/base/pool.h"
#include "tests/lib/tap.h"

#include <stdatomic.h>
#include <string.h>

enum { MOST = 5000 };

struct tally {
    int seen[MOST];
    atomic_int strangers;
    int threads;
};

static void work(void *ctx, int item, int thread)
{
    struct tally *t = ctx;
    t->seen[item]++;
    if (thread < 0 || thread >= t->threads)
        atomic_fetch_add(&t->strangers, 1);
}

static void test_threads(int want)
{
    static struct tally t;
    struct pool *p = pool_open(want);
    t.threads = pool_threads(p);
    ok(want < 1 ? t.threads >= 1 : t.threads == want, "a pool has the threads that were asked for (%d for %d)",
       t.threads, want);
    int wrong = 0;
    for (int n = 0; n <= MOST; n = n < 40 ? n + 1 : n * 3) {
        memset(t.seen, 0, sizeof t.seen);
        pool_for(p, n, work, &t);
        for (int i = 0; i < MOST; i++)
            wrong += t.seen[i] != (i < n);
    }
    is_int(wrong, 0, "every item is done once");
    is_int(atomic_load(&t.strangers), 0, "thread numbers are below the number of threads");
    pool_close(p);
}

int main(void)
{
    test_threads(1);
    test_threads(2);
    test_threads(5);
    test_threads(0);
    pool_close(NULL);
    return done_testing();
}
