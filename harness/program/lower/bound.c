/* SPDX-License-Identifier: Apache-2.0 */
/* bound: which part of every attached stage its consumers need.
 *
 * The rules are those of TVM v0.16's te::InferBound, because the printed ranges are a state's identity:
 * consumers first; loops outside the attach point are symbolic points, all others run over their whole range; a split
 * or fused loop that runs over its whole range stands for its parent's whole range; regions of several reads are
 * united; a region that provably covers a dimension is cut back to it. Ranges are kept as (symbolic minimum, constant
 * width). Deviations: where TVM's extent is not a constant, ours is a constant upper bound; an index that puts fused
 * loops together again (a*extent(b) + b, as step RI makes it) has the range of the fused loop; a stage with a block for
 * tensor cores computes whole blocks of 16.
 *
 * Widths saturate, as forms do, and a region or loop of more than 2^40 turns is refused: steps come from files. */
#include "harness/program/lower/bound.h"

#include "harness/base/int_math.h"

#include <string.h>

struct span { /* the integers min .. min + width; width < 0: unknown */
    struct affine min;
    int64_t width;
    int of; /* 1 + the consumer's var of which it is a multiple; 0: none known */
    int64_t times;
};

struct inference {
    struct state *s;
    struct atoms *p;
    bool *fixed; /* by atom: a symbolic point for the producer at hand */
    int nfixed;
    bool *reads;         /* nstages x nstages: live consumer reads live producer, inlined stages looked through */
    struct span *region; /* of the producer at hand */
    bool *touched;
    int producer;
    const struct stage *consumer; /* that reads it, and what its vars run over */
    const struct span *vars;
};

static const struct span unknown = {.width = -1};

static struct span range(struct affine min, int64_t width)
{
    return (struct span){min, width, 0, 0};
}

static struct span point(struct affine f)
{
    return range(f, 0);
}

static bool atom_fixed(const struct inference *in, int atom)
{
    const struct atom *a = &in->p->at[atom];
    if (a->kind == ATOM_LOOP)
        return atom < in->nfixed && in->fixed[atom];
    for (int i = 0; i < a->of.n; i++)
        if (!atom_fixed(in, a->of.terms[i].atom))
            return false;
    return true;
}

/* ---- arithmetic on spans ---- */

static struct span span_scale(struct inference *in, struct span a, int64_t c);

/* The fused loop that a + b is a multiple of; NULL: none. */
static const struct relation *fusing(const struct inference *in, struct span a, struct span b)
{
    const struct stage *st = in->consumer;
    for (int i = 0; a.of && b.of && i < st->nrels; i++) {
        const struct relation *r = &st->rels[i];
        if (r->kind == REL_FUSE && r->outer == a.of - 1 && r->inner == b.of - 1 &&
            a.times == sat_mul(b.times, st->vars[r->inner].extent))
            return r;
    }
    return NULL;
}

static struct span span_add(struct inference *in, struct span a, struct span b)
{
    if (a.width < 0 || b.width < 0)
        return unknown;
    const struct relation *r = fusing(in, a, b);
    if (r) {
        struct span whole = in->vars[r->parent];
        whole.of = r->parent + 1;
        whole.times = 1;
        return span_scale(in, whole, b.times);
    }
    return range(affine_add(in->p, a.min, b.min), sat_add(a.width, b.width));
}

static struct span span_scale(struct inference *in, struct span a, int64_t c)
{
    if (a.width < 0)
        return unknown;
    struct affine from = c < 0 ? affine_shift(a.min, a.width) : a.min;
    return (struct span){.min = affine_scale(in->p, from, c),
                         .width = sat_mul(a.width, c < 0 ? -c : c),
                         .of = c > 0 ? a.of : 0,
                         .times = sat_mul(a.times, c)};
}

/* lo..hi with symbolic ends: the width is their difference, or a constant upper bound of it. */
static struct span span_between(struct inference *in, struct affine lo, struct affine hi)
{
    int64_t least, most;
    affine_range(in->p, affine_sub(in->p, hi, lo), &least, &most);
    return range(lo, most < 0 ? 0 : most);
}

