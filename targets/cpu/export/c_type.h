/* SPDX-License-Identifier: Apache-2.0 */
/* c_type: LLVM's types as types of C with the vector extensions of gcc and clang.
 *
 * A vector of LLVM's may be of any length. Here it is one or more parts of equal length: a power of two, and no more
 * lanes than a register of floats has, since gcc keeps longer vectors in memory. The last part may have lanes that hold
 * nothing. How the lanes fall into parts hangs on their number alone, so the parts of operands and results match.
 * Integers are unsigned, which may wrap; i1 is 0 or 1, in a vector a lane of 32 bits that is 0 or all ones. */
#pragma once
#include "harness/base/arena.h"
#include "harness/base/text.h"
#include "targets/cpu/llvm.h"

enum c_kind { C_F32, C_F64, C_U8, C_U16, C_U32, C_U64, C_KINDS, C_POINTER = C_KINDS, C_VOID };
enum { C_LANE_SIZES = 8, C_ALIGNMENTS = 8 };
struct c_type {
    enum c_kind kind; /* of an element, as it is held */
    int bits;         /* of an integer, as LLVM has it: 1 to 64 */
    int lanes;        /* 1: a scalar */
    int part, parts;  /* lanes of a part, how many parts */
};
struct c_emitter { /* while one module is written */
    LLVMTargetDataRef layout;
    struct arena *arena;
    struct text *out;
    /* c_expression. What operands stand for may be expressions: c_value calls back through it. */
    const char *(*expression)(struct c_emitter *e, LLVMValueRef v, int part);
    int most_lanes;                               /* of a part */
    bool vectors[C_LANE_SIZES];                   /* parts of 2^i lanes are used */
    unsigned helpers[C_KINDS][C_LANE_SIZES];      /* bit i: function i of c_type.c is used */
    unsigned memory[C_POINTER + 1][C_LANE_SIZES]; /* bit i: is read or written at an alignment of 2^i */
    bool failed;
    char message[200];
};

void c_fail(struct c_emitter *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
struct c_type c_type_of(struct c_emitter *e, LLVMTypeRef t);
/* Of a part: "float", "u32x16"; is_signed: "int32_t", "i32x16". In the emitter's arena. */
const char *c_type_name(struct c_emitter *e, struct c_type t, bool is_signed);
const char *c_type_mask(struct c_emitter *e, struct c_type t, bool is_signed); /* what i1 of so many lanes is */
/* What a part is as it lies in memory at that alignment: "f32x16_at64". */
const char *c_type_memory(struct c_emitter *e, struct c_type t, unsigned alignment);
/* The name of a function on parts of that type, as the table in c_type.c calls it: "f32x16_all". */
const char *c_helper(struct c_emitter *e, struct c_type t, const char *name);
void c_type_prelude(struct c_emitter *e, struct text *out); /* all of these that were used */
