/* SPDX-License-Identifier: Apache-2.0 */
/* tile_registers: the elements that a reduction updates, kept in registers while a register tile is emitted. Each is a
 * stack slot that LLVM's mem2reg makes a register: loaded in front of the tile, stored behind it. */
#pragma once
#include "targets/cpu/tile/tile_analysis.h"

#define MOST_TILE_REGISTERS 32
struct tile_register {
    struct index_value index;
    struct lanes lanes;
    LLVMValueRef at;
    bool dirty; /* written: must be stored at the end */
};
struct tile_registers {
    const struct buffer *buffer;
    const struct tile_analysis *analysis;
    struct tile_register registers[MOST_TILE_REGISTERS];
    int nregisters, scope;
    LLVMBasicBlockRef before; /* where elements are loaded */
    bool *selects;            /* by atom: the loop selects an element */
};

/* From open to close, em->tile is t: loads and stores of the tile's tensor go to registers. */
void tile_registers_open(struct emitter *em, struct tile_registers *t, const struct tile_analysis *analysis);
/* Marks the loops below n that select an element of the tile's tensor: they must be unrolled. */
void tile_registers_mark_loops(struct emitter *em, const struct loop_node *n);
void tile_registers_close(struct emitter *em);

/* Load or store of b at ix by a register of the open tile. False: the element is in none. */
bool tile_registers_get(struct emitter *em, const struct buffer *b, const struct index_value *ix,
                        struct lane_value *out);
bool tile_registers_set(struct emitter *em, const struct buffer *b, const struct index_value *ix,
                        struct lane_value value);
/* The open tile is of this tensor. */
bool tile_registers_own(const struct emitter *em, const struct buffer *b);
/* The open tile holds single elements: its update is not vector code, so the init must not be either. */
bool tile_registers_scalar(const struct emitter *em);
/* The loop selects an element of the open tile. */
bool tile_registers_selected_by(const struct emitter *em, const struct loop_node *loop);
/* The guard was checked for all elements of the open tile at once. */
bool tile_registers_proven(const struct emitter *em, const struct guard *g);
