/* SPDX-License-Identifier: Apache-2.0 */
/* outliers: one pass over the blocks for what a row tells by itself, one by machine for the roofline. */
#include "harness/released/droplet/outliers.h"

#include "harness/base/text.h"
#include "harness/experiment/network.h"
#include "harness/released/droplet/paper_networks.h"
#include "harness/released/droplet/roofline.h"

#include <math.h>

enum { MACHINES = 16, KS = 32, KERNELS = 256 };

const char *const outlier_words[OUTLIER_KINDS] = {"fast", "worse_than_seed", "impossible", "failed"};

const char *const outlier_titles[OUTLIER_KINDS] = {
    "at least 3 times faster than Ansor after 10,000 trials",
    "at least 5 % slower than their own start, which the definition excludes",
    "shorter than the roofline allows for any kernel they can be", "a failed record, written as 9999 s or 10^10 s"};

static void add(struct outliers *s, enum outlier_kind kind, const struct release_block *b,
                const struct release_row *row, double bound_s)
{
    vec_push(&s->all, (struct outlier){kind, b, row, bound_s});
    s->count[kind]++;
}

static void look_at_rows(struct outliers *s, const struct release_block *b)
{
    for (int i = 0; i < b->rows.n; i++) {
        const struct release_row *row = &b->rows.at[i];
        if (sweep_fast(row))
            add(s, OUTLIER_FAST, b, row, NAN);
        if (row->v[DROPLET_TIME] >= 1.05 * row->v[SEED_TIME])
            add(s, OUTLIER_WORSE, b, row, NAN);
    }
}

static void look_at_failures(struct outliers *s, const struct release_block *b)
{
    for (int i = 0; i < b->rows.n; i++)
        if (release_any_failed(&b->rows.at[i]))
            add(s, OUTLIER_FAILED, b, &b->rows.at[i], NAN);
}

/* Roofline -------------------------------------------------------------------------------------------------------- */

/* The files of releases name machines by aliases: ryzen7 is ryzen7-3700x.yaml. */
static bool machine_of(struct arena *a, const char *folder, const char *machine, struct machine *m)
{
    struct err ignored = {0};
    return machine_load(a, folder, machine, m, &ignored) && (m->peak_gflops > 0 || m->memory_gb_s > 0);
}

/* The bound of each row of a network, from the fullest block's Ansor-10k times; false: nothing can be said. */
static bool bounds_of(struct arena *a, const char *folder, const struct machine *m, const struct release_block *b,
                      double *least, struct roofline_coverage *out)
{
    struct network *net;
    struct err ignored = {0};
    double times[KERNELS], bounds[KERNELS];
    if (!network_load(a, folder, b->network, &net, &ignored) || net->nkernels != b->rows.n || net->nkernels > KERNELS) {
        out->without++;
        return false;
    }
    for (int i = 0; i < net->nkernels; i++) {
        times[i] = b->rows.at[i].v[BASE_TIME];
        bounds[i] = roofline_seconds(m, net->tasks[i].task);
    }
    out->networks++;
    bool fit = roofline_least(times, bounds, net->nkernels, least);
    out->unfit += !fit;
    return fit;
}

static void find_impossible(struct outliers *s, const struct release *r, const struct release_block *first,
                            const double *least)
{
    for (int i = 0; i < r->blocks.n; i++) {
        const struct release_block *b = &r->blocks.at[i];
        if (b->table != TABLE_SWEEP || b->state != BLOCK_WHOLE || !str_eq(b->machine, first->machine) ||
            !str_eq(b->network, first->network))
            continue;
        for (int k = 0; k < b->rows.n; k++)
            if (b->rows.at[k].kernel == first->rows.at[k].kernel && b->rows.at[k].v[DROPLET_TIME] < least[k])
                add(s, OUTLIER_IMPOSSIBLE, b, &b->rows.at[k], least[k]);
    }
}

static void compare_with_roofline(struct arena *a, struct outliers *s, const struct release *r, const char *folder,
                                  const char *machine)
{
    struct roofline_coverage *out = &s->roofline[s->nroofline++];
    struct machine m = {0};
    double least[KERNELS];
    *out = (struct roofline_coverage){.machine = machine, .known = machine_of(a, folder, machine, &m)};
    for (int n = 0; out->known && n < PAPER_NETWORKS; n++)
        for (int i = 0; i < r->blocks.n; i++) {
            const struct release_block *b = &r->blocks.at[i];
            if (b->table != TABLE_SWEEP || b->state != BLOCK_WHOLE || !str_eq(b->machine, machine) ||
                !str_eq(b->network, paper_networks[n].name))
                continue;
            if (bounds_of(a, folder, &m, b, least, out))
                find_impossible(s, r, b, least);
            break;
        }
}

struct outliers *outlier_find(struct arena *a, const struct reanalysis *x, const char *folder)
{
    struct outliers *out = ARENA_NEW(a, struct outliers);
    const struct release *r = x->release;
    const char *machines[MACHINES];
    int n = release_machines(r, TABLE_SWEEP, machines, MACHINES);
    out->roofline = ARENA_ARRAY(a, struct roofline_coverage, n + 1);
    vec_defer(a, &out->all);
    for (int i = 0; i < x->nsweep; i++)
        for (int k = 0; k < x->sweep[i].nnetworks; k++)
            look_at_rows(out, x->sweep[i].networks[k].block);
    for (int i = 0; i < n; i++)
        compare_with_roofline(a, out, r, folder, machines[i]);
    for (int i = 0; i < r->blocks.n; i++)
        if (r->blocks.at[i].table != TABLE_OTHER && r->blocks.at[i].state != BLOCK_SUPERSEDED)
            look_at_failures(out, &r->blocks.at[i]);
    return out;
}

int outlier_count(const struct outliers *s, enum outlier_kind kind, const char *machine, int64_t k)
{
    int n = 0;
    for (int i = 0; i < s->all.n; i++) {
        const struct outlier *x = &s->all.at[i];
        n += x->kind == kind && x->block->table == TABLE_SWEEP && str_eq(x->block->machine, machine) &&
             (!k || x->block->k == k);
    }
    return n;
}
