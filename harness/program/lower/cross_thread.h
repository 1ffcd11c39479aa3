/* SPDX-License-Identifier: Apache-2.0 */
/* cross_thread: reductions that the threads of a block share, in the form that a GPU runs. lower() leaves them as plain
 * reductions with a loop bound to threadIdx.x, which the interpreter can run; what features are counted on and code is
 * made from is (TVM: MakeCrossThreadReduction)
 *
 *     spatial loops and thread loops, in their order
 *       alloc reduce_temp[1] local
 *       alloc normal_reduce_temp[1] local
 *         normal_reduce_temp[0] = identity
 *         the other reduce loops
 *           normal_reduce_temp[0] = normal_reduce_temp[0] combined with the source
 *         out[index] = reduce_temp[0]        (across_threads = normal_reduce_temp)
 *
 * The last store is of the first thread; before it reduce_temp[0] becomes normal_reduce_temp[0] combined over all
 * threads of the reduce loops. */
#pragma once
#include "harness/program/ir/nest.h"

/* The nest in that form, sharing what did not change; n itself when no reduction goes across threads. Reductions with
 * other stages inside their loops stay as they are. Memory from a. */
const struct nest *cross_thread_nest(struct arena *a, const struct nest *n);
