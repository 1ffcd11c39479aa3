/* SPDX-License-Identifier: Apache-2.0 */
/* traced_tree: see traced_tree.h. A loop keeps its number when Reorder gives it another node. Sources: TVM v0.16
 * src/tir/schedule/primitive: loop_transformation.cc, compute_at.cc, cache_read_write.cc, reduction.cc. */
#include "search/trace/traced_tree.h"

#include <string.h>

static bool is_full(const struct traced_tree *t, int more, struct err *err)
{
    return (t->nnodes + more > TREE_MOST || t->nloops + more > TREE_MOST || t->nblocks + more > TREE_MOST) &&
           !err_set(err, "more than %d loops and blocks", TREE_MOST);
}

static int new_node(struct traced_tree *t, int loop, int block)
{
    t->nodes[t->nnodes] = (struct traced_node){.parent = -1, .first = -1, .next = -1, .loop = loop, .block = block};
    return t->nnodes++;
}

static int new_loop(struct traced_tree *t, int64_t extent, int axis, enum iter_kind kind)
{
    int i = t->nloops++;
    t->loops[i] = (struct traced_loop){.extent = extent, .axis = axis, .kind = kind};
    if (axis >= 0 && extent > 1)
        t->loops[i].axes = (struct traced_axes){1, {axis}};
    t->loops[i].node = new_node(t, i, -1);
    return i;
}

static int new_block(struct traced_tree *t, int op)
{
    int i = t->nblocks++;
    t->blocks[i] = (struct traced_block){.op = op};
    t->blocks[i].node = new_node(t, -1, i);
    return i;
}

/* ---- links ---- */

static int *link_to(struct traced_tree *t, int node)
{
    int *at = &t->nodes[t->nodes[node].parent].first;
    while (*at != node)
        at = &t->nodes[*at].next;
    return at;
}

static void unlink_node(struct traced_tree *t, int node)
{
    int *at = link_to(t, node);
    *at = t->nodes[node].next;
    t->nodes[node].parent = t->nodes[node].next = -1;
}

/* before: a child of parent; -1: at the end. */
static void link_node(struct traced_tree *t, int parent, int before, int node)
{
    int *at = &t->nodes[parent].first;
    while (*at != before)
        at = &t->nodes[*at].next;
    t->nodes[node].next = before;
    t->nodes[node].parent = parent;
    *at = node;
}

static bool only_child(const struct traced_tree *t, int node)
{
    return t->nodes[t->nodes[node].parent].first == node && t->nodes[node].next < 0;
}

/* The loops of a chain take the place of the nodes from `first` to `last`, each the only child of the one before. */
static void replace_chain(struct traced_tree *t, int first, int last, const int *loops, int n)
{
    int parent = t->nodes[first].parent, next = t->nodes[first].next, children = t->nodes[last].first;
    unlink_node(t, first);
    for (int i = 0; i < n; i++) {
        int node = t->loops[loops[i]].node;
        link_node(t, parent, i == 0 ? next : -1, node);
        parent = node;
    }
    t->nodes[parent].first = children;
    for (int c = children; c >= 0; c = t->nodes[c].next)
        t->nodes[c].parent = parent;
    t->nodes[last].first = -1;
}

static bool is_live(const struct traced_tree *t, int loop, struct err *err)
{
    return t->nodes[t->loops[loop].node].parent >= 0 || err_set(err, "a loop that is no more");
}

int traced_tree_path(const struct traced_tree *t, int node, int loops[TREE_DEPTH])
{
    int n = 0;
    for (int at = node; at > 0; at = t->nodes[at].parent)
        n += t->nodes[at].loop >= 0 && n < TREE_DEPTH;
    int i = n;
    for (int at = node; at > 0 && i > 0; at = t->nodes[at].parent)
        if (t->nodes[at].loop >= 0)
            loops[--i] = t->nodes[at].loop;
    return n;
}

int traced_tree_block(const struct traced_tree *t, int node)
{
    if (t->nodes[node].block >= 0)
        return t->nodes[node].block;
    int found = -1;
    for (int c = t->nodes[node].first; c >= 0 && found < 0; c = t->nodes[c].next)
        found = traced_tree_block(t, c);
    return found;
}

static bool traced_tree_holds(const struct traced_tree *t, int node, int block)
{
    int at = t->blocks[block].node;
    while (at >= 0 && at != node)
        at = t->nodes[at].parent;
    return at == node;
}

/* ---- primitives ---- */

static int axes_of(const struct traced_tree *t, const struct traced_block *b)
{
    const struct op *op = t->dag->ops[b->op];
    return op->nspatial + (b->copy ? 0 : op->nreduce);
}

