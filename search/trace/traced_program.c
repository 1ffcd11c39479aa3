/* SPDX-License-Identifier: Apache-2.0 */
/* traced_program: a table of TVM's instructions, each a function on the tree of traced_tree.h. */
#include "search/trace/traced_program.h"

#include "search/trace/trace.h"
#include "search/trace/traced_instruction.h"

#include <string.h>

/* ---- blocks ---- */

static bool is_named(const struct trace_reading *r, const struct traced_block *b, const char *word)
{
    const char *name = r->names[b->op];
    size_t n = strlen(name);
    if (strncmp(name, word, n) != 0)
        return false;
    return b->copy   ? word[n] == '_' && !b->init
           : b->init ? str_eq(word + n, "_init")
                     : !word[n] || (b->started && str_eq(word + n, "_update"));
}

static bool run_get_block(struct trace_reading *r, const struct traced_instruction *in, struct err *err)
{
    const char *word = traced_word(in, 0);
    int64_t found = ROOT_BLOCK;
    if (!str_eq(word, "root")) {
        int i = 0;
        while (i < r->tree.nblocks && (r->tree.blocks[i].gone || !is_named(r, &r->tree.blocks[i], word)))
            i++;
        if (i == r->tree.nblocks)
            return err_set(err, "there is no block '%.60s'", word);
        found = i;
    }
    return traced_put(r, in, 'b', &found, 1, err);
}

static bool run_get_loops(struct trace_reading *r, const struct traced_instruction *in, struct err *err)
{
    int block, loops[TREE_DEPTH];
    if (!traced_get_block(r, in, &block, err))
        return false;
    return traced_put_ints(r, in, 'l', loops, traced_tree_path(&r->tree, r->tree.blocks[block].node, loops), err);
}

static void list_blocks(const struct traced_tree *t, int node, int64_t *out, int *n)
{
    if (t->nodes[node].block >= 0 && *n < LIST_MOST)
        out[(*n)++] = t->nodes[node].block;
    for (int c = t->nodes[node].first; c >= 0; c = t->nodes[c].next)
        list_blocks(t, c, out, n);
}

static bool run_get_child_blocks(struct trace_reading *r, const struct traced_instruction *in, struct err *err)
{
    int64_t block, found[LIST_MOST];
    int n = 0;
    if (!traced_get(r, in, 0, 'b', &block, err))
        return false;
    if (block != ROOT_BLOCK)
        return err_set(err, "of a block that holds none");
    list_blocks(&r->tree, 0, found, &n);
    return traced_put(r, in, 'b', found, n, err);
}

/* The block that computes an op; -1: it was inlined. */
static int block_of(const struct trace_reading *r, int op)
{
    for (int i = 0; i < r->tree.nblocks; i++) {
        const struct traced_block *b = &r->tree.blocks[i];
        if (b->op == op && !b->copy && !b->init)
            return b->gone ? -1 : i;
    }
    return -1;
}

static void add_readers(const struct trace_reading *r, int op, bool seen[TRACED_OPS])
{
    const struct op_analysis *f = &r->tree.dag->analysis[op];
    for (int i = 0; i < f->nconsumers; i++) {
        int reader = f->consumers[i];
        if (reader < TRACED_OPS && block_of(r, reader) >= 0)
            seen[reader] = true;
        else
            add_readers(r, reader, seen);
    }
}

/* The blocks that read what a block writes. Returns their number. */
static int readers_of(const struct trace_reading *r, int block, int out[LIST_MOST])
{
    const struct traced_block *b = &r->tree.blocks[block];
    bool seen[TRACED_OPS] = {false};
    int n = 0;
    if (b->cached) {
        for (int i = 0; i < r->tree.nblocks && n == 0; i++)
            if (r->tree.blocks[i].copy && r->tree.blocks[i].op == b->op)
                out[n++] = i;
        return n;
    }
    add_readers(r, b->op, seen);
    for (int i = 0; i < TRACED_OPS && n < LIST_MOST; i++)
        if (seen[i])
            out[n++] = block_of(r, i);
    return n;
}

static bool run_get_consumers(struct trace_reading *r, const struct traced_instruction *in, struct err *err)
{
    int block, found[LIST_MOST];
    if (!traced_get_block(r, in, &block, err))
        return false;
    return traced_put_ints(r, in, 'b', found, readers_of(r, block, found), err);
}

