/* SPDX-License-Identifier: Apache-2.0 */
/* arm: reads the list of arms and makes cells of it. */
#include "harness/experiment/arm.h"

#include "harness/base/text.h"
#include "harness/experiment/conditions.h"
#include "harness/experiment/named_files.h"

#include <string.h>

enum { MOST_CELLS = 100000 };

struct arm_reader { /* what all arms are read by */
    const struct layers *experiment;
    const struct registry *registry;
    const struct plan *plan; /* its target, regime and folder are known */
};
struct arm_settings {
    const char *name, *explore, *exploit;
    bool skip;
    struct setting_ints k;
    struct cell_keys keys;          /* of its cells, but for what tells them apart */
    struct conditions own;          /* what its keys say; its text and regime are not used */
    const struct conditions *under; /* as in struct cell_plan */
    struct named_files files, model_files;
    const struct model *model; /* NULL: none */
    const void *model_options;
    int usual_trials; /* of its searcher */
    bool near_seed;
    const struct yaml *at, *scheduler_at, *trials_at, *under_at; /* for messages */
};
const struct setting arm_keys[] = {
    STRING_SETTING("name", struct arm_settings, name, NULL, "Name of the arm in records and reports.", .needed = true),
    STRING_SETTING("explore", struct arm_settings, explore, NULL,
                   "An arm before this one, from whose records this one starts."),
    STRING_SETTING("exploit", struct arm_settings, exploit, NULL,
                   "The searcher that refines the explorer's best record of a kernel. Needed with 'explore'."),
    BOOL_SETTING("skip", struct arm_settings, skip, "false", "This arm is not run: for a tier that leaves one out."),
    INTS_SETTING(
        "k", struct arm_settings, k, 1, 100000000,
        "With 'explore', the arm is run once for each k, from the best of a kernel's first k records. Without, "
        "it is run once for each k, with k trials for each kernel."),
    INT_SETTING("layout", struct arm_settings, own.layout, "2", 0, 2,
                "That of its programs, where not the experiment's: needs 'unlike'."),
    INT_SETTING("threads", struct arm_settings, own.threads, "0", 0, 4096, "Likewise."),
    PAIRS_SETTING("target_settings", struct arm_settings, own.target_settings,
                  "Likewise; added to the experiment's, and no files."),
    MAP_SETTING("regime", regime_settings, "Likewise, of its search; the duels have the same for all."),
    {0},
};

bool arm_is_remeasure(const struct arm *a)
{
    return a->explore && a->searcher && str_eq(a->searcher, "remeasure");
}

/* ---- reading ---- */

/* The layers of one arm: the maps of its name in the upper layers, then its place in the list. */
static struct layers layers_of_arm(const struct layers *experiment, const struct yaml *node, const char *name)
{
    struct layers l = {.arena = experiment->arena};
    for (int i = 0; i < experiment->n - 1; i++) {
        const struct yaml *one = yaml_get(yaml_get(experiment->at[i], "arms"), name);
        if (one)
            l.at[l.n++] = one;
    }
    l.at[l.n++] = node;
    return l;
}

/* The settings in the map `key`, by the table of plug-in `who`; NULL: they do not fit it. */
static void *settings_fit(const struct layers *l, const char *key, const char *who, const struct setting *table,
                          size_t size, const char *settings, struct err *err)
{
    void *options;
    struct err why = {0};
    bool fine = setting_options(l->arena, table, size, settings, &options, &why);
    const struct setting *missing = fine ? setting_missing(table, options) : NULL;
    if (fine && !missing)
        return options;
    if (missing)
        err_set(&why, "'%s' is missing: %s", missing->name, missing->help);
    yaml_err(layers_place(l, key), err, "settings of '%s': %s", who, why.text);
    return NULL;
}

