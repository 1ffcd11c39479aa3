/* SPDX-License-Identifier: Apache-2.0 */
/* network: reads a network file, parses its kernels, checks its totals. */
#include "harness/experiment/network.h"

#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/experiment/yaml.h"

#include <math.h>
#include <string.h>

enum { MOST_CALLS = 100000 }; /* of a network: with as many kernels as a file may hold, the sum fits an int */

/* Keys of a kernel that are no key of its operator. */
static bool is_own_key(const char *key)
{
    static const char *const OWN[] = {"op", "count", "name", "macs", "params"};
    for (size_t i = 0; i < sizeof OWN / sizeof *OWN; i++)
        if (str_eq(key, OWN[i]))
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

static bool load_kernel(struct arena *a, const struct yaml *item, struct plan_task *out, struct err *err)
{
    const char *op = NULL, *name = NULL;
    int64_t count = 1;
    if (item->kind != YAML_MAP)
        return yaml_err(item, err, "a kernel must be a map such as {count: 1, op: conv2d, ...}");
    if (!yaml_string(item, "op", true, &op, err) || !yaml_string(item, "name", false, &name, err) ||
        !yaml_int(item, "count", false, 1, MOST_CALLS, &count, err))
        return false;
    struct text spec = {0};
    struct task *task = NULL;
    struct err why = {0};
    bool written = kernel_spec(item, op, &spec, err), parsed = written && task_parse(a, text_str(&spec), &task, &why);
    text_free(&spec);
    if (!parsed)
        return written ? yaml_err(item, err, "%s", why.text) : false;
    *out = (struct plan_task){.task = task, .name = name, .weight = (double)count};
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

enum { MOST_TOTAL = 2000000000 }; /* in millions: far above any network, far below what a double holds exactly */

/* A whole number that the file may declare; -1: it does not. */
static bool declared(const struct yaml *map, const char *key, double *out, struct err *err)
{
    int64_t n = -1;
    if (!yaml_int(map, key, false, 0, MOST_TOTAL * INT64_C(1000000), &n, err))
        return false;
    *out = (double)n;
    return true;
}

static bool check_kernel(const struct yaml *item, int index, const struct plan_task *t, struct err *err)
{
    const double made[] = {kernel_macs(t->task), t->task->params};
    static const char *const KEYS[] = {"macs", "params"}, *const WORDS[] = {"multiply-adds", "parameters"};
    for (int i = 0; i < 2; i++) {
        double want;
        if (!declared(item, KEYS[i], &want, err))
            return false;
        if (want >= 0 && want != made[i])
            return yaml_err(yaml_get(item, KEYS[i]), err, "kernel %d declares %.0f %s a call but '%s' makes %.0f",
                            index, want, WORDS[i], t->task->name, made[i]);
    }
    return true;
}

/* Each kernel: what it declares, and that it is the only one of its kind. */
static bool check_kernels(const struct network *n, const struct yaml *list, struct err *err)
{
    for (int i = 0; i < n->nkernels; i++) {
        if (!check_kernel(list->at[i], i, &n->tasks[i], err))
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
    double macs, params, made_macs = round(n->macs_sum_m * 1e6), made_params = round(n->params_sum_m * 1e6);
    if (!declared(doc, "macs", &macs, err) || !declared(doc, "params", &params, err))
        return false;
    macs = macs < 0 ? made_macs : macs;
    params = params < 0 ? made_params : params;
    return (macs == made_macs && params == made_params) || wrong_totals(n, doc, macs, params, err);
}

/* Published totals have few digits, and multiply-adds are counted in more than one way (BERT's with its softmax). */
static bool check_published(const struct network *n, const struct yaml *doc, struct err *err)
{
    double left, params_m;
    if (!declared(doc, "params_left", &left, err))
        return false;
    params_m = n->params_sum_m + (left > 0 ? left / 1e6 : 0);
    if (!close_to(n->macs_sum_m, n->macs_m, 0.01))
        return yaml_err(yaml_get(doc, "macs_m"), err,
                        "'%s' declares %g million multiply-adds but its kernels make %.1f", n->name, n->macs_m,
                        n->macs_sum_m);
    if (!close_to(params_m, n->params_m, 0.001))
        return yaml_err(yaml_get(doc, "params_m"), err, "'%s' declares %g million parameters but its kernels have %.2f",
                        n->name, n->params_m, params_m);
    return true;
}

static bool check_totals(const struct network *n, const struct yaml *doc, int64_t kernels, int64_t calls,
                         struct err *err)
{
    if (kernels != n->nkernels)
        return yaml_err(yaml_get(doc, "kernels"), err, "'%s' declares %lld kernels but lists %d", n->name,
                        (long long)kernels, n->nkernels);
    if (!check_kernels(n, yaml_get(doc, "list"), err) || !check_exact(n, doc, err))
        return false;
    if (calls != n->calls)
        return yaml_err(yaml_get(doc, "calls"), err, "'%s' declares %lld calls but its counts add up to %d", n->name,
                        (long long)calls, n->calls);
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

bool network_load(struct arena *a, const char *dir, const char *name, struct network **out, struct err *err)
{
    static const char *const keys[] = {"name", "title",    "source", "input",       "kernels", "calls", "macs_m",
                                       "macs", "params_m", "params", "params_left", "list",    "notes", NULL};
    struct network *n = ARENA_NEW(a, struct network);
    char *path = file_join(a, dir, arena_printf(a, "networks/%s.yaml", name));
    struct yaml *doc;
    int64_t kernels = 0, calls = 0;
    if (!file_exists(path)) {
        char **names;
        int count = 0;
        struct err why = {0};
        const char *near = file_list(a, file_join(a, dir, "networks"), ".yaml", &names, &count, &why)
                               ? str_nearest(name, (const char *const *)names, count)
                               : NULL;
        return near ? err_set(err, "unknown network '%s': did you mean '%s'?", name, near)
                    : err_set(err, "unknown network '%s': there is no '%s'", name, path);
    }
    if (!yaml_load(a, path, &doc, err) || !yaml_keys(doc, keys, err) ||
        !yaml_string(doc, "name", true, &n->name, err) || !check_name(doc, name, err) ||
        !yaml_string(doc, "title", false, &n->title, err) || !yaml_string(doc, "source", false, &n->source, err) ||
        !yaml_int(doc, "kernels", true, 1, 10000, &kernels, err) ||
        !yaml_int(doc, "calls", true, 1, MOST_CALLS, &calls, err) ||
        !yaml_real(doc, "macs_m", false, 0, 1e9, &n->macs_m, err) ||
        !yaml_real(doc, "params_m", false, 0, 1e9, &n->params_m, err))
        return false;
    const struct yaml *list = yaml_get(doc, "list");
    if (!list || list->kind != YAML_LIST || list->n == 0)
        return yaml_err(list ? list : doc, err, "'list' must be the list of kernels");
    n->nkernels = list->n;
    n->tasks = ARENA_ARRAY(a, struct plan_task, list->n);
    for (int i = 0; i < list->n; i++) {
        if (!load_kernel(a, list->at[i], &n->tasks[i], err))
            return false;
        double w = n->tasks[i].weight;
        n->calls += (int)w;
        n->gflop += w * n->tasks[i].task->flops / 1e9;
        n->macs_sum_m += w * kernel_macs(n->tasks[i].task) / 1e6;
        n->params_sum_m += w * n->tasks[i].task->params / 1e6;
    }
    *out = n;
    return check_totals(n, doc, kernels, calls, err);
}
