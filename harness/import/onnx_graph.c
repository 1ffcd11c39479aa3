/* SPDX-License-Identifier: Apache-2.0 */
/* onnx_graph: the model's protobuf to values and nodes. Format: the ONNX IR specification, versions 3 and later. */
#include "harness/import/onnx_graph.h"

#include "harness/base/file.h"
#include "harness/base/hash.h"
#include "harness/base/int_math.h"
#include "harness/base/map.h"
#include "harness/program/ir/half.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST_BYTES ((size_t)1 << 31) /* of a protobuf */

struct model_reading {
    struct onnx_graph *g;
    struct map names; /* of values, to their indices */
    VEC(struct onnx_value) values;
};

/* ---- attributes ---- */

const Onnx__Attribute *onnx_attribute(const struct onnx_node *n, const char *name)
{
    for (size_t i = 0; i < n->proto->n_attribute; i++)
        if (str_eq(n->proto->attribute[i]->name, name))
            return n->proto->attribute[i];
    return NULL;
}

int64_t onnx_int(const struct onnx_node *n, const char *name, int64_t fallback)
{
    const Onnx__Attribute *a = onnx_attribute(n, name);
    return a ? a->i : fallback;
}

static double onnx_float(const struct onnx_node *n, const char *name, double fallback)
{
    const Onnx__Attribute *a = onnx_attribute(n, name);
    return a ? (double)a->f : fallback;
}

bool onnx_is(const struct onnx_node *n, const char *name, const char *text, const char *fallback)
{
    const Onnx__Attribute *a = onnx_attribute(n, name);
    return a ? a->s.len == strlen(text) && memcmp(a->s.data, text, a->s.len) == 0 : str_eq(fallback, text);
}

bool onnx_is_hard_sigmoid(const struct onnx_node *n)
{
    return fabs(onnx_float(n, "alpha", 0.2) - 1.0 / 6) < 1e-4 && fabs(onnx_float(n, "beta", 0.5) - 0.5) < 1e-4;
}

bool onnx_list(const struct onnx_graph *g, const struct onnx_node *node, const char *name, int input,
               int64_t list[ONNX_RANK], int *n, struct err *err)
{
    const Onnx__Attribute *a = onnx_attribute(node, name);
    const struct onnx_value *v = a || input < 0 ? NULL : onnx_in(g, node, input);
    *n = -1;
    if (!a && !v)
        return true;
    if (v && !v->data)
        return err_set(err, "its '%s', the value '%s', is computed from data", name, v->name);
    int64_t count = a ? (int64_t)a->n_ints : onnx_elements(&v->shape);
    if (count > ONNX_RANK)
        return err_set(err, "its '%s' has %lld numbers, more than %d axes", name, (long long)count, ONNX_RANK);
    *n = (int)count;
    for (int i = 0; i < *n; i++)
        list[i] = a ? a->ints[i] : onnx_whole(v->data[i]);
    return true;
}

/* ---- shapes and constants ---- */

int64_t onnx_elements(const struct onnx_shape *s)
{
    int64_t n = 1;
    for (int i = 0; i < s->rank; i++)
        n = sat_mul(n, s->dims[i]);
    return n;
}

bool onnx_shape_check(const struct onnx_shape *s, struct err *err)
{
    int64_t n = 1;
    for (int i = 0; i < s->rank; i++) {
        if (s->dims[i] < 0)
            return err_set(err, "axis %d of a tensor is %lld long", i, (long long)s->dims[i]);
        n = sat_mul(n, s->dims[i] ? s->dims[i] : 1); /* an empty tensor is not to hide a large axis */
    }
    return n <= ONNX_ELEMENTS || err_set(err, "a tensor has more than 2^48 elements, the most that are read");
}

static double short_float(uint16_t bits, int type)
{
    uint32_t wide = (uint32_t)bits << 16;
    float f;
    memcpy(&f, &wide, sizeof f);
    return type == ONNX_BFLOAT16 ? (double)f : half_value(bits);
}

/* Bytes of an element, 0 for types whose data are not read. */
static size_t type_size(int type)
{
    static const unsigned char SIZES[] = {0, 4, 1, 1, 2, 2, 4, 8, 0, 1, 2, 8, 4, 8, 8, 16, 2};
    return type >= 0 && type < (int)sizeof SIZES ? SIZES[type] : 0;
}

