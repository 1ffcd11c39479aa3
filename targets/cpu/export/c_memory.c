/* SPDX-License-Identifier: Apache-2.0 */
/* c_memory: what LLVM knows of an address, its alignment, is in the type that is read. Such types may alias any other:
 * LLVM has used what it knew of types. */
#include "targets/cpu/export/c_memory.h"

#include "targets/cpu/export/c_value.h"

#include <string.h>

/* ---- addresses ---- */

/* An index times the size of what it counts; constants go into *offset. */
static const char *scaled(struct c_emitter *e, LLVMValueRef index, int part, int64_t size, int64_t *offset)
{
    struct c_type t = c_type_of(e, LLVMTypeOf(index));
    if (LLVMIsAConstantInt(index)) {
        *offset += LLVMConstIntGetSExtValue(index) * size;
        return "";
    }
    const char *x = c_operand(e, index, part);
    if (t.lanes > 1) {
        struct c_type wide = t;
        wide.kind = C_U64;
        const char *w = t.kind == C_U64 ? x
                                        : arena_printf(e->arena, "(%s)__builtin_convertvector((%s)%s, %s)",
                                                       c_type_name(e, wide, false), c_type_name(e, t, true), x,
                                                       c_type_name(e, wide, true));
        return arena_printf(e->arena, " + %s * %lldull", w, (long long)size);
    }
    if (t.bits != 64)
        x = c_signed(e, t, x);
    return size == 1 ? arena_printf(e->arena, " + (int64_t)%s", x)
                     : arena_printf(e->arena, " + (int64_t)%s * %lld", x, (long long)size);
}

const char *c_address(struct c_emitter *e, LLVMValueRef v, int part)
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(v);
    LLVMValueRef base = LLVMGetOperand(v, 0);
    struct c_type t = c_type_of(e, LLVMTypeOf(v));
    bool spread = t.lanes > 1 && LLVMGetTypeKind(LLVMTypeOf(base)) != LLVMVectorTypeKind;
    const char *x = c_operand(e, base, part);
    struct text out = {0};
    int64_t offset = 0;
    text_add(&out, spread ? arena_printf(e->arena, "%s((uint64_t)%s)", c_helper(e, t, "all"), x) : x);
    for (int i = 1; i < LLVMGetNumOperands(v); i++) {
        if (i > 1 && LLVMGetTypeKind(type) != LLVMArrayTypeKind)
            c_fail(e, "the code has an address in a structure");
        else if (i > 1)
            type = LLVMGetElementType(type);
        text_add(&out,
                 scaled(e, LLVMGetOperand(v, (unsigned)i), part, (int64_t)LLVMABISizeOfType(e->layout, type), &offset));
    }
    if (offset)
        text_printf(&out, t.lanes > 1 ? " + %lluull" : " + %lld", (long long)offset);
    return text_keep(&out, e->arena);
}

/* ---- loads and stores ---- */

/* What is read or written of a part: its address, and its lanes, fewer in the last part of a vector of odd length. */
static int lanes_in(struct c_type t, int part)
{
    int left = t.lanes - part * t.part;
    return left < t.part ? left : t.part;
}

static int64_t element_bytes(struct c_type t)
{
    return t.kind == C_F32 || t.kind == C_U32 ? 4 : t.kind == C_U8 ? 1 : t.kind == C_U16 ? 2 : 8;
}

static const char *place(struct c_emitter *e, LLVMValueRef address, int64_t offset)
{
    const char *p = c_operand(e, address, 0);
    return offset ? arena_printf(e->arena, "(%s + %lld)", p, (long long)offset) : p;
}

static unsigned aligned(LLVMValueRef v, int64_t offset)
{
    unsigned a = LLVMGetAlignment(v);
    while (offset % (a ? a : 1))
        a /= 2;
    return a ? a : 1;
}

static bool check_memory(struct c_emitter *e, struct c_type t)
{
    if (t.lanes > 1 && t.bits == 1)
        c_fail(e, "the code keeps a vector of single bits in memory");
    return !e->failed;
}

const char *c_load(struct c_emitter *e, LLVMValueRef v, int part)
{
    struct c_type t = c_type_of(e, LLVMTypeOf(v));
    int64_t offset = part * t.part * element_bytes(t);
    const char *p = place(e, LLVMGetOperand(v, 0), offset);
    check_memory(e, t);
    if (lanes_in(t, part) < t.part)
        return arena_printf(e->arena, "%s(%s, %d)", c_helper(e, t, "load"), p, lanes_in(t, part));
    return arena_printf(e->arena, "*(%s *)%s%s", c_type_memory(e, t, aligned(v, offset)), p,
                        t.lanes == 1 && t.bits == 1 ? " & 1" : "");
}

