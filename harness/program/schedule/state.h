/* SPDX-License-Identifier: Apache-2.0 */
/* state: what a schedule makes of a task's dag (harness/doc/ansor.md, "States and steps"; TVM: State): stages with
 * iterators, where each stage is computed, and the split and fuse relations that bound inference and lowering need.
 *
 * A stage keeps all its iteration variables (vars: first the op's axes, then what splits and fuses made) and the
 * current loop order (leaf: indices into vars, outer to inner). "iterator i of a stage" everywhere means leaf position
 * i. */
#pragma once
#include "harness/base/arena.h"
#include "harness/program/ir/affine.h"
#include "harness/program/ir/loop.h"
#include "harness/program/ops/task.h"
#include "harness/program/schedule/step.h"

struct ivar {
    const char *name; /* "oh.1", "ax0.0@ax1.0@" */
    enum iter_kind kind;
    enum annotation annotation;
    int64_t extent;    /* -1: unknown (before bounds are inferred again) */
    struct affine min; /* after bound_infer, over bounds->atoms; only root axes of attached stages are non-zero */
    int atom; /* after bound_infer: this var's loop atom if it is a leaf of a live stage and extent > 1, else -1 */
};
struct nest;
enum relation_kind { REL_SPLIT, REL_FUSE };
struct relation { /* SPLIT: parent = outer*len(inner)+inner. FUSE: parent is the fused var. */
    enum relation_kind kind;
    int parent, outer, inner;
    int64_t factor; /* SPLIT: asked length of inner, or number of parts when nparts */
    bool nparts;
};
enum stage_at { AT_ROOT, AT_INLINED, AT_ITER };
struct stage {
    const struct op *op;
    enum stage_at at;
    int at_stage, at_var; /* AT_ITER: target stage and the var (not leaf position) whose loop holds this stage */
    int at_order; /* AT_ITER: stages at one loop are printed in this order (TVM: in the order of the CA steps) */
    struct ivar *vars;
    int nvars;
    int *leaf;
    int nleaf;
    struct relation *rels;
    int nrels;
    int64_t auto_unroll; /* auto_unroll_max_step; 0: none asked */
    bool has_pragma;     /* a PR step was given, value 0 included */
    int pragma_var;      /* the var it stands on */
    int64_t storage_offset;
};

struct state {
    struct arena *arena;
    const struct task *task;
    const struct dag *dag; /* current, after CHR CHW RF */
    struct stage *stages;
    int nstages;
    struct step *steps; /* history */
    int nsteps;
    bool concrete;       /* no placeholder split lengths */
    int attachments;     /* CA steps so far, for at_order */
    struct atoms *atoms; /* after bound_infer, else NULL */
    /* Whoever lowered it for a check may leave the nest here, as lower makes it without a layout, so that it is made
     * once; it lives as long as the state. Gone in copies and with the next step. NULL: not made, or not kept. */
    const struct nest *nest;
};

#define EXTENT_MAX (INT64_C(1) << 40)    /* turns of a loop */
enum { ITERS_MAX = 64, VARS_MAX = 512 }; /* of one stage; released schedules have 29 and 53 at most */

struct state *state_new(struct arena *a, const struct task *task);
struct state *state_copy(struct arena *a, const struct state *s);

int stage_leaf_of(const struct stage *st, int var);                     /* leaf position of var or -1 */
static inline struct ivar *stage_iter(const struct stage *st, int leaf) /* iterator at leaf position */
{
    return &st->vars[st->leaf[leaf]];
}
bool state_has_attached(const struct state *s, int stage, int leaf); /* some stage is computed at this iterator */

/* A stage in its first form: loops = the op's axes. */
void stage_init(struct arena *a, struct stage *st, const struct op *op);
/* Room for one more entry in a growing array of n entries (vars, rels, steps). */
void *state_array_grow(struct arena *a, void *at, int n, size_t size);
