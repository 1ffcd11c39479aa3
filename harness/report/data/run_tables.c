/* SPDX-License-Identifier: Apache-2.0 */
/* run_tables: one function a table. */
#include "harness/report/data/run_tables.h"

#include "harness/base/json.h"
#include "harness/record/answer_record.h"
#include "harness/record/counter.h"
#include "harness/record/evaluation_record.h"
#include "harness/record/take_out.h"
#include "harness/report/data/few_records.h"
#include "harness/report/data/selection_loss.h"
#include "harness/report/data/time_to_target.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CURVE_POINTS = 40 };

/* ---- searching ---- */

/* To five digits: a figure shows no more. */
static void put_series(struct document_row to, enum report_column c, const double *v, int n, double scale)
{
    double *rounded = ARENA_ARRAY(to.d->a, double, n + 1);
    char digits[40];
    for (int i = 0; i < n; i++) {
        snprintf(digits, sizeof digits, "%.5g", scale * v[i]);
        rounded[i] = strtod(digits, NULL);
    }
    document_series(to, c, rounded, n);
}

static void curves(const struct results *r, enum best_axis x, struct document *d)
{
    for (int n = 0; n < r->nnetworks; n++) {
        int narms;
        struct best_curve_arm *arms = best_curves_make(r, n, x, &narms);
        for (int i = 0; i < narms; i++) {
            struct best_band b = best_band_of(r->records->a, &arms[i], CURVE_POINTS);
            if (!b.n)
                continue;
            struct document_row to = document_add(d, x == BEST_WALL ? TABLE_CURVES : TABLE_CURVES_TRIALS);
            document_text(to, COL_NETWORK, r->networks[n].name);
            document_text(to, COL_ARM, r->arms[arms[i].arm].label);
            document_count(to, COL_SEEDS, arms[i].n);
            put_series(to, x == BEST_WALL ? COL_CURVE_SECONDS : COL_CURVE_TRIALS, b.x, b.n, 1);
            put_series(to, COL_CURVE_MS, b.median, b.n, 1e3);
            if (arms[i].n < 2)
                continue;
            put_series(to, COL_CURVE_LOW, b.low, b.n, 1e3);
            put_series(to, COL_CURVE_HIGH, b.high, b.n, 1e3);
        }
    }
}

/* Where fewer than half of the runs arrive only the share and the expected time are given. */
static void target(const struct results *r, const struct time_to_target_network *n, int q, int arm, struct document *d)
{
    const struct time_to_target_arm *one = &n->arms[arm];
    const struct survival *s = &one->of[q];
    struct document_row to = document_add(d, TABLE_TARGETS);
    document_text(to, COL_NETWORK, r->networks[n->network].name);
    document_number(to, COL_Q, time_to_target_q[q]);
    document_number(to, COL_TARGET_MS, 1e3 * time_to_target_q[q] * n->target_s);
    document_text(to, COL_ARM, r->arms[one->arm].label);
    document_count(to, COL_RUNS, s->n);
    document_count(to, COL_REACHED, s->reached);
    document_number(to, COL_SHARE, s->share);
    document_number(to, COL_EXPECTED_S, s->expected);
    document_number(to, COL_EXPECTED_TRIALS, one->trials[q].expected);
    if (one->trials[q].settled) {
        document_number(to, COL_MEDIAN_TRIALS, one->trials[q].median);
        document_range(to, COL_MEDIAN_TRIALS_INTERVAL, one->trials[q].low, one->trials[q].high);
    }
    document_number(to, COL_P, one->p[q]);
    document_number(to, COL_P_HOLM, one->holm[q]);
    if (!s->settled)
        return;
    document_number(to, COL_MEDIAN_S, s->median);
    document_range(to, COL_MEDIAN_INTERVAL, s->low, s->high);
    document_number(to, COL_MEAN_S, s->mean);
    document_number(to, COL_MEAN_ERROR_S, s->mean_error);
}

