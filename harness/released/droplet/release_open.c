/* SPDX-License-Identifier: Apache-2.0 */
/* release_open: a table of patterns says what each file is. The files are read in the order of their names, so that the
 * same folder gives the same release. */
#include "harness/released/droplet/release_open.h"

#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/released/droplet/bennu.h"
#include "harness/released/droplet/block_state.h"
#include "harness/released/droplet/compact.h"
#include "harness/released/droplet/schedules.h"

#include <dirent.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MOST = 7, FILES_MOST = 200000 };
static const char BESIDE[] = "../kernels";

enum file_form {
    FORM_BENNU,
    FORM_COMPACT,
    FORM_COVERAGE,
    FORM_LOG,
    FORM_SCHEDULES,
    FORM_MODEL,
    FORM_UNREAD,
    FORM_RESULT
};
/* The first pattern that fits a path decides. "" as machine: the file's name tells (compact form). */
static const struct file_pattern {
    const char *pattern;
    enum file_form form;
    enum release_table table;
    const char *machine, *run;
} patterns[] = {
    {"results/dpansor_x86.csv", FORM_BENNU, TABLE_SWEEP, "ryzen7", ""},
    {"results/table_x86.csv", FORM_BENNU, TABLE_SWEEP, "ryzen7", ""},
    {"perf_stats/RTX3080/*.csv", FORM_BENNU, TABLE_SWEEP, "rtx3080", ""},
    {"perf_stats/RTX3080/*/*.csv", FORM_BENNU, TABLE_EXPLOITERS, "rtx3080", "_a"},
    {"perf_stats/Ryzen3700X/*/*.csv", FORM_BENNU, TABLE_EXPLOITERS, "ryzen7", "_a"},
    {"perf_stats/ryzen3700x/*/*.csv", FORM_BENNU, TABLE_EXPLOITERS, "ryzen7", "_b"},
    {"perf_stats/a100/*getvariance_pvalue.log", FORM_BENNU, TABLE_VARIANCE, "a100", "2"},
    {"perf_stats/a100/*getvariance*.log", FORM_BENNU, TABLE_VARIANCE, "a100", "1"},
    {"perf_stats/a100/*.log", FORM_BENNU, TABLE_SWEEP, "a100", ""},
    {"perf_stats/a64fx/*getvar*pvalue.log", FORM_BENNU, TABLE_VARIANCE, "a64fx", "2"},
    {"perf_stats/a64fx/*getvar*.log", FORM_BENNU, TABLE_VARIANCE, "a64fx", "1"},
    {"perf_stats/a64fx/*.log", FORM_BENNU, TABLE_SWEEP, "a64fx", ""},
    {"perf_stats/x86/*getvar*pvalue.log", FORM_BENNU, TABLE_VARIANCE, "ryzen7", "2"},
    {"perf_stats/x86/*getvar*.log", FORM_BENNU, TABLE_VARIANCE, "ryzen7", "1"},
    {"results/dpmeta_x86_new.csv", FORM_BENNU, TABLE_META, "ryzen7", ""},
    {"results/dpmeta_x86_intel.csv", FORM_BENNU, TABLE_META, "intel_x86", ""},
    {"results/dpmeta_cuda_rtx3080.csv", FORM_BENNU, TABLE_META, "rtx3080", ""},
    {"results/dpmeta_cuda_a100_*.csv", FORM_BENNU, TABLE_META, "a100", ""},
    {"results/dpmeta_arm_*.csv", FORM_BENNU, TABLE_META, "a64fx", ""}, /* some are called arm_a100: all are A64FX's */
    {"results/*.csv", FORM_UNREAD, TABLE_META, "", ""},                /* dpmeta_x86.csv and others, replaced since */
    {"benchmarks/microkernels/DpAnsor/results/rtx3080_top*.csv", FORM_BENNU, TABLE_MICRO, "rtx3080", ""},
    {"benchmarks/microkernels/DpAnsor/a100/results/a100_top*.csv", FORM_BENNU, TABLE_MICRO, "a100", ""},
    {"benchmarks/microkernels/DpAnsor/*_droplet.log", FORM_RESULT, TABLE_MICRO, "", ""},
    {"benchmarks/microkernels/DpAnsor/*/*_droplet.log", FORM_RESULT, TABLE_MICRO, "", ""},
    {"benchmarks/microkernels/DpAnsor/*/*/*_droplet.log", FORM_RESULT, TABLE_MICRO, "", ""},
    {"benchmarks/microkernels/DpAnsor/log/rtx3080_*.log", FORM_LOG, TABLE_MICRO, "rtx3080", ""},
    {"benchmarks/microkernels/DpAnsor/a100/log/a100_*.log", FORM_LOG, TABLE_MICRO, "a100", ""},
    {"perf_stats/*.csv", FORM_UNREAD, TABLE_SWEEP, "", ""},
    {"perf_stats/*/*.csv", FORM_UNREAD, TABLE_SWEEP, "", ""},
    {"perf_stats/*/*.log", FORM_UNREAD, TABLE_SWEEP, "", ""},
    {"models/*.onnx", FORM_MODEL, TABLE_SWEEP, "", ""},
    {"expected*.tsv", FORM_RESULT, TABLE_SWEEP, "", ""}, /* computed from the others, not read */
    {"dpmeta_expected.tsv", FORM_RESULT, TABLE_META, "", ""},
    {"outliers.tsv", FORM_RESULT, TABLE_SWEEP, "", ""},
    {"exploiters_coverage.tsv", FORM_COVERAGE, TABLE_EXPLOITERS, "", ""},
    {"exploiters_*.tsv", FORM_COMPACT, TABLE_EXPLOITERS, "", ""},
    {"variance_*.tsv", FORM_COMPACT, TABLE_VARIANCE, "", ""},
    {"dpmeta_*.tsv", FORM_COMPACT, TABLE_META, "", ""},
    {"microkernels_other.tsv", FORM_COMPACT, TABLE_OTHER, "rtx3080", ""},
    {"microkernels_*.tsv", FORM_COMPACT, TABLE_MICRO, "", ""},
    {"ryzen7.tsv", FORM_COMPACT, TABLE_SWEEP, "", ""},
    {"rtx3080.tsv", FORM_COMPACT, TABLE_SWEEP, "", ""},
    {"a100.tsv", FORM_COMPACT, TABLE_SWEEP, "", ""},
    {"a64fx.tsv", FORM_COMPACT, TABLE_SWEEP, "", ""},
    {"kernels/*.steps.jsonl", FORM_SCHEDULES, TABLE_SWEEP, "ryzen7", ""},
    {"../kernels/*.steps.jsonl", FORM_SCHEDULES, TABLE_SWEEP, "ryzen7", ""}, /* beside the folder of the tables */
};

