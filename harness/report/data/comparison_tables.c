/* SPDX-License-Identifier: Apache-2.0 */
/* comparison_tables: what a column's row says about its source is done here, once for all of them; the rest (names,
 * counts of several kinds, published numbers) by hand. */
#include "harness/report/data/comparison_tables.h"

#include "harness/report/data/control_arms.h"
#include "harness/report/data/pairwise.h"
#include "harness/stats/geometric_mean.h"

struct maker {
    const struct comparison_input *in;
    const struct comparisons *c;
    const struct results *r;
    struct document *d;
};

/* ---- columns with a source ---- */

static void put_total(struct document_row to, enum report_column c, const struct totals *of)
{
    const struct report_column_info *info = &report_columns[c];
    const struct totals *t = &of[info->part];
    if (info->source == SOURCE_KERNEL)
        document_number(to, c, 1e3 * t->kernel_s[info->what]);
    else if (info->source == SOURCE_RETIMED)
        document_number(to, c, 1e3 * t->retimed_s[info->what]);
    else if (info->source == SOURCE_SEARCH)
        document_number(to, c, t->search_s[info->what]);
    else if (info->source == SOURCE_TRIALS)
        document_count(to, c, t->trials);
    else if (info->source == SOURCE_FAILED)
        document_count(to, c, t->failed);
}

static void put_comparison(struct document_row to, const struct comparison *one)
{
    const struct report_table_info *table = &report_tables[to.table];
    for (int i = 0; i < table->n; i++) {
        const struct report_column_info *info = &report_columns[table->columns[i]];
        const struct estimate *e = &one->ratio[info->source == SOURCE_QUANTITY ? info->what : 0];
        if (info->source != SOURCE_QUANTITY)
            put_total(to, table->columns[i], one->of);
        else if (quantity_is_main((enum quantity)info->what))
            document_ratio(to, table->columns[i], e);
        else
            document_number(to, table->columns[i], e->ratio);
    }
}

/* ---- an arm's row ---- */

static void put_published(const struct maker *m, struct document_row to, const struct comparison *one, int64_t k)
{
    const struct published *p = m->in->published;
    const char *name = one->network < 0 ? NULL : m->r->networks[one->network].name;
    const struct published_network *of = name ? published_network(p, name) : NULL;
    int at = published_k(p, k);
    if (at < 0 || (name && !of))
        return;
    document_number(to, COL_PAPER_KERNEL, name ? of->kernel[at] : p->mean_kernel[at]);
    if (!name || k == p->search_k)
        document_number(to, COL_PAPER_SEARCH, name ? of->search : p->mean_search[at]);
}

static void put_counts(struct document_row to, const struct test_counts *t, enum report_column better,
                       enum report_column worse, enum report_column open)
{
    document_count(to, better, t->better);
    document_count(to, worse, t->worse);
    document_count(to, open, t->open);
}

static void put_arm(const struct maker *m, struct document_row to, const struct comparison *one)
{
    const struct result_arm *arm = &m->r->arms[one->arm];
    enum clocks_agree clocks =
        comparison_clocks(one->ratio[QUANTITY_SEARCH_WALL].ratio, one->ratio[QUANTITY_SEARCH_RECORDS].ratio);
    document_text(to, COL_ARM, arm->label);
    document_count(to, COL_K, arm->k);
    document_count(to, COL_KERNELS, one->kernels);
    document_count(to, COL_FOUND, one->found);
    document_count(to, COL_SHARED, one->shared);
    document_text(to, COL_CLOCKS, comparison_clocks_words[clocks]);
    put_published(m, to, one, arm->k);
    if (!one->seeds)
        return;
    put_comparison(to, one);
    put_counts(to, &one->repeats, COL_REPEATS_BETTER, COL_REPEATS_WORSE, COL_REPEATS_OPEN);
    put_counts(to, &one->launches, COL_LAUNCHES_BETTER, COL_LAUNCHES_WORSE, COL_LAUNCHES_OPEN);
    if (one->network < 0 ? one->complete > 0 : one->found == one->kernels)
        document_number(to, COL_OWN_KERNEL_MS, 1e3 * one->of[PART_OWN].kernel_s[SUM_PLAIN]);
}

