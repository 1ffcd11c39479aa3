/* SPDX-License-Identifier: Apache-2.0 */
/* published: reads the typed-in tables. */
#include "harness/report/data/published.h"

#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/experiment/yaml.h"
#include "harness/stats/geometric_mean.h"

#include <math.h>
#include <string.h>

/* Exactly n numbers. */
static bool reals(const struct yaml *map, const char *key, int n, double *out, struct err *err)
{
    const struct yaml *v = yaml_get(map, key);
    if (!v || v->kind != YAML_LIST || v->n != n)
        return yaml_err(v ? v : map, err, "'%s' must be a list of %d numbers", key, n);
    for (int i = 0; i < n; i++)
        if (v->at[i]->kind != YAML_SCALAR || !str_real(v->at[i]->text, &out[i]))
            return yaml_err(v->at[i], err, "'%s' must hold numbers", key);
    return true;
}

static bool load_network(const struct yaml *node, int nk, struct published_network *n, struct err *err)
{
    static const char *const keys[] = {"name", "kernels", "dpansor_ms", "ansor_ms", "search", "kernel", NULL};
    return yaml_keys(node, keys, err) && yaml_string(node, "name", true, &n->name, err) &&
           yaml_int(node, "kernels", true, 1, 10000, &n->kernels, err) &&
           yaml_real(node, "dpansor_ms", true, 0, 1e9, &n->dpansor_ms, err) &&
           yaml_real(node, "ansor_ms", true, 0, 1e9, &n->ansor_ms, err) &&
           yaml_real(node, "search", true, 0, 1e9, &n->search, err) && reals(node, "kernel", nk, n->kernel, err);
}

static bool load_machine(struct arena *a, const struct yaml *node, struct published *p, struct err *err)
{
    static const char *const keys[] = {"name", "title", "k", "mean_kernel", "mean_search", "wins", "networks", NULL};
    struct setting_ints k = {0};
    const struct yaml *list = yaml_get(node, "networks");
    if (!yaml_keys(node, keys, err) || !yaml_string(node, "title", true, &p->title, err) ||
        !yaml_ints(a, node, "k", true, (struct yaml_range){1, 1000000}, &k, err))
        return false;
    p->nk = k.n;
    if (p->nk > 16 || !list || list->kind != YAML_LIST)
        return yaml_err(node, err, "at most 16 values of k, and a list of networks");
    for (int i = 0; i < p->nk; i++)
        p->k[i] = k.at[i];
    if (!reals(node, "mean_kernel", p->nk, p->mean_kernel, err) ||
        !reals(node, "mean_search", p->nk, p->mean_search, err) || !reals(node, "wins", p->nk, p->wins, err))
        return false;
    p->nnetworks = list->n;
    p->search_k = 300; /* the file's `search` */
    p->networks = ARENA_ARRAY(a, struct published_network, list->n + 1);
    for (int i = 0; i < list->n; i++)
        if (!load_network(list->at[i], p->nk, &p->networks[i], err))
            return false;
    return true;
}

bool published_load(struct arena *a, const char *folder, const char *table, const char *machine, struct published **out,
                    struct err *err)
{
    char *path = file_join(a, folder, arena_printf(a, "published/%s.yaml", table));
    struct yaml *doc;
    *out = NULL;
    if (!yaml_load(a, path, &doc, err))
        return false;
    const struct yaml *list = yaml_get(doc, "machines");
    for (int i = 0; list && list->kind == YAML_LIST && i < list->n; i++) {
        const char *name = NULL;
        if (!yaml_string(list->at[i], "name", true, &name, err))
            return false;
        if (!str_eq(name, machine))
            continue;
        struct published *p = ARENA_NEW(a, struct published);
        *out = p;
        return yaml_string(doc, "paper", true, &p->paper, err) && load_machine(a, list->at[i], p, err);
    }
    return true;
}

const struct published_network *published_network(const struct published *p, const char *name)
{
    for (int i = 0; p && i < p->nnetworks; i++)
        if (str_eq(p->networks[i].name, name))
            return &p->networks[i];
    return NULL;
}

int published_k(const struct published *p, int64_t k)
{
    for (int i = 0; p && i < p->nk; i++)
        if (p->k[i] == k)
            return i;
    return -1;
}

