/* SPDX-License-Identifier: Apache-2.0 */
/* reassociate: a tree is what the pass makes of a sum: a chain of operations, each with the rest on its left and a term
 * on its right, the term of the highest rank on top. */
#include "targets/cpu/tvm/reassociate.h"

#include "harness/base/hash.h"

#include <string.h>

static uint64_t key_of(const void *p)
{
    return (uint64_t)(uintptr_t)p;
}

/* Or of values without a common bit is an addition to the pass. */
static bool is_sum(const struct older_llvm *l, LLVMValueRef v)
{
    LLVMOpcode op = l->LLVMGetInstructionOpcode(v);
    return (op == LLVMAdd || op == LLVMMul || op == LLVMOr) &&
           l->LLVMGetTypeKind(l->LLVMTypeOf(v)) == LLVMIntegerTypeKind;
}

/* x << c is x times 2 to the c. */
static struct integer_operand operand_of(const struct older_llvm *l, LLVMValueRef v)
{
    struct integer_operand o = {.value = v};
    if (!l->LLVMIsAInstruction(v) || l->LLVMGetInstructionOpcode(v) != LLVMShl ||
        !l->LLVMIsConstant(l->LLVMGetOperand(v, 1)))
        return o;
    o.shifted = l->LLVMGetOperand(v, 0);
    o.factor = 1ull << (l->LLVMConstIntGetZExtValue(l->LLVMGetOperand(v, 1)) & 63);
    return o;
}

static void remember(struct reassociate *r, LLVMValueRef v)
{
    const struct older_llvm *l = r->llvm;
    LLVMOpcode opcode = l->LLVMGetInstructionOpcode(v);
    map_put(&r->at, key_of(v), (uint64_t)r->sums.n);
    struct integer_sum s = {
        .opcode = opcode,
        .operands = {operand_of(l, l->LLVMGetOperand(v, 0)), operand_of(l, l->LLVMGetOperand(v, 1))},
        .nsw = opcode != LLVMOr && l->has_nsw(v),
        .nuw = opcode != LLVMOr && l->has_nuw(v)};
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

/* ---- pairs of terms ---- */

enum { TERMS = 10 }; /* GlobalReassociateLimit: longer sums are left in the order of ranks by either LLVM */

static uint64_t pair_key(LLVMValueRef a, LLVMValueRef b)
{
    uint64_t x = key_of(a), y = key_of(b);
    return x < y ? hash_mix(x, y) : hash_mix(y, x);
}

/* Leaves of the sum under v, before the pass. False: more than TERMS. */
static bool read_leaves(const struct older_llvm *l, LLVMValueRef v, LLVMValueRef *leaves, int *n)
{
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef o = l->LLVMGetOperand(v, i);
        if (l->LLVMIsAInstruction(o) && l->LLVMGetInstructionOpcode(o) == LLVMAdd && parent(l, o) == v) {
            if (!read_leaves(l, o, leaves, n))
                return false;
        } else if (*n == TERMS)
            return false;
        else
            leaves[(*n)++] = o;
    }
    return true;
}

/* Counts each pair of terms of a sum (BuildPairMap). */
static void count_pairs(struct reassociate *r, LLVMValueRef top)
{
    const struct older_llvm *l = r->llvm;
    LLVMValueRef leaves[TERMS];
    int n = 0;
    if (l->LLVMGetInstructionOpcode(top) != LLVMAdd || parent(l, top) || !read_leaves(l, top, leaves, &n))
        return;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            uint64_t count = 0, key = pair_key(leaves[i], leaves[j]);
            map_get(&r->pairs, key, &count);
            map_put(&r->pairs, key, count + 1);
        }
}

