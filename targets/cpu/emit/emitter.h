/* SPDX-License-Identifier: Apache-2.0 */
/* emitter: what the parts of the code generator share while one nest becomes one LLVM module.
 *
 * The idea: emission already knows which loop every value depends on, so it puts address arithmetic into the header of
 * that loop, remembers what was loaded, and keeps accumulators in registers (register_tile.c). What LLVM gets is close
 * to the machine code wanted, so that few passes are needed and building stays cheap. */
#pragma once
#include "harness/program/ir/nest.h"

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stdint.h>

/* What the code generator must know of the machine and of the options. */
struct machine {
    int vector_bytes; /* 16, 32 or 64 */
    int registers;    /* vector registers */
    bool masks;       /* AVX-512: any load or store may be masked at no cost */
    bool fma;
    bool contract, reassociate;
};

/* A symbol is an integer SSA value: a loop variable, or the floordiv or floormod of a form that does not simplify. */
struct form;
struct symbol {
    LLVMValueRef value;
    int scope;       /* the scope whose header holds it */
    uint64_t serial; /* of that scope: a symbol of a scope left is dead */
    int64_t lo, hi;
    enum atom_kind kind;
    int64_t by;
    const struct form *of; /* DIV, MOD */
};
/* base + lane * (number of the vector lane) + sum of coef * symbol; ascending symbols, no zero coefficients. With an
 * outer vector loop in force: base + lane * (number % inner) + outer * (number / inner) + ... */
#define FORM_TERMS 40
struct form {
    int64_t base, lane, outer;
    int n;
    struct {
        int symbol;
        int64_t coef;
    } t[FORM_TERMS];
};

/* What a loop atom is at the point of emission. LANES: start + stride * symbol (when symbol >= 0) + lane; OUTER
 * likewise, for the outer vector loop. */
enum binding_kind { BIND_NONE, BIND_CONST, BIND_SYMBOL, BIND_LANES, BIND_OUTER };
struct binding {
    enum binding_kind kind;
    int symbol;
    int64_t start, stride;
};

/* The vector lanes in force: lanes 0..count-1 of a register of width elements do work. width 1: scalar code. */
struct lanes {
    int count, width, atom; /* atom: the vector loop */
    int outer, inner;       /* two loops as one: atom of the outer one, lanes per turn of it; inner 0: there is none */
};

/* A region of code that dominates all that follows until it is left. Loops and the function body have a header, where
 * address arithmetic goes. */
struct scope {
    uint64_t serial;
    LLVMBasicBlockRef header; /* NULL: not a loop */
    int loop;                 /* index of the scope of the innermost loop, itself included */
};
#define SCOPES 128

/* memo: values already made, by key; valid while the scope they were made in is open. */
#define MEMO_WORDS 7
struct memo {
    uint64_t key[MEMO_WORDS];
    LLVMValueRef value;
    int scope;
    uint64_t serial;
};

struct frame { /* one LLVM function */
    LLVMValueRef function;
    LLVMBasicBlockRef allocas;
    LLVMValueRef *bases; /* per buffer */
    int *privates;    /* per buffer: lanes that have a copy of each element (allocated inside a vector loop); else 1 */
    LLVMValueRef own; /* scratch of this thread */
    struct binding *bindings;
    struct symbol *symbols;
    int nsymbols, capsymbols;
    struct scope scopes[SCOPES];
    int nscopes, missing; /* missing: scopes that found no room; emission has failed then */
    struct memo *memos;
    int nmemos, capmemos;
    int64_t stack_bytes;
    bool parallel; /* the body of a parallel loop */
};

/* Guards that hold where code is being emitted. */
struct holding {
    const struct guard *at[64];
    int n;
};

struct loop_node;
struct tile;
struct emitter {
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef builder;   /* where code goes */
    LLVMBuilderRef addresses; /* for headers */
    LLVMTypeRef pointer, i64, i32, i1, f32, f64;
    const struct machine *machine;
    const struct nest *nest;
    struct arena *arena; /* scratch of this emission */
    struct frame *frame;
    struct lanes lanes;
    LLVMValueRef when; /* scalar condition that holds for sure only where loads are made; NULL: true */
    LLVMValueRef mask; /* the same per lane; NULL: true */
    struct holding holding;
    struct tile *tile; /* accumulators in registers, or NULL */
    bool plain;        /* no new tiles: the slow twin of a guarded tile */
    uint64_t serial;
    uint64_t *versions; /* per buffer: number of stores emitted */
    bool *written;      /* per buffer: stored to anywhere in the nest */
    LLVMValueRef zeros; /* 64 bytes of zeros that loads not to be made read instead */
    int nfunctions;
    int64_t shared_bytes, own_bytes;
    bool failed;
    char message[200];
};

struct cell { /* an emitted value */
    LLVMValueRef v;
    bool wide; /* one element per lane */
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
LLVMValueRef emitter_splat(struct emitter *em, LLVMValueRef v); /* a scalar into every lane */
LLVMValueRef emitter_widen(struct emitter *em, struct cell c);  /* as a vector; the value itself when width is 1 */
LLVMValueRef emitter_tail(struct emitter *em);                  /* mask of the lanes below count; NULL when all are */
LLVMValueRef emitter_and(struct emitter *em, LLVMValueRef a, LLVMValueRef b); /* NULL is true */

/* Scopes and memos. A loop's header must end in a branch when values are placed in it. */
void scope_push(struct emitter *em, LLVMBasicBlockRef header);
void scope_pop(struct emitter *em);
bool scope_alive(const struct emitter *em, int scope, uint64_t serial);
LLVMValueRef memo_find(struct emitter *em, const uint64_t key[MEMO_WORDS]);
void memo_keep(struct emitter *em, const uint64_t key[MEMO_WORDS], LLVMValueRef v, int scope);
int symbol_add(struct emitter *em, struct symbol s);

struct frame *frame_open(struct emitter *em, LLVMValueRef function, LLVMBasicBlockRef allocas);
