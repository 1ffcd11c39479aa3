/* SPDX-License-Identifier: Apache-2.0 */
#include "targets/cpu/tvm/tvm_common.h"

#include "harness/base/hash.h"

#include <stdlib.h>
#include <string.h>

struct operation {
    enum tvm_operation op;
    LLVMTypeRef type;
    int x, y;
    int64_t k;
    int size;     /* operations in it */
    int next;     /* of the same hash; -1: none */
    bool natural; /* never negative */
};
enum { BUCKETS = 4096 };
struct tvm_operations {
    struct operation *at;
    int n, cap;
    int bucket[BUCKETS];
};
struct tvm_region {
    struct tvm_region *before;
    int *uses;            /* per node */
    LLVMValueRef *values; /* per node: NULL, or what was computed in front */
    int n;                /* nodes that these know of */
};

/* ---- operations ---- */

static struct tvm_operations *operations(struct tvm_emitter *em)
{
    if (!em->operations) {
        em->operations = ARENA_NEW(em->arena, struct tvm_operations);
        memset(em->operations->bucket, -1, sizeof em->operations->bucket);
    }
    return em->operations;
}

static struct operation *append(struct tvm_emitter *em, struct tvm_operations *t)
{
    if (t->n == t->cap) {
        int cap = t->cap ? 2 * t->cap : 256;
        struct operation *at = ARENA_ARRAY(em->arena, struct operation, cap);
        if (t->n)
            memcpy(at, t->at, sizeof *at * (size_t)t->n);
        t->at = at;
        t->cap = cap;
    }
    return &t->at[t->n++];
}

static bool has_operand(enum tvm_operation op)
{
    return op != TVM_NUMBER && op != TVM_ATOM;
}

static bool has_two(enum tvm_operation op)
{
    return op == TVM_ADD || op == TVM_SUB;
}

static bool is_natural(const struct tvm_emitter *em, enum tvm_operation op, int x, int y, int64_t k)
{
    const struct operation *at = em->operations->at;
    if (op == TVM_ATOM)
        return em->nest->atoms->at[x].lo >= 0;
    return op != TVM_SUB && k >= 0 && (!has_operand(op) || at[x].natural) && (!has_two(op) || at[y].natural);
}

int tvm_node_make(struct tvm_emitter *em, LLVMTypeRef type, enum tvm_operation op, int x, int y, int64_t k)
{
    struct tvm_operations *t = operations(em);
    const uint64_t key[] = {(uint64_t)op, (uint64_t)x, (uint64_t)y, (uint64_t)k, type == em->i32};
    int *head = &t->bucket[hash_bytes(key, sizeof key, 0) % BUCKETS];
    for (int i = *head; i >= 0; i = t->at[i].next) {
        const struct operation *o = &t->at[i];
        if (o->op == op && o->type == type && o->x == x && o->y == y && o->k == k)
            return i;
    }
    int size = 1 + (has_operand(op) ? t->at[x].size : 0) + (has_two(op) ? t->at[y].size : has_operand(op) ? 1 : 0);
    bool natural = is_natural(em, op, x, y, k);
    *append(em, t) = (struct operation){op, type, x, y, k, size, *head, natural};
    return *head = t->n - 1;
}

/* ---- values ---- */

static LLVMValueRef whole(LLVMTypeRef t, int64_t v)
{
    return LLVMConstInt(t, (unsigned long long)v, true);
}

static LLVMValueRef atom_value(struct tvm_emitter *em, const struct operation *o)
{
    const struct tvm_binding *b = &em->frame->bindings[o->x];
    if (b->kind == TVM_CONSTANT)
        return whole(o->type, b->constant);
    if (b->kind != TVM_VARIABLE) {
        tvm_fail(em, "loop variable %s is used outside of its loop", em->nest->atoms->at[o->x].name);
        return whole(o->type, 0);
    }
    return o->type == em->i32 ? b->variable : LLVMBuildSExt(em->builder, b->variable, o->type, "");
}

/* LLVM 16 and 17 would prove it of each sum: a tenth of a build. LLVM 19 makes other code where it is given. */
static LLVMValueRef unsigned_too(const struct tvm_emitter *em, LLVMValueRef v, bool natural)
{
    if (natural && em->llvm < 18 && LLVMIsABinaryOperator(v))
        LLVMSetNUW(v, true);
    return v;
}

