/* SPDX-License-Identifier: Apache-2.0 */
/* experiment: reads an experiment file in layers and makes the plan. The hash of an experiment is taken of the values
 * of the plan, row by row, so that comments and tiers that are not run do not matter and every value that is run does.
 */
#include "harness/experiment/experiment.h"

#include "harness/base/digest.h"
#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/experiment/conditions.h"
#include "harness/experiment/layers.h"
#include "harness/experiment/named_files.h"
#include "harness/experiment/report_kinds.h"
#include "harness/tune/duel_rules.h"

#include <string.h>

const char *const report_kind_names[REPORT_KINDS + 1] = {[REPORT_TABLE3] = "table3",
                                                         [REPORT_COMPARISON] = "contest",
                                                         [REPORT_MICRO] = "micro",
                                                         [REPORT_VARIANCE] = "variance",
                                                         [REPORT_RACE] = "race"};

const char *const experiment_budgets[BUDGETS + 1] = {
    [BUDGET_WHOLE] = "whole", [BUDGET_REDUCED] = "reduced", [BUDGET_MECHANICS] = "mechanics"};

const struct setting file_keys[] = {
    STRING_SETTING("experiment", struct experiment, stem, NULL,
                   "Name of the experiment: that of the file without .yaml.", .needed = true),
    STRING_SETTING("headline", struct experiment, headline, "",
                   "The arm whose numbers stand for the experiment, chosen before the run; of several k the largest. "
                   "Without it the best arm does, with an interval that holds for all of them at once."),
    STRING_SETTING("title", struct experiment, title, "", "One line for people."),
    STRING_SETTING("paper", struct experiment, paper, "",
                   "A file of experiments/papers, whose claims this speaks about."),
    STRING_SETTING("report", struct experiment, report, NULL,
                   "The kind of report. table3: the first exploiter at each k, against its explorer. contest: all "
                   "exploiters. micro: the same, with kernels that are no network. variance: whether winners differ. "
                   "race: arms that search by themselves, against the first.",
                   .choices = report_kind_names, .needed = true),
    MAP_SETTING("tiers", experiment_keys,
                "Sizes of a run by name (smoke, short, judge, full): what each changes. `--tier` chooses one."),
    {0},
};

/* A tier may have these and campaign_key_table. */
const struct setting experiment_keys[] = {
    STRINGS_SETTING("networks", struct experiment, network_names, "Files of experiments/networks.", .needed = true),
    INT_SETTING("kernels", struct experiment, kernels, "0", 0, 10000,
                "Most kernels of a network, taken evenly from its list. 0: all."),
    REAL_SETTING("max_kernel_gflop", struct experiment, max_kernel_gflop, "0", 0, 1e9,
                 "Only kernels of at most so many 10^9 FLOP a call; 'kernels' takes its part of these. 0: all."),
    INT_SETTING("seeds", struct experiment, seeds, "1", 1, 1000, "How often everything is repeated."),
    STRINGS_SETTING("replicated", struct experiment, replicated,
                    "Networks that have all seeds. The others have the first alone, and the spread between seeds of "
                    "these stands for theirs. Not given, or none of them is run: all."),
    ENUM_SETTING(
        "budget", struct experiment, budget, "whole", experiment_budgets,
        "How much of the paper's trials, kernels and repeats this is: claims are judged by all of it, by their "
        "side only, or not at all. Not given: tier smoke is mechanics, short is reduced, others are whole. --set can "
        "only make it less, and one that changes what the searches do makes it reduced."),
    BOOL_SETTING(
        "share_kernels", struct experiment, plan.share_kernels, "false",
        "A kernel that several networks have is searched in the first of them, once for each arm and seed; the "
        "others take its records. Needs arms whose kernels have the same number of trials in every network.",
        .hashed = "\nshare_kernels "),
    BOOL_SETTING("scale_trials", struct experiment, scale_trials, "false",
                 "Where 'kernels' takes a part of a network, its arms have the same part of their 'trials'."),
    STRINGS_SETTING("answer_networks", struct experiment, answer_networks,
                    "What would count as the answer, declared before the run: the kernel ratios of arms, geometric "
                    "means over these networks, with intervals over seeds that hold for all these arms at once. Not "
                    "given: nothing is declared."),
    STRINGS_SETTING("answer_arms", struct experiment, answer_arms,
                    "The arms that count. Not given: all that explore another."),
    STRING_SETTING("answer_over", struct experiment, answer_over, "",
                   "The arm that each of them is set against, at the same k. Not given: its explorer."),
    REAL_SETTING("answer_above", struct experiment, answer_above, "1.1", 1, 100,
                 "So large a ratio of an arm, with an interval above 1, says yes: what the tier changes does it."),
    REAL_SETTING("answer_none", struct experiment, answer_none, "1.05", 1, 100,
                 "Where no arm's interval ends above this the answer is no. Else it is open."),
    BOOL_SETTING("unlike", struct experiment, unlike, "false",
                 "Arms may have a 'layout', 'threads', 'target_settings' or 'regime' that others do not have: the "
                 "report says so beside each ratio of two such arms. Not with `--on`."),
    INT_SETTING("first_seed", struct experiment, first_seed, "1", 1, 1000000, "The first of the seeds."),
    MAP_SETTING(
        "regime", regime_settings,
        "Timing protocol of the searches: a preset's name (`raingauge list regimes`), or settings that change one.",
        .offset = offsetof(struct experiment, plan.regime), .hashed = "\n"),
    MAP_SETTING("duels", duel_settings,
                "Re-timing after all searches: the fastest programs of the arms against each other, in duels.",
                .offset = offsetof(struct experiment, plan.duels), .hashed = "\nduels "),
    MAP_SETTING("retime_regime", regime_settings, "Timing protocol of the re-timing, written as 'regime' is.",
                .offset = offsetof(struct experiment, plan.retime_regime), .hashed = " "),
    INT_SETTING("retime_top", struct experiment, plan.retime_top, "1", 1, 64,
                "The fastest so many programs of each arm and kernel are timed again.", .hashed = " "),
    MAP_SETTING("arms", arm_keys, "The ways of searching: a list. In a tier, a map from an arm's name to its changes."),
    MAP_SETTING("notes", NULL, "Anything, for people."),
    {0},
};
static const struct setting *const FILE_TABLES[] = {file_keys, experiment_keys, campaign_key_table, NULL};
static const struct setting *const *const TIER_TABLES = FILE_TABLES + 1;