static struct span span_div(struct inference *in, struct span a, int64_t by)
{
    if (a.width < 0)
        return unknown;
    struct affine lo = affine_div(in->p, a.min, by);
    return a.width == 0 ? point(lo) : span_between(in, lo, affine_div(in->p, affine_shift(a.min, a.width), by));
}

static struct span span_mod(struct inference *in, struct span a, int64_t by)
{
    if (a.width < 0)
        return unknown;
    if (a.width == 0)
        return point(affine_mod(in->p, a.min, by));
    struct affine lo = affine_div(in->p, a.min, by), hi = affine_div(in->p, affine_shift(a.min, a.width), by);
    if (affine_equal(lo, hi))
        return range(affine_mod(in->p, a.min, by), a.width);
    return range(affine_const(0), by - 1);
}

/* From the ranges of both: the ends as constants. */
static struct span span_constant(struct inference *in, struct span a, struct span b, bool max)
{
    if (a.width < 0 || b.width < 0)
        return unknown;
    int64_t alo, ahi, blo, bhi;
    affine_range(in->p, a.min, &alo, &ahi);
    affine_range(in->p, b.min, &blo, &bhi);
    ahi = sat_add(ahi, a.width);
    bhi = sat_add(bhi, b.width);
    int64_t lo = (alo > blo) == max ? alo : blo, hi = (ahi > bhi) == max ? ahi : bhi;
    return range(affine_const(lo), hi - lo);
}

static struct span span_unite(struct inference *in, struct span a, struct span b)
{
    if (a.width < 0 || b.width < 0)
        return unknown;
    struct affine gap = affine_sub(in->p, b.min, a.min);
    if (!affine_is_const(gap))
        return unknown;
    int64_t b_end = sat_add(gap.base, b.width), end = b_end > a.width ? b_end : a.width;
    return gap.base < 0 ? range(b.min, sat_add(end, -gap.base)) : range(a.min, end);
}

/* The span of a form when the atoms that are not fixed run over their ranges. */
static struct span span_of(struct inference *in, struct affine f)
{
    struct span sum = point(affine_const(f.base));
    for (int i = 0; i < f.n; i++) {
        const struct atom *a = &in->p->at[f.terms[i].atom];
        struct span one;
        if (atom_fixed(in, f.terms[i].atom))
            one = point(affine_atom(in->p, f.terms[i].atom));
        else if (a->kind == ATOM_LOOP)
            one = range(affine_const(a->lo), a->hi - a->lo);
        else if (a->kind == ATOM_DIV)
            one = span_div(in, span_of(in, a->of), a->by);
        else
            one = span_mod(in, span_of(in, a->of), a->by);
        sum = span_add(in, sum, span_scale(in, one, f.terms[i].coef));
    }
    return sum;
}

/* ---- what a consumer's body touches ---- */

static struct span span_expr(struct inference *in, const struct expr *e, const struct span *axes);

static struct span span_binary(struct inference *in, const struct expr *e, const struct span *axes)
{
    struct span a = span_expr(in, e->args[0], axes), b = span_expr(in, e->args[1], axes);
    bool b_const = b.width == 0 && affine_is_const(b.min), a_const = a.width == 0 && affine_is_const(a.min);
    switch (e->kind) {
    case EXPR_ADD:
        return span_add(in, a, b);
    case EXPR_SUB:
        return span_add(in, a, span_scale(in, b, -1));
    case EXPR_MUL:
        return b_const ? span_scale(in, a, b.min.base) : a_const ? span_scale(in, b, a.min.base) : unknown;
    case EXPR_FLOORDIV:
        return b_const && b.min.base > 0 ? span_div(in, a, b.min.base) : unknown;
    case EXPR_FLOORMOD:
        return b_const && b.min.base > 0 ? span_mod(in, a, b.min.base) : unknown;
    case EXPR_MIN:
    case EXPR_MAX:
        return span_constant(in, a, b, e->kind == EXPR_MAX);
    default:
        return unknown;
    }
}

