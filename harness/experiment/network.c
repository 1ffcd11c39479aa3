/* SPDX-License-Identifier: Apache-2.0 */
/* network: reads a network file, parses its kernels, checks its totals. */
#include "harness/experiment/network.h"

#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/experiment/layers.h"

#include <math.h>
#include <string.h>

enum { MOST_CALLS = 100000 }; /* of a network: with as many kernels as a file may hold, the sum fits an int */

enum { MOST_TOTAL = 2000000000 }; /* in millions: far above any network, far below what a double holds exactly */
#define MOST_EXACT (1e6 * (double)MOST_TOTAL)

struct kernel_entry { /* of the list */
    const char *op, *name;
    int64_t count, macs, params; /* the last two -1: not declared */
};
const struct setting network_kernel_keys[] = {
    STRING_SETTING("op", struct kernel_entry, op, NULL, "The operator (`raingauge list operators`).", .needed = true),
    INT_SETTING("count", struct kernel_entry, count, "1", 1, MOST_CALLS, "How often the network calls the kernel."),
    STRING_SETTING("name", struct kernel_entry, name, NULL,
                   "Its name in reports. Without it, one is made of its keys."),
    INT_SETTING("macs", struct kernel_entry, macs, "-1", 0, MOST_EXACT, "Multiply-adds of one call, to be checked."),
    INT_SETTING("params", struct kernel_entry, params, "-1", 0, MOST_EXACT, "Parameters of one call, to be checked."),
    {0},
};
const struct setting network_keys[] = {
    STRING_SETTING("name", struct network, name, NULL, "Name of the network: that of the file without .yaml.",
                   .needed = true),
    STRING_SETTING("title", struct network, title, NULL, "One line for people."),
    STRING_SETTING("source", struct network, source, NULL, "Where the kernels are from, for people."),
    INTS_SETTING("input", struct network, input, 0, 0, "Shape of the input, for people."),
    INT_SETTING("kernels", struct network, declared.kernels, "0", 1, 10000, "How many kernels the list has.",
                .needed = true),
    INT_SETTING("calls", struct network, declared.calls, "0", 1, MOST_CALLS, "The sum of their counts.",
                .needed = true),
    REAL_SETTING("macs_m", struct network, macs_m, "0", 0, 1e9,
                 "Published multiply-adds in millions. The kernels must make them within 1 %. 0: not given."),
    INT_SETTING("macs", struct network, declared.macs, "-1", 0, MOST_EXACT,
                "Exact multiply-adds of the kernels, from another source than the list."),
    REAL_SETTING("params_m", struct network, params_m, "0", 0, 1e9,
                 "Published parameters in millions, within 0.1 %. 0: not given."),
    INT_SETTING("params", struct network, declared.params, "-1", 0, MOST_EXACT,
                "Exact parameters of the kernels, from another source than the list."),
    INT_SETTING("params_left", struct network, declared.params_left, "0", 0, MOST_EXACT,
                "Parameters that no kernel of the list holds."),
    MAP_SETTING("list", network_kernel_keys,
                "The kernels, in the order of the paper. Each has the keys below and those of its operator."),
    MAP_SETTING("notes", NULL, "Anything, for people."),
    {0},
};

/* Is it a key of a kernel that is none of its operator's? */
static bool is_own_key(const char *key)
{
    for (const struct setting *s = network_kernel_keys; s->name; s++)
        if (str_eq(key, s->name))
            return true;
    return false;
}

/* One word of a task line: "10 bias=1" would be two keys in it. */
static bool is_word(const struct yaml *node, const char *key, struct err *err)
{
    return (*node->text && !strpbrk(node->text, " \t\r\n=")) ||
           yaml_err(node, err, "'%s' is '%s', must be one word without spaces or '='", key, node->text);
}

/* The task line of a kernel: its operator, then every key that is the operator's. */
static bool kernel_spec(const struct yaml *item, const char *op, struct text *spec, struct err *err)
{
    if (!is_word(yaml_get(item, "op"), "op", err))
        return false;
    text_add(spec, op);
    for (int i = 0; i < item->n; i++) {
        if (is_own_key(item->keys[i]->text))
            continue;
        if (item->at[i]->kind != YAML_SCALAR)
            return yaml_err(item->at[i], err, "'%s' must be a single value", item->keys[i]->text);
        if (!is_word(item->keys[i], "key", err) || !is_word(item->at[i], item->keys[i]->text, err))
            return false;
        text_printf(spec, " %s=%s", item->keys[i]->text, item->at[i]->text);
    }
    return true;
}

