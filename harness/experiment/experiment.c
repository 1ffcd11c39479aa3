/* SPDX-License-Identifier: Apache-2.0 */
/* experiment: reads an experiment file in layers and makes the plan. The hash of an experiment is taken of the plan's
 * own canonical text, so that comments and tiers that are not run do not matter and every value that is run does. */
#include "harness/experiment/experiment.h"

#include "harness/base/digest.h"
#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/experiment/yaml.h"
#include "harness/record/retiming.h"

#include <string.h>

enum { MOST_LAYERS = 66 };

struct layers { /* first one wins */
    struct arena *a;
    const struct yaml *at[MOST_LAYERS];
    int n;
    const struct yaml *doc;
    struct err *err;
};

static const char *const tier_keys[] = {"machine", "target", "target_settings", "networks",  "kernels",
                                        "seeds",   "regime", "layout",          "launches",  "final_regime",
                                        "arms",    "notes",  "first_seed",      "finalists", NULL};
static const char *const file_keys[] = {"experiment", "title",           "paper",      "report",       "machine",
                                        "target",     "target_settings", "networks",   "kernels",      "seeds",
                                        "regime",     "layout",          "launches",   "final_regime", "arms",
                                        "tiers",      "notes",           "first_seed", "finalists",    NULL};
static const char *const arm_keys[] = {
    "name",   "searcher",          "explore", "exploit",    "settings", "model", "model_settings", "scheduler", "batch",
    "trials", "trials_per_kernel", "k",       "k_plus_one", "share",    NULL};

/* The map of the first layer that has the key. Never NULL: the last layer answers for absent keys. */
static const struct yaml *holder(const struct layers *l, const char *key)
{
    for (int i = 0; i < l->n; i++)
        if (yaml_get(l->at[i], key))
            return l->at[i];
    return l->at[l->n - 1];
}

/* Where the value of the key stands; the holder itself when it is absent. */
static const struct yaml *place(const struct layers *l, const char *key)
{
    const struct yaml *map = holder(l, key), *value = yaml_get(map, key);
    return value ? value : map;
}

/* An error of another file, with its own place; or of a name, which then gets the place where the name is given. */
static bool pass_on(const struct layers *l, const char *key, const struct err *why)
{
    if (!why->placed)
        return yaml_err(place(l, key), l->err, "%s", why->text);
    *l->err = *why;
    return false;
}

/* Settings maps add up: the file's first, then what the upper layers change. */
static bool merged_settings(const struct layers *l, const char *key, const char **out)
{
    *out = "";
    for (int i = l->n - 1; i >= 0; i--) {
        const char *one = "";
        if (!yaml_settings(l->a, l->at[i], key, &one, l->err))
            return false;
        if (*one)
            *out = **out ? arena_printf(l->a, "%s,%s", *out, one) : one;
    }
    return true;
}

/* ---- --set ---- */

static bool set_layer(struct arena *a, const char *set, struct yaml **out, struct err *err)
{
    const char *eq = strchr(set, '=');
    if (!eq || eq == set)
        return err_set(err, "--set '%s': expected key=value", set);
    char *key = arena_strn(a, set, (size_t)(eq - set)), *dot = strchr(key, '.');
    bool bare = strchr(eq + 1, ',') && !strchr("[{\"'", eq[1]); /* a,b stands for [a,b] */
    const char *value = bare ? arena_printf(a, "[%s]", eq + 1) : eq + 1, *text;
    bool grouped = dot && (strncmp(key, "regime.", 7) == 0 || strncmp(key, "final_regime.", 13) == 0 ||
                           strncmp(key, "target_settings.", 16) == 0);
    if (dot) {
        *dot = 0;
        char *more = strchr(dot + 1, '.'); /* arm.settings.name */
        if (more)
            *more = 0;
        const char *inner = more ? arena_printf(a, "%s: {%s: %s}", dot + 1, more + 1, value)
                                 : arena_printf(a, "%s: %s", dot + 1, value);
        text = grouped ? arena_printf(a, "%s: {%s}", key, inner) : arena_printf(a, "arms: {%s: {%s}}", key, inner);
    } else {
        text = arena_printf(a, "%s: %s", key, value);
    }
    return yaml_parse(a, text, strlen(text), arena_printf(a, "--set %s", set), out, err) &&
           yaml_keys(*out, tier_keys, err);
}