static bool run_inline(struct trace_reading *r, const struct traced_instruction *in, struct err *err)
{
    int block, readers[LIST_MOST];
    if (!traced_get_block(r, in, &block, err))
        return false;
    struct traced_block *b = &r->tree.blocks[block];
    if (b->copy || b->cached || b->started || r->tree.dag->ops[b->op]->nreduce || !readers_of(r, block, readers))
        return err_set(err, "of a block that cannot be inlined");
    traced_tree_take(&r->tree, block);
    b->gone = true;
    return true;
}

static bool run_cache_write(struct trace_reading *r, const struct traced_instruction *in, struct err *err)
{
    int block, copy;
    if (!traced_get_block(r, in, &block, err) || !traced_tree_cache(&r->tree, block, &copy, err))
        return false;
    return traced_put_ints(r, in, 'b', &copy, 1, err);
}

static bool run_decompose(struct trace_reading *r, const struct traced_instruction *in, struct err *err)
{
    int block, loop, init;
    if (!traced_get_block(r, in, &block, err) || !traced_get_loop(r, in, 1, &loop, err) ||
        !traced_tree_decompose(&r->tree, block, loop, err))
        return false;
    init = r->tree.nblocks - 1;
    return traced_put_ints(r, in, 'b', &init, 1, err);
}

/* ---- loops ---- */

static bool run_tile(struct trace_reading *r, const struct traced_instruction *in, struct err *err)
{
    int loop, n = traced_count(in->decision);
    int64_t product = 1;
    struct traced_program *o = r->out;
    if (!traced_get_loop(r, in, 0, &loop, err))
        return false;
    if (n < 1 || n > TRACED_PARTS || o->ntiles == TRACED_TILES)
        return err_set(err, "its decision has %d lengths, 1 to %d are read, of %d tiles", n, TRACED_PARTS,
                       TRACED_TILES);
    struct traced_tile *tile = &o->tiles[o->ntiles];
    const struct traced_loop *l = &r->tree.loops[loop];
    int block = traced_tree_block(&r->tree, l->node);
    for (int i = 0; i < n; i++) {
        if (!json_int(traced_item(in->decision, i), &tile->at[i]) || tile->at[i] < 1 ||
            tile->at[i] > l->extent / product)
            return err_set(err, "its decision does not make up a loop of %lld turns", (long long)l->extent);
        product *= tile->at[i];
    }
    if (product != l->extent || block < 0)
        return err_set(err, "its decision makes %lld turns of a loop of %lld", (long long)product,
                       (long long)l->extent);
    tile->n = n;
    tile->op = r->tree.blocks[block].op;
    o->ntiles++;
    return traced_put(r, in, 'v', tile->at, n, err);
}

/* One of the lengths may be "None": what is left, rounded up. */
static bool run_split(struct trace_reading *r, const struct traced_instruction *in, struct err *err)
{
    int loop, n = traced_count(in->inputs) - 1, open = -1, made[TRACED_PARTS];
    int64_t lengths[TRACED_PARTS], product = 1;
    if (n < 1 || n > TRACED_PARTS || !traced_get_loop(r, in, 0, &loop, err))
        return n >= 1 && n <= TRACED_PARTS ? false : err_set(err, "into %d parts", n);
    int64_t extent = r->tree.loops[loop].extent;
    for (int i = 0; i < n; i++) {
        const cJSON *x = traced_item(in->inputs, 1 + i);
        if (open < 0 && (cJSON_IsNull(x) || (cJSON_IsString(x) && str_eq(x->valuestring, "None")))) {
            open = i;
            continue;
        }
        if (!traced_get_number(r, in, 1 + i, &lengths[i], err))
            return false;
        if (lengths[i] < 1 || lengths[i] > EXTENT_MAX / product)
            return err_set(err, "a part of %lld turns", (long long)lengths[i]);
        product *= lengths[i];
    }
    if (open >= 0)
        lengths[open] = (extent + product - 1) / product;
    else if (product != extent)
        return err_set(err, "parts of %lld turns of a loop of %lld", (long long)product, (long long)extent);
    return traced_tree_split(&r->tree, loop, lengths, n, made, err) && traced_put_ints(r, in, 'l', made, n, err);
}

