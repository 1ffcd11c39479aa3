/* SPDX-License-Identifier: Apache-2.0 */
#include "targets/cpu/tvm/reassociate.h"

#include <stdlib.h>

static bool is_sum(const struct older_llvm *l, LLVMValueRef v)
{
    LLVMOpcode op = l->LLVMGetInstructionOpcode(v);
    return (op == LLVMAdd || op == LLVMMul) && l->LLVMGetTypeKind(l->LLVMTypeOf(v)) == LLVMIntegerTypeKind;
}

static void remember(struct reassociate *r, LLVMValueRef v)
{
    const struct older_llvm *l = r->llvm;
    if (r->n == r->cap)
        r->sums = realloc(r->sums, (r->cap = r->cap ? 2 * r->cap : 256) * sizeof *r->sums);
    map_put(&r->at, (uint64_t)(uintptr_t)v, r->n);
    r->sums[r->n++] = (struct integer_sum){.opcode = l->LLVMGetInstructionOpcode(v),
                                           .operands = {l->LLVMGetOperand(v, 0), l->LLVMGetOperand(v, 1)},
                                           .nsw = l->has_nsw(v),
                                           .nuw = l->has_nuw(v)};
}

static void each_sum(struct reassociate *r, LLVMModuleRef m, void (*visit)(struct reassociate *, LLVMValueRef))
{
    const struct older_llvm *l = r->llvm;
    for (LLVMValueRef f = l->LLVMGetFirstFunction(m); f; f = l->LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = l->LLVMGetFirstBasicBlock(f); b; b = l->LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = l->LLVMGetFirstInstruction(b); i; i = l->LLVMGetNextInstruction(i))
                if (is_sum(l, i))
                    visit(r, i);
}

void reassociate_before(struct reassociate *r, const struct older_llvm *llvm, LLVMModuleRef m)
{
    *r = (struct reassociate){.llvm = llvm};
    each_sum(r, m, remember);
}

/* An instruction that is new at the place of an old one passes only when it adds the same values: then it has the same
 * right to the flags. */
static const struct integer_sum *unchanged(const struct reassociate *r, LLVMValueRef v)
{
    uint64_t at;
    if (!map_get(&r->at, (uint64_t)(uintptr_t)v, &at))
        return NULL;
    const struct integer_sum *s = &r->sums[at];
    LLVMValueRef x = r->llvm->LLVMGetOperand(v, 0), y = r->llvm->LLVMGetOperand(v, 1);
    bool same = (x == s->operands[0] && y == s->operands[1]) || (x == s->operands[1] && y == s->operands[0]);
    return same && s->opcode == r->llvm->LLVMGetInstructionOpcode(v) ? s : NULL;
}

/* The instruction above v in its tree: its only user, when that is an operation of the same kind. */
static LLVMValueRef parent(const struct older_llvm *l, LLVMValueRef v)
{
    LLVMUseRef use = l->LLVMGetFirstUse(v);
    if (!use || l->LLVMGetNextUse(use))
        return NULL;
    LLVMValueRef user = l->LLVMGetUser(use);
    bool same = l->LLVMIsAInstruction(user) && l->LLVMGetInstructionOpcode(user) == l->LLVMGetInstructionOpcode(v);
    return same ? user : NULL;
}

static void give_back(struct reassociate *r, LLVMValueRef v)
{
    const struct integer_sum *s = unchanged(r, v);
    for (LLVMValueRef up = parent(r->llvm, v); s && up; up = parent(r->llvm, up))
        if (!unchanged(r, up))
            return;
    if (s && s->nsw)
        r->llvm->set_nsw(v, true);
    if (s && s->nuw)
        r->llvm->set_nuw(v, true);
}

void reassociate_after(struct reassociate *r, LLVMModuleRef m)
{
    each_sum(r, m, give_back);
}

void reassociate_free(struct reassociate *r)
{
    map_free(&r->at);
    free(r->sums);
}