static bool no_tier(const struct layers *l, const struct yaml *tiers, const char *tier)
{
    const char *names[16], *near;
    int n = 0;
    for (int i = 0; tiers && i < tiers->n && n < 16 && tiers->kind == YAML_MAP; i++)
        names[n++] = tiers->keys[i]->text;
    near = n ? str_nearest(tier, names, n) : NULL;
    return near ? yaml_err(tiers, l->err, "there is no tier '%s': did you mean '%s'?", tier, near)
                : yaml_err(tiers ? tiers : l->doc, l->err, "there is no tier '%s'", tier);
}

static bool open_layers(struct layers *l, const struct experiment_options *o, const char *tier)
{
    for (int i = o->nsets - 1; i >= 0; i--) {
        struct yaml *set = NULL;
        if (l->n == MOST_LAYERS - 2)
            return err_set(l->err, "more than 64 --set options");
        if (!set_layer(l->a, o->sets[i], &set, l->err))
            return false;
        l->at[l->n++] = set;
    }
    const struct yaml *tiers = yaml_get(l->doc, "tiers");
    if (*tier) {
        const struct yaml *one = yaml_get(tiers, tier);
        if (!one)
            return no_tier(l, tiers, tier);
        if (!yaml_keys(one, tier_keys, l->err))
            return false;
        l->at[l->n++] = one;
    }
    l->at[l->n++] = l->doc;
    return true;
}

/* ---- the regime ---- */

static bool read_regime(const struct layers *l, const char *key, struct regime *out)
{
    const char *preset = "default", *changes = "";
    for (int i = l->n - 1; i >= 0; i--) {
        const struct yaml *map = yaml_get(l->at[i], key);
        if (!map)
            continue;
        if (map->kind == YAML_SCALAR) { /* regime: tvmc */
            preset = map->text;
            continue;
        }
        const char *name = NULL, *all;
        if (!yaml_string(map, "preset", false, &name, l->err) || !yaml_settings(l->a, l->at[i], key, &all, l->err))
            return false;
        if (name) { /* a named preset starts anew */
            preset = name;
            changes = "";
        }
        for (int k = 0; k < map->n; k++)
            if (!str_eq(map->keys[k]->text, "preset"))
                changes =
                    arena_printf(l->a, "%s%s%s=%s", changes, *changes ? "," : "", map->keys[k]->text, map->at[k]->text);
    }
    const struct yaml *at = yaml_get(holder(l, key), key);
    struct err why = {0};
    if (!regime_named(preset, out, &why) || !setting_parse(regime_settings, out, l->a, changes, &why))
        return yaml_err(at ? at : l->doc, l->err, "%s", why.text);
    return true;
}

/* ---- networks ---- */

/* At most `most` kernels, spread evenly over the list so that a cut keeps its variety. */
static void cut_network(struct arena *a, struct network *n, int64_t most)
{
    if (most == 0 || n->nkernels <= most)
        return;
    struct plan_task *tasks = ARENA_ARRAY(a, struct plan_task, most);
    for (int64_t i = 0; i < most; i++)
        tasks[i] = n->tasks[i * n->nkernels / most];
    n->tasks = tasks;
    n->nkernels = (int)most;
}

static bool load_networks(const struct layers *l, const char *folder, struct experiment *e)
{
    const struct yaml *map = holder(l, "networks");
    const char *const *names;
    if (!yaml_strings(l->a, map, "networks", true, &names, &e->nnetworks, l->err))
        return false;
    e->networks = ARENA_ARRAY(l->a, struct network *, e->nnetworks + 1);
    for (int i = 0; i < e->nnetworks; i++) {
        struct err why = {0};
        for (int k = 0; k < i; k++)
            if (str_eq(names[i], names[k]))
                return yaml_err(yaml_get(map, "networks"), l->err, "network '%s' is named twice", names[i]);
        if (!network_load(l->a, folder, names[i], &e->networks[i], &why))
            return pass_on(l, "networks", &why);
        cut_network(l->a, e->networks[i], e->kernels);
    }
    return true;
}

/* ---- arms ---- */

