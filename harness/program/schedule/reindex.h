/* SPDX-License-Identifier: Apache-2.0 */
/* reindex: a sum of products of two tensors seen as a product of matrices, as TVM's AutoTensorize sees it
 * (tir/schedule/analysis/analysis.cc, AutoTensorizeMappingProposer): an axis of both factors and of the result is of
 * the batch, one of the first factor and the result is of the rows, one of the second and the result of the columns,
 * and a reduce axis of both is of the sums. A convolution is such a product: its rows are the pixels of all images, its
 * columns the output channels, its sums the input channels at each place of the filter.
 *
 * Step RI makes it one. It stands for TVM's reindex of each buffer, transform_layout, transform_block_layout and
 * pad_einsum. In place of stage X that multiplies P and Q there are
 *   P_reindex(batch.., m, k), Q_reindex(batch.., k, n)   the factors; 0 past the end
 *   X_reindex(batch.., m, n) += P_reindex * Q_reindex    over k
 *   X(as before) = X_reindex                             where m, n, k are the axes of a kind in their order, fused,
 * and their lengths are rounded up to multiples of a tile. Deviation: TVM leaves axes of extent 1 out of m, n and k. */
#pragma once
#include "harness/base/err.h"
#include "harness/program/ir/dag.h"

enum axis_role { ROLE_BATCH, ROLE_ROW, ROLE_COLUMN, ROLE_SUM, ROLE_COUNT };
enum { REINDEX_AXES = 16 };
struct reindex {
    int axes[ROLE_COUNT][REINDEX_AXES], n[ROLE_COUNT]; /* positions among the op's axes, ascending */
    const struct expr *factor[2];                      /* the loads; the first has the rows */
};

/* Errors: the stage is no sum of products of two loads (or of their casts), an axis has no role, or a role but that of
 * the batch has no axis. */
MUST_CHECK bool reindex_find(const struct op *op, struct reindex *out, struct err *err);
/* The dag with three more stages, at position to position + 2; what was there stands at position + 3. tile: 1 to 2^20.
 */
MUST_CHECK bool rewrite_reindex(const struct dag *d, int position, int64_t tile, const struct dag **out,
                                struct err *err);
