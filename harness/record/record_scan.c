/* SPDX-License-Identifier: Apache-2.0 */
/* record_scan: trials are read in the order of their ids, which within a cell is the order of measuring: so the first k
 * records of a kernel are the first k that come, and of equally fast records the first one stays the best. */
#include "harness/record/record_scan.h"

#include "harness/base/hash.h"
#include "harness/base/map.h"
#include "harness/base/text.h"
#include "harness/base/vec.h"
#include "harness/record/database.h"
#include "harness/record/lost_trials.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct row { /* of the table of trials */
    int64_t id, ordinal, task_ordinal;
    int cell, task, round;
    double mean_s, cost_s, wall_s, run_s, verify_s, elapsed_s; /* mean_s NAN: not valid */
};
struct checked { /* a slow trial that was timed in full, too */
    double error, computed_s, full_s;
    int64_t id;
};
struct found_step { /* steps of all kernels, until they are sorted by kernel */
    int cell, task;
    struct scan_step step;
};
struct reader {
    struct arena *a;
    struct store *s;
    struct record_scan *out;
    int next; /* of out->trials, the first whose id has not come yet */
    VEC(struct found_step) steps;
    VEC(struct tally_failure) failures;
    VEC(struct checked) checked;
    VEC(double) alone;
    struct map reasons; /* by hash of outcome and message: index in failures */
    struct err *err;
};

/* ---- what is asked for ---- */

static int by_id(const void *a, const void *b)
{
    const struct scan_trial *x = a, *y = b;
    return x->id < y->id ? -1 : x->id > y->id;
}

static void prepare_trials(struct reader *r, const int64_t *asked, int nasked)
{
    VEC(struct scan_trial) all = {0};
    for (int i = 0; i < nasked; i++)
        vec_push(&all, (struct scan_trial){.id = asked[i], .cell = -1, .mean_s = INFINITY});
    for (int c = 0; c < r->out->ncells; c++)
        for (int t = 0; t < r->out->cells[c].ntasks; t++)
            if (r->out->cells[c].tasks[t].seed_trial)
                vec_push(&all, (struct scan_trial){
                                   .id = r->out->cells[c].tasks[t].seed_trial, .cell = -1, .mean_s = INFINITY});
    if (all.n)
        qsort(all.at, (size_t)all.n, sizeof *all.at, by_id);
    r->out->trials = ARENA_ARRAY(r->a, struct scan_trial, all.n + 1);
    for (int i = 0; i < all.n; i++)
        if (i == 0 || all.at[i].id != all.at[i - 1].id)
            r->out->trials[r->out->ntrials++] = all.at[i];
    vec_free(&all);
}

int64_t record_scan_k(const struct store_cell *c)
{
    return c->k ? c->k + c->k_plus_one : 0;
}

static bool has_k(const struct scan_cell *c, int64_t k)
{
    for (int i = 0; i < c->nk; i++)
        if (c->k[i] == k)
            return true;
    return k == 0;
}

static void prepare_cells(struct reader *r)
{
    struct record_scan *s = r->out;
    s->of = ARENA_ARRAY(r->a, struct scan_cell, s->ncells + 1);
    for (int c = 0; c < s->ncells; c++) {
        int from = s->cells[c].explore_cell;
        if (from < 0 || from >= s->ncells || has_k(&s->of[from], record_scan_k(&s->cells[c])))
            continue;
        struct scan_cell *of = &s->of[from];
        int64_t *k = ARENA_ARRAY(r->a, int64_t, of->nk + 1);
        for (int i = 0; i < of->nk; i++)
            k[i] = of->k[i];
        k[of->nk++] = record_scan_k(&s->cells[c]);
        of->k = k;
    }
    for (int c = 0; c < s->ncells; c++) {
        struct scan_cell *of = &s->of[c];
        int ntasks = s->cells[c].ntasks;
        of->clock_s = s->cells[c].elapsed_s;
        of->cpu_s = s->cells[c].cpu_s;
        struct scan_sums *first = ARENA_ARRAY(r->a, struct scan_sums, ntasks * of->nk + 1);
        of->kernels = ARENA_ARRAY(r->a, struct scan_kernel, ntasks + 1);
        for (int i = 0; i < ntasks * of->nk; i++)
            first[i].best_s = INFINITY;
        for (int t = 0; t < ntasks; t++)
            of->kernels[t] = (struct scan_kernel){.all = {.best_s = INFINITY}, .first = first + t * of->nk};
    }
}

