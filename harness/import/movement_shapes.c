/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/import/movement_shapes.h"

#include "harness/base/int_math.h"

#include <math.h>
#include <string.h>

/* The output's shape; its data too where those of the input are given on: the same elements in the same order. */
static bool put(const struct onnx_graph *g, const struct onnx_node *n, const struct onnx_shape *s, bool same_data,
                struct err *err)
{
    struct onnx_value *out = onnx_out(g, n, 0);
    if (!out)
        return true;
    out->shape = *s;
    const struct onnx_value *in = onnx_in(g, n, 0);
    if (same_data && in->data && onnx_elements(s) == onnx_elements(&in->shape))
        out->data = in->data;
    return onnx_shape_check(s, err);
}

/* Space for the data of the output, where there are few enough. */
static double *known(const struct onnx_graph *g, const struct onnx_shape *s)
{
    int64_t n = onnx_elements(s);
    return n <= ONNX_KNOWN ? ARENA_ARRAY(g->arena, double, n + 1) : NULL;
}

/* The output's data, where those of the input are known: element (i, j, ...) is element first + i * steps[0] + j *
 * steps[1] ... of the input. */
static void choose(const struct onnx_graph *g, const struct onnx_node *n, const struct onnx_shape *s, int64_t first,
                   const int64_t steps[ONNX_RANK])
{
    const struct onnx_value *in = onnx_in(g, n, 0);
    struct onnx_value *out = onnx_out(g, n, 0);
    double *data = in->data && out ? known(g, s) : NULL;
    for (int64_t i = 0; data && i < onnx_elements(s); i++) {
        int64_t at = first, rest = i;
        for (int k = s->rank - 1; k >= 0; k--) {
            at += rest % s->dims[k] * steps[k];
            rest /= s->dims[k];
        }
        data[i] = in->data[at];
    }
    if (data)
        out->data = data;
}

/* How far apart in memory the elements of each axis are. */
static void row_steps(const struct onnx_shape *s, int64_t steps[ONNX_RANK])
{
    int64_t step = 1;
    for (int k = s->rank - 1; k >= 0; k--) {
        steps[k] = step;
        step = sat_mul(step, s->dims[k]);
    }
}

static bool bad_axis(int64_t axis, int rank, struct err *err)
{
    return err_set(err, "axis %lld of a tensor of %d axes", (long long)axis, rank);
}

/* A list that must be there. */
static bool needed(const struct onnx_graph *g, const struct onnx_node *n, const char *name, int input,
                   int64_t list[ONNX_RANK], int *count, struct err *err)
{
    return onnx_list(g, n, name, input, list, count, err) &&
           (*count >= 0 || err_set(err, "its '%s' is not given", name));
}

bool infer_reshape(struct onnx_graph *g, const struct onnx_node *n, struct err *err)
{
    const struct onnx_shape *in = &onnx_in(g, n, 0)->shape;
    struct onnx_shape s = {0};
    int open = -1;
    int64_t all = onnx_elements(in), rest = 1;
    if (!needed(g, n, "shape", 1, s.dims, &s.rank, err))
        return false;
    for (int i = 0; i < s.rank; i++) {
        if (s.dims[i] == 0 && !onnx_int(n, "allowzero", 0) && i < in->rank)
            s.dims[i] = in->dims[i];
        if (s.dims[i] == -1)
            open = i;
        else
            rest = sat_mul(rest, s.dims[i]);
    }
    if (open >= 0)
        s.dims[open] = rest > 0 ? all / rest : 0;
    if (onnx_elements(&s) != all)
        return err_set(err, "%lld elements cannot have the new shape, of %lld", (long long)all,
                       (long long)onnx_elements(&s));
    return put(g, n, &s, true, err);
}

bool infer_flatten(struct onnx_graph *g, const struct onnx_node *n, struct err *err)
{
    const struct onnx_shape *in = &onnx_in(g, n, 0)->shape;
    int64_t axis = onnx_int(n, "axis", 1);
    struct onnx_shape s = {2, {1, 1}};
    axis += axis < 0 ? in->rank : 0;
    for (int i = 0; i < in->rank; i++)
        s.dims[i >= axis] = sat_mul(s.dims[i >= axis], in->dims[i]);
    return put(g, n, &s, true, err);
}