static bool load_kernel(struct arena *a, const struct yaml *item, struct kernel_entry *entry, struct plan_task *out,
                        struct err *err)
{
    struct layers l = layers_of(a, item);
    if (item->kind != YAML_MAP)
        return yaml_err(item, err, "a kernel must be a map such as {count: 1, op: conv2d, ...}");
    if (!layers_read(&l, network_kernel_keys, entry, err))
        return false;
    struct text spec = {0};
    struct task *task = NULL;
    struct err why = {0};
    bool written = kernel_spec(item, entry->op, &spec, err);
    bool parsed = written && task_parse(a, text_str(&spec), &task, &why);
    text_free(&spec);
    if (!parsed)
        return written ? yaml_err(item, err, "%s", why.text) : false;
    *out = (struct plan_task){.task = task, .name = entry->name, .weight = (double)entry->count};
    return true;
}

/* Products of two tensors, summed: not the squares of a normalisation. */
static bool is_product(const struct op *op)
{
    return op->kind == OP_COMPUTE && op->reducer == REDUCE_SUM && op->body->kind == EXPR_MUL &&
           op->body->args[0]->kind == EXPR_LOAD && op->body->args[1]->kind == EXPR_LOAD;
}

/* Multiply-adds of the layers that published tables count: half the FLOP of the convolution or matrix product itself.
 */
static double kernel_macs(const struct task *t)
{
    double most = 0;
    for (int i = 0; i < t->dag->nops; i++) {
        const struct op *op = t->dag->ops[i];
        if (!is_product(op))
            continue;
        double n = 1;
        for (int k = 0; k < op->nspatial + op->nreduce; k++)
            n *= (double)op->axes[k].extent;
        most += n;
    }
    return most;
}

/* ---- declared against made ---- */

static bool check_kernel(const struct yaml *item, int index, const struct kernel_entry *entry,
                         const struct plan_task *t, struct err *err)
{
    const double made[] = {kernel_macs(t->task), t->task->params};
    const int64_t want[] = {entry->macs, entry->params};
    static const char *const KEYS[] = {"macs", "params"}, *const WORDS[] = {"multiply-adds", "parameters"};
    for (int i = 0; i < 2; i++)
        if (want[i] >= 0 && (double)want[i] != made[i])
            return yaml_err(yaml_get(item, KEYS[i]), err, "kernel %d declares %lld %s a call but '%s' makes %.0f",
                            index, (long long)want[i], WORDS[i], t->task->name, made[i]);
    return true;
}

/* Each kernel: what it declares, and that it is the only one of its kind. */
static bool check_kernels(const struct network *n, const struct kernel_entry *entries, const struct yaml *list,
                          struct err *err)
{
    for (int i = 0; i < n->nkernels; i++) {
        if (!check_kernel(list->at[i], i, &entries[i], &n->tasks[i], err))
            return false;
        for (int k = 0; k < i; k++)
            if (n->tasks[i].task->hash == n->tasks[k].task->hash)
                return yaml_err(list->at[i], err, "this kernel stands in the list already, as number %d", k);
    }
    return true;
}

static bool close_to(double got, double want, double share)
{
    return want == 0 || fabs(got - want) <= share * want;
}

/* Exact totals that do not come out although every kernel is right: a count is wrong, or a kernel is not there. The
 * first kernel is named whose calls would explain both differences. */
static bool wrong_totals(const struct network *n, const struct yaml *doc, double macs, double params, struct err *err)
{
    double more_macs = macs - n->macs_sum_m * 1e6, more_params = params - n->params_sum_m * 1e6;
    const struct yaml *list = yaml_get(doc, "list");
    for (int i = 0; i < n->nkernels; i++) {
        double each = kernel_macs(n->tasks[i].task), calls = each > 0 ? round(more_macs / each) : 0;
        if (calls == 0 || n->tasks[i].weight + calls < 1 || fabs(calls * each - more_macs) > 0.5 ||
            fabs(calls * n->tasks[i].task->params - more_params) > 0.5)
            continue;
        return yaml_err(list->at[i], err,
                        "'%s' declares %.0f multiply-adds and %.0f parameters but its kernels make %.0f and %.0f, as "
                        "if kernel %d, '%s', were called %g times and not %g",
                        n->name, macs, params, macs - more_macs, params - more_params, i, n->tasks[i].task->name,
                        n->tasks[i].weight + calls, n->tasks[i].weight);
    }
    return yaml_err(yaml_get(doc, fabs(more_macs) > 0.5 ? "macs" : "params"), err,
                    "'%s' declares %.0f multiply-adds and %.0f parameters but its kernels make %.0f and %.0f", n->name,
                    macs, params, macs - more_macs, params - more_params);
}