struct arm_plan {
    struct arm arm;
    const char *searcher, *settings, *model, *model_settings;
    enum plan_scheduler scheduler;
    int64_t batch, trials, trials_per_kernel;
    bool k_plus_one, share;
    const struct yaml *at;
};

static void arm_layers(const struct layers *l, const struct yaml *node, const char *name, struct layers *out)
{
    *out = (struct layers){.a = l->a, .doc = l->doc, .err = l->err};
    for (int i = 0; i < l->n - 1; i++) {
        const struct yaml *one = yaml_get(yaml_get(l->at[i], "arms"), name);
        if (one)
            out->at[out->n++] = one;
    }
    out->at[out->n++] = node;
}

static bool check_settings(const struct yaml *at, struct arena *a, const char *who, const struct setting *table,
                           size_t size, const char *settings, struct err *err)
{
    void *options = arena_alloc(a, size + 1);
    struct err why = {0};
    setting_defaults(table, options);
    return setting_parse(table, options, a, settings, &why) || yaml_err(at, err, "settings of '%s': %s", who, why.text);
}

static bool check_plugins(const struct layers *l, const struct registry *registry, const struct arm_plan *p,
                          const struct regime *regime)
{
    struct err why = {0};
    const struct searcher *s = registry_searcher(registry, p->searcher, &why);
    if (!s)
        return yaml_err(place(l, p->arm.explore ? "exploit" : "searcher"), l->err, "%s", why.text);
    if (s->needs_seed && !p->arm.explore)
        return yaml_err(p->at, l->err, "searcher '%s' refines a schedule: say which arm to 'explore'", p->searcher);
    if (regime->repeat < s->repeats)
        return yaml_err(p->at, l->err, "searcher '%s' tests by the repeats of a record: 'regime' must have at least %d",
                        p->searcher, s->repeats);
    if (s->needs_model && !*p->model)
        return yaml_err(p->at, l->err, "searcher '%s' needs a 'model'", p->searcher);
    if (!check_settings(place(l, "settings"), l->a, p->searcher, s->settings, s->options_size, p->settings, l->err))
        return false;
    if (!*p->model)
        return true;
    const struct model *m = registry_model(registry, p->model, &why);
    if (!m)
        return yaml_err(place(l, "model"), l->err, "%s", why.text);
    return check_settings(place(l, "model_settings"), l->a, p->model, m->settings, m->options_size, p->model_settings,
                          l->err);
}

bool arm_is_retime(const struct arm *a)
{
    return a->explore && a->searcher && str_eq(a->searcher, "retime");
}

static bool read_arm(const struct layers *all, const struct registry *registry, const struct regime *regime,
                     const struct yaml *node, struct arm_plan *p)
{
    struct layers l;
    const char *scheduler = NULL, *name = NULL, *explore = NULL;
    *p = (struct arm_plan){.model = "", .batch = 64, .at = node};
    if (!yaml_string(node, "name", true, &name, all->err))
        return false;
    arm_layers(all, node, name, &l);
    for (int i = 0; i < l.n; i++)
        if (!yaml_keys(l.at[i], arm_keys, l.err))
            return false;
    if (!yaml_string(holder(&l, "explore"), "explore", false, &explore, l.err) ||
        !yaml_string(holder(&l, explore ? "exploit" : "searcher"), explore ? "exploit" : "searcher", true, &p->searcher,
                     l.err) ||
        !merged_settings(&l, "settings", &p->settings) || !merged_settings(&l, "model_settings", &p->model_settings) ||
        !yaml_string(holder(&l, "model"), "model", false, &p->model, l.err) ||
        !yaml_string(holder(&l, "scheduler"), "scheduler", false, &scheduler, l.err) ||
        !yaml_int(holder(&l, "batch"), "batch", false, 1, 4096, &p->batch, l.err) ||
        !yaml_int(holder(&l, "trials"), "trials", false, 0, 100000000, &p->trials, l.err) ||
        !yaml_int(holder(&l, "trials_per_kernel"), "trials_per_kernel", false, 0, 1000000, &p->trials_per_kernel,
                  l.err) ||
        !yaml_ints(l.a, holder(&l, "k"), "k", explore != NULL, 1, 100000000, &p->arm.k, &p->arm.nk, l.err) ||
        !yaml_bool(holder(&l, "k_plus_one"), "k_plus_one", false, &p->k_plus_one, l.err) ||
        !yaml_bool(holder(&l, "share"), "share", false, &p->share, l.err))
        return false;
    for (int i = 0; i < p->arm.nk; i++)
        for (int j = 0; j < i; j++)
            if (p->arm.k[i] == p->arm.k[j])
                return yaml_err(yaml_get(holder(&l, "k"), "k"), l.err, "k = %lld is named twice",
                                (long long)p->arm.k[i]);
    p->arm.name = name;
    p->arm.explore = explore;
    p->arm.searcher = p->searcher;
    p->scheduler = explore || p->arm.nk ? PLAN_SEQUENTIAL : PLAN_GRADIENT;
    if (scheduler && !plan_scheduler_parse(scheduler, &p->scheduler))
        return yaml_err(yaml_get(holder(&l, "scheduler"), "scheduler"), l.err,
                        "unknown scheduler '%s': gradient, round_robin or sequential", scheduler);
    if (!p->trials && !p->trials_per_kernel && (explore || !p->arm.nk))
        return yaml_err(node, l.err, "arm '%s' needs 'trials' (for a network) or 'trials_per_kernel'", name);
    return check_plugins(&l, registry, p, regime);
}