static struct span span_expr(struct inference *in, const struct expr *e, const struct span *axes)
{
    switch (e->kind) {
    case EXPR_INT:
        return point(affine_const(e->i));
    case EXPR_AXIS:
        return axes[e->i];
    case EXPR_CAST:
        return span_expr(in, e->args[0], axes);
    case EXPR_SELECT:
    case EXPR_IF:
        return span_unite(in, span_expr(in, e->args[1], axes), span_expr(in, e->args[2], axes));
    default:
        return e->nargs == 2 ? span_binary(in, e, axes) : unknown;
    }
}

/* A read of dimension d: cut to the dimension when it provably covers it, whole when unknown, and united with earlier
 * reads. */
static void touch(struct inference *in, int d, int64_t shape, struct span r)
{
    struct span whole = range(affine_const(0), shape - 1);
    if (r.width < 0)
        r = whole;
    int64_t lo, hi, end_lo;
    affine_range(in->p, r.min, &lo, &hi);
    end_lo = sat_add(lo, r.width);
    if (hi <= 0 && end_lo >= shape - 1)
        r = whole;
    if (in->touched[d]) {
        r = span_unite(in, in->region[d], r);
        if (r.width < 0)
            r = whole;
    }
    in->region[d] = r;
    in->touched[d] = true;
}

static void touch_body(struct inference *in, const struct expr *e, const struct span *axes);

static void touch_load(struct inference *in, const struct expr *e, const struct span *axes)
{
    int at = in->s->dag->position[e->i];
    const struct stage *st = &in->s->stages[at];
    bool inlined = st->at == AT_INLINED && st->op->kind == OP_COMPUTE;
    if (at != in->producer && !inlined)
        return;
    struct span index[DIMS_MAX];
    for (int d = 0; d < e->nargs; d++)
        index[d] = span_expr(in, e->args[d], axes);
    if (inlined) {
        touch_body(in, st->op->body, index);
        return;
    }
    for (int d = 0; d < e->nargs; d++)
        touch(in, d, st->op->axes[d].extent, index[d]);
}

static void touch_body(struct inference *in, const struct expr *e, const struct span *axes)
{
    if (e->kind == EXPR_LOAD)
        touch_load(in, e, axes);
    for (int i = 0; i < e->nargs; i++)
        touch_body(in, e->args[i], axes);
}

/* ---- the consumer's axes, seen from the producer's attach point ---- */

static bool is_full(const struct stage *st, int var, struct span v)
{
    return affine_is_const(v.min) && v.min.base == 0 && v.width == st->vars[var].extent - 1;
}

static void pass_up_fuse(struct inference *in, const struct stage *st, const struct relation *r, struct span *v)
{
    int64_t inner = st->vars[r->inner].extent;
    struct span fused = v[r->parent], all_inner = range(affine_const(0), inner - 1);
    if (is_full(st, r->parent, fused)) {
        v[r->outer] = range(affine_const(0), st->vars[r->outer].extent - 1);
        v[r->inner] = all_inner;
        return;
    }
    v[r->outer] = span_div(in, fused, inner);
    if (fused.width == 0)
        v[r->inner] = span_mod(in, fused, inner);
    else /* a part of one row, when the rows are cut evenly; whole rows otherwise */
        v[r->inner] = inner % (fused.width + 1) == 0 ? span_mod(in, fused, inner) : all_inner;
}

static void pass_up(struct inference *in, const struct stage *st, struct span *v)
{
    for (int i = 0; i < st->nleaf; i++) {
        const struct ivar *iv = stage_iter(st, i);
        bool relaxed = iv->atom >= 0 && !in->fixed[iv->atom];
        v[st->leaf[i]] = iv->extent == 1 ? point(affine_const(0))
                         : relaxed       ? range(affine_const(0), iv->extent - 1)
                                         : point(affine_atom(in->p, iv->atom));
    }
    for (int i = st->nrels - 1; i >= 0; i--) {
        const struct relation *r = &st->rels[i];
        if (r->kind == REL_FUSE)
            pass_up_fuse(in, st, r, v);
        else if (is_full(st, r->outer, v[r->outer]) && is_full(st, r->inner, v[r->inner]))
            v[r->parent] = range(affine_const(0), st->vars[r->parent].extent - 1);
        else
            v[r->parent] = span_add(in, span_scale(in, v[r->outer], st->vars[r->inner].extent), v[r->inner]);
    }
    int naxes = st->op->nspatial + st->op->nreduce;
    for (int i = 0; i < naxes; i++)
        v[i] = span_add(in, v[i], span_of(in, st->vars[i].min));
    for (int i = 0; i < naxes; i++) {
        bool from_0 = affine_is_const(st->vars[i].min) && st->vars[i].min.base == 0;
        v[i].of = from_0 ? i + 1 : 0;
        v[i].times = 1;
    }
}