static double raw_element(const uint8_t *p, int type)
{
    int64_t whole = 0;
    size_t size = type_size(type);
    float f;
    double d;
    memcpy(&whole, p, size < 8 ? size : 8); /* numbers are little-endian, in the format and on all our machines */
    switch (type) {
    case ONNX_FLOAT:
        memcpy(&f, p, sizeof f);
        return (double)f;
    case ONNX_DOUBLE:
        memcpy(&d, p, sizeof d);
        return d;
    case ONNX_FLOAT16:
    case ONNX_BFLOAT16:
        return short_float((uint16_t)whole, type);
    case ONNX_INT32:
        return (int32_t)whole;
    default:
        return (double)whole;
    }
}

static double listed_element(const Onnx__Tensor *t, int64_t i)
{
    if (t->n_float_data)
        return (double)t->float_data[i];
    if (t->n_double_data)
        return t->double_data[i];
    if (t->n_int64_data)
        return (double)t->int64_data[i];
    bool half = t->data_type == ONNX_FLOAT16 || t->data_type == ONNX_BFLOAT16;
    return half ? short_float((uint16_t)t->int32_data[i], t->data_type) : t->int32_data[i];
}

/* The bytes of a small tensor in a file beside the model. */
static bool external_bytes(struct onnx_graph *g, const Onnx__Tensor *t, size_t n, const uint8_t **out, struct err *err)
{
    const char *location = "";
    int64_t offset = 0;
    for (size_t i = 0; i < t->n_external_data; i++) {
        const Onnx__Entry *e = t->external_data[i];
        if (str_eq(e->key, "location"))
            location = e->value;
        if (str_eq(e->key, "offset") && (!str_int(e->value, &offset) || offset < 0))
            return err_set(err, "offset '%s' of its data is no whole number", e->value);
    }
    if (!*location || *location == '/' || strstr(location, ".."))
        return err_set(err, "its data lie in '%s', must be a file beside the model", location);
    const char *slash = strrchr(g->file, '/');
    const char *path =
        slash ? file_join(g->arena, arena_strn(g->arena, g->file, (size_t)(slash - g->file)), location) : location;
    uint8_t *bytes = arena_alloc(g->arena, n + 1);
    FILE *f = fopen(path, "rbe");
    bool fine = f && fseek(f, offset, SEEK_SET) == 0 && fread(bytes, 1, n, f) == n;
    if (f)
        fclose(f);
    *out = bytes;
    return fine || err_set(err, "cannot read %zu bytes of its data at %lld of '%s'", n, (long long)offset, path);
}

bool onnx_constant(struct onnx_graph *g, const Onnx__Tensor *t, struct onnx_value *v, struct err *err)
{
    if (t->n_dims > ONNX_RANK)
        return err_set(err, "it has %zu axes, at most %d are read", t->n_dims, ONNX_RANK);
    v->constant = true;
    v->type = t->data_type;
    v->shape.rank = (int)t->n_dims;
    for (int i = 0; i < v->shape.rank; i++)
        v->shape.dims[i] = t->dims[i];
    if (!onnx_shape_check(&v->shape, err))
        return false;
    int64_t n = onnx_elements(&v->shape);
    size_t size = type_size(t->data_type);
    bool external = t->data_location == 1;
    size_t listed = t->n_float_data + t->n_double_data + t->n_int64_data + t->n_int32_data;
    if (size == 0 || (!external && !t->raw_data.len && !listed && n > 0))
        return true; /* text, uint64 in a list of its own: nothing that a shape hangs on */
    if (t->raw_data.len ? t->raw_data.len != (size_t)n * size : !external && listed != (size_t)n)
        return err_set(err, "its data are %zu %s, its shape takes %lld elements of %zu bytes",
                       t->raw_data.len ? t->raw_data.len : listed, t->raw_data.len ? "bytes" : "numbers", (long long)n,
                       size);
    if (n > ONNX_KNOWN)
        return true;
    const uint8_t *raw = t->raw_data.len ? t->raw_data.data : NULL;
    if (external && !external_bytes(g, t, (size_t)n * size, &raw, err))
        return false;
    double *data = ARENA_ARRAY(g->arena, double, n + 1);
    for (int64_t i = 0; i < n; i++)
        data[i] = raw ? raw_element(raw + (size_t)i * size, t->data_type) : listed_element(t, i);
    v->data = data;
    return true;
}

/* ---- the graph ---- */

/* The index of a value, -1: there is none. */
static int find_value(const struct model_reading *r, const char *name)
{
    uint64_t at;
    return map_get(&r->names, hash_str(name), &at) ? (int)at : -1;
}

