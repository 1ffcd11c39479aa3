/* SPDX-License-Identifier: Apache-2.0 */
/* repeats: a network is compared first; its numbers are added to its run's when it counts. */
#include "harness/released/droplet/repeats.h"

#include "harness/base/text.h"
#include "harness/released/droplet/paper_networks.h"
#include "harness/stats/estimate.h"
#include "harness/stats/geometric_mean.h"
#include "harness/stats/verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool from_other_seed(const struct release_row *row, const struct release_row *sweep)
{
    return isnan(row->v[SEED_TIME]) ? row->v[DROPLET_TIME] > sweep->v[SEED_TIME]
                                    : row->v[SEED_TIME] != sweep->v[SEED_TIME];
}

/* A network, added to p when it counts. */
static void add_network(struct repeat_run *p, const struct release_block *b, const struct release_block *sweep)
{
    struct repeat_network n = {.block = b};
    struct geometric_mean kernel = {0};
    double base = 0, seed = 0, swept = 0, again = 0;
    bool counts = b->state == BLOCK_WHOLE && sweep->state == BLOCK_WHOLE;
    for (int i = 0; i < b->rows.n; i++) {
        const struct release_row *row = &b->rows.at[i], *of = release_kernel(sweep, row->kernel);
        if (!of || release_any_failed(row) || release_any_failed(of)) {
            counts = false;
        } else if (from_other_seed(row, of)) {
            if (!p->other++) {
                p->other_file = b->file;
                p->other_line = row->line;
            }
            counts = false;
        } else {
            double x = row->v[DROPLET_TIME] / of->v[DROPLET_TIME];
            n.at_seed += row->v[DROPLET_TIME] == of->v[SEED_TIME];
            n.faster += x < 1;
            n.slower += x > 1;
            geometric_mean_add(&kernel, x);
            base += of->v[BASE_TIME];
            seed += of->v[SEED_TIME];
            swept += of->v[DROPLET_TIME];
            again += row->v[DROPLET_TIME];
        }
    }
    if (!counts)
        return;
    n.exec_x = base / again;
    n.start_x = base / seed;
    n.gain_x = seed / again;
    n.sweep_gain_x = seed / swept;
    n.kernel_x = geometric_mean_of(&kernel);
    p->wins += n.exec_x >= 1;
    p->kernels += b->rows.n;
    p->at_seed += n.at_seed;
    p->faster += n.faster;
    p->slower += n.slower;
    p->networks[p->nnetworks++] = n;
}

static void add_means(struct repeat_run *p)
{
    double gain[PAPER_NETWORKS], sweep_gain[PAPER_NETWORKS], kernel[PAPER_NETWORKS];
    struct geometric_mean exec = {0}, start = {0}, sweep_exec = {0};
    for (int i = 0; i < p->nnetworks; i++) {
        const struct repeat_network *n = &p->networks[i];
        gain[i] = n->gain_x;
        sweep_gain[i] = n->sweep_gain_x;
        kernel[i] = n->kernel_x;
        geometric_mean_add(&exec, n->exec_x);
        geometric_mean_add(&start, n->start_x);
        geometric_mean_add(&sweep_exec, n->start_x * n->sweep_gain_x);
    }
    p->exec = geometric_mean_of(&exec);
    p->start = geometric_mean_of(&start);
    p->sweep_exec = geometric_mean_of(&sweep_exec);
    p->gain = interval_ratios(gain, p->nnetworks, ESTIMATE_CONFIDENCE);
    p->sweep_gain = interval_ratios(sweep_gain, p->nnetworks, ESTIMATE_CONFIDENCE);
    p->kernel = interval_ratios(kernel, p->nnetworks, ESTIMATE_CONFIDENCE);
}

static struct repeat_run *run_of(struct arena *a, struct repeat_run *all, int *n, const struct release_block *b)
{
    for (int i = 0; i < *n; i++)
        if (all[i].table == b->table && all[i].k == b->k && str_eq(all[i].machine, b->machine) &&
            str_eq(all[i].run, b->run))
            return &all[i];
    all[*n] =
        (struct repeat_run){.table = b->table,
                            .machine = b->machine,
                            .run = b->run,
                            .title = b->table == TABLE_VARIANCE ? arena_printf(a, "variance run %s", b->run) : b->run,
                            .k = b->k,
                            .networks = ARENA_ARRAY(a, struct repeat_network, PAPER_NETWORKS),
                            .other_file = ""};
    return &all[(*n)++];
}

static int by_run(const void *a, const void *b)
{
    const struct repeat_run *x = a, *y = b;
    int machine = strcmp(x->machine, y->machine);
    return machine ? machine : x->table != y->table ? (int)y->table - (int)x->table : strcmp(x->run, y->run);
}

/* The draws of an interval depend on the order of its ratios. */
static int by_place(const void *a, const void *b)
{
    const struct repeat_network *x = a, *y = b;
    return paper_network_place(x->block->network) - paper_network_place(y->block->network);
}

struct repeat_run *repeats_of(struct arena *a, const struct release *r, int *n)
{
    struct repeat_run *out = ARENA_ARRAY(a, struct repeat_run, r->blocks.n + 1);
    *n = 0;
    for (int i = 0; i < r->blocks.n; i++) {
        const struct release_block *b = &r->blocks.at[i];
        const struct release_block *sweep = release_find(r, TABLE_SWEEP, b->machine, NULL, NULL, b->network, b->k);
        bool droplet = b->table == TABLE_VARIANCE || (b->table == TABLE_EXPLOITERS && str_eq(b->method, "droplet"));
        if (!droplet || !sweep || !b->rows.n || !release_counts(b) || paper_network_place(b->network) < 0)
            continue;
        struct repeat_run *p = run_of(a, out, n, b);
        if (p->nnetworks < PAPER_NETWORKS)
            add_network(p, b, sweep);
    }
    qsort(out, (size_t)*n, sizeof *out, by_run);
    for (int i = 0; i < *n; i++) {
        qsort(out[i].networks, (size_t)out[i].nnetworks, sizeof *out[i].networks, by_place);
        add_means(&out[i]);
    }
    return out;
}

const char *repeats_apart(struct arena *a, const struct repeat_run *all, int n, const char *machine, int64_t k,
                          const char *network)
{
    const char *out = "";
    bool apart = false;
    for (int i = 0; i < n; i++) {
        const struct repeat_run *p = &all[i];
        double exec = p->exec, sweep = p->sweep_exec;
        bool here = !network && p->nnetworks > 0;
        for (int at = 0; network && at < p->nnetworks && !here; at++) {
            here = str_eq(p->networks[at].block->network, network);
            exec = p->networks[at].exec_x;
            sweep = p->networks[at].start_x * p->networks[at].sweep_gain_x;
        }
        if (!here || p->k != k || !str_eq(p->machine, machine))
            continue;
        apart = apart || fabs(log(exec / sweep)) > log(1 + VERDICT_MARGIN);
        out = arena_printf(a, "%s%s%.3f (%s", out, *out ? ", " : "", exec, p->title);
        out = network ? arena_printf(a, "%s)", out) : arena_printf(a, "%s, %d networks)", out, p->nnetworks);
    }
    return apart ? out : "";
}
