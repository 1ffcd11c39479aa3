/* SPDX-License-Identifier: Apache-2.0 */
/* c_lanes: a part of a shuffle takes lanes of some parts of two vectors. Each of these is brought into the order of the
 * result, and they are laid over one another. */
#include "targets/cpu/export/c_lanes.h"

#include "targets/cpu/export/c_value.h"

enum { MOST_LANES = 64 };

bool c_moves_lanes(LLVMOpcode o)
{
    return o == LLVMExtractElement || o == LLVMInsertElement || o == LLVMShuffleVector;
}

struct source { /* a part of an operand of a shuffle */
    LLVMValueRef of;
    int part;
};

static const char *lane_list(struct c_emitter *e, const char *x, const char *y, const int *lanes, int n)
{
    struct text t = {0};
    text_printf(&t, "__builtin_shufflevector(%s, %s", x, y);
    for (int i = 0; i < n; i++)
        text_printf(&t, ", %d", lanes[i]);
    text_add(&t, ")");
    return text_keep(&t, e->arena);
}

static bool in_order(const int *lanes, int n)
{
    for (int i = 0; i < n; i++)
        if (lanes[i] >= 0 && lanes[i] != i)
            return false;
    return true;
}

/* The scalar that a vector has in all lanes that are asked for, when it was made by putting it into one of them. */
static LLVMValueRef scalar_of(LLVMValueRef v, const int *lanes, int n)
{
    int lane = -1;
    for (int i = 0; i < n; i++) {
        if (lanes[i] >= 0 && lane >= 0 && lanes[i] != lane)
            return NULL;
        lane = lanes[i] >= 0 ? lanes[i] : lane;
    }
    if (lane < 0 || !LLVMIsAInsertElementInst(v))
        return NULL;
    LLVMValueRef at = LLVMGetOperand(v, 2);
    return LLVMIsAConstantInt(at) && (int)LLVMConstIntGetZExtValue(at) == lane ? LLVMGetOperand(v, 1) : NULL;
}

/* Which lane of which part each lane of the result is; -1 where it does not matter. Returns how many parts there are;
 * the number of a lane counts through the parts in their order here. */
static int find_sources(struct c_emitter *e, LLVMValueRef v, int part, struct source *from, int *of, int *lane)
{
    struct c_type t = c_type_of(e, LLVMTypeOf(v)), s = c_type_of(e, LLVMTypeOf(LLVMGetOperand(v, 0)));
    int n = 0;
    for (int i = 0; i < t.part; i++) {
        int at = part * t.part + i, mask = at < t.lanes ? LLVMGetMaskValue(v, (unsigned)at) : -1;
        LLVMValueRef x = mask < 0 ? NULL : LLVMGetOperand(v, mask >= s.lanes);
        of[i] = lane[i] = -1;
        if (!x || LLVMIsUndef(x))
            continue;
        mask %= s.lanes;
        lane[i] = mask % s.part;
        for (int k = 0; k < n && of[i] < 0; k++)
            if (from[k].of == x && from[k].part == mask / s.part)
                of[i] = k;
        if (of[i] < 0) {
            of[i] = n;
            from[n++] = (struct source){x, mask / s.part};
        }
    }
    return n;
}

static const char *scalar_list(struct c_emitter *e, struct c_type t, const char *x)
{
    return t.lanes == 1
               ? x
               : arena_printf(e->arena, "%s(%s%s)", c_helper(e, t, "all"), t.kind == C_U64 ? "(uint64_t)" : "", x);
}

/* The lanes of one source where the result has them. */
static const char *source_lanes(struct c_emitter *e, struct c_type t, const struct source *s, const int *lanes)
{
    struct c_type from = c_type_of(e, LLVMTypeOf(s->of));
    LLVMValueRef scalar = from.parts == 1 ? scalar_of(s->of, lanes, t.part) : NULL;
    if (scalar && from.bits != 1)
        return scalar_list(e, t, c_operand(e, scalar, 0));
    const char *x = c_operand(e, s->of, s->part);
    if (from.lanes == 1)
        return scalar_list(e, t, x);
    return t.part == from.part && in_order(lanes, t.part) ? x : lane_list(e, x, x, lanes, t.part);
}

