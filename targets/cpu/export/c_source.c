/* SPDX-License-Identifier: Apache-2.0 */
/* c_source: a block is a block of C behind a label. What other blocks use, and what a phi sets, is declared at the top
 * of the function; what is used once, in its own block, stands where it is used. */
#include "targets/cpu/export/c_source.h"

#include "targets/cpu/export/c_expression.h"
#include "targets/cpu/export/c_memory.h"
#include "targets/cpu/export/c_value.h"

#include <stdio.h>
#include <string.h>

enum { DEEPEST = 4, MOST_PHIS = 512 }; /* of expressions in expressions; in a block */

#define EACH_BLOCK(f, b) for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
#define EACH_INSTRUCTION(b, i) for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
#define EACH_FUNCTION(m, f) for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
#define EACH_GLOBAL(m, g) for (LLVMValueRef g = LLVMGetFirstGlobal(m); g; g = LLVMGetNextGlobal(g))

static bool is_void(LLVMValueRef v)
{
    return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVoidTypeKind;
}

/* ---- names ---- */

static int depth_of(LLVMValueRef v)
{
    int most = 0;
    for (int i = 0; c_is_inline(v) && i < LLVMGetNumOperands(v); i++) {
        int d = depth_of(LLVMGetOperand(v, (unsigned)i));
        most = d >= most ? d + 1 : most;
    }
    return most;
}

/* Is it used in its own block only? A phi uses at the end of the block that it comes from. */
static bool stays(LLVMValueRef v)
{
    LLVMBasicBlockRef own = LLVMGetInstructionParent(v);
    for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        bool phi = LLVMIsAPHINode(user);
        if (!phi && LLVMGetInstructionParent(user) != own)
            return false;
        for (unsigned i = 0; phi && i < LLVMCountIncoming(user); i++)
            if (LLVMGetIncomingValue(user, i) == v && LLVMGetIncomingBlock(user, i) != own)
                return false;
    }
    return true;
}

/* Is it used once, and may it wait until then? What floats are made of must not: the compiler would keep all that they
 * are made of in registers. Lanes of a vector are taken many times over, so it must be a variable, unless it was put
 * together from lanes. */
static bool is_used_once(LLVMValueRef v)
{
    LLVMUseRef u = LLVMGetFirstUse(v);
    if (!u || LLVMGetNextUse(u))
        return false;
    LLVMValueRef user = LLVMGetUser(u);
    LLVMOpcode o = LLVMGetInstructionOpcode(user);
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(v));
    if (o == LLVMPHI || o == LLVMFCmp || LLVMGetInstructionParent(user) != LLVMGetInstructionParent(v))
        return false;
    if (kind == LLVMIntegerTypeKind || kind == LLVMPointerTypeKind)
        return true;
    return LLVMGetNextInstruction(v) == user && (o != LLVMShuffleVector || LLVMIsAInsertElementInst(v)) &&
           !(o == LLVMCall && LLVMGetNumArgOperands(user) < 3);
}

static void name_value(LLVMValueRef v, const char *prefix, int number)
{
    char name[32];
    int n = snprintf(name, sizeof name, "%s%d", prefix, number);
    LLVMSetValueName2(v, name, (size_t)n);
}

static void name_values(LLVMValueRef f)
{
    int n = 0;
    EACH_BLOCK(f, b)
    {
        LLVMSetValueName2(LLVMBasicBlockAsValue(b), "", 0);
        EACH_INSTRUCTION(b, i) LLVMSetValueName2(i, "", 0);
    }
    for (unsigned i = 0; i < LLVMCountParams(f); i++)
        LLVMSetValueName2(LLVMGetParam(f, i), "", 0);
    for (unsigned i = 0; i < LLVMCountParams(f); i++)
        name_value(LLVMGetParam(f, i), "a", (int)i);
    EACH_BLOCK(f, b)
    {
        name_value(LLVMBasicBlockAsValue(b), "b", n++);
        EACH_INSTRUCTION(b, i)
        if (!is_void(i))
            name_value(i, c_is_pure(i) && is_used_once(i) && depth_of(LLVMGetOperand(i, 0)) < DEEPEST ? "i" : "v", n++);
    }
}

/* ---- functions ---- */

static const char *prototype(struct c_emitter *e, LLVMValueRef f)
{
    struct text t = {0};
    LLVMTypeRef type = LLVMGlobalGetValueType(f);
    unsigned noalias = LLVMGetEnumAttributeKindForName("noalias", 7);
    text_printf(&t, "static __attribute__((noinline)) %s %s(",
                c_type_name(e, c_type_of(e, LLVMGetReturnType(type)), false), c_global(e, f));
    for (unsigned i = 0; i < LLVMCountParams(f); i++) {
        LLVMValueRef p = LLVMGetParam(f, i);
        bool alone = LLVMGetEnumAttributeAtIndex(f, i + 1, noalias) != NULL;
        const char *name = c_type_name(e, c_type_of(e, LLVMTypeOf(p)), false);
        text_printf(&t, "%s%s%s%sa%u", i ? ", " : "", name, alone ? "restrict" : "",
                    alone || name[strlen(name) - 1] != '*' ? " " : "", i);
    }
    text_add(&t, LLVMCountParams(f) ? ")" : "void)");
    return text_keep(&t, e->arena);
}