/* The index of a new value; -1: there is one of that name. */
static int add_value(struct model_reading *r, const char *name)
{
    if (find_value(r, name) >= 0)
        return -1;
    map_put(&r->names, hash_str(name), (uint64_t)r->values.n);
    vec_push(&r->values,
             (struct onnx_value){.name = name, .shape = {.rank = -1}, .declared = {.rank = -1}, .maker = -1});
    return r->values.n - 1;
}

static bool read_initializers(struct model_reading *r, const Onnx__Graph *from, struct err *err)
{
    for (size_t i = 0; i < from->n_initializer; i++) {
        const Onnx__Tensor *t = from->initializer[i];
        int at = add_value(r, t->name);
        if (at < 0)
            return err_set(err, "two initializers are called '%s'", t->name);
        r->values.at[at].initializer = true;
        if (!onnx_constant(r->g, t, &r->values.at[at], err))
            return err_context(err, "initializer '%s'", t->name);
    }
    return true;
}

/* What a model says of a value's shape; an axis without a size makes it unknown. *open: the first such axis, -1: none.
 */
static struct onnx_shape declared_shape(const Onnx__ValueInfo *info, int *type, int *open, int64_t batch)
{
    struct onnx_shape s = {.rank = -1};
    *open = -1;
    const Onnx__TensorType *t = info->type ? info->type->tensor_type : NULL;
    if (!t || !t->shape || t->shape->n_dim > ONNX_RANK)
        return s;
    *type = t->elem_type;
    s.rank = (int)t->shape->n_dim;
    for (int i = 0; i < s.rank; i++) {
        const Onnx__Dimension *d = t->shape->dim[i];
        s.dims[i] = d->dim_value > 0 ? d->dim_value : i == 0 ? batch : 0;
        if (s.dims[i] == 0 && *open < 0)
            *open = i;
    }
    return s;
}

static bool read_inputs(struct model_reading *r, const Onnx__Graph *from, struct err *err)
{
    bool sized = r->g->batch == 0; /* has --batch given an axis its size? */
    for (size_t i = 0; i < from->n_input; i++) {
        const Onnx__ValueInfo *info = from->input[i];
        int open, at = add_value(r, info->name);
        if (at < 0 && r->values.at[find_value(r, info->name)].initializer)
            continue; /* a default value, or IR 3, where initializers are inputs too */
        if (at < 0)
            return err_set(err, "two inputs are called '%s'", info->name);
        struct onnx_value *v = &r->values.at[at];
        v->shape = declared_shape(info, &v->type, &open, r->g->batch);
        if (v->shape.rank < 0)
            return err_set(err,
                           "input '%s' is no tensor of a known number of axes (at most %d): export the model with "
                           "an example input",
                           info->name, ONNX_RANK);
        if (open >= 0)
            return err_set(err, "axis %d of input '%s' has no size ('%s'): %s", open, info->name,
                           info->type->tensor_type->shape->dim[open]->dim_param,
                           open ? "export the model with this axis fixed" : "give it with --batch N");
        if (!onnx_shape_check(&v->shape, err))
            return err_context(err, "input '%s'", info->name);
        sized = sized || (v->shape.rank > 0 && info->type->tensor_type->shape->dim[0]->dim_value <= 0);
        if (r->g->first_input < 0)
            r->g->first_input = at;
    }
    return sized || err_set(err,
                            "--batch %lld is given, but the first axis of every input has a size: export the "
                            "model with that axis open (dynamic)",
                            (long long)r->g->batch);
}

static const char *node_name(struct arena *a, const Onnx__Node *n, size_t i)
{
    return *n->name ? n->name : arena_printf(a, "%zu", i);
}

/* The outputs of all nodes first, so that an input that a later node makes is known as such. */
static bool read_outputs(struct model_reading *r, const Onnx__Graph *from, struct err *err)
{
    struct onnx_graph *g = r->g;
    for (int i = 0; i < g->nnodes; i++) {
        struct onnx_node *n = &g->nodes[i];
        const Onnx__Node *p = from->node[i];
        *n = (struct onnx_node){.name = node_name(g->arena, p, (size_t)i), .op = p->op_type, .proto = p};
        if (*p->domain && !str_eq(p->domain, "ai.onnx"))
            n->op = arena_printf(g->arena, "%s of %s", p->op_type, p->domain);
        n->nout = (int)p->n_output;
        n->out = ARENA_ARRAY(g->arena, int, n->nout + 1);
        for (int k = 0; k < n->nout; k++) {
            n->out[k] = *p->output[k] ? add_value(r, p->output[k]) : -1;
            if (*p->output[k] && n->out[k] < 0)
                return err_set(err, "node '%s' (%s) makes '%s', which there is already", n->name, n->op, p->output[k]);
            if (n->out[k] >= 0)
                r->values.at[n->out[k]].maker = i;
        }
    }
    return true;
}

