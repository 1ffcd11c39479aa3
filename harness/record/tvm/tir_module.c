/* SPDX-License-Identifier: Apache-2.0 */
/* tir_module: see tir_module.h. Nodes name each other by number, in any order, so what walks through them counts its
 * steps. */
#include "harness/record/tvm/tir_module.h"

#include "harness/base/rng.h"
#include "harness/record/tvm/tir_graph.h"

#include <math.h>
#include <string.h>

enum { POINTS = 96, STEPS_WALKED = 4096, DEPTH_WALKED = 64, MAP_DIMS = 32 };

struct walk {
    struct arena *a;
    const struct tir_graph *g;
    struct tir_module *out;
    int buffers[TIR_TENSORS], nbuffers; /* by tensor */
    int loops[DEPTH_WALKED], nloops;
    int left;
};

/* ---- base64 ---- */

static int digit_of(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

bool tir_module_unpack(struct arena *a, const char *base64, char **text, size_t *n, struct err *err)
{
    size_t length = strlen(base64), count = 0;
    char *out = arena_alloc(a, length / 4 * 3 + 4);
    uint32_t bits = 0;
    int have = 0;
    for (size_t i = 0; i < length && base64[i] != '='; i++) {
        int digit = digit_of(base64[i]);
        if (digit < 0)
            return err_set(err, "byte %zu of the module is none of base64", i);
        bits = bits << 6 | (uint32_t)digit;
        if ((have += 6) >= 8)
            out[count++] = (char)(bits >> (have -= 8) & 0xff);
    }
    uint64_t said = 0;
    for (int i = 7; i >= 0 && count >= 8; i--)
        said = said << 8 | (unsigned char)out[i];
    if (count < 8 || said != count - 8)
        return err_set(err, "the module is cut short: %zu bytes of %llu", count < 8 ? 0 : count - 8,
                       (unsigned long long)said);
    out[count] = 0;
    *text = out + 8;
    *n = count - 8;
    return true;
}

/* ---- reading ---- */

static bool read_shape(const struct tir_graph *g, int buffer, struct workload_shape *out, struct err *err)
{
    int shape = tir_attribute(g, buffer, "shape"), n = tir_count(g, shape);
    *out = (struct workload_shape){0};
    for (int i = 0; i < n; i++)
        if (n > WORKLOAD_DIMS || !tir_integer(g, tir_item(g, shape, i), &out->at[out->n++]) || out->at[i] < 1)
            return err_set(err, "the shape of tensor '%.60s' is no list of numbers", tir_text(g, buffer, "name"));
    return true;
}

/* Axes: spatial ones before those of sums, each the loop at its place, from 0 on. */
static bool read_axes(struct walk *w, int realize, int block, struct tir_block *b, int variables[TIR_AXES],
                      struct err *err)
{
    const struct tir_graph *g = w->g;
    int iters = tir_attribute(g, block, "iter_vars"), values = tir_attribute(g, realize, "iter_values");
    int n = tir_count(g, iters);
    if (n > TIR_AXES || n != w->nloops || n != tir_count(g, values))
        return err_set(err, "block '%.60s' has %d axes in %d loops", b->name, n, w->nloops);
    for (int i = 0; i < n; i++) {
        int iter = tir_item(g, iters, i), dom = tir_attribute(g, iter, "dom"), loop = w->loops[i];
        const char *type = tir_text(g, iter, "iter_type");
        int64_t min = 0, extent = 0, turns = 0;
        bool reduces = str_eq(type, "2");
        if (!tir_integer(g, tir_attribute(g, dom, "min"), &min) || min != 0 ||
            !tir_integer(g, tir_attribute(g, dom, "extent"), &extent) || extent < 1 || extent > 1 << 24 ||
            !tir_integer(g, tir_attribute(g, loop, "extent"), &turns) || turns != extent ||
            tir_attribute(g, loop, "loop_var") != tir_item(g, values, i) || tir_item(g, values, i) < 0)
            return err_set(err, "axis %d of block '%.60s' is not its loop from 0 on", i, b->name);
        if ((!reduces && !str_eq(type, "0")) || (!reduces && b->nreduce))
            return err_set(err, "axis %d of block '%.60s' is of another kind than ours", i, b->name);
        variables[i] = tir_attribute(g, iter, "var");
        b->extents[i] = extent;
        b->nreduce += reduces;
        b->nspatial += !reduces;
    }
    return true;
}

/* The element at the spatial axes. */
static bool is_own_element(const struct tir_graph *g, int indices, const struct tir_block *b, const int *variables)
{
    bool own = tir_count(g, indices) == b->nspatial;
    for (int i = 0; own && i < b->nspatial; i++)
        own = tir_item(g, indices, i) == variables[i];
    return own;
}

/* A reduction writes the old value, combined with another. */
static bool read_body(struct walk *w, int block, struct tir_block *b, const struct tir_names *names, struct err *err)
{
    static const struct {
        const char *kind;
        enum reducer reducer;
    } REDUCERS[] = {{"tir.Add", REDUCE_SUM}, {"tir.Max", REDUCE_MAX}, {"tir.Min", REDUCE_MIN}};
    const struct tir_graph *g = w->g;
    int store = tir_attribute(g, block, "body"), value = tir_attribute(g, store, "value");
    int buffer = tir_attribute(g, store, "buffer");
    if (!str_eq(tir_kind(g, store), "tir.BufferStore") ||
        !is_own_element(g, tir_attribute(g, store, "indices"), b, names->variables))
        return err_set(err, "block '%.60s' is not one tensor, element by element", b->name);
    if (b->nreduce) {
        int old = tir_attribute(g, value, "a");
        for (size_t i = 0; i < sizeof REDUCERS / sizeof *REDUCERS; i++)
            if (str_eq(tir_kind(g, value), REDUCERS[i].kind))
                b->reducer = REDUCERS[i].reducer;
        if (b->reducer == REDUCE_NONE || !str_eq(tir_kind(g, old), "tir.BufferLoad") ||
            tir_attribute(g, old, "buffer") != buffer ||
            !is_own_element(g, tir_attribute(g, old, "indices"), b, names->variables) ||
            !str_eq(tir_kind(g, tir_attribute(g, block, "init")), "tir.BufferStore"))
            return err_set(err, "block '%.60s' reduces in a way that is not known here", b->name);
        value = tir_attribute(g, value, "b");
    }
    const char *type = tir_text(g, buffer, "dtype");
    int t = 0;
    while (t < DTYPE_COUNT && !str_eq(dtype_name((enum dtype)t), type))
        t++;
    if (t == DTYPE_COUNT || w->nbuffers == TIR_TENSORS)
        return err_set(err, "block '%.60s' writes type '%.40s'", b->name, type);
    b->dtype = (enum dtype)t;
    if (!tir_expression(w->a, g, value, names, &b->body, err))
        return err_context(err, "block '%.60s'", b->name);
    w->buffers[w->nbuffers++] = buffer;
    return true;
}

static bool read_block(struct walk *w, int realize, struct err *err)
{
    int block = tir_attribute(w->g, realize, "block"), variables[TIR_AXES];
    if (w->out->nblocks == TIR_BLOCKS)
        return err_set(err, "more than %d blocks", TIR_BLOCKS);
    struct tir_block *b = &w->out->blocks[w->out->nblocks];
    b->name = arena_str(w->a, tir_text(w->g, block, "name_hint"));
    if (!read_axes(w, realize, block, b, variables, err))
        return false;
    const struct tir_names names = {variables, w->buffers, w->nloops, w->nbuffers};
    if (!read_body(w, block, b, &names, err))
        return false;
    w->out->nblocks++;
    return true;
}

static bool walk_statement(struct walk *w, int node, int depth, struct err *err)
{
    const char *kind = tir_kind(w->g, node);
    if (w->left-- <= 0 || depth == DEPTH_WALKED)
        return err_set(err, "more than %d statements", STEPS_WALKED);
    if (str_eq(kind, "tir.SeqStmt")) {
        int list = tir_attribute(w->g, node, "seq");
        for (int i = 0, n = tir_count(w->g, list); i < n; i++)
            if (!walk_statement(w, tir_item(w->g, list, i), depth + 1, err))
                return false;
        return true;
    }
    if (str_eq(kind, "tir.BlockRealize"))
        return read_block(w, node, err);
    if (!str_eq(kind, "tir.For"))
        return err_set(err, "a statement '%.40s', which is not known here", kind);
    w->loops[w->nloops++] = node;
    bool fine = walk_statement(w, tir_attribute(w->g, node, "body"), depth + 1, err);
    w->nloops--;
    return fine;
}

/* Arguments that no block writes are inputs. */
static bool read_arguments(struct walk *w, int function, int *output, struct err *err)
{
    const struct tir_graph *g = w->g;
    int params = tir_attribute(g, function, "params"), map = tir_attribute(g, function, "buffer_map");
    int n = tir_count(g, params);
    if (n < 2 || n > WORKLOAD_SHAPES || tir_count(g, map) != 2 * n)
        return err_set(err, "a function of %d arguments", n);
    for (int i = 0; i < n; i++) {
        int k = 0;
        while (k < n && tir_item(g, map, 2 * k) != tir_item(g, params, i))
            k++;
        int buffer = k < n ? tir_item(g, map, 2 * k + 1) : -1;
        if (!read_shape(g, buffer, &w->out->shapes[i], err))
            return false;
        if (i < n - 1)
            w->buffers[w->nbuffers++] = buffer;
        else
            *output = buffer;
    }
    w->out->ninputs = n - 1;
    return true;
}

bool tir_module_read(struct arena *a, const char *text, size_t n, struct tir_module *out, struct err *err)
{
    struct tir_graph g;
    *out = (struct tir_module){0};
    if (!tir_graph_read(a, text, n, &g, err))
        return false;
    struct walk w = {.a = a, .g = &g, .out = out, .left = STEPS_WALKED};
    int functions = tir_attribute(&g, g.root, "functions"), function = tir_item(&g, functions, 1);
    if (tir_count(&g, functions) != 2 || !str_eq(tir_kind(&g, function), "tir.PrimFunc"))
        return err_set(err, "no module of one function of TIR");
    int output = -1, root = tir_attribute(&g, tir_attribute(&g, function, "body"), "block");
    if (!read_arguments(&w, function, &output, err))
        return false;
    if (!str_eq(tir_text(&g, root, "name_hint"), "root"))
        return err_set(err, "a function without a root block");
    if (!walk_statement(&w, tir_attribute(&g, root, "body"), 0, err))
        return false;
    return (out->nblocks > 0 && w.buffers[w.nbuffers - 1] == output) ||
           err_set(err, "its last block does not write the last argument");
}

/* ---- comparing ---- */

/* By op id, the number among the tensors: arguments, then stages in order. */
static int *tensors_of(struct arena *a, const struct task *t)
{
    const struct dag *d = t->dag;
    int *out = ARENA_ARRAY(a, int, d->nids), n = t->nargs - 1;
    for (int i = 0; i < t->nargs - 1; i++)
        out[t->args[i]] = i;
    for (int i = 0; i < d->nops; i++)
        if (d->ops[i]->kind == OP_COMPUTE)
            out[d->ops[i]->id] = n++;
    return out;
}

static bool same_number(double x, double y)
{
    return x == y || (isnan(x) && isnan(y)) || fabs(x - y) <= 1e-6 * (fabs(x) + fabs(y));
}

static bool same_values(const struct tir_block *b, const struct op *op, const int *tensor, struct rng *r)
{
    int n = b->nspatial + b->nreduce;
    for (int point = 0; point < POINTS; point++) {
        int64_t at[TIR_AXES] = {0};
        for (int i = 0; i < n; i++) { /* ends as often as all that is between */
            uint64_t where = rng_below(r, 4), most = (uint64_t)b->extents[i];
            at[i] = where == 0 ? 0 : where == 1 ? (int64_t)most - 1 : (int64_t)rng_below(r, most);
        }
        if (!same_number(tir_value(b->body, at, NULL), tir_value(op->body, at, tensor)))
            return false;
    }
    return true;
}

static bool same_block(const struct tir_block *b, const struct op *op, const int *tensor, struct rng *r)
{
    if (b->nspatial != op->nspatial || b->nreduce != op->nreduce || b->reducer != op->reducer || b->dtype != op->dtype)
        return false;
    for (int i = 0; i < b->nspatial + b->nreduce; i++)
        if (b->extents[i] != op->axes[i].extent)
            return false;
    return same_values(b, op, tensor, r);
}

bool tir_module_is(const struct tir_module *m, const struct task *t, struct err *err)
{
    struct arena *a = arena_open("module");
    const int *tensor = tensors_of(a, t);
    struct rng r;
    int n = 0;
    bool same = t->nargs - 1 == m->ninputs;
    rng_seed(&r, 1);
    for (int i = 0; same && i < t->dag->nops; i++) {
        if (t->dag->ops[i]->kind != OP_COMPUTE)
            continue;
        same = n < m->nblocks && same_block(&m->blocks[n], t->dag->ops[i], tensor, &r);
        if (!same)
            err_set(err, "block %d ('%.60s') is not stage '%s'", n, n < m->nblocks ? m->blocks[n].name : "none",
                    t->dag->ops[i]->name);
        n++;
    }
    arena_close(a);
    return (same && n == m->nblocks) || (err->text[0] ? false : err_set(err, "it has other arguments or blocks"));
}

const char **tir_module_names(struct arena *a, const struct tir_module *m, const struct task *t)
{
    const char **out = ARENA_ARRAY(a, const char *, t->dag->nops);
    for (int i = 0, n = 0; i < t->dag->nops; i++)
        out[i] = t->dag->ops[i]->kind == OP_COMPUTE && n < m->nblocks ? arena_str(a, m->blocks[n++].name) : "";
    return out;
}

/* ---- packed weights ---- */

/* The index in a dimension of the packed buffer of the element at an index of the weight. */
static int64_t packed_index(const struct buffer *b, int d, const int64_t *at)
{
    return at[b->packed[d].dim] / b->packed[d].stride % b->packed[d].extent;
}

bool tir_map_is(struct arena *a, const char *map, const struct buffer *packed, int ndim, struct err *err)
{
    struct tir_graph g;
    const struct expr *into[MAP_DIMS];
    int variables[TIR_AXES], ours[MAP_DIMS], theirs[MAP_DIMS], nours = 0, ntheirs = 0;
    int64_t at[TIR_AXES] = {0};
    struct rng r;
    if (!tir_graph_read(a, map, strlen(map), &g, err))
        return false;
    int initial = tir_attribute(&g, g.root, "initial_indices"), last = tir_attribute(&g, g.root, "final_indices");
    int n = tir_count(&g, initial), nfinal = tir_count(&g, last);
    if (n != ndim || n > TIR_AXES || nfinal > MAP_DIMS || packed->npacked > MAP_DIMS)
        return err_set(err, "an index map of %d dimensions to %d", n, nfinal);
    for (int i = 0; i < n; i++)
        variables[i] = tir_item(&g, initial, i);
    const struct tir_names names = {.variables = variables, .nvariables = n};
    for (int i = 0; i < nfinal; i++)
        if (!tir_expression(a, &g, tir_item(&g, last, i), &names, &into[i], err))
            return false;
    bool moves[MAP_DIMS] = {false};
    rng_seed(&r, 1);
    for (int pass = 0; pass < 2; pass++) {
        for (int point = 0; point < 16 * POINTS; point++) {
            for (int i = 0; i < n; i++)
                at[i] = (int64_t)rng_below(&r, (uint64_t)packed->original[i]);
            for (int i = 0; pass == 0 && i < nfinal; i++)
                moves[i] = moves[i] || tir_value(into[i], at, NULL) != 0;
            for (int i = 0; pass == 1 && i < nours; i++)
                if ((double)packed_index(packed, ours[i], at) != tir_value(into[theirs[i]], at, NULL))
                    return err_set(err, "the weight is packed in another order than ours");
        }
        for (int i = 0; pass == 0 && i < nfinal; i++)
            if (moves[i])
                theirs[ntheirs++] = i;
        for (int i = 0; pass == 0 && i < packed->npacked; i++)
            if (packed->packed[i].extent > 1)
                ours[nours++] = i;
        if (nours != ntheirs)
            return err_set(err, "the weight is packed into %d dimensions, into %d here", ntheirs, nours);
    }
    return true;
}