/* An error of another file, with its own place; or of a name, which then gets the place where the name is given. */
static bool pass_on(const struct layers *l, const char *key, const struct err *why, struct err *err)
{
    if (!why->placed)
        return yaml_err(layers_place(l, key), err, "%s", why->text);
    *err = *why;
    return false;
}

/* ---- layers ---- */

/* Is it a key whose value is a map? */
static bool is_map(const char *key)
{
    for (const struct setting *const *table = TIER_TABLES; *table; table++)
        for (const struct setting *s = *table; s->name; s++)
            if ((s->type == SETTING_PAIRS || s->type == SETTING_MAP) && str_eq(s->name, key))
                return true;
    return false;
}

/* "key=value", "regime.key=value" and "arm.key=value" as YAML. */
static bool set_layer(struct arena *a, const char *set, struct yaml **out, struct err *err)
{
    const char *eq = strchr(set, '=');
    if (!eq || eq == set)
        return err_set(err, "--set '%s': expected key=value", set);
    char *key = arena_strn(a, set, (size_t)(eq - set)), *dot = strchr(key, '.');
    bool bare = strchr(eq + 1, ',') && !strchr("[{\"'", eq[1]); /* a,b stands for [a,b] */
    const char *value = bare ? arena_printf(a, "[%s]", eq + 1) : eq + 1, *text;
    if (dot) {
        *dot = 0;
        char *more = strchr(dot + 1, '.'); /* arm.settings.name */
        if (more)
            *more = 0;
        const char *inner = more ? arena_printf(a, "%s: {%s: %s}", dot + 1, more + 1, value)
                                 : arena_printf(a, "%s: %s", dot + 1, value);
        text = is_map(key) ? arena_printf(a, "%s: {%s}", key, inner) : arena_printf(a, "arms: {%s: {%s}}", key, inner);
    } else {
        text = arena_printf(a, "%s: %s", key, value);
    }
    return yaml_parse(a, text, strlen(text), arena_printf(a, "--set '%s'", set), out, err) &&
           layers_known(*out, TIER_TABLES, err);
}

static bool no_tier(const struct yaml *doc, const struct yaml *tiers, const char *tier, struct err *err)
{
    const char *names[16];
    int n = 0;
    for (int i = 0; tiers && i < tiers->n && n < 16 && tiers->kind == YAML_MAP; i++)
        names[n++] = tiers->keys[i]->text;
    return n ? yaml_unknown(tiers, err, "tier", tier, names, n)
             : yaml_err(doc, err, "there is no tier '%s': the file has none, leave --tier out", tier);
}

