/* SPDX-License-Identifier: Apache-2.0 */
/* pruner_open: one function a table. */
#include "harness/released/pruner/pruner_open.h"

#include "harness/base/file.h"
#include "harness/released/pruner/pruner_curves.h"

#include <math.h>

static void read_bars(struct pruner_release *r, const struct tsv_table *t)
{
    static const char *const whats[] = {"whole_run", "to_parity", "whole_run_2000"};
    for (int i = 0; i < t->n; i++) {
        struct pruner_bar b = {.network = tsv_word(t, i, "network", pruner_networks, PRUNER_NETWORKS)};
        int what = b.network < 0 ? -1 : tsv_word(t, i, "what", whats, 3);
        if (what < 0)
            continue;
        b.platform = tsv_word(t, i, "platform", pruner_platforms, PRUNER_PLATFORMS);
        b.baseline = b.platform < 0 ? -1 : tsv_word(t, i, "baseline", pruner_methods, PRUNER_METHODS);
        b.method = b.baseline < 0 ? -1 : tsv_word(t, i, "method", pruner_methods, PRUNER_METHODS);
        b.whole_run = what == 0;
        /* What Table 7 prints comes from published.tsv. */
        if (b.method >= 0 && what != 2 && tsv_number(t, i, "seconds", 1, true, &b.seconds))
            vec_push(&r->bars, b);
    }
}

static void read_latencies(struct pruner_release *r, const struct tsv_table *t)
{
    static const char *const origins[] = {"digitised", "printed"};
    for (int i = 0; i < t->n; i++) {
        struct pruner_latency l = {.network = tsv_word(t, i, "network", pruner_networks, PRUNER_NETWORKS)};
        l.platform = l.network < 0 ? -1 : tsv_word(t, i, "platform", pruner_platforms, PRUNER_PLATFORMS);
        l.method = l.platform < 0 ? -1 : tsv_word(t, i, "method", pruner_methods, PRUNER_METHODS);
        int origin = l.method < 0 ? -1 : tsv_word(t, i, "origin", origins, 2);
        l.printed = origin == 1;
        if (origin >= 0 && tsv_number(t, i, "latency_ms", 1e-6, true, &l.ms))
            vec_push(&r->latencies, l);
    }
}

/* Shapes and flags of the tables are words, and no numbers are made of them. */
static void read_printed(struct pruner_release *r, const struct tsv_table *t)
{
    for (int i = 0; i < t->n; i++) {
        struct pruner_printed p = {tsv_text(t, i, "table"), tsv_text(t, i, "row"), tsv_text(t, i, "column"), NAN};
        const char *unit = tsv_text(t, i, "unit");
        if (!str_eq(unit, "shape") && !str_eq(unit, "flag") && tsv_number(t, i, "value", 0, false, &p.value))
            vec_push(&r->printed, p);
    }
}

static const struct {
    const char *file, *needed[9];
    void (*read)(struct pruner_release *r, const struct tsv_table *t);
} tables[] = {
    {"search_time.tsv", {"network", "platform", "baseline", "method", "what", "seconds", NULL}, read_bars},
    {"final_latency.tsv", {"network", "platform", "method", "latency_ms", "origin", NULL}, read_latencies},
    {"published.tsv", {"table", "row", "column", "value", "unit", NULL}, read_printed},
};

static void free_release(void *with)
{
    struct pruner_release *r = with;
    vec_free(&r->bars);
    vec_free(&r->latencies);
    vec_free(&r->printed);
}

bool pruner_release_open(struct arena *a, const char *dir, struct pruner_release **out, bool *none, struct err *err)
{
    struct pruner_release *r = ARENA_NEW(a, struct pruner_release);
    struct err why = {0};
    char *text;
    size_t n;
    *none = false;
    if (!file_is_dir(dir))
        return err_set(err, "cannot list the folder '%s'", dir);
    r->problems = tsv_problems_open(a);
    arena_defer(a, free_release, r);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        struct tsv_table t;
        const char *path = file_join(a, dir, tables[i].file);
        if (!file_exists(path))
            continue;
        r->files++;
        if (!file_read(a, path, 0, &text, &n, &why))
            tsv_problem(r->problems, tables[i].file, 0, 0, "%s", why.text);
        else if (tsv_table_read(r->problems, tables[i].file, text, tables[i].needed, &t))
            tables[i].read(r, &t);
    }
    pruner_curves_read(a, dir, r);
    *out = r;
    *none = r->files == 0;
    return !*none;
}