static bool check_searcher(const struct layers *l, struct arm_settings *p, const struct searcher *s,
                           const struct regime *regime, struct err *err)
{
    if (s->needs_seed && !p->explore)
        return yaml_err(p->at, err, "searcher '%s' refines a schedule: say which arm to 'explore'", s->name);
    if (p->explore && !s->needs_seed)
        return yaml_err(p->at, err, "searcher '%s' searches from nothing and cannot 'exploit': name one that refines",
                        s->name);
    if (regime->repeat < s->repeats)
        return yaml_err(p->at, err, "searcher '%s' tests by the repeats of a record: 'regime' must have at least %d",
                        s->name, s->repeats);
    if (s->needs_model && !*p->keys.model)
        return yaml_err(p->at, err, "searcher '%s' needs a 'model'", s->name);
    void *options = settings_fit(l, "settings", s->name, s->settings, s->options_size, p->keys.searcher_settings, err);
    p->near_seed = s->near_seed;
    p->usual_trials = options && s->usual_trials ? s->usual_trials(options) : 0;
    return options != NULL;
}

/* What is in the shared object that a plug-in is from. */
static void add_plugin(struct arena *a, const struct registry *k, const void *plug, struct named_files *files)
{
    const char *digest = registry_digest(k, plug);
    if (digest)
        files->fixed = arena_printf(a, "%s plugin %s", files->fixed, digest);
}

/* What is in the files that the settings of the searcher and of the model name. The settings are known to fit. */
static bool read_files(const struct layers *l, const struct arm_reader *r, const struct searcher *s,
                       struct arm_settings *p, struct err *err)
{
    struct err why = {0};
    const struct named_files_of of = {s->settings, s->options_size, p->keys.searcher_settings, NULL};
    if (!named_files_read(l->arena, &of, &p->files, &why))
        return yaml_err(layers_place(l, "settings"), err, "settings of '%s': %s", s->name, why.text);
    add_plugin(l->arena, r->registry, s, &p->files);
    const struct model *m = p->model;
    if (!m)
        return true;
    const struct named_files_of model_of = {m->settings, m->options_size, p->keys.model_settings, r->plan->folder};
    if (!named_files_read(l->arena, &model_of, &p->model_files, &why))
        return yaml_err(layers_place(l, "model_settings"), err, "settings of '%s': %s", m->name, why.text);
    add_plugin(l->arena, r->registry, m, &p->model_files);
    return true;
}

/* The model that a searcher drafts with is named by its settings. What is in a file of its own counts as the
 * searcher's. The searcher's files are read. */
static bool check_draft(const struct layers *l, const struct arm_reader *r, struct arm_settings *p,
                        const struct searcher *s, struct err *err)
{
    struct named_files files;
    const char *settings = "";
    struct err why = {0};
    if (!s->draft)
        return true;
    void *options = settings_fit(l, "settings", s->name, s->settings, s->options_size, p->keys.searcher_settings, err);
    if (!options)
        return false;
    const char *name = s->draft(options, &settings);
    if (!name)
        return true;
    const struct model *m = registry_model(r->registry, name, &why);
    if (m) {
        const struct named_files_of of = {m->settings, m->options_size, settings, r->plan->folder};
        if (named_files_read(l->arena, &of, &files, &why)) {
            p->files.fixed = arena_printf(l->arena, "%s%s", p->files.fixed, files.fixed);
            p->files.paths = arena_printf(l->arena, "%s%s", p->files.paths, files.paths);
            return true;
        }
    }
    return yaml_err(layers_place(l, "settings"), err, "draft of '%s': %s", s->name, why.text);
}

static bool check_model(const struct layers *l, const struct registry *registry, struct arm_settings *p,
                        struct err *err)
{
    struct err why = {0};
    if (!*p->keys.model)
        return true;
    const struct model *m = p->model = registry_model(registry, p->keys.model, &why);
    if (!m)
        return yaml_err(layers_place(l, "model"), err, "%s", why.text);
    p->model_options =
        settings_fit(l, "model_settings", m->name, m->settings, m->options_size, p->keys.model_settings, err);
    return p->model_options != NULL;
}