bool infer_squeeze(struct onnx_graph *g, const struct onnx_node *n, struct err *err)
{
    const struct onnx_shape *in = &onnx_in(g, n, 0)->shape;
    int64_t axes[ONNX_RANK];
    int count;
    bool gone[ONNX_RANK] = {0};
    struct onnx_shape s = {0};
    if (!onnx_list(g, n, "axes", 1, axes, &count, err))
        return false;
    for (int i = 0; i < count; i++) {
        int axis = onnx_axis(axes[i], in->rank);
        if (axis < 0 || in->dims[axis] != 1)
            return axis < 0 ? bad_axis(axes[i], in->rank, err) : err_set(err, "axis %d is not 1 long", axis);
        gone[axis] = true;
    }
    for (int i = 0; i < in->rank; i++)
        if (count < 0 ? in->dims[i] != 1 : !gone[i])
            s.dims[s.rank++] = in->dims[i];
    return put(g, n, &s, true, err);
}

bool infer_unsqueeze(struct onnx_graph *g, const struct onnx_node *n, struct err *err)
{
    const struct onnx_shape *in = &onnx_in(g, n, 0)->shape;
    int64_t axes[ONNX_RANK];
    int count, from = 0;
    bool fresh[ONNX_RANK] = {0};
    if (!needed(g, n, "axes", 1, axes, &count, err))
        return false;
    struct onnx_shape s = {.rank = in->rank + count};
    if (s.rank > ONNX_RANK)
        return err_set(err, "its output has %d axes, at most %d are read", s.rank, ONNX_RANK);
    for (int i = 0; i < count; i++) {
        int axis = onnx_axis(axes[i], s.rank);
        if (axis < 0 || fresh[axis])
            return bad_axis(axes[i], s.rank, err);
        fresh[axis] = true;
    }
    for (int i = 0; i < s.rank; i++)
        s.dims[i] = fresh[i] ? 1 : in->dims[from++];
    return put(g, n, &s, true, err);
}

bool infer_transpose(struct onnx_graph *g, const struct onnx_node *n, struct err *err)
{
    const struct onnx_shape *in = &onnx_in(g, n, 0)->shape;
    int64_t order[ONNX_RANK], steps[ONNX_RANK], moved[ONNX_RANK];
    int count;
    bool seen[ONNX_RANK] = {0};
    struct onnx_shape s = {.rank = in->rank};
    if (!onnx_list(g, n, "perm", -1, order, &count, err))
        return false;
    row_steps(in, steps);
    if (count >= 0 && count != in->rank)
        return err_set(err, "'perm' has %d numbers for %d axes", count, in->rank);
    for (int i = 0; i < in->rank; i++) {
        int axis = count < 0 ? in->rank - 1 - i : onnx_axis(order[i], in->rank);
        if (axis < 0 || seen[axis])
            return err_set(err, "'perm' is no order of %d axes", in->rank);
        seen[axis] = true;
        s.dims[i] = in->dims[axis];
        moved[i] = steps[axis];
    }
    choose(g, n, &s, 0, moved);
    return put(g, n, &s, false, err);
}

bool infer_concat(struct onnx_graph *g, const struct onnx_node *n, struct err *err)
{
    struct onnx_shape s = onnx_in(g, n, 0)->shape;
    int axis = onnx_axis(onnx_int(n, "axis", 0), s.rank);
    if (axis < 0)
        return bad_axis(onnx_int(n, "axis", 0), s.rank, err);
    bool all_known = onnx_in(g, n, 0)->data != NULL;
    for (int i = 1; i < n->nin; i++) {
        const struct onnx_value *v = onnx_in(g, n, i);
        if (!v || v->shape.rank != s.rank)
            return err_set(err, "its inputs differ in their number of axes");
        for (int k = 0; k < s.rank; k++)
            if (k != axis && v->shape.dims[k] != s.dims[k])
                return err_set(err, "its inputs differ in axis %d, %lld against %lld", k, (long long)s.dims[k],
                               (long long)v->shape.dims[k]);
        s.dims[axis] = sat_add(s.dims[axis], v->shape.dims[axis]);
        all_known = all_known && v->data;
    }
    struct onnx_value *out = onnx_out(g, n, 0);
    double *data = all_known && s.rank == 1 && out ? known(g, &s) : NULL;
    for (int64_t i = 0, at = 0; data && i < n->nin; i++) {
        const struct onnx_value *v = onnx_in(g, n, (int)i);
        memcpy(data + at, v->data, sizeof *data * (size_t)v->shape.dims[0]);
        at += v->shape.dims[0];
    }
    if (data)
        out->data = data;
    return put(g, n, &s, n->nin == 1, err);
}

