/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/import/onnx_operators.h"

#include "harness/import/layer_kernels.h"
#include "harness/import/movement_shapes.h"

#include <math.h>

#define EVAL(name, value)                                                                                              \
    static double name(double a, double b)                                                                             \
    {                                                                                                                  \
        (void)b;                                                                                                       \
        return value;                                                                                                  \
    }
EVAL(first, a)
EVAL(add, a + b)
EVAL(subtract, a - b)
EVAL(multiply, a *b)
EVAL(divide, a / b)
EVAL(power, pow(a, b))
EVAL(modulo, b == 0 ? 0 : a - b * floor(a / b))
EVAL(least, fmin(a, b))
EVAL(most, fmax(a, b))
EVAL(equal, a == b)
EVAL(less, a < b)
EVAL(greater, a > b)
EVAL(less_or_equal, a <= b)
EVAL(greater_or_equal, a >= b)
EVAL(both, a != 0 && b != 0)
EVAL(either, a != 0 || b != 0)
EVAL(not, a == 0)
EVAL(root, sqrt(a))
EVAL(negative, -a)
EVAL(absolute, fabs(a))
EVAL(down, floor(a))
EVAL(up, ceil(a))

/* Name, inputs that it needs, shapes; then data, FLOPs for an element, kernel. FLOPs count every function as one, and
 * of a reduction one for an element of the input. */