static bool open_layers(struct layers *l, const struct experiment_options *o, const struct yaml *doc, const char *tier,
                        struct err *err)
{
    for (int i = o->nsets - 1; i >= 0; i--) {
        struct yaml *set = NULL;
        if (l->n == LAYERS_MOST - 2)
            return err_set(err, "more than %d --set options", LAYERS_MOST - 2);
        if (!set_layer(l->arena, o->sets[i], &set, err))
            return false;
        l->at[l->n++] = set;
        l->nsets++;
    }
    const struct yaml *tiers = yaml_get(doc, "tiers");
    if (*tier) {
        const struct yaml *one = yaml_get(tiers, tier);
        if (!one)
            return no_tier(doc, tiers, tier, err);
        if (!layers_known(one, TIER_TABLES, err))
            return false;
        l->at[l->n++] = one;
    }
    l->at[l->n++] = doc;
    return true;
}

/* ---- networks ---- */

/* Only kernels that a slow machine can call often, too. The order stays. False: there is none. */
static bool leave_small(struct network *n, double max_gflop)
{
    int left = 0;
    for (int i = 0; i < n->nkernels; i++)
        if (max_gflop <= 0 || n->tasks[i].task->flops <= max_gflop * 1e9)
            n->tasks[left++] = n->tasks[i];
    n->nkernels = left;
    return left > 0;
}

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

static bool load_networks(const struct layers *l, const char *folder, struct experiment *e, struct err *err)
{
    const char *const *names = e->network_names.at;
    e->nnetworks = e->network_names.n;
    if (!e->nnetworks)
        return yaml_err(layers_place(l, "networks"), err, "'networks' names none");
    e->networks = ARENA_ARRAY(l->arena, struct network *, e->nnetworks + 1);
    for (int i = 0; i < e->nnetworks; i++) {
        struct err why = {0};
        for (int k = 0; k < i; k++)
            if (str_eq(names[i], names[k]))
                return yaml_err(layers_place(l, "networks"), err, "network '%s' is named twice", names[i]);
        if (!network_load(l->arena, folder, names[i], &e->networks[i], &why))
            return pass_on(l, "networks", &why, err);
        if (!leave_small(e->networks[i], e->max_kernel_gflop))
            return yaml_err(layers_place(l, "max_kernel_gflop"), err, "network '%s' has no kernel of at most %g GFLOP",
                            names[i], e->max_kernel_gflop);
        cut_network(l->arena, e->networks[i], e->kernels);
    }
    return true;
}

struct network *experiment_network(const struct experiment *e, const char *name)
{
    for (int i = 0; i < e->nnetworks; i++)
        if (str_eq(e->networks[i]->name, name))
            return e->networks[i];
    return NULL;
}

/* A replicated network that is not run changes nothing, so that --set networks=... takes fewer. Where none of them is
 * run, all networks have all seeds. */
static bool mark_replicated(const struct layers *l, const char *folder, struct experiment *e, struct err *err)
{
    struct err why = {0};
    struct network *known;
    for (int i = 0; i < e->replicated.n; i++) {
        struct network *n = experiment_network(e, e->replicated.at[i]);
        if (n)
            n->replicated = true;
        else if (!network_load(l->arena, folder, e->replicated.at[i], &known, &why))
            return pass_on(l, "replicated", &why, err);
    }
    for (int i = 0; i < e->nnetworks; i++)
        e->nreplicated += e->networks[i]->replicated;
    for (int i = 0; i < e->nnetworks && !e->nreplicated; i++)
        e->networks[i]->replicated = true;
    e->nreplicated = e->nreplicated ? e->nreplicated : e->nnetworks;
    return true;
}

/* ---- the hash ---- */

/* " NAME SHA-256" of all files, each once. In a. */
static const char *all_contents(struct arena *a, const struct plan *p)
{
    struct text t = {0};
    text_printf(&t, "%s%s", p->files.fixed, p->files.movable);
    for (int i = 0; i < p->ncells; i++) {
        const struct cell_plan *c = &p->cells[i];
        const char *const parts[] = {c->files.fixed, c->files.movable, c->model_files.fixed, c->model_files.movable};
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
            if (!strstr(text_str(&t), parts[k]))
                text_add(&t, parts[k]);
    }
    return text_keep(&t, a);
}

