/* SPDX-License-Identifier: Apache-2.0 */
/* claim_value: table3 has rows by k, the other kinds objects by arm and k. What is set against other arms is computed
 * here from the ratios of each network and seed, which are over the same explorer's run, so that it drops out. */
#include "harness/claims/claim_value.h"

#include "harness/stats/estimate.h"
#include "harness/stats/noise_floor.h"
#include "harness/stats/summary.h"

#include <math.h>

struct looker {
    struct arena *a;
    const cJSON *report;
    const char *place;
    const struct claim *c;
    double noise;
};

static double end_of(const cJSON *pair, int which, double otherwise)
{
    const cJSON *end = cJSON_GetArrayItem(pair, which);
    return cJSON_IsNumber(end) ? end->valuedouble : otherwise;
}

/* The share of networks that are faster, over a half: above 1 is "usually". */
static void take_wins(const struct looker *l, const double *ratios, int n, struct claim_value *out)
{
    struct superiority s = superiority_paired(ratios, n, noise_floor_tie(l->noise), ESTIMATE_CONFIDENCE);
    out->networks = n;
    out->value = 2 * s.share;
    out->low = 2 * s.low;
    out->high = 2 * s.high;
}

static void take_count(struct claim_value *out)
{
    out->value = out->low = out->high = out->networks;
}

/* ---- table3 ---- */

/* Where a column stands in a row: member, part of it, and name among the intervals. */
static const struct {
    const char *member, *part;
} places[COLUMN_COUNT] = {
    [COLUMN_KERNEL] = {"kernel_speedup", "sum"},
    [COLUMN_KERNEL_RETIMED] = {"kernel_speedup_retimed", "sum"},
    [COLUMN_SEARCH_WALL] = {"search_speedup", "wall"},
    [COLUMN_SEARCH_RECORDS] = {"search_speedup", "records"},
};

static double cell_of(const cJSON *row, enum claims_column c)
{
    return json_num(json_get(row, places[c].member), places[c].part, NAN);
}

static const cJSON *row_of(const cJSON *list, int64_t k)
{
    const cJSON *row;
    cJSON_ArrayForEach(row, list) if (json_num(row, "k", -1) == (double)k) return row;
    return NULL;
}

static const cJSON *network_of(const cJSON *networks, const char *name)
{
    const cJSON *one;
    cJSON_ArrayForEach(one, networks) if (str_eq(json_str(one, "network", ""), name)) return one;
    return NULL;
}

/* "1, 10, 32": what the results have instead. */
static const char *all_k(const struct looker *l, const cJSON *list)
{
    const char *text = "";
    const cJSON *row;
    cJSON_ArrayForEach(row, list)
    {
        double k = json_num(row, "k", NAN);
        if (!isnan(k))
            text = arena_printf(l->a, "%s%s%.0f", text, *text ? ", " : "", k);
    }
    return *text ? text : "none";
}

static void table3_wins(const struct looker *l, struct claim_value *out)
{
    const cJSON *networks = json_get(l->report, "networks"), *network;
    double *ratios = ARENA_ARRAY(l->a, double, cJSON_GetArraySize(networks) + 1);
    int n = 0;
    cJSON_ArrayForEach(network, networks)
    {
        const cJSON *row = row_of(json_get(network, "k"), l->c->k);
        double ratio = cell_of(row, COLUMN_KERNEL_RETIMED);
        ratio = isnan(ratio) ? cell_of(row, COLUMN_KERNEL) : ratio;
        if (ratio > 0)
            ratios[n++] = ratio;
    }
    take_wins(l, ratios, n, out);
}

static const char *find_table3(const struct looker *l, struct claim_value *out)
{
    const struct claim *c = l->c;
    const cJSON *list = json_get(l->report, "geomean");
    const cJSON *network = c->network ? network_of(json_get(l->report, "networks"), c->network) : NULL;
    if (c->network && !network)
        return arena_printf(l->a, "the results in '%s' have no network '%s'", l->place, c->network);
    list = network ? json_get(network, "k") : list;
    const cJSON *row = row_of(list, c->k);
    if (!row)
        return arena_printf(l->a, "the results in '%s' have no k = %lld (they have %s)", l->place, (long long)c->k,
                            all_k(l, list));
    const char *name = claims_column_word(c->column);
    const cJSON *intervals = json_get(row, "intervals");
    out->networks = network ? 1 : (int)json_num(row, "counted", 0);
    out->seeds = (int)json_num(intervals, "n", 1);
    if (c->column == COLUMN_WINS) {
        table3_wins(l, out);
    } else if (c->column == COLUMN_NETWORKS) {
        take_count(out);
    } else {
        const cJSON *across = json_get(json_get(row, "intervals_networks"), name);
        out->value = cell_of(row, c->column);
        out->low = end_of(json_get(intervals, name), 0, isnan(out->value) ? NAN : 0);
        out->high = end_of(json_get(intervals, name), 1, isnan(out->value) ? NAN : INFINITY);
        out->across_low = end_of(across, 0, NAN);
        out->across_high = end_of(across, 1, NAN);
    }
    if (c->column == COLUMN_SEARCH_RECORDS)
        out->wall = cell_of(row, COLUMN_SEARCH_WALL);
    return NULL;
}

