/* SPDX-License-Identifier: Apache-2.0 */
/* apply: the steps on one stage (harness/doc/ansor.md, "The fourteen steps"; TVM's transform_step.cc). Every id and
 * number of a step is checked here, as steps come from files and from fuzzers.
 *
 * Splits into n+1 parts are n binary relations, as TVM's schedule makes them: innermost first for inner_to_outer, else
 * outermost first; the quotients in between are vars that are no iterators. Fusing n iterators is n-1 relations.
 * Deviations, all refusals of what TVM takes but no policy makes: splitting or fusing an annotated iterator (TVM
 * forgets the annotation), computing at a stage that comes earlier, inlining a reduction or an output, parallel or
 * vector loops over a reduction, pragmas other than auto_unroll_max_step, annotation tensorize but of loops of 16. An
 * attachment follows its loop through a reorder (TVM's stays at the position). */
#include "harness/program/schedule/apply.h"

#include <string.h>

enum { NAME_MAX_BYTES = 1000 }; /* of an iterator; released schedules have 72 */

struct stage *apply_target(struct state *s, int stage, struct err *err)
{
    if (stage < 0 || stage >= s->nstages) {
        err_set(err, "no stage %d, there are %d", stage, s->nstages);
        return NULL;
    }
    struct stage *st = &s->stages[stage];
    if (st->op->kind == OP_PLACEHOLDER) {
        err_set(err, "'%s' is a placeholder", st->op->name);
        return NULL;
    }
    return st;
}

static bool check_iter(const struct stage *st, int64_t iter, struct err *err)
{
    if (iter >= 0 && iter < st->nleaf)
        return true;
    err_set(err, "no iterator %lld, '%s' has %d", (long long)iter, st->op->name, st->nleaf);
    return false; /* plain, for the analyzer */
}

/* A new var of the stage, or -1 with a message. */
static int add_var(struct state *s, struct stage *st, const char *name, enum iter_kind kind, int64_t extent,
                   struct err *err)
{
    if (st->nvars >= VARS_MAX) {
        err_set(err, "more than %d iterators made on '%s'", VARS_MAX, st->op->name);
        return -1;
    }
    if (extent > EXTENT_MAX) {
        err_set(err, "iterator '%s' has more than 2^40 turns", name);
        return -1;
    }
    st->vars = state_array_grow(s->arena, st->vars, st->nvars, sizeof *st->vars);
    st->vars[st->nvars] = (struct ivar){name, kind, ANN_NONE, extent, affine_const(0), -1};
    return st->nvars++;
}

static void add_relation(struct state *s, struct stage *st, struct relation r)
{
    st->rels = state_array_grow(s->arena, st->rels, st->nrels, sizeof *st->rels);
    st->rels[st->nrels++] = r;
}

static void move_attached(struct state *s, int stage, int from, int to)
{
    for (int i = 0; i < s->nstages; i++)
        if (s->stages[i].at == AT_ITER && s->stages[i].at_stage == stage && s->stages[i].at_var == from)
            s->stages[i].at_var = to;
}

static bool has_attached_var(const struct state *s, int stage, int var)
{
    for (int i = 0; i < s->nstages; i++)
        if (s->stages[i].at == AT_ITER && s->stages[i].at_stage == stage && (var < 0 || s->stages[i].at_var == var))
            return true;
    return false;
}

/* Replaces leaves first .. first+n-1 by the given ones. */
static bool replace_leaves(struct stage *st, int first, int n, const int *with, int nwith, struct err *err)
{
    if (st->nleaf - n + nwith > ITERS_MAX)
        return err_set(err, "'%s' would have more than %d iterators", st->op->name, ITERS_MAX);
    memmove(st->leaf + first + nwith, st->leaf + first + n, sizeof *st->leaf * (size_t)(st->nleaf - first - n));
    memcpy(st->leaf + first, with, sizeof *with * (size_t)nwith);
    st->nleaf += nwith - n;
    return true;
}

static bool check_plain(const struct ivar *iv, const char *what, struct err *err)
{
    if (iv->annotation != ANN_NONE)
        return err_set(err, "cannot %s the annotated iterator '%s'", what, iv->name);
    return true;
}

/* Split */

static int64_t product(int64_t a, int64_t b)
{
    int64_t r;
    return __builtin_mul_overflow(a, b, &r) || r > EXTENT_MAX ? EXTENT_MAX + 1 : r;
}

