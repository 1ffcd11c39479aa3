/* SPDX-License-Identifier: Apache-2.0 */
/* selection_loss: the re-timed programs are chained by kernel; each kernel of each cell then looks for its own along
 * the chain. */
#include "harness/report/data/selection_loss.h"

#include "harness/base/hash.h"
#include "harness/base/map.h"
#include "harness/base/text.h"
#include "harness/base/vec.h"

#include <math.h>

struct maker {
    const struct records *r;
    int *next;       /* of each re-timed trial: the one before of the same kernel; -1: none */
    struct map last; /* by hash of the kernel's spec */
    VEC(struct selection_loss_row) rows;
};

struct loss { /* of one kernel of one cell; programs 0: nothing is known */
    int programs;
    double chosen, own, best; /* re-timed seconds; NAN: not re-timed */
};

static const char *spec_of(const struct maker *m, int retimed)
{
    const struct scan_trial *t = record_scan_trial(&m->r->scan, m->r->retimed[retimed].trial);
    return t ? m->r->scan.cells[t->cell].tasks[t->task].spec : "";
}

static int last_of(const struct maker *m, const char *spec)
{
    uint64_t at;
    return map_get(&m->last, hash_str(spec), &at) ? (int)at : -1;
}

static void chain(struct maker *m)
{
    m->next = ARENA_ARRAY(m->r->a, int, m->r->nretimed + 1);
    for (int i = 0; i < m->r->nretimed; i++) {
        m->next[i] = last_of(m, spec_of(m, i));
        map_put(&m->last, hash_str(spec_of(m, i)), (uint64_t)i);
    }
}

static struct loss of_kernel(struct maker *m, int cell, int task)
{
    const struct record_scan *s = &m->r->scan;
    const struct store_task *t = &s->cells[cell].tasks[task];
    struct scan_place home = record_scan_measured(s, cell, task);
    int64_t chosen = records_kept(m->r, cell, task).trial;
    struct loss out = {.chosen = NAN, .own = NAN, .best = NAN};
    for (int i = last_of(m, t->spec); i >= 0; i = m->next[i]) {
        const struct retimed_trial *f = &m->r->retimed[i];
        const struct scan_trial *at = record_scan_trial(s, f->trial);
        if (!(f->median > 0) || !at)
            continue;
        if (f->trial == chosen)
            out.chosen = f->median;
        out.best = fmin(out.best, f->median);
        if ((at->cell != home.cell || at->task != home.task) && f->trial != t->seed_trial)
            continue;
        out.own = fmin(out.own, f->median);
        out.programs++;
    }
    return out;
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
static void add_row(struct maker *m, const char *network, const char *arm)
{
    struct sum s = {0};
    for (int i = 0; i < m->r->scan.ncells; i++) {
        const struct store_cell *c = &m->r->scan.cells[i];
        if (!str_eq(c->network, network) || !str_eq(c->arm, arm) || !str_eq(c->state, "done"))
            continue;
        for (int t = 0; t < c->ntasks; t++) {
            struct loss one = of_kernel(m, i, t);
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
    const struct store_cell *c = m->r->scan.cells;
    for (int i = 0; i < cell; i++)
        if (str_eq(c[i].arm, c[cell].arm) && (!by_network || str_eq(c[i].network, c[cell].network)))
            return false;
    return true;
}

void selection_loss_make(const struct records *r, struct selection_loss *out)
{
    struct maker m = {.r = r};
    *out = (struct selection_loss){0};
    if (r->nretimed == 0)
        return;
    chain(&m);
    for (int i = 0; i < r->scan.ncells; i++)
        if (first_cell(&m, i, true))
            add_row(&m, r->scan.cells[i].network, r->scan.cells[i].arm);
    for (int i = 0, nrows = m.rows.n; i < r->scan.ncells; i++)
        if (first_cell(&m, i, false))
            add_mean(&m, r->scan.cells[i].arm, nrows);
    vec_keep(r->a, &m.rows, &out->rows, &out->n);
    map_free(&m.last);
}