/* Reading --------------------------------------------------------------------------------------------------------- */

static const char *stem_after(struct release *r, const char *path)
{
    static const char *const before[] = {"exploiters_", "variance_", "dpmeta_", "microkernels_"};
    const char *stem = file_stem(r->arena, path);
    for (int i = 0; i < 4; i++)
        if (str_starts(stem, before[i]))
            return stem + strlen(before[i]);
    return stem;
}

/* "perf_stats/RTX3080/grid/alexnet.csv" and "_a": "grid_a" */
static const char *run_of(struct release *r, const struct file_pattern *l, const char *path)
{
    if (l->table != TABLE_EXPLOITERS)
        return l->run;
    const char *slash = strrchr(path, '/'), *from = slash;
    while (from > path && from[-1] != '/')
        from--;
    return arena_printf(r->arena, "%.*s%s", (int)(slash - from), from, l->run);
}

/* "…/a100_matmul.log": what Ansor alone reached, for rows that do not print it. Kept as a block of its own till
 * block_state_decide hands it out. */
static int read_log(struct release *r, const struct file_pattern *l, const char *path, const char *text)
{
    const char *stem = file_stem(r->arena, path), *kernel = strchr(stem, '_');
    struct release_row row = release_row(0, 0);
    if (!kernel || !bennu_log(r, path, text, &row))
        return 0;
    struct release_block names = {
        .table = TABLE_MICRO, .machine = l->machine, .run = "log", .network = kernel + 1, .file = path};
    int at = release_block(r, &names);
    vec_push(&r->blocks.at[at].rows, row);
    return (int)row.v[BASE_RECORDS];
}