static void means(const struct maker *m)
{
    for (int i = 0; i < m->c->narms; i++) {
        const struct comparison *one = &m->c->means[i];
        struct document_row to = document_add(m->d, TABLE_MEANS);
        put_arm(m, to, one);
        const struct result_arm *arm = &m->r->arms[one->arm];
        document_text(to, COL_OVER, arm->base < 0 ? "" : m->r->arms[arm->base].label);
        document_text(to, COL_SEARCHER, arm->searcher);
        document_text(to, COL_SETTINGS, arm->settings);
        document_count(to, COL_NETWORKS, one->seeds);
        document_count(to, COL_COMPLETE, one->complete);
        document_count(to, COL_WINS, one->wins);
        document_count(to, COL_COUNTED, one->counted);
    }
}

static void networks(const struct maker *m)
{
    for (int n = 0; n < m->r->nnetworks; n++)
        for (int i = 0; i < m->c->narms; i++) {
            const struct comparison *one = &m->c->networks[i * m->r->nnetworks + n];
            struct document_row to = document_add(m->d, TABLE_NETWORKS);
            document_text(to, COL_NETWORK, m->r->networks[n].name);
            document_count(to, COL_SEEDS, one->seeds);
            document_count(to, COL_CALLS, m->r->networks[n].calls);
            put_arm(m, to, one);
            document_number(to, COL_P, one->p);
            document_number(to, COL_P_HOLM, one->p_holm);
            document_number(to, COL_SPREAD_REPEATS, one->spread_repeats);
            document_number(to, COL_SPREAD_LAUNCHES, one->spread_launches);
        }
}

/* ---- what is beside the comparisons ---- */

static void explorer(const struct maker *m, int arm, int network)
{
    struct totals sum = {0};
    struct document_row to = document_add(m->d, TABLE_EXPLORERS);
    int seeds = 0;
    for (int s = 0; s < m->r->seeds; s++)
        seeds += results_cell(m->r, arm, network, s) != NULL;
    for (int s = 0; s < m->r->seeds; s++)
        if (results_cell(m->r, arm, network, s))
            totals_add(&sum, &results_cell(m->r, arm, network, s)->of[PART_KEPT], 1.0 / seeds);
    document_text(to, COL_NETWORK, m->r->networks[network].name);
    document_text(to, COL_ARM, m->r->arms[arm].label);
    document_count(to, COL_SEEDS, seeds);
    document_count(to, COL_KERNELS, m->r->networks[network].kernels);
    document_count(to, COL_CALLS, m->r->networks[network].calls);
    document_count(to, COL_TRIALS, sum.trials);
    document_count(to, COL_FAILED, sum.failed);
    if (!seeds)
        return;
    const struct totals of[PART_COUNT] = {[PART_KEPT] = sum};
    for (int i = 0; i < report_tables[TABLE_EXPLORERS].n; i++) {
        enum report_column c = report_tables[TABLE_EXPLORERS].columns[i];
        if (report_columns[c].part == PART_KEPT && report_columns[c].source != SOURCE_NOTHING)
            put_total(to, c, of);
    }
}

/* Geometric mean over kernels. */
static double time_spread(const struct cell_result *cell)
{
    struct geometric_mean mean = {0};
    for (int i = 0; i < cell->nkernels; i++)
        geometric_mean_take(&mean, cell->kernels[i].time_spread);
    return geometric_mean_of(&mean);
}

static void explorer_seed(const struct maker *m, int arm, int network, int seed)
{
    const struct cell_result *cell = results_cell(m->r, arm, network, seed);
    if (!cell)
        return;
    struct document_row to = document_add(m->d, TABLE_EXPLORER_SEEDS);
    document_text(to, COL_NETWORK, m->r->networks[network].name);
    document_text(to, COL_ARM, m->r->arms[arm].label);
    document_text(to, COL_SEARCHER, m->r->arms[arm].searcher);
    document_count(to, COL_SEED, m->r->first_seed + seed);
    document_count(to, COL_KERNELS, cell->nkernels);
    document_count(to, COL_TRIALS, cell->of[PART_KEPT].trials);
    document_count(to, COL_FAILED, cell->of[PART_KEPT].failed);
    document_number(to, COL_KERNEL_MS, 1e3 * cell->of[PART_KEPT].kernel_s[SUM_PLAIN]);
    document_number(to, COL_RETIMED_MS, 1e3 * cell->of[PART_KEPT].retimed_s[SUM_PLAIN]);
    document_number(to, COL_SEARCH_WALL_S, cell->of[PART_KEPT].search_s[CLOCK_WALL]);
    document_number(to, COL_TIME_SPREAD, time_spread(cell));
}

