/* SPDX-License-Identifier: Apache-2.0 */
/* claims: reads experiments/papers/<paper>.yaml. Everything is checked here, so that a claim that names nothing cannot
 * pass for one that was not measured. */
#include "harness/claims/claims.h"

#include "harness/base/digest.h"
#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/experiment/experiment_index.h"
#include "harness/experiment/yaml.h"
#include "harness/record/keys.h"
#include "harness/released/released_papers.h"

#include <math.h>
#include <string.h>

/* What a column's number is: of times; of networks over a half, 0 to 2; a whole number. */
enum claims_unit { UNIT_RATIO, UNIT_SHARE, UNIT_COUNT };
/* Which reports have it: of one pair of arms, of several that explore another, races. */
enum { IN_PAIR = 1, IN_SEVERAL = 2, IN_RACE = 4, IN_ALL = 7 };
static const char *const clock_words[] = {"none", "wall", "records"}; /* enum evidence_clock */
static const struct {
    const char *word;
    enum evidence_clock clock;
    enum claims_unit unit;
    enum report_column column;
    int in;
    bool needs_over; /* says nothing of the explorer, so it is against other arms */
} columns[CLAIMS_COLUMNS] = {
    [CLAIMS_KERNEL] = {"kernel_speedup", EVIDENCE_NO_CLOCK, UNIT_RATIO, COL_KERNEL_SPEEDUP, IN_ALL, false},
    [CLAIMS_KERNEL_RETIMED] = {"kernel_speedup_retimed", EVIDENCE_NO_CLOCK, UNIT_RATIO, COL_KERNEL_SPEEDUP_RETIMED,
                               IN_ALL, false},
    [CLAIMS_SEARCH_WALL] = {"search_speedup_wall", EVIDENCE_WALL, UNIT_RATIO, COL_SEARCH_SPEEDUP_WALL, IN_ALL, false},
    [CLAIMS_SEARCH_RECORDS] = {"search_speedup_records", EVIDENCE_RECORDS, UNIT_RATIO, COL_SEARCH_SPEEDUP_RECORDS,
                               IN_ALL, false},
    [CLAIMS_OWN] = {"own_speedup", EVIDENCE_NO_CLOCK, UNIT_RATIO, COL_OWN_SPEEDUP, IN_SEVERAL, false},
    [CLAIMS_GAIN] = {"seed_gain", EVIDENCE_NO_CLOCK, UNIT_RATIO, COL_SEED_GAIN, IN_SEVERAL, false},
    [CLAIMS_EACH] = {"kernel_geomean", EVIDENCE_NO_CLOCK, UNIT_RATIO, COL_KERNEL_GEOMEAN, IN_SEVERAL | IN_RACE, false},
    [CLAIMS_EACH_RETIMED] = {"kernel_geomean_retimed", EVIDENCE_NO_CLOCK, UNIT_RATIO, COL_KERNEL_GEOMEAN_RETIMED,
                             IN_SEVERAL | IN_RACE, false},
    [CLAIMS_EXPLOIT_WALL] = {"exploit_speedup_wall", EVIDENCE_WALL, UNIT_RATIO, COL_EXPLOIT_WALL_S, IN_SEVERAL, true},
    [CLAIMS_EXPLOIT_RECORDS] = {"exploit_speedup_records", EVIDENCE_RECORDS, UNIT_RATIO, COL_EXPLOIT_RECORDS_S,
                                IN_SEVERAL, true},
    [CLAIMS_EXPLORER_K] = {"explorer_k_kernel_speedup", EVIDENCE_NO_CLOCK, UNIT_RATIO, COL_K_KERNEL_SPEEDUP,
                           IN_PAIR | IN_SEVERAL, false},
    [CLAIMS_EXPLORER_K_RECORDS] = {"explorer_k_search_speedup_records", EVIDENCE_RECORDS, UNIT_RATIO,
                                   COL_K_SEARCH_SPEEDUP_RECORDS, IN_PAIR | IN_SEVERAL, false},
    [CLAIMS_KERNEL_CALLS] = {"kernel_speedup_calls", EVIDENCE_NO_CLOCK, UNIT_RATIO, COL_KERNEL_SPEEDUP_CALLS, IN_RACE,
                             false},
    [CLAIMS_SEARCH_SHARE] = {"search_share_wall", EVIDENCE_WALL, UNIT_RATIO, COL_SEARCH_SPEEDUP_WALL, IN_RACE, false},
    [CLAIMS_EXPLORATION_SHARE] = {"exploration_share", EVIDENCE_WALL, UNIT_RATIO, COL_EXPLORATION_SHARE, IN_RACE,
                                  false},
    [CLAIMS_PARITY_MEAN] = {"parity_mean", EVIDENCE_WALL, UNIT_RATIO, COL_PARITY_MEAN, IN_RACE, false},
    [CLAIMS_PARITY] = {"parity", EVIDENCE_WALL, UNIT_RATIO, COL_PARITY, IN_RACE, false},
    [CLAIMS_PARITY_RETIMED_MEAN] = {"parity_retimed_mean", EVIDENCE_WALL, UNIT_RATIO, COL_PARITY_RETIMED_MEAN, IN_RACE,
                                    false},
    [CLAIMS_PARITY_RETIMED] = {"parity_retimed", EVIDENCE_WALL, UNIT_RATIO, COL_PARITY_RETIMED, IN_RACE, false},
    [CLAIMS_WINS] = {"wins", EVIDENCE_NO_CLOCK, UNIT_SHARE, COL_COUNT, IN_ALL, false},
    [CLAIMS_NETWORKS] = {"networks", EVIDENCE_NO_CLOCK, UNIT_COUNT, COL_COUNT, IN_ALL, false},
};

