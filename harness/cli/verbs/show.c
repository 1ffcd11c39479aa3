/* SPDX-License-Identifier: Apache-2.0 */
/* show: one kernel at any stage of the compiler: graph, state, loop nest, LLVM IR, assembly. */
#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/cli/cli.h"
#include "harness/cli/named_option.h"
#include "harness/experiment/network.h"
#include "harness/measure/worker.h"
#include "harness/plug/target.h"
#include "harness/program/ir/dag_print.h"
#include "harness/program/lower/bound.h"
#include "harness/program/lower/lower.h"

#include <string.h>

enum dump { DUMP_DAG = 1, DUMP_STATE = 2, DUMP_NEST = 4, DUMP_STEPS = 8, DUMPS = 4 };
struct dumps { /* what to print */
    unsigned common;
    const char *forms[16]; /* of the target */
    int nforms;
};

static const char *target_form(const struct target *t, const char *word)
{
    for (int i = 0; t->forms && t->forms[i]; i++)
        if (str_eq(t->forms[i], word))
            return t->forms[i];
    return NULL;
}

static bool unknown_dump(const struct target *t, const char *word, struct err *err)
{
    struct text all = {0};
    for (int i = 0; t->forms && t->forms[i]; i++)
        text_printf(&all, "%s, ", t->forms[i]);
    err_set(err, "target %s has no dump '%s': dag, state, nest, %sor steps", t->name, word, text_str(&all));
    text_free(&all);
    return false;
}

static bool parse_dumps(struct cli *c, const char *list, const struct target *t, struct dumps *out, struct err *err)
{
    static const char *const names[DUMPS] = {"dag", "state", "nest", "steps"};
    while (*list) {
        size_t n = strcspn(list, ",");
        const char *word = arena_strn(c->arena, list, n), *form = target_form(t, word);
        unsigned common = 0;
        for (int i = 0; i < DUMPS; i++)
            common |= str_eq(word, names[i]) ? 1u << i : 0;
        if (!common && (!form || out->nforms == 16))
            return unknown_dump(t, word, err);
        if (common)
            out->common |= common;
        else
            out->forms[out->nforms++] = form;
        list += n + (list[n] == ',');
    }
    return true;
}

/* The name of a network alone is a task line without its operator: say how its kernels are named. */
static bool parse_task(struct cli *c, const char *word, const struct task **out, struct err *err)
{
    struct task *t;
    struct network *net;
    struct err no_network = {0};
    if (task_parse(c->arena, word, &t, err)) {
        *out = t;
        return true;
    }
    if (!strchr(word, ' ') && network_load(c->arena, c->folder, word, &net, &no_network))
        return err_set(err, "'%s' is a network of %d kernels: name one of them, '%s:0' to '%s:%d'", word, net->nkernels,
                       word, word, net->nkernels - 1);
    return false;
}

/* "conv2d n=1 ..." or "resnet18:4". */
static bool find_task(struct cli *c, const char *word, const struct task **out, struct err *err)
{
    const char *colon = strchr(word, ':');
    int64_t index;
    if (!colon || strchr(word, ' '))
        return parse_task(c, word, out, err);
    struct network *net;
    if (!cli_need_experiments(c, err) ||
        !network_load(c->arena, c->folder, arena_strn(c->arena, word, (size_t)(colon - word)), &net, err))
        return false;
    if (!str_int(colon + 1, &index) || index < 0 || index >= net->nkernels)
        return err_set(err, "'%s' has kernels 0 to %d, not '%s'", net->name, net->nkernels - 1, colon + 1);
    *out = net->tasks[index].task;
    return true;
}

/* A file that holds a JSON array of steps, or an object with "steps" (a record line). */
static bool read_steps(struct cli *c, const char *path, struct step **steps, int *n, struct err *err)
{
    char *text;
    size_t size;
    if (!file_read(c->arena, path, 1 << 20, &text, &size, err))
        return false;
    cJSON *doc = json_parse(text, size, path, err);
    if (!doc)
        return false;
    const cJSON *list = cJSON_IsArray(doc) ? doc : json_get(doc, "steps");
    bool done = list ? steps_parse(c->arena, list, steps, n, err) : err_set(err, "no array of steps");
    cJSON_Delete(doc);
    return done || err_context(err, "%s", path);
}

