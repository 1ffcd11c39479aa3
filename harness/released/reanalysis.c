/* SPDX-License-Identifier: Apache-2.0 */
/* reanalysis: the k-sweep, its significance, and the tables of exploiters, MetaSchedule and micro-kernels. Sums run
 * over rows in file order, means over networks in the suite's order, so that digits do not depend on anything else. */
#include "harness/released/reanalysis.h"

#include "harness/base/text.h"
#include "harness/stats/moments.h"

#include <math.h>
#include <string.h>

enum { MACHINES = 16, KS = 32, REPEATS = 3 }; /* three repeats a record: droplet.md 2.2 */
static const double HALF_UNIT = 0.5e-8;       /* times are printed with eight digits */
static const double LEVEL = 0.05;

const char *sweep_clock_word(enum sweep_clock c)
{
    static const char *const words[SWEEP_CLOCKS] = {"apportioned", "own", "wall", "trials"};
    return words[c];
}

const char *sweep_clock_title(enum sweep_clock c)
{
    static const char *const titles[SWEEP_CLOCKS] = {
        "the authors': apportioned cost of the seed's records + summed cost of Droplet's",
        "Droplet's own summed cost alone", "as the authors', Droplet's part by its wall clock",
        "records instead of seconds"};
    return titles[c];
}

/* A geometric mean that grows. */
struct mean {
    double logs;
    int n;
};
static void mean_add(struct mean *m, double ratio)
{
    m->logs += log(ratio);
    m->n++;
}
static double mean_of(const struct mean *m)
{
    return m->n ? exp(m->logs / m->n) : (double)NAN;
}

/* Sweep ----------------------------------------------------------------------------------------------------------- */

bool reanalysis_fast(const struct release_row *row)
{
    return row->v[BASE_TIME] / row->v[DROPLET_TIME] >= 3;
}

static void check_p(const struct release_row *row, struct significance *s)
{
    const double *v = row->v;
    struct moments_range range =
        moments_p_range(v[DROPLET_TIME], v[DROPLET_SD], v[BASE_TIME], v[BASE_SD], REPEATS, HALF_UNIT);
    double half = 0.5e-4; /* p is printed with four digits or eight */
    if (isnan(v[P_VALUE]) || isnan(v[DROPLET_SD]) || isnan(v[BASE_SD]) || range.high - range.low > 0.1)
        return;
    double off = fmax(fmax(range.low - v[P_VALUE], v[P_VALUE] - range.high), 0);
    s->checked++;
    s->agree += off <= half;
    s->worst = fmax(s->worst, off);
}

static struct significance significance_of(const struct release_block *b)
{
    struct significance s = {0};
    for (int i = 0; i < b->rows.n; i++) {
        const double *v = b->rows.at[i].v;
        if (isnan(v[P_VALUE]))
            s.unknown++;
        else if (v[P_VALUE] > LEVEL || v[DROPLET_TIME] == v[BASE_TIME])
            s.none++;
        else if (v[DROPLET_TIME] < v[BASE_TIME])
            s.better++;
        else
            s.worse++;
        check_p(&b->rows.at[i], &s);
    }
    return s;
}

static void significance_add(struct significance *to, const struct significance *s)
{
    to->better += s->better;
    to->worse += s->worse;
    to->none += s->none;
    to->unknown += s->unknown;
    to->checked += s->checked;
    to->agree += s->agree;
    to->worst = fmax(to->worst, s->worst);
}

/* Droplet's wall clock of the same start, from a run of its own in the exploiters' files: the later run of the Ryzen,
 * the only one of the RTX 3080. */
static double wall_tuning(const struct release *r, const struct release_block *b)
{
    static const char *const runs[] = {"droplet_b", "droplet_a"};
    for (int i = 0; i < 2; i++) {
        const struct release_block *w =
            release_find(r, TABLE_EXPLOITERS, b->machine, runs[i], "droplet", b->network, b->k);
        if (w && w->state == BLOCK_WHOLE)
            return release_sum(w, DROPLET_TUNING);
    }
    return NAN;
}

