/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/tune/disturbed.h"

#include "harness/base/clock.h"
#include "harness/base/log.h"
#include "harness/record/take_out.h"
#include "harness/record/tally.h"
#include "harness/tune/plan.h"

#include <inttypes.h>

static bool mark(struct store *s, const struct take_out *t, struct err *err)
{
    for (int i = 0; i < t->n; i++) {
        const struct store_cell *c = &t->cells[i];
        struct cpu_contention others;
        if (!tally_others(s, i, &others, err))
            return false;
        double share = cpu_contention_share(&others);
        t->marked[i] = share > CPU_CONTENTION_MOST;
        if (t->marked[i])
            log_info("%s, %s, seed %" PRId64 ": other programs and the machine's host took %.0f %% of its CPU time",
                     c->network, c->arm, c->seed, 100 * share);
    }
    return true;
}

/* Arms of one network and seed are searched side by side; who takes kernels from a cell needs it as it is. */
static bool stands_beside(const struct take_out *t, const struct store_cell *c)
{
    bool yes = false;
    for (int i = 0; i < t->n && !yes; i++)
        yes = t->marked[i] && plan_same_block(&t->cells[i].keys, &c->keys);
    for (int i = 0; i < c->ntasks && !yes; i++)
        yes = c->tasks[i].shared_cell >= 0 && t->marked[c->tasks[i].shared_cell];
    return yes;
}

static void mark_beside(const struct take_out *t)
{
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < t->n; i++)
            if (!t->marked[i] && stands_beside(t, &t->cells[i]))
                t->marked[i] = more = true;
    }
}

static bool leave(struct store *s, struct arena *a, const char *dir, struct take_out *t, struct err *err)
{
    int disturbed = 0, all = 0;
    double took = 0;
    const char *kept;
    char time[32];
    for (int i = 0; i < t->n; i++)
        disturbed += t->marked[i];
    if (!disturbed) {
        log_info("no search lost more than %.0f %% of its CPU time to others: none is made again",
                 100 * CPU_CONTENTION_MOST);
        return true;
    }
    mark_beside(t);
    for (int i = 0; i < t->n; i++) {
        all += t->marked[i];
        took += t->marked[i] ? t->cells[i].elapsed_s : 0;
    }
    clock_format(took, time, sizeof time);
    t->why = arena_printf(a,
                          "of %d search%s others took more than %.0f %% of the CPU time: with %d beside them "
                          "they are made again, after %s the first time",
                          disturbed, disturbed == 1 ? "" : "es", 100 * CPU_CONTENTION_MOST, all - disturbed, time);
    if (!take_out(s, a, dir, t, &kept, err))
        return false;
    log_info("%s; then all programs are timed again; the records as they were: '%s'", t->why, kept);
    return true;
}

bool disturbed_take_out(struct store *s, const char *dir, double unix_s, struct err *err)
{
    struct arena *a = arena_open("disturbed");
    struct store_cell *cells;
    int n;
    bool fine = store_cells(s, a, &cells, &n, err);
    if (fine) {
        struct take_out t = {.cells = cells, .n = n, .marked = ARENA_ARRAY(a, bool, n + 1), .unix_s = unix_s};
        fine = mark(s, &t, err) && leave(s, a, dir, &t, err);
    }
    arena_close(a);
    return fine;
}
