/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_decision: after TVM v0.16's CrossThreadReduction, AnnotateCooperativeFetching with RewriteCooperativeFetch,
 * AutoBind (BindSpatialLoop), MutateThreadBinding and RewriteParallelVectorizeUnroll.
 *
 * Deviations: (1) a reduction that shares its threads with one that was bound before it samples nothing here; there it
 * samples an extent that has no effect. (2) TVM's unroll pragma stands on the outermost loop, which is bound to blocks;
 * here a bound loop carries none, so each stage of a fused tree has it on its outermost loop that is not bound. The
 * loops that set a tile to its first value stand outside of it. */
#include "search/trace/gpu_decision.h"

#include "search/sketch/stage_query.h"
#include "search/sketch/thread_bind.h"
#include "search/trace/tensor_sketch.h"

enum { MOST_BLOCKS = 256 }; /* AutoBind's max_threadblocks */
static const int64_t across_values[] = {4, 8, 16, 32, 64, 128, 256, 512};
static const int64_t plain_values[] = {32, 64, 128, 256, 512, 1024};
static const int64_t lane_values[] = {1, 2, 3, 4}; /* of {1, 2, 3, 4, 8, 16}, those that float32 allows */
enum { ACROSS = 8, PLAIN = 6, LANES = 4 };
static const int64_t half_lane_values[] = {1, 2, 4}; /* of float16; 8 would be past what gpu_verify lets through */

/* ---- layout ---- */

/* A split that the cross-thread rule made: by a number, with its inner part bound at once. */
static bool is_across(const struct sketch *k, int i, const struct limits *limits)
{
    const struct step *st = &k->steps[i], *next = &k->steps[i + 1];
    return i + 1 < k->nsteps && st->kind == STEP_SP && st->n == 1 && st->list[0] == limits->warp_size &&
           next->kind == STEP_AN && next->stage == st->stage && next->iter == st->iter + 1 &&
           next->value == ANN_THREAD_X;
}

static bool is_fetch(const struct trace_layout *o, int stage)
{
    const struct state *s = o->sketch->state;
    int first;
    if (o->tensor)
        return tensor_sketch_copies(o->sketch, stage, &first);
    return s->stages[stage].at == AT_ITER && stage_is_compute(s, stage) &&
           str_ends(s->stages[stage].op->name, ".shared");
}

static bool is_plain(const struct state *s, int stage)
{
    return s->stages[stage].at == AT_ROOT && stage_is_compute(s, stage) && !stage_reduces_across_threads(s, stage) &&
           !stage_has_annotation(s, stage, ANN_THREAD_X) && !stage_holds_tiled(s, stage);
}

/* Threads of a block that a plain stage can use. */
static int64_t most_threads(const struct state *s, int stage, const struct limits *limits)
{
    const struct op *op = s->stages[stage].op;
    int64_t points = 1;
    for (int i = 0; i < op->nspatial && points < limits->threads_per_block; i++)
        points *= op->axes[i].extent;
    return points < limits->threads_per_block ? points : limits->threads_per_block;
}

void gpu_decision_layout(struct arena *a, const struct limits *limits, struct trace_layout *o)
{
    const struct sketch *k = o->sketch;
    const struct state *s = k->state;
    int *across = ARENA_ARRAY(a, int, k->nsteps + 1), *fetch = ARENA_ARRAY(a, int, s->nstages + 1),
        *plain = ARENA_ARRAY(a, int, s->nstages + 1);
    int64_t *most = ARENA_ARRAY(a, int64_t, s->nstages + 1);
    o->tensor = tensor_sketch_is(k);
    for (int i = 0; i < k->nsteps; i++)
        if (is_across(k, i, limits))
            across[o->nacross++] = i;
    for (int i = s->nstages - 1; i >= 0; i--) {
        if (is_fetch(o, i))
            fetch[o->nfetch++] = i;
        if (o->tensor || !is_plain(s, i))
            continue;
        most[o->nplain] = most_threads(s, i, limits);
        plain[o->nplain++] = i;
    }
    o->across_step = across;
    o->fetch_stage = fetch;
    o->plain_stage = plain;
    o->plain_most = most;
    o->across = o->n;
    o->fetch = o->across + o->nacross;
    o->plain = o->fetch + o->nfetch;
    o->n = o->plain + o->nplain;
}

int gpu_decision_is_across(const struct trace_layout *o, int step)
{
    for (int i = 0; i < o->nacross; i++)
        if (o->across_step[i] == step)
            return i;
    return -1;
}

/* ---- sampling ---- */

static void decide(int64_t *at, const int64_t *values, int n, struct rng *r)
{
    if (*at == TRACE_OPEN)
        *at = values[rng_below(r, (uint64_t)n)];
}

/* The choices of plain stage i; none fits: one, which is all its points. */
static int plain_choices(const struct trace_layout *o, int i, int64_t out[PLAIN])
{
    int n = 0;
    for (int k = 0; k < PLAIN; k++)
        if (plain_values[k] <= o->plain_most[i])
            out[n++] = plain_values[k];
    if (!n)
        out[n++] = o->plain_most[i];
    return n;
}

