/* SPDX-License-Identifier: Apache-2.0 */
/* epilogue: what is fused behind a convolution or matrix product: bias, scale and shift, residual add, relu, relu6, and
 * activations with functions. */
#pragma once
#include "harness/base/settings.h"
#include "harness/program/ops/graph.h"

struct epilogue {
    int64_t bias, scale, add, relu, clip; /* 0 or 1 */
    int order;                            /* of the residual add: 0 data + residual, 1 residual + data */
    int act;                              /* enum activation */
};
/* GELU by erf: x * (0.5 + erf(x * sqrt(1/2)) * 0.5). By tanh: 0.5 * x * (1 + tanh(sqrt(2/pi) * (x + 0.044715 * x^3))),
 * the cube as products. SiLU: x * sigmoid(x). Hard sigmoid: min(max(x / 6 + 0.5, 0), 1); hard-swish: x times that, both
 * as TVM's ONNX frontend writes them. */
enum activation {
    ACT_NONE,
    ACT_GELU,
    ACT_GELU_TANH,
    ACT_SILU,
    ACT_SIGMOID,
    ACT_TANH,
    ACT_HARD_SIGMOID,
    ACT_HARD_SWISH
};
extern const char *const EPILOGUE_ORDERS[], *const EPILOGUE_ACTS[];

#define EPILOGUE_FLAG(S, member, field, text) INT_SETTING(#field, S, member.field, "0", 0, 1, text)
/* Rows for an operator's table of keys; member is the struct epilogue in options struct S. */
#define EPILOGUE_KEYS(S, member)                                                                                       \
    EPILOGUE_FLAG(S, member, bias, "add a bias per output channel"),                                                   \
        EPILOGUE_FLAG(S, member, scale, "multiply by a scale and add a shift per output channel"),                     \
        EPILOGUE_FLAG(S, member, add, "add a tensor of the output's shape (residual)"),                                \
        ENUM_SETTING("order", S, member.order, "data", EPILOGUE_ORDERS,                                                \
                     "which operand of the residual add comes first"),                                                 \
        EPILOGUE_FLAG(S, member, relu, "relu at the end"), EPILOGUE_FLAG(S, member, clip, "relu6 at the end"),         \
        ENUM_SETTING("act", S, member.act, "none", EPILOGUE_ACTS, "another activation at the end", .implied = true)

/* channel_shape: shape of a bias, with output's number of dimensions. Returns the last stage. */
const struct op *epilogue_add(struct graph *g, const struct epilogue *e, const struct op *output,
                              const int64_t *channel_shape);
MUST_CHECK bool epilogue_check(const struct epilogue *e, struct err *err);
const char *epilogue_name(struct arena *a, const struct epilogue *e); /* " +bias +relu" */
/* name(ax...) = max(from, 0) */
const struct op *epilogue_relu(struct graph *g, const struct op *from);
