/* SPDX-License-Identifier: Apache-2.0 */
/* tir_graph: see tir_graph.h. Nodes may be shared, so a small file can be a huge expression: a budget ends that. */
#include "harness/record/tvm/tir_graph.h"

#include "harness/base/hash.h"

#include <math.h>
#include <string.h>

enum { NODES_MOST = 1 << 20, EXPRESSION_MOST = 4096, EXPRESSION_DEPTH = 128, INDICES_MOST = 16 };

static void delete_json(void *json)
{
    cJSON_Delete(json);
}

bool tir_graph_read(struct arena *a, const char *text, size_t n, struct tir_graph *out, struct err *err)
{
    int64_t root;
    *out = (struct tir_graph){.json = json_parse(text, n, "saved module", err)};
    if (!out->json)
        return false;
    arena_defer(a, delete_json, out->json);
    const cJSON *nodes = json_get(out->json, "nodes"), *node;
    int count = cJSON_IsArray(nodes) ? cJSON_GetArraySize(nodes) : 0;
    if (!json_int(json_get(out->json, "root"), &root) || root < 0 || root >= count || count > NODES_MOST)
        return err_set(err, "no object that TVM saved: no root, or no nodes");
    out->root = (int)root;
    out->nodes = ARENA_ARRAY(a, const cJSON *, count);
    cJSON_ArrayForEach(node, nodes) out->nodes[out->n++] = node;
    return true;
}

static const cJSON *node_at(const struct tir_graph *g, int node)
{
    return node >= 0 && node < g->n ? g->nodes[node] : NULL;
}

const char *tir_kind(const struct tir_graph *g, int node)
{
    return json_str(node_at(g, node), "type_key", "");
}

static int number_of(const struct tir_graph *g, const char *text)
{
    int64_t v;
    return str_int(text, &v) && v >= 0 && v < g->n ? (int)v : -1;
}

/* An attribute as it is written. */
static const char *raw_text(const struct tir_graph *g, int node, const char *name)
{
    return json_str(json_get(node_at(g, node), "attrs"), name, "");
}

int tir_attribute(const struct tir_graph *g, int node, const char *name)
{
    return number_of(g, raw_text(g, node, name));
}

static const char *tir_string(const struct tir_graph *g, int node)
{
    return json_str(node_at(g, node), "repr_str", "");
}

const char *tir_text(const struct tir_graph *g, int node, const char *name)
{
    const char *text = raw_text(g, node, name);
    int at = number_of(g, text);
    return at >= 0 && str_eq(tir_kind(g, at), "runtime.String") ? tir_string(g, at) : text;
}

int tir_count(const struct tir_graph *g, int node)
{
    const cJSON *data = json_get(node_at(g, node), "data");
    return cJSON_IsArray(data) ? cJSON_GetArraySize(data) : 0;
}

int tir_item(const struct tir_graph *g, int node, int i)
{
    const cJSON *data = json_get(node_at(g, node), "data");
    int64_t v;
    return cJSON_IsArray(data) && json_int(cJSON_GetArrayItem(data, i), &v) && v >= 0 && v < g->n ? (int)v : -1;
}

bool tir_integer(const struct tir_graph *g, int node, int64_t *out)
{
    return str_eq(tir_kind(g, node), "IntImm") && str_int(raw_text(g, node, "value"), out);
}

/* ---- expressions ---- */

static const struct {
    const char *name;
    enum expr_kind kind;
} BINARY[] = {
    {"tir.Add", EXPR_ADD},
    {"tir.Sub", EXPR_SUB},
    {"tir.Mul", EXPR_MUL},
    {"tir.Div", EXPR_DIV},
    {"tir.FloorDiv", EXPR_FLOORDIV},
    {"tir.FloorMod", EXPR_FLOORMOD},
    {"tir.Min", EXPR_MIN},
    {"tir.Max", EXPR_MAX},
    {"tir.LT", EXPR_LT},
    {"tir.LE", EXPR_LE},
    {"tir.GT", EXPR_GT},
    {"tir.GE", EXPR_GE},
    {"tir.EQ", EXPR_EQ},
    {"tir.NE", EXPR_NE},
    {"tir.And", EXPR_AND},
    {"tir.Or", EXPR_OR},
};

