/* SPDX-License-Identifier: Apache-2.0 */
/* claims: reads experiments/papers/<paper>.yaml. Everything is checked here, so that a claim that names nothing cannot
 * pass for one that was not measured. */
#include "harness/experiment/claims.h"

#include "harness/base/file.h"
#include "harness/base/hash.h"
#include "harness/base/text.h"
#include "harness/experiment/yaml.h"

#include <math.h>

static const char *const columns[] = {
    [COLUMN_KERNEL] = "kernel_speedup",
    [COLUMN_KERNEL_RETIMED] = "kernel_speedup_retimed",
    [COLUMN_SEARCH_WALL] = "search_speedup_wall",
    [COLUMN_SEARCH_RECORDS] = "search_speedup_records",
    [COLUMN_WINS] = "wins",
    [COLUMN_NETWORKS] = "networks",
};

const char *claims_column_word(enum claims_column c)
{
    return columns[c];
}

struct reader {
    struct arena *a;
    struct claims *out;
    char **experiments;
    int nexperiments;
    struct err *err;
};

/* Position of map[key] among n words; -1 and an error that names the nearest. */
static int word_of(const struct reader *r, const struct yaml *map, const char *key, const char *what,
                   const char *const *words, int n)
{
    const char *word = NULL, *near;
    if (!yaml_string(map, key, true, &word, r->err))
        return -1;
    for (int i = 0; i < n; i++)
        if (str_eq(words[i], word))
            return i;
    near = str_nearest(word, words, n);
    if (near)
        yaml_err(yaml_get(map, key), r->err, "unknown %s '%s': did you mean '%s'?", what, word, near);
    else
        yaml_err(yaml_get(map, key), r->err, "unknown %s '%s'", what, word);
    return -1;
}

static bool read_machine(const struct reader *r, const struct yaml *node, struct claims_machine *m)
{
    static const char *const keys[] = {"name", "title", "target", "arch", "match", NULL};
    m->arch = "";
    return yaml_keys(node, keys, r->err) && yaml_string(node, "name", true, &m->name, r->err) &&
           yaml_string(node, "title", true, &m->title, r->err) &&
           yaml_string(node, "target", true, &m->target, r->err) &&
           yaml_string(node, "arch", false, &m->arch, r->err) && yaml_string(node, "match", true, &m->match, r->err);
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
    int column = at < 0 ? -1 : word_of(r, node, "column", "column", columns, COLUMN_COUNT);
    if (column < 0)
        return false;
    c->experiment = r->experiments[at];
    c->column = (enum claims_column)column;
    return yaml_int(node, "k", true, 1, 1000000, &c->k, r->err);
}

static bool claim_released(const struct reader *r, const struct yaml *node, struct claim *c)
{
    static const char *const keys[] = {"table", "machine", "k", "column", NULL};
    static const char *const tables[] = {"sweep", "meta"}, *const sweep[] = {"exec", "search", "usual", "networks"},
                             *const meta[] = {"exec", "exec_all"};
    const struct yaml *map = yaml_get(node, "released");
    if (!map)
        return true;
    if (!yaml_keys(map, keys, r->err))
        return false;
    int table = word_of(r, map, "table", "table", tables, 2);
    int column = table < 0 ? -1 : word_of(r, map, "column", "column", table ? meta : sweep, table ? 2 : 4);
    if (column < 0)
        return false;
    c->released_table = tables[table];
    c->released_column = (table ? meta : sweep)[column];
    return yaml_string(map, "machine", true, &c->released_machine, r->err) &&
           yaml_int(map, "k", true, 1, 1000000, &c->released_k, r->err);
}

static bool read_claim(const struct reader *r, const struct yaml *node, struct claim *c)
{
    static const char *const keys[] = {"id",         "claim",  "where", "metric",    "clock",    "machine",
                                       "value",      "unit",   "side",  "tolerance", "headline", "networks",
                                       "experiment", "column", "k",     "untested",  "released", NULL};
    static const char *const sides[] = {"above", "below", "parity"}, *const clocks[] = {"none", "wall", "records"};
    struct err *err = r->err;
    *c = (struct claim){.about = {.value = NAN}, .file = node->file, .line = node->line};
    if (!yaml_keys(node, keys, err) || !yaml_string(node, "id", true, &c->id, err) ||
        !yaml_string(node, "claim", true, &c->claim, err) || !yaml_string(node, "where", true, &c->where, err) ||
        !yaml_string(node, "metric", true, &c->metric, err))
        return false;
    int clock = word_of(r, node, "clock", "clock", clocks, 3);
    int side = clock < 0 ? -1 : word_of(r, node, "side", "side", sides, 3);
    if (side < 0 || !yaml_real(node, "value", false, 1e-9, 1e9, &c->about.value, err) ||
        !yaml_real(node, "unit", false, 0, 1e9, &c->about.unit, err) ||
        !yaml_real(node, "tolerance", true, 1e-6, 10, &c->about.tolerance, err) ||
        !yaml_bool(node, "headline", false, &c->headline, err) ||
        !yaml_int(node, "networks", false, 0, 1000, &c->networks, err) || !claim_machine(r, node, c) ||
        !claim_test(r, node, c) || !claim_released(r, node, c))
        return false;
    c->clock = clocks[clock];
    c->about.side = (enum verdict_side)side;
    if (side != VERDICT_PARITY && c->experiment && c->column < COLUMN_WINS && !isnan(c->about.value) &&
        (c->about.value > 1) != (side == VERDICT_ABOVE))
        return yaml_err(yaml_get(node, "value"), err, "claim '%s': %g is not %s 1", c->id, c->about.value, sides[side]);
    return true;
}

static bool read_list(const struct reader *r, const struct yaml *doc)
{
    const struct yaml *list = yaml_get(doc, "list");
    if (!list || list->kind != YAML_LIST || list->n == 0)
        return yaml_err(list ? list : doc, r->err, "'list' must be a list of claims");
    struct claim *c = ARENA_ARRAY(r->a, struct claim, list->n);
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

bool claims_load(struct arena *a, const char *folder, const char *paper, struct claims *out, struct err *err)
{
    static const char *const keys[] = {"claims", "title", "machines", "list", NULL};
    struct reader r = {.a = a, .out = out, .err = err};
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
           read_list(&r, doc);
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
        hash_sha256(text, n, hash);
}