static bool run_fuse(struct trace_reading *r, const struct traced_instruction *in, struct err *err)
{
    int loops[LIST_MOST], made;
    return traced_get_loops(r, in, loops, err) &&
           traced_tree_fuse(&r->tree, loops, traced_count(in->inputs), &made, err) &&
           traced_put_ints(r, in, 'l', &made, 1, err);
}

static bool run_reorder(struct trace_reading *r, const struct traced_instruction *in, struct err *err)
{
    int loops[LIST_MOST];
    return traced_get_loops(r, in, loops, err) && traced_tree_reorder(&r->tree, loops, traced_count(in->inputs), err);
}

static bool mark(struct trace_reading *r, const struct traced_instruction *in, enum annotation annotation,
                 struct err *err)
{
    int loop;
    if (!traced_get_loop(r, in, 0, &loop, err))
        return false;
    r->tree.loops[loop].annotation = annotation;
    return true;
}

static bool run_parallel(struct trace_reading *r, const struct traced_instruction *in, struct err *err)
{
    return mark(r, in, ANN_PARALLEL, err);
}

static bool run_vectorize(struct trace_reading *r, const struct traced_instruction *in, struct err *err)
{
    return mark(r, in, ANN_VECTORIZE, err);
}

/* ---- places ---- */

static bool run_location(struct trace_reading *r, const struct traced_instruction *in, struct err *err)
{
    int block, readers[LIST_MOST], path[TREE_DEPTH], n = 0;
    int64_t decided, out;
    if (!traced_get_block(r, in, &block, err))
        return false;
    if (!json_int(in->decision, &decided) || decided < TRACE_INLINE)
        return err_set(err, "its decision is no place");
    if (readers_of(r, block, readers) > 0)
        n = traced_tree_path(&r->tree, r->tree.blocks[readers[0]].node, path);
    if (decided >= n)
        return err_set(err, "its decision is loop %lld of %d", (long long)decided, n);
    out = decided == TRACE_ROOT ? ROOT_LOOP : decided == TRACE_INLINE ? INLINE_LOOP : path[decided];
    r->out->place[r->tree.blocks[block].op] = decided;
    return traced_put(r, in, 'l', &out, 1, err);
}

/* The extents of a block that ComputeAt moves are those that the state's bounds give its axes. */
static bool run_compute_at(struct trace_reading *r, const struct traced_instruction *in, struct err *err)
{
    int block, readers[LIST_MOST];
    int64_t loop, extents[DIMS_MAX];
    if (!traced_get_block(r, in, &block, err) || !traced_get(r, in, 1, 'l', &loop, err))
        return false;
    if (loop == ROOT_LOOP)
        return true;
    if (loop == INLINE_LOOP)
        return run_inline(r, in, err);
    const struct op *op = r->tree.dag->ops[r->tree.blocks[block].op];
    if (r->tree.blocks[block].cached || r->tree.blocks[block].copy || !readers_of(r, block, readers))
        return err_set(err, "of a block that has no reader, or a cache");
    for (int i = 0; i < op->nspatial + op->nreduce; i++) {
        const struct stage *st = r->s ? &r->s->stages[r->s->dag->position[op->id]] : NULL;
        extents[i] = st ? st->vars[i].extent : 1;
        if (extents[i] < 1)
            return err_set(err, "of a block that is computed elsewhere in our program");
    }
    traced_tree_take(&r->tree, block);
    return traced_tree_put(&r->tree, block, (int)loop, readers[0], extents, err);
}

/* A block that reads another element by element moves into the loops of that one: of each axis it has as many turns as
 * the loops inside make up. */
