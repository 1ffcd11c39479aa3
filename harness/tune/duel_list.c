/* SPDX-License-Identifier: Apache-2.0 */
/* duel_list: from cells to duels, and from launches to what the statistic takes. Programs are distinguished by the hash
 * of their state and conditions: a searcher that measured its seed again has the same program under another trial. */
#include "harness/tune/duel_list.h"

#include "harness/base/hash.h"
#include "harness/base/rng.h"
#include "harness/base/vec.h"
#include "harness/measure/task_data.h"
#include "harness/program/ops/task.h"
#include "harness/record/database.h"
#include "harness/record/keys.h"
#include "harness/record/top_records.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- what the cells found ---- */

static bool program_of(struct store *s, const struct store_cell *measured, int64_t trial, uint64_t *out,
                       struct err *err)
{
    struct arena *a = arena_open("hash");
    struct query q;
    bool fine = query_open(&q, store_database(s), err, "SELECT hash FROM trial WHERE id = ?1", "i", trial);
    if (fine) {
        if (query_next(&q, err))
            *out = keys_program(strtoull(query_str(&q, a, 0), NULL, 16), measured->conditions);
        fine = query_close(&q);
    }
    arena_close(a);
    return fine;
}

/* What one would use, as records_kept (harness/report/data/records.h) says it. */
static bool read_choice(struct store *s, const struct record_scan *scan, int cell, int task, struct duel_choice *out,
                        struct err *err)
{
    const struct store_cell *cells = scan->cells, *of = &cells[cell];
    struct scan_place at = record_scan_measured(scan, cell, task);
    const struct scan_sums *own = &scan->of[at.cell].kernels[at.task].all;
    int64_t given = of->tasks[task].seed_trial;
    const struct scan_trial *seed = record_scan_trial(scan, given);
    *out = (struct duel_choice){.kept = own->best, .kept_s = own->best_s, .weight = of->tasks[task].weight};
    if (own->best && !program_of(s, &cells[at.cell], own->best, &out->kept_hash, err))
        return false;
    if (!given)
        return true;
    if (!seed)
        return err_set(err, "a descent started from trial %" PRId64 ", which is not on record", given);
    if (!program_of(s, &cells[seed->cell], seed->id, &out->seed_hash, err))
        return false;
    out->seed = seed->id;
    bool trusted = keys_seed_is_kept(&of->keys, &cells[seed->cell].keys);
    if (!own->best || (trusted && seed->mean_s < out->kept_s)) {
        out->kept = seed->id;
        out->kept_hash = out->seed_hash;
        out->kept_s = seed->mean_s;
    }
    return true;
}

static bool read_cells(struct store *s, const struct record_scan *scan, struct duel_list *l, struct err *err)
{
    struct duel_cell *out = ARENA_ARRAY(l->a, struct duel_cell, scan->ncells + 1);
    l->cells = out;
    l->ncells = scan->ncells;
    for (int i = 0; i < l->ncells; i++) {
        const struct store_cell *cell = out[i].cell = &scan->cells[i];
        struct duel_choice *choices = ARENA_ARRAY(l->a, struct duel_choice, cell->ntasks + 1);
        if (!str_eq(cell->state, "done"))
            continue;
        for (int t = 0; t < cell->ntasks; t++)
            if (!read_choice(s, scan, i, t, &choices[t], err))
                return false;
        out[i].choices = choices;
    }
    return true;
}

/* ---- what is on record ---- */

static double *logs_of(struct duel_list *l, int duel)
{
    struct duel *d = &l->data[duel];
    if (d->launches == l->room[duel]) {
        l->room[duel] = d->launches ? 2 * d->launches : 8;
        double *more = ARENA_ARRAY(l->a, double, l->room[duel] * d->programs);
        if (d->launches)
            memcpy(more, d->logs, sizeof *more * (size_t)(d->launches * d->programs));
        d->logs = l->logs[duel] = more;
    }
    return l->logs[duel] + d->launches * d->programs;
}

void duel_list_add(struct duel_list *l, int duel, const double *logs)
{
    memcpy(logs_of(l, duel), logs, sizeof *logs * (size_t)l->data[duel].programs);
    l->data[duel].launches++;
    l->had[duel]++;
}