static void explorers(const struct maker *m)
{
    for (int n = 0; n < m->r->nnetworks; n++)
        for (int i = 0; i < m->r->narms; i++)
            if (m->r->arms[i].explorer < 0)
                explorer(m, i, n);
    for (int n = 0; n < m->r->nnetworks; n++)
        for (int i = 0; i < m->r->narms; i++)
            for (int s = 0; s < m->r->seeds && m->r->arms[i].explorer < 0; s++)
                explorer_seed(m, i, n, s);
}

static void pairs(const struct maker *m)
{
    int n;
    const struct pairwise *all = pairwise_make(m->c, m->in->margin, &n);
    for (int i = 0; i < n; i++) {
        static const enum report_column columns[PAIRWISE_COUNT] = {
            [PAIRWISE_KERNELS] = COL_PAIR_KERNELS,
            [PAIRWISE_EACH] = COL_PAIR_EACH,
            [PAIRWISE_RECORDS] = COL_PAIR_RECORDS,
            [PAIRWISE_WALL] = COL_PAIR_WALL,
        };
        struct document_row to = document_add(m->d, TABLE_PAIRWISE);
        document_text(to, COL_ARM, m->r->arms[all[i].first].label);
        document_text(to, COL_OVER, m->r->arms[all[i].other].label);
        for (int k = 0; k < PAIRWISE_COUNT; k++)
            document_ratio(to, columns[k], &all[i].ratio[k]);
    }
}

static void declared(const struct maker *m)
{
    int n;
    const struct pairwise *all = pairwise_declared(m->c, m->in->experiment, m->in->margin, &n);
    for (int i = 0; i < n; i++) {
        struct document_row to = document_add(m->d, TABLE_DECLARED);
        document_text(to, COL_ARM, m->r->arms[all[i].first].label);
        document_text(to, COL_OVER, m->r->arms[all[i].other].label);
        document_ratio(to, COL_PAIR_KERNELS, &all[i].ratio[PAIRWISE_KERNELS]);
    }
}

static void effects(const struct maker *m)
{
    int n;
    const struct condition_effect *all = pairwise_conditions(m->c, m->in->margin, &n);
    for (int i = 0; i < n; i++) {
        struct document_row to = document_add(m->d, TABLE_EFFECTS);
        document_text(to, COL_CONDITION, all[i].condition);
        document_count(to, COL_PAIRS, all[i].pairs);
        document_ratio(to, COL_EFFECT, &all[i].tuned);
        document_ratio(to, COL_EFFECT_RETIMED, &all[i].retimed);
    }
}

struct run { /* of one arm on one network in one seed */
    const char *network, *arm;
    int64_t seed;
    const struct cell_result *cell;
};

static void put_run(struct document_row to, const struct run *run)
{
    document_text(to, COL_NETWORK, run->network);
    document_text(to, COL_ARM, run->arm);
    document_count(to, COL_SEED, run->seed);
}

static void kernels(const struct maker *m, const struct run *run)
{
    const struct cell_result *cell = run->cell;
    for (int i = 0; i < cell->nkernels; i++) {
        const struct kernel_result *k = &cell->kernels[i];
        struct document_row to = document_add(m->d, TABLE_KERNELS);
        put_run(to, run);
        document_text(to, COL_KERNEL, k->name);
        document_count(to, COL_TRIALS, k->records);
        document_count(to, COL_FAILED, k->failed);
        document_number(to, COL_EXPLORER_KERNEL_MS, 1e3 * k->kernel_s[PART_EXPLORER]);
        document_number(to, COL_SEED_KERNEL_MS, 1e3 * k->kernel_s[PART_SEED]);
        document_number(to, COL_OWN_KERNEL_MS, 1e3 * k->kernel_s[PART_OWN]);
        document_number(to, COL_KERNEL_MS, 1e3 * k->kernel_s[PART_KEPT]);
        document_number(to, COL_EXPLORER_RETIMED_MS, 1e3 * k->retimed_s[PART_EXPLORER]);
        document_number(to, COL_RETIMED_MS, 1e3 * k->retimed_s[PART_KEPT]);
        document_number(to, COL_P_REPEATS, k->p_repeats);
        document_number(to, COL_P_LAUNCHES, k->p_launches);
    }
}