struct shown {
    struct cli *c;
    const struct task *task;
    const struct step *steps;
    int nsteps;
    struct target_option target;
    struct target_env env;
    struct dumps dumps;
};

static bool show_code(struct shown *w, const struct state *s, struct text *t, struct err *err)
{
    const struct target *target = w->target.target;
    struct limits limits;
    struct nest *n;
    void *self;
    w->env.use = TARGET_BUILDS;
    if (!lower(w->c->arena, s, w->env.layout, &n, err) ||
        !target_begin(target, w->target.settings, w->c->arena, &w->env, &self, &limits, err))
        return false;
    bool done = true;
    for (int i = 0; i < w->dumps.nforms && done; i++)
        done = target->print(self, n, w->dumps.forms[i], t, err);
    target->close(self);
    return done;
}

static bool show_state(struct shown *w, struct text *t, struct err *err)
{
    struct state *s;
    struct nest *n;
    if (!state_replay(w->c->arena, w->task, w->steps, w->nsteps, &s, err) || !bound_infer(s, err))
        return false;
    if (w->dumps.common & DUMP_STEPS) {
        steps_print(w->steps, w->nsteps, t);
        text_char(t, '\n');
    }
    if (w->dumps.common & DUMP_STATE)
        state_print(s, t);
    if (w->dumps.common & DUMP_NEST) {
        if (!lower(w->c->arena, s, LAYOUT_NONE, &n, err))
            return false;
        nest_print(n, t);
    }
    return w->dumps.nforms == 0 || show_code(w, s, t, err);
}

static void show_head(const struct task *task, struct text *t)
{
    text_printf(t, "%s\n%s\n%.6g FLOP, %.6g parameters, arguments:", task->name, task->spec, task->flops, task->params);
    for (int i = 0; i < task->nargs; i++) {
        const struct op *op = task_arg_op(task, i);
        text_printf(t, " %s[", op->name);
        for (int d = 0; d < op->nspatial; d++)
            text_printf(t, "%s%lld", d ? "," : "", (long long)op->axes[d].extent);
        text_add(t, "]");
    }
    text_add(t, "\n");
}

struct show_options {
    const char *steps, *dump, *target;
    enum layout_mode layout;
};
static const struct setting options[] = {
    STRING_SETTING("--steps", struct show_options, steps, NULL,
                   "schedule to apply: a JSON array of steps, or a record line with \"steps\"", .word = "FILE"),
    STRING_SETTING("--dump", struct show_options, dump, "dag,state,nest",
                   "what to print: dag, state, nest, steps, and of target cpu tiled, emitted, llvm, asm, of opencl "
                   "source",
                   .word = "FORM,..."),
    TARGET_ROW(struct show_options, target, "whose code to print, with its settings: cpu,codegen=fast"),
    LAYOUT_ROW(struct show_options, layout, "layout rewrite of weights in that code"),
    {0}};

static bool run(struct cli *c, struct err *err)
{
    const struct show_options *o = c->options;
    struct shown w = {.c = c, .env = {.threads = 1, .layout = o->layout}};
    struct step *steps = NULL;
    if (!target_option_parse(c, o->target, &w.target, err) ||
        !parse_dumps(c, o->dump, w.target.target, &w.dumps, err) || !find_task(c, c->words[0], &w.task, err) ||
        (o->steps && !read_steps(c, o->steps, &steps, &w.nsteps, err)))
        return false;
    w.steps = steps;
    struct text t = {0};
    show_head(w.task, &t);
    if (w.dumps.common & DUMP_DAG)
        dag_print(w.task->dag, &t);
    bool done = show_state(&w, &t, err);
    cli_print(&t);
    return done;
}

const struct verb verb_show = {.name = "show",
                               .arguments = "TASK|NETWORK:INDEX",
                               .summary = "one kernel at every stage of the compiler",
                               .asks = "which kernel? a task line in quotes, or NETWORK:INDEX",
                               .needed = 1,
                               .words = 1,
                               VERB_OPTIONS(struct show_options),
                               .run = run};