static bool read_uses(struct model_reading *r, const Onnx__Graph *from, struct err *err)
{
    struct onnx_graph *g = r->g;
    for (int i = 0; i < g->nnodes; i++) {
        struct onnx_node *n = &g->nodes[i];
        n->nin = (int)from->node[i]->n_input;
        n->in = ARENA_ARRAY(g->arena, int, n->nin + 1);
        for (int k = 0; k < n->nin; k++) {
            const char *name = from->node[i]->input[k];
            n->in[k] = *name ? find_value(r, name) : -1;
            if (*name && n->in[k] < 0)
                return err_set(err, "node '%s' (%s) reads '%s', which nothing makes", n->name, n->op, name);
            int maker = n->in[k] < 0 ? -1 : r->values.at[n->in[k]].maker;
            if (maker >= i)
                return err_set(err,
                               "node '%s' (%s) reads '%s', which the later node '%s' makes: the graph has a cycle, "
                               "or its nodes must be sorted",
                               n->name, n->op, name, g->nodes[maker].name);
        }
    }
    for (size_t i = 0; i < from->n_output; i++) {
        int at = find_value(r, from->output[i]->name);
        if (at < 0)
            return err_set(err, "output '%s' is made by nothing", from->output[i]->name);
        r->values.at[at].is_output = true;
    }
    return true;
}

static bool read_graph(struct model_reading *r, const Onnx__Graph *from, struct err *err)
{
    struct onnx_graph *g = r->g;
    g->nnodes = (int)from->n_node;
    g->nodes = ARENA_ARRAY(g->arena, struct onnx_node, g->nnodes + 1);
    if (!read_initializers(r, from, err) || !read_inputs(r, from, err) || !read_outputs(r, from, err) ||
        !read_uses(r, from, err))
        return false;
    for (size_t i = 0; i < from->n_value_info; i++) {
        int type, open, at = find_value(r, from->value_info[i]->name);
        struct onnx_shape s = declared_shape(from->value_info[i], &type, &open, g->batch);
        struct err ignored;
        if (at >= 0 && open < 0 && onnx_shape_check(&s, &ignored))
            r->values.at[at].declared = s;
    }
    return true;
}

static bool check_model(struct onnx_graph *g, struct err *err)
{
    if (!g->model->graph || g->model->graph->n_node == 0)
        return err_set(err, "is no ONNX model: there is no node in it");
    for (size_t i = 0; i < g->model->n_opset_import; i++) {
        const Onnx__OperatorSet *s = g->model->opset_import[i];
        if (!*s->domain || str_eq(s->domain, "ai.onnx"))
            g->opset = s->version;
    }
    g->name = g->model->graph->name;
    g->producer = arena_printf(g->arena, "%s %s", g->model->producer_name, g->model->producer_version);
    return (g->opset >= ONNX_FIRST_OPSET && g->opset <= ONNX_LAST_OPSET) ||
           err_set(err, "its operators are of opset %lld, must be %d to %d: export it with opset 17",
                   (long long)g->opset, ONNX_FIRST_OPSET, ONNX_LAST_OPSET);
}

static void free_model(void *model)
{
    onnx__model__free_unpacked(model, NULL);
}

bool onnx_read(struct arena *a, const char *file, int64_t batch, struct onnx_graph **out, struct err *err)
{
    struct onnx_graph *g = *out = ARENA_NEW(a, struct onnx_graph);
    *g = (struct onnx_graph){.arena = a, .file = file, .batch = batch, .first_input = -1};
    char *bytes;
    size_t n;
    struct arena *scratch = arena_open("onnx file");
    bool fine = file_read(scratch, file, MOST_BYTES, &bytes, &n, err);
    Onnx__Model *model = fine ? onnx__model__unpack(NULL, n, (const uint8_t *)bytes) : NULL;
    arena_close(scratch);
    if (!model)
        return fine ? err_set(err, "%s: is no ONNX model, or cut short: its protobuf cannot be read", file) : false;
    arena_defer(a, free_model, model);
    g->model = model;
    struct model_reading r = {.g = g};
    fine = check_model(g, err) && read_graph(&r, model->graph, err);
    vec_keep(a, &r.values, &g->values, &g->nvalues);
    map_free(&r.names);
    return fine || err_context(err, "%s", file);
}