const char *claims_column_word(enum claims_column c)
{
    return columns[c].word;
}

enum validity_about claims_column_about(enum claims_column c)
{
    return columns[c].clock == EVIDENCE_NO_CLOCK ? VALIDITY_KERNELS : VALIDITY_SEARCH;
}

enum evidence_clock claims_column_clock(enum claims_column c)
{
    return columns[c].clock;
}

enum evidence_codegen claims_codegen(const char *target, const char *target_settings)
{
    const char *codegen = keys_codegen(target, target_settings);
    return codegen && !str_eq(codegen, "tvm") ? EVIDENCE_CODEGEN_OTHER : EVIDENCE_CODEGEN_PAPER;
}

const char *claims_measurement(struct arena *a, const struct claim *c)
{
    static const char *const of[CLAIMS_COLUMNS] = {[CLAIMS_OWN] = "own programs",
                                                   [CLAIMS_GAIN] = "gain over its seeds",
                                                   [CLAIMS_EXPLOIT_WALL] = "exploitation time",
                                                   [CLAIMS_EXPLOIT_RECORDS] = "exploitation time",
                                                   [CLAIMS_EXPLORER_K] = "kernels of the explorer stopped",
                                                   [CLAIMS_EXPLORER_K_RECORDS] = "search time of the explorer stopped",
                                                   [CLAIMS_EXPLORATION_SHARE] = "share of exploration"};
    const char *what = of[c->column], *over = "";
    if (!c->experiment)
        return "";
    what = what ? what : claims_column_about(c->column) == VALIDITY_KERNELS ? "kernels" : "search time";
    for (int i = 0; i < c->nover; i++)
        over = arena_printf(a, "%s%s%s", over, i ? ", " : " against ", c->over[i]);
    return arena_printf(a, "%s: %s%s%s%s%s%s", c->experiment, what, c->arm ? arena_printf(a, " of %s", c->arm) : "",
                        c->k ? arena_printf(a, " at k = %lld", (long long)c->k) : "", over, c->network ? " on " : "",
                        c->network ? c->network : "");
}

enum report_column claims_column_of(enum claims_column c)
{
    return columns[c].column;
}

/* Of a claim's id, which is a word of lists and options. */
#define ID_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"