/* ---- attach points ---- */

/* Storage rank of TVM: 0 global, 1 shared, 2 local; a thread loop of rank >= it is relaxed, others stay fixed. */
static int thread_rank(enum annotation a)
{
    if (a == ANN_BLOCK_X || a == ANN_BLOCK_Y || a == ANN_BLOCK_Z)
        return 0;
    return a == ANN_THREAD_X || a == ANN_THREAD_Y || a == ANN_THREAD_Z || a == ANN_VTHREAD ? 1 : -1;
}

int bound_storage_rank(const struct state *s, int stage)
{
    const char *scope = s->stages[stage].op->scope;
    if (scope && strcmp(scope, "shared") == 0)
        return 1;
    if (scope && (strcmp(scope, "local") == 0 || str_starts(scope, "wmma.")))
        return 2;
    int most = -1;
    for (int at = stage; s->stages[at].at == AT_ITER; at = s->stages[at].at_stage) {
        const struct stage *t = &s->stages[s->stages[at].at_stage];
        for (int i = 0, end = stage_leaf_of(t, s->stages[at].at_var); i <= end; i++)
            if (thread_rank(stage_iter(t, i)->annotation) > most)
                most = thread_rank(stage_iter(t, i)->annotation);
    }
    return most + 1;
}

/* Marks the loops that are points for the producer: those around its attach point, thread loops by rank. */
static void mark_fixed(struct inference *in, int stage)
{
    struct state *s = in->s;
    in->nfixed = in->p->n;
    memset(in->fixed, 0, sizeof *in->fixed * (size_t)in->nfixed);
    for (int at = stage; s->stages[at].at == AT_ITER; at = s->stages[at].at_stage) {
        const struct stage *t = &s->stages[s->stages[at].at_stage];
        for (int i = 0, end = stage_leaf_of(t, s->stages[at].at_var); i <= end; i++)
            if (stage_iter(t, i)->atom >= 0)
                in->fixed[stage_iter(t, i)->atom] = true;
    }
    int rank = -1;
    for (int c = stage + 1; c < s->nstages; c++)
        for (int i = 0; i < s->stages[c].nleaf; i++) {
            const struct ivar *iv = stage_iter(&s->stages[c], i);
            int thread = thread_rank(iv->annotation);
            if (thread < 0 || iv->atom < 0)
                continue;
            if (rank < 0)
                rank = bound_storage_rank(s, stage);
            in->fixed[iv->atom] = in->fixed[iv->atom] && rank > thread;
        }
}

/* The consumer runs inside the loop that holds the producer: it is the target, or attached below that loop. */
static bool consumer_inside(const struct state *s, int producer, int consumer)
{
    const struct stage *p = &s->stages[producer];
    if (p->at != AT_ITER)
        return true;
    const struct stage *target = &s->stages[p->at_stage];
    int hold = stage_leaf_of(target, p->at_var);
    for (int c = consumer; c != p->at_stage; c = s->stages[c].at_stage) {
        if (s->stages[c].at != AT_ITER)
            return false;
        if (s->stages[c].at_stage == p->at_stage)
            return stage_leaf_of(target, s->stages[c].at_var) >= hold;
    }
    return true;
}

static bool attach_valid(const struct state *s, int stage, struct err *err)
{
    const struct stage *st = &s->stages[stage];
    if (st->at != AT_ITER)
        return true;
    const struct stage *t = &s->stages[st->at_stage];
    if (st->at_stage <= stage || t->at == AT_INLINED || t->op->kind == OP_PLACEHOLDER ||
        stage_leaf_of(t, st->at_var) < 0)
        return err_set(err, "stage %d ('%s') is computed at a loop that does not exist", stage, st->op->name);
    if (s->dag->analysis[stage].is_output)
        return err_set(err, "output stage '%s' cannot be computed at another stage", st->op->name);
    return true;
}

