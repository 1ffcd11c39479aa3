/* SPDX-License-Identifier: Apache-2.0 */
/* max_fusible: "max fusible" of MetaSchedule's AdjustParallelVectorize (TVM v0.16). For each access the strides of the
 * loops, in elements of the whole tensor; from the innermost loop out: a loop of stride 0 may join; the first one that
 * counts must have stride 1, unless it is the innermost; every further one the stride of the last that counted times
 * its extent. The least over all accesses holds.
 *
 * As there, an index counts only where it is linear in the loop, of two summands that hold the loop the smaller stride,
 * and of the dimensions the last one that holds it. */
#include "search/trace/max_fusible.h"

#include <string.h>

enum { ACCESSES_MAX = 128 };

struct strides { /* of one loop, by access */
    int64_t at[ACCESSES_MAX];
    int n;
};

/* How fast e grows with the loop; slope: by axis of the op that e belongs to. */
static int64_t slope_of(const struct expr *e, const int64_t *slope)
{
    if (e->kind == EXPR_AXIS)
        return slope[e->i];
    if (e->kind == EXPR_CAST)
        return slope_of(e->args[0], slope);
    if (e->kind == EXPR_ADD || e->kind == EXPR_SUB) {
        int64_t x = slope_of(e->args[0], slope), y = slope_of(e->args[1], slope);
        y = e->kind == EXPR_SUB ? -y : y;
        return x && y ? (x < y ? x : y) : x + y;
    }
    if (e->kind == EXPR_MUL) {
        const struct expr *x = e->args[0], *y = e->args[1];
        return x->kind == EXPR_INT ? x->i * slope_of(y, slope) : y->kind == EXPR_INT ? y->i * slope_of(x, slope) : 0;
    }
    return 0;
}

/* index: slopes of the dimensions. */
static void stride_add(struct strides *out, const struct op *op, const int64_t *index)
{
    int64_t unit = 1;
    int d = op->nspatial - 1;
    for (; d >= 0 && index[d] == 0; d--)
        unit *= op->axes[d].extent;
    if (out->n < ACCESSES_MAX)
        out->at[out->n++] = d < 0 ? 0 : index[d] * unit;
}

static void stride_walk(const struct state *s, const struct expr *e, const int64_t *slope, struct strides *out)
{
    if (e->kind == EXPR_LOAD) {
        int stage = s->dag->position[e->i];
        const struct stage *st = &s->stages[stage];
        int64_t index[ITERS_MAX] = {0};
        for (int d = 0; d < e->nargs && d < ITERS_MAX; d++)
            index[d] = slope_of(e->args[d], slope);
        if (st->op->kind == OP_COMPUTE && st->at == AT_INLINED)
            stride_walk(s, st->op->body, index, out);
        else
            stride_add(out, st->op, index);
        return;
    }
    for (int i = 0; i < e->nargs; i++)
        stride_walk(s, e->args[i], slope, out);
}

/* slope: how fast each axis of the stage grows with the loop at a leaf. */
static void axis_slopes(const struct stage *st, int leaf, int64_t slope[ITERS_MAX])
{
    int64_t var[VARS_MAX] = {0};
    var[st->leaf[leaf]] = 1;
    for (int i = st->nrels - 1; i >= 0; i--) {
        const struct relation *r = &st->rels[i];
        if (r->kind == REL_SPLIT)
            var[r->parent] = var[r->outer] * st->vars[r->inner].extent + var[r->inner];
        else
            var[r->outer] = var[r->inner] = 0; /* a quotient and a remainder are not linear */
    }
    for (int i = 0; i < st->op->nspatial + st->op->nreduce && i < ITERS_MAX; i++)
        slope[i] = var[i];
}

int max_fusible(const struct state *s, int stage)
{
    const struct stage *st = &s->stages[stage];
    int64_t expected[ACCESSES_MAX]; /* stride of the next loop that counts; 0: none counted yet */
    bool ended[ACCESSES_MAX] = {false};
    memset(expected, 0, sizeof expected);
    for (int n = 0; n < st->nleaf; n++) {
        int leaf = st->nleaf - 1 - n;
        int64_t slope[ITERS_MAX] = {0};
        struct strides now = {.n = 0};
        axis_slopes(st, leaf, slope);
        stride_walk(s, st->op->body, slope, &now);
        stride_add(&now, st->op, slope);
        for (int i = 0; i < now.n; i++) {
            if (now.at[i] == 0)
                continue;
            ended[i] = expected[i] ? now.at[i] != expected[i] : now.at[i] != 1 && n > 0;
            if (ended[i])
                return n;
            expected[i] = now.at[i] * stage_iter(st, leaf)->extent;
        }
    }
    return st->nleaf;
}
