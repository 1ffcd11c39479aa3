/* SPDX-License-Identifier: Apache-2.0 */
/* claim_value: a column of the table of means or, of one network, of networks. What is set against other arms is
 * computed here from single seeds: ratios of each network and seed are over the same explorer's run, which drops out.
 */
#include "harness/claims/claim_value.h"

#include "harness/report/data/race_tables.h"
#include "harness/stats/design_effect.h"
#include "harness/stats/noise_floor.h"
#include "harness/stats/summary.h"

#include <limits.h>
#include <math.h>

struct looker {
    struct arena *a;
    const struct document *d;
    const char *place;
    const struct claim *c;
    double noise;
};

/* ---- rows ---- */

/* Rows of means that an arm (NULL: the only one) has, at the claim's k; which are there instead in *others. */
static int find_mean(const struct looker *l, const char *arm, int *row, const char **others)
{
    int n = 0;
    *others = "";
    for (int i = 0; i < document_rows(l->d, TABLE_MEANS); i++) {
        double k = document_number_at(l->d, TABLE_MEANS, i, COL_K);
        const char *label = arm && k > 0 ? arena_printf(l->a, "%s-%.0f", arm, k) : arm; /* a race's may have none */
        if (label && !str_eq(document_text_at(l->d, TABLE_MEANS, i, COL_ARM), label))
            continue;
        *others = arena_printf(l->a, "%s%s%.0f", *others, **others ? ", " : "", k);
        if (l->c->k && k != (double)l->c->k)
            continue;
        *row = i;
        n++;
    }
    return n;
}

/* The label of an arm at the claim's k; NULL and *why when there is none, or several. */
static const char *label_of(const struct looker *l, const char *arm, int *row, const char **why)
{
    const char *others;
    int n = find_mean(l, arm, row, &others);
    if (n == 1)
        return document_text_at(l->d, TABLE_MEANS, *row, COL_ARM);
    *why = n ? arena_printf(l->a, "the results in '%s' have '%s' at several k (%s)", l->place, arm ? arm : "k", others)
           : !arm    ? arena_printf(l->a, "the results in '%s' have no k = %lld (they have %s)", l->place,
                                    (long long)l->c->k, *others ? others : "none")
           : *others ? arena_printf(l->a, "the results in '%s' have no '%s' at k = %lld (they have %s)", l->place, arm,
                                    (long long)l->c->k, others)
                     : arena_printf(l->a, "the results in '%s' have no arm '%s'", l->place, arm);
    return NULL;
}

static int network_row(const struct looker *l, const char *label, const char *network)
{
    for (int i = 0; i < document_rows(l->d, TABLE_NETWORKS); i++)
        if (str_eq(document_text_at(l->d, TABLE_NETWORKS, i, COL_ARM), label) &&
            str_eq(document_text_at(l->d, TABLE_NETWORKS, i, COL_NETWORK), network))
            return i;
    return -1;
}

/* Ratios of an arm's networks that have one; c COL_COUNT: of kernel sums, re-timed where they were. */
static int network_ratios(const struct looker *l, const char *label, enum report_column c, double *out)
{
    int n = 0;
    for (int i = 0; i < document_rows(l->d, TABLE_NETWORKS); i++) {
        enum report_column of = c != COL_COUNT ? c : COL_KERNEL_SPEEDUP_RETIMED;
        double v = document_number_at(l->d, TABLE_NETWORKS, i, of);
        if (c == COL_COUNT && isnan(v))
            v = document_number_at(l->d, TABLE_NETWORKS, i, COL_KERNEL_SPEEDUP);
        if (str_eq(document_text_at(l->d, TABLE_NETWORKS, i, COL_ARM), label) && v > 0)
            out[n++] = v;
    }
    return n;
}

/* ---- against the explorer's full run ---- */

static void take_ratio(const struct estimate *e, double ratio, struct claim_value *out)
{
    bool seeds = e && e->over == ESTIMATE_SEEDS, across = e && e->rows.n > 1;
    out->value = e ? e->ratio : ratio;
    out->seeds = seeds ? e->n : 1;
    out->df = seeds ? e->df : 0;
    if (isnan(out->value))
        return;
    out->low = seeds ? e->low : 0;
    out->high = seeds && isfinite(e->high) ? e->high : INFINITY;
    out->across_low = across ? e->rows.low : (double)NAN;
    out->across_high = across ? e->rows.high : (double)NAN;
}

