/* SPDX-License-Identifier: Apache-2.0 */
/* The stage graphs of TVM v0.16 (data/tvm_oracle): ours must equal them op by op, name by name, formula by formula, for
 * every workload of the papers' x86 kernels and for the GPU cases. Then the analysis of harness/doc/ansor.md, "Analysis
 * of the graph" on known ops, and what a dag refuses. */
#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/program/ir/access_analysis.h"
#include "harness/program/ir/dag_make.h"
#include "harness/program/ir/dag_print.h"
#include "harness/program/ops/task.h"
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

#include <string.h>

enum { MOST_RECORDS = 4096 };

struct stage_record {
    const char *hash, *spec;
};

/* ---- the records, which say what each hash was made from ---- */

static void read_record(struct arena *a, const cJSON *json, struct stage_record *out)
{
    const char *desc = json_str(json, "desc", "");
    const cJSON *shapes = json_get(json, "shapes");
    bool residual = strstr(desc, "add=1") && cJSON_GetArraySize(cJSON_GetArrayItem(shapes, 1)) == 5;
    out->hash = arena_str(a, json_str(json, "hash", ""));
    out->spec = arena_printf(a, "%s %s%s", json_str(json, "kind", ""), desc, residual ? " order=residual" : "");
}

static int read_records(struct arena *a, const char *dir, struct stage_record *out)
{
    char **names;
    int nnames, n = 0;
    struct err err = {0};
    if (!file_list(a, dir, ".steps.jsonl", &names, &nnames, &err))
        return 0;
    for (int i = 0; i < nnames; i++) {
        char *text = fixture_read(file_join(a, dir, arena_printf(a, "%s.steps.jsonl", names[i])));
        for (char *line = strtok(text, "\n"); line && n < MOST_RECORDS; line = strtok(NULL, "\n")) {
            cJSON *json = json_parse(line, strlen(line), names[i], &err);
            if (json)
                read_record(a, json, &out[n++]);
            cJSON_Delete(json);
        }
    }
    return n;
}

/* ---- the definitions ---- */

/* TVM shortens long lines to "begin ..(OMITTED).. end". */
static bool same_line(const char *got, const char *want)
{
    const char *gap = strstr(want, " ..(OMITTED).. ");
    if (!gap)
        return str_eq(got, want);
    const char *rest = gap + strlen(" ..(OMITTED).. ");
    return strncmp(got, want, (size_t)(gap - want)) == 0 && str_ends(got, rest);
}

/* block: the lines of one definition. Counts equal lines; *first_wrong is the first that differs. */
static bool same_dag(struct arena *a, const struct dag *d, const char *block, const char **wrong)
{
    char *copy = arena_str(a, block), *rest = NULL, *line = strtok_r(copy, "\n", &rest);
    bool same = true;
    for (int i = 0; i < d->nops && same; i++, line = strtok_r(NULL, "\n", &rest)) {
        struct text got = {0};
        op_print(d, d->ops[i], &got);
        same = line && same_line(text_str(&got), line);
        if (!same)
            *wrong = arena_printf(a, "ours: %s\nTVM:  %s", text_str(&got), line ? line : "(end)");
        text_free(&got);
    }
    return same && !line;
}

static void check_block(const char *name, const char *block, const struct stage_record *records, int n)
{
    const char *wrong = "no record has this hash";
    bool found = false;
    for (int i = 0; i < n && !found; i++) {
        struct task *t;
        struct err err = {0};
        if (!str_eq(records[i].hash, name))
            continue;
        found = task_parse(arena, records[i].spec, &t, &err) && same_dag(arena, t->dag, block, &wrong);
        if (err.text[0])
            wrong = arena_str(arena, err.text);
    }
    if (!ok(found, "%s", name))
        diag("%s", wrong);
}

/* Blocks are "## name  notes\nline\nline...\n\n". */
static int each_block(char *text, const struct stage_record *records, int n)
{
    int blocks = 0;
    for (char *at = strstr(text, "## "); at; blocks++) {
        char *name = at + 3, *body = strchr(at, '\n') + 1, *next = strstr(body, "## ");
        name[strcspn(name, " \n")] = 0;
        if (next)
            next[-1] = 0;
        check_block(name, body, records, n);
        at = next;
    }
    return blocks;
}