static void declare(struct c_emitter *e, LLVMValueRef v)
{
    struct c_type t = c_type_of(e, LLVMTypeOf(v));
    for (int i = 0; i < t.parts; i++)
        text_printf(e->out, "    %s%s %s;\n", t.lanes > 1 ? "UNUSED " : "", c_type_name(e, t, false),
                    c_variable(e, v, i));
}

static void declare_all(struct c_emitter *e, LLVMValueRef f)
{
    EACH_BLOCK(f, b)
    EACH_INSTRUCTION(b, i)
    {
        if (LLVMIsAAllocaInst(i)) {
            LLVMTypeRef type = LLVMGetAllocatedType(i);
            unsigned alignment = LLVMGetAlignment(i);
            text_printf(e->out, "    _Alignas(%u) char %s[%llu];\n", alignment ? alignment : 1, c_variable(e, i, 0),
                        LLVMABISizeOfType(e->layout, type) * (LLVMIsAConstantInt(LLVMGetOperand(i, 0))
                                                                  ? LLVMConstIntGetZExtValue(LLVMGetOperand(i, 0))
                                                                  : 1));
        } else if (!is_void(i) && !c_is_inline(i) && (LLVMIsAPHINode(i) || !stays(i))) {
            declare(e, i);
        }
    }
}

static void define(struct c_emitter *e, LLVMValueRef v)
{
    struct c_type t = c_type_of(e, LLVMTypeOf(v));
    const char *type = stays(v) ? c_type_name(e, t, false) : "";
    bool unused = *type && (t.lanes > 1 || !LLVMGetFirstUse(v)); /* of a vector some parts may be */
    for (int i = 0; i < t.parts; i++)
        text_printf(e->out, "    %s%s%s = %s;\n", unused ? "UNUSED " : "",
                    *type ? arena_printf(e->arena, "%s ", type) : "", c_variable(e, v, i), c_expression(e, v, i));
}

/* ---- ends of blocks ---- */

/* Sets the phis of `to`, all at once: one that another's value is goes through a variable in between. What LLVM leaves
 * open is 0: compilers warn of a variable that only some paths set. */
static void set_phis(struct c_emitter *e, LLVMBasicBlockRef from, LLVMBasicBlockRef to, const char *indent)
{
    LLVMValueRef phis[MOST_PHIS] = {NULL}, values[MOST_PHIS] = {NULL};
    int n = 0;
    bool meet = false;
    for (LLVMValueRef p = LLVMGetFirstInstruction(to); p && LLVMIsAPHINode(p); p = LLVMGetNextInstruction(p)) {
        if (n == MOST_PHIS) {
            c_fail(e, "a block of the code begins with more than %d phis", MOST_PHIS);
            return;
        }
        for (unsigned i = 0; i < LLVMCountIncoming(p); i++)
            if (LLVMGetIncomingBlock(p, i) == from)
                values[n] = LLVMGetIncomingValue(p, i);
        phis[n++] = p;
    }
    for (int i = 0; i < n; i++)
        meet |= LLVMIsAPHINode(values[i]) && LLVMGetInstructionParent(values[i]) == to && values[i] != phis[i];
    for (int pass = !meet; pass < 2; pass++)
        for (int i = 0; i < n; i++) {
            struct c_type t = c_type_of(e, LLVMTypeOf(phis[i]));
            for (int part = 0; part < t.parts && values[i] != phis[i]; part++) {
                const char *name = c_variable(e, phis[i], part);
                if (pass == 0)
                    text_printf(e->out, "%s%s n%s = %s;\n", indent, c_type_name(e, t, false), name,
                                c_operand(e, values[i], part));
                else
                    text_printf(e->out, meet ? "%s%s = n%s;\n" : "%s%s = %s;\n", indent, name,
                                meet ? name : c_operand(e, values[i], part));
            }
        }
}

static const char *label(struct c_emitter *e, LLVMBasicBlockRef b)
{
    size_t n;
    return arena_str(e->arena, LLVMGetValueName2(LLVMBasicBlockAsValue(b), &n));
}

static void go(struct c_emitter *e, LLVMBasicBlockRef from, LLVMBasicBlockRef to, const char *indent)
{
    set_phis(e, from, to, indent);
    text_printf(e->out, "%sgoto %s;\n", indent, label(e, to));
}