/* ---- contest, micro, variance ---- */

/* Exploitation alone is told in seconds, of which less is better; all else in ratios over the explorer. */
static const char *member_of(enum claims_column c)
{
    return c == COLUMN_EXPLOIT_WALL      ? "exploit_wall_s"
           : c == COLUMN_EXPLOIT_RECORDS ? "exploit_records_s"
                                         : claims_column_word(c);
}

static bool is_time(enum claims_column c)
{
    return c == COLUMN_EXPLOIT_WALL || c == COLUMN_EXPLOIT_RECORDS;
}

/* The object of an arm at the claim's k, which labels it "arm-k"; *why when there is none, or several. */
static const cJSON *entrant_of(const struct looker *l, const char *arm, const char **why)
{
    const cJSON *list = json_get(l->report, "exploiters"), *e, *found = NULL;
    const char *others = "";
    int n = 0;
    cJSON_ArrayForEach(e, list)
    {
        double k = json_num(e, "k", NAN);
        if (!str_eq(json_str(e, "arm", ""), arena_printf(l->a, "%s-%.0f", arm, k)))
            continue;
        others = arena_printf(l->a, "%s%s%.0f", others, *others ? ", " : "", k);
        if (l->c->k && k != (double)l->c->k)
            continue;
        found = e;
        n++;
    }
    if (n == 1)
        return found;
    *why = n         ? arena_printf(l->a, "the results in '%s' have '%s' at several k (%s)", l->place, arm, others)
           : *others ? arena_printf(l->a, "the results in '%s' have no '%s' at k = %lld (they have %s)", l->place, arm,
                                    (long long)l->c->k, others)
                     : arena_printf(l->a, "the results in '%s' have no arm '%s'", l->place, arm);
    return NULL;
}

/* How many seeds there are from the first to the last of any network; 0: none is told. */
static int seed_span(const cJSON *networks, double *first)
{
    double low = INFINITY, high = -INFINITY;
    for (const cJSON *network = networks ? networks->child : NULL; network; network = network->next) {
        const cJSON *seeds = json_get(network, "by_seed");
        for (const cJSON *one = seeds ? seeds->child : NULL; one; one = one->next) {
            low = fmin(low, json_num(one, "seed", NAN));
            high = fmax(high, json_num(one, "seed", NAN));
        }
    }
    *first = low;
    return low <= high && high - low < 1e4 ? (int)(high - low) + 1 : 0;
}

/* What an arm has for a network and seed; NaN: nothing. */
static double seed_value(const cJSON *entrant, const char *network, double seed, const char *member)
{
    const cJSON *one, *list = json_get(network_of(json_get(entrant, "networks"), network), "by_seed");
    cJSON_ArrayForEach(one, list) if (json_num(one, "seed", -1) == seed) return json_num(one, member, NAN);
    return NAN;
}

/* The arm against the geometric mean of the others, of one network and seed. */
static double against(const struct looker *l, const cJSON *entrant, const cJSON *const *others, const char *network,
                      double seed)
{
    const char *member = member_of(l->c->column);
    double *v = ARENA_ARRAY(l->a, double, l->c->nover + 1), mine = seed_value(entrant, network, seed, member);
    for (int i = 0; i < l->c->nover; i++) {
        v[i] = seed_value(others[i], network, seed, member);
        if (!(v[i] > 0))
            return NAN; /* all of them or none: else networks would be compared with different rivals */
    }
    double theirs = summary_geomean(v, l->c->nover);
    return is_time(l->c->column) ? theirs / mine : mine / theirs;
}

/* A row of v for each network that the claim is about; how many. */
static int against_rows(const struct looker *l, const cJSON *entrant, const cJSON *const *others, double first,
                        int seeds, double *v, int *with)
{
    const cJSON *network;
    int rows = 0;
    cJSON_ArrayForEach(network, json_get(entrant, "networks"))
    {
        const char *name = json_str(network, "network", "");
        bool any = false;
        if (l->c->network && !str_eq(name, l->c->network))
            continue;
        for (int i = 0; i < seeds; i++) {
            v[rows * seeds + i] = against(l, entrant, others, name, first + i);
            any = any || v[rows * seeds + i] > 0;
        }
        *with += any;
        rows++;
    }
    return rows;
}