/* ---- one stage ---- */

static bool region_of(struct inference *in, int stage, struct err *err)
{
    struct state *s = in->s;
    const struct stage *st = &s->stages[stage];
    in->producer = stage;
    memset(in->touched, 0, sizeof *in->touched * (size_t)st->op->nspatial);
    mark_fixed(in, stage);
    for (int c = stage + 1; c < s->nstages; c++) {
        if (!in->reads[c * s->nstages + stage])
            continue;
        if (!consumer_inside(s, stage, c))
            return err_set(err, "stage '%s' is computed at a loop that its consumer '%s' is not in", st->op->name,
                           s->stages[c].op->name);
        struct span *v = ARENA_ARRAY(s->arena, struct span, s->stages[c].nvars);
        in->consumer = &s->stages[c];
        in->vars = v;
        pass_up(in, &s->stages[c], v);
        touch_body(in, s->stages[c].op->body, v);
    }
    for (int d = 0; d < st->op->nspatial; d++)
        if (!in->touched[d])
            in->region[d] = range(affine_const(0), st->op->axes[d].extent - 1);
    return true;
}

/* The axis that a var is a part of; -1: of several. */
static int axis_of(const struct stage *st, int var)
{
    for (int i = st->nrels - 1; i >= 0; i--) {
        const struct relation *r = &st->rels[i];
        if (r->kind == REL_FUSE && r->parent == var)
            return -1;
        if (r->kind == REL_SPLIT && (r->outer == var || r->inner == var))
            var = r->parent;
    }
    return var;
}

/* A block for tensor cores, from the loop marked `tensorize` on, is whole: its axes run over multiples of its sides, if
 * the tensor goes on for so long. */
static void widen_blocks(const struct inference *in, struct stage *st)
{
    int first = 0;
    while (first < st->nleaf && stage_iter(st, first)->annotation != ANN_TENSORIZE)
        first++;
    for (int i = first; i < st->nleaf; i++) {
        int axis = axis_of(st, st->leaf[i]);
        if (axis < 0 || axis >= st->op->nspatial)
            continue;
        int64_t lo, hi, whole = round_up(st->vars[axis].extent, TENSOR_TILE);
        affine_range(in->p, st->vars[axis].min, &lo, &hi);
        if (lo >= 0 && sat_add(hi, whole) <= st->op->axes[axis].extent)
            st->vars[axis].extent = whole;
    }
}

/* Marks the vars from which a loop bound to threads is made (TVM: PassUpThreadBinding); NULL when there is none. */
static const bool *find_threaded(struct arena *a, const struct stage *st)
{
    bool *threaded = NULL;
    for (int i = 0; i < st->nleaf; i++) {
        if (thread_rank(stage_iter(st, i)->annotation) < 0)
            continue;
        threaded = threaded ? threaded : ARENA_ARRAY(a, bool, st->nvars);
        threaded[st->leaf[i]] = true;
    }
    for (int i = st->nrels - 1; threaded && i >= 0; i--) {
        const struct relation *r = &st->rels[i];
        if (r->kind == REL_SPLIT)
            threaded[r->parent] = threaded[r->outer] || threaded[r->inner];
        else
            threaded[r->outer] = threaded[r->inner] = threaded[r->parent];
    }
    return threaded;
}

/* A part is cut to what it splits, but not when threads run it: their number is what was asked for. */
static bool pass_down(struct stage *st, const bool *threaded, struct err *err)
{
    for (int i = 0; i < st->nrels; i++) {
        const struct relation *r = &st->rels[i];
        struct ivar *v = st->vars;
        if (r->kind == REL_FUSE) {
            if (__builtin_mul_overflow(v[r->outer].extent, v[r->inner].extent, &v[r->parent].extent) ||
                v[r->parent].extent > EXTENT_MAX)
                return err_set(err, "loop '%s' of stage '%s' is too long", v[r->parent].name, st->op->name);
            continue;
        }
        bool asked = threaded && threaded[r->nparts ? r->outer : r->inner];
        int64_t extent = v[r->parent].extent, part = asked || r->factor < extent ? r->factor : extent;
        int64_t other = (extent + part - 1) / part;
        v[r->inner].extent = r->nparts ? other : part;
        v[r->outer].extent = r->nparts ? part : other;
    }
    return true;
}