static void hash_cell(struct arena *a, const struct cell_plan *c, const char *contents, struct text *t)
{
    struct cell_keys keys = c->keys;
    const struct named_files files = named_files_recorded(a, &c->files, contents);
    keys.searcher_settings = files.settings;
    keys.model_settings = c->model_files.settings;
    setting_hashed(cell_key_table, &keys, t);
    if (c->under)
        text_printf(t, " under %s", c->under->text);
    text_printf(t, "%s%s%s%s", files.fixed, c->model_files.fixed, files.movable, c->model_files.movable);
    for (int k = 0; k < c->ntasks; k++)
        text_printf(t, "\n  %g %s", c->tasks[k].weight, c->tasks[k].task->spec);
}

const char *experiment_hash(struct arena *a, const struct experiment *e, const char *contents)
{
    const struct plan *p = &e->plan;
    struct text t = {0};
    char hex[65];
    struct campaign_keys keys = p->keys;
    const struct named_files files = named_files_recorded(a, &p->files, contents);
    keys.target_settings = files.settings;
    text_add(&t, "raingauge plan 2");
    setting_hashed(campaign_key_table, &keys, &t);
    text_printf(&t, "%s%s", files.fixed, files.movable);
    setting_hashed(experiment_keys, e, &t);
    for (int i = 0; i < p->ncells; i++)
        hash_cell(a, &p->cells[i], contents, &t);
    digest_sha256(text_str(&t), t.len, hex);
    text_free(&t);
    return arena_str(a, hex);
}

/* ---- the whole ---- */

/* Of a file that does not say. */
static enum experiment_budget usual_budget(const char *tier)
{
    return str_eq(tier, "smoke") ? BUDGET_MECHANICS : str_eq(tier, "short") ? BUDGET_REDUCED : BUDGET_WHOLE;
}

/* Does this --set change trials, kernels or repeats of the searches? Of an arm all but its k do. */
static bool changes_searches(const struct experiment *e, const char *set)
{
    static const char *const keys[] = {"kernels", "max_kernel_gflop", "regime",      "layout",
                                       "arms",    "share_kernels",    "scale_trials"};
    size_t n = strcspn(set, "="), head = strcspn(set, "=.");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strlen(keys[i]) == head && strncmp(keys[i], set, head) == 0)
            return true;
    for (int i = 0; i < e->narms; i++)
        if (strlen(e->arms[i].name) == head && strncmp(e->arms[i].name, set, head) == 0)
            return strncmp(set + n - 2, ".k", 2) != 0;
    return false;
}

/* That of the file and tier; --set may only make it less, and does where it changes what the searches do. */
static void settle_budget(const struct layers *l, const struct experiment_options *o, struct experiment *e)
{
    const struct layers file = layers_below(l);
    const struct yaml *said = layers_get(&file, "budget");
    enum experiment_budget asked = layers_get(l, "budget") ? e->budget : BUDGET_WHOLE, budget = usual_budget(e->tier);
    for (int i = 0; said && i < BUDGETS; i++)
        if (str_eq(said->text, experiment_budgets[i]))
            budget = (enum experiment_budget)i;
    for (int i = 0; i < o->nsets; i++)
        if (changes_searches(e, o->sets[i]) && budget < BUDGET_REDUCED)
            budget = BUDGET_REDUCED;
    e->budget = asked > budget ? asked : budget;
}

/* The target that the file asks for, whatever --set says: the one it names, or its machine's. */
static const char *file_target(const struct layers *l, const struct experiment *e)
{
    const struct layers file = layers_below(l);
    const struct yaml *target = layers_get(&file, "target"), *machine = layers_get(&file, "machine");
    const char *name = machine ? machine->text : "host"; /* the key's default */
    struct machine of_file;
    struct err ignored = {0};
    if (target)
        return target->text;
    return !str_eq(name, e->plan.machine) && machine_load(l->arena, e->plan.folder, name, &of_file, &ignored)
               ? of_file.target
               : e->machine.target;
}

/* The target is the machine's unless the file names another; only then do the machine's settings not hold. Nor do the
 * file's where --set names another target, or a machine that has another. */
static bool gather_target(const struct layers *l, struct experiment *e, struct err *err)
{
    struct campaign_keys *keys = &e->plan.keys;
    const char *own = e->machine.settings;
    if (!keys->target)
        keys->target = e->machine.target;
    if (!str_eq(keys->target, file_target(l, e)) &&
        !layers_settings(l, l->nsets, "target_settings", &keys->target_settings, err))
        return false;
    if (str_eq(keys->target, e->machine.target) && *own)
        keys->target_settings =
            *keys->target_settings ? arena_printf(l->arena, "%s,%s", own, keys->target_settings) : own;
    return true;
}