static bool check_plugins(const struct layers *l, const struct arm_reader *r, struct arm_settings *p, struct err *err)
{
    struct err why = {0};
    const struct searcher *s = registry_searcher(r->registry, p->keys.searcher, &why);
    if (!s)
        return yaml_err(layers_place(l, p->explore ? "exploit" : "searcher"), err, "%s", why.text);
    return check_searcher(l, p, s, p->under ? &p->under->regime : &r->plan->regime, err) &&
           check_model(l, r->registry, p, err) && read_files(l, r, s, p, err) && check_draft(l, r, p, s, err);
}

/* Keys that need one another. */
static bool check_keys(const struct layers *l, const struct arm_settings *p, struct err *err)
{
    const char *searches = p->explore ? "exploit" : "searcher";
    if (!p->keys.searcher)
        return yaml_err(layers_place(l, searches), err, "key '%s' is missing", searches);
    if (p->explore && !p->k.n)
        return yaml_err(layers_place(l, "k"), err, "key 'k' is missing");
    for (int i = 0; i < p->k.n; i++)
        for (int j = 0; j < i; j++)
            if (p->k.at[i] == p->k.at[j])
                return yaml_err(layers_place(l, "k"), err, "k = %lld is named twice", (long long)p->k.at[i]);
    if (!p->keys.trials && !p->keys.trials_per_task && (p->explore || !p->k.n))
        return yaml_err(p->at, err, "arm '%s' needs 'trials' (for a network) or 'trials_per_kernel'", p->name);
    return true;
}

static bool read_conditions(const struct layers *l, const struct arm_reader *r, struct arm_settings *p, struct err *err)
{
    static const char *const KEYS[] = {"layout", "threads", "target_settings", "regime"};
    const struct target *t = registry_target(r->registry, r->plan->target, err);
    p->under_at = p->at;
    for (size_t i = 0; i < sizeof KEYS / sizeof *KEYS; i++)
        if (layers_get(l, KEYS[i]))
            p->under_at = layers_place(l, KEYS[i]);
    if (!t || !conditions_read(l, &p->own, r->plan, t, &p->under, err))
        return false;
    p->keys.conditions = p->under ? p->under->text : "";
    return true;
}

static bool read_arm(const struct arm_reader *r, const struct yaml *node, struct arm_settings *p, struct err *err)
{
    static const struct setting *const KNOWN[] = {arm_keys, cell_key_table, NULL};
    const char *name = NULL;
    if (!layers_known(node, KNOWN, err) || !yaml_string(node, "name", true, &name, err))
        return false;
    if (!*name || strpbrk(name, " \t\r\n/.=")) /* files, and --set NAME.key=value, go by it */
        return yaml_err(yaml_get(node, "name"), err, "'%s' is no name of an arm: no blank, '/', '.' or '='", name);
    struct layers l = layers_of_arm(r->experiment, node, name);
    for (int i = 0; i < l.n - 1; i++)
        if (!layers_known(l.at[i], KNOWN, err))
            return false;
    *p = (struct arm_settings){.at = node, .files = {"", "", "", NULL}, .model_files = {"", "", "", NULL}};
    if (!layers_read(&l, arm_keys, p, err) || !layers_read(&l, cell_key_table, &p->keys, err))
        return false;
    p->name = name; /* no layer renames an arm */
    if (p->explore)
        p->keys.searcher = p->exploit;
    if (!layers_get(&l, "scheduler"))
        p->keys.scheduler = p->explore || p->k.n ? SCHEDULER_SEQUENTIAL : SCHEDULER_GRADIENT;
    p->scheduler_at = layers_place(&l, "scheduler");
    p->trials_at = layers_place(&l, "trials");
    return check_keys(&l, p, err) && read_conditions(&l, r, p, err) && check_plugins(&l, r, p, err);
}

bool arm_list_alike(const struct arm_list *arms, struct err *err)
{
    const struct arm_settings *first = &arms->settings[0];
    for (int i = 1; i < arms->n; i++) {
        const struct arm_settings *p = &arms->settings[i];
        if (!str_eq(p->keys.conditions, first->keys.conditions))
            return yaml_err(p->under ? p->under_at : first->under_at, err,
                            "arm '%s' is not built and timed as arm '%s' is (%s), and a ratio of the two would be of "
                            "that, too: the same for all arms, or 'unlike: true' in the file",
                            p->name, first->name, p->under ? p->under->text : first->under->text);
    }
    return true;
}

