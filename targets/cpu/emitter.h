/* SPDX-License-Identifier: Apache-2.0 */
/* emitter: what the modules of the code generator share while one loop nest becomes one LLVM module.
 *
 * Emission knows which loop every value depends on. So it puts address arithmetic into the header of that loop,
 * remembers what was loaded, and keeps the sums of a reduction in registers (emit_tile.c). LLVM gets code that is close
 * to the machine code wanted: few passes are needed, and building stays cheap. */
#pragma once
#include "harness/program/ir/nest.h"
#include "targets/cpu/llvm.h"

#include <stdbool.h>
#include <stdint.h>

/* What the code generator must know of the machine and of the options. */
struct codegen_machine {
    int vector_bytes; /* 16, 32 or 64 */
    int registers;    /* vector registers */
    bool masks;       /* AVX-512: any load or store may be masked at no cost */
    bool contract, reassociate;
};

/* An integer SSA value: a loop variable, or the floordiv or floormod of an index value that does not simplify. */
struct index_value;
struct symbol {
    LLVMValueRef value;
    int scope;       /* the scope whose header holds it */
    uint64_t serial; /* of that scope: a symbol is dead once its scope was left */
    int64_t lo, hi;  /* inclusive */
    enum atom_kind kind;
    int64_t by;                   /* DIV, MOD: the divisor */
    const struct index_value *of; /* DIV, MOD: what is divided */
};
/* An index at the point of emission: base + lane * (number of the vector lane) + sum of coef * symbol. Symbols are in
 * ascending order, no coefficient is zero. With two loops as one vector loop (struct lanes) it is base + lane * (number
 * % inner) + outer * (number / inner) + the sum. */
#define INDEX_TERMS 40
struct index_value {
    int64_t base, lane, outer;
    int n;
    struct {
        int symbol;
        int64_t coef;
    } t[INDEX_TERMS];
};

/* What a loop variable is at the point of emission.
 * CONST: start. SYMBOL: start + stride * symbol. LANES: start + stride * symbol (if symbol >= 0) + lane.
 * OUTER: as LANES, for the outer one of two loops that are one vector loop. */
enum binding_kind { BIND_NONE, BIND_CONST, BIND_SYMBOL, BIND_LANES, BIND_OUTER };
struct binding {
    enum binding_kind kind;
    int symbol;
    int64_t start, stride;
};

/* The vector lanes of the code being emitted: lanes 0..count-1 of a register of width elements do work. width 1: scalar
 * code. */
enum { LANES_MAX = 64 }; /* of the widest registers, of elements of a byte */
struct lanes {
    int count, width, atom; /* atom: the vector loop */
    int outer, inner;       /* two loops as one: atom of the outer one, lanes per iteration of it; inner 0: one loop */
};

/* A region of code that dominates all that follows until it is left. Loops and the function body have a header, where
 * address arithmetic goes. */
struct scope {
    uint64_t serial;
    LLVMBasicBlockRef header; /* NULL: not a loop */
    int loop;                 /* index of the scope of the innermost loop, itself included */
};
#define SCOPES 128

/* A value already made, by key. It is valid while the scope it was made in is open. */
#define MEMO_WORDS 7
struct memo {
    uint64_t key[MEMO_WORDS];
    LLVMValueRef value;
    int scope;
    uint64_t serial;
};

struct function_frame { /* one LLVM function while it is emitted */
    LLVMValueRef function;
    LLVMBasicBlockRef allocas;
    LLVMValueRef *bases; /* per buffer: its address */
    int *copies; /* per buffer: lanes that have a copy of each element (allocated inside a vector loop); else 1 */
    LLVMValueRef scratch;     /* memory for what is too large for the stack: the thread's own in a parallel loop */
    struct binding *bindings; /* per atom */
    struct symbol *symbols;
    int nsymbols, capsymbols;
    struct scope scopes[SCOPES];
    int nscopes, missing; /* missing: scopes for which there was no room; emission has failed then */
    struct memo *memos;
    int nmemos, capmemos;
    int64_t stack_bytes;
    bool parallel; /* the body of a parallel loop */
};