struct reader {
    struct arena *a;
    struct claims *out;
    const char *folder;
    char **experiments;
    struct experiment_index *indexes; /* one for each, read when first named (stem NULL before) */
    int nexperiments;
    struct err *err;
};

/* Position of word among n words; -1 and an error at `at` that names the nearest. */
static int position(const struct reader *r, const struct yaml *at, const char *what, const char *word,
                    const char *const *words, int n)
{
    for (int i = 0; i < n; i++)
        if (str_eq(words[i], word))
            return i;
    yaml_unknown(at, r->err, what, word, words, n);
    return -1;
}

/* Of map[key]. */
static int word_of(const struct reader *r, const struct yaml *map, const char *key, const char *what,
                   const char *const *words, int n)
{
    const char *word = NULL;
    return yaml_string(map, key, true, &word, r->err) ? position(r, yaml_get(map, key), what, word, words, n) : -1;
}

static bool read_machine(const struct reader *r, const struct yaml *node, struct claims_machine *m)
{
    static const char *const keys[] = {"name", "title", "target", "arch", "match", "mcpu", NULL};
    m->arch = "";
    return yaml_keys(node, keys, r->err) && yaml_string(node, "name", true, &m->name, r->err) &&
           yaml_string(node, "title", true, &m->title, r->err) &&
           yaml_string(node, "target", true, &m->target, r->err) &&
           yaml_string(node, "arch", false, &m->arch, r->err) && yaml_string(node, "match", true, &m->match, r->err) &&
           yaml_strings(r->a, node, "mcpu", false, &m->mcpu, &m->nmcpu, r->err);
}

static bool read_machines(const struct reader *r, const struct yaml *doc)
{
    const struct yaml *list = yaml_get(doc, "machines");
    if (!list || list->kind != YAML_LIST)
        return yaml_err(list ? list : doc, r->err, "'machines' must be a list");
    struct claims_machine *m = ARENA_ARRAY(r->a, struct claims_machine, list->n + 1);
    for (int i = 0; i < list->n; i++)
        if (!read_machine(r, list->at[i], &m[i]))
            return false;
    r->out->machines = m;
    r->out->nmachines = list->n;
    return true;
}

static bool claim_machine(const struct reader *r, const struct yaml *node, struct claim *c)
{
    const char *names[34] = {"any"};
    int n = r->out->nmachines < 33 ? r->out->nmachines : 33;
    for (int i = 0; i < n; i++)
        names[i + 1] = r->out->machines[i].name;
    int at = word_of(r, node, "machine", "machine", names, n + 1);
    if (at < 0)
        return false;
    c->machine = at ? &r->out->machines[at - 1] : NULL;
    return true;
}

/* A column that the experiment's report has. */
static bool claim_column(const struct reader *r, const struct yaml *node, const struct experiment_index *in,
                         struct claim *c)
{
    const char *words[CLAIMS_COLUMNS];
    enum claims_column which[CLAIMS_COLUMNS];
    int n = 0;
    c->report = selection_find(in->report);
    if (!c->report)
        return yaml_err(yaml_get(node, "experiment"), r->err, "claims cannot be about '%s': its report is '%s'",
                        in->stem, in->report);
    int in_it = c->report->one_pair ? IN_PAIR : c->report->race ? IN_RACE : IN_SEVERAL;
    for (int i = 0; i < CLAIMS_COLUMNS; i++)
        if (columns[i].in & in_it) {
            which[n] = (enum claims_column)i;
            words[n++] = columns[i].word;
        }
    int at = word_of(r, node, "column", "column", words, n);
    if (at < 0)
        return false;
    c->column = which[at];
    return true;
}