bool arm_list_may_share(const struct arm_list *arms, struct err *err)
{
    for (int i = 0; i < arms->n; i++) {
        const struct arm_settings *p = &arms->settings[i];
        if (p->keys.scheduler == SCHEDULER_GRADIENT)
            return yaml_err(
                p->scheduler_at, err,
                "share_kernels: under the scheduler gradient the trials of a kernel of arm '%s' hang on its "
                "network: scheduler: round_robin",
                p->name);
        if (p->keys.trials && (p->explore || !p->k.n))
            return yaml_err(p->trials_at, err,
                            "share_kernels: 'trials' of arm '%s' are those of a whole network: give "
                            "'trials_per_kernel', and trials: 0",
                            p->name);
    }
    return true;
}

/* Do upper layers change only arms that are in the list? */
static bool changes_known(const struct layers *experiment, const struct arm_list *arms, struct err *err)
{
    const char **names = ARENA_ARRAY(experiment->arena, const char *, arms->n + 1);
    for (int i = 0; i < arms->n; i++)
        names[i] = arms->at[i].name;
    names[arms->n] = NULL;
    for (int i = 0; i < experiment->n - 1; i++) {
        const struct yaml *map = yaml_get(experiment->at[i], "arms");
        if (map && !yaml_keys(map, names, err))
            return false;
    }
    return true;
}

/* Takes those out of the list that are not to be run. */
static bool arms_skip(struct arm_list *arms, struct err *err)
{
    int n = 0;
    for (int i = 0; i < arms->n; i++)
        for (int k = 0; k < arms->n; k++) {
            const struct arm_settings *p = &arms->settings[i], *from = &arms->settings[k];
            if (p->explore && !p->skip && from->skip && str_eq(from->name, p->explore))
                return yaml_err(p->at, err, "arm '%s' explores '%s', which is skipped: skip both", p->name, p->explore);
        }
    for (int i = 0; i < arms->n; i++)
        if (!arms->settings[i].skip) {
            arms->at[n] = arms->at[i];
            arms->settings[n++] = arms->settings[i];
        }
    if (n == 0)
        return yaml_err(arms->settings[0].at, err, "all arms are skipped");
    arms->n = n;
    return true;
}

bool arm_list_read(const struct layers *experiment, const struct registry *registry, const struct plan *plan,
                   struct arm_list *out, struct err *err)
{
    const struct arm_reader reader = {experiment, registry, plan};
    const struct yaml *doc = experiment->at[experiment->n - 1], *list = yaml_get(doc, "arms");
    if (!list || list->kind != YAML_LIST || list->n == 0)
        return yaml_err(list ? list : doc, err, "'arms' must be a list of arms");
    *out = (struct arm_list){.at = ARENA_ARRAY(experiment->arena, struct arm, list->n),
                             .n = list->n,
                             .settings = ARENA_ARRAY(experiment->arena, struct arm_settings, list->n)};
    for (int i = 0; i < list->n; i++) {
        struct arm_settings *p = &out->settings[i];
        if (list->at[i]->kind != YAML_MAP)
            return yaml_err(list->at[i], err, "an arm must be a map");
        if (!read_arm(&reader, list->at[i], p, err))
            return false;
        for (int k = 0; k < i; k++)
            if (str_eq(p->name, out->settings[k].name))
                return yaml_err(list->at[i], err, "there are two arms '%s'", p->name);
        out->at[i] = (struct arm){
            .name = p->name, .explore = p->explore, .searcher = p->keys.searcher, .k = p->k.at, .nk = p->k.n};
    }
    return changes_known(experiment, out, err) && arms_skip(out, err);
}

/* ---- cells ---- */

struct cells {
    struct arena *arena;
    struct cell_plan *at;
    int n;
    bool scale; /* scale_trials */
};