/* ---- rounds ---- */

static bool read_rounds(struct reader *r)
{
    VEC(struct scan_round) all = {0};
    struct query q;
    int *begin = ARENA_ARRAY(r->a, int, r->out->ncells + 1);
    if (!query_open(&q, store_database(r->s), r->err,
                    "SELECT cell, round, task, begin_s, end_s FROM round ORDER BY cell, round", ""))
        return false;
    while (query_next(&q, r->err)) {
        int cell = (int)query_int(&q, 0);
        if (cell < 0 || cell >= r->out->ncells || query_int(&q, 1) != r->out->of[cell].nrounds)
            continue; /* of a cell that a writer added since */
        begin[cell] = r->out->of[cell].nrounds++ ? begin[cell] : all.n;
        vec_push(&all, (struct scan_round){
                           .task = (int)query_int(&q, 2), .begin_s = query_real(&q, 3), .end_s = query_real(&q, 4)});
    }
    struct scan_round *kept = all.n ? ARENA_DUP(r->a, all.at, struct scan_round, all.n) : NULL;
    for (int c = 0; c < r->out->ncells && kept; c++)
        r->out->of[c].rounds = kept + begin[c];
    vec_free(&all);
    return query_close(&q);
}

/* ---- one record ---- */

static bool add_record(struct scan_sums *s, const struct row *row)
{
    bool better = row->mean_s < s->best_s; /* false for NaN */
    s->records++;
    s->valid += !isnan(row->mean_s);
    s->cost_s += row->cost_s;
    s->wall_s += row->wall_s;
    s->run_s += row->run_s;
    s->verify_s += row->verify_s;
    if (better) {
        s->best = row->id;
        s->best_s = row->mean_s;
    }
    return better;
}

static void add_row(struct reader *r, const struct row *row)
{
    struct record_scan *s = r->out;
    while (r->next < s->ntrials && s->trials[r->next].id < row->id)
        r->next++;
    if (r->next < s->ntrials && s->trials[r->next].id == row->id)
        s->trials[r->next++] = (struct scan_trial){.id = row->id,
                                                   .cell = row->cell,
                                                   .task = row->task,
                                                   .mean_s = isnan(row->mean_s) ? INFINITY : row->mean_s,
                                                   .cost_s = row->cost_s};
    struct scan_cell *c = &s->of[row->cell];
    struct scan_kernel *k = &c->kernels[row->task];
    for (int i = 0; i < c->nk; i++)
        if (row->task_ordinal < c->k[i])
            add_record(&k->first[i], row);
    if (row->round >= 0 && row->round < c->nrounds)
        c->rounds[row->round].measured++;
    if (!add_record(&k->all, row))
        return;
    k->nsteps++;
    vec_push(&r->steps,
             (struct found_step){row->cell, row->task, {row->ordinal, row->elapsed_s, k->all.wall_s, row->mean_s}});
}

static void add_failure(struct reader *r, const struct query *q, int outcome_column, int message_column)
{
    struct arena_mark mark = arena_mark(r->a);
    const char *outcome = query_str(q, r->a, outcome_column), *message = query_str(q, r->a, message_column);
    struct tally_failure one = {.count = 1};
    uint64_t at, key = hash_mix(hash_str(message), hash_str(outcome));
    if (map_get(&r->reasons, key, &at)) {
        r->failures.at[at].count++;
        arena_release(r->a, mark);
        return;
    }
    if (!outcome_parse(outcome, &one.outcome))
        return;
    one.message = message;
    map_put(&r->reasons, key, (uint64_t)r->failures.n);
    vec_push(&r->failures, one);
}

/* No time of a kernel is 0 or less: a damaged row must not be the best of all. */
static bool check_mean(const struct row *row, struct err *err)
{
    return isnan(row->mean_s) || (row->mean_s > 0 && isfinite(row->mean_s)) ||
           err_set(err, "trial %lld: the records are damaged, its time is %g s", (long long)row->id, row->mean_s);
}

/* Columns 15 to 19. */
static void add_spared(struct reader *r, const struct query *q, double mean_s, int64_t id)
{
    struct scan_spared *s = &r->out->spared;
    double spared_s = query_real(q, 15), cached_s = query_real(q, 16), computed_s = query_real(q, 17),
           full_s = query_real(q, 18), alone_s = query_real(q, 19);
    s->trials++;
    s->slow += computed_s > 0;
    s->spared_s += spared_s;
    s->cached += cached_s > 0;
    s->cached_s += cached_s;
    if (full_s > 0)
        vec_push(&r->checked, (struct checked){fabs(computed_s / full_s - 1), computed_s, full_s, id});
    if (alone_s > 0 && mean_s > 0)
        vec_push(&r->alone, mean_s / alone_s);
}

