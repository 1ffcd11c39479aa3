/* SPDX-License-Identifier: Apache-2.0 */
/* sweep: sums run over rows in file order, means over networks in the paper's order, so that digits do not depend on
 * anything else. */
#include "harness/released/droplet/sweep.h"

#include "harness/base/text.h"
#include "harness/released/droplet/paper_networks.h"
#include "harness/stats/estimate.h"
#include "harness/stats/geometric_mean.h"
#include "harness/stats/moments.h"
#include "harness/stats/summary.h"

#include <math.h>

enum { MACHINES = 16, NETWORKS = 64, KERNELS = 256, REPEATS = 3 }; /* three repeats a record */
static const double LEVEL = 0.05;

const char *const sweep_clock_words[SWEEP_CLOCKS] = {"apportioned", "own", "wall", "trials"};

const char *const sweep_clock_titles[SWEEP_CLOCKS] = {
    "the authors': apportioned cost of the seed's records + summed cost of Droplet's",
    "Droplet's own summed cost alone", "as the authors', Droplet's part by its wall clock",
    "records instead of seconds"};

bool sweep_fast(const struct release_row *row)
{
    return row->v[BASE_TIME] / row->v[DROPLET_TIME] >= 3;
}

static void check_p(const struct release_row *row, struct significance *s)
{
    const double *v = row->v;
    struct moments_range range =
        moments_p_range(v[DROPLET_TIME], v[DROPLET_SD], v[BASE_TIME], v[BASE_SD], REPEATS, RELEASE_HALF_UNIT);
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

/* Median over kernels; NaN where a row has none. */
static double spread_of(const struct release_block *b, enum measure sd, enum measure mean)
{
    double v[KERNELS];
    for (int i = 0; i < b->rows.n && i < KERNELS; i++) {
        v[i] = b->rows.at[i].v[sd] / b->rows.at[i].v[mean];
        if (isnan(v[i]))
            return NAN;
    }
    return b->rows.n <= KERNELS ? summary_median(v, b->rows.n) : (double)NAN;
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
        n.seeds_last += row->v[SEED_TIME] == row->v[BASE_TIME];
        sane += row->v[!sweep_fast(row) ? DROPLET_TIME : failed ? BASE_TIME : SEED_TIME];
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
    n.base_spread_x = spread_of(b, BASE_SD, BASE_TIME);
    n.spread_x = spread_of(b, DROPLET_SD, DROPLET_TIME);
    n.significance = significance_of(b);
    return n;
}

int sweep_blocks(const struct release *r, enum release_table table, const char *machine, int64_t k,
                 const struct release_block **out, int most)
{
    int n = 0;
    for (int place = 0; place <= PAPER_NETWORKS; place++)
        for (int i = 0; i < r->blocks.n && n < most; i++) {
            const struct release_block *b = &r->blocks.at[i];
            int at = paper_network_place(b->network);
            if (b->table == table && b->k == k && b->rows.n && b->state != BLOCK_SUPERSEDED &&
                str_eq(b->machine, machine) && (at < 0 ? PAPER_NETWORKS : at) == place)
                out[n++] = b;
        }
    return n;
}

struct cell_means {
    struct geometric_mean exec, search[SWEEP_CLOCKS], seed, seed_search, sane, distinct, kernel;
    double sum[MEASURE_COUNT], gains[NETWORKS];
    int ngains;
};

static void count_kernels(struct sweep_cell *c, struct cell_means *m, const struct release_block *b)
{
    c->kernels += b->rows.n;
    for (int i = 0; i < b->rows.n; i++) {
        double x = b->rows.at[i].v[BASE_TIME] / b->rows.at[i].v[DROPLET_TIME];
        c->not_slower += x >= 1;
        geometric_mean_add(&m->kernel, x);
    }
}

static void count_network(struct sweep_cell *c, struct cell_means *m, const struct sweep_network *n)
{
    c->counted++;
    c->wins += n->exec_x >= 1;
    c->seeds_last += n->seeds_last;
    c->sane_wins += n->sane_x >= 1;
    geometric_mean_add(&m->exec, n->exec_x);
    geometric_mean_take(&m->seed, n->seed_x);
    if (ratio_usable(n->gain_x))
        m->gains[m->ngains++] = n->gain_x;
    geometric_mean_add(&m->sane, n->sane_x);
    geometric_mean_add(&m->seed_search, n->seed_search_x);
    if (!str_eq(n->network, "resnet152")) /* a second run of resnet101 */
        geometric_mean_add(&m->distinct, n->exec_x);
    for (int i = 0; i < SWEEP_CLOCKS; i++)
        geometric_mean_take(&m->search[i], n->search_x[i]);
    for (int i = 0; i < MEASURE_COUNT; i++)
        m->sum[i] += n->sum[i];
    significance_add(&c->significance, &n->significance);
    count_kernels(c, m, n->block);
}

static struct sweep_cell cell_of(struct arena *a, const struct release *r, const char *machine, int64_t k)
{
    const struct release_block *blocks[NETWORKS];
    struct sweep_cell c = {.machine = machine, .k = k};
    struct cell_means m = {0};
    int n = sweep_blocks(r, TABLE_SWEEP, machine, k, blocks, NETWORKS);
    c.networks = ARENA_ARRAY(a, struct sweep_network, n + 1);
    for (int i = 0; i < n; i++) {
        if (!release_counts(blocks[i]))
            continue;
        struct sweep_network *x = &c.networks[c.nnetworks++];
        *x = network_of(r, blocks[i]);
        if (x->whole)
            count_network(&c, &m, x);
    }
    c.exec = geometric_mean_of(&m.exec);
    c.seed = geometric_mean_of(&m.seed);
    c.gain = interval_ratios(m.gains, m.ngains, ESTIMATE_CONFIDENCE);
    c.sane = geometric_mean_of(&m.sane);
    c.distinct = geometric_mean_of(&m.distinct);
    c.seed_search = geometric_mean_of(&m.seed_search);
    c.kernel_exec = geometric_mean_of(&m.kernel);
    for (int i = 0; i < SWEEP_CLOCKS; i++)
        c.search[i] = geometric_mean_of(&m.search[i]);
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

struct sweep_cell *sweep_cells(struct arena *a, const struct release *r, int *ncells)
{
    const struct release_cell *cells = release_cells(r, TABLE_SWEEP, ncells);
    struct sweep_cell *out = ARENA_ARRAY(a, struct sweep_cell, *ncells + 1);
    for (int i = 0; i < *ncells; i++)
        out[i] = cell_of(a, r, cells[i].machine, cells[i].k);
    return out;
}

struct sweep_network *sweep_reruns(struct arena *a, const struct release *r, int *nreruns)
{
    const char *machines[MACHINES];
    int n = release_machines(r, TABLE_VARIANCE, machines, MACHINES), most = 0;
    for (int i = 0; i < r->blocks.n; i++)
        most += r->blocks.at[i].table == TABLE_VARIANCE;
    struct sweep_network *out = ARENA_ARRAY(a, struct sweep_network, most + 1);
    *nreruns = 0;
    for (int m = 0; m < n; m++)
        for (int i = 0; i < r->blocks.n; i++) {
            const struct release_block *b = &r->blocks.at[i];
            if (b->table != TABLE_VARIANCE || !b->rows.n || !release_counts(b) || !str_eq(b->machine, machines[m]))
                continue;
            struct sweep_network x = network_of(r, b);
            x.search_x[SWEEP_WALL] = NAN; /* that clock is of another run */
            out[(*nreruns)++] = x;
        }
    return out;
}

const char *sweep_slower_searches(struct arena *a, const struct sweep_cell *c)
{
    const char *names = "";
    for (int i = 0; i < c->nnetworks; i++)
        if (c->networks[i].whole && c->networks[i].search_x[SWEEP_APPORTIONED] < 1)
            names = arena_printf(a, "%s%s%s %.2f", names, *names ? ", " : "", c->networks[i].network,
                                 c->networks[i].search_x[SWEEP_APPORTIONED]);
    return names;
}
