/* SPDX-License-Identifier: Apache-2.0 */
#include "targets/cpu/export/c_expression.h"

#include "targets/cpu/export/c_lanes.h"
#include "targets/cpu/export/c_memory.h"
#include "targets/cpu/export/c_value.h"

bool c_is_pure(LLVMValueRef v)
{
    LLVMOpcode o = LLVMGetInstructionOpcode(v);
    return c_is_arithmetic(o) || o == LLVMGetElementPtr || c_moves_lanes(o) || c_is_function(v);
}

const char *c_expression(struct c_emitter *e, LLVMValueRef v, int part)
{
    LLVMOpcode o = LLVMIsAConstantExpr(v) ? LLVMGetConstOpcode(v) : LLVMGetInstructionOpcode(v);
    if (o == LLVMGetElementPtr)
        return c_address(e, v, part);
    if (c_is_arithmetic(o))
        return c_arithmetic(e, v, part);
    if (c_moves_lanes(o))
        return c_lanes(e, v, part);
    if (o == LLVMLoad)
        return c_load(e, v, part);
    if (o == LLVMCall)
        return c_call(e, v, part);
    c_fail(e, "the code has an instruction (%d) that is not known here", (int)o);
    return "0";
}
