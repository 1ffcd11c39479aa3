/* SPDX-License-Identifier: Apache-2.0 */
/* schedule: a schedule is a list of steps; applying it to a task's dag gives a state (ansor.md 1.1): stages with
 * iterators, where each stage is computed, and the split/fuse relations that bound inference and lowering need.
 *
 * A stage keeps all its iteration variables (vars: first the op's axes, then what splits and fuses made) and the
 * current loop order (leaf: indices into vars, outer to inner). "iterator i of a stage" everywhere means leaf position
 * i. */
#pragma once
#include "harness/base/arena.h"
#include "harness/base/err.h"
#include "harness/base/text.h"
#include "harness/program/ir/affine.h"
#include "harness/program/ops/task.h"
#include "harness/program/schedule/state_text.h"
#include "harness/program/schedule/step.h"

enum iter_kind { ITER_SPATIAL, ITER_REDUCE, ITER_MIXED, ITER_SPECIAL };
#define ANNOTATIONS(X)                                                                                                 \
    X(NONE, "for")                                                                                                     \
    X(UNROLL, "unroll")                                                                                                \
    X(VECTORIZE, "vectorize")                                                                                          \
    X(PARALLEL, "parallel")                                                                                            \
    X(VTHREAD, "vthread")                                                                                              \
    X(BLOCK_X, "blockIdx.x")                                                                                           \
    X(THREAD_X, "threadIdx.x")                                                                                         \
    X(BLOCK_Y, "blockIdx.y")                                                                                           \
    X(THREAD_Y, "threadIdx.y")                                                                                         \
    X(BLOCK_Z, "blockIdx.z")                                                                                           \
    X(THREAD_Z, "threadIdx.z")                                                                                         \
    X(TENSORIZE, "tensorize")
enum annotation {
#define X(id, word) ANN_##id,
    ANNOTATIONS(X)
#undef X
        ANN_COUNT
};

struct ivar {
    const char *name; /* "oh.1", "ax0.0@ax1.0@" */
    enum iter_kind kind;
    enum annotation annotation;
    int64_t extent;    /* -1: unknown (before bounds are inferred again) */
    struct affine min; /* after bound_infer, over bounds->atoms; only root axes of attached stages are non-zero */
    int atom; /* after bound_infer: this var's loop atom if it is a leaf of a live stage and extent > 1, else -1 */
};
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
};

enum { ITERS_MAX = 64, VARS_MAX = 512 }; /* of one stage; released schedules have 29 and 53 at most */

struct state *state_new(struct arena *a, const struct task *task);
struct state *state_copy(struct arena *a, const struct state *s);
/* Checks that the step applies, applies it, appends a copy. On failure the state is unusable. Bounds must be inferred
 * again afterwards (atoms = NULL). */
MUST_CHECK bool state_apply(struct state *s, const struct step *step, struct err *err);
MUST_CHECK bool state_replay(struct arena *a, const struct task *task, const struct step *steps, int n,
                             struct state **out, struct err *err);

/* Attachments */
int stage_leaf_of(const struct stage *st, int var);                     /* leaf position of var or -1 */
static inline struct ivar *stage_iter(const struct stage *st, int leaf) /* iterator at leaf position */
{
    return &st->vars[st->leaf[leaf]];
}
bool state_has_attached(const struct state *s, int stage, int leaf); /* some stage is computed at this iterator */

/* Step makers that apply at once; thin wrappers over state_apply used by sketch rules. */
MUST_CHECK bool state_split(struct state *s, int stage, int iter, const int64_t *lengths, int n, bool inner_to_outer,
                            struct err *err);
MUST_CHECK bool state_follow_split(struct state *s, int stage, int iter, int source_step, int n_split, struct err *err);
MUST_CHECK bool state_fuse(struct state *s, int stage, int first_iter, int n, struct err *err);
MUST_CHECK bool state_reorder(struct state *s, int stage, const int *order, int n, struct err *err);
MUST_CHECK bool state_annotate(struct state *s, int stage, int iter, enum annotation ann, struct err *err);
MUST_CHECK bool state_pragma_unroll(struct state *s, int stage, int iter, int64_t value, struct err *err);
MUST_CHECK bool state_compute_at(struct state *s, int stage, int target, int iter, struct err *err);
MUST_CHECK bool state_compute_inline(struct state *s, int stage, struct err *err);
MUST_CHECK bool state_compute_root(struct state *s, int stage, struct err *err);
MUST_CHECK bool state_cache_write(struct state *s, int stage, const char *scope, struct err *err);
MUST_CHECK bool state_rfactor(struct state *s, int stage, int iter, int factor_axis, struct err *err);