static struct sweep_network network_of(const struct release *r, const struct release_block *b)
{
    struct sweep_network n = {
        .network = b->network, .run = b->run, .block = b, .whole = b->state == BLOCK_WHOLE, .kernels = b->rows.n};
    double sane = 0, seeds = 0;
    for (int m = 0; m < MEASURE_COUNT; m++)
        n.sum[m] = release_sum(b, (enum measure)m);
    for (int i = 0; i < b->rows.n; i++) {
        const struct release_row *row = &b->rows.at[i];
        bool failed = release_failed(row, SEED_TIME);
        sane += row->v[!reanalysis_fast(row) ? DROPLET_TIME : failed ? BASE_TIME : SEED_TIME];
        seeds += failed ? (double)NAN : row->v[SEED_TIME];
    }
    n.exec_x = n.sum[BASE_TIME] / n.sum[DROPLET_TIME];
    n.seed_x = n.sum[BASE_TIME] / seeds;
    n.gain_x = seeds / n.sum[DROPLET_TIME];
    n.sane_x = n.sum[BASE_TIME] / sane;
    n.search_x[SWEEP_APPORTIONED] = n.sum[BASE_TUNING] / n.sum[DROPLET_TOTAL];
    n.search_x[SWEEP_OWN] = n.sum[BASE_TUNING] / n.sum[DROPLET_TUNING];
    n.search_x[SWEEP_WALL] = n.sum[BASE_TUNING] / (n.sum[SEED_TUNING] + wall_tuning(r, b));
    n.search_x[SWEEP_TRIALS] = n.sum[BASE_RECORDS] / (n.sum[SEED_RECORDS] + n.sum[DROPLET_RECORDS]);
    n.seed_search_x = n.sum[BASE_TUNING] / n.sum[SEED_TUNING];
    n.significance = significance_of(b);
    return n;
}

/* Blocks of a cell in the suite's order, networks it does not know last. */
static int cell_blocks(const struct release *r, enum release_table f, const char *machine, const char *run, int64_t k,
                       const struct release_block **out, int most)
{
    int n = 0;
    for (int place = 0; place <= PAPER_NETWORKS; place++)
        for (int i = 0; i < r->blocks.n && n < most; i++) {
            const struct release_block *b = &r->blocks.at[i];
            int at = paper_network_place(b->network);
            if (b->table == f && b->k == k && b->rows.n && b->state != BLOCK_SUPERSEDED &&
                str_eq(b->machine, machine) && (!run || str_eq(b->run, run)) && (at < 0 ? PAPER_NETWORKS : at) == place)
                out[n++] = b;
        }
    return n;
}

struct cell_means {
    struct mean exec, search[SWEEP_CLOCKS], seed, seed_search, gain, sane, distinct, kernel;
    double sum[MEASURE_COUNT];
};

static void count_kernels(struct sweep_cell *c, struct cell_means *m, const struct release_block *b)
{
    c->kernels += b->rows.n;
    for (int i = 0; i < b->rows.n; i++) {
        double x = b->rows.at[i].v[BASE_TIME] / b->rows.at[i].v[DROPLET_TIME];
        c->not_slower += x >= 1;
        mean_add(&m->kernel, x);
    }
}

static void count_network(struct sweep_cell *c, struct cell_means *m, const struct sweep_network *n)
{
    c->counted++;
    c->wins += n->exec_x >= 1;
    c->sane_wins += n->sane_x >= 1;
    mean_add(&m->exec, n->exec_x);
    if (!isnan(n->seed_x)) {
        mean_add(&m->seed, n->seed_x);
        mean_add(&m->gain, n->gain_x);
    }
    mean_add(&m->sane, n->sane_x);
    mean_add(&m->seed_search, n->seed_search_x);
    if (!str_eq(n->network, "resnet152")) /* a second run of resnet101: data/README.md, defect 1 */
        mean_add(&m->distinct, n->exec_x);
    for (int i = 0; i < SWEEP_CLOCKS; i++)
        if (!isnan(n->search_x[i]))
            mean_add(&m->search[i], n->search_x[i]);
    for (int i = 0; i < MEASURE_COUNT; i++)
        m->sum[i] += n->sum[i];
    significance_add(&c->significance, &n->significance);
    count_kernels(c, m, n->block);
}