static bool run_reverse_compute_at(struct trace_reading *r, const struct traced_instruction *in, struct err *err)
{
    int block, loop, path[TREE_DEPTH];
    int64_t extents[DIMS_MAX];
    const struct traced_tree *t = &r->tree;
    if (!traced_get_block(r, in, &block, err) || !traced_get_loop(r, in, 1, &loop, err))
        return false;
    int producer = traced_tree_block(t, t->loops[loop].node);
    if (producer < 0 || producer == block)
        return err_set(err, "into a loop without the block that it reads");
    const struct op *op = t->dag->ops[t->blocks[block].op], *from = t->dag->ops[t->blocks[producer].op];
    bool same = op->nspatial == from->nspatial && (t->blocks[block].copy || !op->nreduce);
    for (int i = 0; same && i < op->nspatial; i++) {
        same = op->axes[i].extent == from->axes[i].extent;
        extents[i] = 1;
    }
    int n = traced_tree_path(t, t->blocks[producer].node, path), k = 0;
    while (k < n && path[k] != loop)
        k++;
    for (k++; same && k < n; k++) {
        const struct traced_loop *l = &t->loops[path[k]];
        same = l->axis >= 0;
        if (same && l->axis < op->nspatial)
            extents[l->axis] *= l->extent;
    }
    if (!same)
        return err_set(err, "of a block that is not element by element what it reads");
    traced_tree_take(&r->tree, block);
    return traced_tree_put(&r->tree, block, loop, -1, extents, err);
}

/* ---- annotations, layouts, numbers ---- */

static bool run_categorical(struct trace_reading *r, const struct traced_instruction *in, struct err *err)
{
    int64_t at, value;
    const cJSON *choices = traced_item(in->attributes, 0);
    if (!json_int(in->decision, &at) || at < 0 || at >= traced_count(choices) ||
        !json_int(traced_item(choices, (int)at), &value))
        return err_set(err, "its decision is none of its choices");
    return traced_put(r, in, 'v', &value, 1, err);
}

static bool run_annotate(struct trace_reading *r, const struct traced_instruction *in, struct err *err)
{
    const char *key = traced_word(in, 0);
    struct traced_program *o = r->out;
    int64_t v = 0, what;
    int loop;
    if (str_eq(key, "meta_schedule.tiling_structure") || str_eq(key, "meta_schedule.random_compute_producer"))
        return true; /* of the rules, not of the program */
    r->marked += str_eq(key, "meta_schedule.layout_rewrite_preproc");
    if (str_eq(key, "meta_schedule.layout_rewrite_preproc"))
        return traced_get(r, in, 0, 'b', &what, err) &&
               (what == WEIGHT_COPY || err_set(err, "of a block that is no copy"));
    if (!traced_get_number(r, in, 1, &v, err))
        return false;
    if (v < 0 || v > INT32_MAX)
        return err_set(err, "'%.60s' of %lld", key, (long long)v);
    if (str_eq(key, "meta_schedule.parallel"))
        o->parallel = v;
    else if (str_eq(key, "meta_schedule.vectorize"))
        o->vector = v;
    else if (str_eq(key, "meta_schedule.unroll_explicit"))
        o->unroll = v;
    else if (str_eq(key, "pragma_auto_unroll_max_step") && traced_get_loop(r, in, 0, &loop, err))
        r->tree.loops[loop].unroll = v;
    else if (!str_eq(key, "pragma_unroll_explicit") || v != 1)
        return err->text[0] ? false : err_set(err, "no step here has annotation '%.60s'", key);
    return true;
}

static bool run_nothing(struct trace_reading *r, const struct traced_instruction *in, struct err *err)
{
    (void)r, (void)in, (void)err;
    return true;
}

/* A weight that is copied into another order before the kernel runs; MetaSchedule's builder takes the copy out. */
static bool run_cache_read(struct trace_reading *r, const struct traced_instruction *in, struct err *err)
{
    const int64_t copy = WEIGHT_COPY;
    int block;
    r->copied++;
    return traced_get_block(r, in, &block, err) && traced_put(r, in, 'b', &copy, 1, err);
}

static bool run_layout(struct trace_reading *r, const struct traced_instruction *in, struct err *err)
{
    int block;
    int64_t read;
    const cJSON *map = traced_item(in->inputs, 1);
    struct traced_program *o = r->out;
    if (!traced_get_block(r, in, &block, err))
        return false;
    if (!json_int(traced_item(in->attributes, 0), &read) || read < 0 || !cJSON_IsString(map) ||
        o->nlayouts == TRACED_LAYOUTS || !str_starts(map->valuestring, "{"))
        return err_set(err, "no index map of a tensor that is read");
    int op = r->tree.blocks[block].op;
    o->layouts[o->nlayouts++] = (struct traced_layout){op, (int)read, arena_str(r->a, map->valuestring)};
    return true;
}

