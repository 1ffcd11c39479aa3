/* SPDX-License-Identifier: Apache-2.0 */
/* release: finds the files by the folder's layout, has them read, and says which block of several counts. Defects that
 * are treated here (droplet.md 5.1, data/README.md): blocks run with another k than their label says, blocks that hold
 * another network's rows, cells that stand in two files (a later single run beside one that was cut off). */
#include "harness/released/release.h"

#include "harness/base/file.h"
#include "harness/base/hash.h"
#include "harness/base/text.h"
#include "harness/released/bennu.h"
#include "harness/released/compact.h"
#include "harness/released/paper_networks.h"

#include <dirent.h>
#include <fnmatch.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MOST = 7, FILES_MOST = 200000 };
static const double SENTINEL_EXPLOITERS = 9999, SENTINEL_META = 1e10;

enum form { FORM_BENNU, FORM_COMPACT, FORM_COVERAGE, FORM_LOG, FORM_MODEL, FORM_UNREAD, FORM_RESULT };
/* The first pattern that fits a path decides. "" as machine: the file's name tells (compact form). */
static const struct layout {
    const char *pattern;
    enum form form;
    enum family family;
    const char *machine, *run;
} layouts[] = {
    {"results/dpansor_x86.csv", FORM_BENNU, FAMILY_SWEEP, "ryzen7", ""},
    {"results/table_x86.csv", FORM_BENNU, FAMILY_SWEEP, "ryzen7", ""},
    {"perf_stats/RTX3080/*.csv", FORM_BENNU, FAMILY_SWEEP, "rtx3080", ""},
    {"perf_stats/RTX3080/*/*.csv", FORM_BENNU, FAMILY_EXPLOITERS, "rtx3080", "_a"},
    {"perf_stats/Ryzen3700X/*/*.csv", FORM_BENNU, FAMILY_EXPLOITERS, "ryzen7", "_a"},
    {"perf_stats/ryzen3700x/*/*.csv", FORM_BENNU, FAMILY_EXPLOITERS, "ryzen7", "_b"},
    {"perf_stats/a100/*getvariance_pvalue.log", FORM_BENNU, FAMILY_VARIANCE, "a100", "2"},
    {"perf_stats/a100/*getvariance*.log", FORM_BENNU, FAMILY_VARIANCE, "a100", "1"},
    {"perf_stats/a100/*.log", FORM_BENNU, FAMILY_SWEEP, "a100", ""},
    {"perf_stats/a64fx/*getvar*pvalue.log", FORM_BENNU, FAMILY_VARIANCE, "a64fx", "2"},
    {"perf_stats/a64fx/*getvar*.log", FORM_BENNU, FAMILY_VARIANCE, "a64fx", "1"},
    {"perf_stats/a64fx/*.log", FORM_BENNU, FAMILY_SWEEP, "a64fx", ""},
    {"perf_stats/x86/*getvar*pvalue.log", FORM_BENNU, FAMILY_VARIANCE, "ryzen7", "2"},
    {"perf_stats/x86/*getvar*.log", FORM_BENNU, FAMILY_VARIANCE, "ryzen7", "1"},
    {"results/dpmeta_x86_new.csv", FORM_BENNU, FAMILY_META, "ryzen7", ""},
    {"results/dpmeta_x86_intel.csv", FORM_BENNU, FAMILY_META, "intel_x86", ""},
    {"results/dpmeta_cuda_rtx3080.csv", FORM_BENNU, FAMILY_META, "rtx3080", ""},
    {"results/dpmeta_cuda_a100_*.csv", FORM_BENNU, FAMILY_META, "a100", ""},
    {"results/dpmeta_arm_*.csv", FORM_BENNU, FAMILY_META, "a64fx", ""}, /* some are called arm_a100: all are A64FX's */
    {"results/*.csv", FORM_UNREAD, FAMILY_META, "", ""},                /* dpmeta_x86.csv and others, replaced since */
    {"benchmarks/microkernels/DpAnsor/results/rtx3080_top*.csv", FORM_BENNU, FAMILY_MICRO, "rtx3080", ""},
    {"benchmarks/microkernels/DpAnsor/a100/results/a100_top*.csv", FORM_BENNU, FAMILY_MICRO, "a100", ""},
    {"benchmarks/microkernels/DpAnsor/*_droplet.log", FORM_RESULT, FAMILY_MICRO, "", ""},
    {"benchmarks/microkernels/DpAnsor/*/*_droplet.log", FORM_RESULT, FAMILY_MICRO, "", ""},
    {"benchmarks/microkernels/DpAnsor/*/*/*_droplet.log", FORM_RESULT, FAMILY_MICRO, "", ""},
    {"benchmarks/microkernels/DpAnsor/log/rtx3080_*.log", FORM_LOG, FAMILY_MICRO, "rtx3080", ""},
    {"benchmarks/microkernels/DpAnsor/a100/log/a100_*.log", FORM_LOG, FAMILY_MICRO, "a100", ""},
    {"perf_stats/*.csv", FORM_UNREAD, FAMILY_SWEEP, "", ""},
    {"perf_stats/*/*.csv", FORM_UNREAD, FAMILY_SWEEP, "", ""},
    {"perf_stats/*/*.log", FORM_UNREAD, FAMILY_SWEEP, "", ""},
    {"models/*.onnx", FORM_MODEL, FAMILY_SWEEP, "", ""},
    {"expected*.tsv", FORM_RESULT, FAMILY_SWEEP, "", ""}, /* computed from the others, not read */
    {"dpmeta_expected.tsv", FORM_RESULT, FAMILY_META, "", ""},
    {"outliers.tsv", FORM_RESULT, FAMILY_SWEEP, "", ""},
    {"exploiters_coverage.tsv", FORM_COVERAGE, FAMILY_EXPLOITERS, "", ""},
    {"exploiters_*.tsv", FORM_COMPACT, FAMILY_EXPLOITERS, "", ""},
    {"variance_*.tsv", FORM_COMPACT, FAMILY_VARIANCE, "", ""},
    {"dpmeta_*.tsv", FORM_COMPACT, FAMILY_META, "", ""},
    {"microkernels_other.tsv", FORM_COMPACT, FAMILY_OTHER, "rtx3080", ""},
    {"microkernels_*.tsv", FORM_COMPACT, FAMILY_MICRO, "", ""},
    {"ryzen7.tsv", FORM_COMPACT, FAMILY_SWEEP, "", ""},
    {"rtx3080.tsv", FORM_COMPACT, FAMILY_SWEEP, "", ""},
    {"a100.tsv", FORM_COMPACT, FAMILY_SWEEP, "", ""},
    {"a64fx.tsv", FORM_COMPACT, FAMILY_SWEEP, "", ""},
};

