/* SPDX-License-Identifier: Apache-2.0 */
/* kernels: the committed networks against facts from outside. Kernel counts: the authors' result tables (lac-dcc/bennu,
 * perf_stats/). Totals: torchvision's model pages (num_params, GFLOPS counted as multiply-adds). Kernels, their order
 * and calls: the authors' records and task tables (data/kernels), where they have them. */
#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/experiment/network.h"
#include "harness/record/tvm/workload.h"
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* left: parameters that are in no kernel: one scale for each channel of a batch normalisation behind a convolution, all
 * four of one before it count twice; of inception_v3 also the auxiliary head. gmacs 0: none published for this input.
 */
static const struct fact {
    const char *name;
    int kernels, calls;
    double gmacs;
    int64_t num_params, left;
} FACTS[] = {
    {"alexnet", 13, 13, 0.714, 61100840, 0},
    {"vgg11", 17, 18, 7.609, 132863336, 0},
    {"resnet18", 19, 24, 1.814, 11689512, 4800},
    {"resnet34", 19, 40, 3.664, 21797672, 8512},
    {"vgg13", 19, 20, 11.308, 133047848, 0},
    {"vgg16", 19, 23, 15.470, 138357544, 0},
    {"vgg19", 19, 26, 19.632, 143667240, 0},
    {"shufflenet", 20, 60, 0.145, 2278604, 8090},
    {"squeezenet", 23, 31, 0.349, 1235496, 0},
    {"resnet101", 28, 108, 7.801, 44549160, 52672},
    {"resnet152", 28, 159, 11.514, 60192808, 75712},
    {"resnet50", 28, 57, 4.089, 25557032, 26560},
    {"mobilenet_v2", 33, 55, 0.301, 3504872, 17056},
    {"mnasnet1_0", 36, 55, 0.314, 4383312, 18960},
    {"inception_v3", 56, 110, 0, 27161264, 17216 + 3326696},
    {"googlenet", 62, 73, 1.498, 6624904, 7280},
    {"densenet121", 73, 127, 2.834, 7978856, 76160},
    {"densenet161", 93, 167, 7.728, 28681000, 204864},
    {"densenet169", 97, 175, 3.360, 14149480, 147840},
    {"densenet201", 113, 207, 4.291, 20013928, 216448},
};
enum { FACTS_N = sizeof FACTS / sizeof *FACTS };

static const struct network *load(const char *name)
{
    struct network *n;
    struct err err = {0};
    if (network_load(arena, "experiments", name, &n, &err))
        return n;
    fail("%s: %s", name, err.text);
    return NULL;
}

static void test_totals(void)
{
    int sum = 0;
    for (int i = 0; i < FACTS_N; i++) {
        const struct fact *f = &FACTS[i];
        const struct network *n = load(f->name);
        if (!n)
            continue;
        sum += n->nkernels;
        is_int(n->nkernels, f->kernels, "%s: kernels", f->name);
        is_int(n->calls, f->calls, "%s: calls", f->name);
        is_int(llround(n->params_sum_m * 1e6), f->num_params - f->left, "%s: parameters", f->name);
        if (f->gmacs > 0)
            is_int(llround(n->macs_sum_m), llround(f->gmacs * 1e3), "%s: millions of multiply-adds", f->name);
        ok(n->gflop >= 2e-3 * n->macs_sum_m, "%s: FLOP are at least two for each multiply-add", f->name);
    }
    is_int(sum, 815, "kernels of the 20 networks");
}

/* By the task line: 0 both have it as often, else what is missing. */
static int differing(const struct network *x, const struct network *y, bool calls)
{
    int missing = 0;
    for (int i = 0; i < x->nkernels; i++) {
        bool found = false;
        for (int k = 0; k < y->nkernels; k++)
            found = found || (str_eq(x->tasks[i].task->spec, y->tasks[k].task->spec) &&
                              (!calls || x->tasks[i].weight == y->tasks[k].weight));
        missing += !found;
    }
    return missing + abs(x->nkernels - y->nkernels);
}

