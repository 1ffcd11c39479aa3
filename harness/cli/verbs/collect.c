/* SPDX-License-Identifier: Apache-2.0 */
/* collect: a recording of a machine: candidates of a network's kernels with their times, to be asked again by target
 * replay; or the programs of record files. */
#include "harness/cli/collect.h"
#include "harness/cli/collect_records.h"

#include "harness/base/file.h"
#include "harness/experiment/machine.h"
#include "harness/experiment/network.h"
#include "harness/plug/registry.h"
#include "revision.h"

#include <string.h>

struct verb_collect_options {
    struct setting_strings records, without;
    const char *machine, *target, *searcher, *model, *regime, *output;
    int64_t count, seed;
    enum layout_mode layout;
    int threads;
    bool resume;
};
static const struct setting options[] = {
    STRING_SETTING("--output", struct verb_collect_options, output, NULL,
                   "the recording (lines of JSON; gzip packs it)", .word = "FILE"),
    FLAG_SETTING("--resume", struct verb_collect_options, resume, "go on with FILE, or begin it"),
    INT_SETTING("--count", struct verb_collect_options, count, "100", 1, INT32_MAX, "candidates of each kernel",
                .word = "N"),
    STRING_SETTING("--searcher", struct verb_collect_options, searcher, "random", "who proposes them",
                   .word = NAMED_WORD),
    STRING_SETTING("--model", struct verb_collect_options, model, "xgb", "cost model of a searcher that wants one",
                   .word = "NAME"),
    INT_SETTING("--seed", struct verb_collect_options, seed, "1", 0, INT32_MAX, "of the candidates", .word = "N"),
    TARGET_ROW(struct verb_collect_options, target, "where to build and run, and its settings"),
    STRING_SETTING("--machine", struct verb_collect_options, machine, NULL,
                   "what the recording calls the machine (host)", .word = "NAME"),
    REGIME_ROW(struct verb_collect_options, regime),
    THREADS_ROW(struct verb_collect_options, threads),
    LAYOUT_ROW(struct verb_collect_options, layout, "layout rewrite of weights"),
    STRINGS_SETTING("--from-records", struct verb_collect_options, records,
                    "measure nothing, take the programs of these files of TVM's records, or of a folder's",
                    .word = "FILE", .group = GROUP_EXPERIMENT),
    STRINGS_SETTING("--without", struct verb_collect_options, without, "leave out the kernels that it has",
                    .word = "NETWORK", .group = GROUP_EXPERIMENT),
    {0}};

/* Records --------------------------------------------------------------------------------------------------------- */

/* A folder stands for its files of records. */
static bool list_files(struct cli *c, const struct setting_strings *given, const char ***files, int *n, struct err *err)
{
    static const char *const endings[] = {".jsonl", ".jsonl.gz"};
    enum { MOST = 4096 };
    *files = ARENA_ARRAY(c->arena, const char *, MOST);
    *n = 0;
    for (int i = 0; i < given->n && *n < MOST; i++) {
        if (!file_is_dir(given->at[i])) {
            (*files)[(*n)++] = given->at[i];
            continue;
        }
        for (int k = 0; k < 2; k++) {
            char **names;
            int m;
            if (!file_list(c->arena, given->at[i], endings[k], &names, &m, err))
                return false;
            for (int j = 0; j < m && *n < MOST; j++)
                (*files)[(*n)++] =
                    file_join(c->arena, given->at[i], arena_printf(c->arena, "%s%s", names[j], endings[k]));
        }
    }
    return *n > 0 || err_set(err, "--from-records: there is no .jsonl and no .jsonl.gz in '%s'", given->at[0]);
}

/* "-arch=sm_80" of the machine's target settings; NULL: it has none. */
static const char *architecture_of(struct cli *c, const struct machine *m)
{
    const char *at = strstr(m->settings ? m->settings : "", "arch=");
    return at ? arena_printf(c->arena, "-%.*s", (int)strcspn(at, ","), at) : NULL;
}

static bool run_records(struct cli *c, const struct verb_collect_options *v, struct err *err)
{
    struct machine m;
    struct collect_records_sums s;
    struct text t = {0};
    struct collect_records_options o = {.output = v->output, .revision = RAINGAUGE_REVISION};
    const char **files;
    if (!v->machine)
        return err_set(err, "whose records? --machine NAME; `raingauge list machines` names them");
    if (!cli_need_experiments(c, err) || !machine_load(c->arena, c->folder, v->machine, &m, err) ||
        !list_files(c, &v->records, &files, &o.nfiles, err))
        return false;
    o.files = files;
    o.machine = m.name;
    o.architecture = architecture_of(c, &m);
    if (!collect_records(&o, &s, err))
        return false;
    text_printf(&t, "%s: %d programs of %d kernels on %s, %d of them ran\n", v->output, s.rows, s.kernels, m.name,
                s.ok);
    text_printf(&t, "%d records: %d of other devices, %d repeat a program, %d refused\n", s.records, s.other,
                s.repeated, s.refused);
    cli_print(&t);
    return true;
}

/* Measuring ------------------------------------------------------------------------------------------------------- */

/* A network's kernels, or the one of a task line. */
static bool read_word(struct cli *c, const char *word, struct plan_task **out, int *n, struct err *err)
{
    struct network *net;
    struct task *t;
    if (strchr(word, ' ')) {
        if (!task_parse(c->arena, word, &t, err))
            return false;
        *out = ARENA_NEW(c->arena, struct plan_task);
        **out = (struct plan_task){.task = t, .weight = 1};
        *n = 1;
        return true;
    }
    if (!cli_need_experiments(c, err) || !network_load(c->arena, c->folder, word, &net, err))
        return false;
    *out = net->tasks;
    *n = net->nkernels;
    return true;
}