const char *family_word(enum family f)
{
    static const char *const words[FAMILY_COUNT] = {"sweep", "variance", "exploiters", "meta", "micro", "other"};
    return words[f];
}

const char *block_state_word(enum block_state s)
{
    static const char *const words[] = {"", "partial", "mislabelled", "superseded"};
    return words[s];
}

/* For the parsers ------------------------------------------------------------------------------------------------- */

void release_problem(struct release *r, const char *file, int line, const char *fmt, ...)
{
    char text[300];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    vec_push(&r->problems, (struct release_problem){file, line, arena_str(r->arena, text)});
}

static bool same_names(const struct release_block *a, const struct release_block *b)
{
    return a->family == b->family && a->k == b->k && str_eq(a->network, b->network) && str_eq(a->machine, b->machine) &&
           str_eq(a->run, b->run) && str_eq(a->method, b->method);
}

int release_block(struct release *r, const struct release_block *names)
{
    /* The blocks of a file stand together. */
    for (int i = r->blocks.n - 1; i >= 0 && str_eq(r->blocks.at[i].file, names->file); i--)
        if (same_names(&r->blocks.at[i], names))
            return i;
    struct release_block made = *names;
    made.rows.at = NULL;
    made.rows.n = made.rows.cap = 0;
    vec_push(&r->blocks, made);
    return r->blocks.n - 1;
}

