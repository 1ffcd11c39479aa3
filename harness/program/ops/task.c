/* SPDX-License-Identifier: Apache-2.0 */
/* task: spec line -> options of the operator -> graph -> dag. The canonical spec is printed from the options after the
 * operator has filled in what follows from other keys, so every spelling of a task gives the same one. */
#include "harness/program/ops/task.h"

#include "harness/base/hash.h"
#include "harness/program/ops/graph.h"
#include "harness/program/ops/ops.h"

#include <limits.h>
#include <string.h>

enum { LONGEST_SPEC = 4096, MOST_OPERATORS = 64 };

static const struct operator* find_operator(const char *name, struct err *err)
{
    const struct operator* const * table = ops_table();
    const char *names[MOST_OPERATORS];
    int n = 0;
    for (; table[n] && n < MOST_OPERATORS; n++) {
        names[n] = table[n]->name;
        if (str_eq(names[n], name))
            return table[n];
    }
    const char *near = str_nearest(name, names, n);
    err_set(err, near ? "unknown operator '%s', did you mean '%s'?" : "unknown operator '%s'", name, near);
    return NULL;
}

/* Splits off the next word in place; NULL at the end. */
static char *next_word(char **rest)
{
    char *word = *rest + strspn(*rest, " \t\n");
    if (!*word)
        return NULL;
    char *end = word + strcspn(word, " \t\n");
    *rest = *end ? end + 1 : end;
    *end = 0;
    return word;
}

static bool parse_keys(const struct operator* op, void *options, struct arena *a, char *rest, struct err *err)
{
    uint64_t seen = 0;
    for (char *word; (word = next_word(&rest));) {
        char *equals = strchr(word, '=');
        if (!equals)
            return err_set(err, "'%s' is not of the form key=value", word);
        *equals = 0;
        const char *key = str_eq(word, "relu6") ? "clip" : word;
        if (!setting_set(op->keys, options, a, key, equals + 1, err))
            return false;
        for (int i = 0; op->keys[i].name; i++) {
            if (!str_eq(op->keys[i].name, key))
                continue;
            if (seen >> i & 1)
                return err_set(err, "key '%s' is given twice", key);
            seen |= (uint64_t)1 << i;
        }
    }
    for (const struct setting *s = op->keys; s->name; s++)
        if (s->needed && *(const int64_t *)((const char *)options + s->offset) < 1)
            return err_set(err, "key '%s' is missing: it must be given and be at least 1", s->name);
    return true;
}

static const char *canonical(struct arena *a, const struct operator* op, const void *options)
{
    struct text t = {0}, key = {0};
    text_add(&t, op->name);
    for (const struct setting *s = op->keys; s->name; s++) {
        const struct setting one[] = {*s, {0}};
        text_clear(&key);
        if (s->type == SETTING_STRING) /* setting_print would quote the comma of "0,1" */
            text_printf(&key, "%s=%s", s->name, *(const char *const *)((const char *)options + s->offset));
        else
            setting_print(one, options, &key);
        if (key.len) /* else a later key at its default: the task is the one that it was before there was the key */
            text_printf(&t, " %s", text_str(&key));
    }
    const char *spec = arena_str(a, text_str(&t));
    text_free(&key);
    text_free(&t);
    return spec;
}

/* Longest chain of combinations behind one output element: reduce lengths added up along a path. */
static int longest_chain(const struct dag *d, int position)
{
    const struct op *op = d->ops[position];
    double longest = 0, own = op->kind == OP_COMPUTE;
    for (int i = 0; i < op->nreduce; i++)
        own *= (double)op->axes[op->nspatial + i].extent;
    const struct op_analysis *f = &d->analysis[position];
    for (int i = 0; i < f->nproducers; i++) {
        int n = longest_chain(d, f->producers[i]);
        longest = n > longest ? n : longest;
    }
    return longest + own > INT_MAX ? INT_MAX : (int)(longest + own);
}

static void fill_args(struct arena *a, struct task *t, const struct graph *g)
{
    t->nargs = g->nargs + 1;
    int *args = ARENA_ARRAY(a, int, t->nargs);
    bool *is_weight = ARENA_ARRAY(a, bool, t->nargs);
    for (int i = 0; i < g->nargs; i++) {
        args[i] = g->args[i];
        is_weight[i] = g->is_weight[i];
    }
    args[g->nargs] = t->dag->ops[t->dag->nops - 1]->id;
    t->args = args;
    t->is_weight = is_weight;
}

static bool make_task(struct arena *a, const struct operator* op, char *rest, struct task **out, struct err *err)
{
    void *options = arena_alloc(a, op->options_size);
    struct graph *g = ARENA_NEW(a, struct graph);
    struct task *t = ARENA_NEW(a, struct task);
    g->arena = a;
    setting_defaults(op->keys, options);
    if (!parse_keys(op, options, a, rest, err) || !op->build(g, options, err) || !graph_finish(g, &t->dag, err))
        return err_context(err, "operator '%s'", op->name);
    t->spec = canonical(a, op, options);
    t->hash = hash_str(t->spec);
    t->name = g->name ? g->name : op->name;
    t->flops = t->dag->flops;
    t->params = g->params;
    t->reduction_length = longest_chain(t->dag, t->dag->nops - 1);
    fill_args(a, t, g);
    *out = t;
    return true;
}

bool task_parse(struct arena *a, const char *spec, struct task **out, struct err *err)
{
    size_t n = strnlen(spec, LONGEST_SPEC + 1);
    if (n > LONGEST_SPEC)
        return err_set(err, "a task spec of more than %d characters", LONGEST_SPEC);
    char *rest = arena_strn(a, spec, n), *name = next_word(&rest);
    if (!name)
        return err_set(err, "an empty task spec: it starts with an operator");
    const struct operator* op = find_operator(name, err);
    return op && make_task(a, op, rest, out, err);
}

const struct op *task_arg_op(const struct task *t, int arg)
{
    return t->dag->ops[t->dag->position[t->args[arg]]];
}

int64_t task_arg_elements(const struct task *t, int arg)
{
    const struct op *op = task_arg_op(t, arg);
    int64_t n = 1;
    for (int i = 0; i < op->nspatial; i++)
        n *= op->axes[i].extent;
    return n;
}