static void test_resnets(void)
{
    const struct network *n50 = load("resnet50"), *n101 = load("resnet101"), *n152 = load("resnet152"),
                         *released = load("resnet152_released"), *n18 = load("resnet18"), *n34 = load("resnet34"),
                         *v16 = load("vgg16"), *v19 = load("vgg19");
    if (!n50 || !n101 || !n152 || !released || !n18 || !n34 || !v16 || !v19)
        return;
    ok(!differing(n50, n101, false) && !differing(n50, n152, false), "resnet50, 101 and 152 have the same kernels");
    ok(!differing(n18, n34, false), "resnet18 and 34 have the same kernels");
    ok(!differing(v16, v19, false), "vgg16 and 19 have the same kernels");
    is_int(differing(n101, released, true), 0, "the authors' resnet152 is a resnet101, in its calls too");
    ok(differing(n152, released, true) > 0 && n152->calls == released->calls + 3 * 17,
       "17 blocks less than a true one");
}

static void test_others(void)
{
    static const struct {
        const char *name;
        int kernels;
        double macs_m; /* published, of the source that the file names; 0: none */
        double within;
    } WANT[] = {{"micro", 6, 0, 0},          {"mobilenet_v1", 22, 569, 0.001},       {"relay_vgg16", 18, 15470, 0.001},
                {"resnet50_v1", 25, 0, 0},   {"relay_inception_v3", 56, 5713, 1e-4}, {"bert_base", 9, 11250, 0.01},
                {"relay_resnet18", 20, 0, 0}};
    for (size_t i = 0; i < sizeof WANT / sizeof *WANT; i++) {
        const struct network *n = load(WANT[i].name);
        if (!n)
            continue;
        is_int(n->nkernels, WANT[i].kernels, "%s: kernels", WANT[i].name);
        if (WANT[i].macs_m > 0)
            is_near(n->macs_sum_m, WANT[i].macs_m, WANT[i].within, "%s: multiply-adds", WANT[i].name);
    }
}

/* Totals of the networks of arXiv 2402.02361 against published ones, and against the same network in another layout. */
static void test_pruner(void)
{
    static const struct {
        const char *name, *same; /* as many multiply-adds and kernels' parameters; NULL: none */
        int kernels, calls;
        int64_t macs, params; /* params: all, published; 0: not published */
    } WANT[] = {
        {"pruner_resnet50", "resnet50", 27, 56, 4089184256, 25557032},
        {"pruner_wide_resnet50", NULL, 27, 56, 11398021120, 68883240},
        {"pruner_mobilenet_v2", "mobilenet_v2", 32, 54, 300774272, 3504872},
        {"pruner_densenet121", "densenet121", 72, 126, 2834161664, 7978856},
        {"pruner_inception_v3", NULL, 55, 109, 5713216096, 27161264},
        {"pruner_vit", NULL, 12, 59, 3525824512, 0},
        {"pruner_detr", NULL, 47, 244, 6932799488, 0},
        {"pruner_deeplabv3_r50", NULL, 32, 62, 9149666304, 0},
        {"pruner_bert_base", "bert_base", 9, 134, 11174215680, 109482240},
        {"pruner_bert_tiny", NULL, 9, 68, 2516844544, 0},
        {"pruner_gpt2", NULL, 8, 109, 11173625856, 124439808},
        {"pruner_llama", NULL, 9, 145, 14797504512, 0},
        {"pruner_dcgan", NULL, 5, 5, 1637416960, 0},
    };
    for (size_t i = 0; i < sizeof WANT / sizeof *WANT; i++) {
        const struct network *n = load(WANT[i].name), *same = WANT[i].same ? load(WANT[i].same) : NULL;
        if (!n)
            continue;
        is_int(n->nkernels, WANT[i].kernels, "%s: kernels", n->name);
        is_int(n->calls, WANT[i].calls, "%s: calls", n->name);
        is_int(llround(n->macs_sum_m * 1e6), WANT[i].macs, "%s: multiply-adds", n->name);
        if (WANT[i].params)
            is_int(llround(n->params_sum_m * 1e6) + n->declared.params_left, WANT[i].params, "%s: all parameters",
                   n->name);
        if (same)
            ok(fabs(n->macs_sum_m - same->macs_sum_m) < 1e-7 && fabs(n->params_sum_m - same->params_sum_m) < 1e-7,
               "%s: the sums of %s", n->name, same->name);
    }
    const struct network *operators = load("pruner_operators");
    ok(operators && operators->nkernels == 101 && operators->calls == 101, "101 of the 134 entries of the list");
    int large = 0;
    for (int i = 0; operators && i < operators->nkernels; i++)
        large += operators->tasks[i].task->flops > 25e9;
    is_int(large, 24, "operators of the Pruner paper that have more than 25 GFLOP");
    const struct network *products = load("pruner_im2col");
    ok(products && products->nkernels == 31 && products->calls == 31, "31 of the others, as products of matrices");
    int im2col = 0, found = 0;
    for (int i = 0; products && i < products->nkernels; i++) {
        const char *spec = products->tasks[i].task->spec;
        const char *same = str_starts(spec, "im2col ") ? arena_printf(arena, "conv2d %s", spec + 7) : "";
        im2col += *same != 0;
        for (int k = 0; *same && operators && k < operators->nkernels; k++)
            found += str_starts(operators->tasks[k].task->spec, same) &&
                     strstr(operators->tasks[k].task->spec, "layout=nchw ");
    }
    is_int(im2col, 31, "all of them are of operator im2col");
    is_int(found, 27, "of these all but four stand in the list as plain convolutions, too");
}