static void targets(const struct results *r, struct document *d)
{
    int n;
    struct time_to_target_network *all = time_to_target_make(r, &n);
    for (int i = 0; i < n; i++)
        for (int q = 0; q < TIME_TO_TARGET_TARGETS; q++)
            for (int arm = 0; arm < all[i].n; arm++)
                target(r, &all[i], q, arm, d);
}

static void equal_quality(const struct results *r, double margin, struct document *d)
{
    int n;
    const struct equal_quality *all = equal_quality_make(r, margin, &n);
    for (int i = 0; i < n; i++) {
        struct document_row to = document_add(d, TABLE_EQUAL_QUALITY);
        document_text(to, COL_NETWORK, all[i].network < 0 ? NULL : r->networks[all[i].network].name);
        document_text(to, COL_ARM, r->arms[all[i].arm].label);
        document_count(to, COL_RUNS, all[i].runs);
        document_count(to, COL_EQUAL_REACHED, all[i].reached);
        document_ratio(to, COL_EQUAL_QUALITY, &all[i].speedup);
    }
}

static void few(const struct records *r, struct document *d)
{
    int n;
    struct few_records_arm *arms = few_records_make(r, &n);
    for (int i = 0; i < n; i++) {
        struct document_row to = document_add(d, TABLE_FEW_RECORDS);
        document_text(to, COL_ARM, arms[i].arm);
        document_count(to, COL_K, arms[i].k);
        document_count(to, COL_KERNELS, arms[i].kernels);
        document_count(to, COL_FEW, arms[i].few);
        document_count(to, COL_FEWEST, arms[i].fewest);
        document_text(to, COL_KERNEL, arms[i].kernel);
        document_text(to, COL_NETWORK, arms[i].network);
    }
}

/* ---- measuring ---- */

static void losses(const struct records *r, struct document *d)
{
    struct selection_loss all;
    selection_loss_make(r, &all);
    for (int i = 0; i < all.n; i++) {
        struct document_row to = document_add(d, TABLE_LOSS);
        document_text(to, COL_NETWORK, all.rows[i].network);
        document_text(to, COL_ARM, all.rows[i].arm);
        document_count(to, COL_KERNELS, all.rows[i].kernels);
        document_number(to, COL_PROGRAMS, all.rows[i].programs);
        document_number(to, COL_SELECTION_LOSS, all.rows[i].selection);
        document_number(to, COL_EXPLORATION_LOSS, all.rows[i].exploration);
        document_number(to, COL_WHOLE_LOSS, all.rows[i].whole);
    }
}

static void noise(const struct validity *v, struct document *d)
{
    struct document_row to = document_add(d, TABLE_NOISE);
    document_number(to, COL_NOISE_FLOOR, v->floor);
    document_count(to, COL_READINGS, v->duels.processes);
    document_count(to, COL_READINGS_FAILED, v->duels.failed);
    document_text(to, COL_STATE, validity_words[v->of[VALIDITY_KERNELS].gates]);
    document_text(to, COL_REASON, v->of[VALIDITY_KERNELS].reason);
    document_text(to, COL_SEARCH_STATE, validity_words[v->of[VALIDITY_SEARCH].gates]);
    document_text(to, COL_SEARCH_REASON, v->of[VALIDITY_SEARCH].reason);
    for (int g = 0; g < GATE_COUNT; g++) {
        if (v->gate[g].absent)
            continue;
        to = document_add(d, TABLE_GATES);
        document_text(to, COL_GATE, validity_gate_word((enum validity_gates)g));
        document_text(to, COL_ABOUT, validity_about_words[validity_gate_about((enum validity_gates)g)]);
        document_text(to, COL_STATE, validity_words[v->gate[g].state]);
        document_number(to, COL_VALUE, v->gate[g].value);
        document_number(to, COL_LIMIT, v->gate[g].limit);
        document_text(to, COL_TITLE, validity_gate_title((enum validity_gates)g));
    }
}