struct converting {
    struct arena *a;
    const struct tir_graph *g;
    const struct tir_names *names;
    int left;
    struct err *err;
};
static const struct expr *convert(struct converting *c, int node, int depth);

static const struct expr *unknown(struct converting *c, const char *what, const char *name)
{
    err_set(c->err, "%s '%.60s' is not known here", what, name);
    return NULL;
}

static const struct expr *convert_load(struct converting *c, int node, enum dtype type, int depth)
{
    int tensor = 0, buffer = tir_attribute(c->g, node, "buffer"), indices = tir_attribute(c->g, node, "indices");
    int n = tir_count(c->g, indices);
    while (tensor < c->names->nbuffers && c->names->buffers[tensor] != buffer)
        tensor++;
    if (tensor == c->names->nbuffers || n > INDICES_MOST)
        return unknown(c, "tensor", tir_text(c->g, buffer, "name"));
    const struct expr **at = ARENA_ARRAY(c->a, const struct expr *, n);
    for (int i = 0; i < n; i++)
        if (!(at[i] = convert(c, tir_item(c->g, indices, i), depth)))
            return NULL;
    return expr_load(c->a, tensor, type, n, at);
}

/* Functions have the name under which we print them. */
static const struct expr *convert_call(struct converting *c, int node, int depth)
{
    int args = tir_attribute(c->g, node, "args"), n = tir_count(c->g, args), kind = 0;
    const char *name = tir_string(c->g, tir_attribute(c->g, node, "op"));
    const struct expr *at[3] = {0};
    static const int NARGS[] = {
#define X(id, word, nargs) nargs,
        EXPR_KINDS(X)
#undef X
    };
    while (kind < EXPR_COUNT && (!str_eq(expr_word((enum expr_kind)kind), name) || !str_starts(name, "tir.")))
        kind++;
    if (kind == EXPR_COUNT || n != NARGS[kind] || n < 1 || n > 3)
        return unknown(c, "function", name);
    for (int i = 0; i < n; i++)
        if (!(at[i] = convert(c, tir_item(c->g, args, i), depth)))
            return NULL;
    return n == 1   ? expr_make1(c->a, (enum expr_kind)kind, at[0])
           : n == 3 ? expr_make3(c->a, (enum expr_kind)kind, at[0], at[1], at[2])
                    : unknown(c, "function", name);
}

static bool dtype_of(const char *name, enum dtype *out)
{
    int t = 0;
    while (t < DTYPE_COUNT && !str_eq(dtype_name((enum dtype)t), name))
        t++;
    *out = (enum dtype)t;
    return t < DTYPE_COUNT;
}

static const struct expr *convert_leaf(struct converting *c, int node, enum dtype type, int depth)
{
    const char *kind = tir_kind(c->g, node), *text = raw_text(c->g, node, "value");
    int64_t v;
    double f;
    if (str_eq(kind, "IntImm") && str_int(text, &v))
        return expr_int(c->a, v);
    if (str_eq(kind, "FloatImm") && str_real(text, &f))
        return expr_float(c->a, type, f);
    if (str_eq(kind, "tir.BufferLoad"))
        return convert_load(c, node, type, depth);
    if (str_eq(kind, "tir.Call"))
        return convert_call(c, node, depth);
    for (int i = 0; i < c->names->nvariables; i++)
        if (c->names->variables[i] == node)
            return expr_axis(c->a, i);
    return unknown(c, "expression", kind);
}

