/* SPDX-License-Identifier: Apache-2.0 */
/* results: the arms are those of the experiment, and such as only the records know. A cell counts when it is done and
 * has the kernels of the plan. */
#include "harness/report/data/results.h"

#include "harness/base/hash.h"
#include "harness/base/text.h"
#include "harness/record/keys.h"
#include "harness/stats/design_effect.h"
#include "harness/stats/summary.h"
#include "harness/stats/t_test.h"

#include <math.h>
#include <string.h>

struct maker {
    const struct records *r;
    const struct experiment *e;
    struct arena *a;
    struct results *out;
    bool seed_cost_again;
    struct err *err;
};

/* ---- arms ---- */

int results_arm(const struct results *r, const char *label)
{
    for (int i = 0; i < r->narms; i++)
        if (str_eq(r->arms[i].label, label))
            return i;
    return -1;
}

const char *results_unlike(const struct results *r, struct arena *a, const char *arm, const char *over)
{
    int x = results_arm(r, arena_strn(a, arm, strcspn(arm, ","))),
        y = results_arm(r, arena_strn(a, over, strcspn(over, ",")));
    if (x < 0 || y < 0 || str_eq(r->arms[x].conditions, r->arms[y].conditions))
        return NULL;
    const char *of[] = {r->arms[x].conditions, r->arms[y].conditions};
    return arena_printf(a, "%s, not %s", *of[0] ? of[0] : "the experiment's", *of[1] ? of[1] : "the experiment's");
}

static int add_arm(struct maker *m, const char *label, const char *name, int64_t k)
{
    int at = results_arm(m->out, label);
    if (at >= 0)
        return at;
    m->out->arms[m->out->narms] = (struct result_arm){.label = label,
                                                      .name = name,
                                                      .k = k,
                                                      .searcher = "",
                                                      .settings = "",
                                                      .conditions = "",
                                                      .explorer = -1,
                                                      .base = -1};
    return m->out->narms++;
}

static void planned_arm(struct maker *m, const struct arm *arm)
{
    if (!arm->nk)
        add_arm(m, arm->name, arm->name, 0);
    for (int i = 0; i < arm->nk; i++) {
        const char *label = arena_printf(m->a, "%s-%lld", arm->name, (long long)arm->k[i]);
        int at = add_arm(m, label, arm->name, arm->k[i]);
        m->out->arms[at].remeasures = arm_is_remeasure(arm);
        if (!arm->explore)
            continue;
        int from = results_arm(m->out, arena_printf(m->a, "%s-%lld", arm->explore, (long long)arm->k[i]));
        m->out->arms[at].explorer = from < 0 ? results_arm(m->out, arm->explore) : from;
    }
}

static void make_arms(struct maker *m)
{
    const struct record_scan *s = &m->r->scan;
    int most = s->ncells + 1;
    for (int i = 0; i < m->e->narms; i++)
        most += m->e->arms[i].nk + 1;
    m->out->arms = ARENA_ARRAY(m->a, struct result_arm, most);
    for (int i = 0; i < m->e->narms; i++)
        planned_arm(m, &m->e->arms[i]);
    for (int c = 0; c < s->ncells; c++) {
        struct result_arm *arm = &m->out->arms[add_arm(m, s->cells[c].arm, s->cells[c].arm, s->cells[c].k)];
        int from = s->cells[c].explore_cell;
        arm->searcher = s->cells[c].searcher;
        arm->settings = s->cells[c].searcher_settings;
        arm->conditions = s->cells[c].conditions;
        if (arm->explorer < 0 && from >= 0)
            arm->explorer = results_arm(m->out, s->cells[from].arm);
    }
    for (int i = 0; i < m->out->narms; i++)
        m->out->arms[i].base = m->out->arms[i].explorer;
}

void totals_add(struct totals *to, const struct totals *one, double share)
{
    for (int i = 0; i < SUM_COUNT; i++) {
        to->kernel_s[i] += share * one->kernel_s[i];
        to->retimed_s[i] += share * one->retimed_s[i];
    }
    for (int i = 0; i < CLOCK_COUNT; i++)
        to->search_s[i] += share * one->search_s[i];
    to->trials += one->trials;
    to->failed += one->failed;
}

