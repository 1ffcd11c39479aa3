/* SPDX-License-Identifier: Apache-2.0 */
/* tvm_plan: how each loop of a nest runs under TVM's VectorizeLoop and UnrollLoop. */
#pragma once
#include "targets/cpu/tvm/tvm_emitter.h"

enum tvm_loop {
    TVM_NO_LOOP, /* not a loop, or one of a single iteration */
    TVM_SERIAL,
    TVM_UNROLLED,
    TVM_VECTOR,
    TVM_PARALLEL
};
struct tvm_node { /* one statement; or a loop over the lanes of a statement that cannot be vector code */
    const struct stmt *s;
    enum tvm_loop loop;
    int atom;
    int64_t extent;
    struct tvm_node **kids;
    int nkids;
};

struct tvm_node *tvm_plan(struct tvm_emitter *em);
