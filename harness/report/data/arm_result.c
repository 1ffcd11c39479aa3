/* SPDX-License-Identifier: Apache-2.0 */
/* arm_result: definitions of droplet.md 3.2 and clocks of practice.md 3.1; the deviations are told in arm_result.h. */
#include "harness/report/data/arm_result.h"

#include "harness/base/text.h"
#include "harness/record/tally.h"
#include "harness/stats/summary.h"

#include <math.h>

static const struct {
    const char *word, *meaning;
} clocks[CLOCK_COUNT] = {
    [CLOCK_WALL] = {"wall", "the clock on the wall, training and waiting included"},
    [CLOCK_RECORDS] = {"records", "the authors' clock: records x mean cost of Ansor's log, Droplet's summed cost and "
                                  "its seed's once more"},
    [CLOCK_SUM] = {"sum", "build and run costs of these very records, added up"},
    [CLOCK_DEVICE] = {"device", "seconds that the device was held, for running and verifying"},
    [CLOCK_CPU] = {"cpu", "CPU time of the searching process, without its workers, by its share of the wall clock"},
};

const char *search_clock_word(enum search_clock c)
{
    return clocks[c].word;
}

const char *search_clock_meaning(enum search_clock c)
{
    return clocks[c].meaning;
}

bool arm_results_open(struct arm_results *m, struct arena *a, struct store *s, struct err *err)
{
    *m = (struct arm_results){.a = a, .s = s, .err = err};
    return store_cells(s, a, &m->cells, &m->ncells, err);
}

int arm_results_cell(const struct arm_results *m, const char *network, const char *arm, int64_t seed)
{
    for (int i = 0; i < m->ncells; i++)
        if (str_eq(m->cells[i].network, network) && str_eq(m->cells[i].arm, arm) && m->cells[i].seed == seed &&
            str_eq(m->cells[i].state, "done"))
            return i;
    return -1;
}

/* ---- one kernel ---- */

double arm_result_reading(const struct sample *s)
{
    return s->outcome == OUTCOME_OK && s->nseconds > 0 ? summary_median(s->seconds, s->nseconds) : INFINITY;
}

bool arm_result_launches(struct store *s, struct arena *a, int64_t trial, double readings[RETIMING_LAUNCHES], int *n,
                         struct err *err)
{
    struct store_retiming *f;
    int all;
    *n = 0;
    if (!store_retimings(s, a, trial, &f, &all, err))
        return false;
    for (int i = 0; i < all; i++)
        if (f[i].sample.outcome == OUTCOME_OK)
            readings[(*n)++] = arm_result_reading(&f[i].sample);
    return true;
}

static bool retimed(struct arm_results *m, int64_t trial, double *out)
{
    double readings[RETIMING_LAUNCHES];
    int n;
    if (!arm_result_launches(m->s, m->a, trial, readings, &n, m->err))
        return false;
    *out = n ? summary_median(readings, n) : NAN;
    return true;
}

static void add_kernel(struct arm_result *side, double weight, double seconds, double again)
{
    side->kernel_s[SUM_PLAIN] += seconds;
    side->kernel_s[SUM_CALLS] += weight * seconds;
    side->retimed_s[SUM_PLAIN] += again;
    side->retimed_s[SUM_CALLS] += weight * again;
}

/* Best record of a task in a cell (k: among the first k, 0: all); also not worse than `seed` when that is given. */
static bool best_kernel(struct arm_results *m, int cell, int task, int64_t k, const struct record *seed,
                        struct record *best, bool *found)
{
    if (!store_best(m->s, m->a, (struct store_part){cell, task, k}, best, found, m->err))
        return false;
    const struct record *kept = record_best(*found ? best : NULL, seed);
    *found = kept != NULL;
    if (kept == seed && seed)
        *best = *seed;
    return true;
}

static bool count_kernel(struct arm_results *m, struct arm_result *side, double weight, const struct record *best,
                         bool found)
{
    double again = NAN;
    if (found && !retimed(m, best->id, &again))
        return false;
    add_kernel(side, weight, found ? sample_mean(&best->sample) : INFINITY, again);
    return true;
}

/* Wall seconds of the first k > 0 records of a task: shares of its rounds. */
static double wall_of(const struct store_round *rounds, int n, int task, int64_t k)
{
    double sum = 0;
    for (int i = 0; i < n && k > 0; i++) {
        if (rounds[i].task != task || rounds[i].measured == 0 || isnan(rounds[i].end_s))
            continue;
        int64_t take = k < rounds[i].measured ? k : rounds[i].measured;
        sum += (rounds[i].end_s - rounds[i].begin_s) * (double)take / rounds[i].measured;
        k -= take;
    }
    return sum;
}

