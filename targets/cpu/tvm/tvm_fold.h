/* SPDX-License-Identifier: Apache-2.0 */
/* tvm_fold: values with the numbers of unrolled loops put in, as TVM's Simplify leaves them after UnrollLoop. */
#pragma once
#include "targets/cpu/tvm/tvm_emitter.h"

/* v itself where nothing folds. */
const struct value *tvm_fold(struct tvm_emitter *em, const struct value *v);
bool tvm_differs_by_lane(struct tvm_emitter *em, const struct value *v);
/* The store writes back what it loads from the same place (TVM: RemoveNoOp). value: the folded one. */
bool tvm_stores_nothing(struct tvm_emitter *em, const struct stmt *s, const struct value *value);
