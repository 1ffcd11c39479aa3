/* SPDX-License-Identifier: Apache-2.0 */
/* loop_exit: the condition on which a parallel loop ends, for LLVM 16 as LLVM 17's pass indvars leaves it. Both count
 * such a loop in 64 bits. It begins at min(task x chunk, extent), sign-extended. LLVM 17 takes that for the minimum of
 * two sign-extended numbers (ScalarEvolution.cpp, getSignExtendExpr). So it cannot tell that the counter is one of 32
 * bits, and compares its lower half with the end (IndVarSimplify.cpp, linearFunctionTestReplace). LLVM 16 extends the
 * end instead. From that it knows less of the counter's range, takes addresses for ones that may wrap around, and does
 * not vectorise some loops inside. */
#pragma once
#include "targets/cpu/tvm/older_llvm.h"

void narrow_loop_exits(const struct older_llvm *l, LLVMModuleRef m); /* after the loop passes */
