/* SPDX-License-Identifier: Apache-2.0 */
/* network: reads a network file, parses its kernels, checks its totals. */
#include "harness/experiment/network.h"

#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/experiment/yaml.h"

#include <math.h>
#include <string.h>

static bool load_kernel(struct arena *a, const struct yaml *item, struct plan_task *out, struct err *err)
{
    const char *op = NULL, *name = NULL;
    int64_t count = 1;
    if (item->kind != YAML_MAP)
        return yaml_err(item, err, "a kernel must be a map such as {count: 1, op: conv2d, ...}");
    if (!yaml_string(item, "op", true, &op, err) || !yaml_string(item, "name", false, &name, err) ||
        !yaml_int(item, "count", false, 1, 1000000, &count, err))
        return false;
    struct text spec = {0};
    text_add(&spec, op);
    for (int i = 0; i < item->n; i++) {
        const char *key = item->keys[i]->text;
        if (str_eq(key, "op") || str_eq(key, "count") || str_eq(key, "name"))
            continue;
        if (item->at[i]->kind != YAML_SCALAR) {
            text_free(&spec);
            return yaml_err(item->at[i], err, "'%s' must be a single value", key);
        }
        text_printf(&spec, " %s=%s", key, item->at[i]->text);
    }
    struct task *task;
    struct err why = {0};
    bool parsed = task_parse(a, text_str(&spec), &task, &why);
    text_free(&spec);
    if (!parsed)
        return yaml_err(item, err, "%s", why.text);
    *out = (struct plan_task){.task = task, .name = name, .weight = (double)count};
    return true;
}

/* Multiply-adds of the layers that published tables count: half the FLOP of the convolution or matrix product itself.
 */
static double kernel_macs(const struct task *t)
{
    double most = 0;
    for (int i = 0; i < t->dag->nops; i++) {
        const struct op *op = t->dag->ops[i];
        if (op->kind != OP_COMPUTE || op->reducer != REDUCE_SUM || op->body->kind != EXPR_MUL)
            continue;
        double n = 1;
        for (int k = 0; k < op->nspatial + op->nreduce; k++)
            n *= (double)op->axes[k].extent;
        most += n;
    }
    return most;
}

static bool close_to(double got, double want)
{
    return want == 0 || fabs(got - want) <= 0.01 * want;
}

static bool check_totals(const struct network *n, const struct yaml *doc, int64_t kernels, int64_t calls,
                         struct err *err)
{
    if (kernels != n->nkernels)
        return yaml_err(yaml_get(doc, "kernels"), err, "'%s' declares %lld kernels but lists %d", n->name,
                        (long long)kernels, n->nkernels);
    if (calls != n->calls)
        return yaml_err(yaml_get(doc, "calls"), err, "'%s' declares %lld calls but its counts add up to %d", n->name,
                        (long long)calls, n->calls);
    if (!close_to(n->macs_sum_m, n->macs_m))
        return yaml_err(yaml_get(doc, "macs_m"), err,
                        "'%s' declares %g million multiply-adds but its kernels make %.1f", n->name, n->macs_m,
                        n->macs_sum_m);
    if (!close_to(n->params_sum_m, n->params_m))
        return yaml_err(yaml_get(doc, "params_m"), err, "'%s' declares %g million parameters but its kernels have %.2f",
                        n->name, n->params_m, n->params_sum_m);
    for (int i = 0; i < n->nkernels; i++)
        for (int k = 0; k < i; k++)
            if (n->tasks[i].task->hash == n->tasks[k].task->hash)
                return yaml_err(yaml_get(doc, "list")->at[i], err,
                                "this kernel stands in the list already, as number %d", k);
    return true;
}

bool network_load(struct arena *a, const char *dir, const char *name, struct network **out, struct err *err)
{
    static const char *const keys[] = {"name",   "title",    "source", "input", "kernels", "calls",
                                       "macs_m", "params_m", "list",   "notes", NULL};
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
        !yaml_string(doc, "name", true, &n->name, err) || !yaml_string(doc, "title", false, &n->title, err) ||
        !yaml_string(doc, "source", false, &n->source, err) ||
        !yaml_int(doc, "kernels", true, 1, 10000, &kernels, err) ||
        !yaml_int(doc, "calls", true, 1, 100000, &calls, err) ||
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