/* Of the trials of a whole network those of its kernels after a cut, at least one each. */
static int64_t scaled_trials(int64_t trials, const struct network *net)
{
    int64_t share = (trials * net->nkernels + net->listed / 2) / net->listed;
    return trials && share < net->nkernels ? net->nkernels : share;
}

/* One cell. explore: the cell that seeds it, -1: none. k: 0: the arm has none. */
static void add_cell(struct cells *out, const struct arm_settings *p, const struct network *net, int64_t seed,
                     int explore, int64_t k)
{
    struct cell_plan *c = &out->at[out->n++];
    bool sequential = p->keys.scheduler == SCHEDULER_SEQUENTIAL;
    int64_t trials = out->scale ? scaled_trials(p->keys.trials, net) : p->keys.trials;
    *c = (struct cell_plan){.keys = p->keys,
                            .tasks = net->tasks,
                            .ntasks = net->nkernels,
                            .under = p->under,
                            .plug = p->model,
                            .model_options = p->model_options,
                            .files = p->files,
                            .model_files = p->model_files};
    c->network = net->name;
    c->arm = k ? arena_printf(out->arena, "%s-%lld", p->name, (long long)k) : p->name;
    c->seed = seed;
    c->explore_cell = explore;
    c->k = k;
    c->trials = trials ? trials : sequential ? 0 : p->keys.trials_per_task * net->nkernels;
    c->trials_per_task = sequential ? p->keys.trials_per_task : 0;
    if (explore < 0 && k) { /* a run of its own with k trials for each kernel */
        c->k = 0;
        c->trials = sequential ? 0 : k * net->nkernels;
        c->trials_per_task = sequential ? k : 0;
    }
    c->usual_trials = p->usual_trials;
    c->near_seed = p->near_seed;
}

static int find_cell(const struct cells *c, const char *arm, const char *network, int64_t seed)
{
    for (int i = 0; i < c->n; i++)
        if (str_eq(c->at[i].arm, arm) && str_eq(c->at[i].network, network) && c->at[i].seed == seed)
            return i;
    return -1;
}

/* The cells of one arm on one network with one seed. */
static bool add_arm(struct cells *cells, const struct arm_settings *p, const struct network *net, int64_t seed,
                    struct err *err)
{
    if (!p->explore && !p->k.n)
        add_cell(cells, p, net, seed, -1, 0);
    for (int i = 0; i < p->k.n; i++) {
        int64_t k = p->k.at[i];
        int from = -1;
        if (p->explore) {
            from = find_cell(cells, arena_printf(cells->arena, "%s-%lld", p->explore, (long long)k), net->name, seed);
            from = from < 0 ? find_cell(cells, p->explore, net->name, seed) : from;
            if (from < 0)
                return yaml_err(p->at, err,
                                "arm '%s' explores '%s', which is not an arm before it, nor one with k = %lld", p->name,
                                p->explore, (long long)k);
        }
        add_cell(cells, p, net, seed, from, k);
    }
    return true;
}

bool arm_list_cells(struct arena *a, const struct arm_list *arms, const struct arm_grid *grid, struct plan *out,
                    struct err *err)
{
    int64_t most = 0;
    for (int i = 0; i < arms->n; i++)
        most += arms->at[i].nk ? arms->at[i].nk : 1;
    most *= grid->nnetworks * grid->seeds;
    if (most > MOST_CELLS)
        return yaml_err(arms->settings[0].at, err, "more than %d cells", MOST_CELLS);
    struct cells cells = {.arena = a, .at = ARENA_ARRAY(a, struct cell_plan, most + 1), .scale = grid->scale_trials};
    for (int64_t seed = grid->first_seed; seed < grid->first_seed + grid->seeds; seed++)
        for (int n = 0; n < grid->nnetworks; n++)
            for (int i = 0; i < arms->n && (seed == grid->first_seed || grid->networks[n]->replicated); i++)
                if (!add_arm(&cells, &arms->settings[i], grid->networks[n], seed, err))
                    return false;
    out->cells = cells.at;
    out->ncells = cells.n;
    return true;
}