static bool read_target(const struct layers *l, const struct registry *registry, struct experiment *e, struct err *err)
{
    struct campaign_keys *keys = &e->plan.keys;
    struct err why = {0};
    void *options;
    if (!gather_target(l, e, err))
        return false;
    const struct target *t = registry_target(registry, keys->target, &why);
    if (!t)
        return yaml_err(layers_place(l, "target"), err, "%s", why.text);
    if (!setting_options(l->arena, t->settings, t->options_size, keys->target_settings, &options, &why))
        return yaml_err(layers_place(l, "target_settings"), err, "settings of '%s': %s", keys->target, why.text);
    keys->target_settings = setting_settled(l->arena, t->settings, options, true);
    const struct named_files_of of = {t->settings, t->options_size, keys->target_settings, NULL};
    return named_files_read(l->arena, &of, &e->plan.files, &why) ||
           yaml_err(layers_place(l, "target_settings"), err, "settings of '%s': %s", keys->target, why.text);
}

static bool read_arms(const struct layers *l, const struct registry *registry, struct experiment *e, struct err *err)
{
    struct arm_list arms;
    if (!arm_list_read(l, registry, &e->plan, &arms, err) || (!e->unlike && !arm_list_alike(&arms, err)) ||
        (e->plan.share_kernels && !arm_list_may_share(&arms, err)))
        return false;
    e->arms = arms.at;
    e->narms = arms.n;
    const struct arm_grid grid = {.networks = e->networks,
                                  .nnetworks = e->nnetworks,
                                  .first_seed = e->first_seed,
                                  .seeds = e->seeds,
                                  .scale_trials = e->scale_trials};
    return arm_list_cells(l->arena, &arms, &grid, &e->plan, err);
}

static bool read_duels(const struct layers *l, struct plan *p, struct err *err)
{
    struct err why = {0};
    const char *settings;
    setting_defaults(duel_settings, &p->duels);
    if (!layers_settings(l, l->n, "duels", &settings, err))
        return false;
    if (!setting_parse(duel_settings, &p->duels, l->arena, settings, &why))
        return yaml_err(layers_place(l, "duels"), err, "duels: %s", why.text);
    return plan_check_duels(p, &why) || yaml_err(layers_place(l, "duels"), err, "%s", why.text);
}

static bool check_race(const struct layers *l, const struct experiment *e, struct err *err)
{
    if (!str_eq(e->report, report_kind_names[REPORT_RACE]))
        return true;
    for (int i = 0; i < e->narms; i++)
        if (e->arms[i].explore)
            return yaml_err(layers_place(l, "report"), err,
                            "a race is for arms that search by themselves, '%s' explores '%s': report: contest",
                            e->arms[i].name, e->arms[i].explore);
    /* a log that was imported may be alone: its kernels and its search are reported, against nothing */
    return e->narms > 1 || str_eq(e->arms[0].searcher, "imported") ||
           yaml_err(layers_place(l, "report"), err, "a race takes two arms or more");
}

/* Does the key name an arm, or (others) one that is set against another? "" names none and is fine. */
static bool check_arm(const struct layers *l, const struct experiment *e, const char *key, const char *name,
                      bool others, struct err *err)
{
    const char **names = ARENA_ARRAY(l->arena, const char *, e->narms + 1);
    int n = 0;
    bool known = !*name;
    for (int i = 0; i < e->narms; i++)
        if (!others || i > 0 || e->arms[i].explore) {
            known = known || str_eq(name, e->arms[i].name);
            names[n++] = e->arms[i].name;
        }
    const char *near = known ? NULL : str_nearest(name, names, n);
    return known || yaml_err(layers_place(l, key), err, "'%s' is '%s', which is no arm%s%s%s%s", key, name,
                             others ? " that is set against another" : "", near ? ": did you mean '" : "",
                             near ? near : "", near ? "'?" : "");
}

static bool check_arms(const struct layers *l, const struct experiment *e, struct err *err)
{
    for (int i = 0; i < e->answer_arms.n; i++)
        if (!check_arm(l, e, "answer_arms", e->answer_arms.at[i], true, err))
            return false;
    return check_arm(l, e, "headline", e->headline, true, err) &&
           check_arm(l, e, "answer_over", e->answer_over, false, err);
}