static void seed(const struct maker *m, const struct run *run)
{
    struct document_row to = document_add(m->d, TABLE_SEEDS);
    put_run(to, run);
    for (int i = 0; i < report_tables[TABLE_SEEDS].n; i++) {
        enum report_column c = report_tables[TABLE_SEEDS].columns[i];
        if (report_columns[c].source == SOURCE_QUANTITY)
            document_number(to, c, quantity_value((enum quantity)report_columns[c].what, run->cell, run->cell, -1));
        else
            put_total(to, c, run->cell->of);
    }
}

static void runs(const struct maker *m)
{
    for (int n = 0; n < m->r->nnetworks; n++)
        for (int i = 0; i < m->c->narms; i++)
            for (int s = 0; s < m->r->seeds; s++) {
                struct run run = {m->r->networks[n].name, m->r->arms[m->c->arms[i]].label, m->r->first_seed + s,
                                  results_cell(m->r, m->c->arms[i], n, s)};
                if (!run.cell)
                    continue;
                seed(m, &run);
                kernels(m, &run);
            }
}

static void controls(const struct maker *m)
{
    struct control_arms all;
    control_arms_make(m->c, &all);
    for (int i = 0; i < all.n && all.separate; i++) {
        const struct control_arms_row *row = &all.rows[i];
        struct document_row to = document_add(m->d, TABLE_SEPARATE);
        document_text(to, COL_NETWORK, row->network < 0 ? NULL : m->r->networks[row->network].name);
        document_count(to, COL_K, row->k);
        document_number(to, COL_CUT_KERNEL_MS, 1e3 * row->cut_s);
        document_number(to, COL_SEPARATE_KERNEL_MS, 1e3 * row->separate_s);
        document_number(to, COL_CUT_SEARCH_S, row->cut_search_s);
        document_number(to, COL_SEPARATE_SEARCH_S, row->separate_search_s);
        document_ratio(to, COL_SEPARATE_KERNEL, &row->ratio[CONTROL_ARMS_KERNEL]);
        document_ratio(to, COL_SEPARATE_SEARCH, &row->ratio[CONTROL_ARMS_SEARCH]);
        document_ratio(to, COL_SEPARATE_DESCENT, &row->ratio[CONTROL_ARMS_DESCENT]);
        document_text(to, COL_UNLIKE, row->unlike_separate);
    }
    for (int i = 0; i < all.n && all.again; i++) {
        const struct control_arms_row *row = &all.rows[i];
        struct document_row to = document_add(m->d, TABLE_REMEASURED);
        document_text(to, COL_NETWORK, row->network < 0 ? NULL : m->r->networks[row->network].name);
        document_count(to, COL_K, row->k);
        document_number(to, COL_SEED_KERNEL_MS, 1e3 * row->seed_s);
        document_number(to, COL_REMEASURED_MS, 1e3 * row->again_s);
        document_number(to, COL_KERNEL_MS, 1e3 * row->kept_s);
        document_ratio(to, COL_REMEASURE_GAIN, &row->ratio[CONTROL_ARMS_REMEASURED]);
        document_ratio(to, COL_FOUND_GAIN, &row->ratio[CONTROL_ARMS_FOUND]);
        document_text(to, COL_UNLIKE, row->unlike_again);
    }
}

void comparison_tables_fill(const struct comparison_input *in, struct document *d)
{
    const struct maker m = {in, in->comparisons, in->comparisons->results, d};
    d->headline = report_columns[COL_KERNEL_SPEEDUP].name;
    for (int c = 0; c < COL_COUNT; c++)
        if (report_columns[c].source == SOURCE_QUANTITY && report_columns[c].what == (int)in->comparisons->headline)
            d->headline = report_columns[c].name;
    means(&m);
    networks(&m);
    explorers(&m);
    pairs(&m);
    declared(&m);
    effects(&m);
    runs(&m);
    controls(&m);
}

void comparison_tables_unlike(const struct results *r, struct document *d)
{
    for (int t = 0; t < REPORT_TABLES; t++)
        for (int i = 0; i < document_rows(d, (enum report_table)t) && document_has((enum report_table)t, COL_UNLIKE);
             i++) {
            const char *arm = document_text_at(d, (enum report_table)t, i, COL_ARM),
                       *over = document_text_at(d, (enum report_table)t, i, COL_OVER);
            int at = results_arm(r, arm);
            if (!*over && at >= 0 && r->arms[at].base >= 0)
                over = r->arms[r->arms[at].base].label;
            document_text((struct document_row){d, (enum report_table)t, i}, COL_UNLIKE,
                          results_unlike(r, d->a, arm, over));
        }
}