/* ---- one kernel ---- */

static struct kept_program best_of(const struct scan_sums *s)
{
    return (struct kept_program){s->best, s->best_s};
}

static double spread_of(const double *v, int n)
{
    return n > 1 ? summary_sd(v, n) / summary_mean(v, n) : NAN;
}

static bool test_kernel(struct maker *m, int64_t kept, int64_t explorer, struct kernel_result *k)
{
    double ours[SAMPLE_REPEATS], theirs[SAMPLE_REPEATS], launches[RECORDS_LAUNCHES];
    int nours, ntheirs = 0;
    if (!record_scan_repeats(m->r->s, kept, ours, &nours, m->err) ||
        (kept != explorer && !record_scan_repeats(m->r->s, explorer, theirs, &ntheirs, m->err)))
        return false;
    k->spread_repeats = spread_of(ours, nours);
    k->spread_launches = spread_of(launches, records_launches(m->r, kept, launches));
    if (kept == explorer)
        return true;
    k->p_repeats = t_test_means(ours, nours, theirs, ntheirs).p;
    k->p_launches = records_launches_p(m->r, kept, explorer);
    return true;
}

static void put_program(struct maker *m, struct kernel_result *k, enum part part, struct kept_program p)
{
    const struct retimed_trial *t = records_retimed(m->r, p.trial);
    if (part == PART_KEPT && t) {
        k->duel = &m->r->duels.data[t->duel];
        k->place = t->place;
    }
    k->kernel_s[part] = p.s;
    k->retimed_s[part] = p.trial && isfinite(p.s) ? records_retimed_s(m->r, p.trial) : NAN;
}

static void add_program(struct totals *t, const struct kernel_result *k, enum part part, double weight)
{
    t->kernel_s[SUM_PLAIN] += k->kernel_s[part];
    t->kernel_s[SUM_CALLS] += weight * k->kernel_s[part];
    t->retimed_s[SUM_PLAIN] += k->retimed_s[part];
    t->retimed_s[SUM_CALLS] += weight * k->retimed_s[part];
}

static void add_cost(struct totals *t, const struct scan_sums *s)
{
    t->search_s[CLOCK_SUM] += s->cost_s;
    t->search_s[CLOCK_DEVICE] += s->run_s + s->verify_s;
    t->trials += s->records;
    t->failed += s->records - s->valid;
}

/* CPU seconds that belong to so much of a cell's wall clock. */
static double cpu_of(const struct scan_cell *c, double wall_s)
{
    return c->cpu_s > 0 && c->clock_s > 0 ? c->cpu_s * wall_s / c->clock_s : NAN;
}

/* ---- one cell ---- */

/* Cost of the first k records of every kernel of a cell (0: all of them, and its whole clock). */
static void explored_cost(const struct record_scan *s, int cell, int64_t k, struct totals *t)
{
    const struct store_cell *c = &s->cells[cell];
    double cost = 0, wall = 0;
    int64_t records = 0;
    for (int i = 0; i < c->ntasks; i++) {
        cost += s->of[cell].kernels[i].all.cost_s;
        records += s->of[cell].kernels[i].all.records;
    }
    for (int i = 0; i < c->ntasks; i++) {
        const struct scan_sums *first = record_scan_first(s, cell, i, k);
        add_cost(t, first);
        t->search_s[CLOCK_RECORDS] += records ? (double)first->records * cost / (double)records : 0;
        wall += record_scan_wall(s, cell, i, k);
    }
    t->search_s[CLOCK_WALL] = k ? wall : s->of[cell].clock_s;
    t->search_s[CLOCK_CPU] = cpu_of(&s->of[cell], t->search_s[CLOCK_WALL]);
}

/* An arm's own cost for one kernel. A descent that was shared costs as if it had been run here. */
static void add_own_cost(const struct record_scan *s, int home, const struct scan_sums *own, struct totals *t)
{
    add_cost(t, own);
    t->search_s[CLOCK_RECORDS] += own->cost_s;
    t->search_s[CLOCK_WALL] += own->wall_s;
    t->search_s[CLOCK_CPU] += cpu_of(&s->of[home], own->wall_s);
}