static const char *part_name(struct arena *a, const char *of, int part)
{
    size_t n = strlen(of);
    char *name = arena_alloc(a, n + 4);
    memcpy(name, of, n);
    name[n++] = '.';
    if (part >= 10)
        name[n++] = (char)('0' + part / 10);
    name[n] = (char)('0' + part % 10);
    return name;
}

/* The two parts' extents when the parent's is known; length 0 is a placeholder. */
static void part_extents(int64_t extent, int64_t length, bool nparts, int64_t *outer, int64_t *inner)
{
    int64_t asked = length == 0 ? -1 : extent < 0 || length < extent ? length : extent;
    int64_t other = extent < 0 || asked < 0 ? -1 : (extent + asked - 1) / asked;
    *outer = nparts ? asked : other;
    *inner = nparts ? other : asked;
}

struct split { /* into n + 1 parts; lengths outer to inner, 0: open */
    const int64_t *lengths;
    int n;
    bool inner_first; /* the innermost part is cut off first */
};

/* parts: the vars made, outer to inner. */
static bool split_var(struct state *s, struct stage *st, int var, const struct split *split, int *parts,
                      struct err *err)
{
    const char *name = st->vars[var].name;
    enum iter_kind kind = st->vars[var].kind;
    bool inner_first = split->inner_first;
    int n = split->n;
    for (int i = 0; i < n; i++) {
        int64_t length = split->lengths[inner_first ? n - 1 - i : i];
        int64_t outer, inner;
        part_extents(st->vars[var].extent, length, !inner_first, &outer, &inner);
        int part = inner_first ? n - i : i;
        const char *cut = part_name(s->arena, name, part);
        const char *rest = i < n - 1 ? name : part_name(s->arena, name, inner_first ? 0 : n);
        int o = add_var(s, st, inner_first ? rest : cut, kind, outer, err);
        int in = o < 0 ? -1 : add_var(s, st, inner_first ? cut : rest, kind, inner, err);
        if (in < 0)
            return false;
        add_relation(s, st, (struct relation){REL_SPLIT, var, o, in, length, !inner_first});
        parts[part] = inner_first ? in : o;
        var = inner_first ? o : in;
    }
    parts[inner_first ? 0 : n] = var;
    return true;
}

static bool apply_split(struct state *s, int stage, int iter, const struct split *split, struct err *err)
{
    const int64_t *lengths = split->lengths;
    int n = split->n;
    struct stage *st = &s->stages[stage];
    int parts[STEP_LIST_MAX + 1], var;
    if (!check_iter(st, iter, err))
        return false;
    var = st->leaf[iter];
    if (n < 1 || n >= ITERS_MAX)
        return err_set(err, "%d split lengths", n);
    int64_t all = 1;
    for (int i = 0; i < n; i++) {
        if (lengths[i] < 0 || lengths[i] > INT32_MAX)
            return err_set(err, "split length %lld, an axis has less than 2^31 turns", (long long)lengths[i]);
        all = product(all, lengths[i] ? lengths[i] : 1);
    }
    if (all > EXTENT_MAX)
        return err_set(err, "the split's lengths multiply to more than 2^40");
    if (!check_plain(&st->vars[var], "split", err))
        return false;
    if (strlen(st->vars[var].name) > NAME_MAX_BYTES)
        return err_set(err, "iterator names grow without end");
    for (int i = 0; i < n; i++)
        s->concrete = s->concrete && lengths[i] > 0;
    if (!split_var(s, st, var, split, parts, err) || !replace_leaves(st, iter, 1, parts, n + 1, err))
        return false;
    move_attached(s, stage, var, parts[n]);
    if (st->pragma_var == var)
        st->pragma_var = parts[0];
    return true;
}

static const struct step *source_split(const struct state *s, int64_t index, struct err *err)
{
    if (index < 0 || index >= s->nsteps || s->steps[index].kind != STEP_SP) {
        err_set(err, "step %lld is no earlier split", (long long)index);
        return NULL;
    }
    return &s->steps[index];
}

/* FSP: the first n_split-1 lengths of the source, then the product of its remaining ones. */
static bool apply_follow(struct state *s, const struct step *step, struct err *err)
{
    const struct step *src = source_split(s, step->value, err);
    int64_t lengths[STEP_LIST_MAX], last = 1;
    if (!src)
        return false;
    if (step->value2 < 1 || step->value2 > src->n)
        return err_set(err, "cannot take %lld lengths from a split with %d", (long long)step->value2, src->n);
    int n = (int)step->value2;
    for (int i = 0; i < n - 1; i++)
        lengths[i] = src->list[i];
    for (int i = n - 1; i < src->n; i++)
        last = product(last, src->list[i]);
    lengths[n - 1] = last;
    return apply_split(s, step->stage, step->iter, &(struct split){lengths, n, true}, err);
}