static bool read_values(const struct layers *l, const struct registry *registry, const char *folder,
                        struct experiment *e, struct err *err)
{
    struct err why = {0};
    struct regime usual;
    if (!regime_named("default", &usual, err))
        return false;
    e->plan.folder = folder;
    e->plan.regime = e->plan.retime_regime = usual;
    if (!layers_read(l, campaign_key_table, &e->plan.keys, err))
        return false;
    if (!machine_load(l->arena, folder, e->plan.machine, &e->machine, &why))
        return pass_on(l, "machine", &why, err);
    if (!read_target(l, registry, e, err) || !layers_read(l, experiment_keys, e, err) ||
        !conditions_regime(l, "regime", &e->plan.regime, err) ||
        !conditions_regime(l, "retime_regime", &e->plan.retime_regime, err) || !read_duels(l, &e->plan, err) ||
        !load_networks(l, folder, e, err) || !mark_replicated(l, folder, e, err))
        return false;
    e->seed_base = e->first_seed - 1;
    if (!layers_get(l, "threads"))
        e->plan.threads = e->machine.threads;
    e->plan.analyzer = e->machine.analyzer;
    e->plan.input_seed = 1;
    return read_arms(l, registry, e, err) && check_race(l, e, err) && check_arms(l, e, err);
}

static bool find_file(struct arena *a, const struct experiment_options *o, const char **path, struct err *err)
{
    if (!str_ends(o->name, ".yaml"))
        return yaml_find(a, o->folder, "experiment", o->name, path, err);
    const char *stem = file_stem(a, o->name);
    *path = o->name;
    if (!file_exists(o->name) && file_exists(file_join(a, o->folder, arena_printf(a, "%s.yaml", stem))))
        return err_set(err, "there is no file '%s' here: did you mean the experiment '%s'?", o->name, stem);
    return true; /* a missing one is said by the reader */
}

/* Results, plots and records go by these names. */
static bool is_plain_name(const char *name)
{
    return *name && *name != '.' && !strchr(name, '/');
}

static bool check_names(const struct yaml *doc, const struct experiment *e, struct arena *a, struct err *err)
{
    const struct yaml *name = yaml_get(doc, "experiment"), *tiers = yaml_get(doc, "tiers");
    const char *stem = file_stem(a, e->file);
    if (!str_eq(e->stem, stem))
        return yaml_err(name, err, "this file is '%s.yaml' but names the experiment '%s': both must be the same", stem,
                        e->stem);
    if (!is_plain_name(e->stem))
        return yaml_err(name, err, "'%s' is no name of a file", e->stem);
    for (int i = 0; tiers && tiers->kind == YAML_MAP && i < tiers->n; i++)
        if (!is_plain_name(tiers->keys[i]->text))
            return yaml_err(tiers->keys[i], err, "'%s' is no name of a folder", tiers->keys[i]->text);
    return true;
}

static bool open_file(struct arena *a, const struct experiment_options *o, struct experiment *e, struct yaml **doc,
                      struct err *err)
{
    if (!find_file(a, o, &e->file, err) || !yaml_load(a, e->file, doc, err) || !layers_known(*doc, FILE_TABLES, err))
        return false;
    struct layers l = layers_of(a, *doc);
    return layers_read(&l, file_keys, e, err) && check_names(*doc, e, a, err);
}

bool experiment_load(struct arena *a, const struct registry *registry, const struct experiment_options *o,
                     struct experiment **out, struct err *err)
{
    struct experiment *e = ARENA_NEW(a, struct experiment);
    struct layers l = {.arena = a};
    struct yaml *doc = NULL;
    if (!open_file(a, o, e, &doc, err))
        return false;
    e->tier = o->tier ? o->tier : yaml_get(yaml_get(doc, "tiers"), "smoke") ? "smoke" : "";
    if (!open_layers(&l, o, doc, e->tier, err) || !read_values(&l, registry, o->folder, e, err))
        return false;
    settle_budget(&l, o, e);
    e->plan.stem = e->stem;
    e->plan.tier = e->tier;
    const char *folder =
        *e->tier ? arena_printf(a, "results/%s/%s", e->stem, e->tier) : arena_printf(a, "results/%s", e->stem);
    e->plan.results_dir = o->results ? o->results : folder;
    e->plan.contents = all_contents(a, &e->plan);
    e->plan.experiment_hash = experiment_hash(a, e, e->plan.contents);
    *out = e;
    return plan_check(&e->plan, err);
}
