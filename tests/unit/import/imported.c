/* SPDX-License-Identifier: Apache-2.0 */
/* imported: a graph of ONNX becomes the kernels that are known of it. The truth: experiments/networks/resnet18.yaml,
 * from the authors' released records, for a ResNet-18 that is built here from its paper; sizes from the ONNX operator
 * reference; what TVM fuses. Files that are wrong are refused with the node, or with what to do. */
#include "harness/import/imported.h"
#include "harness/base/file.h"
#include "harness/experiment/network.h"
#include "tests/lib/fixture.h"
#include "tests/lib/onnx_model.h"
#include "tests/lib/tap.h"

#include <stdlib.h>
#include <string.h>

static bool import(const struct onnx_model *m, int64_t batch, struct imported *out, struct err *err)
{
    struct onnx_graph *g;
    *err = (struct err){0};
    return import_onnx(arena, onnx_model_write(m, "net.onnx"), batch, ONNX_NCHW, &g, out, err);
}

/* The words of all kernels, "2 x op: ...; ..." */
static const char *words(const struct imported *n)
{
    struct text t = {0};
    for (int i = 0; i < n->nkernels; i++)
        text_printf(&t, "%s%d x %s", i ? "; " : "", n->kernels[i].count, n->kernels[i].words);
    return fixture_text(&t);
}

static void makes(const struct onnx_model *m, const char *want, const char *name)
{
    struct imported n = {0};
    struct err err;
    bool fine = import(m, 0, &n, &err);
    is_str(fine ? words(&n) : err.text, want, "%s", name);
}

static void refused(const struct onnx_model *m, const char *want, const char *name)
{
    struct imported n;
    struct err err;
    bool fine = import(m, 0, &n, &err);
    const char *at = strstr(err.text, "net.onnx: ");
    is_str(fine ? "taken" : at ? at + strlen("net.onnx: ") : err.text, want, "%s", name);
}

/* ---- ResNet-18 (He et al. 2015, table 1), with its batch normalisations ---- */

static int layers;

/* Returns the name of what it gives. */
static char *convolution(struct onnx_model *m, const char *in, int ci, int co, int k, int stride)
{
    int i = layers++;
    char *w = arena_printf(arena, "w%d", i), *out = arena_printf(arena, "b%d", i), *raw = arena_printf(arena, "c%d", i);
    const char *norm = arena_printf(arena, "%d", co);
    onnx_model_weight(m, w, arena_printf(arena, "%d,%d,%d,%d", co, ci, k, k));
    onnx_model_node(m, "Conv", arena_printf(arena, "%s,%s", in, w), raw,
                    arena_printf(arena, "strides=%d,%d pads=%d,%d,%d,%d", stride, stride, k / 2, k / 2, k / 2, k / 2));
    for (const char *p = "gsmv"; *p; p++) /* gamma, shift, mean, variance */
        onnx_model_weight(m, arena_printf(arena, "%c%d", *p, i), norm);
    onnx_model_node(m, "BatchNormalization", arena_printf(arena, "%s,g%d,s%d,m%d,v%d", raw, i, i, i, i), out, "");
    return out;
}

static char *one(struct onnx_model *m, const char *op, const char *in, const char *attributes)
{
    char *out = arena_printf(arena, "o%d", layers++);
    onnx_model_node(m, op, in, out, attributes);
    return out;
}

static char *basic_block(struct onnx_model *m, char *x, int ci, int co, int stride)
{
    char *inner = one(m, "Relu", convolution(m, x, ci, co, 3, stride), "");
    char *data = convolution(m, inner, co, co, 3, 1);
    char *residual = ci == co ? x : convolution(m, x, ci, co, 1, stride);
    return one(m, "Relu", one(m, "Add", arena_printf(arena, "%s,%s", data, residual), ""), "");
}

