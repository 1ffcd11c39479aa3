/* SPDX-License-Identifier: Apache-2.0 */
/* fold: makers of expressions that fold constants exactly as TVM's operators do while an operator definition is written
 * (x*1, x+0, x-0, x/1, two constants), and no more. That is why the expressions of our stages equal TVM's. */
#pragma once
#include "harness/program/ir/expr.h"

/* ADD SUB MUL DIV FLOORDIV FLOORMOD MIN MAX, comparisons, AND OR. */
const struct expr *expr_fold(struct arena *a, enum expr_kind k, const struct expr *x, const struct expr *y);
const struct expr *expr_fold_int(struct arena *a, enum expr_kind k, const struct expr *x, int64_t y);