static bool is_among(const struct plan_task *of, int n, const struct task *t)
{
    for (int i = 0; i < n; i++)
        if (of[i].task->hash == t->hash)
            return true;
    return false;
}

/* The kernels of these words, each once; *n of them in a new array. */
static bool gather_tasks(struct cli *c, const char *const *words, int nwords, struct plan_task **out, int *n,
                         struct err *err)
{
    enum { MOST = 4096 };
    *out = ARENA_ARRAY(c->arena, struct plan_task, MOST);
    *n = 0;
    for (int w = 0; w < nwords; w++) {
        struct plan_task *tasks;
        int m;
        if (!read_word(c, words[w], &tasks, &m, err))
            return false;
        for (int i = 0; i < m && *n < MOST; i++)
            if (!is_among(*out, *n, tasks[i].task))
                (*out)[(*n)++] = tasks[i];
    }
    return true;
}

/* The kernels of networks and task lines that none of the networks of --without has. */
static bool read_tasks(struct cli *c, const struct setting_strings *without, struct collect_options *o, struct err *err)
{
    struct plan_task *all, *barred;
    int n, nbarred;
    if (!c->nwords)
        return err_set(err, "collect what? a network, a task line, or --from-records");
    if (!gather_tasks(c, c->words, c->nwords, &all, &n, err) ||
        !gather_tasks(c, without->at, without->n, &barred, &nbarred, err))
        return false;
    struct recording_task *tasks = ARENA_ARRAY(c->arena, struct recording_task, n + 1);
    const struct task **parsed = ARENA_ARRAY(c->arena, const struct task *, n + 1);
    for (int i = 0; i < n; i++) {
        if (is_among(barred, nbarred, all[i].task))
            continue;
        parsed[o->head.ntasks] = all[i].task;
        tasks[o->head.ntasks++] = (struct recording_task){.spec = all[i].task->spec, .weight = all[i].weight};
    }
    o->tasks = parsed;
    o->head.tasks = tasks;
    return o->head.ntasks > 0 || err_set(err, "--without leaves no kernel");
}

static bool find_searcher(struct cli *c, const struct verb_collect_options *v, struct collect_options *o,
                          struct err *err)
{
    void *values;
    const char *name = named_option_split(c->arena, v->searcher, &o->searcher_settings);
    o->searcher = registry_searcher(c->registry, name, err);
    if (!o->searcher || !setting_options(c->arena, o->searcher->settings, o->searcher->options_size,
                                         o->searcher_settings, &values, err))
        return false;
    if (o->searcher->needs_seed)
        return err_set(err, "searcher '%s' refines a program that another one found: it cannot collect", name);
    if (!o->searcher->needs_model)
        return true;
    const char *draft = o->searcher->draft ? o->searcher->draft(values, &o->draft_settings) : NULL;
    o->model = registry_model(c->registry, v->model, err);
    o->draft = o->model && draft ? registry_model(c->registry, draft, err) : NULL;
    return o->model && (o->draft || !draft);
}

static bool run_measure(struct cli *c, const struct verb_collect_options *v, struct err *err)
{
    struct target_option target;
    struct collect_options o = {.output = v->output,
                                .resume = v->resume,
                                .threads = v->threads,
                                .layout = (int)v->layout,
                                .seed = v->seed,
                                .head = {.per_task = v->count}};
    struct collect_sums s;
    if (!read_tasks(c, &v->without, &o, err) || !find_searcher(c, v, &o, err) ||
        !target_option_parse(c, v->target, &target, err) || !regime_option_parse(c, v->regime, &o.regime, err))
        return false;
    o.target = target.target;
    o.target_settings = target.settings;
    o.head.machine = v->machine ? v->machine : "host";
    o.head.target = v->target;
    o.head.source = arena_printf(c->arena, "searcher %s, model %s, seed %lld, regime %s", v->searcher,
                                 o.model ? o.model->name : "none", (long long)v->seed, v->regime);
    o.head.revision = RAINGAUGE_REVISION;
    if (!collect_measure(&o, &s, err))
        return false;
    struct text t = {0};
    text_printf(&t, "%s: %d programs of %d kernels, %d of them ran, %d kept from before\n", v->output, s.rows,
                o.head.ntasks, s.ok, s.kept);
    cli_print(&t);
    return true;
}

static bool run(struct cli *c, struct err *err)
{
    const struct verb_collect_options *v = c->options;
    if (!v->output)
        return err_set(err, "where to? --output FILE");
    return v->records.n ? run_records(c, v, err) : run_measure(c, v, err);
}

static const struct verb_exit exits[] = {{EXIT_INVALID, "nothing can be measured here"},
                                         {EXIT_ENVIRONMENT, "another raingauge is writing the recording"},
                                         {EXIT_INTERRUPTED, "interrupted; --resume goes on"},
                                         {0}};

const struct verb verb_collect = {.name = "collect",
                                  .arguments = "[NETWORK]...",
                                  .summary = "a machine's times of many programs, for target replay",
                                  .words = 2,
                                  VERB_OPTIONS(struct verb_collect_options),
                                  .exits = exits,
                                  .run = run};
