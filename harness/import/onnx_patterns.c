/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/import/onnx_patterns.h"

#include "harness/import/layer_shapes.h"
#include "harness/import/onnx_operators.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Patterns: x is one value, w a constant, a number a constant of that one element (within 0.1 %). The operands of Add
 * and Mul may stand in any order. The first row that fits is taken. */
#define CENTRED "Sub(x,ReduceMean(x))"
#define DEVIATION(square) "Sqrt(Add(ReduceMean(" square "),w))"
#define NORMED "Div(" CENTRED "," DEVIATION("Pow(" CENTRED ",2)") ")"
#define INVERSE "Sqrt(Add(ReduceMean(Pow(x,2)),w))"
#define ERF(scaled) "Add(Erf(" scaled "),1)"
#define TANH(cube) "Add(Tanh(Mul(Add(x,Mul(" cube ",0.044715)),0.797885)),1)"
static const struct pattern {
    const char *op, *of;
} PATTERNS[] = {
    {"LayerNormalization", "Add(Mul(" NORMED ",w),w)"},
    {"LayerNormalization", NORMED},
    {"RMSNormalization", "Mul(Mul(x,Div(1," INVERSE ")),w)"},
    {"RMSNormalization", "Mul(Mul(x,Reciprocal(" INVERSE ")),w)"},
    {"RMSNormalization", "Mul(Div(x," INVERSE "),w)"},
    {"Gelu", "Mul(Mul(x," ERF("Div(x,1.414214)") "),0.5)"},
    {"Gelu", "Mul(x,Mul(" ERF("Div(x,1.414214)") ",0.5))"},
    {"Gelu", "Mul(Mul(x,0.5)," ERF("Div(x,1.414214)") ")"},
    {"Gelu", "Mul(Mul(x,0.5)," ERF("Mul(x,0.707107)") ")"},
    {"Gelu", "Mul(x,Mul(" ERF("Mul(x,0.707107)") ",0.5))"},
    {"FastGelu", "Mul(Mul(x,0.5)," TANH("Pow(x,3)") ")"},
    {"FastGelu", "Mul(Mul(x,0.5)," TANH("Mul(x,Mul(x,x))") ")"},
    {"Silu", "Mul(x,Sigmoid(x))"},
    {"HardSwish", "Mul(x,HardSigmoid(x))"},
    {"HardSwish", "Div(Mul(x,Clip(Add(x,3),0,6)),6)"},
    {"HardSwish", "Mul(x,Div(Clip(Add(x,3),0,6),6))"},
};

enum { MOST_WEIGHTS = 4 };
struct match {
    const struct onnx_graph *g;
    int x, nweights, weights[MOST_WEIGHTS];
};

/* Behind the term at p. */
static const char *term_end(const char *p)
{
    for (int depth = 0; *p && (depth > 0 || (*p != ',' && *p != ')')); p++)
        depth += (*p == '(') - (*p == ')');
    return p;
}

static bool matches(struct match *m, int value, const char *p);

/* Are the first n terms the inputs of the node? */
static bool match_inputs(struct match *m, const struct onnx_node *n, const char *p)
{
    int i = 0;
    for (;; i++, p++) {
        if (i >= n->nin || n->in[i] < 0 || !matches(m, n->in[i], p))
            return false;
        p = term_end(p);
        if (*p != ',')
            return true;
    }
}

/* What an operator must have besides its inputs, for the patterns to mean it. */
static bool fits(const struct onnx_graph *g, const struct onnx_node *n)
{
    bool reduced[ONNX_RANK];
    struct err ignored;
    if (str_eq(n->op, "HardSigmoid"))
        return onnx_is_hard_sigmoid(n);
    if (!str_eq(n->op, "ReduceMean"))
        return true;
    int rank = onnx_in(g, n, 0)->shape.rank;
    if (rank < 1 || !onnx_reduced_axes(g, n, reduced, &ignored))
        return false;
    for (int i = 0; i < rank; i++)
        if (reduced[i] != (i == rank - 1))
            return false;
    return true;
}