static const struct expr *convert(struct converting *c, int node, int depth)
{
    const char *kind = tir_kind(c->g, node);
    enum dtype type;
    if (c->left-- <= 0 || depth >= EXPRESSION_DEPTH) {
        err_set(c->err, "an expression of more than %d parts", EXPRESSION_MOST);
        return NULL;
    }
    if (!dtype_of(tir_text(c->g, node, "dtype"), &type))
        return unknown(c, "type", tir_text(c->g, node, "dtype"));
    for (size_t i = 0; i < sizeof BINARY / sizeof *BINARY; i++)
        if (str_eq(kind, BINARY[i].name)) {
            const struct expr *x = convert(c, tir_attribute(c->g, node, "a"), depth + 1);
            const struct expr *y = x ? convert(c, tir_attribute(c->g, node, "b"), depth + 1) : NULL;
            return y ? expr_make2(c->a, BINARY[i].kind, x, y) : NULL;
        }
    if (str_eq(kind, "tir.Cast")) {
        const struct expr *x = convert(c, tir_attribute(c->g, node, "value"), depth + 1);
        return x ? expr_cast(c->a, type, x) : NULL;
    }
    if (str_eq(kind, "tir.Select")) {
        const struct expr *x = convert(c, tir_attribute(c->g, node, "condition"), depth + 1);
        const struct expr *y = x ? convert(c, tir_attribute(c->g, node, "true_value"), depth + 1) : NULL;
        const struct expr *z = y ? convert(c, tir_attribute(c->g, node, "false_value"), depth + 1) : NULL;
        return z ? expr_make3(c->a, EXPR_SELECT, x, y, z) : NULL;
    }
    return convert_leaf(c, node, type, depth + 1);
}

bool tir_expression(struct arena *a, const struct tir_graph *g, int node, const struct tir_names *names,
                    const struct expr **out, struct err *err)
{
    struct converting c = {a, g, names, EXPRESSION_MOST, err};
    *out = convert(&c, node, 0);
    return *out != NULL;
}

/* ---- values ---- */

/* Between -16 and 16, never whole: a clip at 6 shows. */
static double element(int tensor, const double *at, int n)
{
    uint64_t h = hash_mix(0x7e5, (uint64_t)tensor);
    for (int i = 0; i < n; i++)
        h = hash_mix(h, hash_bytes(&at[i], sizeof at[i], 1));
    return (double)(h >> 12) / (double)(UINT64_C(1) << 47) - 16;
}

static double call(enum expr_kind kind, double x)
{
    switch (kind) {
    case EXPR_NOT:
        return x == 0;
    case EXPR_EXP:
        return exp(x);
    case EXPR_LOG:
        return log(x);
    case EXPR_SQRT:
        return sqrt(x);
    case EXPR_TANH:
        return tanh(x);
    case EXPR_ERF:
        return erf(x);
    case EXPR_SIGMOID:
        return 1 / (1 + exp(-x));
    case EXPR_RSQRT:
        return 1 / sqrt(x);
    default:
        return x; /* a cast */
    }
}

static double combine(enum expr_kind kind, double x, double y)
{
    switch (kind) {
    case EXPR_ADD:
        return x + y;
    case EXPR_SUB:
        return x - y;
    case EXPR_MUL:
        return x * y;
    case EXPR_DIV:
        return x / y;
    case EXPR_FLOORDIV:
        return floor(x / y);
    case EXPR_FLOORMOD:
        return x - y * floor(x / y);
    case EXPR_MIN:
        return x < y ? x : y;
    case EXPR_MAX:
        return x > y ? x : y;
    case EXPR_LT:
        return x < y;
    case EXPR_LE:
        return x <= y;
    case EXPR_GT:
        return x > y;
    case EXPR_GE:
        return x >= y;
    case EXPR_EQ:
        return x == y;
    case EXPR_NE:
        return x != y;
    case EXPR_AND:
        return x != 0 && y != 0;
    case EXPR_OR:
        return x != 0 || y != 0;
    default:
        return NAN;
    }
}

double tir_value(const struct expr *e, const int64_t *axes, const int *tensor)
{
    double at[INDICES_MOST] = {0};
    switch (e->kind) {
    case EXPR_INT:
        return (double)e->i;
    case EXPR_FLOAT:
        return e->f;
    case EXPR_AXIS:
        return (double)axes[e->i];
    case EXPR_LOAD:
        for (int i = 0; i < e->nargs && i < INDICES_MOST; i++)
            at[i] = tir_value(e->args[i], axes, tensor) + 0.0; /* no -0 */
        return element(tensor ? tensor[e->i] : (int)e->i, at, e->nargs < INDICES_MOST ? e->nargs : INDICES_MOST);
    case EXPR_IF:
    case EXPR_SELECT:
        return tir_value(e->args[tir_value(e->args[0], axes, tensor) != 0 ? 1 : 2], axes, tensor);
    default:
        break;
    }
    double x = tir_value(e->args[0], axes, tensor);
    return e->nargs == 1 ? call(e->kind, x) : combine(e->kind, x, tir_value(e->args[1], axes, tensor));
}