/* The block in loops of its own, at a place. */
static bool nest_block(struct traced_tree *t, int block, int parent, int before, const int64_t *extents,
                       struct err *err)
{
    const struct op *op = t->dag->ops[t->blocks[block].op];
    int n = axes_of(t, &t->blocks[block]), path[TREE_DEPTH];
    if (is_full(t, n, err))
        return false;
    if (traced_tree_path(t, parent, path) + n > TREE_DEPTH / 2)
        return err_set(err, "more than %d loops around a block", TREE_DEPTH / 2);
    for (int i = 0; i < n; i++) {
        int loop =
            new_loop(t, extents ? extents[i] : op->axes[i].extent, i, i < op->nspatial ? ITER_SPATIAL : ITER_REDUCE);
        link_node(t, parent, before, t->loops[loop].node);
        parent = t->loops[loop].node;
        before = -1;
    }
    link_node(t, parent, before, t->blocks[block].node);
    return true;
}

void traced_tree_open(struct arena *a, const struct dag *d, struct traced_tree *out)
{
    struct err ignored;
    *out = (struct traced_tree){.dag = d};
    out->nodes = ARENA_ARRAY(a, struct traced_node, TREE_MOST);
    out->loops = ARENA_ARRAY(a, struct traced_loop, TREE_MOST);
    out->blocks = ARENA_ARRAY(a, struct traced_block, TREE_MOST);
    (void)new_node(out, -1, -1);
    for (int i = 0; i < d->nops; i++)
        if (d->ops[i]->kind == OP_COMPUTE && !nest_block(out, new_block(out, i), 0, -1, NULL, &ignored))
            return;
}

bool traced_tree_split(struct traced_tree *t, int loop, const int64_t *lengths, int n, int *out, struct err *err)
{
    if (!is_live(t, loop, err) || is_full(t, n, err))
        return false;
    for (int i = 0; i < n; i++) {
        out[i] = new_loop(t, lengths[i], t->loops[loop].axis, t->loops[loop].kind);
        if (lengths[i] > 1)
            t->loops[out[i]].axes = t->loops[loop].axes;
    }
    replace_chain(t, t->loops[loop].node, t->loops[loop].node, out, n);
    return true;
}

bool traced_tree_fuse(struct traced_tree *t, const int *loops, int n, int *out, struct err *err)
{
    int64_t extent = 1;
    bool spatial = true, reduces = true;
    struct traced_axes axes = {0};
    for (int i = 0; i < n; i++) {
        const struct traced_loop *l = &t->loops[loops[i]];
        if (axes.n + l->axes.n > LOOP_AXES)
            return err_set(err, "loops of more than %d axes", LOOP_AXES);
        for (int k = 0; k < l->axes.n; k++)
            axes.at[axes.n++] = l->axes.at[k];
        if (!is_live(t, loops[i], err))
            return false;
        if (i > 0 && (t->nodes[l->node].parent != t->loops[loops[i - 1]].node || !only_child(t, l->node)))
            return err_set(err, "loops that are not directly inside each other");
        if (l->extent > INT64_MAX / (1 << 20) / extent)
            return err_set(err, "a loop of too many turns");
        extent *= l->extent;
        spatial = spatial && l->kind == ITER_SPATIAL;
        reduces = reduces && l->kind == ITER_REDUCE;
    }
    if (n < 1 || is_full(t, 1, err))
        return n >= 1 ? false : err_set(err, "no loop");
    *out = new_loop(t, extent, n == 1 ? t->loops[loops[0]].axis : -1,
                    spatial   ? ITER_SPATIAL
                    : reduces ? ITER_REDUCE
                              : ITER_MIXED);
    t->loops[*out].axes = axes;
    replace_chain(t, t->loops[loops[0]].node, t->loops[loops[n - 1]].node, out, 1);
    return true;
}

bool traced_tree_reorder(struct traced_tree *t, const int *loops, int n, struct err *err)
{
    int path[TREE_DEPTH], depth, slots[TREE_DEPTH], nslots = 0, deepest = 0;
    for (int i = 0; i < n; i++) {
        if (!is_live(t, loops[i], err))
            return false;
        int length = traced_tree_path(t, t->loops[loops[i]].node, path);
        deepest = length > deepest ? length : deepest;
    }
    for (int i = 0; i < n; i++)
        if (traced_tree_path(t, t->loops[loops[i]].node, path) == deepest)
            break;
    depth = deepest;
    for (int i = 0; i < depth; i++) {
        int k = 0;
        while (k < n && loops[k] != path[i])
            k++;
        if (k < n)
            slots[nslots++] = t->loops[path[i]].node;
        if (nslots > 1 && !only_child(t, t->loops[path[i]].node))
            return err_set(err, "a loop that holds more than the next one");
    }
    if (nslots != n || n < 1)
        return err_set(err, "loops that are not inside each other");
    for (int i = 0; i < n; i++) {
        t->nodes[slots[i]].loop = loops[i];
        t->loops[loops[i]].node = slots[i];
    }
    return true;
}

