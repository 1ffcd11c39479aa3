/* SPDX-License-Identifier: Apache-2.0 */
/* window: what convolutions and poolings share: layouts, padding, output sizes, and the padding stage. */
#pragma once
#include "harness/program/ops/graph.h"

enum tensor_layout { LAYOUT_AUTO, LAYOUT_NCHWC, LAYOUT_NCHW, LAYOUT_NHWC };
extern const char *const LAYOUT_NAMES[]; /* choices of a setting, ended by NULL */

struct window {                                               /* one spatial dimension */
    int64_t in, out, kernel, stride, dilation, before, after; /* before, after: padding */
};

/* Checks the window and fills before, after from *pad ("1" or "0,1", made canonical in a) and out. *out_key: what the
 * spec says for key out_name, 0 when it says nothing; filled in. suffix is "h" or "w". */
MUST_CHECK bool window_solve(struct arena *a, struct window *w, char suffix, const char **pad, int64_t *out_key,
                             struct err *err);
/* Resolves LAYOUT_AUTO: blocked when the block is given. Then checks block (0 = must not be given, unless blocked). */
MUST_CHECK bool window_layout(int *layout, bool blocked, struct err *err);
/* Shape of a tensor with the given sizes; block only for NCHWc, where it must divide c. Returns the number of
 * dimensions. */
int window_shape(enum tensor_layout l, int64_t n, int64_t c, int64_t h, int64_t w, int64_t block,
                 int64_t shape[GRAPH_DIMS]);
MUST_CHECK bool window_block(const char *key, int64_t block, const char *of, int64_t channels, struct err *err);
static inline int window_h_dim(enum tensor_layout l)
{
    return l == LAYOUT_NHWC ? 1 : 2;
}

/* How TVM's two padding functions differ: topi's Python one tests both sides of a padded dimension, its C++ one (used
 * by poolings) only the padded side; axes are "i0" and "ax0". */
enum pad_style { PAD_CONV, PAD_POOL };
struct padding {
    const char *name; /* of the stage */
    enum pad_style style;
    int first, n; /* the dimensions of data that are padded */
    const struct window *side;
    double value;
};
/* The padding stage over data; made even when nothing is padded. */
const struct op *window_pad(struct graph *g, const struct op *data, const struct padding *p);
bool window_padded(const struct window side[2]);
/* out*stride + in*dilation, folded */
const struct expr *window_index(struct graph *g, const struct window *w, int out_axis, int kernel_axis);
