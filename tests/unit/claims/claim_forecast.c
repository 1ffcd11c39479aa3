/* SPDX-License-Identifier: Apache-2.0 */
/* claim_forecast: a plan never promises what `claims` would refuse. Of every committed experiment and tier, under both
 * code generators, a report is made up as the design says (its arms, k, networks, seeds and budget, intervals as wide
 * and degrees of freedom as many as the plan expects) and judged: a claim that the plan calls settled gets a verdict in
 * full, one that it indicates at least an indicative one, for estimates on every side. */
#include "harness/claims/claim_forecast.h"

#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/claims/claim_lookup.h"
#include "harness/experiment/experiment_index.h"
#include "harness/measure/host.h"
#include "models/models.h"
#include "search/searchers.h"
#include "targets/targets.h"
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

#include <math.h>

static struct registry all;
static int judged, settled, indicated;

/* A ratio with an interval over seeds, for every ratio of the table. */
static void put_ratios(struct document_row to, const struct claim_forecast *f, double ratio)
{
    struct estimate e = {.ratio = ratio, .over = ESTIMATE_SEEDS, .n = 3, .df = f->df, .half = f->half};
    e.method = INTERVAL_POOLED;
    e.low = ratio * exp(-f->half);
    e.high = ratio * exp(f->half);
    for (int i = 0; i < report_tables[to.table].n; i++) {
        enum report_column c = report_tables[to.table].columns[i];
        if (report_columns[c].kind == VALUE_RATIO)
            document_ratio(to, c, &e);
    }
}

static void put_rows(struct document *d, const struct experiment *e, const struct claim_forecast *f,
                     enum report_table table, const char *network, double ratio)
{
    for (int i = 0; i < e->narms; i++)
        for (int k = 0; k < (e->arms[i].nk ? e->arms[i].nk : 1); k++) {
            long long at = e->arms[i].nk ? (long long)e->arms[i].k[k] : 0;
            struct document_row to = document_add(d, table);
            document_text(to, COL_ARM, at ? arena_printf(arena, "%s-%lld", e->arms[i].name, at) : e->arms[i].name);
            if (document_has(table, COL_OVER))
                document_text(to, COL_OVER, e->arms[0].name);
            if (network)
                document_text(to, COL_NETWORK, network);
            if (at && document_has(table, COL_K))
                document_count(to, COL_K, at);
            if (table == TABLE_PARITY) {
                document_count(to, COL_RUNS, e->seeds);
                document_count(to, COL_REACHED, ratio > 1 ? e->seeds : 0);
            }
            put_ratios(to, f, ratio);
        }
}

static void put_fact(struct document *d, const char *part, const char *name, const char *value)
{
    struct document_row to = document_add(d, TABLE_ENVIRONMENT);
    document_text(to, COL_PART, part);
    document_text(to, COL_NAME, name);
    document_text(to, COL_TEXT_VALUE, value);
}

/* What the experiment would report, if its ratios were all this. */
static struct document made_up(const struct experiment *e, const struct claim_forecast *f, double ratio)
{
    static const enum report_table tables[] = {TABLE_NETWORKS, TABLE_RACE, TABLE_PARITY, TABLE_TIME_SPLIT};
    struct host host;
    host_probe(&host);
    struct document d = {.a = arena,
                         .experiment = e->stem,
                         .tier = e->tier,
                         .paper = e->paper,
                         .report = e->report,
                         .target = e->plan.target,
                         .target_settings = e->plan.target_settings,
                         .regime = "verify=yes",
                         .claims_begun = "",
                         .budget = experiment_budgets[e->budget],
                         .headline = "kernel_speedup",
                         .seeds = e->seeds};
    put_rows(&d, e, f, TABLE_MEANS, NULL, ratio);
    for (int t = 0; t < 4; t++) {
        if (tables[t] != TABLE_NETWORKS)
            put_rows(&d, e, f, tables[t], NULL, ratio);
        for (int i = 0; i < e->nnetworks; i++)
            put_rows(&d, e, f, tables[t], e->networks[i]->name, ratio);
    }
    for (int i = 0; i < e->nnetworks; i++)
        for (int s = 0; s < e->seeds; s++) {
            struct document_row to = document_add(&d, TABLE_EXPLORER_SEEDS);
            document_text(to, COL_NETWORK, e->networks[i]->name);
            document_text(to, COL_ARM, e->arms[0].name);
            document_number(to, COL_KERNEL_MS, 1 + s);
        }
    struct document_row noise = document_add(&d, TABLE_NOISE);
    document_number(noise, COL_NOISE_FLOOR, 1e-4);
    document_text(noise, COL_STATE, "passed");
    document_text(noise, COL_SEARCH_STATE, "passed");
    put_fact(&d, "host", "cpu", host.cpu);
    put_fact(&d, "host", "arch", host.arch);
    if (str_eq(e->plan.target, "replay"))
        put_fact(&d, "target", "recorded_machine", e->plan.machine);
    return d;
}