static bool read_trials(struct reader *r)
{
    struct query q;
    bool fine = true;
    if (!query_open(
            &q, store_database(r->s), r->err,
            "SELECT id, cell, task, round, ordinal, task_ordinal, mean_s, cost_s, wall_s, run_s + spared_s, verify_s,"
            " elapsed_s, outcome = 'ok', outcome, message, spared_s, cached_s, computed_s, full_s, alone_s FROM trial"
            " ORDER BY id",
            ""))
        return false;
    while (fine && query_next(&q, r->err)) {
        struct row row = {.id = query_int(&q, 0),
                          .cell = (int)query_int(&q, 1),
                          .task = (int)query_int(&q, 2),
                          .round = (int)query_int(&q, 3),
                          .ordinal = query_int(&q, 4),
                          .task_ordinal = query_int(&q, 5),
                          .mean_s = query_real(&q, 6),
                          .cost_s = query_real(&q, 7),
                          .wall_s = query_real(&q, 8),
                          .run_s = query_real(&q, 9),
                          .verify_s = query_real(&q, 10),
                          .elapsed_s = query_real(&q, 11)};
        add_spared(r, &q, row.mean_s, row.id);
        if (row.cell < 0 || row.cell >= r->out->ncells || row.task < 0 || row.task >= r->out->cells[row.cell].ntasks)
            continue; /* of a cell that a writer added since */
        fine = check_mean(&row, r->err);
        add_row(r, &row);
        if (!query_int(&q, 12))
            add_failure(r, &q, 13, 14);
    }
    return query_close(&q) && fine;
}

/* ---- the end ---- */

static void sort_steps(struct reader *r)
{
    struct scan_step *all = ARENA_ARRAY(r->a, struct scan_step, r->steps.n + 1);
    for (int c = 0; c < r->out->ncells; c++)
        for (int t = 0; t < r->out->cells[c].ntasks; t++) {
            struct scan_kernel *k = &r->out->of[c].kernels[t];
            k->steps = all;
            all += k->nsteps;
            k->nsteps = 0;
        }
    for (int i = 0; i < r->steps.n; i++) {
        const struct found_step *f = &r->steps.at[i];
        struct scan_kernel *k = &r->out->of[f->cell].kernels[f->task];
        k->steps[k->nsteps++] = f->step;
    }
}

static int by_error(const void *a, const void *b)
{
    const struct checked *x = a, *y = b;
    return x->error != y->error ? (x->error > y->error) - (x->error < y->error) : (x->id > y->id) - (x->id < y->id);
}

static bool finish_spared(struct reader *r)
{
    struct scan_spared *s = &r->out->spared;
    double computed = 0, full = 0;
    struct query q;
    s->checked = r->checked.n;
    s->error_median = s->error_worst = s->bias = NAN;
    if (r->checked.n) {
        qsort(r->checked.at, (size_t)r->checked.n, sizeof *r->checked.at, by_error);
        s->error_median = r->checked.at[r->checked.n / 2].error;
        s->error_worst = r->checked.at[r->checked.n - 1].error;
    }
    for (int i = 0; i < r->checked.n; i++) {
        computed += r->checked.at[i].computed_s;
        full += r->checked.at[i].full_s;
    }
    s->bias = full > 0 ? computed / full - 1 : NAN;
    if (!s->cached)
        return true;
    if (!query_open(&q, store_database(r->s), r->err, "SELECT total(seconds) FROM event WHERE kind = 'cached'", ""))
        return false;
    s->cached_clock_s = query_next(&q, r->err) ? query_real(&q, 0) : 0;
    return query_close(&q);
}

static int by_count(const void *a, const void *b)
{
    const struct tally_failure *x = a, *y = b;
    int outcome = strcmp(outcome_word(x->outcome), outcome_word(y->outcome));
    return x->count != y->count ? (x->count > y->count ? -1 : 1) : outcome ? outcome : strcmp(x->message, y->message);
}