/* FFSP: one length, the product over the sources of their length at one level. */
static bool apply_follow_fused(struct state *s, const struct step *step, struct err *err)
{
    int64_t length = 1;
    if (step->n < 1)
        return err_set(err, "no source splits");
    for (int i = 0; i < step->n; i++) {
        const struct step *src = source_split(s, step->list[i], err);
        if (!src)
            return false;
        if (step->value < 0 || step->value >= src->n)
            return err_set(err, "split step %lld has no level %lld", (long long)step->list[i], (long long)step->value);
        length = product(length, src->list[step->value]);
    }
    return apply_split(s, step->stage, step->iter, &(struct split){&length, 1, step->flag}, err);
}

/* Fuse */

static const char *fused_name(struct arena *a, const struct stage *st, int first, int n)
{
    size_t bytes = 0, at = 0;
    for (int i = 0; i < n; i++)
        bytes += strlen(stage_iter(st, first + i)->name) + 1;
    char *name = arena_alloc(a, bytes + 1);
    for (int i = 0; i < n; i++) {
        size_t len = strlen(stage_iter(st, first + i)->name);
        memcpy(name + at, stage_iter(st, first + i)->name, len);
        name[at + len] = '@';
        at += len + 1;
    }
    return name;
}

static bool check_fuse(const struct state *s, const struct step *step, struct err *err)
{
    const struct stage *st = &s->stages[step->stage];
    size_t bytes = 0;
    for (int i = 0; i < step->n; i++) {
        if (!check_iter(st, step->list[i], err))
            return false;
        if (step->list[i] != step->list[0] + i)
            return err_set(err, "fused iterators do not follow one another");
        int var = st->leaf[step->list[i]];
        if (i < step->n - 1 && has_attached_var(s, step->stage, var))
            return err_set(err, "a stage is computed at the fused iterator '%s'", st->vars[var].name);
        if (!check_plain(&st->vars[var], "fuse", err))
            return false;
        bytes += strlen(st->vars[var].name);
    }
    if (bytes > NAME_MAX_BYTES)
        return err_set(err, "iterator names grow without end");
    return true;
}

static bool apply_fuse(struct state *s, const struct step *step, struct err *err)
{
    struct stage *st = &s->stages[step->stage];
    if (!check_fuse(s, step, err))
        return false;
    if (step->n == 0) {
        int unit = add_var(s, st, "", ITER_SPECIAL, 1, err);
        return unit >= 0 && replace_leaves(st, 0, 0, &unit, 1, err);
    }
    int first = (int)step->list[0], var = st->leaf[first];
    if (step->n == 1) { /* TVM renames it and forgets nothing else */
        st->vars[var].name = fused_name(s->arena, st, first, 1);
        return true;
    }
    for (int i = 1; i < step->n; i++) {
        const struct ivar *x = &st->vars[var], *y = stage_iter(st, first + i);
        const char *name = i < step->n - 1 ? x->name : fused_name(s->arena, st, first, step->n);
        int64_t extent = x->extent >= 0 && y->extent >= 0 ? product(x->extent, y->extent) : -1;
        int parent = add_var(s, st, name, x->kind == y->kind ? x->kind : ITER_MIXED, extent, err);
        if (parent < 0)
            return false;
        add_relation(s, st,
                     (struct relation){.kind = REL_FUSE, .parent = parent, .outer = var, .inner = st->leaf[first + i]});
        var = parent;
    }
    move_attached(s, step->stage, st->leaf[first + step->n - 1], var);
    for (int i = 0; i < step->n; i++)
        if (st->leaf[first + i] == st->pragma_var)
            st->pragma_var = var;
    return replace_leaves(st, first, step->n, &var, 1, err);
}

/* The others */

static bool apply_reorder(struct stage *st, const struct step *step, struct err *err)
{
    int leaf[ITERS_MAX];
    uint64_t seen = 0;
    if (step->n != st->nleaf)
        return err_set(err, "%d iterators listed, '%s' has %d", step->n, st->op->name, st->nleaf);
    for (int i = 0; i < step->n; i++) {
        if (!check_iter(st, step->list[i], err))
            return false;
        if (seen >> step->list[i] & 1)
            return err_set(err, "iterator %lld is listed twice", (long long)step->list[i]);
        seen |= UINT64_C(1) << step->list[i];
        leaf[i] = st->leaf[step->list[i]];
    }
    memcpy(st->leaf, leaf, sizeof *leaf * (size_t)step->n);
    return true;
}