static struct sweep_cell cell_of(struct arena *a, const struct release *r, const char *machine, int64_t k)
{
    const struct release_block *blocks[64];
    struct sweep_cell c = {.machine = machine, .k = k};
    struct cell_means m = {0};
    int n = cell_blocks(r, TABLE_SWEEP, machine, NULL, k, blocks, 64);
    c.networks = ARENA_ARRAY(a, struct sweep_network, n + 1);
    for (int i = 0; i < n; i++) {
        if (!release_counts(blocks[i]))
            continue;
        struct sweep_network *x = &c.networks[c.nnetworks++];
        *x = network_of(r, blocks[i]);
        if (x->whole)
            count_network(&c, &m, x);
    }
    c.exec = mean_of(&m.exec);
    c.seed = mean_of(&m.seed);
    c.gain = mean_of(&m.gain);
    c.sane = mean_of(&m.sane);
    c.distinct = mean_of(&m.distinct);
    c.seed_search = mean_of(&m.seed_search);
    c.kernel_exec = mean_of(&m.kernel);
    for (int i = 0; i < SWEEP_CLOCKS; i++)
        c.search[i] = mean_of(&m.search[i]);
    c.pooled_exec = m.sum[BASE_TIME] / m.sum[DROPLET_TIME];
    c.pooled_search = m.sum[BASE_TUNING] / m.sum[DROPLET_TOTAL];
    c.droplet_hours = m.sum[DROPLET_TOTAL] / 3600;
    c.base_hours = m.sum[BASE_TUNING] / 3600;
    c.droplet_records = m.sum[DROPLET_RECORDS];
    c.seed_records = m.sum[SEED_RECORDS];
    c.base_records = m.sum[BASE_RECORDS];
    c.record_cost_s = m.sum[DROPLET_TUNING] / m.sum[DROPLET_RECORDS];
    return c;
}

static void make_sweep(struct arena *a, const struct release *r, struct reanalysis *out)
{
    const char *machines[MACHINES];
    int64_t ks[KS];
    int n = release_machines(r, TABLE_SWEEP, machines, MACHINES);
    out->sweep = ARENA_ARRAY(a, struct sweep_cell, n * KS + 1);
    for (int i = 0; i < n; i++) {
        int nk = release_ks(r, TABLE_SWEEP, machines[i], ks, KS);
        for (int k = 0; k < nk; k++)
            out->sweep[out->nsweep++] = cell_of(a, r, machines[i], ks[k]);
    }
}

static void make_variance(struct arena *a, const struct release *r, struct reanalysis *out)
{
    const char *machines[MACHINES];
    int n = release_machines(r, TABLE_VARIANCE, machines, MACHINES), most = 0;
    for (int i = 0; i < r->blocks.n; i++)
        most += r->blocks.at[i].table == TABLE_VARIANCE;
    out->variance = ARENA_ARRAY(a, struct sweep_network, most + 1);
    for (int m = 0; m < n; m++)
        for (int i = 0; i < r->blocks.n; i++) {
            const struct release_block *b = &r->blocks.at[i];
            if (b->table != TABLE_VARIANCE || !b->rows.n || !release_counts(b) || !str_eq(b->machine, machines[m]))
                continue;
            struct sweep_network x = network_of(r, b);
            x.search_x[SWEEP_WALL] = NAN; /* that clock is of another run */
            out->variance[out->nvariance++] = x;
        }
}

/* Exploiters ------------------------------------------------------------------------------------------------------ */

static void exploiter_network(const struct release *r, struct exploiter *e, struct mean *mean,
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
    mean_add(mean, x);
}