static bool check_exact(const struct network *n, const struct yaml *doc, struct err *err)
{
    double made_macs = round(n->macs_sum_m * 1e6), made_params = round(n->params_sum_m * 1e6);
    double macs = n->declared.macs < 0 ? made_macs : (double)n->declared.macs;
    double params = n->declared.params < 0 ? made_params : (double)n->declared.params;
    return (macs == made_macs && params == made_params) || wrong_totals(n, doc, macs, params, err);
}

/* Published totals have few digits, and multiply-adds are counted in more than one way (BERT's with its softmax). */
static bool check_published(const struct network *n, const struct yaml *doc, struct err *err)
{
    double params_m = n->params_sum_m + (double)n->declared.params_left / 1e6;
    if (!close_to(n->macs_sum_m, n->macs_m, 0.01))
        return yaml_err(yaml_get(doc, "macs_m"), err,
                        "'%s' declares %g million multiply-adds but its kernels make %.1f", n->name, n->macs_m,
                        n->macs_sum_m);
    if (!close_to(params_m, n->params_m, 0.001))
        return yaml_err(yaml_get(doc, "params_m"), err, "'%s' declares %g million parameters but its kernels have %.2f",
                        n->name, n->params_m, params_m);
    return true;
}

static bool check_totals(const struct network *n, const struct kernel_entry *entries, const struct yaml *doc,
                         struct err *err)
{
    const struct network_declared *d = &n->declared;
    if (d->kernels != n->nkernels)
        return yaml_err(yaml_get(doc, "kernels"), err, "'%s' declares %lld kernels but lists %d", n->name,
                        (long long)d->kernels, n->nkernels);
    if (!check_kernels(n, entries, yaml_get(doc, "list"), err) || !check_exact(n, doc, err))
        return false;
    if (d->calls != n->calls)
        return yaml_err(yaml_get(doc, "calls"), err, "'%s' declares %lld calls but its counts add up to %d", n->name,
                        (long long)d->calls, n->calls);
    return check_published(n, doc, err);
}

/* Records and reports know a network by its name: two files of one name would be one network there. */
static bool check_name(const struct yaml *doc, const char *stem, struct err *err)
{
    const struct yaml *name = yaml_get(doc, "name");
    return str_eq(name->text, stem) ||
           yaml_err(name, err, "this file is '%s.yaml' but names the network '%s': both must be the same", stem,
                    name->text);
}

static void add_up(struct network *n)
{
    for (int i = 0; i < n->nkernels; i++) {
        double w = n->tasks[i].weight;
        n->calls += (int)w;
        n->gflop += w * n->tasks[i].task->flops / 1e9;
        n->macs_sum_m += w * kernel_macs(n->tasks[i].task) / 1e6;
        n->params_sum_m += w * n->tasks[i].task->params / 1e6;
    }
}

bool network_load(struct arena *a, const char *dir, const char *name, struct network **out, struct err *err)
{
    static const struct setting *const KNOWN[] = {network_keys, NULL};
    struct network *n = *out = ARENA_NEW(a, struct network);
    const char *path;
    struct yaml *doc;
    if (!yaml_find(a, file_join(a, dir, "networks"), "network", name, &path, err) || !yaml_load(a, path, &doc, err) ||
        !layers_known(doc, KNOWN, err))
        return false;
    struct layers l = layers_of(a, doc);
    if (!layers_read(&l, network_keys, n, err) || !check_name(doc, name, err))
        return false;
    const struct yaml *list = yaml_get(doc, "list");
    if (!list || list->kind != YAML_LIST || list->n == 0)
        return yaml_err(list ? list : doc, err, "'list' must be the list of kernels");
    struct kernel_entry *entries = ARENA_ARRAY(a, struct kernel_entry, list->n);
    n->nkernels = n->listed = list->n;
    n->tasks = ARENA_ARRAY(a, struct plan_task, list->n);
    for (int i = 0; i < list->n; i++)
        if (!load_kernel(a, list->at[i], &entries[i], &n->tasks[i], err))
            return false;
    add_up(n);
    return check_totals(n, entries, doc, err);
}