static void end_switch(struct c_emitter *e, LLVMBasicBlockRef b, LLVMValueRef end)
{
    text_printf(e->out, "    switch (%s) {\n", c_operand(e, LLVMGetOperand(end, 0), 0));
    for (unsigned i = 1; i < LLVMGetNumSuccessors(end); i++) {
        text_printf(e->out, "    case %s: {\n", c_operand(e, LLVMGetOperand(end, 2 * i), 0));
        go(e, b, LLVMGetSuccessor(end, i), "        ");
        text_add(e->out, "    }\n");
    }
    text_add(e->out, "    default: {\n");
    go(e, b, LLVMGetSuccessor(end, 0), "        ");
    text_add(e->out, "    }\n    }\n");
}

static void end_block(struct c_emitter *e, LLVMBasicBlockRef b)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
    switch (LLVMGetInstructionOpcode(end)) {
    case LLVMRet:
        if (LLVMGetNumOperands(end))
            text_printf(e->out, "    return %s;\n", c_operand(e, LLVMGetOperand(end, 0), 0));
        else
            text_add(e->out, "    return;\n");
        break;
    case LLVMUnreachable:
        text_add(e->out, "    __builtin_unreachable();\n");
        break;
    case LLVMSwitch:
        end_switch(e, b, end);
        break;
    case LLVMBr:
        if (LLVMIsConditional(end)) {
            LLVMValueRef c = LLVMGetCondition(end);
            text_printf(e->out, "    if (%s) {\n", c_is_inline(c) ? c_expression(e, c, 0) : c_operand(e, c, 0));
            go(e, b, LLVMGetSuccessor(end, 0), "        ");
            text_add(e->out, "    }\n");
            go(e, b, LLVMGetSuccessor(end, 1), "    ");
        } else {
            go(e, b, LLVMGetSuccessor(end, 0), "    ");
        }
        break;
    default:
        c_fail(e, "a block of the code ends in a way that is not known here");
    }
}

static void put_function(struct c_emitter *e, LLVMValueRef f)
{
    text_printf(e->out, "%s\n{\n", prototype(e, f));
    for (unsigned i = 0; i < LLVMCountParams(f); i++)
        if (!LLVMGetFirstUse(LLVMGetParam(f, i)))
            text_printf(e->out, "    (void)a%u;\n", i);
    declare_all(e, f);
    EACH_BLOCK(f, b)
    {
        if (LLVMGetFirstUse(LLVMBasicBlockAsValue(b)))
            text_printf(e->out, "%s:;\n", label(e, b));
        text_add(e->out, "    {\n");
        EACH_INSTRUCTION(b, i)
        {
            if (LLVMIsAPHINode(i) || LLVMIsATerminatorInst(i) || LLVMIsAAllocaInst(i) || c_statement(e, i))
                continue;
            if (!c_is_inline(i))
                define(e, i);
        }
        end_block(e, b);
        text_add(e->out, "    }\n");
    }
    text_add(e->out, "}\n\n");
}

/* ---- the module ---- */

/* Constants in memory: numbers, or zeros. */
static void put_global(struct c_emitter *e, LLVMValueRef g)
{
    LLVMValueRef from = LLVMGetInitializer(g);
    LLVMTypeRef type = LLVMGlobalGetValueType(g);
    bool array = LLVMGetTypeKind(type) == LLVMArrayTypeKind;
    struct c_type t = c_type_of(e, array ? LLVMGetElementType(type) : type);
    unsigned alignment = LLVMGetAlignment(g);
    uint64_t n = array ? LLVMGetArrayLength2(type) : 1;
    text_printf(e->out, "static const _Alignas(%u) %s %s[%llu] = {", alignment ? alignment : 1,
                c_type_name(e, t, false), c_global(e, g), (unsigned long long)n);
    for (uint64_t i = 0; i < n && !LLVMIsNull(from); i++)
        text_printf(e->out, "%s%s", i ? ", " : "",
                    c_operand(e, array ? LLVMGetAggregateElement(from, (unsigned)i) : from, 0));
    text_add(e->out, LLVMIsNull(from) ? "0};\n" : "};\n");
}

bool c_source(LLVMModuleRef m, int vector_bytes, struct text *out, struct err *err)
{
    struct text body = {0};
    struct c_emitter e = {.layout = LLVMGetModuleDataLayout(m),
                          .arena = arena_open("c source"),
                          .out = &body,
                          .expression = c_expression,
                          .most_lanes = vector_bytes / 4};
    EACH_GLOBAL(m, g)
    if (LLVMGetFirstUse(g))
        put_global(&e, g);
    EACH_FUNCTION(m, f)
    if (LLVMCountBasicBlocks(f))
        text_printf(&body, "%s;\n", prototype(&e, f));
    text_char(&body, '\n');
    EACH_FUNCTION(m, f)
    if (LLVMCountBasicBlocks(f) && !e.failed) {
        name_values(f);
        put_function(&e, f);
    }
    c_type_prelude(&e, out);
    text_addn(out, body.s, body.len);
    text_free(&body);
    arena_close(e.arena);
    return !e.failed || err_set(err, "%s", e.message);
}