static bool apply_annotate(struct stage *st, const struct step *step, struct err *err)
{
    if (!check_iter(st, step->iter, err))
        return false;
    struct ivar *iv = stage_iter(st, step->iter);
    if (step->value < 0 || step->value >= ANN_COUNT)
        return err_set(err, "annotation %lld is unknown", (long long)step->value);
    if (step->value == ANN_TENSORIZE && iv->extent != 16)
        return err_set(err, "annotation %lld is tensorize, for loops of 16 only", (long long)step->value);
    if (!check_plain(iv, "annotate", err))
        return false;
    enum annotation ann = (enum annotation)step->value;
    bool threads = ann == ANN_THREAD_X || ann == ANN_THREAD_Y || ann == ANN_THREAD_Z;
    if (ann > ANN_UNROLL && !threads && iv->kind != ITER_SPATIAL && iv->kind != ITER_SPECIAL)
        return err_set(err, "the turns of '%s' depend on one another, they cannot run at once", iv->name);
    iv->annotation = ann;
    return true;
}

static bool apply_pragma(struct stage *st, const struct step *step, struct err *err)
{
    if (!check_iter(st, step->iter, err))
        return false;
    if (!step->text || !str_starts(step->text, "auto_unroll_max_step$") || step->value < 0)
        return err_set(err, "pragma '%.60s' is not known, only auto_unroll_max_step$N", step->text ? step->text : "");
    st->auto_unroll = step->value;
    st->has_pragma = true;
    st->pragma_var = st->leaf[step->iter];
    return true;
}

static void forget_extents(struct stage *st)
{
    for (int i = 0; i < st->nvars; i++)
        if (st->vars[i].kind != ITER_SPECIAL) /* the empty fuse: always one turn */
            st->vars[i].extent = -1;
}

static bool apply_compute_at(struct state *s, const struct step *step, struct err *err)
{
    struct stage *st = &s->stages[step->stage], *target = apply_target(s, step->target, err);
    if (!target)
        return err_context(err, "target");
    if (step->target <= step->stage)
        return err_set(err, "target stage %d does not come after it", step->target);
    if (target->at == AT_INLINED)
        return err_set(err, "target stage '%s' is inlined", target->op->name);
    if (!check_iter(target, step->iter, err))
        return false;
    if (s->dag->analysis[step->stage].is_output)
        return err_set(err, "'%s' is an output", st->op->name);
    st->at = AT_ITER;
    st->at_stage = step->target;
    st->at_var = target->leaf[step->iter];
    st->at_order = s->attachments++;
    forget_extents(st);
    return true;
}

static bool apply_inline(struct state *s, const struct step *step, struct err *err)
{
    struct stage *st = &s->stages[step->stage];
    if (st->op->nreduce > 0)
        return err_set(err, "'%s' is a reduction", st->op->name);
    if (s->dag->analysis[step->stage].is_output)
        return err_set(err, "'%s' is an output", st->op->name);
    if (has_attached_var(s, step->stage, -1))
        return err_set(err, "a stage is computed at a loop of '%s'", st->op->name);
    st->at = AT_INLINED;
    st->at_stage = st->at_var = -1;
    return true;
}

static bool apply_root(struct stage *st)
{
    st->at = AT_ROOT;
    st->at_stage = st->at_var = -1;
    forget_extents(st);
    return true;
}

bool apply_step(struct state *s, const struct step *step, struct err *err)
{
    struct stage *st = apply_target(s, step->stage, err);
    if (!st)
        return false;
    switch (step->kind) {
    case STEP_AN:
        return apply_annotate(st, step, err);
    case STEP_FU:
        return apply_fuse(s, step, err);
    case STEP_PR:
        return apply_pragma(st, step, err);
    case STEP_RE:
        return apply_reorder(st, step, err);
    case STEP_SP:
        return apply_split(s, step->stage, step->iter, &(struct split){step->list, step->n, step->flag}, err);
    case STEP_FSP:
        return apply_follow(s, step, err);
    case STEP_FFSP:
        return apply_follow_fused(s, step, err);
    case STEP_SA:
        if (!check_iter(st, step->iter, err))
            return false;
        st->storage_offset = step->value2;
        return true;
    case STEP_CA:
        return apply_compute_at(s, step, err);
    case STEP_CI:
        return apply_inline(s, step, err);
    case STEP_CR:
        return apply_root(st);
    default:
        bug("step %s is not for apply", step_code(step->kind));
    }
}