#define MOVES(name, least, infer) {name, least, infer, NULL, 0, NULL, false}
#define ELEMENTS(name, least, eval, flops) {name, least, infer_elements, eval, flops, NULL, false}
#define REDUCES(name, infer, flops, kernel) {name, 1, infer, NULL, flops, kernel, false}
#define PRODUCT(name, infer, kernel) {name, 2, infer, NULL, 2, kernel, true}
#define UNARY(name) {name, 1, infer_same, NULL, 1, NULL, false}
static const struct onnx_operator TABLE[] = {
    PRODUCT("Conv", infer_convolution, kernel_convolution),
    PRODUCT("ConvTranspose", infer_transposed_convolution, kernel_transposed_convolution),
    PRODUCT("Gemm", infer_gemm, kernel_product),
    PRODUCT("MatMul", infer_matmul, kernel_product),
    REDUCES("MaxPool", infer_pool, 1, kernel_pool),
    REDUCES("AveragePool", infer_pool, 1, kernel_pool),
    REDUCES("LpPool", infer_pool, 2, NULL),
    REDUCES("GlobalAveragePool", infer_global_pool, 1, kernel_global_pool),
    REDUCES("GlobalMaxPool", infer_global_pool, 1, kernel_global_pool),
    REDUCES("Softmax", infer_same, 4, kernel_softmax),
    REDUCES("LogSoftmax", infer_same, 4, NULL),
    REDUCES("LayerNormalization", infer_same, 7, kernel_layer_norm),
    REDUCES("RMSNormalization", infer_same, 5, kernel_layer_norm),
    REDUCES("InstanceNormalization", infer_same, 7, NULL),
    REDUCES("GroupNormalization", infer_same, 7, NULL),
    REDUCES("LRN", infer_same, 8, NULL),
    REDUCES("LpNormalization", infer_same, 3, NULL),
    REDUCES("ReduceMean", infer_reduce, 1, kernel_reduce),
    REDUCES("ReduceSum", infer_reduce, 1, kernel_reduce),
    REDUCES("ReduceMax", infer_reduce, 1, kernel_reduce),
    REDUCES("ReduceMin", infer_reduce, 1, kernel_reduce),
    REDUCES("ReduceL1", infer_reduce, 2, NULL),
    REDUCES("ReduceL2", infer_reduce, 2, NULL),
    REDUCES("ReduceSumSquare", infer_reduce, 2, NULL),
    REDUCES("ReduceLogSumExp", infer_reduce, 2, NULL),
    REDUCES("ArgMax", infer_reduce, 1, NULL),
    REDUCES("ArgMin", infer_reduce, 1, NULL),
    REDUCES("CumSum", infer_same, 1, NULL),
    {"ReduceProd", 1, infer_reduce, multiply, 1, NULL, false},
    {"BatchNormalization", 5, infer_same, NULL, 2, NULL, false},
    ELEMENTS("Add", 2, add, 1),
    ELEMENTS("Sub", 2, subtract, 1),
    ELEMENTS("Mul", 2, multiply, 1),
    ELEMENTS("Div", 2, divide, 1),
    ELEMENTS("Pow", 2, power, 1),
    ELEMENTS("Mod", 2, modulo, 1),
    ELEMENTS("Min", 1, least, 1),
    ELEMENTS("Max", 1, most, 1),
    ELEMENTS("Sum", 1, NULL, 1),
    ELEMENTS("Mean", 1, NULL, 1),
    ELEMENTS("PRelu", 2, NULL, 1),
    ELEMENTS("Equal", 2, equal, 1),
    ELEMENTS("Less", 2, less, 1),
    ELEMENTS("Greater", 2, greater, 1),
    ELEMENTS("LessOrEqual", 2, less_or_equal, 1),
    ELEMENTS("GreaterOrEqual", 2, greater_or_equal, 1),
    ELEMENTS("And", 2, both, 1),
    ELEMENTS("Or", 2, either, 1),
    ELEMENTS("Xor", 2, NULL, 1),
    ELEMENTS("Where", 3, NULL, 1),
    ELEMENTS("Not", 1, not, 1),
    ELEMENTS("Sqrt", 1, root, 1),
    ELEMENTS("Neg", 1, negative, 1),
    ELEMENTS("Abs", 1, absolute, 1),
    ELEMENTS("Floor", 1, down, 1),
    ELEMENTS("Ceil", 1, up, 1),
    {"Cast", 1, infer_cast, first, 0, NULL, false},
    {"Identity", 1, infer_elements, first, 0, NULL, false},
    {"Dropout", 1, infer_same, NULL, 0, NULL, false},
    UNARY("Relu"),
    UNARY("Clip"),
    UNARY("Sigmoid"),
    UNARY("Tanh"),
    UNARY("Erf"),
    UNARY("Gelu"),
    UNARY("FastGelu"),
    UNARY("Silu"),
    UNARY("HardSwish"),
    UNARY("HardSigmoid"),
    UNARY("LeakyRelu"),
    UNARY("Elu"),
    UNARY("Selu"),
    UNARY("Celu"),
    UNARY("Mish"),
    UNARY("Softplus"),
    UNARY("Softsign"),
    UNARY("ThresholdedRelu"),
    UNARY("Exp"),
    UNARY("Log"),
    UNARY("Reciprocal"),
    UNARY("Round"),
    UNARY("Sign"),
    UNARY("Sin"),
    UNARY("Cos"),
    MOVES("Reshape", 1, infer_reshape),
    MOVES("Flatten", 1, infer_flatten),
    MOVES("Squeeze", 1, infer_squeeze),
    MOVES("Unsqueeze", 1, infer_unsqueeze),
    MOVES("Transpose", 1, infer_transpose),
    MOVES("Concat", 1, infer_concat),
    MOVES("Split", 1, infer_split),
    MOVES("Slice", 1, infer_slice),
    MOVES("Gather", 2, infer_gather),
    MOVES("GatherElements", 2, infer_second),
    MOVES("GatherND", 2, infer_gather_nd),
    MOVES("ScatterND", 3, infer_same),
    MOVES("ScatterElements", 3, infer_same),
    MOVES("Trilu", 1, infer_same),
    MOVES("Expand", 2, infer_expand),
    MOVES("Tile", 2, infer_tile),
    MOVES("Pad", 2, infer_pad),
    MOVES("Resize", 1, infer_resize),
    MOVES("Upsample", 2, infer_resize),
    MOVES("DepthToSpace", 1, infer_blocks),
    MOVES("SpaceToDepth", 1, infer_blocks),
    MOVES("TopK", 2, infer_top),
    MOVES("Shape", 1, infer_shape),
    MOVES("Size", 1, infer_size),
    MOVES("Constant", 0, infer_constant),
    MOVES("ConstantOfShape", 1, infer_filled),
    MOVES("Range", 3, infer_range),
};
enum { ROWS = sizeof TABLE / sizeof *TABLE };