/* ---- data/kernels ---- */

enum { COLUMNS = 16, INDEX = 0, HASH = 1, SHAPES = 2, KIND = 7, DESC = 8, CALLS = 11 };
enum { T_NETWORK = 0, T_NAME = 2, T_CALLS = 4, T_INDEX = 5, T_SHAPES = 6 };

/* Cuts a line at its tabs, in place. Cells that are not there are empty. */
static void cut(char *line, const char *cells[COLUMNS])
{
    for (int i = 0; i < COLUMNS; i++) {
        char *end = line + strcspn(line, "\t");
        cells[i] = line;
        line = *end ? end + 1 : end;
        *end = 0;
    }
}

/* "1x16x7x7x32;1x512": the arguments in order, the output last. (In a record's table they stand as the graph meets
 * them: a residual that is read first comes first. That order is in the task line.) */
static const char *shapes_text(const struct task *t)
{
    struct text out = {0};
    for (int i = 0; i < t->nargs; i++) {
        const struct op *op = task_arg_op(t, i);
        for (int k = 0; k < op->nspatial; k++)
            text_printf(&out, "%s%lld", k ? "x" : i ? ";" : "", (long long)op->axes[k].extent);
    }
    return fixture_text(&out);
}

/* The published description as a task line. A mean leaves out the dimensions that it reduces. */
static const char *published_spec(const char *const cells[COLUMNS])
{
    const char *second = strchr(cells[SHAPES], ';');
    int x = 0;
    for (const char *s = second ? second + 1 : ""; *s && *s != ';'; s++)
        x += *s == 'x';
    if (str_eq(cells[KIND], "global_pool2d") && x == 2) {
        char *words = arena_str(arena, cells[DESC]), *pool = strstr(words, " pool=");
        if (pool)
            *pool = 0;
        return arena_printf(arena, "mean %s", words);
    }
    bool residual = strstr(cells[DESC], "add=1") && x == 4;
    return arena_printf(arena, "%s %s%s", cells[KIND], cells[DESC], residual ? " order=residual" : "");
}

struct tally {
    int rows, lines, hashes, calls, calls_known;
};

static void compare_row(const char *const cells[COLUMNS], const struct network *n, bool ordered, struct tally *s)
{
    struct task *t;
    struct err err = {0};
    if (!task_parse(arena, published_spec(cells), &t, &err)) {
        diag("%s: %s", n->name, err.text);
        return;
    }
    for (int i = 0; i < n->nkernels; i++) {
        const struct task *ours = n->tasks[i].task;
        if (!str_eq(ours->spec, t->spec) || (ordered && i != atoi(cells[INDEX])))
            continue;
        const char *older = workload_hash(arena, ours->dag, true);
        s->lines++;
        s->hashes += !older || str_eq(older, cells[HASH]);
        s->calls += *cells[CALLS] && n->tasks[i].weight == atof(cells[CALLS]);
    }
    s->calls_known += *cells[CALLS] != 0;
}