static const char *unreal(const struct release_block *b, const struct release_row *row)
{
    static const int times[] = {DROPLET_TIME, SEED_TIME, BASE_TIME};
    if (isnan(row->v[DROPLET_TIME]))
        return "it has no time";
    for (int i = 0; i < 3; i++)
        if (row->v[times[i]] <= 0)
            return "a time is not above 0";
    for (int m = 0; m < MEASURE_COUNT; m++)
        if (row->v[m] < 0)
            return "a cost, a spread or a count is negative";
    if (row->v[P_VALUE] > 1)
        return "a p-value above 1";
    if (b->family <= FAMILY_VARIANCE && (isnan(row->v[BASE_TIME]) || isnan(row->v[SEED_TIME]) ||
                                         isnan(row->v[DROPLET_TOTAL]) || isnan(row->v[BASE_TUNING])))
        return "Ansor's time or a tuning time is missing";
    if (b->family == FAMILY_META && isnan(row->v[BASE_TIME]))
        return "MetaSchedule's time is missing";
    return NULL;
}

bool release_add(struct release *r, int block, const struct release_row *row)
{
    struct release_block *b = &r->blocks.at[block];
    const char *why = unreal(b, row);
    for (int i = b->rows.n - 1; !why && i >= 0 && b->rows.at[i].kernel >= row->kernel; i--)
        if (b->rows.at[i].kernel == row->kernel)
            why = "this kernel stands in the block already";
    if (why) {
        release_problem(r, b->file, row->line, "the row of kernel %d is left out: %s", row->kernel, why);
        return false;
    }
    vec_push(&b->rows, *row);
    return true;
}

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
static const char *run_of(struct release *r, const struct layout *l, const char *path)
{
    if (l->family != FAMILY_EXPLOITERS)
        return l->run;
    const char *slash = strrchr(path, '/'), *from = slash;
    while (from > path && from[-1] != '/')
        from--;
    return arena_printf(r->arena, "%.*s%s", (int)(slash - from), from, l->run);
}

/* "…/a100_matmul.log": what Ansor alone reached, for rows that do not print it. Kept as a block of its own till
 * micro_bases hands it out. */
static int read_log(struct release *r, const struct layout *l, const char *path, const char *text)
{
    const char *stem = file_stem(r->arena, path), *kernel = strchr(stem, '_');
    struct release_row row = {.kernel = 0};
    for (int i = 0; i < MEASURE_COUNT; i++)
        row.v[i] = NAN;
    if (!kernel || !bennu_log(r, path, text, &row))
        return 0;
    struct release_block names = {.family = FAMILY_MICRO,
                                  .machine = l->machine,
                                  .run = "log",
                                  .method = "",
                                  .network = kernel + 1,
                                  .file = path,
                                  .flag = "",
                                  .note = ""};
    int at = release_block(r, &names);
    vec_push(&r->blocks.at[at].rows, row);
    return (int)row.v[BASE_RECORDS];
}