const struct onnx_operator *onnx_operator_find(const char *name)
{
    for (int i = 0; i < ROWS; i++)
        if (str_eq(TABLE[i].name, name))
            return &TABLE[i];
    return NULL;
}

static bool unknown(const struct onnx_node *n, struct err *err)
{
    const char *names[ROWS];
    for (int i = 0; i < ROWS; i++)
        names[i] = TABLE[i].name;
    const char *near = str_nearest(n->op, names, ROWS);
    return err_set(err,
                   "an operator that is not read%s%s%s; it is let pass where the model's value_info has the shape of "
                   "its output (onnx.shape_inference)",
                   near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* Does the model say the shapes of all that the node gives? Then they are taken over. */
static bool take_declared(const struct onnx_graph *g, const struct onnx_node *n)
{
    for (int i = 0; i < n->nout; i++)
        if (onnx_out(g, n, i) && onnx_out(g, n, i)->declared.rank < 0)
            return false;
    for (int i = 0; i < n->nout; i++)
        if (onnx_out(g, n, i))
            onnx_out(g, n, i)->shape = onnx_out(g, n, i)->declared;
    return n->nout > 0;
}

/* What holds of every operator: the type is that of the first input, unless the operator says otherwise; what follows
 * from constants is one; an initializer that was only moved stays one. */
static void begin_outputs(const struct onnx_graph *g, const struct onnx_node *n)
{
    bool constant = true;
    for (int i = 0; i < n->nin; i++) {
        const struct onnx_value *v = onnx_in(g, n, i);
        constant = constant && (!v || v->constant || v->data);
    }
    const struct onnx_value *in = onnx_in(g, n, 0);
    for (int i = 0; i < n->nout; i++)
        if (onnx_out(g, n, i)) {
            onnx_out(g, n, i)->constant = constant;
            onnx_out(g, n, i)->type = in ? in->type : ONNX_FLOAT;
        }
}

static bool infer_node(struct onnx_graph *g, struct onnx_node *n, struct err *err)
{
    n->row = onnx_operator_find(n->op);
    begin_outputs(g, n);
    int given = 0;
    while (given < n->nin && n->in[given] >= 0)
        given++;
    bool fine = n->row ? given >= n->row->least || err_set(err, "it has %d inputs, needs %d", given, n->row->least)
                       : unknown(n, err);
    if (!fine || !n->row->infer(g, n, err)) {
        if (!take_declared(g, n))
            return false;
        if (n->row && (n->row->kernel || n->row->product)) /* its shapes do not fit: it is no kernel */
            n->row = NULL;
    }
    const struct onnx_value *in = onnx_in(g, n, 0);
    struct onnx_value *out = onnx_out(g, n, 0);
    if (out && in && in->initializer && n->row && n->row->flops == 0 &&
        onnx_elements(&in->shape) == onnx_elements(&out->shape))
        out->initializer = true;
    for (int i = 0; i < n->nout; i++)
        if (onnx_out(g, n, i) && onnx_out(g, n, i)->shape.rank < 0)
            return err_set(err, "its output %d has no shape", i);
    return true;
}

bool onnx_infer(struct onnx_graph *g, struct err *err)
{
    for (int i = 0; i < g->nnodes; i++)
        if (!infer_node(g, &g->nodes[i], err)) {
            struct onnx_node *n = &g->nodes[i];
            return err_context(err, "%s: node '%s' (%s)", g->file, n->name, n->op);
        }
    return true;
}