static void put_duel(struct document_row to, const struct duel_interval *i)
{
    document_number(to, COL_FASTER, i->ratio);
    document_range(to, COL_FASTER_INTERVAL, i->low, i->high);
    document_number(to, COL_HALF_WIDTH, i->half_width);
    document_count(to, COL_KERNELS, i->kernels);
    document_count(to, COL_IDENTICAL, i->identical);
    document_count(to, COL_NOT_TIMED, i->missing);
    document_count(to, COL_LAUNCHES, i->launches);
}

static void put_null(struct document *d, const char *name, const struct duel_interval *null)
{
    struct document_row to = document_add(d, TABLE_DUELS);
    document_text(to, COL_ARM, name);
    document_text(to, COL_OVER, "themselves");
    put_duel(to, null);
}

static void duels(const struct validity *v, struct document *d)
{
    if (!v->has_duels)
        return;
    for (int i = 0; i < v->duels.n; i++) {
        const struct duel_result *one = &v->duels.at[i];
        struct document_row to = document_add(d, TABLE_DUELS);
        document_text(to, COL_NETWORK, one->of.network);
        document_text(to, COL_ARM, one->of.arm);
        document_text(to, COL_OVER, one->of.over);
        put_duel(to, &one->sums);
        document_number(to, COL_FASTER_CALLS, one->calls.ratio);
        document_range(to, COL_FASTER_CALLS_INTERVAL, one->calls.low, one->calls.high);
    }
    if (!v->duels.nnodes)
        put_null(d, "null pairs", &v->duels.gate.null);
    for (int i = 0; i < v->duels.nnodes; i++)
        put_null(d, arena_printf(d->a, DUELS_ON_NODE "%s", v->duels.nodes[i].name), &v->duels.nodes[i].gate.null);
}

static bool phases(const struct records *r, struct document *d, struct err *err)
{
    double seconds[PHASE_COUNT], wall;
    if (!tally_phases(r->s, -1, seconds, &wall, err))
        return false;
    for (int i = 0; i <= PHASE_COUNT; i++) {
        double s = i < PHASE_COUNT ? seconds[i] : wall;
        struct document_row to = document_add(d, TABLE_PHASES);
        document_text(to, COL_PHASE, i < PHASE_COUNT ? phase_name((enum phase)i) : "wall");
        document_number(to, COL_SECONDS, s);
        document_number(to, COL_SHARE_OF_WALL, wall > 0 ? s / wall : (double)NAN);
    }
    return true;
}

/* ---- the time of each arm ---- */

/* The parts of a search as Pruner's Table 1 has them, and the rest. */
enum split_part { SPLIT_EXPLORATION, SPLIT_TRAINING, SPLIT_MEASUREMENT, SPLIT_OTHER, SPLIT_PARTS };
static const enum split_part split_parts[PHASE_COUNT] = {
    [PHASE_sample] = SPLIT_EXPLORATION,   [PHASE_bounds] = SPLIT_EXPLORATION, [PHASE_lower] = SPLIT_EXPLORATION,
    [PHASE_features] = SPLIT_EXPLORATION, [PHASE_draft] = SPLIT_EXPLORATION,  [PHASE_score] = SPLIT_EXPLORATION,
    [PHASE_train] = SPLIT_TRAINING,       [PHASE_build] = SPLIT_MEASUREMENT,  [PHASE_run] = SPLIT_MEASUREMENT,
    [PHASE_verify] = SPLIT_MEASUREMENT,   [PHASE_other] = SPLIT_OTHER};
struct split { /* of some runs of an arm */
    double seconds[SPLIT_PARTS], wall_s;
    int runs;
    double *shares; /* [network * seeds + seed]; NAN: not done, or no time passed */
};

