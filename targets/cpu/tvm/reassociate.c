/* SPDX-License-Identifier: Apache-2.0 */
/* reassociate: a tree is what the pass makes of a sum: a chain of operations, each with the rest on its left and a term
 * on its right, the term of the highest rank on top. */
#include "targets/cpu/tvm/reassociate.h"

#include <string.h>

static uint64_t key_of(const void *p)
{
    return (uint64_t)(uintptr_t)p;
}

static bool is_sum(const struct older_llvm *l, LLVMValueRef v)
{
    LLVMOpcode op = l->LLVMGetInstructionOpcode(v);
    return (op == LLVMAdd || op == LLVMMul) && l->LLVMGetTypeKind(l->LLVMTypeOf(v)) == LLVMIntegerTypeKind;
}

static void remember(struct reassociate *r, LLVMValueRef v)
{
    const struct older_llvm *l = r->llvm;
    map_put(&r->at, key_of(v), (uint64_t)r->sums.n);
    struct integer_sum s = {.opcode = l->LLVMGetInstructionOpcode(v),
                            .operands = {l->LLVMGetOperand(v, 0), l->LLVMGetOperand(v, 1)},
                            .nsw = l->has_nsw(v),
                            .nuw = l->has_nuw(v)};
    vec_push(&r->sums, s);
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
    if (!map_get(&r->at, key_of(v), &at))
        return NULL;
    const struct integer_sum *s = &r->sums.at[at];
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

/* ---- the order of terms ---- */

/* Ranks as Reassociate.cpp has them (BuildRankMap, getRank): later blocks above earlier ones; what depends on more than
 * its operands ranks by its place, the rest one above its highest operand. Blocks are taken in the function's order: of
 * two blocks that define terms of one sum one dominates the other, and it comes first in either order. */
static bool ranks_by_place(const struct older_llvm *l, LLVMValueRef v)
{
    switch (l->LLVMGetInstructionOpcode(v)) {
    case LLVMPHI:
    case LLVMLoad:
    case LLVMStore:
    case LLVMAlloca:
    case LLVMBr:
    case LLVMRet:
        return true;
    case LLVMCall: /* of integers only min and max */
        return l->LLVMGetTypeKind(l->LLVMTypeOf(v)) != LLVMIntegerTypeKind;
    case LLVMSDiv:
    case LLVMUDiv:
    case LLVMSRem:
    case LLVMURem:
        return !l->LLVMIsConstant(l->LLVMGetOperand(v, 1));
    default:
        return false;
    }
}

static void rank_places(struct reassociate *r, LLVMValueRef f)
{
    const struct older_llvm *l = r->llvm;
    uint64_t rank = 2;
    for (LLVMValueRef p = l->LLVMGetFirstParam(f); p; p = l->LLVMGetNextParam(p))
        map_put(&r->ranks, key_of(p), ++rank);
    for (LLVMBasicBlockRef b = l->LLVMGetFirstBasicBlock(f); b; b = l->LLVMGetNextBasicBlock(b)) {
        uint64_t of_block = ++rank << 16;
        map_put(&r->ranks, key_of(b), of_block);
        for (LLVMValueRef i = l->LLVMGetFirstInstruction(b); i; i = l->LLVMGetNextInstruction(i))
            if (ranks_by_place(l, i))
                map_put(&r->ranks, key_of(i), ++of_block);
    }
}

static uint64_t rank_of(struct reassociate *r, LLVMValueRef v)
{
    const struct older_llvm *l = r->llvm;
    uint64_t rank = 0, most;
    if (map_get(&r->ranks, key_of(v), &rank) || !l->LLVMIsAInstruction(v))
        return rank;
    if (!map_get(&r->ranks, key_of(l->LLVMGetInstructionParent(v)), &most))
        return 0;
    for (int i = 0; i < l->LLVMGetNumOperands(v) && rank != most; i++) {
        uint64_t of = rank_of(r, l->LLVMGetOperand(v, (unsigned)i));
        rank = of > rank ? of : rank;
    }
    map_put(&r->ranks, key_of(v), ++rank);
    return rank;
}

enum { TERMS = 10 }; /* GlobalReassociateLimit: longer sums are left in the order of ranks by either LLVM */
struct tree {
    LLVMValueRef nodes[TERMS], terms[TERMS]; /* the top one first; nodes: one less than terms */
    int n;                                   /* terms */
};

static bool read_tree(const struct older_llvm *l, LLVMValueRef top, struct tree *t)
{
    LLVMValueRef node = top;
    for (t->n = 0;;) {
        LLVMValueRef rest = l->LLVMGetOperand(node, 0);
        if (t->n + 2 > TERMS)
            return false;
        t->nodes[t->n] = node;
        t->terms[t->n++] = l->LLVMGetOperand(node, 1);
        if (!l->LLVMIsAInstruction(rest) || l->LLVMGetInstructionOpcode(rest) != LLVMAdd || parent(l, rest) != node) {
            t->terms[t->n++] = rest;
            return t->n > 2;
        }
        node = rest;
    }
}

/* The block that a term hangs on; the entry's for what is no instruction. */
static LLVMBasicBlockRef block_of(const struct older_llvm *l, LLVMValueRef term, LLVMBasicBlockRef entry)
{
    return l->LLVMIsAInstruction(term) ? l->LLVMGetInstructionParent(term) : entry;
}

/* Terms as LLVM 17 has them: by rank, highest first, but those at the end that are of one block stay as they are. */
static void order_terms(struct reassociate *r, const struct tree *t, LLVMBasicBlockRef entry, LLVMValueRef *out)
{
    const struct older_llvm *l = r->llvm;
    LLVMValueRef sorted[TERMS];
    int head = 0, n = 0;
    for (int i = 0; i < t->n; i++) {
        int at = i;
        for (; at > 0 && rank_of(r, sorted[at - 1]) < rank_of(r, t->terms[i]); at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = t->terms[i];
    }
    LLVMBasicBlockRef first = block_of(l, sorted[t->n - 2], entry);
    for (int i = t->n - 3; i >= 0 && !head; i--)
        if (block_of(l, sorted[i], entry) != first)
            head = i + 1;
    for (; n < head; n++)
        out[n] = sorted[n];
    for (int i = 0; i < t->n; i++) {
        bool taken = false;
        for (int k = 0; k < head; k++)
            taken |= sorted[k] == t->terms[i];
        if (!taken)
            out[n++] = t->terms[i];
    }
    if (n != t->n) /* a term that occurs twice */
        memcpy(out, t->terms, (size_t)t->n * sizeof *out);
}

/* Nodes below the top may be of an outer block, where an inner term is not defined yet: what changes goes to the top.
 */
static void write_tree(const struct reassociate *r, const struct tree *t, const LLVMValueRef *terms)
{
    const struct older_llvm *l = r->llvm;
    int lowest = -1;
    for (int i = 0; i < t->n - 1; i++)
        if (terms[i] != t->terms[i] || (i == t->n - 2 && terms[i + 1] != t->terms[i + 1]))
            lowest = i;
    if (lowest < 0)
        return;
    LLVMBuilderRef b = l->LLVMCreateBuilderInContext(l->LLVMGetTypeContext(l->LLVMTypeOf(t->nodes[0])));
    for (int i = lowest; i >= 0; i--) {
        if (i > 0) {
            l->LLVMInstructionRemoveFromParent(t->nodes[i]);
            l->LLVMPositionBuilderBefore(b, t->nodes[0]);
            l->LLVMInsertIntoBuilder(b, t->nodes[i]);
        }
        l->LLVMSetOperand(t->nodes[i], 1, terms[i]);
        if (i == t->n - 2)
            l->LLVMSetOperand(t->nodes[i], 0, terms[i + 1]);
        l->set_nsw(t->nodes[i], false);
        l->set_nuw(t->nodes[i], false);
    }
    l->LLVMDisposeBuilder(b);
}

static void order_tree(struct reassociate *r, LLVMValueRef top)
{
    const struct older_llvm *l = r->llvm;
    struct tree t;
    LLVMValueRef terms[TERMS];
    if (l->LLVMGetInstructionOpcode(top) != LLVMAdd || parent(l, top) || !read_tree(l, top, &t))
        return;
    LLVMValueRef f = l->LLVMGetBasicBlockParent(l->LLVMGetInstructionParent(top));
    order_terms(r, &t, l->LLVMGetEntryBasicBlock(f), terms);
    write_tree(r, &t, terms);
}

/* ---- flags ---- */

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
    for (LLVMValueRef f = r->llvm->LLVMGetFirstFunction(m); f; f = r->llvm->LLVMGetNextFunction(f))
        rank_places(r, f);
    each_sum(r, m, order_tree);
    each_sum(r, m, give_back);
}

void reassociate_free(struct reassociate *r)
{
    map_free(&r->at);
    map_free(&r->ranks);
    vec_free(&r->sums);
}