/* ---- all ---- */

static const struct kind {
    const char *name;
    bool (*run)(struct trace_reading *r, const struct traced_instruction *in, struct err *err);
} KINDS[] = {
    {"GetBlock", run_get_block},
    {"GetLoops", run_get_loops},
    {"GetChildBlocks", run_get_child_blocks},
    {"GetConsumers", run_get_consumers},
    {"ComputeInline", run_inline},
    {"CacheWrite", run_cache_write},
    {"CacheRead", run_cache_read},
    {"DecomposeReduction", run_decompose},
    {"SamplePerfectTile", run_tile},
    {"SampleCategorical", run_categorical},
    {"SampleComputeLocation", run_location},
    {"Split", run_split},
    {"Fuse", run_fuse},
    {"Reorder", run_reorder},
    {"Parallel", run_parallel},
    {"Vectorize", run_vectorize},
    {"ComputeAt", run_compute_at},
    {"ReverseComputeAt", run_reverse_compute_at},
    {"Annotate", run_annotate},
    {"Unannotate", run_nothing},
    {"EnterPostproc", run_nothing},
    {"TransformLayout", run_layout},
};

static const struct kind *kind_of(const cJSON *name)
{
    for (size_t i = 0; cJSON_IsString(name) && i < sizeof KINDS / sizeof *KINDS; i++)
        if (str_eq(KINDS[i].name, name->valuestring))
            return &KINDS[i];
    return NULL;
}

static const cJSON *decision_of(const cJSON *decisions, int64_t instruction)
{
    const cJSON *d;
    int64_t at;
    cJSON_ArrayForEach(d, decisions) if (json_int(traced_item(d, 0), &at) && at == instruction) return traced_item(d,
                                                                                                                   1);
    return NULL;
}

static bool run_all(struct trace_reading *r, const cJSON *trace, struct err *err)
{
    const cJSON *decisions = traced_item(trace, 1), *at;
    int64_t i = 0;
    if (!cJSON_IsArray(traced_item(trace, 0)) || !cJSON_IsArray(decisions))
        return err_set(err, "its trace is no list of instructions and one of decisions");
    cJSON_ArrayForEach(at, traced_item(trace, 0))
    {
        const struct kind *kind = kind_of(traced_item(at, 0));
        const struct traced_instruction in = {kind ? kind->name : "", traced_item(at, 1), traced_item(at, 2),
                                              traced_item(at, 3), decision_of(decisions, i)};
        if (!kind && cJSON_IsString(traced_item(at, 0)))
            return err_set(err, "instruction %d, '%.60s', has no step here", (int)i, traced_item(at, 0)->valuestring);
        if (!kind)
            return err_set(err, "instruction %d has no name", (int)i);
        if (!kind->run(r, &in, err))
            return err_context(err, "instruction %d, %s", (int)i, kind->name);
        i++;
    }
    if (r->copied != r->marked || r->copied != r->out->nlayouts)
        return err_set(err, "CacheRead of something else than a weight in another order");
    for (int b = 0; b < r->tree.nblocks; b++) {
        const struct traced_block *block = &r->tree.blocks[b];
        if (r->tree.dag->ops[block->op]->nreduce && !block->copy && !block->init && !block->started)
            return err_set(err, "block '%s' starts its sums inside of their loops", r->names[block->op]);
    }
    return true;
}

bool traced_program_read(struct arena *a, const cJSON *trace, const struct dag *d, const char *const *names,
                         const struct state *s, struct traced_program *out, struct err *err)
{
    struct text t = {0};
    struct trace_reading r = {.a = a, .names = names, .s = s, .out = out};
    *out = (struct traced_program){0};
    if (d->nops > TRACED_OPS)
        return err_set(err, "a kernel of more than %d stages", TRACED_OPS);
    for (int i = 0; i < TRACED_OPS; i++)
        out->place[i] = TRACE_OPEN;
    traced_tree_open(a, d, &r.tree);
    r.named = ARENA_ARRAY(a, struct traced_name, NAMES_MOST);
    if (!run_all(&r, trace, err))
        return false;
    if (s) {
        traced_tree_print(&r.tree, &t);
        out->loops = text_keep(&t, a);
    }
    return true;
}