static bool split_run(const struct results *r, const struct cell_result *c, struct split *to, double *share,
                      struct err *err)
{
    double seconds[PHASE_COUNT], wall, part[SPLIT_PARTS] = {0};
    if (!tally_phases(r->records->s, c->cell, seconds, &wall, err))
        return false;
    for (int i = 0; i < PHASE_COUNT; i++)
        part[split_parts[i]] += seconds[i];
    for (int i = 0; i < SPLIT_PARTS; i++)
        to->seconds[i] += part[i];
    to->wall_s += wall;
    to->runs++;
    *share = part[SPLIT_EXPLORATION] / (part[SPLIT_EXPLORATION] + part[SPLIT_TRAINING] + part[SPLIT_MEASUREMENT]);
    return true;
}

static void put_split(const struct run_input *in, int arm, int network, const struct split *s, struct document *d)
{
    static const enum report_column columns[SPLIT_PARTS] = {COL_EXPLORATION_S, COL_TRAINING_S, COL_MEASUREMENT_S,
                                                            COL_OTHER_S};
    const struct results *r = in->results;
    struct estimate e;
    if (!s->runs)
        return;
    estimate_of(r->records->a, s->shares, network < 0 ? r->nnetworks : 1, r->seeds, in->margin, &e);
    struct document_row to = document_add(d, TABLE_TIME_SPLIT);
    document_text(to, COL_NETWORK, network < 0 ? NULL : r->networks[network].name);
    document_text(to, COL_ARM, r->arms[arm].label);
    document_count(to, COL_RUNS, s->runs);
    for (int i = 0; i < SPLIT_PARTS; i++)
        document_number(to, columns[i], s->seconds[i] / s->runs);
    document_number(to, COL_ROUNDS_S, s->wall_s / s->runs);
    document_ratio(to, COL_EXPLORATION_SHARE, &e);
}

/* Of one network, or of all (-1). */
static bool split_network(const struct run_input *in, int network, struct document *d, struct err *err)
{
    const struct results *r = in->results;
    int first = network < 0 ? 0 : network, n = network < 0 ? r->nnetworks : 1;
    for (int arm = 0; arm < r->narms; arm++) {
        struct split s = {.shares = ARENA_ARRAY(r->records->a, double, (int64_t)n * r->seeds + 1)};
        for (int i = 0; i < n * r->seeds; i++) {
            const struct cell_result *c = results_cell(r, arm, first + i / r->seeds, i % r->seeds);
            s.shares[i] = NAN;
            if (c && !split_run(r, c, &s, &s.shares[i], err))
                return false;
        }
        put_split(in, arm, network, &s, d);
    }
    return true;
}

static bool time_split(const struct run_input *in, struct document *d, struct err *err)
{
    for (int network = -1; network < in->results->nnetworks; network++)
        if (!split_network(in, network, d, err))
            return false;
    return true;
}

static bool evaluations(const struct records *r, struct document *d, struct err *err)
{
    static const enum report_column COLUMNS[EVALUATION_COUNT] = {[EVALUATION_DRAFT_SCORED] = COL_DRAFT_SCORED,
                                                                 [EVALUATION_DRAFT_ASKED] = COL_DRAFT_ASKED,
                                                                 [EVALUATION_MODEL_SCORED] = COL_MODEL_SCORED,
                                                                 [EVALUATION_MODEL_ASKED] = COL_MODEL_ASKED};
    struct event_sum *arms;
    int n;
    if (!evaluation_record_sum(store_database(r->s), r->a, &arms, &n, err))
        return false;
    for (int i = 0; i < n; i++) {
        struct document_row to = document_add(d, TABLE_EVALUATIONS);
        document_text(to, COL_ARM, arms[i].arm);
        document_count(to, COL_ROUNDS, arms[i].rounds);
        for (int k = 0; k < EVALUATION_COUNT; k++)
            document_number(to, COLUMNS[k], (double)arms[i].of[k] / (double)arms[i].rounds);
    }
    return true;
}