static const char *find_against(const struct looker *l, const cJSON *entrant, struct claim_value *out)
{
    const cJSON **others = (const cJSON **)ARENA_ARRAY(l->a, cJSON *, l->c->nover);
    const cJSON *networks = json_get(entrant, "networks");
    const char *why = NULL;
    double first;
    int seeds = seed_span(networks, &first);
    for (int i = 0; i < l->c->nover; i++)
        if (!(others[i] = entrant_of(l, l->c->over[i], &why)))
            return why;
    if (!seeds)
        return arena_printf(l->a, "the results in '%s' tell no seeds: write the report again", l->place);
    double *v = ARENA_ARRAY(l->a, double, (cJSON_GetArraySize(networks) + 1) * seeds);
    int rows = against_rows(l, entrant, (const cJSON *const *)others, first, seeds, v, &out->networks);
    if (!out->networks)
        return arena_printf(l->a, "the results in '%s' have no network where all these arms found kernels", l->place);
    struct estimate e;
    estimate_of(l->a, v, rows, seeds, noise_floor_tie(l->noise), &e);
    bool several = e.over == ESTIMATE_SEEDS, across = e.rows.n > 1;
    out->value = e.ratio;
    out->seeds = several ? e.n : 1;
    out->low = several ? e.low : 0;
    out->high = several ? e.high : INFINITY;
    out->across_low = across ? e.rows.low : (double)NAN;
    out->across_high = across ? e.rows.high : (double)NAN;
    return NULL;
}

/* Networks of an arm that have such a ratio; the ratios too. member NULL: kernels, re-timed where they were. */
static int take_networks(const cJSON *entrant, const char *member, double *ratios)
{
    const cJSON *network;
    int n = 0;
    cJSON_ArrayForEach(network, json_get(entrant, "networks"))
    {
        double again = json_num(network, claims_column_word(COLUMN_KERNEL_RETIMED), NAN);
        double ratio = member         ? json_num(network, member, NAN)
                       : isnan(again) ? json_num(network, claims_column_word(COLUMN_KERNEL), NAN)
                                      : again;
        if (ratio > 0)
            ratios[n++] = ratio;
    }
    return n;
}

static const char *find_contest(const struct looker *l, struct claim_value *out)
{
    const struct claim *c = l->c;
    const char *why = NULL, *member = claims_column_word(c->column);
    const cJSON *entrant = entrant_of(l, c->arm, &why);
    if (!entrant)
        return why;
    if (c->nover)
        return find_against(l, entrant, out);
    const cJSON *at = c->network ? network_of(json_get(entrant, "networks"), c->network) : entrant;
    if (!at)
        return arena_printf(l->a, "the results in '%s' have no network '%s'", l->place, c->network);
    double *ratios = ARENA_ARRAY(l->a, double, cJSON_GetArraySize(json_get(entrant, "networks")) + 1);
    if (c->column >= COLUMN_WINS) {
        out->networks = take_networks(entrant, NULL, ratios);
        out->seeds = (int)json_num(json_get(json_get(at, "stats"), claims_column_word(COLUMN_KERNEL)), "n", 1);
        if (c->column == COLUMN_WINS)
            take_wins(l, ratios, out->networks, out);
        else
            take_count(out);
        return NULL;
    }
    const cJSON *stats = json_get(json_get(at, "stats"), member), *across = json_get(stats, "interval_rows");
    bool seeds = str_eq(json_str(stats, "over", "none"), "seeds");
    out->value = json_num(stats, "ratio", json_num(at, member, NAN));
    out->networks = c->network ? out->value > 0 : take_networks(entrant, member, ratios);
    out->seeds = seeds ? (int)json_num(stats, "n", 1) : 1;
    out->low = isnan(out->value) ? (double)NAN : seeds ? end_of(json_get(stats, "interval"), 0, 0) : 0;
    out->high = isnan(out->value) ? (double)NAN : seeds ? end_of(json_get(stats, "interval"), 1, INFINITY) : INFINITY;
    out->across_low = end_of(across, 0, NAN);
    out->across_high = end_of(across, 1, NAN);
    if (c->column == COLUMN_SEARCH_RECORDS)
        out->wall = json_num(at, claims_column_word(COLUMN_SEARCH_WALL), NAN);
    return NULL;
}

/* ---- kinds ---- */

static const struct {
    const char *report;
    const char *(*find)(const struct looker *l, struct claim_value *out);
} kinds[] = {{"table3", find_table3}, {"contest", find_contest}, {"micro", find_contest}, {"variance", find_contest}};

const char *claim_value_find(struct arena *a, const cJSON *report, const char *place, const struct claim *c,
                             double noise, struct claim_value *out)
{
    struct looker l = {a, report, place, c, noise};
    *out =
        (struct claim_value){.value = NAN, .low = NAN, .high = NAN, .across_low = NAN, .across_high = NAN, .wall = NAN};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (str_eq(kinds[i].report, c->report))
            return kinds[i].find(&l, out);
    return arena_printf(a, "claims cannot be about a report of kind '%s'", c->report);
}