static void store(struct c_emitter *e, LLVMValueRef v)
{
    LLVMValueRef value = LLVMGetOperand(v, 0);
    struct c_type t = c_type_of(e, LLVMTypeOf(value));
    for (int i = 0; i < t.parts && check_memory(e, t); i++) {
        int64_t offset = i * t.part * element_bytes(t);
        const char *p = place(e, LLVMGetOperand(v, 1), offset), *x = c_operand(e, value, i);
        if (lanes_in(t, i) < t.part)
            text_printf(e->out, "    %s(%s, %s, %d);\n", c_helper(e, t, "store"), p, x, lanes_in(t, i));
        else
            text_printf(e->out, "    *(%s *)%s = %s;\n", c_type_memory(e, t, aligned(v, offset)), p, x);
    }
}

/* ---- calls ---- */

enum form {            /* of what an intrinsic becomes */
            OPERATION, /* of arguments part by part */
            BITS,      /* of a scalar: text, $0, $1 ... the arguments, $N bits */
            FUNCTION,  /* of scalars: lane by lane */
            TWO,       /* of two scalars */
            REDUCTION, /* of all lanes of a vector, to be combined by `with` */
            SUM,       /* the same, and the first argument is added */
            ACCESS,    /* masked load, gather */
            NOTHING,   /* says something to LLVM only */
            COPY       /* of memory */
};
static const struct intrinsic {
    const char *prefix;
    enum form form;
    const char *text, *with;
} INTRINSICS[] = {
    {"llvm.fmuladd.", OPERATION, "fma", NULL},
    {"llvm.fma.", OPERATION, "fma", NULL},
    {"llvm.fabs.", FUNCTION, "__builtin_fabs", NULL},
    {"llvm.sqrt.", FUNCTION, "sqrt", NULL},
    {"llvm.exp.", FUNCTION, "exp", NULL},
    {"llvm.log.", FUNCTION, "log", NULL},
    {"llvm.floor.", FUNCTION, "floor", NULL},
    {"llvm.ceil.", FUNCTION, "ceil", NULL},
    {"llvm.trunc.", FUNCTION, "trunc", NULL},
    {"llvm.rint.", FUNCTION, "rint", NULL},
    {"llvm.nearbyint.", FUNCTION, "nearbyint", NULL},
    {"llvm.round.", FUNCTION, "round", NULL},
    {"llvm.roundeven.", FUNCTION, "rint", NULL},
    {"llvm.copysign.", TWO, "copysign", NULL},
    {"llvm.maxnum.", OPERATION, "max", NULL},
    {"llvm.minnum.", OPERATION, "min", NULL},
    {"llvm.maximum.", OPERATION, "max", NULL},
    {"llvm.minimum.", OPERATION, "min", NULL},
    {"llvm.umax.", OPERATION, "max", NULL},
    {"llvm.umin.", OPERATION, "min", NULL},
    {"llvm.smax.", OPERATION, "smax", NULL},
    {"llvm.smin.", OPERATION, "smin", NULL},
    {"llvm.abs.", OPERATION, "abs", NULL},
    {"llvm.usub.sat.", OPERATION, "usub", NULL},
    {"llvm.bitreverse.", BITS,
     "({ uint64_t from = $0, to = 0; for (int i = 0; i < $N; i++) to |= (from >> i & 1) << ($N - 1 - i); to; })", NULL},
    {"llvm.bswap.", BITS, "__builtin_bswap64($0) >> (64 - $N)", NULL},
    {"llvm.ctpop.", BITS, "__builtin_popcountll($0)", NULL},
    {"llvm.ctlz.", BITS, "$0 ? __builtin_clzll($0) - (64 - $N) : $N", NULL},
    {"llvm.cttz.", BITS, "$0 ? __builtin_ctzll($0) : $N", NULL},
    {"llvm.fshl.", BITS, "(uint64_t)$0 << $2 % $N | (uint64_t)$1 >> 1 >> ($N - 1 - $2 % $N)", NULL},
    {"llvm.fshr.", BITS, "(uint64_t)$0 << 1 << ($N - 1 - $2 % $N) | (uint64_t)$1 >> $2 % $N", NULL},
    {"llvm.vector.reduce.fadd.", SUM, "sum", "+"},
    {"llvm.vector.reduce.add.", REDUCTION, "sum", "+"},
    {"llvm.vector.reduce.or.", REDUCTION, "any", "|"},
    {"llvm.vector.reduce.and.", REDUCTION, "both", "&"},
    {"llvm.vector.reduce.fmax.", REDUCTION, "most", NULL},
    {"llvm.vector.reduce.fmin.", REDUCTION, "least", NULL},
    {"llvm.vector.reduce.umax.", REDUCTION, "most", NULL},
    {"llvm.vector.reduce.umin.", REDUCTION, "least", NULL},
    {"llvm.masked.load.", ACCESS, "masked_load", NULL},
    {"llvm.masked.gather.", ACCESS, "gather", NULL},
    {"llvm.masked.store.", ACCESS, "masked_store", NULL},
    {"llvm.masked.scatter.", ACCESS, "scatter", NULL},
    {"llvm.memset.", COPY, "__builtin_memset", NULL},
    {"llvm.memcpy.", COPY, "__builtin_memcpy", NULL},
    {"llvm.memmove.", COPY, "__builtin_memmove", NULL},
    {"llvm.assume", NOTHING, NULL, NULL},
    {"llvm.lifetime.", NOTHING, NULL, NULL},
    {"llvm.prefetch", NOTHING, NULL, NULL},
    {"llvm.experimental.noalias", NOTHING, NULL, NULL},
};