int64_t arm_result_seeds(const struct store_cell *c)
{
    return c->k ? c->k + c->k_plus_one : 0;
}

/* ---- one cell ---- */

/* CPU seconds that belong to so much of a cell's wall clock. */
static double cpu_of(const struct store_cell *c, double wall_s)
{
    return c->cpu_s > 0 && c->elapsed_s > 0 ? c->cpu_s * wall_s / c->elapsed_s : NAN;
}

static void add_clocks(struct arm_result *side, const struct tally_sums *sums)
{
    side->search_s[CLOCK_SUM] += sums->cost_s;
    side->search_s[CLOCK_DEVICE] += sums->run_s + sums->verify_s;
    side->trials += sums->records;
    side->failed += sums->records - sums->valid;
}

bool arm_result_explored(struct arm_results *m, int cell, int64_t k, struct arm_result *side)
{
    const struct store_cell *c = &m->cells[cell];
    struct store_round *rounds;
    struct tally_sums all, some;
    int nrounds;
    if (!store_rounds(m->s, m->a, cell, &rounds, &nrounds, m->err) || !tally_sum(m->s, cell, -1, 0, &all, m->err))
        return false;
    double mean_cost = all.records ? all.cost_s / (double)all.records : 0, wall_s = 0;
    for (int t = 0; t < c->ntasks; t++) {
        struct record best;
        bool found;
        if (!tally_sum(m->s, cell, t, k, &some, m->err) || !best_kernel(m, cell, t, k, NULL, &best, &found) ||
            !count_kernel(m, side, c->tasks[t].weight, &best, found))
            return false;
        add_clocks(side, &some);
        side->search_s[CLOCK_RECORDS] += (double)some.records * mean_cost;
        wall_s += wall_of(rounds, nrounds, t, k);
    }
    wall_s = k ? wall_s : c->elapsed_s;
    side->search_s[CLOCK_WALL] += wall_s;
    side->search_s[CLOCK_CPU] += cpu_of(c, wall_s);
    return true;
}

/* One kernel of a descent. A shared one costs as if it had been run here. */
static bool exploited_kernel(struct arm_results *m, int cell, int t, struct arm_result *side, int64_t *shared)
{
    const struct store_task *task = &m->cells[cell].tasks[t];
    const struct store_cell *home = &m->cells[task->shared_cell >= 0 ? task->shared_cell : cell];
    struct tally_sums own;
    struct record best, seed;
    bool found, seeded = task->seed_trial != 0;
    if ((seeded && !store_record(m->s, m->a, task->seed_trial, &seed, m->err)) ||
        !tally_sum(m->s, cell, t, 0, &own, m->err) ||
        !best_kernel(m, cell, t, 0, seeded ? &seed : NULL, &best, &found) ||
        !count_kernel(m, side, task->weight, &best, found))
        return false;
    add_clocks(side, &own);
    side->search_s[CLOCK_RECORDS] += own.cost_s + (seeded ? seed.sample.cost_s : 0);
    side->search_s[CLOCK_WALL] += own.wall_s;
    side->search_s[CLOCK_CPU] += cpu_of(home, own.wall_s);
    *shared += task->shared_cell >= 0;
    return true;
}

/* Droplet's own share is added to what the seeds cost. On the clock of records the seed's own cost is counted once
 * more, because the authors' Droplet log holds the seed record too (droplet.md 3.2). */
bool arm_result_exploited(struct arm_results *m, int cell, const struct arm_result *seeds, struct arm_result *side,
                          int64_t *shared)
{
    for (int i = 0; i < CLOCK_COUNT; i++)
        side->search_s[i] += seeds->search_s[i];
    for (int t = 0; t < m->cells[cell].ntasks; t++)
        if (!exploited_kernel(m, cell, t, side, shared))
            return false;
    side->trials += seeds->trials;
    return true;
}

void arm_result_add(struct arm_result *sum, const struct arm_result *one, int n)
{
    for (int i = 0; i < SUM_COUNT; i++) {
        sum->kernel_s[i] += one->kernel_s[i] / n;
        sum->retimed_s[i] += one->retimed_s[i] / n;
    }
    for (int i = 0; i < CLOCK_COUNT; i++)
        sum->search_s[i] += one->search_s[i] / n;
    sum->trials += one->trials;
    sum->failed += one->failed;
}