bool infer_split(struct onnx_graph *g, const struct onnx_node *n, struct err *err)
{
    const struct onnx_value *in = onnx_in(g, n, 0);
    const Onnx__Attribute *given = onnx_attribute(n, "split");
    const struct onnx_value *sizes = given ? NULL : onnx_in(g, n, 1);
    int axis = onnx_axis(onnx_int(n, "axis", 0), in->shape.rank);
    if (axis < 0)
        return bad_axis(onnx_int(n, "axis", 0), in->shape.rank, err);
    int64_t whole = in->shape.dims[axis], part = (whole + n->nout - 1) / (n->nout ? n->nout : 1), at = 0;
    if (sizes && (!sizes->data || onnx_elements(&sizes->shape) < n->nout))
        return err_set(err, "its 'split' is computed from data, or too short");
    if (given && given->n_ints < (size_t)n->nout)
        return err_set(err, "its 'split' is too short");
    for (int i = 0; i < n->nout; i++) {
        struct onnx_value *out = onnx_out(g, n, i);
        int64_t size = given               ? given->ints[i]
                       : sizes             ? onnx_whole(sizes->data[i])
                       : part < whole - at ? part
                                           : whole - at;
        if (size < 0 || size > whole - at)
            return err_set(err, "its parts are longer than the %lld of axis %d", (long long)whole, axis);
        if (out) {
            out->shape = in->shape;
            out->shape.dims[axis] = size;
            if (in->data && in->shape.rank == 1)
                out->data = in->data + at;
        }
        at += size;
    }
    return true;
}

/* Where a bound of a slice lies: from the end if it is below 0, and within least ... most. */
static int64_t bound_of(int64_t v, int64_t length, int64_t least, int64_t most)
{
    v += v < 0 ? length : 0;
    return v < least ? least : v > most ? most : v;
}

bool infer_slice(struct onnx_graph *g, const struct onnx_node *n, struct err *err)
{
    const struct onnx_value *in = onnx_in(g, n, 0);
    struct onnx_shape s = in->shape;
    int64_t starts[ONNX_RANK], ends[ONNX_RANK], axes[ONNX_RANK], steps[ONNX_RANK], apart[ONNX_RANK], first = 0;
    int count, nends, naxes, nsteps;
    bool seen[ONNX_RANK] = {0};
    if (!needed(g, n, "starts", 1, starts, &count, err) || !needed(g, n, "ends", 2, ends, &nends, err) ||
        !onnx_list(g, n, "axes", 3, axes, &naxes, err) || !onnx_list(g, n, "steps", 4, steps, &nsteps, err))
        return false;
    if (nends != count || (naxes >= 0 && naxes != count) || (nsteps >= 0 && nsteps != count))
        return err_set(err, "its bounds differ in number");
    row_steps(&in->shape, apart);
    for (int i = 0; i < count; i++) {
        int axis = onnx_axis(naxes < 0 ? i : axes[i], s.rank);
        int64_t step = nsteps < 0 ? 1 : steps[i];
        if (axis < 0 || seen[axis] || step == 0 || step == INT64_MIN)
            return axis < 0 || seen[axis] ? bad_axis(naxes < 0 ? i : axes[i], s.rank, err)
                                          : err_set(err, "a step is 0");
        seen[axis] = true;
        int64_t n_axis = in->shape.dims[axis];
        int64_t from = bound_of(starts[i], n_axis, 0, step > 0 ? n_axis : n_axis - 1);
        int64_t to = step > 0 ? bound_of(ends[i], n_axis, 0, n_axis) : bound_of(ends[i], n_axis, -1, n_axis - 1);
        int64_t span = step > 0 ? to - from : from - to, by = step > 0 ? step : -step;
        s.dims[axis] = span > 0 ? (span - 1) / by + 1 : 0;
        first += s.dims[axis] ? from * apart[axis] : 0;
        apart[axis] = s.dims[axis] > 1 ? apart[axis] * step : 0;
    }
    choose(g, n, &s, first, apart);
    return put(g, n, &s, false, err);
}