static const struct intrinsic *intrinsic_of(LLVMValueRef call)
{
    LLVMValueRef f = LLVMGetCalledValue(call);
    size_t n;
    const char *name = LLVMIsAFunction(f) ? LLVMGetValueName2(f, &n) : "";
    for (size_t i = 0; i < sizeof INTRINSICS / sizeof *INTRINSICS; i++)
        if (str_starts(name, INTRINSICS[i].prefix))
            return &INTRINSICS[i];
    return NULL;
}

bool c_is_function(LLVMValueRef v)
{
    const struct intrinsic *f = LLVMIsACallInst(v) ? intrinsic_of(v) : NULL;
    return f && f->form <= SUM;
}

static const char *larger(struct c_emitter *e, struct c_type t, const struct intrinsic *f, const char *x, const char *y)
{
    const char *sign = strstr(f->text, "max") ? ">" : "<";
    bool is_signed = f->text[0] == 's';
    const char *s = is_signed ? c_type_name(e, t, true) : c_type_name(e, t, false);
    if (t.lanes == 1)
        return arena_printf(e->arena, "(%s)%s %s (%s)%s ? %s : %s", s, x, sign, s, y, x, y);
    if (is_signed)
        return arena_printf(e->arena, "%s((%s)((%s)%s %s (%s)%s), %s, %s)", c_helper(e, t, "select"),
                            c_type_mask(e, t, false), s, x, sign, s, y, x, y);
    return arena_printf(e->arena, "%s(%s, %s)", c_helper(e, t, f->text), x, y);
}

static const char *operation(struct c_emitter *e, LLVMValueRef v, const struct intrinsic *f, int part)
{
    struct c_type t = c_type_of(e, LLVMTypeOf(v));
    const char *x = c_operand(e, LLVMGetOperand(v, 0), part), *y = c_operand(e, LLVMGetOperand(v, 1), part);
    if (str_eq(f->text, "fma"))
        return arena_printf(e->arena, "%s * %s + %s", x, y, c_operand(e, LLVMGetOperand(v, 2), part));
    if (strstr(f->text, "max") || strstr(f->text, "min"))
        return larger(e, t, f, x, y);
    if (t.lanes > 1)
        c_fail(e, "the code has a vector of %s", f->prefix);
    if (str_eq(f->text, "usub"))
        return arena_printf(e->arena, "%s > %s ? %s - %s : 0", x, y, x, y);
    const char *s = c_type_name(e, t, true);
    return arena_printf(e->arena, "(%s)%s < 0 ? -%s : %s", s, x, x, x);
}

static const char *bits(struct c_emitter *e, LLVMValueRef v, const struct intrinsic *f)
{
    struct c_type t = c_type_of(e, LLVMTypeOf(v));
    struct text x = {0};
    if (t.lanes > 1)
        c_fail(e, "the code has a vector of %s", f->prefix);
    for (const char *s = f->text; *s; s++)
        if (*s != '$')
            text_char(&x, *s);
        else if (*++s == 'N')
            text_int(&x, t.bits);
        else
            text_add(&x, c_operand(e, LLVMGetOperand(v, (unsigned)(*s - '0')), 0));
    return c_wrapped(e, t, arena_printf(e->arena, "(%s)(%s)", c_type_name(e, t, false), text_keep(&x, e->arena)));
}

static const char *function(struct c_emitter *e, LLVMValueRef v, const struct intrinsic *f, int part)
{
    struct c_type t = c_type_of(e, LLVMTypeOf(v));
    const char *name = arena_printf(e->arena, "%s%s", f->text, t.kind == C_F32 ? "f" : "");
    const char *x = c_operand(e, LLVMGetOperand(v, 0), part);
    const char *y = f->form == TWO ? arena_printf(e->arena, ", %s", c_operand(e, LLVMGetOperand(v, 1), part)) : "";
    if (t.lanes == 1)
        return arena_printf(e->arena, "%s(%s%s)", name, x, y);
    return arena_printf(e->arena, "%s(%s, %s%s)", c_helper(e, t, *y ? "map2" : "map"), name, x, y);
}