/* Parity with another arm than the first: one that stands before, over networks. */
static bool claim_pair(const struct reader *r, const struct yaml *node, const struct experiment_index *in,
                       const struct claim *c)
{
    const struct yaml *over = yaml_get(node, "over");
    if (c->nover > 1)
        return yaml_err(over, r->err, "claim '%s': search time to parity is with one other arm", c->id);
    if (yaml_get(node, "network"))
        return yaml_err(over, r->err, "claim '%s': search time to parity with '%s' is over networks", c->id,
                        c->over[0]);
    const struct experiment_index_arm *arm = experiment_index_arm(in, c->arm),
                                      *other = experiment_index_arm(in, c->over[0]);
    return other < arm ||
           yaml_err(over, r->err, "claim '%s': arm '%s' does not stand before '%s'", c->id, c->over[0], c->arm);
}

/* Which arm, against which, at which k: a report of one pair of arms is named by k alone. */
static bool claim_arm(const struct reader *r, const struct yaml *node, const struct experiment_index *in,
                      struct claim *c)
{
    bool several = !c->report->one_pair;
    const char *names[256];
    int n = c->report->race ? experiment_index_rivals(in, names, 255) : experiment_index_explorers(in, names, 255), at;
    if (c->column == CLAIMS_EXPLORATION_SHARE && in->narms)
        names[n++] = in->arms[0].name;
    if (!several && (yaml_get(node, "arm") || yaml_get(node, "over")))
        return yaml_err(yaml_get(node, yaml_get(node, "arm") ? "arm" : "over"), r->err,
                        "claim '%s': the report %s compares one pair of arms, name k alone", c->id, in->report);
    if (!yaml_int(node, "k", !several, 1, 1000000, &c->k, r->err) ||
        !yaml_strings(r->a, node, "over", false, &c->over, &c->nover, r->err))
        return false;
    if (!several)
        return true;
    at = word_of(r, node, "arm", "arm", names, n);
    if (at < 0)
        return false;
    c->arm = names[at];
    for (int i = 0; i < c->nover; i++) {
        if (position(r, yaml_get(node, "over"), "arm", c->over[i], names, n) < 0)
            return false;
        if (str_eq(c->over[i], c->arm))
            return yaml_err(yaml_get(node, "over"), r->err, "claim '%s': '%s' is set against itself", c->id, c->arm);
    }
    if (columns[c->column].needs_over && !c->nover)
        return yaml_err(node, r->err, "claim '%s': column '%s' needs 'over', the arms that it is set against", c->id,
                        columns[c->column].word);
    if (c->nover && (c->column == CLAIMS_PARITY_MEAN || c->column == CLAIMS_PARITY))
        return claim_pair(r, node, in, c);
    if (c->nover && c->column >= CLAIMS_EXPLORER_K)
        return yaml_err(yaml_get(node, "over"), r->err, "claim '%s': column '%s' is against the explorer only", c->id,
                        columns[c->column].word);
    int most_k = experiment_index_arm(in, c->arm)->most_k;
    if (c->k && !most_k)
        return yaml_err(yaml_get(node, "k"), r->err, "claim '%s': arm '%s' has no k", c->id, c->arm);
    return c->k || most_k <= 1 || yaml_err(node, r->err, "claim '%s': arm '%s' has several k: name one", c->id, c->arm);
}

static bool claim_network(const struct reader *r, const struct yaml *node, const struct experiment_index *in,
                          struct claim *c)
{
    if (!yaml_get(node, "network"))
        return true;
    int at = word_of(r, node, "network", "network", in->networks, in->nnetworks);
    if (at < 0)
        return false;
    c->network = in->networks[at];
    return c->column < CLAIMS_WINS ||
           yaml_err(yaml_get(node, "network"), r->err, "claim '%s': column '%s' is over networks", c->id,
                    columns[c->column].word);
}