bool infer_gather(struct onnx_graph *g, const struct onnx_node *n, struct err *err)
{
    const struct onnx_value *in = onnx_in(g, n, 0), *at = onnx_in(g, n, 1);
    int axis = onnx_axis(onnx_int(n, "axis", 0), in->shape.rank);
    struct onnx_shape s = {0};
    if (axis < 0)
        return bad_axis(onnx_int(n, "axis", 0), in->shape.rank, err);
    if (in->shape.rank - 1 + at->shape.rank > ONNX_RANK)
        return err_set(err, "its output has more than %d axes", ONNX_RANK);
    for (int i = 0; i < in->shape.rank; i++) {
        for (int k = 0; i == axis && k < at->shape.rank; k++)
            s.dims[s.rank++] = at->shape.dims[k];
        if (i != axis)
            s.dims[s.rank++] = in->shape.dims[i];
    }
    struct onnx_value *out = onnx_out(g, n, 0);
    double *data = in->data && at->data && in->shape.rank == 1 && out ? known(g, &s) : NULL;
    for (int64_t i = 0; data && i < onnx_elements(&s); i++) {
        int64_t k = onnx_whole(at->data[i]);
        k += k < 0 ? in->shape.dims[0] : 0;
        if (k < 0 || k >= in->shape.dims[0])
            return err_set(err, "index %lld of %lld elements", (long long)k, (long long)in->shape.dims[0]);
        data[i] = in->data[k];
    }
    if (data)
        out->data = data;
    return put(g, n, &s, false, err);
}

bool infer_gather_nd(struct onnx_graph *g, const struct onnx_node *n, struct err *err)
{
    const struct onnx_shape *in = &onnx_in(g, n, 0)->shape, *at = &onnx_in(g, n, 1)->shape;
    int64_t batch = onnx_int(n, "batch_dims", 0), depth = at->rank ? at->dims[at->rank - 1] : 0;
    struct onnx_shape s = *at;
    if (at->rank < 1 || batch < 0 || batch >= ONNX_RANK || depth < 1 || depth > in->rank - batch ||
        at->rank - 1 + in->rank - batch - depth > ONNX_RANK)
        return err_set(err, "its indices do not fit its input");
    s.rank--;
    for (int i = (int)(batch + depth); i < in->rank; i++)
        s.dims[s.rank++] = in->dims[i];
    return put(g, n, &s, false, err);
}

bool infer_second(struct onnx_graph *g, const struct onnx_node *n, struct err *err)
{
    return put(g, n, &onnx_in(g, n, 1)->shape, false, err);
}

bool infer_expand(struct onnx_graph *g, const struct onnx_node *n, struct err *err)
{
    const struct onnx_value *in = onnx_in(g, n, 0);
    struct onnx_shape wanted = {0}, s = {0};
    int64_t own[ONNX_RANK], steps[ONNX_RANK];
    if (!needed(g, n, "shape", 1, wanted.dims, &wanted.rank, err))
        return false;
    s.rank = in->shape.rank > wanted.rank ? in->shape.rank : wanted.rank;
    row_steps(&in->shape, own);
    for (int i = 1; i <= s.rank; i++) {
        int64_t a = i <= in->shape.rank ? in->shape.dims[in->shape.rank - i] : 1;
        int64_t b = i <= wanted.rank ? wanted.dims[wanted.rank - i] : 1;
        if (a != b && a != 1 && b != 1)
            return err_set(err, "an axis of %lld cannot become one of %lld", (long long)a, (long long)b);
        s.dims[s.rank - i] = a == 1 ? b : a;
        steps[s.rank - i] = a == 1 ? 0 : own[in->shape.rank - i];
    }
    if (!onnx_shape_check(&s, err))
        return false;
    choose(g, n, &s, 0, steps);
    return put(g, n, &s, false, err);
}

bool infer_tile(struct onnx_graph *g, const struct onnx_node *n, struct err *err)
{
    struct onnx_shape s = onnx_in(g, n, 0)->shape;
    int64_t times[ONNX_RANK];
    int count;
    if (!needed(g, n, "repeats", 1, times, &count, err))
        return false;
    if (count != s.rank)
        return err_set(err, "'repeats' has %d numbers for %d axes", count, s.rank);
    for (int i = 0; i < s.rank; i++)
        s.dims[i] = sat_mul(s.dims[i], times[i]);
    return put(g, n, &s, false, err);
}