/* Every released record describes the kernel at its index; TVM's hash of the graph is that of ours. */
static void test_records(const char *dir)
{
    struct tally s = {0};
    for (int i = 0; i < FACTS_N; i++) {
        const char *name = FACTS[i].name, *path = file_join(arena, dir, arena_printf(arena, "%s.tsv", name));
        const struct network *n = load(str_eq(name, "resnet152") ? "resnet152_released" : name);
        char *rest = NULL;
        const char *cells[COLUMNS];
        if (!n || !file_exists(path))
            continue;
        for (char *line = strtok_r(fixture_read(path), "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
            cut(line, cells);
            if (str_eq(cells[INDEX], "index"))
                continue;
            s.rows++;
            compare_row(cells, n, !str_eq(name, "resnet18"), &s);
        }
    }
    is_int(s.rows, 634, "the record tables of 18 networks have 634 kernels");
    is_int(s.lines, s.rows,
           "the kernels of the record tables are ours, at the same place (of resnet18 the order is not known)");
    is_int(s.hashes, s.rows, "the kernels of the record tables have TVM's hash");
    is_int(s.calls, s.calls_known, "the kernels of the record tables have as many calls as ours, where %d are known",
           s.calls_known);
}

/* The kernel of a network with these shapes and calls that no row has yet; -1. */
static int unused(const struct network *n, const char *shapes, const char *calls, bool *used)
{
    for (int i = 0; i < n->nkernels; i++)
        if (!used[i] && str_eq(shapes_text(n->tasks[i].task), shapes) && (!*calls || n->tasks[i].weight == atof(calls)))
            return i;
    return -1;
}

/* The task tables have every kernel of all 20 networks by its shapes, besides what moves data. */
static void test_tasks(const char *path)
{
    char *rest = NULL;
    const char *cells[COLUMNS];
    const struct network *n = NULL;
    const char *at = "";
    bool *used = NULL;
    int rows = 0, found = 0, placed = 0;
    for (char *line = strtok_r(fixture_read(path), "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        cut(line, cells);
        if (str_eq(cells[T_NETWORK], "network") || strstr(cells[T_NAME], "layout_transform") ||
            strstr(cells[T_NAME], "nn_pad") || !*cells[T_SHAPES])
            continue;
        if (!str_eq(at, cells[T_NETWORK])) {
            at = cells[T_NETWORK];
            n = load(str_eq(at, "resnet152") ? "resnet152_released" : at);
            used = n ? ARENA_ARRAY(arena, bool, n->nkernels) : NULL;
        }
        int i = n ? unused(n, cells[T_SHAPES], cells[T_CALLS], used) : -1;
        rows++;
        found += i >= 0;
        if (i < 0) {
            diag("%s: no kernel %s %s", at, cells[T_NAME], cells[T_SHAPES]);
            continue;
        }
        used[i] = true;
        placed += str_eq(at, "resnet18") || !*cells[T_INDEX] ||
                  str_eq(shapes_text(n->tasks[atoi(cells[T_INDEX])].task), cells[T_SHAPES]);
    }
    is_int(rows, 813, "tasks with a reduction; the source has no shapes of two");
    is_int(found, rows, "each is another kernel of ours with as many calls");
    is_int(placed, rows, "at the index that the table gives");
}

int main(void)
{
    test_totals();
    test_resnets();
    test_others();
    test_pruner();
    const char *dir = shared_path("data/kernels");
    if (dir) {
        dir = arena_str(arena, dir);
        test_records(dir);
        test_tasks(file_join(arena, dir, "metaschedule_tasks.tsv"));
    } else {
        skip("the published data is not here (RAINGAUGE_SHARED)", "kernels, order and calls of the authors");
    }
    return done_testing();
}