static bool match_node(struct match *m, const struct onnx_node *n, const char *p)
{
    size_t length = strcspn(p, "(");
    if (strlen(n->op) != length || strncmp(n->op, p, length) != 0 || !n->row || !fits(m->g, n))
        return false;
    p += length + 1;
    struct match before = *m;
    if (match_inputs(m, n, p))
        return true;
    if (n->nin != 2 || !(str_eq(n->op, "Add") || str_eq(n->op, "Mul")))
        return false;
    *m = before;
    int turned[] = {n->in[1], n->in[0]};
    struct onnx_node other = *n;
    other.in = turned;
    return match_inputs(m, &other, p);
}

static bool matches(struct match *m, int value, const char *p)
{
    const struct onnx_value *v = &m->g->values[value];
    if (isupper((unsigned char)*p))
        return v->maker >= 0 && match_node(m, &m->g->nodes[v->maker], p);
    if (*p == 'x') {
        bool fine = m->x < 0 || m->x == value;
        m->x = value;
        return fine && !v->constant;
    }
    if (*p == 'w') {
        if (v->constant && m->nweights < MOST_WEIGHTS)
            m->weights[m->nweights++] = value;
        return v->constant;
    }
    double want = strtod(p, NULL);
    return v->data && onnx_elements(&v->shape) == 1 && fabs(v->data[0] - want) <= 1e-3 * want;
}

static void rewrite_node(struct onnx_graph *g, struct onnx_node *n)
{
    const struct onnx_value *out = onnx_out(g, n, 0);
    for (size_t i = 0; out && !out->constant && i < sizeof PATTERNS / sizeof *PATTERNS; i++) {
        struct match m = {g, .x = -1};
        if (!match_node(&m, n, PATTERNS[i].of) || onnx_elements(&g->values[m.x].shape) != onnx_elements(&out->shape))
            continue;
        static const Onnx__Node PLAIN; /* without attributes: all are at their default */
        n->op = PATTERNS[i].op;
        n->proto = &PLAIN;
        n->row = onnx_operator_find(n->op);
        n->nin = 1 + m.nweights;
        n->in = ARENA_ARRAY(g->arena, int, n->nin);
        n->in[0] = m.x;
        memcpy(n->in + 1, m.weights, sizeof *m.weights * (size_t)m.nweights);
        return;
    }
}

/* What only hands its input on is read through. */
static void read_through(struct onnx_graph *g, struct onnx_node *n)
{
    for (int i = 0; i < n->nin; i++) {
        const struct onnx_value *v = onnx_in(g, n, i);
        if (!v || v->maker < 0)
            continue;
        const struct onnx_node *from = &g->nodes[v->maker];
        if ((str_eq(from->op, "Identity") || str_eq(from->op, "Dropout")) && onnx_in(g, from, 0) &&
            from->out[0] == n->in[i])
            n->in[i] = from->in[0];
    }
}

static void count_uses(struct onnx_graph *g)
{
    for (int i = 0; i < g->nvalues; i++)
        g->values[i].uses = g->values[i].is_output;
    for (int i = g->nnodes - 1; i >= 0; i--) {
        struct onnx_node *n = &g->nodes[i];
        for (int k = 0; k < n->nout; k++) {
            const struct onnx_value *v = onnx_out(g, n, k);
            n->live = n->live || (v && v->uses > 0 && !v->constant);
        }
        for (int k = 0; n->live && k < n->nin; k++)
            if (onnx_in(g, n, k))
                onnx_in(g, n, k)->uses++;
    }
}

void onnx_rewrite(struct onnx_graph *g)
{
    for (int i = 0; i < g->nnodes; i++) {
        read_through(g, &g->nodes[i]);
        rewrite_node(g, &g->nodes[i]);
    }
    count_uses(g);
}