static const char *shuffle(struct c_emitter *e, LLVMValueRef v, int part)
{
    struct c_type t = c_type_of(e, LLVMTypeOf(v)), s = c_type_of(e, LLVMTypeOf(LLVMGetOperand(v, 0)));
    struct source from[MOST_LANES] = {{0}};
    int of[MOST_LANES] = {0}, lane[MOST_LANES] = {0}, lanes[MOST_LANES] = {0};
    int n = find_sources(e, v, part, from, of, lane);
    if (t.lanes == 1)
        return n ? arena_printf(e->arena, s.lanes == 1 ? "%s" : "%s[%d]", c_operand(e, from[0].of, from[0].part),
                                lane[0])
                 : "0";
    if (n == 0)
        return arena_printf(e->arena, "(%s){0}", c_type_name(e, t, false));
    if (n == 2 && s.lanes > 1) {
        for (int i = 0; i < t.part; i++)
            lanes[i] = of[i] < 0 ? -1 : lane[i] + of[i] * s.part;
        if (t.part == 2 * s.part && in_order(lanes, t.part))
            return arena_printf(e->arena, "%s(%s, %s)", c_helper(e, t, "join"), c_operand(e, from[0].of, from[0].part),
                                c_operand(e, from[1].of, from[1].part));
        return lane_list(e, c_operand(e, from[0].of, from[0].part), c_operand(e, from[1].of, from[1].part), lanes,
                         t.part);
    }
    const char *out = NULL;
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < t.part; i++)
            lanes[i] = of[i] == k ? lane[i] : -1;
        const char *x = source_lanes(e, t, &from[k], lanes);
        for (int i = 0; i < t.part; i++)
            lanes[i] = of[i] == k ? t.part + i : of[i] < 0 || of[i] > k ? -1 : i;
        out = out ? lane_list(e, out, x, lanes, t.part) : x;
    }
    return out;
}

/* A chain of insertions into nothing, lane by lane, is a list. at: what each lane of this part is; false: no such
 * chain. */
static bool inserted(LLVMValueRef v, struct c_type t, int part, LLVMValueRef *at)
{
    for (int i = 0; i < t.part; i++)
        at[i] = NULL;
    for (; LLVMIsAInsertElementInst(v); v = LLVMGetOperand(v, 0)) {
        LLVMValueRef where = LLVMGetOperand(v, 2);
        int i = LLVMIsAConstantInt(where) ? (int)LLVMConstIntGetZExtValue(where) - part * t.part : -1;
        if (!LLVMIsAConstantInt(where))
            return false;
        if (i >= 0 && i < t.part && !at[i])
            at[i] = LLVMGetOperand(v, 1);
    }
    return LLVMIsUndef(v);
}

static const char *lane_value(struct c_emitter *e, LLVMValueRef v, struct c_type t)
{
    const char *x = c_operand(e, v, 0);
    return t.bits == 1       ? arena_printf(e->arena, "-(uint32_t)%s", x)
           : t.kind == C_U64 ? arena_printf(e->arena, "(uint64_t)%s", x)
                             : x;
}

static const char *insert(struct c_emitter *e, LLVMValueRef v, int part)
{
    struct c_type t = c_type_of(e, LLVMTypeOf(v));
    LLVMValueRef at[MOST_LANES], where = LLVMGetOperand(v, 2);
    if (t.lanes == 1)
        return c_operand(e, LLVMGetOperand(v, 1), 0);
    if (inserted(v, t, part, at)) {
        struct text out = {0};
        text_printf(&out, "(%s){", c_type_name(e, t, false));
        for (int i = 0; i < t.part; i++)
            text_printf(&out, "%s%s", i ? ", " : "", at[i] ? lane_value(e, at[i], t) : "0");
        text_add(&out, "}");
        return text_keep(&out, e->arena);
    }
    const char *x = c_operand(e, LLVMGetOperand(v, 0), part), *lane = lane_value(e, LLVMGetOperand(v, 1), t);
    if (!LLVMIsAConstantInt(where)) {
        if (t.parts > 1)
            c_fail(e, "the code puts a value into a lane of many that is found out as it runs");
        return arena_printf(e->arena, "%s(%s, (int)%s, %s)", c_helper(e, t, "set"), x, c_operand(e, where, 0), lane);
    }
    int i = (int)LLVMConstIntGetZExtValue(where);
    return i / t.part == part ? arena_printf(e->arena, "%s(%s, %d, %s)", c_helper(e, t, "set"), x, i % t.part, lane)
                              : x;
}

static const char *extract(struct c_emitter *e, LLVMValueRef v)
{
    LLVMValueRef of = LLVMGetOperand(v, 0), where = LLVMGetOperand(v, 1);
    struct c_type t = c_type_of(e, LLVMTypeOf(of));
    const char *end = t.bits == 1 ? " & 1" : "",
               *start = LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind ? "(char *)" : "";
    if (t.lanes == 1)
        return c_operand(e, of, 0);
    if (!LLVMIsAConstantInt(where)) {
        if (t.parts > 1)
            c_fail(e, "the code takes a lane of many that is found out as it runs");
        return arena_printf(e->arena, "%s%s[%s]%s", start, c_operand(e, of, 0), c_operand(e, where, 0), end);
    }
    int i = (int)LLVMConstIntGetZExtValue(where);
    return arena_printf(e->arena, "%s%s[%d]%s", start, c_operand(e, of, i / t.part), i % t.part, end);
}

const char *c_lanes(struct c_emitter *e, LLVMValueRef v, int part)
{
    LLVMOpcode o = LLVMGetInstructionOpcode(v);
    return o == LLVMShuffleVector ? shuffle(e, v, part) : o == LLVMInsertElement ? insert(e, v, part) : extract(e, v);
}