/* Seeds and arm together; trials of both, failures of the arm alone. */
static void kept_cost(struct cell_result *c, double again_s)
{
    struct totals *kept = &c->of[PART_KEPT];
    for (int i = 0; i < CLOCK_COUNT; i++)
        kept->search_s[i] = c->of[PART_SEED].search_s[i] + c->of[PART_OWN].search_s[i];
    kept->search_s[CLOCK_RECORDS] += again_s;
    kept->trials = c->of[PART_SEED].trials + c->of[PART_OWN].trials;
    kept->failed = c->of[PART_OWN].failed;
}

static bool exploited_kernel(struct maker *m, int cell, int t, struct cell_result *out, double *again_s)
{
    const struct record_scan *s = &m->r->scan;
    const struct store_cell *c = &s->cells[cell];
    const struct store_task *task = &c->tasks[t];
    const struct scan_trial *seed = record_scan_trial(s, task->seed_trial);
    int home = record_scan_home(s, cell, t);
    const struct scan_sums *own_sums = &s->of[home].kernels[t].all;
    struct kept_program explorer = best_of(&s->of[c->explore_cell].kernels[t].all), kept = records_kept(m->r, cell, t);
    struct kernel_result *k = &out->kernels[t];
    put_program(m, k, PART_EXPLORER, explorer);
    put_program(m, k, PART_SEED, best_of(record_scan_first(s, c->explore_cell, t, record_scan_k(c))));
    put_program(m, k, PART_OWN, best_of(own_sums));
    put_program(m, k, PART_KEPT, kept);
    k->records = own_sums->records;
    k->failed = own_sums->records - own_sums->valid;
    *again_s += seed && !keys_seed_is_retimed(c->searcher_settings) ? seed->cost_s : 0;
    out->shared += home != cell;
    add_own_cost(s, home, own_sums, &out->of[PART_OWN]);
    return !explorer.trial || !isfinite(kept.s) || test_kernel(m, kept.trial, explorer.trial, k);
}

static bool exploited(struct maker *m, int cell, struct cell_result *out)
{
    const struct store_cell *c = &m->r->scan.cells[cell];
    double again_s = 0;
    explored_cost(&m->r->scan, c->explore_cell, 0, &out->of[PART_EXPLORER]);
    explored_cost(&m->r->scan, c->explore_cell, record_scan_k(c), &out->of[PART_SEED]);
    for (int t = 0; t < c->ntasks; t++)
        if (!exploited_kernel(m, cell, t, out, &again_s))
            return false;
    kept_cost(out, m->seed_cost_again ? again_s : 0);
    return true;
}

/* How far apart programs are that were drawn at random. The records of a search say more of the search than of the
 * space. */
static bool time_spread(struct maker *m, int cell, int task, double *out)
{
    struct arena_mark mark = arena_mark(m->a);
    double *v;
    int n;
    if (!record_scan_times(m->a, m->r->s, cell, task, &v, &n, m->err))
        return false;
    *out = n ? summary_quantile(v, n, 0.9) / summary_quantile(v, n, 0.1) : NAN;
    arena_release(m->a, mark);
    return true;
}

static bool searched(struct maker *m, int cell, struct cell_result *out)
{
    const struct record_scan *s = &m->r->scan;
    bool random = str_eq(s->cells[cell].searcher, "random");
    explored_cost(s, cell, 0, &out->of[PART_OWN]);
    out->of[PART_KEPT] = out->of[PART_OWN];
    for (int t = 0; t < out->nkernels; t++) {
        struct kernel_result *k = &out->kernels[t];
        const struct scan_sums *own = &s->of[cell].kernels[t].all;
        put_program(m, k, PART_OWN, best_of(own));
        put_program(m, k, PART_KEPT, best_of(own));
        k->records = own->records;
        k->failed = own->records - own->valid;
        if (random && !time_spread(m, cell, t, &k->time_spread))
            return false;
    }
    return true;
}