/* How often the plan promised more than came. */
static int broken(const struct experiment *e, const struct claims *claims, const struct claim_forecast *f)
{
    static const double sides[] = {0.25, 0.8, 1.25, 4};
    int wrong = 0;
    for (int i = 0; i < 4; i++) {
        /* Away from 1 and from any band's edge by more than the interval. */
        double ratio = sides[i] * exp(sides[i] > 1 ? f->half : -f->half);
        struct document d = made_up(e, f, ratio);
        struct claim_lookup x;
        struct claim_lookup_book *book =
            claim_lookup_open(arena, &(struct claim_lookup_options){.registry = &all, .folder = "experiments"});
        claim_lookup_put(book, &d);
        claim_lookup_of(book, claims, f->claim, &x);
        bool none = x.verdict.finding == FINDING_NOT_MEASURED || x.verdict.finding == FINDING_INVALID;
        bool weak = x.verdict.lack != VERDICT_LACK_NOTHING;
        judged++;
        if (none || (f->reach == CLAIM_SETTLES && weak)) {
            wrong++;
            diag("%s %s %s: plan says %s, claims say: %s", e->stem, e->tier, f->claim->id, claim_reach_words[f->reach],
                 x.reason);
        }
    }
    return wrong;
}

/* A claim whose number needs two arms' seeds is made up as little as a count: the plan's evidence is held against the
 * rule for them in tests/unit/stats/verdict.c. */
static bool can_be_made_up(const struct claim_forecast *f)
{
    return !f->claim->nover && f->claim->column < CLAIMS_WINS;
}

/* Read once a paper. */
static const struct claims *claims_of(const char *paper)
{
    static struct claims read[4];
    struct err err = {0};
    int i = 0;
    while (read[i].paper && !str_eq(read[i].paper, paper))
        i++;
    if (!read[i].paper && !claims_load(arena, "experiments", paper, &read[i], &err))
        fail("%s", err.text);
    return &read[i];
}

static void test_tier(const char *stem, const char *tier, const char *codegen)
{
    struct experiment_options o = {.folder = "experiments", .name = stem, .tier = tier};
    const char *sets[] = {arena_printf(arena, "target_settings.codegen=%s", codegen)};
    struct experiment *e;
    struct claim_forecasts f;
    struct err err = {0};
    int wrong = 0, n = 0;
    o.sets = sets;
    o.nsets = 1;
    if (!experiment_load(arena, &all, &o, &e, &err)) {
        o.nsets = 0; /* not of target cpu */
        err = (struct err){0};
        if (!experiment_load(arena, &all, &o, &e, &err)) {
            fail("%s: %s", stem, err.text);
            return;
        }
    }
    if (!claim_forecasts_make(arena, "experiments", e, &f, &err)) {
        fail("%s: %s", stem, err.text);
        return;
    }
    const struct claims *claims = *e->paper ? claims_of(e->paper) : NULL;
    for (int i = 0; i < f.n; i++) {
        if (f.at[i].reach == CLAIM_REACHES_NOT)
            continue;
        n++;
        settled += f.at[i].reach == CLAIM_SETTLES;
        indicated += f.at[i].reach == CLAIM_SIDE;
        if (can_be_made_up(&f.at[i]))
            wrong += broken(e, claims, &f.at[i]);
    }
    ok(!wrong, "%s, tier %s, codegen %s: %d of %d claims are promised something, and get it", stem, tier, codegen, n,
       f.n);
    if (str_eq(codegen, "fast") && o.nsets)
        ok(n == 0, "none of them by code that is not TVM's");
}

int main(void)
{
    static const char *const tiers[] = {"smoke", "short", "direction", "night", "judge", "full"};
    static const char *const codegens[] = {"tvm", "fast"};
    char **names;
    int n;
    struct err err = {0};
    all = (struct registry){.searchers = searchers_table(), .models = models_table(), .targets = targets_table()};
    if (!file_list(arena, "experiments", ".yaml", &names, &n, &err))
        fail("%s", err.text);
    for (int i = 0; i < n; i++)
        for (int t = 0; t < 6; t++)
            for (int c = 0; c < 2; c++)
                if (experiment_has_tier(arena, "experiments", names[i], tiers[t]))
                    test_tier(names[i], tiers[t], codegens[c]);
    ok(judged > 100 && settled > 10 && indicated > 10, "%d reports were judged for %d settled and %d indicated claims",
       judged, settled, indicated);
    return done_testing();
}