static int seeds_of(const struct estimate *e)
{
    return e && e->over == ESTIMATE_SEEDS ? e->n : 1;
}

static int searched(const struct looker *l, const char *label)
{
    int n = 0;
    for (int i = 0; i < document_rows(l->d, TABLE_NETWORKS); i++)
        n += str_eq(document_text_at(l->d, TABLE_NETWORKS, i, COL_ARM), label);
    return n;
}

/* Over networks: the share of those that are faster over a half (above 1 is "usually"), or how many there are. */
static void take_networks(const struct looker *l, const char *label, int row, struct claim_value *out)
{
    double *ratios = ARENA_ARRAY(l->a, double, document_rows(l->d, TABLE_NETWORKS) + 1);
    out->networks = network_ratios(l, label, COL_COUNT, ratios);
    out->seeds = seeds_of(document_ratio_at(l->d, TABLE_MEANS, row, COL_KERNEL_SPEEDUP));
    if (l->c->column == CLAIMS_NETWORKS) {
        out->value = out->low = out->high = out->networks;
        out->searched = searched(l, label);
        out->df = 0;
        return;
    }
    struct superiority s = superiority_paired(ratios, out->networks, noise_floor_tie(l->noise), ESTIMATE_CONFIDENCE);
    double wide = sqrt(fmax(1, l->d->design_effect)); /* networks that share kernels are as many fewer */
    out->value = 2 * s.share;
    out->low = fmax(0, 2 * (s.share - wide * (s.share - s.low)));
    out->high = fmin(2, 2 * (s.share + wide * (s.high - s.share)));
    out->df = (double)out->networks / fmax(1, l->d->design_effect) - 1;
}

/* ---- its own time ---- */

static const char *find_share(const struct looker *l, struct claim_value *out)
{
    const char *network = l->c->network ? l->c->network : "";
    int row = -1;
    for (int i = 0; i < document_rows(l->d, TABLE_TIME_SPLIT); i++) {
        const char *of = document_text_at(l->d, TABLE_TIME_SPLIT, i, COL_NETWORK);
        if (!str_eq(document_text_at(l->d, TABLE_TIME_SPLIT, i, COL_ARM), l->c->arm))
            continue;
        row = str_eq(of, network) ? i : row;
        out->networks += *of && document_number_at(l->d, TABLE_TIME_SPLIT, i, COL_EXPLORATION_SHARE) > 0;
    }
    if (row < 0)
        return arena_printf(l->a, "the results in '%s' do not say where the time of '%s' went", l->place, l->c->arm);
    take_ratio(document_ratio_at(l->d, TABLE_TIME_SPLIT, row, COL_EXPLORATION_SHARE),
               document_number_at(l->d, TABLE_TIME_SPLIT, row, COL_EXPLORATION_SHARE), out);
    out->networks = l->c->network ? out->value > 0 : out->networks;
    return NULL;
}

static void invert(struct claim_value *v)
{
    double low = v->low, across_low = v->across_low;
    v->value = 1 / v->value;
    v->low = 1 / v->high;
    v->high = low > 0 ? 1 / low : (double)INFINITY;
    v->across_low = 1 / v->across_high;
    v->across_high = 1 / across_low;
}

/* ---- against other arms ---- */

/* The first seed number of any arm, and how many there are up to the last; 0: none is reported. */
static int seed_span(const struct looker *l, double *first)
{
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < document_rows(l->d, TABLE_SEEDS); i++) {
        low = fmin(low, document_number_at(l->d, TABLE_SEEDS, i, COL_SEED));
        high = fmax(high, document_number_at(l->d, TABLE_SEEDS, i, COL_SEED));
    }
    *first = low;
    return low <= high && high - low < 1e4 ? (int)(high - low) + 1 : 0;
}

static double seed_value(const struct looker *l, const char *label, const char *network, double seed)
{
    for (int i = 0; i < document_rows(l->d, TABLE_SEEDS); i++)
        if (document_number_at(l->d, TABLE_SEEDS, i, COL_SEED) == seed &&
            str_eq(document_text_at(l->d, TABLE_SEEDS, i, COL_ARM), label) &&
            str_eq(document_text_at(l->d, TABLE_SEEDS, i, COL_NETWORK), network))
            return document_number_at(l->d, TABLE_SEEDS, i, claims_column_of(l->c->column));
    return NAN;
}