static bool infer_stage(struct inference *in, int stage, struct err *err)
{
    struct stage *st = &in->s->stages[stage];
    if (!attach_valid(in->s, stage, err) || !region_of(in, stage, err))
        return false;
    for (int i = 0; i < st->nvars; i++) {
        st->vars[i].min = affine_const(0);
        st->vars[i].atom = -1;
    }
    for (int d = 0; d < st->op->nspatial; d++) {
        if (in->region[d].width >= EXTENT_MAX)
            return err_set(err, "stage '%s' needs more than 2^40 elements along '%s'", st->op->name, st->vars[d].name);
        st->vars[d].min = in->region[d].min;
        st->vars[d].extent = in->region[d].width + 1;
    }
    widen_blocks(in, st);
    for (int d = 0; d < st->op->nreduce; d++)
        st->vars[st->op->nspatial + d].extent = st->op->axes[st->op->nspatial + d].extent;
    if (!pass_down(st, find_threaded(in->s->arena, st), err))
        return false;
    for (int i = 0; i < st->nleaf; i++) {
        struct ivar *iv = stage_iter(st, i);
        if (iv->extent > EXTENT_MAX)
            return err_set(err, "loop '%s' of stage '%s' is too long", iv->name, st->op->name);
        if (iv->extent > 1)
            iv->atom = atoms_loop(in->p, iv->name, iv->extent);
    }
    return true;
}

static void find_reads(struct inference *in, int consumer, int through)
{
    const struct op_analysis *f = &in->s->dag->analysis[through];
    for (int i = 0; i < f->nproducers; i++) {
        int p = f->producers[i];
        const struct stage *st = &in->s->stages[p];
        if (st->op->kind == OP_PLACEHOLDER)
            continue;
        if (st->at == AT_INLINED)
            find_reads(in, consumer, p);
        else
            in->reads[consumer * in->s->nstages + p] = true;
    }
}

bool bound_infer(struct state *s, struct err *err)
{
    struct inference in = {.s = s, .p = atoms_new(s->arena)};
    if (!s->concrete)
        return err_set(err, "split lengths are not chosen yet");
    int leaves = 0, dims = 0;
    for (int i = 0; i < s->nstages; i++) {
        leaves += s->stages[i].nleaf;
        dims = s->stages[i].op->nspatial > dims ? s->stages[i].op->nspatial : dims;
        if (s->stages[i].op->nspatial > DIMS_MAX)
            return err_set(err, "stage '%s' has more than %d dimensions", s->stages[i].op->name, DIMS_MAX);
    }
    /* DIV and MOD atoms share the numbering, so loops may get numbers past this; grow with room. */
    in.fixed = NULL;
    in.region = ARENA_ARRAY(s->arena, struct span, dims);
    in.touched = ARENA_ARRAY(s->arena, bool, dims);
    in.reads = ARENA_ARRAY(s->arena, bool, s->nstages * s->nstages);
    for (int i = 0; i < s->nstages; i++)
        if (s->stages[i].op->kind == OP_COMPUTE && s->stages[i].at != AT_INLINED)
            find_reads(&in, i, i);
    int cap = 0;
    for (int i = s->nstages - 1; i >= 0; i--) {
        if (s->stages[i].op->kind != OP_COMPUTE || s->stages[i].at == AT_INLINED)
            continue;
        if (in.p->n > cap || !in.fixed) {
            cap = in.p->n + leaves + 64;
            in.fixed = ARENA_ARRAY(s->arena, bool, cap);
        }
        if (!infer_stage(&in, i, err))
            return false;
    }
    s->atoms = in.p;
    s->nest = NULL;
    return true;
}