void gpu_decision_across(const struct trace_layout *o, struct trace *t, struct step *steps, struct rng *r)
{
    for (int i = 0; i < o->nacross; i++) {
        int64_t *at = &t->at[o->across + i];
        decide(at, across_values, ACROSS, r);
        steps[o->across_step[i]].list = at;
    }
}

void gpu_decision_bind(const struct trace_layout *o, struct trace *t, struct rng *r)
{
    int64_t choices[PLAIN];
    for (int i = 0; i < o->nfetch; i++) {
        bool half = o->sketch->state->stages[o->fetch_stage[i]].op->dtype == DTYPE_F16;
        decide(&t->at[o->fetch + i], half ? half_lane_values : lane_values, half ? 3 : LANES, r);
    }
    for (int i = 0; i < o->nplain; i++) {
        int n = plain_choices(o, i, choices);
        decide(&t->at[o->plain + i], choices, n, r);
    }
}

/* ---- postprocessors ---- */

static bool is_live(const struct state *s, int stage)
{
    return stage_is_compute(s, stage) && s->stages[stage].at != AT_INLINED;
}

/* The stages of every tree that reduces somewhere. */
static bool apply_unroll(struct state *s, int64_t unroll, struct err *err)
{
    bool wanted[STAGE_QUERY_MAX] = {false};
    for (int i = 0; i < s->nstages; i++)
        if (is_live(s, i) && s->stages[i].op->nreduce)
            wanted[stage_root(s, i)] = true;
    for (int i = 0; i < s->nstages; i++) {
        if (!is_live(s, i) || !wanted[stage_root(s, i)])
            continue;
        const struct stage *st = &s->stages[i];
        int at = 0;
        while (at < st->nleaf && stage_iter(st, at)->annotation >= ANN_VTHREAD)
            at++;
        if (at < st->nleaf && stage_iter(st, at)->annotation == ANN_NONE && !state_pragma_unroll(s, i, at, unroll, err))
            return false;
    }
    return true;
}

bool gpu_decision_apply(const struct space *sp, const struct trace_layout *o, struct state *s, const struct trace *t,
                        struct err *err)
{
    if (s->nstages > STAGE_QUERY_MAX)
        return err_set(err, "%d stages are too many", s->nstages);
    int64_t *lanes = ARENA_ARRAY(s->arena, int64_t, s->nstages), *threads = ARENA_ARRAY(s->arena, int64_t, s->nstages);
    for (int i = 0; i < s->nstages; i++)
        lanes[i] = threads[i] = 1;
    for (int i = 0; i < o->nfetch; i++)
        lanes[o->fetch_stage[i]] = t->at[o->fetch + i];
    for (int i = 0; i < o->nplain; i++)
        threads[o->plain_stage[i]] = t->at[o->plain + i];
    struct thread_choice choice = {.lanes = lanes, .threads = threads, .most_blocks = MOST_BLOCKS};
    bool bound = o->tensor ? tensor_sketch_bind(o->sketch, sp->limits.warp_size, lanes, s, err)
                           : thread_bind(sp, s, &choice, err);
    if (!bound)
        return false;
    return t->at[o->unroll] <= 0 || apply_unroll(s, t->at[o->unroll], err);
}

/* ---- from steps ---- */

/* The inner length of the first split of the stage after the sketch; 0: there is none. */
static int64_t split_after(const struct trace_layout *o, const struct step *steps, int n, int stage)
{
    for (int i = o->sketch->nsteps; i < n; i++)
        if (steps[i].kind == STEP_SP && steps[i].stage == stage)
            return steps[i].n == 1 ? steps[i].list[0] : 0;
    return 0;
}

void gpu_decision_read(const struct trace_layout *o, const struct step *steps, int n, struct trace *t)
{
    int64_t choices[PLAIN];
    for (int i = 0; i < o->nfetch; i++) {
        int64_t lanes = split_after(o, steps, n, o->fetch_stage[i]);
        t->at[o->fetch + i] = lanes ? lanes : 1;
    }
    for (int i = 0; i < o->nplain; i++) {
        int64_t threads = split_after(o, steps, n, o->plain_stage[i]);
        (void)plain_choices(o, i, choices);
        t->at[o->plain + i] = threads ? threads : choices[0];
    }
}

/* ---- mutation ---- */

bool gpu_decision_mutate(const struct trace_layout *o, struct trace *t, struct rng *r)
{
    int64_t plain[PLAIN], other[ACROSS];
    int sampled[STAGE_QUERY_MAX], nsampled = 0, n = ACROSS, m = 0;
    for (int i = 0; i < o->nplain && nsampled < STAGE_QUERY_MAX; i++)
        if (plain_choices(o, i, plain) > 1)
            sampled[nsampled++] = i;
    if (o->nacross + nsampled == 0)
        return false;
    int which = (int)rng_below(r, (uint64_t)o->nacross + (uint64_t)nsampled) - o->nacross;
    const int64_t *choices = across_values;
    int64_t *at = which < 0 ? &t->at[o->across + which + o->nacross] : &t->at[o->plain + sampled[which]];
    if (which >= 0) {
        n = plain_choices(o, sampled[which], plain);
        choices = plain;
    }
    for (int i = 0; i < n; i++)
        if (choices[i] != *at)
            other[m++] = choices[i];
    *at = other[rng_below(r, (uint64_t)m)];
    return true;
}