bool record_scan_read(struct arena *a, struct store *s, const int64_t *asked, int nasked, struct record_scan *out,
                      struct err *err)
{
    struct reader r = {.a = a, .s = s, .out = out, .err = err};
    *out = (struct record_scan){0};
    if (!lost_trials_none(s, err) || !store_cells(s, a, &out->cells, &out->ncells, err))
        return false;
    prepare_trials(&r, asked, nasked);
    prepare_cells(&r);
    bool fine = read_rounds(&r) && read_trials(&r) && finish_spared(&r);
    if (fine) {
        sort_steps(&r);
        if (r.failures.n)
            qsort(r.failures.at, (size_t)r.failures.n, sizeof *r.failures.at, by_count);
        vec_keep(a, &r.failures, &out->failures, &out->nfailures);
        vec_keep(a, &r.alone, &out->alone, &out->nalone);
    }
    vec_free(&r.steps);
    vec_free(&r.failures);
    vec_free(&r.checked);
    vec_free(&r.alone);
    map_free(&r.reasons);
    return fine;
}

const struct scan_trial *record_scan_trial(const struct record_scan *s, int64_t id)
{
    struct scan_trial key = {.id = id};
    const struct scan_trial *found =
        s->ntrials ? bsearch(&key, s->trials, (size_t)s->ntrials, sizeof key, by_id) : NULL;
    return found && found->cell >= 0 ? found : NULL;
}

struct scan_place record_scan_measured(const struct record_scan *s, int cell, int task)
{
    struct scan_place at = {cell, task};
    const char *spec = s->cells[cell].tasks[task].spec;
    if (store_taken(s->cells, s->ncells, cell, task)) {
        at.cell = s->cells[cell].tasks[task].shared_cell;
        for (int t = 0; t < s->cells[at.cell].ntasks; t++)
            if (str_eq(s->cells[at.cell].tasks[t].spec, spec))
                at.task = t;
    }
    at.task = at.task < s->cells[at.cell].ntasks ? at.task : 0; /* a damaged database */
    at.cell = record_scan_home(s, at.cell, at.task);
    return at;
}

int record_scan_home(const struct record_scan *s, int cell, int task)
{
    if (store_taken(s->cells, s->ncells, cell, task))
        return cell;
    int shared = s->cells[cell].tasks[task].shared_cell;
    return shared >= 0 && shared < s->ncells && task < s->cells[shared].ntasks ? shared : cell;
}

const struct scan_sums *record_scan_first(const struct record_scan *s, int cell, int task, int64_t k)
{
    const struct scan_cell *c = &s->of[cell];
    for (int i = 0; i < c->nk; i++)
        if (c->k[i] == k)
            return &c->kernels[task].first[i];
    if (k)
        bug("no sums of the first %lld records of cell %d", (long long)k, cell);
    return &c->kernels[task].all;
}

double record_scan_wall(const struct record_scan *s, int cell, int task, int64_t k)
{
    const struct scan_cell *c = &s->of[cell];
    double sum = 0;
    for (int i = 0; i < c->nrounds && k > 0; i++) {
        const struct scan_round *r = &c->rounds[i];
        if (r->task != task || r->measured == 0 || isnan(r->end_s))
            continue;
        int64_t take = k < r->measured ? k : r->measured;
        sum += (r->end_s - r->begin_s) * (double)take / r->measured;
        k -= take;
    }
    return sum;
}

bool record_scan_repeats(struct store *s, int64_t trial, double *seconds, int *n, struct err *err)
{
    struct query q;
    *n = 0;
    if (!query_open(&q, store_database(s), err, "SELECT seconds FROM trial WHERE id = ?1", "i", trial))
        return false;
    struct arena *a = arena_open("repeats");
    bool fine = !query_next(&q, err) || seconds_parse(query_str(&q, a, 0), seconds, n, err);
    arena_close(a);
    return query_close(&q) && fine;
}

bool record_scan_times(struct arena *a, struct store *s, int cell, int task, double **out, int *n, struct err *err)
{
    struct query q;
    struct store_part of = {cell, task, 0};
    VEC(double) all = {0};
    if (!store_home(s, &of, err) ||
        !query_open(&q, store_database(s), err,
                    "SELECT mean_s FROM trial WHERE cell = ?1 AND task = ?2 AND outcome = 'ok' ORDER BY mean_s", "nn",
                    of.cell, of.task))
        return false;
    while (query_next(&q, err))
        vec_push(&all, query_real(&q, 0));
    vec_keep(a, &all, out, n);
    return query_close(&q);
}