/* The GPU cases, by name; oracle README: conv_LAYOUT_SIZE_..., with bias and relu where the file shows them. */
static const struct stage_record GPU[] = {
    {"conv_nchw_56_64_3", "conv2d ci=64 hi=56 wi=56 co=64 kh=3 kw=3 ph=1 pw=1 bias=1 relu=1"},
    {"conv_nchw_28_128_3_res", "conv2d ci=128 hi=28 wi=28 co=128 kh=3 kw=3 ph=1 pw=1 bias=1 add=1 relu=1"},
    {"conv_nchw_224_3_64_7s2", "conv2d ci=3 hi=224 wi=224 co=64 kh=7 kw=7 sh=2 sw=2 ph=3 pw=3 bias=1 relu=1"},
    {"conv_nchw_14_256_1024_1", "conv2d ci=256 hi=14 wi=14 co=1024 kh=1 kw=1 bias=1 relu=1"},
    {"conv_nhwc_56_64_3", "winograd ci=64 hi=56 wi=56 co=64 ph=1 pw=1 bias=1 relu=1"},
    {"conv_nhwc_14_256_1024_1", "conv2d layout=nhwc ci=256 hi=14 wi=14 co=1024 kh=1 kw=1 bias=1 relu=1"},
    {"dw_nchw_112_32_3", "depthwise_conv2d ci=32 hi=112 wi=112 kh=3 kw=3 ph=1 pw=1 bias=1 relu=1"},
    {"dw_nhwc_14_512_3", "depthwise_conv2d layout=nhwc ci=512 hi=14 wi=14 kh=3 kw=3 ph=1 pw=1 bias=1 relu=1"},
    {"dense_1_2048_1000", "dense ci=2048 co=1000 bias=1"},
    {"dense_128_768_768", "dense n=128 ci=768 co=768"},
    {"bmm_12_128_64", "batch_matmul b=12 n=128 m=128 k=64"},
    {"softmax_12_128", "softmax n=1536 c=128"},
    {"maxpool_112_64", "pool2d c=64 hi=112 wi=112 kh=3 kw=3 sh=2 sw=2 ph=1 pw=1 pool=max"},
    {"gap_7_512", "global_pool2d c=512 hi=7 wi=7"},
};

static void check_definitions(struct arena *a)
{
    const char *path = shared_path("data/tvm_oracle/definitions.txt");
    if (!path) {
        skip("data/tvm_oracle is not there", "graphs equal TVM's");
        return;
    }
    char *text = fixture_read(path);
    struct stage_record *records = ARENA_ARRAY(a, struct stage_record, MOST_RECORDS);
    int n = read_records(a, arena_str(a, shared_path("data/kernels")), records);
    if (ok(n > 0, "the definitions of TVM's graphs and %d records can be read", n))
        is_int(each_block(text, records, n), 61, "definitions.txt has 61 graphs");
    path = shared_path("data/tvm_oracle/cuda_definitions.txt");
    if (ok(path != NULL, "the definitions of TVM's GPU graphs can be read"))
        is_int(each_block(fixture_read(path), GPU, sizeof GPU / sizeof GPU[0]), 14,
               "cuda_definitions.txt has 14 graphs");
}

/* ---- the analysis ---- */

static int by_name(const struct dag *d, const char *name, int from)
{
    for (int i = from; i < d->nops; i++)
        if (str_eq(d->ops[i]->name, name))
            return i;
    return -1;
}

/* TVM's needs_multi_level_tiling: matmul and both convolutions need tiling; pooling, softmax and row reductions do not.
 */
static void check_tiling(struct arena *a)
{
    static const struct {
        const char *spec, *stage;
        bool tiled;
    } CASES[] = {
        {"matmul n=8 m=8 k=512", "C", true},
        {"conv2d ci=8 hi=8 wi=8 co=8 kh=3 kw=3 cib=4 cob=4", "conv2d_NCHWc", true},
        {"depthwise_conv2d ci=8 hi=8 wi=8 kh=3 kw=3", "DepthwiseConv2d", true},
        {"dense ci=8 co=8", "T_matmul_NT", true},
        {"pool2d c=8 hi=8 wi=8 kh=2 kw=2", "pool_max", false},
        {"softmax n=4 c=10", "T_softmax_maxelem", false},
        {"softmax n=4 c=10", "T_softmax_norm", false},
        {"reduce n=10 m=1024 by=min", "B", false},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        const struct dag *d = fixture_task(a, CASES[i].spec)->dag;
        bool tiled = d->analysis[by_name(d, CASES[i].stage, 0)].needs_tiling;
        ok(tiled == CASES[i].tiled, "stage %s of '%s' %s tiling", CASES[i].stage, CASES[i].spec,
           CASES[i].tiled ? "needs" : "needs no");
    }
}