enum { HELD_MAX = 64 };
/* Guards that hold where code is being emitted. */
struct held_guards {
    const struct guard *at[HELD_MAX];
    int n;
};

struct loop_node;
struct tile_registers;
struct emitter {
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef builder;   /* where code goes */
    LLVMBuilderRef addresses; /* for headers */
    LLVMTypeRef pointer, i64, i32, i1, f32, f64;
    const struct codegen_machine *machine;
    const struct nest *nest;
    struct arena *arena; /* scratch of this emission */
    struct function_frame *frame;
    struct lanes lanes;
    LLVMValueRef condition; /* loads may be made only where it holds (scalar); NULL: true */
    LLVMValueRef mask;      /* the same per lane; NULL: true */
    struct held_guards held;
    struct tile_registers *tile; /* sums that are in registers now, or NULL */
    bool no_tiles;               /* emits the code for the case that a tile's guards do not hold: no tiles in it */
    uint64_t serial;             /* of the scope opened last */
    uint64_t *versions;          /* per buffer: number of stores emitted */
    bool *written;               /* per buffer: stored to anywhere in the nest */
    LLVMValueRef zeros;          /* 512 bytes of zeros: what a load reads that must not be made */
    int nfunctions;
    int64_t shared_bytes, thread_bytes; /* scratch that the code needs so far */
    /* emit_stmt (emit_stmt.h). A statement contains statements: the modules below emit_stmt.c call back through it. */
    void (*emit_stmt)(struct emitter *em, const struct loop_node *n);
    bool failed;
    char message[200];
};

struct lane_value { /* an emitted value */
    LLVMValueRef v;
    bool wide; /* one element per lane; false: the same for all lanes */
};

void emitter_fail(struct emitter *em, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
LLVMTypeRef emitter_type(const struct emitter *em, enum dtype t);  /* in memory: bool is i8 */
LLVMTypeRef emitter_wide(const struct emitter *em, LLVMTypeRef t); /* t per lane, or t itself when width is 1 */
LLVMValueRef emitter_i64(const struct emitter *em, int64_t v);
LLVMValueRef emitter_i32(const struct emitter *em, int v);
LLVMBasicBlockRef emitter_block(struct emitter *em, const char *name); /* appended to the current function */
LLVMValueRef emitter_intrinsic(struct emitter *em, const char *name, LLVMTypeRef *types, int ntypes, LLVMValueRef *args,
                               int nargs);
LLVMValueRef emitter_alloca(struct emitter *em, LLVMTypeRef type, unsigned align, const char *name);
LLVMValueRef emitter_splat(struct emitter *em, LLVMValueRef v);      /* a scalar into every lane */
LLVMValueRef emitter_widen(struct emitter *em, struct lane_value c); /* as a vector; itself when width is 1 */
LLVMValueRef emitter_tail(struct emitter *em); /* mask of the lanes below count; NULL when all are */
LLVMValueRef emitter_and(struct emitter *em, LLVMValueRef a, LLVMValueRef b); /* NULL is true */

/* Scopes and remembered values. A loop's header must end in a branch when values are placed in it. */
void scope_push(struct emitter *em, LLVMBasicBlockRef header);
void scope_pop(struct emitter *em);
bool scope_alive(const struct emitter *em, int scope, uint64_t serial);
LLVMValueRef memo_find(struct emitter *em, const uint64_t key[MEMO_WORDS]);
void memo_keep(struct emitter *em, const uint64_t key[MEMO_WORDS], LLVMValueRef v, int scope);
int symbol_add(struct emitter *em, struct symbol s);

struct function_frame *function_frame_open(struct emitter *em, LLVMValueRef function, LLVMBasicBlockRef allocas);