static bool read_launches(struct store *s, struct duel_list *l, struct err *err)
{
    struct duel_time *times;
    int n, end;
    if (!duel_times(s, l->a, &times, &n, err) || !duel_sitting(s, &l->sitting, err))
        return false;
    for (int i = 0; i < n; i = end) {
        double logs[DUEL_PROGRAMS];
        for (int p = 0; p < DUEL_PROGRAMS; p++)
            logs[p] = NAN;
        for (end = i; end < n && times[end].duel == times[i].duel && times[end].launch == times[i].launch; end++)
            if (times[end].place < DUEL_PROGRAMS)
                logs[times[end].place] = log(times[end].seconds);
        if (times[i].duel >= l->n)
            return err_set(err, "a launch is of duel %d, and there are %d", times[i].duel, l->n);
        duel_list_add(l, times[i].duel, logs);
        l->had[times[i].duel] -= times[i].sitting != l->sitting;
    }
    return true;
}

static bool read_duels(struct store *s, struct duel_list *l, struct err *err)
{
    struct duel_record *at;
    if (!duel_records_get(s, l->a, &at, &l->n, err))
        return false;
    l->at = at;
    l->data = ARENA_ARRAY(l->a, struct duel, l->n + 1);
    l->had = ARENA_ARRAY(l->a, int, l->n + 1);
    l->room = ARENA_ARRAY(l->a, int, l->n + 1);
    l->logs = ARENA_ARRAY(l->a, double *, l->n + 1);
    for (int i = 0; i < l->n; i++)
        l->data[i].programs = at[i].programs;
    return read_launches(s, l, err);
}

bool duel_list_read(struct store *s, struct arena *a, const struct record_scan *scan, struct duel_list *out,
                    struct err *err)
{
    *out = (struct duel_list){.a = a};
    return read_cells(s, scan, out, err) && read_duels(s, out, err);
}

/* ---- making duels ---- */

struct group {                     /* a kernel of a network in one seed */
    const struct store_cell *cell; /* the first that has it */
    int task;
    VEC(struct duel_trial) trials; /* by place */
    int programs;
    int64_t fastest; /* as tuned */
    uint64_t fastest_hash;
    double fastest_s;
    bool has_met, has_null; /* its duels are on record; one of them is, or shall be, a null pair */
};

bool duel_list_same_block(const struct store_cell *a, const struct store_cell *b)
{
    return a->seed == b->seed && str_eq(a->network, b->network);
}

static void group_add(struct group *g, int64_t trial, uint64_t hash)
{
    int place = g->programs;
    for (int i = 0; i < g->trials.n; i++) {
        if (g->trials.at[i].trial == trial)
            return;
        if (g->trials.at[i].hash == hash)
            place = g->trials.at[i].place;
    }
    if (!trial)
        return;
    vec_push(&g->trials, (struct duel_trial){place, trial, hash});
    g->programs += place == g->programs;
}

static bool group_add_top(const struct duel_list *l, struct store *s, struct group *g, int cell, int top,
                          struct err *err)
{
    int64_t ids[64];
    int n = 0;
    if (top < 2)
        return true;
    if (!top_records_of(s, cell, g->task, top < 64 ? top : 64, ids, &n, err))
        return false;
    for (int i = 0; i < n; i++) {
        struct arena_mark mark = arena_mark(l->a);
        struct record r;
        if (!store_record(s, l->a, ids[i], &r, err))
            return false;
        group_add(g, r.id, keys_program(r.hash, l->cells[r.cell].cell->conditions));
        arena_release(l->a, mark);
    }
    return true;
}

static void group_add_choice(struct group *g, const struct duel_choice *c)
{
    group_add(g, c->kept, c->kept_hash);
    group_add(g, c->seed, c->seed_hash);
    if (c->kept && (!g->fastest || c->kept_s < g->fastest_s)) {
        g->fastest = c->kept;
        g->fastest_hash = c->kept_hash;
        g->fastest_s = c->kept_s;
    }
}

/* First those that search on their own: place 0 is an explorer's, if it has a program. */
static bool group_fill(const struct duel_list *l, struct store *s, int top, struct group *g, struct err *err)
{
    for (int exploits = 0; exploits < 2; exploits++)
        for (int i = 0; i < l->ncells; i++) {
            const struct duel_cell *c = &l->cells[i];
            if (!duel_list_same_block(c->cell, g->cell) || !c->choices || (c->cell->explore_cell >= 0) != exploits ||
                g->task >= c->cell->ntasks)
                continue;
            group_add_choice(g, &c->choices[g->task]);
            if (!group_add_top(l, s, g, i, top, err))
                return false;
        }
    return true;
}

