/* SPDX-License-Identifier: Apache-2.0 */
/* reanalysis: the tables of exploiters, MetaSchedule and micro-kernels; sweep.c has the k-sweep. Sums run over rows in
 * file order, means over networks in the paper's order. */
#include "harness/released/droplet/reanalysis.h"

#include "harness/base/text.h"
#include "harness/released/droplet/paper_networks.h"
#include "harness/stats/geometric_mean.h"

#include <math.h>

enum { MACHINES = 16 };

/* Exploiters ------------------------------------------------------------------------------------------------------ */

static void exploiter_network(const struct release *r, struct exploiter *e, struct geometric_mean *mean,
                              const struct release_block *b)
{
    const struct release_block *sweep = release_find(r, TABLE_SWEEP, b->machine, NULL, NULL, b->network, b->k);
    int failed = 0;
    for (int i = 0; i < b->rows.n; i++)
        failed += release_failed(&b->rows.at[i], DROPLET_TIME);
    e->rows += b->rows.n;
    e->failed += failed;
    if (b->state != BLOCK_WHOLE)
        return;
    e->complete++;
    e->tuning_s += release_sum(b, DROPLET_TUNING);
    e->records += release_sum(b, DROPLET_RECORDS);
    if (failed)
        return;
    double exec_s = release_sum(b, DROPLET_TIME);
    e->usable++;
    e->exec_s += exec_s;
    if (!sweep || sweep->state != BLOCK_WHOLE)
        return;
    double x = release_sum(sweep, BASE_TIME) / exec_s;
    e->lowest = mean->n ? fmin(e->lowest, x) : x;
    e->highest = mean->n ? fmax(e->highest, x) : x;
    geometric_mean_add(mean, x);
}

static struct exploiter exploiter_of(const struct release *r, const char *machine, const char *run, const char *method)
{
    struct exploiter e = {.machine = machine, .run = run, .method = method, .lowest = NAN, .highest = NAN};
    struct geometric_mean mean = {0};
    for (int i = 0; i < r->blocks.n; i++) {
        const struct release_block *b = &r->blocks.at[i];
        if (b->table == TABLE_EXPLOITERS && release_counts(b) && b->rows.n && str_eq(b->machine, machine) &&
            str_eq(b->run, run) && str_eq(b->method, method))
            exploiter_network(r, &e, &mean, b);
    }
    e.exec = geometric_mean_of(&mean);
    return e;
}

static bool seen_exploiter(const struct reanalysis *x, const struct release_block *b)
{
    for (int i = 0; i < x->nexploiters; i++)
        if (str_eq(x->exploiters[i].machine, b->machine) && str_eq(x->exploiters[i].run, b->run) &&
            str_eq(x->exploiters[i].method, b->method))
            return true;
    return false;
}

static void make_exploiters(struct arena *a, const struct release *r, struct reanalysis *out)
{
    const char *machines[MACHINES];
    int n = release_machines(r, TABLE_EXPLOITERS, machines, MACHINES);
    out->exploiters = ARENA_ARRAY(a, struct exploiter, r->blocks.n + 1);
    for (int m = 0; m < n; m++)
        for (int i = 0; i < r->blocks.n; i++) {
            const struct release_block *b = &r->blocks.at[i];
            if (b->table == TABLE_EXPLOITERS && b->rows.n && str_eq(b->machine, machines[m]) && !seen_exploiter(out, b))
                out->exploiters[out->nexploiters++] = exploiter_of(r, b->machine, b->run, b->method);
        }
}

/* Distinct kernels that a run has of a network, by any method. */
static int run_rows(const struct release *r, const char *machine, const char *run, const char *network)
{
    int most = 0;
    for (int i = 0; i < r->blocks.n; i++) {
        const struct release_block *b = &r->blocks.at[i];
        if (b->table == TABLE_EXPLOITERS && b->rows.n > most && str_eq(b->machine, machine) && str_eq(b->run, run) &&
            str_eq(b->network, network))
            most = b->rows.n;
    }
    return most;
}

static struct coverage coverage_of(const struct release *r, const char *machine, const char *run, int place)
{
    struct coverage c = {machine, run, paper_networks[place].name, paper_networks[place].kernels, 0, "", ""};
    bool file = false, listed = false;
    for (int i = 0; i < r->files.n; i++) {
        const struct release_file *f = &r->files.at[i];
        listed = listed || f->listed;
        if (f->table != TABLE_EXPLOITERS || !str_eq(f->machine, machine) || !str_eq(f->run, run) ||
            !str_eq(f->network, c.network))
            continue;
        file = file || !f->listed;
        c.listed = f->listed ? f->status : c.listed;
    }
    c.rows = run_rows(r, machine, run, c.network);
    if (c.rows)
        c.status = c.rows == c.kernels ? "complete" : "partial";
    else if (!r->compact || file)
        c.status = file ? "empty" : "no file";
    else
        c.status = listed && *c.listed ? c.listed : "no rows";
    return c;
}