/* The arm against the geometric mean of the others, of one network and seed. */
static double against(const struct looker *l, const char *label, const char *const *others, const char *network,
                      double seed)
{
    bool is_time = l->c->column == CLAIMS_EXPLOIT_WALL || l->c->column == CLAIMS_EXPLOIT_RECORDS;
    double *v = ARENA_ARRAY(l->a, double, l->c->nover + 1), mine = seed_value(l, label, network, seed);
    for (int i = 0; i < l->c->nover; i++) {
        v[i] = seed_value(l, others[i], network, seed);
        if (!(v[i] > 0))
            return NAN; /* all of them or none: else networks would be compared with different rivals */
    }
    double theirs = summary_geomean(v, l->c->nover);
    return is_time ? theirs / mine : mine / theirs;
}

static const char *find_against(const struct looker *l, const char *label, struct claim_value *out)
{
    const char **others = ARENA_ARRAY(l->a, const char *, l->c->nover), *why = NULL;
    double first;
    int row, rows = 0, seeds = seed_span(l, &first);
    for (int i = 0; i < l->c->nover; i++)
        if (!(others[i] = label_of(l, l->c->over[i], &row, &why)))
            return why;
    if (!seeds)
        return arena_printf(l->a, "the results in '%s' have no seeds: write the report again", l->place);
    double *v = ARENA_ARRAY(l->a, double, (document_rows(l->d, TABLE_NETWORKS) + 1) * seeds);
    for (int i = 0; i < document_rows(l->d, TABLE_NETWORKS); i++) {
        const char *network = document_text_at(l->d, TABLE_NETWORKS, i, COL_NETWORK);
        bool any = false;
        if (!str_eq(document_text_at(l->d, TABLE_NETWORKS, i, COL_ARM), label) ||
            (l->c->network && !str_eq(network, l->c->network)))
            continue;
        for (int s = 0; s < seeds; s++) {
            v[rows * seeds + s] = against(l, label, others, network, first + s);
            any = any || v[rows * seeds + s] > 0;
        }
        out->networks += any;
        rows++;
    }
    if (!out->networks)
        return arena_printf(l->a, "the results in '%s' have no network where all these arms found kernels", l->place);
    struct estimate e;
    estimate_of(l->a, v, rows, seeds, noise_floor_tie(l->noise), &e);
    design_effect_widen(&e, l->c->network ? 1 : l->d->design_effect);
    take_ratio(&e, e.ratio, out);
    return NULL;
}

/* ---- to parity ---- */

/* The arm's row over networks, or of one ("": over them). */
static int row_of(const struct looker *l, enum report_table t, const char *network)
{
    for (int i = 0; i < document_rows(l->d, t); i++)
        if (str_eq(document_text_at(l->d, t, i, COL_ARM), l->c->arm) &&
            (!l->c->nover || str_eq(document_text_at(l->d, t, i, COL_OVER), l->c->over[0])) &&
            str_eq(document_text_at(l->d, t, i, COL_NETWORK), network))
            return i;
    return -1;
}

/* The search time to parity as the paper counts it stands beside the judged number, which is that at the common
 * target: a ratio of which runs that never arrive count 1 and others at least 1 is above 1 for identical searchers,
 * too (harness/doc/pruner.md, "Search time to parity"). */
static const char *find_parity(const struct looker *l, struct claim_value *out)
{
    enum report_table t = l->c->nover ? TABLE_PARITY_PAIRS : TABLE_PARITY, at = l->c->nover ? t : TABLE_RACE;
    const char *network = l->c->network ? l->c->network : "";
    int row = row_of(l, t, network), common = row_of(l, at, network);
    const struct estimate *e = document_ratio_at(l->d, at, common < 0 ? INT_MAX : common, COL_SOONER_WALL);
    if (row < 0 || common < 0 || !document_has(at, COL_SOONER_WALL))
        return arena_printf(l->a, "the results in '%s' have no search time to parity of '%s'%s%s", l->place, l->c->arm,
                            *network      ? " on "
                            : l->c->nover ? " with "
                                          : "",
                            *network      ? network
                            : l->c->nover ? l->c->over[0]
                                          : "");
    take_ratio(e, document_number_at(l->d, at, common, COL_SOONER_WALL), out);
    out->described = document_ratio_at(l->d, t, row, claims_column_of(l->c->column));
    out->networks = l->c->nover ? (int)document_number_at(l->d, t, row, COL_NETWORKS) : l->c->network ? 1 : 0;
    for (int i = 0; !l->c->nover && !l->c->network && i < document_rows(l->d, t); i++)
        out->networks += str_eq(document_text_at(l->d, t, i, COL_ARM), l->c->arm) &&
                         *document_text_at(l->d, t, i, COL_NETWORK) && document_number_at(l->d, t, i, COL_RUNS) > 0;
    if (!l->c->nover)
        out->arrivals = arrivals_of(l->a, l->d, l->c->arm, network);
    return NULL;
}