/* ---- cells ---- */

struct cells {
    struct cell_plan *at;
    int n;
};

static void add_cell(struct arena *a, struct cells *out, const struct arm_plan *p, const struct network *net,
                     int64_t seed, int explore, int64_t k)
{
    struct cell_plan *c = &out->at[out->n++];
    bool sequential = p->scheduler == PLAN_SEQUENTIAL;
    *c = (struct cell_plan){.network = net->name,
                            .seed = seed,
                            .tasks = net->tasks,
                            .ntasks = net->nkernels,
                            .searcher = p->searcher,
                            .searcher_settings = p->settings,
                            .model = p->model,
                            .model_settings = p->model_settings,
                            .batch = p->batch,
                            .scheduler = p->scheduler,
                            .explore_cell = explore,
                            .k = k,
                            .k_plus_one = p->k_plus_one,
                            .share = p->share};
    c->arm = k ? arena_printf(a, "%s-%lld", p->arm.name, (long long)k) : p->arm.name;
    c->trials = p->trials ? p->trials : sequential ? 0 : p->trials_per_kernel * net->nkernels;
    c->trials_per_task = sequential ? p->trials_per_kernel : 0;
    if (explore < 0 && k) { /* a run of its own with k trials for each kernel */
        c->k = 0;
        c->trials = sequential ? 0 : k * net->nkernels;
        c->trials_per_task = sequential ? k : 0;
    }
}

static int find_cell(const struct cells *c, const char *arm, const char *network, int64_t seed)
{
    for (int i = 0; i < c->n; i++)
        if (str_eq(c->at[i].arm, arm) && str_eq(c->at[i].network, network) && c->at[i].seed == seed)
            return i;
    return -1;
}

/* The cells of one arm on one network with one seed. */
static bool add_arm(const struct layers *l, struct cells *cells, const struct arm_plan *p, const struct network *net,
                    int64_t seed)
{
    if (!p->arm.explore && !p->arm.nk)
        add_cell(l->a, cells, p, net, seed, -1, 0);
    for (int i = 0; i < p->arm.nk; i++) {
        int64_t k = p->arm.k[i];
        int from = -1;
        if (p->arm.explore) {
            from = find_cell(cells, arena_printf(l->a, "%s-%lld", p->arm.explore, (long long)k), net->name, seed);
            from = from < 0 ? find_cell(cells, p->arm.explore, net->name, seed) : from;
            if (from < 0)
                return yaml_err(p->at, l->err,
                                "arm '%s' explores '%s', which is not an arm before it, nor one with k = %lld",
                                p->arm.name, p->arm.explore, (long long)k);
        }
        add_cell(l->a, cells, p, net, seed, from, k);
    }
    return true;
}

