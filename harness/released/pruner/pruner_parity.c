/* SPDX-License-Identifier: Apache-2.0 */
/* pruner_parity: comparisons in the order of the paper's abstract. */
#include "harness/released/pruner/pruner_parity.h"

#include "harness/released/geometric_mean.h"

#include <math.h>

/* Error of a bar's length: half a pixel of the pictures, 17 s a pixel online and 11 s offline. */
static const double PIXEL_ONLINE_S = 8.5, PIXEL_OFFLINE_S = 5.5;

static const struct against {
    int baseline, method;
    const char *column, *row, *title; /* row: of table "text" of published.tsv */
} comparisons[] = {
    {PRUNER_ANSOR, PRUNER_PRUNER, "pruner", "pruner_vs_ansor", "Ansor / Pruner"},
    {PRUNER_ANSOR, PRUNER_MOA, "moa_pruner", "moa_pruner_vs_ansor", "Ansor / MoA-Pruner"},
    {PRUNER_TENSETMLP, PRUNER_OFFLINE, "pruner_offline", "pruner_offline_vs_tensetmlp", "TenSetMLP / Pruner, offline"},
    {PRUNER_TLP, PRUNER_OFFLINE, "pruner_offline_tlp", "pruner_offline_vs_tlp", "TLP / Pruner, offline"},
};
enum { COMPARISONS = sizeof comparisons / sizeof *comparisons };

static double seconds_of(const struct pruner_release *r, const struct against *c, int platform, int network,
                         bool whole_run)
{
    for (int i = 0; i < r->bars.n; i++) {
        const struct pruner_bar *b = &r->bars.at[i];
        if (b->network == network && b->platform == platform && b->baseline == c->baseline &&
            b->whole_run == whole_run && b->method == (whole_run ? c->baseline : c->method))
            return b->seconds;
    }
    return NAN;
}

/* What the text of the paper says: the platforms are not named in it but in this order. */
static double text_of(const struct pruner_release *r, const struct against *c, int platform)
{
    static const char *const columns[] = {"platform1", "platform2", "platform3"};
    double v = pruner_printed(r, "text", c->row, columns[platform]);
    return isnan(v) && platform == PRUNER_A100 ? pruner_printed(r, "text", c->row, "a100") : v;
}

struct cell { /* of a comparison on a platform, over the networks that have both bars */
    int n;
    double sum, whole, reached, least, most, error;
    struct geometric_mean logs;
};

static struct cell cell_of(struct pruner_numbers *x, const struct against *c, int platform)
{
    struct cell s = {.least = INFINITY, .most = 0};
    double pixel = c->baseline == PRUNER_ANSOR ? PIXEL_ONLINE_S : PIXEL_OFFLINE_S;
    for (int k = 0; k < PRUNER_NETWORKS; k++) {
        double whole = seconds_of(x->release, c, platform, k, true),
               reached = seconds_of(x->release, c, platform, k, false), ratio = whole / reached;
        if (isnan(ratio))
            continue;
        s.n++;
        s.sum += ratio;
        s.whole += whole;
        s.reached += reached;
        s.least = fmin(s.least, ratio);
        s.most = fmax(s.most, ratio);
        s.error += pow(ratio * hypot(pixel / whole, pixel / reached), 2);
        geometric_mean_add(&s.logs, ratio);
        pruner_numbers_add(x, (struct pruner_number){"parity_network", pruner_platforms[platform], pruner_networks[k],
                                                     c->column, c->title, ratio, NAN});
    }
    return s;
}

