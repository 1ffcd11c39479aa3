/* SPDX-License-Identifier: Apache-2.0 */
/* selection_loss: all shoot-out times are read once and chained by kernel; each kernel of each cell then looks for its
 * own along the chain. */
#include "harness/report/data/selection_loss.h"

#include "harness/base/hash.h"
#include "harness/base/map.h"
#include "harness/base/text.h"
#include "harness/base/vec.h"
#include "harness/record/retiming.h"
#include "harness/report/data/arm_result.h"
#include "harness/stats/summary.h"

#include <math.h>

struct maker {
    struct arena *a;
    struct store *s;
    struct arm_results sides;
    const struct retimed_program *finals; /* trials that were timed again, by cell and task */
    double *times;                        /* of each; NAN: no launch worked */
    int nfinals, *next;                   /* the one before of the same kernel; -1: none */
    struct map last;                      /* by hash of the kernel's spec */
    VEC(struct selection_loss_row) rows;
    struct err *err;
};

struct loss { /* of one kernel of one cell; programs 0: nothing is known */
    int programs;
    double chosen, own, best; /* shoot-out times; NAN: not timed again */
};

static const char *spec_of(const struct maker *m, const struct retimed_program *f)
{
    return m->sides.cells[f->cell].tasks[f->task].spec;
}

static int last_of(const struct maker *m, const char *spec)
{
    uint64_t at;
    return map_get(&m->last, hash_str(spec), &at) ? (int)at : -1;
}

static bool read_times(struct maker *m)
{
    if (!retimed_programs(m->s, m->a, &m->finals, &m->nfinals, m->err))
        return false;
    m->times = ARENA_ARRAY(m->a, double, m->nfinals + 1);
    m->next = ARENA_ARRAY(m->a, int, m->nfinals + 1);
    for (int i = 0; i < m->nfinals; i++) {
        double readings[RETIMING_LAUNCHES];
        int n;
        if (!arm_result_launches(m->s, m->a, m->finals[i].trial, readings, &n, m->err))
            return false;
        m->times[i] = n ? summary_median(readings, n) : NAN;
        m->next[i] = last_of(m, spec_of(m, &m->finals[i]));
        map_put(&m->last, hash_str(spec_of(m, &m->finals[i])), (uint64_t)i);
    }
    return true;
}

/* The program the arm would hand over: its best record, or its seed when that one's record is better. */
static bool choose(struct maker *m, int cell, int task, int64_t *trial)
{
    int64_t seed_trial = m->sides.cells[cell].tasks[task].seed_trial;
    struct record best, seed;
    bool found;
    *trial = 0;
    if (!store_best(m->s, m->a, (struct store_part){cell, task, 0}, &best, &found, m->err) ||
        (seed_trial && !store_record(m->s, m->a, seed_trial, &seed, m->err)))
        return false;
    const struct record *kept = record_best(found ? &best : NULL, seed_trial ? &seed : NULL);
    *trial = kept ? kept->id : 0;
    return true;
}

static bool of_kernel(struct maker *m, int cell, int task, struct loss *out)
{
    const struct store_task *t = &m->sides.cells[cell].tasks[task];
    int home = t->shared_cell >= 0 ? t->shared_cell : cell;
    int64_t chosen;
    *out = (struct loss){.chosen = NAN, .own = NAN, .best = NAN};
    if (!choose(m, cell, task, &chosen))
        return false;
    for (int i = last_of(m, t->spec); i >= 0; i = m->next[i]) {
        const struct retimed_program *f = &m->finals[i];
        if (!(m->times[i] > 0))
            continue;
        if (f->trial == chosen)
            out->chosen = m->times[i];
        out->best = fmin(out->best, m->times[i]);
        if ((f->cell != home || f->task != task) && f->trial != t->seed_trial)
            continue;
        out->own = fmin(out->own, m->times[i]);
        out->programs++;
    }
    return true;
}

/* ---- rows ---- */

struct sum {
    int n;
    double programs, selection, exploration; /* the latter two in logs */
};

static struct selection_loss_row row_of(const char *network, const char *arm, const struct sum *s)
{
    double selection = exp(s->selection / s->n), exploration = exp(s->exploration / s->n);
    return (struct selection_loss_row){.network = network,
                                       .arm = arm,
                                       .kernels = s->n,
                                       .programs = s->programs / s->n,
                                       .selection = selection,
                                       .exploration = exploration,
                                       .whole = selection * exploration};
}

/* All seeds of an arm on a network. */
static bool add_row(struct maker *m, const char *network, const char *arm)
{
    struct sum s = {0};
    for (int i = 0; i < m->sides.ncells; i++) {
        const struct store_cell *c = &m->sides.cells[i];
        if (!str_eq(c->network, network) || !str_eq(c->arm, arm) || !str_eq(c->state, "done"))
            continue;
        for (int t = 0; t < c->ntasks; t++) {
            struct loss one;
            if (!of_kernel(m, i, t, &one))
                return false;
            if (!(one.chosen > 0) || !(one.own > 0))
                continue;
            s.n++;
            s.programs += one.programs;
            s.selection += log(one.chosen / one.own);
            s.exploration += log(one.own / one.best);
        }
    }
    if (s.n)
        vec_push(&m->rows, row_of(network, arm, &s));
    return true;
}

/* The geometric mean of an arm's networks, each once. */
static void add_mean(struct maker *m, const char *arm, int nrows)
{
    struct sum s = {0};
    int kernels = 0;
    for (int i = 0; i < nrows; i++) {
        const struct selection_loss_row *r = &m->rows.at[i];
        if (!str_eq(r->arm, arm))
            continue;
        s.n++;
        kernels += r->kernels;
        s.programs += r->programs;
        s.selection += log(r->selection);
        s.exploration += log(r->exploration);
    }
    if (s.n == 0)
        return;
    struct selection_loss_row mean = row_of(NULL, arm, &s);
    mean.kernels = kernels;
    vec_push(&m->rows, mean);
}

/* Is this the first cell of its arm (and network, when that counts)? */
static bool first_cell(const struct maker *m, int cell, bool by_network)
{
    const struct store_cell *c = m->sides.cells;
    for (int i = 0; i < cell; i++)
        if (str_eq(c[i].arm, c[cell].arm) && (!by_network || str_eq(c[i].network, c[cell].network)))
            return false;
    return true;
}

static bool make_rows(struct maker *m)
{
    for (int i = 0; i < m->sides.ncells; i++)
        if (first_cell(m, i, true) && !add_row(m, m->sides.cells[i].network, m->sides.cells[i].arm))
            return false;
    for (int i = 0, nrows = m->rows.n; i < m->sides.ncells; i++)
        if (first_cell(m, i, false))
            add_mean(m, m->sides.cells[i].arm, nrows);
    return true;
}

bool selection_loss_make(struct arena *a, struct store *s, struct selection_loss *out, struct err *err)
{
    struct maker m = {.a = a, .s = s, .err = err};
    *out = (struct selection_loss){0};
    bool fine = arm_results_open(&m.sides, a, s, err) && read_times(&m) && (m.nfinals == 0 || make_rows(&m));
    if (fine && m.rows.n) {
        out->rows = ARENA_DUP(a, m.rows.at, struct selection_loss_row, m.rows.n);
        out->n = m.rows.n;
    }
    map_free(&m.last);
    vec_free(&m.rows);
    return fine;
}