static void read_file(struct release *r, const struct layout *l, const char *path)
{
    char *text;
    size_t n;
    struct err err = {0};
    struct release_file f = {
        .path = path, .family = l->family, .machine = l->machine, .run = "", .network = "", .status = ""};
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
    if (l->form == FORM_COMPACT) {
        f.machine = *l->machine ? l->machine : stem_after(r, path);
        f.rows = compact_read(r, l->family, path, f.machine, text);
        r->compact = true;
    } else if (l->form == FORM_LOG) {
        f.rows = read_log(r, l, path, text);
    } else {
        f.run = run_of(r, l, path);
        f.network = bennu_network(path);
        struct bennu_source source = {path, l->family, l->machine, f.run};
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

static const struct layout *layout_of(const char *path)
{
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        if (fnmatch(layouts[i].pattern, path, FNM_PATHNAME) == 0)
            return &layouts[i];
    return NULL;
}

struct model {
    const char *name, *text;
};

/* Files of one content: an LFS pointer holds the hash of what it stands for. */
static void find_twins(struct release *r, const struct found *f)
{
    VEC(struct model) seen = {0};
    for (int i = 0; i < f->paths.n; i++) {
        char *text;
        size_t n;
        struct err ignored = {0};
        const struct layout *l = layout_of(f->paths.at[i]);
        if (!l || l->form != FORM_MODEL ||
            !file_read(r->arena, file_join(r->arena, r->dir, f->paths.at[i]), 4096, &text, &n, &ignored) || n == 0)
            continue;
        const char *name = file_stem(r->arena, f->paths.at[i]);
        for (int k = 0; k < seen.n; k++)
            if (str_eq(seen.at[k].text, text))
                vec_push(&r->twins, (struct release_twin){seen.at[k].name, name});
        vec_push(&seen, (struct model){name, text});
    }
    vec_free(&seen);
}

/* Which block counts ---------------------------------------------------------------------------------------------- */

static bool kin(const struct release_block *a, const struct release_block *b)
{
    return a->family == b->family && str_eq(a->machine, b->machine);
}

/* Rows of a whole block: the network's kernels, or for MetaSchedule, whose tasks differ by machine, the most frequent
 * number among the network's blocks. */
static int whole_rows(const struct release *r, const struct release_block *b)
{
    int place = paper_network_place(b->network), best = 0, best_count = 0;
    if (b->family == FAMILY_MICRO || b->family == FAMILY_OTHER)
        return 1;
    if (b->family != FAMILY_META && place >= 0)
        return suite[place].kernels;
    for (int i = 0; i < r->blocks.n; i++) {
        const struct release_block *x = &r->blocks.at[i];
        int count = 0;
        if (!kin(x, b) || !str_eq(x->network, b->network) || x->state == BLOCK_MISLABELLED)
            continue;
        for (int k = 0; k < r->blocks.n; k++)
            count += kin(&r->blocks.at[k], b) && str_eq(r->blocks.at[k].network, b->network) &&
                     r->blocks.at[k].rows.n == x->rows.n;
        if (count > best_count || (count == best_count && x->rows.n > best)) {
            best = x->rows.n;
            best_count = count;
        }
    }
    return best;
}

/* The 10,000-trial search is one log a network: a block with another network's BASE_TIMEs holds that network. */
static bool same_base(const struct release_block *a, const struct release_block *b)
{
    if (a->rows.n != b->rows.n || a->rows.n < 2)
        return false;
    for (int i = 0; i < a->rows.n; i++)
        if (a->rows.at[i].v[BASE_TIME] != b->rows.at[i].v[BASE_TIME])
            return false;
    return true;
}

static void find_mislabelled(struct release *r, struct release_block *b)
{
    for (int i = 0; i < r->blocks.n && b->state == BLOCK_WHOLE; i++) {
        const struct release_block *x = &r->blocks.at[i];
        if (x == b || !kin(x, b) || str_eq(x->network, b->network) || x->rows.n != x->kernels || !same_base(x, b))
            continue;
        b->state = BLOCK_MISLABELLED;
        b->note = arena_printf(r->arena, "holds the kernels of %s", x->network);
    }
}

static void settle_state(struct release *r, struct release_block *b)
{
    if (b->state != BLOCK_WHOLE || b->rows.n == b->kernels)
        return;
    if (b->family <= FAMILY_META)
        find_mislabelled(r, b);
    if (b->state == BLOCK_WHOLE && b->rows.n < b->kernels) {
        b->state = BLOCK_PARTIAL;
        b->note = arena_printf(r->arena, "%d of %d kernels", b->rows.n, b->kernels);
    } else if (b->state == BLOCK_WHOLE) {
        b->state = BLOCK_MISLABELLED;
        b->note = arena_printf(r->arena, "%d rows, the network has %d kernels", b->rows.n, b->kernels);
    }
}

/* Of two blocks of one name the whole one counts, else the one with more rows, else the one read first. */
static void settle_twice(struct release *r, int at)
{
    struct release_block *b = &r->blocks.at[at];
    for (int i = 0; i < at; i++) {
        struct release_block *x = &r->blocks.at[i], *loser;
        if (!same_names(x, b) || !release_counts(x) || !release_counts(b))
            continue;
        loser = b->rows.n > x->rows.n ? x : b;
        loser->state = BLOCK_SUPERSEDED;
        loser->note = arena_printf(r->arena, "%s has this block too", loser == x ? b->file : x->file);
    }
}

/* Rows of micro-kernels that print no Ansor columns take them from its log. */
static void micro_bases(struct release *r)
{
    for (int i = 0; i < r->blocks.n; i++) {
        struct release_block *b = &r->blocks.at[i];
        if (b->family != FAMILY_MICRO || str_eq(b->run, "log") || !b->rows.n || !isnan(b->rows.at[0].v[BASE_TIME]))
            continue;
        const struct release_block *log = release_find(r, FAMILY_MICRO, b->machine, "log", NULL, b->network, 0);
        for (int m = BASE_TIME; log && m <= BASE_RECORDS; m++)
            b->rows.at[0].v[m] = log->rows.at[0].v[m];
    }
}

static void settle(struct release *r)
{
    for (int i = 0; i < r->blocks.n; i++)
        r->blocks.at[i].kernels = whole_rows(r, &r->blocks.at[i]);
    for (int i = 0; i < r->blocks.n; i++)
        settle_state(r, &r->blocks.at[i]);
    for (int i = 0; i < r->blocks.n; i++)
        settle_twice(r, i);
    micro_bases(r);
}

static void release_free(void *with)
{
    struct release *r = with;
    for (int i = 0; i < r->blocks.n; i++)
        vec_free(&r->blocks.at[i].rows);
    vec_free(&r->blocks);
    vec_free(&r->files);
    vec_free(&r->problems);
    vec_free(&r->twins);
    vec_free(&r->unread);
}

bool release_open(struct arena *a, const char *dir, struct release **out, struct err *err)
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
    if (f.paths.n)
        qsort(f.paths.at, (size_t)f.paths.n, sizeof *f.paths.at, by_name);
    for (int i = 0; i < f.paths.n; i++) {
        const struct layout *l = layout_of(f.paths.at[i]);
        if (l)
            read_file(r, l, f.paths.at[i]);
    }
    find_twins(r, &f);
    vec_free(&f.paths);
    settle(r);
    return r->files.n > 0 || err_set(err,
                                     "'%s' holds no released results: neither perf_stats/ and results/ of the authors' "
                                     "repository nor tables such as ryzen7.tsv",
                                     dir);
}

/* Asking ---------------------------------------------------------------------------------------------------------- */

bool release_counts(const struct release_block *b)
{
    return b->state == BLOCK_WHOLE || b->state == BLOCK_PARTIAL;
}

const struct release_block *release_find(const struct release *r, enum family f, const char *machine, const char *run,
                                         const char *method, const char *network, int64_t k)
{
    for (int i = 0; i < r->blocks.n; i++) {
        const struct release_block *b = &r->blocks.at[i];
        if (b->family == f && b->k == k && b->rows.n && release_counts(b) && str_eq(b->network, network) &&
            str_eq(b->machine, machine) && (!run || str_eq(b->run, run)) && (!method || str_eq(b->method, method)))
            return b;
    }
    return NULL;
}

double release_sum(const struct release_block *b, enum measure m)
{
    double sum = 0;
    for (int i = 0; i < b->rows.n; i++)
        sum += b->rows.at[i].v[m];
    return sum;
}

bool release_failed(const struct release_row *row, enum measure m)
{
    return row->v[m] == SENTINEL_EXPLOITERS || row->v[m] >= SENTINEL_META;
}

int release_machines(const struct release *r, enum family f, const char **names, int most)
{
    static const char *const order[] = {"ryzen7", "rtx3080", "a100", "a64fx", "intel_x86"};
    int n = 0;
    for (int pass = 0; pass < 6; pass++)
        for (int i = 0; i < r->blocks.n && n < most; i++) {
            const struct release_block *b = &r->blocks.at[i];
            bool known = false, wanted = pass < 5 && str_eq(b->machine, order[pass < 5 ? pass : 0]);
            for (int k = 0; k < n; k++)
                known = known || str_eq(names[k], b->machine);
            if (b->family == f && b->rows.n && !known && (wanted || pass == 5))
                names[n++] = b->machine;
        }
    return n;
}

int release_ks(const struct release *r, enum family f, const char *machine, int64_t *ks, int most)
{
    int n = 0;
    for (int i = 0; i < r->blocks.n; i++) {
        const struct release_block *b = &r->blocks.at[i];
        int at = 0;
        if (b->family != f || !b->rows.n || !b->k || !release_counts(b) || !str_eq(b->machine, machine))
            continue;
        while (at < n && ks[at] < b->k)
            at++;
        if (n == most || (at < n && ks[at] == b->k))
            continue;
        memmove(&ks[at + 1], &ks[at], sizeof *ks * (size_t)(n - at));
        ks[at] = b->k;
        n++;
    }
    return n;
}
