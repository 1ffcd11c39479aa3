/* SPDX-License-Identifier: Apache-2.0 */
/* show: one kernel at any stage of the compiler: graph, state, loop nest, LLVM IR, assembly. */
#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/cli/cli.h"
#include "harness/experiment/network.h"
#include "harness/program/ir/dag_print.h"
#include "harness/program/lower/bound.h"
#include "harness/program/lower/lower.h"
#ifdef HAVE_LLVM
#include "targets/cpu/codegen.h"
#endif

#include <string.h>

enum dump {
    DUMP_DAG = 1,
    DUMP_STATE = 2,
    DUMP_NEST = 4,
    DUMP_LLVM = 8,
    DUMP_ASM = 16,
    DUMP_STEPS = 32,
    DUMP_TILED = 64,
    DUMP_CODE = DUMP_LLVM | DUMP_ASM | DUMP_TILED
};

static bool parse_dumps(const char *list, unsigned *out, struct err *err)
{
    static const char *const names[] = {"dag", "state", "nest", "llvm", "asm", "steps", "tiled"};
    *out = 0;
    while (*list) {
        size_t n = strcspn(list, ",");
        bool found = false;
        for (int i = 0; i < 7; i++)
            if (strlen(names[i]) == n && strncmp(list, names[i], n) == 0) {
                *out |= 1u << i;
                found = true;
            }
        if (!found)
            return err_set(err, "unknown dump '%.*s': dag, state, nest, tiled, llvm, asm or steps", (int)n, list);
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

static bool show_code(struct cli *c, const struct state *s, unsigned dumps, struct text *t, struct err *err)
{
#ifdef HAVE_LLVM
    struct codegen_options o = {.mcpu = "native", .level = 2, .contract = true};
    struct codegen *g;
    struct nest *n;
    if (!lower(c->arena, s, LAYOUT_REWRITTEN, &n, err) || !codegen_open(&o, &g, err))
        return false;
    bool done = (!(dumps & DUMP_TILED) || codegen_text(g, n, CODEGEN_TILED, t, err)) &&
                (!(dumps & DUMP_LLVM) || codegen_text(g, n, CODEGEN_OPTIMISED, t, err)) &&
                (!(dumps & DUMP_ASM) || codegen_text(g, n, CODEGEN_ASSEMBLY, t, err));
    codegen_close(g);
    return done;
#else
    (void)c, (void)s, (void)dumps, (void)t;
    return err_set(err, "this binary was built without LLVM");
#endif
}

static bool show_state(struct cli *c, const struct task *task, const struct step *steps, int nsteps, unsigned dumps,
                       struct text *t, struct err *err)
{
    struct state *s;
    struct nest *n;
    if (!state_replay(c->arena, task, steps, nsteps, &s, err) || !bound_infer(s, err))
        return false;
    if (dumps & DUMP_STEPS) {
        steps_print(steps, nsteps, t);
        text_char(t, '\n');
    }
    if (dumps & DUMP_STATE)
        state_print(s, t);
    if (dumps & DUMP_NEST) {
        if (!lower(c->arena, s, LAYOUT_NONE, &n, err))
            return false;
        nest_print(n, t);
    }
    return !(dumps & DUMP_CODE) || show_code(c, s, dumps, t, err);
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
    const char *steps, *dump;
};
static const struct option options[] = {
    OPTION(struct show_options, steps, "--steps", "FILE",
           "schedule to apply: a JSON array of steps, or a record line with \"steps\""),
    OPTION(struct show_options, dump, "--dump", "FORM,...",
           "what to print of dag, state, nest, tiled, llvm, asm, steps (dag,state,nest)"),
    {0}};

static bool run(struct cli *c, struct err *err)
{
    const struct show_options *o = c->options;
    int nsteps = 0;
    unsigned dumps;
    const struct task *task = NULL;
    struct step *steps = NULL;
    if (!parse_dumps(o->dump, &dumps, err))
        return false;
    if (!c->nwords)
        return err_set(err, "which kernel? a task line in quotes, or NETWORK:INDEX");
    if (!find_task(c, c->words[0], &task, err) || (o->steps && !read_steps(c, o->steps, &steps, &nsteps, err)))
        return false;
    struct text t = {0};
    show_head(task, &t);
    if (dumps & DUMP_DAG)
        dag_print(task->dag, &t);
    bool done = show_state(c, task, steps, nsteps, dumps, &t, err);
    cli_print(&t);
    text_free(&t);
    return done;
}

const struct verb verb_show = {.name = "show",
                               .arguments = "TASK|NETWORK:INDEX",
                               .summary = "one kernel at every stage of the compiler",
                               .words = 1,
                               .options = options,
                               .defaults = &(const struct show_options){.dump = "dag,state,nest"},
                               .options_size = sizeof(struct show_options),
                               .run = run};