static LLVMValueRef compute(struct tvm_emitter *em, int node)
{
    const struct operation o = em->operations->at[node];
    LLVMBuilderRef b = em->builder;
    LLVMValueRef k = whole(o.type, o.k), x = has_operand(o.op) ? tvm_node_value(em, o.x) : NULL,
                 y = has_two(o.op) ? tvm_node_value(em, o.y) : NULL;
    switch (o.op) {
    case TVM_ADD:
        return unsigned_too(em, LLVMBuildNSWAdd(b, x, y, ""), o.natural);
    case TVM_SUB:
        return LLVMBuildNSWSub(b, x, y, "");
    case TVM_MUL:
        return unsigned_too(em, LLVMBuildNSWMul(b, x, k, ""), o.natural);
    case TVM_SHIFT:
        return LLVMBuildAShr(b, x, k, "");
    case TVM_MASK:
        return LLVMBuildAnd(b, x, k, "");
    case TVM_DIVIDE:
        return LLVMBuildSDiv(b, x, k, "");
    case TVM_REMAINDER:
        return LLVMBuildSRem(b, x, k, "");
    case TVM_ATOM:
        return atom_value(em, &o);
    default:
        return k;
    }
}

LLVMValueRef tvm_node_value(struct tvm_emitter *em, int node)
{
    const struct tvm_region *r = em->region;
    return r && r->values && node < r->n && r->values[node] ? r->values[node] : compute(em, node);
}

/* ---- regions ---- */

struct tvm_region *tvm_region_open(struct tvm_emitter *em)
{
    struct tvm_region *r = ARENA_NEW(em->arena, struct tvm_region);
    r->before = em->region;
    em->region = r;
    return r->before;
}

static void grow(struct tvm_emitter *em, struct tvm_region *r)
{
    int n = 2 * operations(em)->n;
    int *uses = ARENA_ARRAY(em->arena, int, n);
    if (r->n)
        memcpy(uses, r->uses, sizeof *uses * (size_t)r->n);
    r->uses = uses;
    r->n = n;
}

/* An expression that is used a second time does not use its parts once more: it is a variable then. */
void tvm_region_use(struct tvm_emitter *em, int node)
{
    struct tvm_region *r = em->region;
    if (node >= r->n)
        grow(em, r);
    if (r->uses[node]++ > 0)
        return;
    const struct operation o = em->operations->at[node];
    if (has_operand(o.op))
        tvm_region_use(em, o.x);
    if (has_two(o.op))
        tvm_region_use(em, o.y);
}

static void print_operation(const struct tvm_emitter *em, int node, struct text *t)
{
    static const char *const words[] = {"", "", " + ", " - ", " * ", " // ", " % ", " // ", " % "};
    const struct operation *o = &em->operations->at[node];
    if (has_operand(o->op)) {
        print_operation(em, o->x, t);
        text_add(t, words[o->op]);
    }
    if (has_two(o->op))
        print_operation(em, o->y, t);
    else if (o->op == TVM_ATOM)
        text_add(t, em->nest->atoms->at[o->x].name);
    else
        text_printf(t, "%lld", (long long)o->k);
}

struct common {
    int node, size;
    const char *text;
};

/* TVM's order: the small ones first; of one size, the last by alphabet first. */
static int by_size(const void *x, const void *y)
{
    const struct common *a = x, *b = y;
    int order = a->size != b->size ? (a->size > b->size) - (a->size < b->size) : strcmp(b->text, a->text);
    return order ? order : (a->node > b->node) - (a->node < b->node);
}

void tvm_region_ready(struct tvm_emitter *em)
{
    struct tvm_region *r = em->region;
    int most = operations(em)->n < r->n ? em->operations->n : r->n, n = 0;
    struct common *all = ARENA_ARRAY(em->arena, struct common, most + 1);
    struct text t = {0};
    for (int i = 0; i < most; i++) {
        if (r->uses[i] < 2 || !has_operand(em->operations->at[i].op))
            continue;
        text_clear(&t);
        print_operation(em, i, &t);
        all[n++] = (struct common){i, em->operations->at[i].size, arena_str(em->arena, text_str(&t))};
    }
    text_free(&t);
    qsort(all, (size_t)n, sizeof *all, by_size);
    r->values = ARENA_ARRAY(em->arena, LLVMValueRef, r->n + 1);
    for (int i = 0; i < n; i++)
        r->values[all[i].node] = compute(em, all[i].node);
}

void tvm_region_close(struct tvm_emitter *em, struct tvm_region *before)
{
    em->region = before;
}