bool traced_tree_cache(struct traced_tree *t, int block, int *copy, struct err *err)
{
    if (t->blocks[block].cached || t->blocks[block].copy || t->blocks[block].gone || is_full(t, 1, err))
        return err_set(err, "a block that has a cache, or is none");
    int top = t->blocks[block].node;
    while (t->nodes[top].parent > 0)
        top = t->nodes[top].parent;
    *copy = new_block(t, t->blocks[block].op);
    t->blocks[block].cached = t->blocks[*copy].copy = true;
    return nest_block(t, *copy, 0, t->nodes[top].next, NULL, err);
}

void traced_tree_take(struct traced_tree *t, int block)
{
    int node = t->blocks[block].node;
    while (t->nodes[node].parent > 0 && only_child(t, node))
        node = t->nodes[node].parent;
    unlink_node(t, node);
    if (node != t->blocks[block].node)
        unlink_node(t, t->blocks[block].node);
}

bool traced_tree_put(struct traced_tree *t, int block, int loop, int before, const int64_t *extents, struct err *err)
{
    int parent = t->loops[loop].node, at = -1;
    if (!is_live(t, loop, err))
        return false;
    for (int c = t->nodes[parent].first; before >= 0 && at < 0 && c >= 0; c = t->nodes[c].next)
        at = traced_tree_holds(t, c, before) ? c : -1;
    return nest_block(t, block, parent, at, extents, err);
}

bool traced_tree_decompose(struct traced_tree *t, int block, int loop, struct err *err)
{
    int path[TREE_DEPTH], n = traced_tree_path(t, t->blocks[block].node, path), from = 0;
    if (t->blocks[block].started || !t->dag->ops[t->blocks[block].op]->nreduce || t->blocks[block].copy)
        return err_set(err, "no reduction, or one that has been started");
    while (from < n && path[from] != loop && t->loops[path[from]].kind == ITER_SPATIAL)
        from++;
    if (from == n || path[from] != loop)
        return err_set(err, "a reduction is not started in front of its outermost loop");
    if (!is_live(t, loop, err) || is_full(t, n, err))
        return false;
    int init = new_block(t, t->blocks[block].op), before = t->loops[loop].node, parent = t->nodes[before].parent;
    t->blocks[init].init = t->blocks[block].started = true;
    t->blocks[init].cached = t->blocks[block].cached;
    for (int i = from; i < n; i++) {
        const struct traced_loop old = t->loops[path[i]];
        if (old.kind == ITER_REDUCE)
            continue;
        if (old.kind != ITER_SPATIAL)
            return err_set(err, "a loop of sums fused with another");
        int copy = new_loop(t, old.extent, old.axis, old.kind);
        t->loops[copy].annotation = old.annotation;
        t->loops[copy].axes.n = 0; /* as those of the sums, which are compared */
        link_node(t, parent, before, t->loops[copy].node);
        parent = t->loops[copy].node;
        before = -1;
    }
    link_node(t, parent, before, t->blocks[init].node);
    return true;
}

/* ---- text ---- */

void traced_print_loop(int depth, const struct traced_loop *loop, struct text *out)
{
    text_printf(out, "%*s%s %lld%s", depth, "", annotation_word(loop->annotation), (long long)loop->extent,
                loop->kind == ITER_REDUCE ? " sum" : "");
    for (int i = 0; i < loop->axes.n; i++)
        text_printf(out, "%s%d", i ? " " : " of axis ", loop->axes.at[i]);
    if (loop->unroll > 0)
        text_printf(out, " unroll %lld", (long long)loop->unroll);
    text_char(out, '\n');
}

void traced_print_block(int depth, const char *name, bool local, bool init, struct text *out)
{
    text_printf(out, "%*s%s%s%s\n", depth, "", name, local ? ".local" : "", init ? " = first" : "");
}

static void print_node(const struct traced_tree *t, int node, int depth, struct text *out)
{
    const struct traced_node *n = &t->nodes[node];
    if (n->block >= 0) {
        const struct traced_block *b = &t->blocks[n->block];
        traced_print_block(depth, t->dag->ops[b->op]->name, b->cached, b->init, out);
    }
    if (n->loop >= 0) {
        const struct traced_loop *l = &t->loops[n->loop];
        if (l->extent > 1 || l->unroll > 0)
            traced_print_loop(depth++, l, out);
    }
    for (int c = n->first; c >= 0; c = t->nodes[c].next)
        print_node(t, c, depth, out);
}

void traced_tree_print(const struct traced_tree *t, struct text *out)
{
    print_node(t, 0, 0, out);
}
