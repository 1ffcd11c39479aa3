/* SPDX-License-Identifier: Apache-2.0 */
/* tvm_expr: values of the nest, loads and stores. */
#pragma once
#include "targets/cpu/tvm/tvm_emitter.h"

struct tvm_value {
    LLVMValueRef v;
    int lanes; /* 1: the same in every lane */
};

struct tvm_value tvm_expr(struct tvm_emitter *em, const struct value *v);
void tvm_store(struct tvm_emitter *em, const struct stmt *s);
/* lo <= form < hi for all guards, as an i1; NULL: always true. Not for forms that differ by lane. */
LLVMValueRef tvm_guards(struct tvm_emitter *em, const struct guard *guards, int n);