/* Every run that any file or block names, with every network of the paper. */
static void make_coverage(struct arena *a, const struct release *r, struct reanalysis *out)
{
    VEC(struct coverage) runs = {0};
    for (int i = 0; i < r->files.n + r->blocks.n; i++) {
        const struct release_block *b = i < r->files.n ? NULL : &r->blocks.at[i - r->files.n];
        const struct release_file *f = b ? NULL : &r->files.at[i];
        const char *machine = b ? b->machine : f->machine, *run = b ? b->run : f->run;
        bool seen = (b ? b->table : f->table) != TABLE_EXPLOITERS || !*run;
        for (int k = 0; k < runs.n && !seen; k++)
            seen = str_eq(runs.at[k].machine, machine) && str_eq(runs.at[k].run, run);
        if (!seen)
            vec_push(&runs, (struct coverage){.machine = machine, .run = run});
    }
    out->coverage = ARENA_ARRAY(a, struct coverage, runs.n * PAPER_NETWORKS + 1);
    for (int i = 0; i < runs.n; i++)
        for (int k = 0; k < PAPER_NETWORKS; k++)
            out->coverage[out->ncoverage++] = coverage_of(r, runs.at[i].machine, runs.at[i].run, k);
    vec_free(&runs);
}

/* MetaSchedule and micro-kernels ---------------------------------------------------------------------------------- */

static void meta_block(struct meta_cell *c, const struct release_block *b, struct geometric_mean exec[2],
                       struct geometric_mean seed[2])
{
    double droplet = 0, start = 0, base = 0;
    for (int i = 0; i < b->rows.n; i++) {
        const struct release_row *row = &b->rows.at[i];
        if (release_any_failed(row)) {
            c->failed++;
            continue;
        }
        droplet += row->v[DROPLET_TIME];
        start += row->v[SEED_TIME];
        base += row->v[BASE_TIME];
    }
    if (droplet <= 0)
        return;
    for (int all = b->state == BLOCK_WHOLE ? 0 : 1; all < 2; all++) {
        c->of[all].networks++;
        c->of[all].wins += base / droplet >= 1;
        geometric_mean_add(&exec[all], base / droplet);
        geometric_mean_take(&seed[all], base / start);
    }
}

/* Networks of the machine that have no block of this k. */
static int meta_absent(const struct release *r, const char *machine, int64_t k)
{
    int absent = 0;
    for (int i = 0; i < PAPER_NETWORKS; i++) {
        bool any = false, here = false;
        for (int b = 0; b < r->blocks.n; b++)
            if (r->blocks.at[b].table == TABLE_META && r->blocks.at[b].rows.n &&
                str_eq(r->blocks.at[b].machine, machine) && str_eq(r->blocks.at[b].network, paper_networks[i].name)) {
                any = true;
                here = here || r->blocks.at[b].k == k;
            }
        absent += any && !here;
    }
    return absent;
}

static struct meta_cell meta_of(const struct release *r, const char *machine, int64_t k)
{
    const struct release_block *blocks[64];
    struct meta_cell c = {.machine = machine, .k = k, .absent = meta_absent(r, machine, k)};
    struct geometric_mean exec[2] = {0}, seed[2] = {0};
    int n = sweep_blocks(r, TABLE_META, machine, k, blocks, 64);
    for (int i = 0; i < n; i++) {
        c.partial += blocks[i]->state == BLOCK_PARTIAL;
        c.mislabelled += blocks[i]->state == BLOCK_MISLABELLED;
        meta_block(&c, blocks[i], exec, seed);
    }
    for (int all = 0; all < 2; all++) {
        c.of[all].exec = geometric_mean_of(&exec[all]);
        c.of[all].seed = geometric_mean_of(&seed[all]);
    }
    return c;
}

static void make_meta(struct arena *a, const struct release *r, struct reanalysis *out)
{
    const struct release_cell *cells = release_cells(r, TABLE_META, &out->nmeta);
    out->meta = ARENA_ARRAY(a, struct meta_cell, out->nmeta + 1);
    for (int i = 0; i < out->nmeta; i++)
        out->meta[i] = meta_of(r, cells[i].machine, cells[i].k);
}

static void make_micro(struct arena *a, const struct release *r, struct reanalysis *out)
{
    int n;
    const struct release_cell *cells = release_cells(r, TABLE_MICRO, &n);
    out->micro = ARENA_ARRAY(a, struct micro_cell, r->blocks.n + 1);
    for (int i = 0; i < n; i++)
        for (int b = 0; b < r->blocks.n; b++) {
            const struct release_block *x = &r->blocks.at[b];
            if (x->table != TABLE_MICRO || x->k != cells[i].k || !x->rows.n || !release_counts(x) ||
                !str_eq(x->machine, cells[i].machine))
                continue;
            const double *v = x->rows.at[0].v;
            out->micro[out->nmicro++] = (struct micro_cell){x->machine,
                                                            x->network,
                                                            x->k,
                                                            &x->rows.at[0],
                                                            v[BASE_TIME] / v[DROPLET_TIME],
                                                            v[BASE_TUNING] / v[DROPLET_TOTAL]};
        }
}

void reanalysis_make(struct arena *a, const struct release *r, struct reanalysis *out)
{
    *out = (struct reanalysis){.release = r};
    out->sweep = sweep_cells(a, r, &out->nsweep);
    out->variance = sweep_reruns(a, r, &out->nvariance);
    out->repeats = repeats_of(a, r, &out->nrepeats);
    out->schedules = schedules_count(a, r, &out->nschedules);
    make_exploiters(a, r, out);
    make_coverage(a, r, out);
    make_meta(a, r, out);
    make_micro(a, r, out);
}

const struct sweep_cell *reanalysis_cell(const struct reanalysis *x, const char *machine, int64_t k)
{
    for (int i = 0; i < x->nsweep; i++)
        if (x->sweep[i].k == k && str_eq(x->sweep[i].machine, machine))
            return &x->sweep[i];
    return NULL;
}
