/* SPDX-License-Identifier: Apache-2.0 */
/* keys: rows for the operators' tables of keys. Sizes are int64_t fields of the options struct S, at most 2^24. */
#pragma once
#include "harness/base/settings.h"

#define KEY_MOST 16777216
#define KEY_NEEDED(S, field, text) INT_SETTING(#field, S, field, "0", 0, KEY_MOST, text, .needed = true)
#define KEY_ONE(S, field, text) INT_SETTING(#field, S, field, "1", 1, KEY_MOST, text)  /* 1 unless given */
#define KEY_ZERO(S, field, text) INT_SETTING(#field, S, field, "0", 0, KEY_MOST, text) /* 0 = not given */
#define KEY_FLAG(S, field, text) INT_SETTING(#field, S, field, "0", 0, 1, text)
#define KEY_PAD(S, field, text) STRING_SETTING(#field, S, field, "0", text)
/* Element type of the operands; sums and output are float32. Needs ops/graph.h. */
#define KEY_INPUTS(S, field)                                                                                           \
    ENUM_SETTING(#field, S, field, "float32", GRAPH_INPUTS, "element type of the operands; sums are float32",          \
                 .implied = true)
#define KEY_CHOICE(S, field, text, first, names) ENUM_SETTING(#field, S, field, first, names, text)

/* Sizes of a convolution, for operators with fields of these names. */
#define CONV2D_KEYS(S)                                                                                                 \
    KEY_ONE(S, n, "batch"), KEY_NEEDED(S, ci, "input channels"), KEY_NEEDED(S, hi, "input height"),                    \
        KEY_NEEDED(S, wi, "input width"), KEY_NEEDED(S, co, "output channels"), KEY_NEEDED(S, kh, "filter height"),    \
        KEY_NEEDED(S, kw, "filter width"), KEY_ZERO(S, ho, "output height; follows from the others"),                  \
        KEY_ZERO(S, wo, "output width; follows from the others")

/* How a window moves, for operators with fields of these names: strides, padding, dilation. */
#define WINDOW_KEYS(S)                                                                                                 \
    KEY_ONE(S, sh, "stride in height"), KEY_ONE(S, sw, "stride in width"),                                             \
        KEY_PAD(S, ph, "padding in height, 'top,bottom' when they differ"),                                            \
        KEY_PAD(S, pw, "padding in width, 'left,right' when they differ"), KEY_ONE(S, dh, "dilation in height"),       \
        KEY_ONE(S, dw, "dilation in width")