/* How many processes of this kernel may be alive: their data fill at most half of the memory. */
static int most_alive(struct arena *a, const char *spec)
{
    struct arena_mark mark = arena_mark(a);
    struct task *task;
    struct err ignored = {0};
    double have = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / 2, most = DUEL_PROGRAMS;
    if (task_parse(a, spec, &task, &ignored))
        most = fmin(most, have / fmax(1, 1.5 * (double)task_data_bytes(task, true)));
    arena_release(a, mark);
    return most < 2 ? 2 : (int)most;
}

struct duel_rows {
    VEC(struct duel_record) at;
};

/* The trials of some places, renumbered: the first, and those from `first` on. */
static void deal(struct duel_list *l, const struct group *g, int first, int n, struct duel_rows *out)
{
    struct duel_trial *trials = ARENA_ARRAY(l->a, struct duel_trial, g->trials.n + 1);
    int count = 0;
    for (int place = 0; place < n; place++)
        for (int i = 0; i < g->trials.n; i++)
            if (g->trials.at[i].place == (place ? first + place - 1 : 0)) {
                trials[count] = g->trials.at[i];
                trials[count++].place = place;
            }
    vec_push(&out->at, (struct duel_record){.network = g->cell->network,
                                            .seed = g->cell->seed,
                                            .task = g->task,
                                            .programs = n,
                                            .trials = trials,
                                            .ntrials = count});
}

static void group_deal(struct duel_list *l, const struct group *g, struct duel_rows *out)
{
    int most = most_alive(l->a, g->cell->tasks[g->task].spec);
    if (g->programs == 1)
        deal(l, g, 1, 1, out);
    for (int first = 1; first < g->programs; first += most - 1) {
        int others = g->programs - first < most - 1 ? g->programs - first : most - 1;
        deal(l, g, first, others + 1, out);
    }
}

static void add_null(struct duel_list *l, const struct group *g, struct duel_rows *out)
{
    struct duel_trial *trials = ARENA_ARRAY(l->a, struct duel_trial, 2);
    for (int i = 0; i < 2; i++)
        trials[i] = (struct duel_trial){i, g->fastest, g->fastest_hash};
    vec_push(&out->at, (struct duel_record){.network = g->cell->network,
                                            .seed = g->cell->seed,
                                            .task = g->task,
                                            .is_null = true,
                                            .programs = 2,
                                            .trials = trials,
                                            .ntrials = 2});
}

struct groups {
    VEC(struct group) at;
};

static bool is_taken(const struct duel_list *l, const struct store_cell *c, int task)
{
    int from = c->tasks[task].shared_cell;
    return from >= 0 && from < l->ncells && !str_eq(l->cells[from].cell->network, c->network);
}

/* Have the kernels of that network and seed met already? */
static bool has_met(const struct duel_list *l, const struct store_cell *c)
{
    for (int i = 0; i < l->n; i++)
        if (l->at[i].seed == c->seed && str_eq(l->at[i].network, c->network))
            return true;
    return false;
}

/* Those of all cells, though they be not done: which have null pairs must not hang on who runs which cells. */
static bool make_groups(const struct duel_list *l, struct store *s, const struct duel_list_rules *rules,
                        struct groups *out, struct err *err)
{
    bool fine = true;
    for (int i = 0; i < l->ncells; i++) {
        const struct store_cell *cell = l->cells[i].cell;
        bool known = false;
        for (int k = 0; k < i && !known; k++)
            known = duel_list_same_block(l->cells[k].cell, cell);
        for (int t = 0; t < cell->ntasks && !known && fine; t++) {
            if (is_taken(l, cell, t))
                continue; /* its programs meet in the network that searched them */
            struct group g = {.cell = cell, .task = t, .has_met = has_met(l, cell)};
            fine = g.has_met || group_fill(l, s, rules->top, &g, err);
            vec_push(&out->at, g);
        }
    }
    return fine;
}