/* Is what the claim says a number of that column? */
static bool claim_units(const struct reader *r, const struct yaml *node, const struct claim *c)
{
    const char *word = columns[c->column].word, *clock = clock_words[columns[c->column].clock];
    double v = c->about.value;
    if (!str_eq(c->clock, clock))
        return yaml_err(yaml_get(node, "clock"), r->err, "claim '%s': column '%s' is on the clock '%s', not '%s'",
                        c->id, word, clock, c->clock);
    if (isnan(v))
        return columns[c->column].unit != UNIT_COUNT ||
               yaml_err(node, r->err, "claim '%s': column '%s' is a count and needs 'value'", c->id, word);
    if (columns[c->column].unit == UNIT_COUNT && v != floor(v))
        return yaml_err(yaml_get(node, "value"), r->err, "claim '%s': column '%s' is a count, and %g is none", c->id,
                        word, v);
    if (columns[c->column].unit == UNIT_SHARE && v > 2)
        return yaml_err(yaml_get(node, "value"), r->err,
                        "claim '%s': column '%s' is a share over a half, at most 2, not %g", c->id, word, v);
    if (columns[c->column].unit == UNIT_RATIO && v <= 0)
        return yaml_err(yaml_get(node, "value"), r->err, "claim '%s': a ratio is above 0", c->id);
    if (columns[c->column].unit == UNIT_RATIO && c->about.side <= VERDICT_BELOW &&
        (v > 1) != (c->about.side == VERDICT_ABOVE))
        return yaml_err(yaml_get(node, "value"), r->err, "claim '%s': %g is not %s 1", c->id, v,
                        c->about.side == VERDICT_ABOVE ? "above" : "below");
    return true;
}

/* Either what tests it, or why nothing does. */
static bool claim_test(const struct reader *r, const struct yaml *node, struct claim *c)
{
    const struct yaml *named = yaml_get(node, "experiment");
    if (!yaml_string(node, "untested", false, &c->untested, r->err))
        return false;
    if (!named && !c->untested)
        return yaml_err(node, r->err, "claim '%s' needs 'experiment' or 'untested'", c->id);
    if (named && c->untested)
        return yaml_err(named, r->err, "claim '%s' has both 'experiment' and 'untested'", c->id);
    if (!named)
        return true;
    int at = word_of(r, node, "experiment", "experiment", (const char *const *)r->experiments, r->nexperiments);
    if (at < 0)
        return false;
    struct experiment_index *in = &r->indexes[at];
    if (!in->stem && !experiment_index_load(r->a, r->folder, r->experiments[at], in, r->err))
        return false;
    c->experiment = r->experiments[at];
    return claim_column(r, node, in, c) && claim_arm(r, node, in, c) && claim_network(r, node, in, c) &&
           claim_units(r, node, c);
}

/* One of these keys that the table does not take. */
static bool takes_no(const struct yaml *map, const char *key, bool takes, struct err *err)
{
    const struct yaml *at = yaml_get(map, key);
    return !at || takes || yaml_err(at, err, "this table has no '%s'", key);
}

/* The number of the authors' files that the claim is about. */
static bool claim_released(const struct reader *r, const struct yaml *node, struct claim *c)
{
    static const char *const keys[] = {"table", "machine", "k", "column", "network", NULL};
    const struct yaml *map = yaml_get(node, "released");
    struct released_query *q = &c->released;
    const char *names[64], *name = NULL;
    int n = 0, ncolumns = 0;
    if (!map)
        return true;
    for (int i = 0; i < released_papers_n; i++)
        for (int k = 0; k < released_papers[i]->ntables && n < 64; k++)
            names[n++] = released_papers[i]->tables[k].name;
    if (!yaml_keys(map, keys, r->err) || word_of(r, map, "table", "table", names, n) < 0 ||
        !yaml_string(map, "table", true, &name, r->err))
        return false;
    const struct released_table *t = released_table_find(name, &c->released_paper);
    while (ncolumns < RELEASED_COLUMNS && t->columns[ncolumns])
        ncolumns++;
    int column = word_of(r, map, "column", "column", t->columns, ncolumns);
    if (column < 0)
        return false;
    q->table = t->name;
    q->column = t->columns[column];
    q->above = c->about.side == VERDICT_ABOVE;
    return takes_no(map, "machine", t->by_machine, r->err) && takes_no(map, "network", t->by_network, r->err) &&
           takes_no(map, "k", t->by_k, r->err) && yaml_string(map, "network", t->by_network, &q->network, r->err) &&
           yaml_string(map, "machine", t->by_machine, &q->machine, r->err) &&
           yaml_int(map, "k", t->by_k, 1, 1000000, &q->k, r->err);
}