static bool make_cells(const struct layers *l, const struct arm_plan *arms, struct experiment *e)
{
    int64_t most = 0;
    for (int i = 0; i < e->narms; i++)
        most += arms[i].arm.nk ? arms[i].arm.nk : 1;
    if (most * e->nnetworks * e->seeds > 100000)
        return yaml_err(l->doc, l->err, "more than 100,000 cells");
    struct cells cells = {.at = ARENA_ARRAY(l->a, struct cell_plan, most * e->nnetworks * e->seeds + 1)};
    for (int64_t seed = e->seed_base + 1; seed <= e->seed_base + e->seeds; seed++)
        for (int n = 0; n < e->nnetworks; n++)
            for (int i = 0; i < e->narms; i++) {
                const struct arm_plan *p = &arms[i];
                if (!add_arm(l, &cells, p, e->networks[n], seed))
                    return false;
            }
    e->plan.cells = cells.at;
    e->plan.ncells = cells.n;
    return true;
}

/* ---- the whole ---- */

static void hash_plan(struct arena *a, struct plan *p)
{
    struct text t = {0};
    char hex[65];
    text_printf(&t, "raingauge plan 1\n%s %s\n%s %s %d %d\n", p->stem, p->machine, p->target, p->target_settings,
                p->threads, (int)p->layout);
    setting_print(regime_settings, &p->regime, &t);
    text_printf(&t, "\n%d ", p->final_launches);
    setting_print(regime_settings, &p->final_regime, &t);
    if (p->finalists > 1) /* hashes from before it was there stay what they are */
        text_printf(&t, " %d", p->finalists);
    for (int i = 0; i < p->ncells; i++) {
        const struct cell_plan *c = &p->cells[i];
        text_printf(&t, "\n%s %s %lld %s {%s} %s {%s} %lld %lld %lld %d %d %lld %d %d", c->network, c->arm,
                    (long long)c->seed, c->searcher, c->searcher_settings, c->model, c->model_settings,
                    (long long)c->trials, (long long)c->trials_per_task, (long long)c->batch, (int)c->scheduler,
                    c->explore_cell, (long long)c->k, c->k_plus_one, c->share);
        for (int k = 0; k < c->ntasks; k++)
            text_printf(&t, "\n  %g %s", c->tasks[k].weight, c->tasks[k].task->spec);
    }
    digest_sha256(text_str(&t), t.len, hex);
    p->experiment_hash = arena_str(a, hex);
    text_free(&t);
}

static bool read_target(const struct layers *l, const struct registry *registry, struct experiment *e)
{
    const char *target = e->machine.target, *settings;
    struct err why = {0};
    if (!yaml_string(holder(l, "target"), "target", false, &target, l->err) ||
        !merged_settings(l, "target_settings", &settings))
        return false;
    if (str_eq(target, e->machine.target) && *e->machine.settings)
        settings = *settings ? arena_printf(l->a, "%s,%s", e->machine.settings, settings) : e->machine.settings;
    const struct target *t = registry_target(registry, target, &why);
    if (!t)
        return yaml_err(place(l, "target"), l->err, "%s", why.text);
    e->plan.target = target;
    e->plan.target_settings = settings;
    return check_settings(place(l, "target_settings"), l->a, target, t->settings, t->options_size, settings, l->err);
}

static bool read_arms(const struct layers *l, const struct registry *registry, struct experiment *e)
{
    const struct yaml *list = yaml_get(l->doc, "arms");
    if (!list || list->kind != YAML_LIST || list->n == 0)
        return yaml_err(list ? list : l->doc, l->err, "'arms' must be a list of arms");
    struct arm_plan *arms = ARENA_ARRAY(l->a, struct arm_plan, list->n);
    e->arms = ARENA_ARRAY(l->a, struct arm, list->n);
    for (int i = 0; i < list->n; i++) {
        if (list->at[i]->kind != YAML_MAP)
            return yaml_err(list->at[i], l->err, "an arm must be a map");
        if (!read_arm(l, registry, &e->plan.regime, list->at[i], &arms[i]))
            return false;
        for (int k = 0; k < i; k++)
            if (str_eq(arms[i].arm.name, arms[k].arm.name))
                return yaml_err(list->at[i], l->err, "there are two arms '%s'", arms[i].arm.name);
        e->arms[i] = arms[i].arm;
    }
    for (int i = 0; i < l->n - 1; i++) { /* changes of arms that do not exist */
        const struct yaml *map = yaml_get(l->at[i], "arms");
        const char **names = ARENA_ARRAY(l->a, const char *, list->n + 1);
        for (int k = 0; k < list->n; k++)
            names[k] = e->arms[k].name;
        names[list->n] = NULL;
        if (map && !yaml_keys(map, names, l->err))
            return false;
    }
    e->narms = list->n;
    return make_cells(l, arms, e);
}