static void read_file(struct release *r, const struct file_pattern *l, const char *path)
{
    char *text;
    size_t n;
    struct err err = {0};
    struct release_file f = {
        .path = path, .table = l->table, .machine = l->machine, .run = "", .network = "", .status = ""};
    if (l->form == FORM_UNREAD)
        vec_push(&r->unread, path);
    if (l->form >= FORM_MODEL)
        return;
    if (!file_read(r->arena, file_join(r->arena, r->dir, path), 0, &text, &n, &err)) {
        release_problem(r, path, 0, "%s", err.text);
        return;
    }
    if (l->form == FORM_COVERAGE) {
        compact_coverage(r, path, text);
        return;
    }
    if (l->form == FORM_SCHEDULES) {
        schedules_read(r, path, l->machine, text);
        return;
    }
    if (l->form == FORM_COMPACT) {
        f.machine = *l->machine ? l->machine : stem_after(r, path);
        f.rows = compact_read(r, l->table, path, f.machine, text);
        r->compact = true;
    } else if (l->form == FORM_LOG) {
        f.rows = read_log(r, l, path, text);
    } else {
        f.run = run_of(r, l, path);
        f.network = bennu_network(path);
        struct bennu_source source = {path, l->table, l->machine, f.run};
        f.rows = bennu_read(r, &source, text);
    }
    vec_push(&r->files, f);
}

/* Walking --------------------------------------------------------------------------------------------------------- */

struct found {
    struct release *r;
    VEC(const char *) paths;
};

static bool walk(struct found *f, const char *below, int depth, struct err *err)
{
    const char *dir = *below ? file_join(f->r->arena, f->r->dir, below) : f->r->dir;
    DIR *d = opendir(dir);
    if (!d)
        return err_set(err, "cannot list the folder '%s'", dir);
    for (struct dirent *e; (e = readdir(d)) && f->paths.n < FILES_MOST;) {
        if (e->d_name[0] == '.')
            continue;
        const char *path = *below ? file_join(f->r->arena, below, e->d_name) : arena_str(f->r->arena, e->d_name);
        if (!file_is_dir(file_join(f->r->arena, f->r->dir, path)))
            vec_push(&f->paths, path);
        else if (depth > 1)
            (void)walk(f, path, depth - 1, NULL); /* a folder that cannot be listed holds no results for us */
    }
    closedir(d);
    return true;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static const struct file_pattern *pattern_of(const char *path)
{
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        if (fnmatch(patterns[i].pattern, path, FNM_PATHNAME) == 0)
            return &patterns[i];
    return NULL;
}

struct onnx_file {
    const char *name, *text;
};

/* Files of one content: an LFS pointer holds the hash of what it stands for. */
static void find_duplicates(struct release *r, const struct found *f)
{
    VEC(struct onnx_file) seen = {0};
    for (int i = 0; i < f->paths.n; i++) {
        char *text;
        size_t n;
        struct err ignored = {0};
        const struct file_pattern *l = pattern_of(f->paths.at[i]);
        if (!l || l->form != FORM_MODEL ||
            !file_read(r->arena, file_join(r->arena, r->dir, f->paths.at[i]), 4096, &text, &n, &ignored) || n == 0)
            continue;
        const char *name = file_stem(r->arena, f->paths.at[i]);
        for (int k = 0; k < seen.n; k++)
            if (str_eq(seen.at[k].text, text))
                vec_push(&r->duplicates, (struct release_duplicate){seen.at[k].name, name});
        vec_push(&seen, (struct onnx_file){name, text});
    }
    vec_free(&seen);
}

static void release_free(void *with)
{
    struct release *r = with;
    for (int i = 0; i < r->blocks.n; i++)
        vec_free(&r->blocks.at[i].rows);
    vec_free(&r->blocks);
    vec_free(&r->files);
    vec_free(&r->problems);
    vec_free(&r->schedules);
    vec_free(&r->duplicates);
    vec_free(&r->unread);
}

bool release_open(struct arena *a, const char *dir, struct release **out, bool *none, struct err *err)
{
    struct release *r = ARENA_NEW(a, struct release);
    struct found f = {.r = r};
    r->arena = a;
    r->dir = arena_str(a, dir);
    arena_defer(a, release_free, r);
    *out = r;
    if (!walk(&f, "", DEPTH_MOST, err)) {
        vec_free(&f.paths);
        return false;
    }
    if (file_is_dir(file_join(a, dir, BESIDE)))
        (void)walk(&f, BESIDE, 1, NULL);
    if (f.paths.n)
        qsort(f.paths.at, (size_t)f.paths.n, sizeof *f.paths.at, by_name);
    for (int i = 0; i < f.paths.n; i++) {
        const struct file_pattern *l = pattern_of(f.paths.at[i]);
        if (l)
            read_file(r, l, f.paths.at[i]);
    }
    find_duplicates(r, &f);
    vec_free(&f.paths);
    block_state_decide(r);
    *none = r->files.n == 0;
    return !*none;
}