/* The claim's own band holds its value, and lies on its side. */
static bool claim_band(const struct yaml *node, struct claim *c, struct err *err)
{
    const struct yaml *at = yaml_get(node, "band");
    struct verdict_claim *v = &c->about;
    if (!at)
        return true;
    if (at->kind != YAML_LIST || at->n != 2 || !str_real(at->at[0]->text ? at->at[0]->text : "", &v->band_low) ||
        !str_real(at->at[1]->text ? at->at[1]->text : "", &v->band_high) || !(v->band_low > 0) ||
        !(v->band_high >= v->band_low))
        return yaml_err(at, err, "'band' must be two numbers above 0, the lower one first: [2, 10]");
    if (v->side == VERDICT_AS_GOOD)
        return yaml_err(at, err, "claim '%s': side 'as_good' has no upper end: give 'tolerance' alone", c->id);
    double value = isnan(v->value) && v->side == VERDICT_PARITY ? 1 : v->value;
    if (isnan(value))
        return yaml_err(at, err, "claim '%s': a band needs 'value', which lies in it", c->id);
    if (!(v->band_low <= value && value <= v->band_high))
        return yaml_err(at, err, "claim '%s': the band %g to %g does not hold its value %g", c->id, v->band_low,
                        v->band_high, value);
    return (v->side == VERDICT_ABOVE && v->band_low < 1) || (v->side == VERDICT_BELOW && v->band_high > 1)
               ? yaml_err(at, err, "claim '%s': the band %g to %g holds ratios that are not %s 1", c->id, v->band_low,
                          v->band_high, v->side == VERDICT_ABOVE ? "above" : "below")
               : true;
}

/* A number has a value; "as good" is about 1 and has none. */
static bool claim_side(const struct yaml *node, const struct claim *c, struct err *err)
{
    bool has = !isnan(c->about.value);
    if (c->about.side == VERDICT_NUMBER && !has)
        return yaml_err(node, err, "claim '%s': side 'number' needs 'value'", c->id);
    return c->about.side != VERDICT_AS_GOOD || !has ||
           yaml_err(yaml_get(node, "value"), err, "claim '%s': side 'as_good' is about 1 and has no value", c->id);
}

static bool read_claim(const struct reader *r, const struct yaml *node, struct claim *c)
{
    static const char *const keys[] = {"id",   "claim",    "where",     "metric",   "clock",    "machine",    "value",
                                       "unit", "side",     "tolerance", "headline", "networks", "experiment", "column",
                                       "k",    "untested", "released",  "arm",      "over",     "network",    "detail",
                                       "band", "margin",   "caveat",    NULL};
    static const char *const sides[] = {"above", "below", "parity", "as_good", "number"}, *const clocks[] = {"none",
                                                                                                             "wall",
                                                                                                             "records"};
    struct err *err = r->err;
    *c = (struct claim){.about = {.value = NAN}, .file = node->file, .line = node->line};
    if (!yaml_keys(node, keys, err) || !yaml_string(node, "id", true, &c->id, err) ||
        !yaml_string(node, "claim", true, &c->claim, err) || !yaml_string(node, "where", true, &c->where, err) ||
        !yaml_string(node, "metric", true, &c->metric, err))
        return false;
    if (!*c->id || c->id[strspn(c->id, ID_CHARACTERS)])
        return yaml_err(yaml_get(node, "id"), err, "'id' must be of letters, digits, '.', '_' and '-'");
    int clock = word_of(r, node, "clock", "clock", clocks, 3);
    int side = clock < 0 ? -1 : word_of(r, node, "side", "side", sides, 5);
    if (side < 0)
        return false;
    c->clock = clocks[clock];
    c->about.side = (enum verdict_side)side;
    if (!yaml_real(node, "value", false, 0, 1e9, &c->about.value, err) ||
        !yaml_real(node, "unit", false, 0, 1e9, &c->about.unit, err) ||
        !yaml_real(node, "tolerance", true, 1e-6, 10, &c->about.tolerance, err) ||
        !yaml_real(node, "margin", false, 1e-6, 10, &c->about.margin, err) ||
        !yaml_string(node, "caveat", false, &c->caveat, err) || !claim_band(node, c, err) ||
        !yaml_bool(node, "headline", false, &c->headline, err) || !yaml_bool(node, "detail", false, &c->detail, err) ||
        !yaml_int(node, "networks", false, 0, 1000, &c->networks, err) || !claim_machine(r, node, c) ||
        !claim_side(node, c, err) || !claim_test(r, node, c) || !claim_released(r, node, c))
        return false;
    return true;
}