static struct exploiter exploiter_of(const struct release *r, const char *machine, const char *run, const char *method)
{
    struct exploiter e = {.machine = machine, .run = run, .method = method, .lowest = NAN, .highest = NAN};
    struct mean mean = {0};
    for (int i = 0; i < r->blocks.n; i++) {
        const struct release_block *b = &r->blocks.at[i];
        if (b->table == TABLE_EXPLOITERS && release_counts(b) && b->rows.n && str_eq(b->machine, machine) &&
            str_eq(b->run, run) && str_eq(b->method, method))
            exploiter_network(r, &e, &mean, b);
    }
    e.exec = mean_of(&mean);
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
        c.told = f->listed ? f->status : c.told;
    }
    c.rows = run_rows(r, machine, run, c.network);
    if (c.rows)
        c.status = c.rows == c.kernels ? "complete" : "partial";
    else if (!r->compact || file)
        c.status = file ? "empty" : "no file";
    else
        c.status = listed && *c.told ? c.told : "no rows";
    return c;
}

/* Every run that any file or block names, with every network of the suite. */
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

static bool meta_failed(const struct release_row *row)
{
    return release_failed(row, DROPLET_TIME) || release_failed(row, SEED_TIME) || release_failed(row, BASE_TIME);
}

static void meta_block(struct meta_cell *c, const struct release_block *b, struct mean exec[2], struct mean seed[2])
{
    double droplet = 0, start = 0, base = 0;
    for (int i = 0; i < b->rows.n; i++) {
        const struct release_row *row = &b->rows.at[i];
        if (meta_failed(row)) {
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
        c->networks[all]++;
        c->wins[all] += base / droplet >= 1;
        mean_add(&exec[all], base / droplet);
        if (!isnan(start))
            mean_add(&seed[all], base / start);
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
    struct mean exec[2] = {0}, seed[2] = {0};
    int n = cell_blocks(r, TABLE_META, machine, NULL, k, blocks, 64);
    for (int i = 0; i < n; i++) {
        c.partial += blocks[i]->state == BLOCK_PARTIAL;
        c.mislabelled += blocks[i]->state == BLOCK_MISLABELLED;
        meta_block(&c, blocks[i], exec, seed);
    }
    for (int all = 0; all < 2; all++) {
        c.exec[all] = mean_of(&exec[all]);
        c.seed[all] = mean_of(&seed[all]);
    }
    return c;
}

static void make_meta(struct arena *a, const struct release *r, struct reanalysis *out)
{
    const char *machines[MACHINES];
    int64_t ks[KS];
    int n = release_machines(r, TABLE_META, machines, MACHINES);
    out->meta = ARENA_ARRAY(a, struct meta_cell, n * KS + 1);
    for (int i = 0; i < n; i++) {
        int nk = release_ks(r, TABLE_META, machines[i], ks, KS);
        for (int k = 0; k < nk; k++)
            out->meta[out->nmeta++] = meta_of(r, machines[i], ks[k]);
    }
}

static void make_micro(struct arena *a, const struct release *r, struct reanalysis *out)
{
    const char *machines[MACHINES];
    int64_t ks[KS];
    int n = release_machines(r, TABLE_MICRO, machines, MACHINES);
    out->micro = ARENA_ARRAY(a, struct micro_cell, r->blocks.n + 1);
    for (int i = 0; i < n; i++) {
        int nk = release_ks(r, TABLE_MICRO, machines[i], ks, KS);
        for (int k = 0; k < nk; k++)
            for (int b = 0; b < r->blocks.n; b++) {
                const struct release_block *x = &r->blocks.at[b];
                if (x->table != TABLE_MICRO || x->k != ks[k] || !x->rows.n || !release_counts(x) ||
                    !str_eq(x->machine, machines[i]))
                    continue;
                const double *v = x->rows.at[0].v;
                out->micro[out->nmicro++] = (struct micro_cell){machines[i],
                                                                x->network,
                                                                ks[k],
                                                                &x->rows.at[0],
                                                                v[BASE_TIME] / v[DROPLET_TIME],
                                                                v[BASE_TUNING] / v[DROPLET_TOTAL]};
            }
    }
}

void reanalysis_make(struct arena *a, const struct release *r, struct reanalysis *out)
{
    *out = (struct reanalysis){.release = r};
    make_sweep(a, r, out);
    make_variance(a, r, out);
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