static bool read_values(const struct layers *l, const struct registry *registry, const struct experiment_options *o,
                        struct experiment *e)
{
    const char *machine = "host";
    struct err why = {0};
    int64_t layout = LAYOUT_REWRITTEN, launches = 0, finalists = 1, first_seed = 1;
    e->seeds = 1;
    if (!yaml_string(holder(l, "machine"), "machine", false, &machine, l->err))
        return false;
    if (!machine_load(l->a, o->folder, machine, &e->machine, &why))
        return pass_on(l, "machine", &why);
    if (!read_target(l, registry, e) ||
        !yaml_int(holder(l, "kernels"), "kernels", false, 0, 10000, &e->kernels, l->err) ||
        !yaml_int(holder(l, "seeds"), "seeds", false, 1, 1000, &e->seeds, l->err) ||
        !yaml_int(holder(l, "first_seed"), "first_seed", false, 1, 1000000, &first_seed, l->err) ||
        !yaml_int(holder(l, "layout"), "layout", false, 0, 2, &layout, l->err) ||
        !yaml_int(holder(l, "launches"), "launches", false, 0, RETIMING_LAUNCHES, &launches, l->err) ||
        !yaml_int(holder(l, "finalists"), "finalists", false, 1, 64, &finalists, l->err) ||
        !read_regime(l, "regime", &e->plan.regime) || !read_regime(l, "final_regime", &e->plan.final_regime) ||
        !load_networks(l, o->folder, e))
        return false;
    e->seed_base = first_seed - 1;
    e->plan.machine = machine;
    e->plan.threads = e->machine.threads;
    e->plan.layout = (enum layout_mode)layout;
    e->plan.final_launches = (int)launches;
    e->plan.finalists = (int)finalists;
    e->plan.input_seed = 1;
    return read_arms(l, registry, e);
}

static bool find_file(struct arena *a, const struct experiment_options *o, const char **path, struct err *err)
{
    if (str_ends(o->name, ".yaml")) {
        *path = o->name;
        return true; /* a missing one is said by the reader */
    }
    *path = file_join(a, o->folder, arena_printf(a, "%s.yaml", o->name));
    if (file_exists(*path))
        return true;
    char **names;
    int n = 0;
    struct err why = {0};
    const char *near =
        file_list(a, o->folder, ".yaml", &names, &n, &why) ? str_nearest(o->name, (const char *const *)names, n) : NULL;
    return near ? err_set(err, "unknown experiment '%s': did you mean '%s'?", o->name, near)
                : err_set(err, "unknown experiment '%s': there is no '%s'", o->name, *path);
}

bool experiment_load(struct arena *a, const struct registry *registry, const struct experiment_options *o,
                     struct experiment **out, struct err *err)
{
    struct experiment *e = ARENA_NEW(a, struct experiment);
    struct layers l = {.a = a, .err = err};
    struct yaml *doc;
    e->report = e->paper = e->title = "";
    if (!find_file(a, o, &e->file, err) || !yaml_load(a, e->file, &doc, err) || !yaml_keys(doc, file_keys, err) ||
        !yaml_string(doc, "experiment", true, &e->stem, err) || !yaml_string(doc, "title", false, &e->title, err) ||
        !yaml_string(doc, "paper", false, &e->paper, err) || !yaml_string(doc, "report", false, &e->report, err))
        return false;
    e->tier = o->tier ? o->tier : yaml_get(yaml_get(doc, "tiers"), "smoke") ? "smoke" : "";
    l.doc = doc;
    if (!open_layers(&l, o, e->tier) || !read_values(&l, registry, o, e))
        return false;
    e->plan.stem = e->stem;
    e->plan.tier = e->tier;
    const char *folder =
        *e->tier ? arena_printf(a, "results/%s/%s", e->stem, e->tier) : arena_printf(a, "results/%s", e->stem);
    e->plan.results_dir = o->results ? o->results : folder;
    hash_plan(a, &e->plan);
    *out = e;
    return plan_check(&e->plan, err);
}
