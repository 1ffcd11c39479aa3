/* SPDX-License-Identifier: Apache-2.0 */
/* tensor_map: first from the task's dimensions to plain ones, then from packed ones to the task's. */
#include "harness/report/best/tensor_map.h"

#include "harness/program/ir/affine.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

void c_name(const char *word, char *out, size_t n)
{
    snprintf(out, n, "%s%s", isdigit((unsigned char)word[0]) ? "_" : "", word);
    for (char *c = out; *c; c++)
        if (!isalnum((unsigned char)*c))
            *c = '_';
}

static const char *c_type(enum dtype t)
{
    static const char *const TYPES[DTYPE_COUNT] = {
        [DTYPE_F32] = "float",   [DTYPE_F64] = "double",  [DTYPE_I32] = "int32_t",
        [DTYPE_I64] = "int64_t", [DTYPE_BOOL] = "int8_t", [DTYPE_F16] = "uint16_t"};
    return TYPES[t];
}

struct plain_part { /* of a plain dimension that a dimension of the task is */
    int of;
    int64_t step;
};

/* The dimensions of the task's tensor, as parts of plain ones. Blocked: NCHWc has five, OIHWio six. */
static int plain_parts(const struct op *op, bool blocked, struct plain_part *parts, int64_t *plain)
{
    static const int OF5[] = {0, 1, 2, 3, 1}, OF6[] = {0, 1, 2, 3, 1, 0};
    int n = op->nspatial;
    const int *of = blocked && n == 5 ? OF5 : blocked && n == 6 ? OF6 : NULL;
    for (int d = 0; d < n; d++) {
        parts[d] = (struct plain_part){of ? of[d] : d, 1};
        plain[d] = 1;
    }
    for (int d = n - 1; d >= 0; d--) {
        parts[d].step = plain[parts[d].of];
        plain[parts[d].of] *= op->axes[d].extent;
    }
    return of ? 4 : n;
}

static void set_strides(struct tensor_map *m)
{
    int64_t stride[TENSOR_DIMS], next = 1;
    for (int d = m->nplain - 1; d >= 0; d--) {
        stride[d] = next;
        next *= m->plain[d];
    }
    m->plain_elements = next;
    m->elements = 1;
    int64_t run = 1, last[TENSOR_DIMS] = {0};
    m->same = true;
    for (int d = m->ndim - 1; d >= 0; d--) {
        m->stride[d] = m->step[d] * stride[m->of[d]];
        m->elements *= m->extent[d];
        last[m->of[d]] += (m->extent[d] - 1) * m->step[d];
        m->same = m->same && (m->extent[d] == 1 || m->stride[d] == run);
        run *= m->extent[d];
    }
    for (int d = 0; d < m->nplain; d++)
        m->holes |= last[d] >= m->plain[d];
    m->same = m->same && !m->holes;
}

void tensor_map_of(const struct task *t, const struct nest *n, int i, struct tensor_map *out)
{
    const struct buffer *b = n->buffers[i];
    const struct op *op = task_arg_op(t, i);
    struct plain_part parts[TENSOR_DIMS];
    bool blocked = strstr(t->spec, "layout=nchwc") && (op->nspatial == 5 || op->nspatial == 6);
    *out = (struct tensor_map){.type = c_type(b->dtype), .dtype = dtype_name(b->dtype), .weight = t->is_weight[i]};
    c_name(b->name, out->name, sizeof out->name);
    out->nplain = plain_parts(op, blocked, parts, out->plain);
    out->ndim = b->npacked ? b->npacked : op->nspatial;
    if (out->ndim > TENSOR_DIMS)
        bug("a packed weight of %d dimensions", out->ndim);
    for (int d = 0; d < out->ndim; d++) {
        const struct dim_map whole = {.dim = d, .stride = 1}, *m = b->npacked ? &b->packed[d] : &whole;
        out->extent[d] = b->npacked ? b->extent[d] : op->axes[d].extent;
        out->of[d] = parts[m->dim].of;
        out->step[d] = parts[m->dim].step * m->stride;
    }
    set_strides(out);
    out->order = out->same ? "as it is" : b->npacked ? "packed" : op->nspatial == 5 ? "NCHWc" : "OIHWio";
}

struct affine tensor_map_offset(const struct tensor_map *m, struct atoms *p, const struct affine *index)
{
    struct affine sum = affine_const(0);
    for (int d = 0; d < m->ndim; d++)
        sum = affine_add_scaled(p, sum, index[d], m->stride[d]);
    return sum;
}