static void add_cell(struct pruner_numbers *x, const struct against *c, int platform)
{
    const char *at = pruner_platforms[platform];
    struct cell s = cell_of(x, c, platform);
    if (!s.n)
        return;
    const struct {
        const char *what, *title;
        double value;
    } row[] = {
        {"", "arithmetic mean", s.sum / s.n},
        {"_geomean", "geometric mean", geometric_mean_of(&s.logs)},
        {"_sums", "ratio of sums", s.whole / s.reached},
        {"_least", "of the worst network", s.least},
        {"_most", "of the best network", s.most},
        {"_error", "what half a pixel of every bar is worth in the arithmetic mean", sqrt(s.error) / s.n},
        {"_networks", "networks that have both bars", s.n},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        pruner_numbers_add(x, (struct pruner_number){"parity", at, NULL,
                                                     arena_printf(x->arena, "%s%s", c->column, row[i].what),
                                                     arena_printf(x->arena, "%s, %s", c->title, row[i].title),
                                                     row[i].value, i ? (double)NAN : text_of(x->release, c, platform)});
}

/* The mean over platforms of the means over networks, as the abstract says it. Where every platform has all networks.
 */
static void add_all(struct pruner_numbers *x, const struct against *c)
{
    double sum = 0, logs = 0;
    for (int p = 0; p < PRUNER_PLATFORMS; p++) {
        const char *at = pruner_platforms[p];
        const char *count = arena_printf(x->arena, "%s_networks", c->column),
                   *geomean = arena_printf(x->arena, "%s_geomean", c->column);
        if (pruner_numbers_value(x, "parity", at, NULL, count) != PRUNER_NETWORKS)
            return;
        sum += pruner_numbers_value(x, "parity", at, NULL, c->column);
        logs += log(pruner_numbers_value(x, "parity", at, NULL, geomean));
    }
    double printed = pruner_printed(x->release, "text", c->row, "mean");
    pruner_numbers_add(x, (struct pruner_number){"parity", "all", NULL, c->column,
                                                 arena_printf(x->arena, "%s, arithmetic mean", c->title),
                                                 sum / PRUNER_PLATFORMS, printed});
    pruner_numbers_add(x, (struct pruner_number){"parity", "all", NULL, arena_printf(x->arena, "%s_geomean", c->column),
                                                 arena_printf(x->arena, "%s, geometric mean", c->title),
                                                 exp(logs / PRUNER_PLATFORMS), NAN});
}

/* ---- latencies ---- */

static double latency_of(const struct pruner_release *r, int platform, int network, int method, bool printed)
{
    for (int i = 0; i < r->latencies.n; i++) {
        const struct pruner_latency *l = &r->latencies.at[i];
        if (l->platform == platform && l->network == network && l->method == method && l->printed == printed)
            return l->ms;
    }
    return NAN;
}

static const struct {
    int baseline, method;
    const char *column, *title;
} ends[] = {
    {PRUNER_ANSOR, PRUNER_PRUNER, "pruner", "Ansor / Pruner"},
    {PRUNER_ANSOR, PRUNER_MOA, "moa_pruner", "Ansor / MoA-Pruner"},
    {PRUNER_PRUNER, PRUNER_MOA, "moa_over_pruner", "Pruner / MoA-Pruner"},
    {PRUNER_ANSOR, PRUNER_TENSETMLP, "tensetmlp", "Ansor / TenSetMLP"},
    {PRUNER_TENSETMLP, PRUNER_OFFLINE, "pruner_offline", "TenSetMLP / Pruner offline"},
};

static void add_end(struct pruner_numbers *x, int platform, size_t which)
{
    struct geometric_mean logs = {0};
    int wins = 0;
    for (int k = 0; k < PRUNER_NETWORKS; k++) {
        double ratio = latency_of(x->release, platform, k, ends[which].baseline, false) /
                       latency_of(x->release, platform, k, ends[which].method, false);
        if (isnan(ratio))
            continue;
        geometric_mean_add(&logs, ratio);
        wins += ratio > 1;
    }
    const char *at = pruner_platforms[platform], *column = ends[which].column;
    if (!logs.n)
        return;
    pruner_numbers_add(
        x, (struct pruner_number){"latency", at, NULL, column, ends[which].title, geometric_mean_of(&logs), NAN});
    pruner_numbers_add(
        x, (struct pruner_number){"latency", at, NULL, arena_printf(x->arena, "%s_wins", column),
                                  arena_printf(x->arena, "%s, networks above 1 of %d", ends[which].title, logs.n), wins,
                                  NAN});
}

/* A printed latency and the curve's end that it should be. */
static void add_gaps(struct pruner_numbers *x)
{
    static const double SAME_MS = 0.005;
    int same = 0, n = 0;
    for (int i = 0; i < x->release->latencies.n; i++) {
        const struct pruner_latency *l = &x->release->latencies.at[i];
        double end = latency_of(x->release, l->platform, l->network, l->method, false);
        if (!l->printed || isnan(end))
            continue;
        n++;
        same += fabs(end - l->ms) <= SAME_MS;
    }
    if (!n)
        return;
    pruner_numbers_add(x, (struct pruner_number){"latency", "all", NULL, "printed", "latencies in tables", n, NAN});
    pruner_numbers_add(x, (struct pruner_number){"latency", "all", NULL, "printed_agree",
                                                 "of them, those within 0.005 ms of the curve's end", same, NAN});
}

void pruner_parity_add(struct pruner_numbers *x)
{
    for (int i = 0; i < COMPARISONS; i++) {
        for (int p = 0; p < PRUNER_PLATFORMS; p++)
            add_cell(x, &comparisons[i], p);
        add_all(x, &comparisons[i]);
    }
    for (int p = 0; p < PRUNER_PLATFORMS; p++)
        for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
            add_end(x, p, i);
    add_gaps(x);
}