/* What a recorded device was asked. */
static bool answers(const struct records *r, struct document *d, struct err *err)
{
    struct event_sum *arms;
    int n;
    if (!answer_record_sum(store_database(r->s), r->a, &arms, &n, err))
        return false;
    for (int i = 0; i < n; i++) {
        const int64_t *of = arms[i].of, all = of[ANSWER_RECORDED] + of[ANSWER_NEAREST] + of[ANSWER_REFUSED];
        struct document_row to = document_add(d, TABLE_ANSWERS);
        document_text(to, COL_ARM, arms[i].arm);
        document_count(to, COL_CANDIDATES, all);
        document_count(to, COL_RECORDED, of[ANSWER_RECORDED]);
        document_count(to, COL_NEAREST, of[ANSWER_NEAREST]);
        document_count(to, COL_REFUSED, of[ANSWER_REFUSED]);
        document_number(to, COL_SHARE_RECORDED, (double)of[ANSWER_RECORDED] / (double)all);
    }
    return true;
}

/* What clocks have that did not pass. */
static void computed_clock(const struct records *r, struct document *d)
{
    const struct scan_spared *t = &r->scan.spared;
    if (t->cached) {
        struct document_row found = document_add(d, TABLE_OBJECT_CACHE);
        document_count(found, COL_CACHED_TRIALS, t->cached);
        document_count(found, COL_OF_TRIALS, t->trials);
        document_number(found, COL_CACHED_S, t->cached_s);
        document_number(found, COL_CACHED_CLOCK_S, t->cached_clock_s);
    }
    if (!t->slow)
        return;
    struct document_row to = document_add(d, TABLE_COMPUTED_CLOCK);
    document_count(to, COL_SLOW_TRIALS, t->slow);
    document_count(to, COL_OF_TRIALS, t->trials);
    document_number(to, COL_SPARED_S, t->spared_s);
    document_count(to, COL_CHECKED, t->checked);
    document_number(to, COL_CLOCK_ERROR, t->bias);
    document_number(to, COL_CLOCK_ERROR_MEDIAN, t->error_median);
    document_number(to, COL_CLOCK_ERROR_WORST, t->error_worst);
}

static bool counters(const struct records *r, struct document *d, struct err *err)
{
    struct counter_sum *c;
    int n;
    if (!counters_sum(r->s, r->a, &c, &n, &d->programs_counted, err))
        return false;
    for (int i = 0; i < n; i++) {
        struct document_row to = document_add(d, TABLE_COUNTERS);
        document_text(to, COL_COUNTER, c[i].name);
        document_truth(to, COL_PRESENT, c[i].programs > 0);
        document_number(to, COL_PROGRAMS, (double)c[i].programs);
        document_text(to, COL_REASON, c[i].reason);
    }
    return true;
}

static void failures(const struct record_scan *s, struct document *d)
{
    for (int i = 0; i < s->nfailures; i++) {
        struct document_row to = document_add(d, TABLE_FAILURES);
        document_text(to, COL_OUTCOME, outcome_word(s->failures[i].outcome));
        document_count(to, COL_CANDIDATES, s->failures[i].count);
        document_text(to, COL_MESSAGE, s->failures[i].message);
    }
}

/* ---- where it ran ---- */

/* Members of an object, those of objects within with a dot. load1 is of the moment and node of the very machine: where
 * no time passes they say nothing and would make equal runs differ. */