/* In each seed so many kernels have one, by a draw of its own: seeds that come later leave the others' as they are. */
static void draw_nulls(struct duel_list *l, const struct groups *g, const struct duel_list_rules *rules)
{
    int *order = ARENA_ARRAY(l->a, int, g->at.n + 1);
    for (int first = 0; first < g->at.n; first++) {
        int64_t seed = g->at.at[first].cell->seed;
        int n = 0;
        bool seen = false;
        for (int i = 0; i < g->at.n; i++) {
            seen = seen || (i < first && g->at.at[i].cell->seed == seed);
            if (g->at.at[i].cell->seed == seed)
                order[n++] = i;
        }
        int nulls = (int)ceil(rules->null_share * n);
        nulls = nulls < rules->null_least ? (int)rules->null_least : nulls;
        struct rng rng;
        rng_seed(&rng, hash_mix(rules->seed, (uint64_t)seed));
        rng_shuffle(&rng, order, n);
        for (int i = 0; i < nulls && i < n && !seen; i++, l->nulls++)
            g->at.at[order[i]].has_null = true;
    }
}

static void deal_all(struct duel_list *l, const struct groups *g, struct duel_rows *out)
{
    for (int i = 0; i < g->at.n; i++)
        if (!g->at.at[i].has_met)
            group_deal(l, &g->at.at[i], out);
    for (int i = 0; i < g->at.n; i++)
        if (!g->at.at[i].has_met && g->at.at[i].has_null && g->at.at[i].fastest)
            add_null(l, &g->at.at[i], out);
}

bool duel_list_make(struct duel_list *l, struct store *s, const struct duel_list_rules *rules, struct err *err)
{
    struct groups groups = {0};
    struct duel_rows rows = {0};
    bool fine = make_groups(l, s, rules, &groups, err);
    if (fine) {
        draw_nulls(l, &groups, rules);
        deal_all(l, &groups, &rows);
        fine = duel_records_put(s, rows.at.at, rows.at.n, rules->unix_s, err) && read_duels(s, l, err);
    }
    for (int i = 0; i < groups.at.n; i++)
        vec_free(&groups.at.at[i].trials);
    vec_free(&groups.at);
    vec_free(&rows.at);
    return fine;
}

uint64_t duel_list_key(const struct duel_list *l, int duel)
{
    const struct duel_record *d = &l->at[duel];
    uint64_t before = 0;
    for (int i = 0; i < duel; i++)
        before += l->at[i].seed == d->seed && l->at[i].task == d->task && l->at[i].is_null == d->is_null &&
                  str_eq(l->at[i].network, d->network);
    uint64_t kernel = hash_mix(hash_mix(hash_str(d->network), (uint64_t)d->seed), (uint64_t)d->task);
    return hash_mix(kernel, 2 * before + d->is_null);
}

/* ---- finding programs ---- */

static int place_of(const struct duel_record *d, uint64_t hash)
{
    for (int i = 0; i < d->ntrials; i++)
        if (d->trials[i].hash == hash)
            return d->trials[i].place;
    return -1;
}

/* Whose duels are those of this kernel: the network that it is taken from, or its own. */
static void owner_of(const struct duel_list *l, const struct store_cell **cell, int *task)
{
    const struct store_cell *of = *cell;
    if (!is_taken(l, of, *task))
        return;
    *cell = l->cells[of->tasks[*task].shared_cell].cell;
    for (int t = 0; t < (*cell)->ntasks; t++)
        if (str_eq((*cell)->tasks[t].spec, of->tasks[*task].spec)) {
            *task = t;
            return;
        }
}

static bool is_of(const struct duel_record *d, const struct store_cell *cell, int task)
{
    return d->task == task && !d->is_null && d->seed == cell->seed && str_eq(d->network, cell->network);
}

bool duel_list_is_of(const struct duel_list *l, const struct duel_record *d, const struct store_cell *cell, int task)
{
    owner_of(l, &cell, &task);
    return is_of(d, cell, task);
}

int duel_list_next(const struct duel_list *l, const struct store_cell *cell, int task, int from)
{
    owner_of(l, &cell, &task);
    while (from < l->n && !is_of(&l->at[from], cell, task))
        from++;
    return from;
}

struct duel_leg duel_list_find(const struct duel_list *l, const struct store_cell *cell, int task, uint64_t hash)
{
    for (int i = 0; (i = duel_list_next(l, cell, task, i)) < l->n; i++) {
        int place = place_of(&l->at[i], hash);
        if (place >= 0)
            return (struct duel_leg){i, place, place};
    }
    return (struct duel_leg){.duel = -1};
}