/* On which networks the ratio lies clearly on the other side of 1 than its mean; NULL: on none. */
static const char *elsewhere(const struct looker *l, const char *label, enum report_column c,
                             const struct claim_value *mean)
{
    bool above = mean->value > 1;
    double tie = claims_column_about(l->c->column) == VALIDITY_KERNELS ? noise_floor_tie(l->noise) : 0;
    const char *names = "";
    int n = 0, all = 0;
    for (int i = 0; i < document_rows(l->d, TABLE_NETWORKS); i++) {
        double v = document_number_at(l->d, TABLE_NETWORKS, i, c);
        if (!(v > 0) || !str_eq(document_text_at(l->d, TABLE_NETWORKS, i, COL_ARM), label))
            continue;
        all++;
        if (above ? v * (1 + tie) >= 1 : v <= 1 + tie)
            continue;
        names = arena_printf(l->a, "%s%s%s %.2f", names, n++ ? ", " : "",
                             document_text_at(l->d, TABLE_NETWORKS, i, COL_NETWORK), v);
    }
    return n ? arena_printf(l->a, "%s 1, not %s, on %d of %d networks: %s", above ? "below" : "above",
                            above ? "above" : "below", n, all, names)
             : NULL;
}

const char *claim_value_find(struct arena *a, const struct document *d, const char *place, const struct claim *c,
                             struct claim_value *out)
{
    struct looker l = {a, d, place, c, document_number_at(d, TABLE_NOISE, 0, COL_NOISE_FLOOR)};
    const char *why = NULL;
    int row = -1;
    *out =
        (struct claim_value){.value = NAN, .low = NAN, .high = NAN, .across_low = NAN, .across_high = NAN, .wall = NAN};
    if (c->column >= CLAIMS_PARITY_MEAN && c->column <= CLAIMS_PARITY_RETIMED)
        return find_parity(&l, out);
    if (c->column == CLAIMS_EXPLORATION_SHARE)
        return find_share(&l, out);
    const char *label = label_of(&l, c->arm, &row, &why);
    if (!label)
        return why;
    if (c->nover)
        return find_against(&l, label, out);
    enum report_column column = claims_column_of(c->column);
    if (column == COL_COUNT) {
        take_networks(&l, label, row, out);
        return NULL;
    }
    enum report_table table = c->network ? TABLE_NETWORKS : TABLE_MEANS;
    row = c->network ? network_row(&l, label, c->network) : row;
    if (row < 0)
        return arena_printf(a, "the results in '%s' have no network '%s'", place, c->network);
    take_ratio(document_ratio_at(d, table, row, column), document_number_at(d, table, row, column), out);
    double *ratios = ARENA_ARRAY(a, double, document_rows(d, TABLE_NETWORKS) + 1);
    out->networks = c->network            ? out->value > 0
                    : c->report->one_pair ? network_ratios(&l, label, COL_COUNT, ratios)
                                          : network_ratios(&l, label, column, ratios);
    if (!c->network)
        out->exceptions = elsewhere(&l, label, column, out);
    if (!isnan(out->value) && claims_column_about(c->column) == VALIDITY_KERNELS)
        document_ties(d, label, c->network ? c->network : "", &out->ties, &out->pairs);
    if (c->column == CLAIMS_SEARCH_SHARE)
        invert(out);
    if (c->column == CLAIMS_SEARCH_RECORDS)
        out->wall = document_number_at(d, table, row, COL_SEARCH_SPEEDUP_WALL);
    return NULL;
}