static struct onnx_model *resnet18(const char *batch)
{
    struct onnx_model *m = onnx_model_new(17);
    layers = 0;
    onnx_model_input(m, "x", arena_printf(arena, "%s,3,224,224", batch));
    char *x = one(m, "Relu", convolution(m, "x", 3, 64, 7, 2), "");
    x = one(m, "MaxPool", x, "kernel_shape=3,3 strides=2,2 pads=1,1,1,1");
    for (int i = 0, ci = 64, co = 64; i < 4; i++, co *= 2) {
        x = basic_block(m, x, ci, co, i ? 2 : 1);
        x = basic_block(m, x, co, co, 1);
        ci = co;
    }
    x = one(m, "Flatten", one(m, "GlobalAveragePool", x, ""), "");
    onnx_model_weight(m, "fc", "1000,512");
    onnx_model_weight(m, "fcb", "1000");
    x = one(m, "Gemm", arena_printf(arena, "%s,fc,fcb", x), "transB=1");
    onnx_model_output(m, one(m, "Softmax", x, ""));
    return m;
}

/* Its spec without layout and blocks, which a layout chooses, and how often it is called. */
static char *key_of(const struct task *t, double count)
{
    struct text out = {0};
    char *rest = arena_str(arena, t->spec), *word;
    text_printf(&out, "%g x", count);
    while ((word = strsep(&rest, " ")))
        if (!str_starts(word, "layout=") && !str_starts(word, "cib=") && !str_starts(word, "cob=") &&
            !str_starts(word, "cb="))
            text_printf(&out, " %s", word);
    return fixture_text(&out);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void test_resnet18(void)
{
    struct network *want;
    struct imported n;
    struct err err = {0};
    fixture_must(network_load(arena, "experiments", "resnet18", &want, &err), &err);
    if (!ok(import(resnet18("1"), 0, &n, &err), "a ResNet-18 is imported %s", err.text) ||
        !is_int(n.nkernels, want->nkernels, "a ResNet-18 has the kernels of resnet18.yaml"))
        return;
    is_int(n.calls, want->calls, "a ResNet-18 has the calls of resnet18.yaml");
    is_near(n.macs, (double)want->declared.macs, 0, "a ResNet-18 has the multiply-adds of resnet18.yaml");
    is_near(n.params, (double)want->declared.params, 0, "a ResNet-18 has the parameters of resnet18.yaml");
    is_near(n.params_left, (double)want->declared.params_left, 0,
            "folding takes away the parameters that resnet18.yaml says");
    is_near(n.flops_share, 1, 0, "nothing that computes is left out");
    char **got = ARENA_ARRAY(arena, char *, n.nkernels), **wanted = ARENA_ARRAY(arena, char *, n.nkernels);
    for (int i = 0; i < n.nkernels; i++) {
        got[i] = key_of(n.kernels[i].task, n.kernels[i].count);
        wanted[i] = key_of(want->tasks[i].task, want->tasks[i].weight);
    }
    qsort(got, (size_t)n.nkernels, sizeof *got, by_text);
    qsort(wanted, (size_t)n.nkernels, sizeof *wanted, by_text);
    for (int i = 0; i < n.nkernels; i++)
        is_str(got[i], wanted[i], "kernel %d is that of resnet18.yaml", i);
    ok(!import(resnet18("N"), 0, &n, &err), "an open batch is refused");
    is_str(strstr(err.text, "axis"), "axis 0 of input 'x' has no size ('N'): give it with --batch N",
           "the refusal of an open batch says what to do");
    ok(!import(resnet18("1"), 4, &n, &err) && strstr(err.text, "net.onnx: --batch 4 is given, but the first axis"),
       "a batch for a model of a fixed one is refused: %s", err.text);
    if (ok(import(resnet18("N"), 4, &n, &err), "an open batch is imported with a batch of 4 %s", err.text))
        is_near(n.macs, 4 * (double)want->declared.macs, 0, "a batch of 4 has four times the multiply-adds");
}

/* The file that is written loads, with the same totals: network_load checks each kernel's own, too. */
static void test_file(void)
{
    static const char *const LAYOUTS[] = {"nchw", "nhwc", "blocked"};
    for (int i = 0; i < 3; i++) {
        struct onnx_graph *g;
        struct imported n;
        struct network *loaded;
        struct err err = {0};
        struct text t = {0};
        fixture_must(
            import_onnx(arena, onnx_model_write(resnet18("1"), "a\"b\n.onnx"), 0, (enum onnx_layout)i, &g, &n, &err),
            &err);
        imported_yaml(&n, g, "net", &t);
        fixture_file("networks/net.yaml", fixture_text(&t));
        if (ok(network_load(arena, fixture_folder(), "net", &loaded, &err), "the file loads, layout %s %s", LAYOUTS[i],
               err.text))
            is_int(loaded->calls, n.calls, "with its calls");
    }
}

/* ---- single kernels ---- */

/* A model of one input x and one output y. */
static struct onnx_model *begin(int64_t opset, const char *shape)
{
    struct onnx_model *m = onnx_model_new(opset);
    onnx_model_input(m, "x", shape);
    onnx_model_output(m, "y");
    return m;
}

static struct onnx_model *single(const char *shape, const char *weight, const char *op, const char *attributes)
{
    struct onnx_model *m = begin(17, shape);
    if (weight)
        onnx_model_weight(m, "w", weight);
    onnx_model_node(m, op, weight ? "x,w" : "x", "y", attributes);
    return m;
}

static void test_kernels(void)
{
    static const struct {
        const char *shape, *weight, *op, *attributes, *want;
    } ROWS[] = {
        {"2,8,9,7", "16,8,3,5", "Conv", "strides=2,1 pads=1,0,1,2",
         "1 x op: conv2d, n: 2, ci: 8, hi: 9, wi: 7, co: 16, kh: 3, kw: 5, sh: 2, ph: 1, pw: \"0,2\""},
        {"1,8,8,8", "8,1,3,3", "Conv", "group=8 auto_pad=SAME_UPPER strides=2,2",
         "1 x op: depthwise_conv2d, ci: 8, hi: 8, wi: 8, kh: 3, kw: 3, sh: 2, sw: 2, ph: \"0,1\", pw: \"0,1\""},
        {"1,8,8,8", "12,4,1,1", "Conv", "group=2",
         "1 x op: conv2d, ci: 8, hi: 8, wi: 8, co: 12, kh: 1, kw: 1, groups: 2"},
        {"1,8,20", "4,8,3", "Conv", "dilations=2", "1 x op: conv2d, ci: 8, hi: 1, wi: 20, co: 4, kh: 1, kw: 3, dw: 2"},
        {"1,8,5,5", "8,6,4,4", "ConvTranspose", "strides=2,2 pads=1,1,1,1 output_padding=1,1",
         "1 x op: conv2d_transpose, ci: 8, hi: 5, wi: 5, co: 6, kh: 4, kw: 4, sh: 2, sw: 2, ph: 1, pw: 1, oh: 1, ow: "
         "1"},
        {"1,8,7,7", NULL, "MaxPool", "kernel_shape=3,3 strides=2,2 ceil_mode=1",
         "1 x op: pool2d, c: 8, hi: 7, wi: 7, kh: 3, kw: 3, sh: 2, sw: 2, ph: \"0,1\", pw: \"0,1\", pool: max"},
        {"1,8,7,7", NULL, "AveragePool", "kernel_shape=3,3 pads=1,1,1,1 count_include_pad=1",
         "1 x op: pool2d, c: 8, hi: 7, wi: 7, kh: 3, kw: 3, ph: 1, pw: 1, pool: avg, include_pad: 1"},
        {"1,8,7,7", NULL, "GlobalMaxPool", "", "1 x op: global_pool2d, c: 8, hi: 7, wi: 7, pool: max"},
        {"1,8,7,7", NULL, "ReduceMean", "axes=2,3 keepdims=0", "1 x op: mean, c: 8, hi: 7, wi: 7"},
        {"4,6,10", NULL, "ReduceMax", "axes=-1", "1 x op: reduce, n: 24, m: 10, by: max"},
        {"1,12,64,64", NULL, "Softmax", "axis=-1", "1 x op: softmax, n: 12, h: 64, c: 64"},
        {"2,3,5,7,11", NULL, "Softmax", "axis=4", "1 x op: softmax, n: 2, h: 3, w: 35, c: 11"},
        {"1,50,96", "96", "LayerNormalization", "", "1 x op: layer_norm, n: 50, c: 96"},
        {"2,5,8", "8,16", "MatMul", "", "1 x op: dense, n: 10, ci: 8, co: 16"},
        {"8,5", "16,8", "Gemm", "transA=1 transB=1", "1 x op: dense, n: 5, ci: 8, co: 16"},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
        makes(single(ROWS[i].shape, ROWS[i].weight, ROWS[i].op, ROWS[i].attributes), ROWS[i].want,
              arena_printf(arena, "%s of %s", ROWS[i].op, ROWS[i].shape));
    struct onnx_model *m = begin(17, "2,4,6,8");
    onnx_model_input(m, "z", "4,8,10");
    onnx_model_node(m, "MatMul", "x,z", "y", "");
    makes(m, "1 x op: batch_matmul, b: 8, n: 6, m: 10, k: 8", "a product of two inputs is a batch_matmul");
}

/* ---- what is fused behind a product ---- */

/* Behind a dense layer d = x w of 4 by 8. Nodes are "Op:inputs:output"; numbers are constants of one element. */
static struct onnx_model *behind(const char *nodes)
{
    struct onnx_model *m = begin(17, "4,16");
    char *rest = arena_str(arena, nodes), *word;
    onnx_model_weight(m, "w", "16,8");
    onnx_model_weight(m, "bias", "8");
    onnx_model_input(m, "r", "4,8");
    onnx_model_node(m, "MatMul", "x,w", "d", "");
    static const char *const NUMBERS[] = {"0", "0.5", "1", "3", "6", "1.414214", "0.797885", "0.044715"};
    for (size_t i = 0; i < sizeof NUMBERS / sizeof *NUMBERS; i++)
        onnx_model_float(m, NUMBERS[i], strtod(NUMBERS[i], NULL));
    while ((word = strsep(&rest, " "))) {
        const char *op = strsep(&word, ":"), *inputs = strsep(&word, ":"), *output = strsep(&word, ":");
        onnx_model_node(m, op, inputs, output, word ? word : "");
    }
    return m;
}

static void test_fusion(void)
{
#define DENSE "1 x op: dense, n: 4, ci: 16, co: 8"
    static const struct {
        const char *nodes, *want, *name;
    } ROWS[] = {
        {"Add:bias,d:y", DENSE ", bias: 1", "a bias"},
        {"Add:d,bias:b Relu:b:y", DENSE ", bias: 1, relu: 1", "a bias and relu"},
        {"Add:d,r:y", DENSE ", add: 1", "a residual"},
        {"Add:r,d:y", DENSE ", add: 1, order: residual", "a residual that comes first"},
        {"Clip:d,0,6:y", DENSE ", clip: 1", "relu6"},
        {"Clip:d,0:y", DENSE ", relu: 1", "a clip at 0 is relu"},
        {"Clip:d,0,1:y", DENSE, "another clip is not fused"},
        {"Sigmoid:d:y", DENSE ", act: sigmoid", "sigmoid"},
        {"Tanh:d:y", DENSE ", act: tanh", "tanh"},
        {"Sigmoid:d:s Mul:d,s:y", DENSE ", act: silu", "SiLU"},
        {"HardSwish:d:y", DENSE ", act: hard_swish", "hard-swish"},
        {"HardSigmoid:d:h:alpha=0.16666667 Mul:d,h:y", DENSE ", act: hard_swish", "hard-swish of two nodes"},
        {"HardSigmoid:d:y:alpha=0.16666667", DENSE ", act: hard_sigmoid", "PyTorch's hard sigmoid"},
        {"HardSigmoid:d:y", DENSE, "another hard sigmoid is not fused"},
        {"Div:d,1.414214:a Erf:a:e Add:e,1:p Mul:d,p:m Mul:m,0.5:y", DENSE ", act: gelu", "GELU by erf"},
        {"Gelu:d:y", DENSE ", act: gelu", "GELU of opset 20"},
        {"Gelu:d:y:approximate=tanh", DENSE ", act: gelu_tanh", "GELU of opset 20 by tanh"},
        {"Mul:0.5,d:h Pow:d,3:c Mul:0.044715,c:k Add:d,k:s Mul:s,0.797885:z Tanh:z:t Add:1,t:p Mul:h,p:y",
         DENSE ", act: gelu_tanh", "GELU by tanh"},
        {"Relu:d:a Add:a,r:y", DENSE ", relu: 1", "nothing is fused behind an activation"},
        {"Relu:d:a Add:d,a:y", DENSE, "a value that is read twice ends the kernel"},
        {"Identity:d:i Relu:i:y", DENSE ", relu: 1", "what hands a value on is no obstacle"},
        {"MatMul:x,w:q Add:d,q:y", DENSE ", add: 1; " DENSE, "of two products the first operand takes the addition"},
        {"Reshape:d,r4:k Relu:k:y", NULL, "a shape that nothing makes"},
    };
    enum { LAST = sizeof ROWS / sizeof *ROWS - 1 };
    for (int i = 0; i < LAST; i++)
        makes(behind(ROWS[i].nodes), ROWS[i].want, ROWS[i].name);
    refused(behind(ROWS[LAST].nodes), "node 'Reshape_1' (Reshape) reads 'r4', which nothing makes", ROWS[LAST].name);
    struct onnx_model *m = begin(11, "1,10,8");
    for (const char *p = "two,2 eps,1 g,0 h,0"; p; p = strchr(p, ' ') ? strchr(p, ' ') + 1 : NULL)
        if (*p == 'g' || *p == 'h')
            onnx_model_weight(m, (char[]){*p, 0}, "8");
        else
            onnx_model_float(m, arena_strn(arena, p, 3), *p == 't' ? 2 : 1e-5);
    onnx_model_node(m, "ReduceMean", "x", "mean", "axes=-1");
    onnx_model_node(m, "Sub", "x,mean", "c", "");
    onnx_model_node(m, "Pow", "c,two", "q", "");
    onnx_model_node(m, "ReduceMean", "q", "var", "axes=2");
    onnx_model_node(m, "Add", "var,eps", "e", "");
    onnx_model_node(m, "Sqrt", "e", "s", "");
    onnx_model_node(m, "Div", "c,s", "n", "");
    onnx_model_node(m, "Mul", "n,g", "ng", "");
    onnx_model_node(m, "Add", "ng,h", "y", "");
    makes(m, "1 x op: layer_norm, n: 10, c: 8", "the nine nodes of a layer normalisation are one");
}

/* Before version 4 of the format every initializer was an input, too. */
static void test_old_inputs(void)
{
    struct onnx_model *m = single("2,8", "8,4", "MatMul", "");
    onnx_model_input(m, "w", "8,4");
    makes(m, "1 x op: dense, n: 2, ci: 8, co: 4", "an initializer that is an input, too, is weights");
}

/* ---- shapes that are computed ---- */

static void test_computed_shape(void)
{
    struct onnx_model *m = begin(13, "2,6,8");
    onnx_model_ints(m, "first", "0");
    onnx_model_ints(m, "rest", "-1");
    onnx_model_ints(m, "eight", "8");
    onnx_model_ints(m, "four", "4");
    onnx_model_ints(m, "zero", "0");
    onnx_model_weight(m, "w", "4,5");
    onnx_model_node(m, "Shape", "x", "s", "");
    onnx_model_node(m, "Gather", "s,first", "n", "axis=0");
    onnx_model_node(m, "Div", "eight,n", "q", "");
    onnx_model_node(m, "Concat", "q,rest,four", "to", "axis=0");
    onnx_model_node(m, "Reshape", "x,to", "r", "");
    onnx_model_node(m, "MatMul", "r,w", "y", "");
    makes(m, "1 x op: dense, n: 24, ci: 4, co: 5", "a shape is computed: 8 / 2 by -1 by 4");
}

static void test_external(void)
{
    struct onnx_model *m = begin(17, "2,6");
    Onnx__Tensor *t = onnx_model_weight(m, "to", "2");
    static const char *const ENTRIES[][2] = {{"location", "data.bin"}, {"offset", "8"}};
    Onnx__Entry *entries[2];
    for (int i = 0; i < 2; i++) {
        entries[i] = ARENA_NEW(arena, Onnx__Entry);
        onnx__entry__init(entries[i]);
        entries[i]->key = arena_str(arena, ENTRIES[i][0]);
        entries[i]->value = arena_str(arena, ENTRIES[i][1]);
    }
    t->data_type = 7;
    t->data_location = 1;
    t->n_external_data = 2;
    t->external_data = entries;
    onnx_model_weight(m, "w", "3,5");
    onnx_model_node(m, "Reshape", "x,to", "r", "");
    onnx_model_node(m, "MatMul", "r,w", "y", "");
    refused(m,
            arena_printf(arena, "initializer 'to': cannot read 16 bytes of its data at 8 of '%s'",
                         fixture_path("data.bin")),
            "data beside the model that are not there");
    struct err err = {0};
    int64_t data[] = {7, 4, 3};
    fixture_must(file_write(fixture_path("data.bin"), data, sizeof data, &err), &err);
    makes(m, "1 x op: dense, n: 4, ci: 3, co: 5", "a shape in a file beside the model is read");
    entries[0]->value = arena_str(arena, "../data.bin");
    refused(m, "initializer 'to': its data lie in '../data.bin', must be a file beside the model", "no other is");
}

/* ---- what is wrong ---- */

static void test_refused(void)
{
    refused(single("1,8", NULL, "Sofmax", ""),
            "node 'Sofmax_0' (Sofmax): an operator that is not read, did you mean 'Softmax'?; it is let pass where the "
            "model's value_info has the shape of its output (onnx.shape_inference)",
            "an unknown operator");
    struct onnx_model *m = single("1,8", "8,4", "MatMul", "");
    m->opset.version = 9;
    refused(m, "its operators are of opset 9, must be 11 to 20: export it with opset 17", "an old opset");
    refused(single("1,8,H,8", "8,8,3,3", "Conv", ""),
            "axis 2 of input 'x' has no size ('H'): export the model with this axis fixed", "an open height");
    refused(single("1,4611686018427387904", NULL, "Softmax", ""),
            "input 'x': a tensor has more than 2^48 elements, the most that are read", "an input of 2^62");
    refused(single("1,8", "4611686018427387904,8", "MatMul", ""),
            "initializer 'w': a tensor has more than 2^48 elements, the most that are read", "weights of 2^62");
    refused(single("1,8,4,4", "8,8,9,9", "Conv", ""),
            "node 'Conv_0' (Conv): its window of 9 is larger than its input of 4", "a window that is too large");
    refused(single("1,8", "7,4", "MatMul", ""),
            "node 'MatMul_0' (MatMul): its matrices do not fit: 8 columns against 7 rows", "matrices that do not fit");
    m = begin(17, "1,8");
    onnx_model_node(m, "Add", "x,b", "a", "");
    onnx_model_node(m, "Relu", "a", "b", "");
    refused(m,
            "node 'Add_0' (Add) reads 'b', which the later node 'Relu_1' makes: the graph has a cycle, or its nodes "
            "must be sorted",
            "a cycle");
    m = single("1,8", "8,4", "MatMul", "");
    onnx_model_node(m, "Relu", "x", "y", "");
    refused(m, "node 'Relu_1' (Relu) makes 'y', which there is already", "a value made twice");
    refused(single("1,8", NULL, "Relu", ""), "no kernel is in it: nothing is reduced", "a graph without a kernel");
    struct err err = {0};
    struct onnx_graph *g;
    ok(!onnx_read(arena, fixture_file("net.onnx", "no protobuf"), 0, &g, &err) &&
           strstr(err.text, "net.onnx: is no ONNX model"),
       "another file is refused: %s", err.text);
}

/* An operator that is not known is left out by name where the model has its shape. */
static void test_left_out(void)
{
    struct onnx_model *m = begin(17, "4,16");
    struct imported n = {0};
    struct err err;
    onnx_model_weight(m, "w", "16,8");
    onnx_model_node(m, "MatMul", "x,w", "d", "");
    onnx_model_node(m, "Exp", "d", "e", "");
    onnx_model_node(m, "Strange", "e", "s", "")->domain = arena_str(arena, "org.example");
    onnx_model_declare(m, "s", "2,16");
    onnx_model_node(m, "MatMul", "s,w", "y", "");
    if (!ok(import(m, 0, &n, &err), "what is not known is let pass with its shape %s", err.text) ||
        !is_int(n.nleft, 2, "two kinds of nodes are left out"))
        return;
    is_str(n.left[0].op, "Exp", "the larger share first");
    /* 2 * 4*16*8 and 2 * 2*16*8 of the products, 4*8 of exp */
    is_near(n.left[0].share, 32.0 / (1024 + 512 + 32), 1e-12, "with its share of the FLOPs");
    is_str(n.left[1].op, "Strange of org.example", "an operator of another domain is left out by name");
    is_str(n.left[1].why, "unknown, its FLOPs are not counted", "with the reason");
    is_near(n.macs_share, 1, 0, "all multiply-adds are in kernels");
}

/* A number that a size, an axis or a bound had better not be. */
static int64_t odd_number(struct rng *r)
{
    static const int64_t ODD[] = {0,         1,        2, 3, 7, -1, -2, 64, 65536, (int64_t)1 << 31, (int64_t)1 << 62,
                                  INT64_MAX, INT64_MIN};
    return ODD[rng_below(r, sizeof ODD / sizeof *ODD)];
}

/* Changes one thing of a message: an operator, an input, a number of an attribute or of a constant, a size. */
static void change_message(struct rng *r, struct onnx_model *m)
{
    static const char *const OPS[] = {"Add",
                                      "AveragePool",
                                      "BatchNormalization",
                                      "Cast",
                                      "Clip",
                                      "Concat",
                                      "Constant",
                                      "ConstantOfShape",
                                      "Conv",
                                      "ConvTranspose",
                                      "DepthToSpace",
                                      "Div",
                                      "Expand",
                                      "Flatten",
                                      "Gather",
                                      "GatherND",
                                      "Gemm",
                                      "Identity",
                                      "LayerNormalization",
                                      "MatMul",
                                      "Pad",
                                      "Range",
                                      "ReduceMean",
                                      "ReduceProd",
                                      "Reshape",
                                      "Resize",
                                      "Shape",
                                      "Slice",
                                      "Softmax",
                                      "Split",
                                      "Squeeze",
                                      "Tile",
                                      "TopK",
                                      "Transpose",
                                      "Unsqueeze",
                                      "Where"};
    Onnx__Node *n = m->graph.node[rng_below(r, m->graph.n_node)];
    const Onnx__Node *other = m->graph.node[rng_below(r, m->graph.n_node)];
    Onnx__Tensor *t = m->graph.initializer[rng_below(r, m->graph.n_initializer)];
    Onnx__Attribute *at = n->n_attribute ? n->attribute[rng_below(r, n->n_attribute)] : NULL;
    switch (rng_below(r, 6)) {
    case 0:
        n->op_type = arena_str(scratch, OPS[rng_below(r, sizeof OPS / sizeof *OPS)]);
        break;
    case 1:
        n->input[rng_below(r, n->n_input)] = other->input[rng_below(r, other->n_input)];
        break;
    case 2:
        n->input[rng_below(r, n->n_input)] = t->name;
        break;
    case 3:
        if (at && at->n_ints)
            at->ints[rng_below(r, at->n_ints)] = at->i = odd_number(r);
        break;
    case 4:
        if (t->n_int64_data)
            t->int64_data[rng_below(r, t->n_int64_data)] = odd_number(r);
        break;
    default:
        if (t->n_dims)
            t->dims[rng_below(r, t->n_dims)] = odd_number(r);
    }
}

/* A model with the operators that move and choose, each with bounds that are constants. */
static struct onnx_model *movements(void)
{
    struct onnx_model *m = begin(13, "2,6,8");
    static const char *const LISTS[] = {"0", "1", "2", "-1", "0,1", "1,3", "4,3,8", "0,0,1,0,0,1", "1,2,1"};
    for (size_t i = 0; i < sizeof LISTS / sizeof *LISTS; i++)
        onnx_model_ints(m, arena_printf(arena, "l%zu", i), LISTS[i]);
    static const char *const NODES[][4] = {{"Shape", "x", "s", ""},
                                           {"Gather", "s,l0", "n", "axis=0"},
                                           {"Mul", "n,l2", "q", ""},
                                           {"Concat", "q,l5", "to", "axis=0"},
                                           {"Concat", "q,l1,l3", "big", "axis=0"},
                                           {"Slice", "x,l4,l5,l4", "sl", ""},
                                           {"Transpose", "sl", "tr", "perm=2,0,1"},
                                           {"Reshape", "x,l6", "re", ""},
                                           {"Pad", "re,l7", "pa", ""},
                                           {"Tile", "pa,l8", "ti", ""},
                                           {"Unsqueeze", "ti,l0", "un", ""},
                                           {"Squeeze", "un,l0", "sq", ""},
                                           {"Expand", "q,l1", "ex", ""},
                                           {"Range", "l0,l2,l1", "ra", ""},
                                           {"ConstantOfShape", "l6", "co", ""},
                                           {"Slice", "co,l4,l5,l4", "cs", ""},
                                           {"Transpose", "cs", "ct", "perm=1,0,2"},
                                           {"Split", "sq", "sp,sr", "axis=1"},
                                           {"Flatten", "sp", "fl", "axis=1"},
                                           {"TopK", "fl,l1", "tv,ti2", "axis=-1"},
                                           {"ReduceMean", "tr", "mean", "axes=-1"},
                                           {"Softmax", "fl", "y", "axis=-1"}};
    for (size_t i = 0; i < sizeof NODES / sizeof *NODES; i++)
        onnx_model_node(m, NODES[i][0], NODES[i][1], NODES[i][2], NODES[i][3]);
    static const char *const ENDS[] = {"big", "to", "ex", "ra", "ct", "tv", "mean", "sr"};
    for (size_t i = 0; i < sizeof ENDS / sizeof *ENDS; i++)
        onnx_model_output(m, ENDS[i]);
    return m;
}

/* Changed bytes and changed messages: what becomes of them is refused with a word, or has kernels; nothing crashes. */
static void test_mutations(void)
{
    struct rng r;
    size_t n;
    int taken = 0, tries = (int)fixture_number("RAINGAUGE_PROPERTY", 1000);
    rng_seed(&r, (uint64_t)fixture_number("RAINGAUGE_SEED", 1));
    for (int i = 0; i < tries; i++) {
        struct arena_mark mark = arena_mark(arena);
        struct onnx_model *m = i % 3 == 0   ? resnet18("1")
                               : i % 3 == 1 ? movements()
                                            : behind("Add:bias,d:b Sigmoid:b:s Mul:b,s:y");
        for (uint64_t edits = i % 2 ? 1 + rng_below(&r, 4) : 0; edits; edits--)
            change_message(&r, m);
        uint8_t *bytes = onnx_model_pack(m, &n);
        for (uint64_t edits = i % 2 ? 0 : 1 + rng_below(&r, 3); edits; edits--)
            bytes[rng_below(&r, n)] = (uint8_t)rng_next(&r);
        size_t cut = i % 2 || rng_below(&r, 8) ? n : rng_below(&r, n);
        const char *path = fixture_path("mutated.onnx");
        FILE *f = fopen(path, "wbe");
        bool fine = f && fwrite(bytes, 1, cut, f) == cut;
        if (!f || fclose(f) || !fine)
            bug("cannot write '%s'", path);
        struct onnx_graph *g;
        struct imported out;
        struct err err = {0};
        bool imported = import_onnx(scratch, path, 0, (enum onnx_layout)(i % 3), &g, &out, &err);
        taken += imported;
        if (!imported && !*err.text)
            fail("mutation %d is refused without a word", i);
        arena_reset(scratch);
        arena_release(arena, mark);
    }
    ok(taken > 0 && taken < tries, "%d of %d mutated files are taken, the others refused", taken, tries);
}

int main(void)
{
    test_resnet18();
    test_file();
    test_kernels();
    test_fusion();
    test_old_inputs();
    test_computed_shape();
    test_external();
    test_refused();
    test_left_out();
    makes(movements(), "1 x op: reduce, n: 8, m: 2; 1 x op: softmax, n: 4, c: 30", "moved elements keep their shapes");
    test_mutations();
    return done_testing();
}