static void check_analysis(struct arena *a)
{
    const struct dag *d =
        fixture_task(a, "conv2d ci=8 hi=8 wi=8 co=8 kh=3 kw=3 ph=1 pw=1 cib=4 cob=4 bias=1 relu=1")->dag;
    int pad = by_name(d, "data_pad", 0), conv = by_name(d, "conv2d_NCHWc", 0), add = by_name(d, "T_add", 0),
        relu = by_name(d, "T_relu", 0);
    ok(!d->analysis[pad].is_strictly_inlineable, "padding has branches and is not strictly inlineable");
    ok(d->analysis[add].is_strictly_inlineable, "a bias is broadcast and strictly inlineable");
    ok(d->analysis[relu].is_output && !d->analysis[add].is_output, "only the last stage is an output");
    ok(dag_element_wise_match(d, conv, relu), "a convolution and its relu match element by element");
    ok(!dag_element_wise_match(d, pad, conv), "padding and its convolution do not match element by element");
    is_int(d->analysis[conv].nreads, 2, "a convolution makes two reads");
    is_int(d->analysis[conv].nproducers, 2, "a convolution reads two tensors");
    is_int(d->analysis[pad].consumers[0], conv, "the padding's consumer is the convolution");
    d = fixture_task(a, "softmax n=4 c=10")->dag;
    ok(!d->analysis[by_name(d, "T_softmax_exp", 0)].is_strictly_inlineable,
       "the exponentials of a softmax are not inlineable");
    ok(d->analysis[by_name(d, "T_softmax_norm", 0)].is_strictly_inlineable, "the division of a softmax is inlineable");
}

/* ---- what a dag refuses ---- */

static void refuse(struct arena *a, struct op op, const char *why)
{
    const struct axis shape[] = {{"d0", 4}};
    const struct op in = {.id = 0, .kind = OP_PLACEHOLDER, .name = "x", .axes = shape, .nspatial = 1, .scope = ""};
    const struct dag *d;
    struct err err = {0};
    op.id = 1;
    op.kind = OP_COMPUTE;
    op.name = "y";
    op.scope = "";
    op.flop_override = -1;
    ok(!dag_make(a, (const struct op *[]){&in, &op}, 2, 2, &d, &err), "a graph with %s is refused (%s)", why, err.text);
}

static void check_refusals(struct arena *a)
{
    const struct expr *i = expr_axis(a, 0), *two[] = {i, i}, *late = expr_axis(a, 7);
    const struct expr *x = expr_load(a, 0, DTYPE_F32, 1, &i);
    const struct axis one[] = {{"i", 4}}, twice[] = {{"i", 4}, {"i", 4}}, none[] = {{"i", 0}};
    const struct axis huge[] = {{"i", 1 << 20}, {"j", 1 << 20}};
    refuse(a, (struct op){.axes = twice, .nspatial = 2, .body = x}, "two axes of one name");
    refuse(a, (struct op){.axes = none, .nspatial = 1, .body = x}, "an empty axis");
    refuse(a, (struct op){.axes = huge, .nspatial = 2, .body = x}, "more than 2^31 elements");
    refuse(a, (struct op){.axes = one, .nspatial = 1, .body = expr_load(a, 0, DTYPE_F32, 2, two)}, "a wrong rank");
    refuse(a, (struct op){.axes = one, .nspatial = 1, .body = expr_load(a, 1, DTYPE_F32, 1, &i)},
           "a stage that reads itself");
    refuse(a, (struct op){.axes = one, .nspatial = 1, .body = expr_load(a, 0, DTYPE_F32, 1, &late)}, "an unknown axis");
    refuse(a, (struct op){.axes = one, .nspatial = 1, .body = i}, "an integer body for a float stage");
    refuse(a, (struct op){.axes = one, .nspatial = 1, .body = expr_float(a, DTYPE_F32, 1)},
           "an input that nobody reads");
    refuse(a, (struct op){.axes = one, .nspatial = 1, .reducer = REDUCE_SUM, .body = x}, "a reducer without axes");
}

int main(void)
{
    check_definitions(arena);
    check_tiling(arena);
    check_analysis(arena);
    check_refusals(arena);
    return done_testing();
}