static bool read_row(struct arena *a, const struct yaml *node, struct published_row *out, struct err *err)
{
    struct text t = {0};
    double *v = ARENA_ARRAY(a, double, node->n + 1);
    if (!yaml_string(node, "label", true, &out->label, err))
        return false;
    for (int i = 0; i < node->n; i++) {
        if (str_eq(node->keys[i]->text, "label"))
            continue;
        if (node->at[i]->kind != YAML_SCALAR || !str_real(node->at[i]->text, &v[out->n])) {
            text_free(&t);
            return yaml_err(node->at[i], err, "'%s' must be a number", node->keys[i]->text);
        }
        text_printf(&t, "%s%s %s", out->n++ ? "  " : "", node->keys[i]->text, node->at[i]->text);
    }
    out->numbers = arena_str(a, text_str(&t));
    out->v = v;
    text_free(&t);
    return true;
}

/* k of "dpansor-300"; 0: the label says none. */
static int64_t k_of(const char *label)
{
    const char *dash = strrchr(label, '-');
    int64_t k;
    return dash && str_int(dash + 1, &k) && k > 0 ? k : 0;
}

/* The ratios of one machine's rows over its first; NULL when that one is no baseline. */
static struct published *ratios_of(struct arena *a, const struct published_rows *all, int first)
{
    const struct published_row *base = &all->at[first];
    struct published *p = ARENA_NEW(a, struct published);
    *p = (struct published){.title = base->title, .paper = all->paper};
    for (int i = first + 1; i < all->n && str_eq(all->at[i].title, base->title) && p->nk < 16; i++) {
        int64_t k = k_of(all->at[i].label);
        struct geometric_mean mean = {0};
        if (k_of(base->label) || !k || all->at[i].n != base->n || base->n == 0)
            return NULL;
        for (int v = 0; v < base->n; v++)
            geometric_mean_add(&mean, base->v[v] / all->at[i].v[v]);
        p->k[p->nk] = k;
        p->mean_search[p->nk] = p->wins[p->nk] = NAN;
        p->mean_kernel[p->nk++] = geometric_mean_of(&mean);
    }
    return p->nk ? p : NULL;
}

static bool machine_rows(struct arena *a, const struct yaml *node, struct published_rows *p, struct err *err)
{
    static const char *const keys[] = {"title", "rows", NULL};
    const struct yaml *list = yaml_get(node, "rows");
    const char *title = NULL;
    if (!yaml_keys(node, keys, err) || !yaml_string(node, "title", true, &title, err))
        return false;
    if (!list || list->kind != YAML_LIST)
        return yaml_err(node, err, "'rows' must be a list");
    struct published_row *all = ARENA_ARRAY(a, struct published_row, p->n + list->n + 1);
    for (int i = 0; i < p->n; i++)
        all[i] = p->at[i];
    p->at = all;
    for (int i = 0; i < list->n; i++, p->n++) {
        p->at[p->n] = (struct published_row){.title = title};
        if (!read_row(a, list->at[i], &p->at[p->n], err))
            return false;
    }
    return true;
}

bool published_rows_load(struct arena *a, const char *folder, const char *stem, struct published_rows **out,
                         struct err *err)
{
    static const char *const keys[] = {"published", "paper", "machines", NULL};
    char *path = file_join(a, folder, arena_printf(a, "published/%s.yaml", stem));
    struct published_rows *p = ARENA_NEW(a, struct published_rows);
    struct yaml *doc;
    *out = NULL;
    if (!file_exists(path))
        return true;
    if (!yaml_load(a, path, &doc, err) || !yaml_keys(doc, keys, err) ||
        !yaml_string(doc, "paper", true, &p->paper, err))
        return false;
    const struct yaml *list = yaml_get(doc, "machines");
    for (int i = 0; list && list->kind == YAML_LIST && i < list->n; i++)
        if (!machine_rows(a, list->at[i], p, err))
            return false;
    for (int i = 0; i < p->n && !p->ratios; i++)
        if (i == 0 || !str_eq(p->at[i].title, p->at[i - 1].title))
            p->ratios = ratios_of(a, p, i);
    *out = p;
    return true;
}