static bool make_cell(struct maker *m, int cell, struct cell_result **out)
{
    const struct store_cell *c = &m->r->scan.cells[cell];
    struct cell_result *of = ARENA_NEW(m->a, struct cell_result);
    of->cell = cell;
    of->nkernels = c->ntasks;
    of->kernels = ARENA_ARRAY(m->a, struct kernel_result, c->ntasks + 1);
    for (int t = 0; t < c->ntasks; t++) {
        struct kernel_result *k = &of->kernels[t];
        *k = (struct kernel_result){.name = c->tasks[t].name, .p_repeats = NAN, .p_launches = NAN};
        k->spread_repeats = k->spread_launches = k->time_spread = NAN;
        for (int p = 0; p < PART_COUNT; p++)
            k->kernel_s[p] = k->retimed_s[p] = NAN;
    }
    if (!(c->explore_cell < 0 ? searched(m, cell, of) : exploited(m, cell, of)))
        return false;
    for (int t = 0; t < c->ntasks; t++)
        for (int p = 0; p < PART_COUNT; p++)
            add_program(&of->of[p], &of->kernels[t], (enum part)p, c->tasks[t].weight);
    *out = of;
    return true;
}

/* ---- taken kernels ---- */

enum design_weight { WEIGHT_EQUAL, WEIGHT_TIME, WEIGHT_CALLS, WEIGHTS };

static double weight_of(const struct cell_result *c, const struct store_task *task, int t, enum design_weight by)
{
    double s = c->kernels[t].kernel_s[PART_KEPT];
    return by == WEIGHT_EQUAL ? 1 : by == WEIGHT_TIME ? s : s * task->weight;
}

/* The kernels of each network, of the first seed of which it is done. A row is a network, or (by_kernel) a kernel. */
static double design_of(struct maker *m, int arm, bool by_kernel, enum design_weight by)
{
    const struct results *r = m->out;
    struct arena_mark mark = arena_mark(m->a);
    int most = 1, n = 0;
    for (int i = 0; i < r->nnetworks; i++)
        most += r->networks[i].kernels;
    struct design_part *parts = ARENA_ARRAY(m->a, struct design_part, most);
    for (int i = 0; i < r->nnetworks; i++) {
        const struct cell_result *c = NULL;
        for (int s = 0; s < r->seeds && !c; s++)
            c = results_cell(r, arm, i, s);
        for (int t = 0; c && t < c->nkernels; t++, n++) {
            const struct store_task *task = &m->r->scan.cells[c->cell].tasks[t];
            parts[n] = (struct design_part){by_kernel ? n : i, hash_str(task->spec), weight_of(c, task, t, by)};
        }
    }
    double design = design_effect(m->a, parts, n);
    arena_release(m->a, mark);
    return design;
}

static void make_design(struct maker *m)
{
    struct results *r = m->out;
    const struct record_scan *s = &m->r->scan;
    int arm = 0;
    r->design = r->kernels_design = 1;
    while (arm + 1 < r->narms && r->arms[arm].explorer >= 0)
        arm++;
    for (int c = 0; c < s->ncells; c++)
        for (int t = 0; t < s->cells[c].ntasks && results_arm(r, s->cells[c].arm) == arm; t++) {
            r->kernels++;
            r->taken += store_taken(s->cells, s->ncells, c, t);
        }
    for (int by = 0; by < WEIGHTS && r->taken; by++)
        r->design = fmax(r->design, design_of(m, arm, false, (enum design_weight)by));
    if (r->taken)
        r->kernels_design = design_of(m, arm, true, WEIGHT_EQUAL);
}

/* ---- all ---- */

static struct cell_result **cell_at(const struct results *r, int arm, int network, int seed)
{
    return &r->cells[((int64_t)arm * r->nnetworks + network) * r->seeds + seed];
}

const struct cell_result *results_cell(const struct results *r, int arm, int network, int seed)
{
    return *cell_at(r, arm, network, seed);
}

static int network_index(const struct results *r, const char *name)
{
    for (int i = 0; i < r->nnetworks; i++)
        if (str_eq(r->networks[i].name, name))
            return i;
    return -1;
}