void reassociate_before(struct reassociate *r, const struct older_llvm *llvm, LLVMModuleRef m)
{
    *r = (struct reassociate){.llvm = llvm};
    each_sum(r, m, remember);
    each_sum(r, m, count_pairs);
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

struct tree {
    LLVMValueRef nodes[TERMS], terms[TERMS]; /* the top one first; nodes: one less than terms */
    int n;                                   /* terms */
};

/* False: too many terms. */
static bool read_tree(const struct older_llvm *l, LLVMValueRef top, struct tree *t)
{
    LLVMOpcode opcode = l->LLVMGetInstructionOpcode(top);
    LLVMValueRef node = top;
    for (t->n = 0;;) {
        LLVMValueRef rest = l->LLVMGetOperand(node, 0);
        if (t->n + 2 > TERMS)
            return false;
        t->nodes[t->n] = node;
        t->terms[t->n++] = l->LLVMGetOperand(node, 1);
        if (!l->LLVMIsAInstruction(rest) || l->LLVMGetInstructionOpcode(rest) != opcode || parent(l, rest) != node) {
            t->terms[t->n++] = rest;
            return true;
        }
        node = rest;
    }
}

/* The block that a term hangs on; the entry's for what is no instruction. */
static LLVMBasicBlockRef block_of(const struct older_llvm *l, LLVMValueRef term, LLVMBasicBlockRef entry)
{
    return l->LLVMIsAInstruction(term) ? l->LLVMGetInstructionParent(term) : entry;
}

static void sort_terms(struct reassociate *r, const struct tree *t, LLVMValueRef *sorted)
{
    for (int i = 0; i < t->n; i++) {
        int at = i;
        for (; at > 0 && rank_of(r, sorted[at - 1]) < rank_of(r, t->terms[i]); at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = t->terms[i];
    }
}

/* The first of the terms at the end that are of one block. The last term does not matter. */
static int tail_of(const struct older_llvm *l, const LLVMValueRef *sorted, int n, LLVMBasicBlockRef entry)
{
    LLVMBasicBlockRef first = block_of(l, sorted[n - 2], entry);
    int tail = n - 2;
    while (tail > 0 && block_of(l, sorted[tail - 1], entry) == first)
        tail--;
    return tail;
}

static bool has_term(const LLVMValueRef *terms, int n, LLVMValueRef v)
{
    for (int i = 0; i < n; i++)
        if (terms[i] == v)
            return true;
    return false;
}

/* Brings the pair that most sums have to the end, if there is one that two have; of equals the one of lowest rank. */
static void pair_terms(struct reassociate *r, LLVMValueRef *terms, int n)
{
    uint64_t most = 1, lowest = 0;
    int at[2] = {0, 0};
    for (int i = n - 1; i > 0; i--)
        for (int j = i - 1; j >= 0; j--) {
            uint64_t count = 0, a = rank_of(r, terms[i]), b = rank_of(r, terms[j]), rank = a > b ? a : b;
            map_get(&r->pairs, pair_key(terms[i], terms[j]), &count);
            if (count > most || (count == most && rank < lowest)) {
                most = count;
                lowest = rank;
                at[0] = j;
                at[1] = i;
            }
        }
    if (most < 2)
        return;
    LLVMValueRef pair[2] = {terms[at[0]], terms[at[1]]};
    for (int i = 0, k = 0; i < n; i++)
        if (i != at[0] && i != at[1])
            terms[k++] = terms[i];
    terms[n - 2] = pair[0];
    terms[n - 1] = pair[1];
}

/* Terms as LLVM 17 has them: by rank, highest first, but a pair at the end only of those that are of one block. When
 * the pair that LLVM 16 chose is of these LLVM 17 chooses it, too. */
static void order_terms(struct reassociate *r, const struct tree *t, LLVMBasicBlockRef entry, LLVMValueRef *out)
{
    LLVMValueRef sorted[TERMS];
    int n = t->n;
    sort_terms(r, t, sorted);
    int tail = tail_of(r->llvm, sorted, n, entry), k = tail;
    memcpy(out, t->terms, (size_t)n * sizeof *out);
    if (!tail)
        return;
    memcpy(out, sorted, (size_t)n * sizeof *out);
    if (has_term(sorted, tail, t->terms[n - 2]) || has_term(sorted, tail, t->terms[n - 1])) {
        pair_terms(r, out + tail, n - tail);
        LLVMValueRef last = out[n - 1]; /* the tree has the last term on the right of its last operation */
        out[n - 1] = out[n - 2];
        out[n - 2] = last;
        return;
    }
    for (int i = 0; i < n; i++)
        if (!has_term(sorted, tail, t->terms[i]))
            out[k++] = t->terms[i];
    if (k != n) /* a term that occurs twice */
        memcpy(out, t->terms, (size_t)n * sizeof *out);
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
    if (l->LLVMGetInstructionOpcode(top) != LLVMAdd || parent(l, top) || !read_tree(l, top, &t) || t.n < 3)
        return;
    LLVMValueRef f = l->LLVMGetBasicBlockParent(l->LLVMGetInstructionParent(top));
    order_terms(r, &t, l->LLVMGetEntryBasicBlock(f), terms);
    write_tree(r, &t, terms);
}

/* ---- flags ---- */

static const struct integer_sum *old_sum(const struct reassociate *r, LLVMValueRef v)
{
    uint64_t at;
    return map_get(&r->at, key_of(v), &at) ? &r->sums.at[at] : NULL;
}

/* Is v what an operand was before the pass? The pass makes multiplications of shifts. */
static bool is_same(const struct older_llvm *l, const struct integer_operand *o, LLVMValueRef v)
{
    if (v == o->value)
        return true;
    return o->factor && l->LLVMIsAInstruction(v) && l->LLVMGetInstructionOpcode(v) == LLVMMul &&
           l->LLVMGetOperand(v, 0) == o->shifted && l->LLVMIsConstant(l->LLVMGetOperand(v, 1)) &&
           l->LLVMConstIntGetZExtValue(l->LLVMGetOperand(v, 1)) == o->factor;
}

static bool adds_up(LLVMOpcode before, LLVMOpcode now)
{
    return before == now || (before == LLVMOr && now == LLVMAdd);
}

/* From the top down as long as an operation has the term that it had, on either side, and a rest that was one of the
 * tree's. */
static void keep_flags(struct reassociate *r, LLVMValueRef top)
{
    const struct older_llvm *l = r->llvm;
    LLVMOpcode opcode = l->LLVMGetInstructionOpcode(top);
    const struct integer_sum *old = old_sum(r, top);
    struct tree t;
    if (opcode == LLVMOr || parent(l, top) || !read_tree(l, top, &t))
        return;
    for (int i = 0; i < t.n - 1 && old && adds_up(old->opcode, opcode); i++) {
        const struct integer_operand *o = old->operands;
        const struct integer_operand *rest = is_same(l, &o[1], t.terms[i]) ? &o[0] : &o[1];
        if (!is_same(l, rest == o ? &o[1] : o, t.terms[i]) || (i == t.n - 2 && !is_same(l, rest, t.terms[i + 1])))
            return;
        const struct integer_sum *below = old_sum(r, rest->value);
        if (i < t.n - 2 && (!below || !adds_up(below->opcode, opcode)))
            return;
        if (old->nsw)
            l->set_nsw(t.nodes[i], true);
        if (old->nuw)
            l->set_nuw(t.nodes[i], true);
        old = below;
    }
}

void reassociate_after(struct reassociate *r, LLVMModuleRef m)
{
    for (LLVMValueRef f = r->llvm->LLVMGetFirstFunction(m); f; f = r->llvm->LLVMGetNextFunction(f))
        rank_places(r, f);
    each_sum(r, m, order_tree);
    each_sum(r, m, keep_flags);
}

void reassociate_free(struct reassociate *r)
{
    map_free(&r->at);
    map_free(&r->ranks);
    map_free(&r->pairs);
    vec_free(&r->sums);
}