static const char *reduction(struct c_emitter *e, LLVMValueRef v, const struct intrinsic *f)
{
    LLVMValueRef of = LLVMGetOperand(v, f->form == SUM);
    struct c_type t = c_type_of(e, LLVMTypeOf(of));
    const char *x = c_operand(e, of, 0);
    if ((t.parts > 1 && !f->with) || t.lanes % t.part || (t.bits == 1 && t.lanes > 1))
        c_fail(e, "the code reduces a vector of %d lanes", t.lanes);
    for (int i = 1; i < t.parts; i++)
        x = arena_printf(e->arena, "%s %s %s", x, f->with ? f->with : "+", c_operand(e, of, i));
    x = arena_printf(e->arena, "%s(%s, %d)", c_helper(e, t, f->text), x, t.part);
    return f->form == SUM ? arena_printf(e->arena, "%s + %s", c_operand(e, LLVMGetOperand(v, 0), 0), x) : x;
}

/* masked.load(p, alignment, mask, otherwise), gather(addresses, alignment, mask, otherwise). */
static const char *masked(struct c_emitter *e, LLVMValueRef v, const struct intrinsic *f, int part)
{
    struct c_type t = c_type_of(e, LLVMTypeOf(v));
    LLVMValueRef from = LLVMGetOperand(v, 0);
    const char *p = LLVMGetTypeKind(LLVMTypeOf(from)) == LLVMVectorTypeKind
                        ? c_operand(e, from, part)
                        : place(e, from, part * t.part * element_bytes(t));
    return arena_printf(e->arena, "%s(%s, %s, %s)", c_helper(e, t, f->text), p,
                        c_operand(e, LLVMGetOperand(v, 2), part), c_operand(e, LLVMGetOperand(v, 3), part));
}

static const char *arguments(struct c_emitter *e, LLVMValueRef v, unsigned n)
{
    struct text t = {0};
    for (unsigned i = 0; i < n; i++)
        text_printf(&t, "%s%s", i ? ", " : "", c_operand(e, LLVMGetOperand(v, i), 0));
    return text_keep(&t, e->arena);
}

const char *c_call(struct c_emitter *e, LLVMValueRef v, int part)
{
    const struct intrinsic *f = intrinsic_of(v);
    LLVMValueRef called = LLVMGetCalledValue(v);
    switch (f ? f->form : NOTHING) {
    case OPERATION:
        return operation(e, v, f, part);
    case BITS:
        return bits(e, v, f);
    case FUNCTION:
    case TWO:
        return function(e, v, f, part);
    case REDUCTION:
    case SUM:
        return reduction(e, v, f);
    case ACCESS:
        return masked(e, v, f, part);
    default:
        break;
    }
    if (!LLVMIsAFunction(called) || str_starts(c_global(e, called), "llvm_"))
        c_fail(e, "the code calls '%s', which is not known here", c_global(e, called));
    return arena_printf(e->arena, "%s(%s)", c_global(e, called), arguments(e, v, LLVMGetNumArgOperands(v)));
}

/* masked.store(value, p, alignment, mask), scatter(value, addresses, alignment, mask). */
static void masked_store(struct c_emitter *e, LLVMValueRef v, const struct intrinsic *f)
{
    LLVMValueRef to = LLVMGetOperand(v, 1);
    struct c_type t = c_type_of(e, LLVMTypeOf(LLVMGetOperand(v, 0)));
    for (int i = 0; i < t.parts; i++) {
        const char *p = LLVMGetTypeKind(LLVMTypeOf(to)) == LLVMVectorTypeKind
                            ? c_operand(e, to, i)
                            : place(e, to, i * t.part * element_bytes(t));
        text_printf(e->out, "    %s(%s, %s, %s);\n", c_helper(e, t, f->text), c_operand(e, LLVMGetOperand(v, 0), i), p,
                    c_operand(e, LLVMGetOperand(v, 3), i));
    }
}

bool c_statement(struct c_emitter *e, LLVMValueRef v)
{
    LLVMOpcode o = LLVMGetInstructionOpcode(v);
    const struct intrinsic *f = o == LLVMCall ? intrinsic_of(v) : NULL;
    if (o == LLVMStore)
        store(e, v);
    else if (o != LLVMCall || LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMVoidTypeKind)
        return false;
    else if (!f)
        text_printf(e->out, "    %s;\n", c_call(e, v, 0));
    else if (f->form == ACCESS)
        masked_store(e, v, f);
    else if (f->form == COPY)
        text_printf(e->out, "    %s(%s);\n", f->text, arguments(e, v, 3));
    return true;
}