bool results_of_networks(const struct results *r, const struct setting_strings *names, struct results *out)
{
    struct arena *a = r->records->a;
    *out = *r;
    out->nnetworks = names->n;
    out->networks = ARENA_ARRAY(a, struct result_network, names->n + 1);
    out->cells = ARENA_ARRAY(a, struct cell_result *, (int64_t)r->narms * names->n * r->seeds + 1);
    for (int n = 0; n < names->n; n++) {
        int from = network_index(r, names->at[n]);
        if (from < 0)
            return false;
        out->networks[n] = r->networks[from];
        for (int arm = 0; arm < r->narms; arm++)
            for (int s = 0; s < r->seeds; s++)
                *cell_at(out, arm, n, s) = *cell_at(r, arm, from, s);
    }
    return true;
}

static bool is_done(const struct record_scan *s, const struct store_cell *c, int kernels)
{
    return str_eq(c->state, "done") && c->ntasks == kernels &&
           (c->explore_cell < 0 || (c->explore_cell < s->ncells && s->cells[c->explore_cell].ntasks == kernels));
}

bool results_make(const struct records *r, const struct experiment *e, bool seed_cost_again, struct results *out,
                  struct err *err)
{
    struct maker m = {.r = r, .e = e, .a = r->a, .out = out, .seed_cost_again = seed_cost_again, .err = err};
    *out = (struct results){
        .records = r, .nnetworks = e->nnetworks, .seeds = (int)e->seeds, .first_seed = e->seed_base + 1};
    make_arms(&m);
    out->networks = ARENA_ARRAY(m.a, struct result_network, e->nnetworks + 1);
    for (int i = 0; i < e->nnetworks; i++) {
        const struct network *n = e->networks[i];
        out->networks[i] = (struct result_network){.name = n->name, .kernels = n->nkernels};
        for (int t = 0; t < n->nkernels; t++)
            out->networks[i].calls += (int)n->tasks[t].weight;
    }
    out->cells = ARENA_ARRAY(m.a, struct cell_result *, (int64_t)out->narms * out->nnetworks * out->seeds + 1);
    for (int i = 0; i < r->scan.ncells; i++) {
        const struct store_cell *c = &r->scan.cells[i];
        int network = network_index(out, c->network), arm = results_arm(out, c->arm);
        int64_t seed = c->seed - out->first_seed;
        if (network < 0 || seed < 0 || seed >= out->seeds || !is_done(&r->scan, c, out->networks[network].kernels))
            continue;
        if (!make_cell(&m, i, cell_at(out, arm, network, (int)seed)))
            return false;
    }
    make_design(&m);
    return true;
}

/* ---- races ---- */

static int64_t best_trial(const struct maker *m, const struct cell_result *c, int kernel)
{
    return m->r->scan.of[c->cell].kernels[kernel].all.best;
}

static bool race_cell(struct maker *m, const struct cell_result *base, struct cell_result *c)
{
    struct totals none = {.kernel_s = {NAN, NAN}, .retimed_s = {NAN, NAN}};
    for (int i = 0; i < CLOCK_COUNT; i++)
        none.search_s[i] = NAN;
    c->of[PART_SEED] = none;
    c->of[PART_EXPLORER] = base ? base->of[PART_KEPT] : none;
    for (int t = 0; base && t < c->nkernels; t++) {
        struct kernel_result *k = &c->kernels[t];
        k->kernel_s[PART_EXPLORER] = base->kernels[t].kernel_s[PART_KEPT];
        k->retimed_s[PART_EXPLORER] = base->kernels[t].retimed_s[PART_KEPT];
        if (isfinite(k->kernel_s[PART_KEPT]) && isfinite(k->kernel_s[PART_EXPLORER]) &&
            !test_kernel(m, best_trial(m, c, t), best_trial(m, base, t), k))
            return false;
    }
    return true;
}

bool results_race(struct results *r, struct err *err)
{
    struct maker m = {.r = r->records, .a = r->records->a, .out = r, .err = err};
    for (int i = 1; i < r->narms; i++) {
        if (r->arms[i].explorer >= 0)
            continue;
        r->arms[i].base = 0;
        for (int n = 0; n < r->nnetworks; n++)
            for (int s = 0; s < r->seeds; s++)
                if (*cell_at(r, i, n, s) && !race_cell(&m, results_cell(r, 0, n, s), *cell_at(r, i, n, s)))
                    return false;
    }
    return true;
}