bool infer_pad(struct onnx_graph *g, const struct onnx_node *n, struct err *err)
{
    struct onnx_shape s = onnx_in(g, n, 0)->shape;
    const struct onnx_value *axes = onnx_in(g, n, 3), *pads = onnx_in(g, n, 1);
    int64_t count = pads ? onnx_elements(&pads->shape) / 2 : 0;
    if (!pads || !pads->data || (axes && (!axes->data || onnx_elements(&axes->shape) != count)))
        return err_set(err, "its 'pads' is computed from data");
    if (count > s.rank || (!axes && count != s.rank))
        return err_set(err, "its pads are for %lld axes, its input has %d", (long long)count, s.rank);
    for (int i = 0; i < count; i++) {
        int axis = axes ? onnx_axis(onnx_whole(axes->data[i]), s.rank) : i;
        if (axis < 0)
            return bad_axis(onnx_whole(axes->data[i]), s.rank, err);
        double longer = pads->data[i] + pads->data[i + count];
        if (!(fabs(longer) < 0x1p48))
            return err_set(err, "its pads are too large");
        s.dims[axis] = sat_add(s.dims[axis], (int64_t)longer);
    }
    return put(g, n, &s, false, err);
}

bool infer_resize(struct onnx_graph *g, const struct onnx_node *n, struct err *err)
{
    struct onnx_shape s = onnx_in(g, n, 0)->shape;
    bool upsample = str_eq(n->op, "Upsample");
    const struct onnx_value *scales = onnx_in(g, n, upsample ? 1 : 2), *sizes = upsample ? NULL : onnx_in(g, n, 3);
    int64_t axes[ONNX_RANK];
    int count;
    if (!onnx_list(g, n, "axes", -1, axes, &count, err))
        return false;
    const struct onnx_value *by = sizes ? sizes : scales;
    if (!by || !by->data || onnx_elements(&by->shape) != (count < 0 ? s.rank : count))
        return err_set(err, "its '%s' is computed from data, or not of all axes", sizes ? "sizes" : "scales");
    for (int i = 0; i < (count < 0 ? s.rank : count); i++) {
        int axis = count < 0 ? i : onnx_axis(axes[i], s.rank);
        if (axis < 0)
            return bad_axis(axes[i], s.rank, err);
        double size = sizes ? by->data[i] : floor((double)s.dims[axis] * by->data[i]);
        if (!(size >= 0 && size < 0x1p48))
            return err_set(err, "axis %d would be %g long", axis, size);
        s.dims[axis] = (int64_t)size;
    }
    return put(g, n, &s, false, err);
}

bool infer_blocks(struct onnx_graph *g, const struct onnx_node *n, struct err *err)
{
    struct onnx_shape s = onnx_in(g, n, 0)->shape;
    int64_t b = onnx_int(n, "blocksize", 0);
    if (s.rank != 4 || b < 1 || b > 65536)
        return err_set(err, "its input must have four axes, its block size be 1 to 65536");
    bool deep = str_eq(n->op, "DepthToSpace");
    s.dims[1] = deep ? s.dims[1] / (b * b) : sat_mul(s.dims[1], b * b);
    for (int i = 2; i < 4; i++)
        s.dims[i] = deep ? sat_mul(s.dims[i], b) : s.dims[i] / b;
    return put(g, n, &s, false, err);
}

bool infer_top(struct onnx_graph *g, const struct onnx_node *n, struct err *err)
{
    struct onnx_shape s = onnx_in(g, n, 0)->shape;
    int64_t k[ONNX_RANK];
    int count, axis = onnx_axis(onnx_int(n, "axis", -1), s.rank);
    if (!needed(g, n, "k", 1, k, &count, err))
        return false;
    if (axis < 0 || count != 1 || k[0] > s.dims[axis])
        return err_set(err, "it takes more than there is");
    s.dims[axis] = k[0];
    for (int i = 0; i < n->nout; i++)
        if (onnx_out(g, n, i))
            onnx_out(g, n, i)->shape = s;
    return onnx_shape_check(&s, err);
}