static bool read_list(struct reader *r, const struct yaml *doc)
{
    const struct yaml *list = yaml_get(doc, "list");
    if (!list || list->kind != YAML_LIST || list->n == 0)
        return yaml_err(list ? list : doc, r->err, "'list' must be a list of claims");
    struct claim *c = ARENA_ARRAY(r->a, struct claim, list->n);
    r->indexes = ARENA_ARRAY(r->a, struct experiment_index, r->nexperiments + 1);
    for (int i = 0; i < list->n; i++) {
        if (!read_claim(r, list->at[i], &c[i]))
            return false;
        for (int j = 0; j < i; j++)
            if (str_eq(c[i].id, c[j].id))
                return yaml_err(list->at[i], r->err, "claim '%s' is also in line %d", c[i].id, c[j].line);
    }
    r->out->list = c;
    r->out->n = list->n;
    return true;
}

static char *path_of(struct arena *a, const char *folder, const char *paper)
{
    return file_join(a, folder, arena_printf(a, "papers/%s.yaml", paper));
}

/* A file of its own: the hash of the claims' file says that they were fixed before a run. */
static bool read_explained(const struct reader *r)
{
    static const char *const keys[] = {"published", "paper", "explained", NULL};
    const char *path = file_join(r->a, r->folder, arena_printf(r->a, "published/%s.yaml", r->out->paper));
    struct yaml *doc;
    return !file_exists(path) ||
           (yaml_load(r->a, path, &doc, r->err) && yaml_keys(doc, keys, r->err) &&
            yaml_strings(r->a, doc, "explained", true, &r->out->explained, &r->out->nexplained, r->err));
}

bool claims_load(struct arena *a, const char *folder, const char *paper, struct claims *out, struct err *err)
{
    static const char *const keys[] = {"claims", "title", "machines", "list", NULL};
    struct reader r = {.a = a, .out = out, .folder = folder, .err = err};
    char *path = path_of(a, folder, paper);
    struct yaml *doc;
    *out = (struct claims){.paper = paper, .file = path};
    if (!file_exists(path)) {
        char **names;
        int n;
        const char *near =
            claims_papers(a, folder, &names, &n, NULL) ? str_nearest(paper, (const char *const *)names, n) : NULL;
        return near ? err_set(err, "no claims of '%s' (%s): did you mean '%s'?", paper, path, near)
                    : err_set(err, "no claims of '%s': there is no %s", paper, path);
    }
    claims_hash(a, folder, paper, out->hash);
    return yaml_load(a, path, &doc, err) && yaml_keys(doc, keys, err) &&
           yaml_string(doc, "title", true, &out->title, err) &&
           file_list(a, folder, ".yaml", &r.experiments, &r.nexperiments, err) && read_machines(&r, doc) &&
           read_list(&r, doc) && read_explained(&r);
}

bool claims_papers(struct arena *a, const char *folder, char ***names, int *n, struct err *err)
{
    return file_list(a, file_join(a, folder, "papers"), ".yaml", names, n, err);
}

void claims_hash(struct arena *a, const char *folder, const char *paper, char hash[65])
{
    char *text;
    size_t n;
    hash[0] = 0;
    char *path = path_of(a, folder, paper);
    if (file_exists(path) && file_read(a, path, 1 << 20, &text, &n, NULL))
        digest_sha256(text, n, hash);
}