static void facts(struct document *d, const char *part, const char *prefix, const cJSON *object)
{
    const cJSON *m;
    cJSON_ArrayForEach(m, object)
    {
        char *name = arena_printf(d->a, "%s%s", prefix, m->string ? m->string : "");
        if (cJSON_IsObject(m)) {
            facts(d, part, arena_printf(d->a, "%s.", name), m);
            continue;
        }
        if (d->is_virtual && (str_eq(name, "load1") || str_eq(name, "node")))
            continue;
        struct document_row to = document_add(d, TABLE_ENVIRONMENT);
        document_text(to, COL_PART, part);
        document_text(to, COL_NAME, name);
        document_text(to, COL_TEXT_VALUE,
                      cJSON_IsString(m)   ? arena_str(d->a, m->valuestring)
                      : cJSON_IsNumber(m) ? arena_printf(d->a, "%.10g", m->valuedouble)
                      : cJSON_IsTrue(m)   ? "yes"
                      : cJSON_IsFalse(m)  ? "no"
                                          : "not known");
    }
}

static void environment(const struct store_campaign *c, struct document *d)
{
    cJSON *root = json_parse(c->environment, strlen(c->environment), "environment", NULL);
    const cJSON *part;
    cJSON_ArrayForEach(part, root) facts(d, arena_str(d->a, part->string ? part->string : ""), "", part);
    cJSON_Delete(root);
}

/* Whether searches were made again, and why. */
static bool made_again(const struct records *r, struct document *d, struct err *err)
{
    const char *why;
    if (!store_event_text(r->s, d->a, STORE_EVENT_SEARCH_AGAIN, &why, err))
        return false;
    if (*why) {
        struct document_row to = document_add(d, TABLE_ENVIRONMENT);
        document_text(to, COL_PART, "records");
        document_text(to, COL_NAME, STORE_EVENT_SEARCH_AGAIN);
        document_text(to, COL_TEXT_VALUE, why);
    }
    return true;
}

static void cells(const struct record_scan *s, struct document *d)
{
    for (int i = 0; i < s->ncells; i++) {
        struct document_row to = document_add(d, TABLE_CELLS);
        document_count(to, COL_CELL, i);
        document_text(to, COL_NETWORK, s->cells[i].network);
        document_text(to, COL_ARM, s->cells[i].arm);
        document_count(to, COL_SEED, s->cells[i].seed);
        document_text(to, COL_STATE, *s->cells[i].state ? s->cells[i].state : "not begun");
    }
}

static void published(const struct run_input *in, struct document *d)
{
    for (int i = 0; in->rows && i < in->rows->n; i++) {
        struct document_row to = document_add(d, TABLE_PUBLISHED);
        document_text(to, COL_SOURCE, arena_printf(d->a, "%s, %s", in->rows->paper, in->rows->at[i].title));
        document_text(to, COL_LABEL, in->rows->at[i].label);
        document_text(to, COL_NUMBERS, in->rows->at[i].numbers);
    }
    for (int i = 0; in->published && i < in->published->nk; i++) {
        struct document_row to = document_add(d, TABLE_PUBLISHED);
        document_text(to, COL_SOURCE, arena_printf(d->a, "%s, %s: means", in->published->paper, in->published->title));
        document_text(to, COL_LABEL, arena_printf(d->a, "k = %lld", (long long)in->published->k[i]));
        document_count(to, COL_K, in->published->k[i]);
        document_number(to, COL_PAPER_KERNEL, in->published->mean_kernel[i]);
        document_number(to, COL_PAPER_SEARCH, in->published->mean_search[i]);
    }
}

bool run_tables_fill(const struct run_input *in, struct document *d, struct err *err)
{
    const struct records *r = in->results->records;
    curves(in->results, BEST_WALL, d);
    if (in->race)
        curves(in->results, BEST_TRIALS, d);
    targets(in->results, d);
    equal_quality(in->results, in->margin, d);
    few(r, d);
    losses(r, d);
    noise(in->validity, d);
    duels(in->validity, d);
    failures(&r->scan, d);
    environment(store_campaign(r->s), d);
    cells(&r->scan, d);
    published(in, d);
    if (!made_again(r, d, err) || !phases(r, d, err) || !time_split(in, d, err) || !evaluations(r, d, err) ||
        !answers(r, d, err))
        return false;
    computed_clock(r, d);
    return counters(r, d, err);
}