bool infer_shape(struct onnx_graph *g, const struct onnx_node *n, struct err *err)
{
    const struct onnx_shape *in = &onnx_in(g, n, 0)->shape;
    int64_t from = bound_of(onnx_int(n, "start", 0), in->rank, 0, in->rank);
    int64_t to = bound_of(onnx_int(n, "end", in->rank), in->rank, from, in->rank);
    struct onnx_shape s = {1, {to - from}};
    struct onnx_value *out = onnx_out(g, n, 0);
    double *data = known(g, &s);
    for (int64_t i = from; i < to; i++)
        data[i - from] = (double)in->dims[i];
    if (out)
        *out = (struct onnx_value){.name = out->name,
                                   .type = ONNX_INT64,
                                   .data = data,
                                   .constant = true,
                                   .maker = out->maker,
                                   .is_output = out->is_output};
    return put(g, n, &s, false, err);
}

bool infer_size(struct onnx_graph *g, const struct onnx_node *n, struct err *err)
{
    struct onnx_shape s = {0};
    struct onnx_value *out = onnx_out(g, n, 0);
    double *data = known(g, &s);
    *data = (double)onnx_elements(&onnx_in(g, n, 0)->shape);
    if (out) {
        out->data = data;
        out->constant = true;
        out->type = ONNX_INT64;
    }
    return put(g, n, &s, false, err);
}

bool infer_constant(struct onnx_graph *g, const struct onnx_node *n, struct err *err)
{
    struct onnx_value *out = onnx_out(g, n, 0);
    const Onnx__Attribute *a = n->proto->n_attribute ? n->proto->attribute[0] : NULL;
    if (!out || !a)
        return err_set(err, "it has no value");
    if (a->t)
        return onnx_constant(g, a->t, out, err);
    bool ints = str_eq(a->name, "value_ints"), floats = str_eq(a->name, "value_floats");
    int64_t count = ints ? (int64_t)a->n_ints : floats ? (int64_t)a->n_floats : 1;
    bool whole = ints || str_eq(a->name, "value_int");
    struct onnx_shape s = {ints || floats, {count}};
    double *data = known(g, &s);
    for (int64_t i = 0; data && i < count; i++)
        data[i] = ints ? (double)a->ints[i] : floats ? (double)a->floats[i] : whole ? (double)a->i : (double)a->f;
    out->type = whole ? ONNX_INT64 : ONNX_FLOAT;
    out->data = data;
    out->constant = true;
    return put(g, n, &s, false, err);
}

bool infer_filled(struct onnx_graph *g, const struct onnx_node *n, struct err *err)
{
    struct onnx_shape s = {0};
    struct onnx_value *out = onnx_out(g, n, 0), value = {.type = ONNX_FLOAT};
    const Onnx__Attribute *a = onnx_attribute(n, "value");
    if (!needed(g, n, "shape", 0, s.dims, &s.rank, err) || (a && a->t && !onnx_constant(g, a->t, &value, err)))
        return false;
    double *data = onnx_shape_check(&s, err) ? known(g, &s) : NULL;
    for (int64_t i = 0; data && i < onnx_elements(&s); i++)
        data[i] = value.data ? value.data[0] : 0;
    if (out) {
        out->data = data;
        out->type = value.type;
    }
    return put(g, n, &s, false, err);
}

bool infer_range(struct onnx_graph *g, const struct onnx_node *n, struct err *err)
{
    const struct onnx_value *from = onnx_in(g, n, 0), *to = onnx_in(g, n, 1), *by = onnx_in(g, n, 2);
    if (!from->data || !to->data || !by->data || onnx_elements(&from->shape) != 1 || onnx_elements(&to->shape) != 1 ||
        onnx_elements(&by->shape) != 1)
        return err_set(err, "its bounds are computed from data");
    double count = ceil((to->data[0] - from->data[0]) / by->data[0]);
    if (!(count < 0x1p31))
        return err_set(err, "it has no end");
    struct onnx_shape s = {1, {count > 0 ? (int64_t)count : 0}};
    struct onnx_value *out = onnx_out(g, n, 0);
    double *data = known(g, &s);
    for (int64_t i = 0; data && i < s.dims[0]; i++)
        data[i] = from->data[0] + (double)i * by->data[0];
    if (out) {
        out->data = data;
        out->type = from->type;
    }
    return put(g, n, &s, false, err);
}
