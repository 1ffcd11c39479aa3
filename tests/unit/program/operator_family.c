/* SPDX-License-Identifier: Apache-2.0 */
/* operator_family: operators with random keys, so that a definition holds for every member and not for the published
 * kernels only: odd sizes, windows, strides and dilations that differ by side, uneven padding, groups, channel
 * multipliers, every epilogue and order, three layouts. Each member: the graph in double precision, whole and by single
 * elements, equals loops written here from the definition; its FLOP count equals TVM's FlopEstimator; unscheduled, with
 * a random schedule and with programs of its own sketches its nest computes the same.
 *
 * RAINGAUGE_PROPERTY=n tries n members of each operator. */
#include "harness/program/interp/interp.h"
#include "harness/program/lower/bound.h"
#include "search/sketch/draw.h"
#include "tests/lib/fixture.h"
#include "tests/lib/random_schedule.h"
#include "tests/lib/share_test.h"
#include "tests/lib/tap.h"

#include <math.h>

/* ---- a member: conv2d, depthwise_conv2d or pool2d ---- */

enum { NCHW, NHWC, NCHWC };
static const char *const layouts[] = {"nchw", "nhwc", "nchwc"};

struct side { /* height or width */
    int64_t in, kernel, stride, dilation, before, after, out;
};
struct member {
    bool depthwise, pool, max, include_pad;
    int layout;
    int64_t n, ci, co, groups, cib, cob;
    struct side h, w;
    int bias, scale, add, residual_first, relu, clip;
};

static int64_t some(struct rng *r, int64_t least, int64_t most)
{
    return least + (int64_t)rng_below(r, (uint64_t)(most - least + 1));
}

static int64_t divisor_of(struct rng *r, int64_t v)
{
    int64_t d[DIVISORS_MAX];
    return d[rng_below(r, (uint64_t)divisors(v, d))];
}

static struct side some_side(struct rng *r, bool pool)
{
    struct side s = {.kernel = some(r, 1, 4), .stride = some(r, 1, 3)};
    s.dilation = some(r, 1, 2);
    int64_t reach = (s.kernel - 1) * s.dilation + 1, most = pool ? s.kernel - 1 : 2;
    s.before = some(r, 0, most < 2 ? most : 2); /* a window of a pooling must meet the input */
    s.after = some(r, 0, most < 2 ? most : 2);
    s.in = some(r, reach > 1 ? reach - 1 : 1, reach + 5);
    if (s.in + s.before + s.after < reach)
        s.in = reach;
    s.out = (s.in + s.before + s.after - reach) / s.stride + 1;
    while (pool && (s.out - 1) * s.stride - s.before >= s.in) /* the last window lies outside of it */
        s.in++, s.out = (s.in + s.before + s.after - reach) / s.stride + 1;
    return s;
}

static struct member some_member(struct rng *r, const char *kind)
{
    struct member m = {.depthwise = str_starts(kind, "depth"), .pool = str_starts(kind, "pool")};
    m.layout = (int)some(r, 0, 2);
    m.n = some(r, 1, 2);
    m.h = some_side(r, m.pool);
    m.w = some_side(r, m.pool);
    m.groups = !m.depthwise && !m.pool && some(r, 0, 3) == 0 ? 2 : 1;
    m.ci = m.groups * some(r, 1, 4);
    m.co = m.pool ? m.ci : m.depthwise ? m.ci * some(r, 1, 2) : m.groups * some(r, 1, 5);
    m.cib = divisor_of(r, m.ci / m.groups);
    m.cob = m.pool ? m.cib : divisor_of(r, m.co);
    if (m.pool) {
        m.max = some(r, 0, 1);
        m.include_pad = !m.max && some(r, 0, 1);
        return m;
    }
    m.bias = (int)some(r, 0, 1);
    m.scale = some(r, 0, 3) == 0;
    m.add = some(r, 0, 2) == 0;
    m.residual_first = m.add && some(r, 0, 1);
    int end = (int)some(r, 0, 2);
    m.relu = end == 1;
    m.clip = end == 2;
    return m;
}

static const char *spec_of(struct arena *a, const struct member *m)
{
    struct text t = {0};
    const struct side *h = &m->h, *w = &m->w;
    text_printf(&t, "%s n=%d hi=%d wi=%d kh=%d kw=%d sh=%d sw=%d dh=%d dw=%d ph=%d,%d pw=%d,%d layout=%s",
                m->pool        ? "pool2d"
                : m->depthwise ? "depthwise_conv2d"
                               : "conv2d",
                (int)m->n, (int)h->in, (int)w->in, (int)h->kernel, (int)w->kernel, (int)h->stride, (int)w->stride,
                (int)h->dilation, (int)w->dilation, (int)h->before, (int)h->after, (int)w->before, (int)w->after,
                layouts[m->layout]);
    if (m->pool)
        text_printf(&t, " c=%d pool=%s include_pad=%d", (int)m->ci, m->max ? "max" : "avg", m->include_pad);
    else
        text_printf(&t, " ci=%d co=%d bias=%d scale=%d add=%d order=%s relu=%d clip=%d", (int)m->ci, (int)m->co,
                    m->bias, m->scale, m->add, m->residual_first ? "residual" : "data", m->relu, m->clip);
    if (m->groups > 1)
        text_printf(&t, " groups=%d", (int)m->groups);
    if (m->layout == NCHWC && m->pool)
        text_printf(&t, " cb=%d", (int)m->cib);
    else if (m->layout == NCHWC)
        text_printf(&t, " cib=%d cob=%d", (int)m->cib, (int)m->cob);
    const char *s = arena_str(a, text_str(&t));
    text_free(&t);
    return s;
}

/* ---- what it should compute ---- */

static int64_t place(const struct member *m, int64_t channels, int64_t block, int64_t height, int64_t width,
                     const int64_t at[4])
{
    int64_t n = at[0], c = at[1], y = at[2], x = at[3];
    if (m->layout == NHWC)
        return ((n * height + y) * width + x) * channels + c;
    if (m->layout == NCHW)
        return ((n * channels + c) * height + y) * width + x;
    return (((n * (channels / block) + c / block) * height + y) * width + x) * block + c % block;
}

static int64_t filter_place(const struct member *m, int64_t f, int64_t i, int64_t y, int64_t x)
{
    int64_t in = m->ci / m->groups, kh = m->h.kernel, kw = m->w.kernel, times = m->co / m->ci;
    if (m->depthwise && m->layout == NCHWC)
        return ((f / m->cob * kh + y) * kw + x) * m->cob + f % m->cob;
    if (m->depthwise)
        return m->layout == NCHW ? (f * kh + y) * kw + x : ((y * kw + x) * m->ci + f / times) * times + f % times;
    if (m->layout == NHWC)
        return ((y * kw + x) * in + i) * m->co + f;
    if (m->layout == NCHW)
        return ((f * in + i) * kh + y) * kw + x;
    return ((((f / m->cob * (in / m->cib) + i / m->cib) * kh + y) * kw + x) * m->cib + i % m->cib) * m->cob +
           f % m->cob;
}

struct window_sum {
    double sum, most;
    int inside;
};

/* One window over input channel c; the filter is that of output channel f and input channel i of its group (or NULL).
 */
static void window_add(const struct member *m, const float *data, const float *filter, const int64_t at[4], int64_t c,
                       int64_t i, struct window_sum *s)
{
    for (int64_t ky = 0; ky < m->h.kernel; ky++)
        for (int64_t kx = 0; kx < m->w.kernel; kx++) {
            int64_t y = at[2] * m->h.stride + ky * m->h.dilation - m->h.before;
            int64_t x = at[3] * m->w.stride + kx * m->w.dilation - m->w.before;
            if (y < 0 || y >= m->h.in || x < 0 || x >= m->w.in)
                continue;
            double v = (double)data[place(m, m->ci, m->cib, m->h.in, m->w.in, (const int64_t[]){at[0], c, y, x})];
            s->sum += filter ? v * (double)filter[filter_place(m, at[1], i, ky, kx)] : v;
            s->most = fmax(s->most, v);
            s->inside++;
        }
}

static double epilogue(const struct member *m, const float *const *args, int64_t f, int64_t element, double v)
{
    int at = 2;
    if (m->bias)
        v += (double)args[at++][f];
    if (m->scale) {
        v = v * (double)args[at][f] + (double)args[at + 1][f];
        at += 2;
    }
    if (m->add)
        v += (double)args[at][element];
    return m->relu ? fmax(v, 0) : m->clip ? fmax(fmin(v, 6), 0) : v;
}

static double point(const struct member *m, const float *const *args, const int64_t at[4], int64_t element)
{
    struct window_sum s = {.most = -INFINITY};
    int64_t f = at[1], many = m->depthwise || m->pool ? 1 : m->ci / m->groups;
    for (int64_t i = 0; i < many; i++) {
        int64_t c = m->pool ? f : m->depthwise ? f / (m->co / m->ci) : f / (m->co / m->groups) * many + i;
        window_add(m, args[0], m->pool ? NULL : args[1], at, c, i, &s);
    }
    if (!m->pool)
        return epilogue(m, args, f, element, s.sum);
    int64_t whole = m->h.kernel * m->w.kernel;
    return m->max ? s.most : s.sum / (double)(m->include_pad ? whole : s.inside > 1 ? s.inside : 1);
}

/* TVM's count: a product and a sum per term, one per further operation; padding is on indices and free. */
static double flops(const struct member *m)
{
    double out = (double)(m->n * m->co * m->h.out * m->w.out), taps = (double)(m->h.kernel * m->w.kernel);
    if (m->pool)
        return out * (taps + (m->max ? 0 : 1));
    int64_t channels = m->depthwise ? 1 : m->ci / m->groups;
    double terms = taps * (double)channels;
    return out * (2 * terms + m->bias + 2 * m->scale + m->add + m->relu + 2 * m->clip);
}

/* ---- the checks ---- */

static int64_t members, wrong_values, wrong_flops, wrong_nests, nests;

static void complain(const char *spec, const char *what)
{
    if (wrong_values + wrong_flops + wrong_nests < 4)
        diag("%s: %s", spec, what);
}

static void check_nests(const struct trial_task *t, const char *spec, struct rng *r)
{
    struct space sp;
    struct err err = {0};
    struct state *states[5] = {state_new(arena, t->task), random_schedule_make(arena, t->task, r)};
    share_test_space(&sp, arena, spec, 2);
    for (int i = 2; i < 5; i++)
        states[i] = draw_state(&sp, arena, r, NULL, NULL);
    fixture_must(bound_infer(states[0], &err), &err);
    for (int i = 0; i < 5; i++) {
        bool done = false;
        if (states[i] && !random_schedule_run(arena, t, states[i], (enum layout_mode)(i % 3), 2000000, &done, &err)) {
            complain(spec, err.text);
            wrong_nests++;
        }
        nests += done;
    }
}

/* want: element by element of the output; count: TVM's, NAN where it differs by design. */
static void check(const char *spec, const struct trial_task *t, const double *want, double count, struct rng *r)
{
    int64_t wrong = 0;
    struct interp *in = interp_open(t->task, (const void *const *)t->args);
    for (int64_t i = 0; i < t->nout; i++)
        wrong += !(fabs(t->want[i] - want[i]) <= 1e-12 * (1 + fabs(want[i])));
    for (int64_t i = t->nout - 1; i >= 0; i -= 1 + t->nout / 37)
        wrong += !(fabs(interp_point(in, i) - want[i]) <= 1e-12 * (1 + fabs(want[i])));
    interp_close(in);
    if (wrong) {
        complain(spec, "other values than by definition");
        wrong_values++;
    }
    if (!isnan(count) && t->task->flops != count) {
        complain(spec, arena_printf(arena, "%.0f FLOP, by formula %.0f", t->task->flops, count));
        wrong_flops++;
    }
    check_nests(t, spec, r);
    members++;
}

static bool open_task(const char *spec, struct rng *r, struct trial_task *t, int64_t nout)
{
    struct err err = {0};
    bool good =
        random_schedule_task(arena, spec, r, t, &err) &&
        (t->nout == nout || err_set(&err, "%lld elements, should be %lld", (long long)t->nout, (long long)nout));
    if (!good) {
        complain(spec, err.text);
        wrong_values++;
    }
    return good;
}

static void windows(const char *kind, struct rng *r)
{
    struct member m = some_member(r, kind);
    const char *spec = spec_of(arena, &m);
    struct trial_task t;
    int64_t nout = m.n * m.co * m.h.out * m.w.out;
    double *want = ARENA_ARRAY(arena, double, nout);
    if (!open_task(spec, r, &t, nout))
        return;
    for (int64_t i = 0; i < nout; i++) {
        int64_t at[4] = {i / (m.co * m.h.out * m.w.out), i / (m.h.out * m.w.out) % m.co, i / m.w.out % m.h.out,
                         i % m.w.out};
        int64_t element = place(&m, m.co, m.cob, m.h.out, m.w.out, at);
        want[element] = point(&m, (const float *const *)t.args, at, element);
    }
    check(spec, &t, want, flops(&m), r);
}

static void dense(const char *kind, struct rng *r)
{
    (void)kind;
    struct member m = {.bias = (int)some(r, 0, 1), .scale = some(r, 0, 2) == 0, .add = some(r, 0, 2) == 0};
    m.n = some(r, 1, 5);
    m.ci = some(r, 1, 20);
    m.co = some(r, 1, 12);
    m.relu = (int)some(r, 0, 1);
    m.clip = !m.relu && some(r, 0, 1);
    const char *spec = arena_printf(arena, "dense n=%d ci=%d co=%d bias=%d scale=%d add=%d order=%s relu=%d clip=%d",
                                    (int)m.n, (int)m.ci, (int)m.co, m.bias, m.scale, m.add,
                                    m.add && some(r, 0, 1) ? "residual" : "data", m.relu, m.clip);
    struct trial_task t;
    double *want = ARENA_ARRAY(arena, double, m.n *m.co);
    if (!open_task(spec, r, &t, m.n * m.co))
        return;
    for (int64_t i = 0; i < m.n * m.co; i++) {
        double sum = 0;
        for (int64_t k = 0; k < m.ci; k++)
            sum +=
                (double)((float *)t.args[0])[i / m.co * m.ci + k] * (double)((float *)t.args[1])[i % m.co * m.ci + k];
        want[i] = epilogue(&m, (const float *const *)t.args, i % m.co, i, sum);
    }
    double each = 2 * (double)m.ci + m.bias + 2 * m.scale + m.add + m.relu + 2 * m.clip;
    check(spec, &t, want, (double)(m.n * m.co) * each, r);
}

/* Windows from floor(o*in/out) to ceil((o+1)*in/out). */
static void adaptive(const char *kind, struct rng *r)
{
    bool global = str_starts(kind, "global"), max = some(r, 0, 1);
    int64_t c = some(r, 1, 4), hi = some(r, 1, 9), wi = some(r, 1, 9), ho = global ? 1 : some(r, 1, hi);
    int64_t wo = global ? 1 : some(r, 1, wi), size = c * ho * wo;
    const char *spec = arena_printf(arena, "%s c=%d hi=%d wi=%d ho=%d wo=%d pool=%s layout=nchw", kind, (int)c, (int)hi,
                                    (int)wi, (int)ho, (int)wo, max ? "max" : "avg");
    struct trial_task t;
    double *want = ARENA_ARRAY(arena, double, size);
    if (!open_task(spec, r, &t, size))
        return;
    for (int64_t i = 0; i < size; i++) {
        int64_t oy = i / wo % ho, ox = i % wo, n = 0;
        double sum = 0, most = -INFINITY;
        for (int64_t y = oy * hi / ho; y < ((oy + 1) * hi + ho - 1) / ho; y++)
            for (int64_t x = ox * wi / wo; x < ((ox + 1) * wi + wo - 1) / wo; x++, n++) {
                double v = (double)((float *)t.args[0])[(i / (ho * wo) * hi + y) * wi + x];
                sum += v;
                most = fmax(most, v);
            }
        want[i] = max ? most : sum / (double)n;
    }
    check(spec, &t, want, NAN, r);
}

static void batch(const char *kind, struct rng *r)
{
    (void)kind;
    int64_t b = some(r, 1, 3), n = some(r, 1, 5), m = some(r, 1, 5), k = some(r, 1, 12);
    const char *spec = arena_printf(arena, "batch_matmul b=%d n=%d m=%d k=%d", (int)b, (int)n, (int)m, (int)k);
    struct trial_task t;
    double *want = ARENA_ARRAY(arena, double, b *n *m);
    if (!open_task(spec, r, &t, b * n * m))
        return;
    for (int64_t i = 0; i < b * n * m; i++)
        for (int64_t x = 0; x < k; x++)
            want[i] += (double)((float *)t.args[0])[i / m * k + x] *
                       (double)((float *)t.args[1])[(i / (n * m) * m + i % m) * k + x];
    check(spec, &t, want, (double)(2 * b * n * m * k), r);
}

static void softmax(const char *kind, struct rng *r)
{
    (void)kind;
    int64_t n = some(r, 1, 6), c = some(r, 1, 20);
    const char *spec = arena_printf(arena, "softmax n=%d c=%d", (int)n, (int)c);
    struct trial_task t;
    double *want = ARENA_ARRAY(arena, double, n *c);
    if (!open_task(spec, r, &t, n * c))
        return;
    for (int64_t i = 0; i < n * c; i++) {
        const float *row = (float *)t.args[0] + i / c * c;
        double sum = 0;
        for (int64_t k = 0; k < c; k++)
            sum += exp((double)row[k]);
        want[i] = exp((double)row[i % c]) / sum;
    }
    check(spec, &t, want, (double)(4 * n * c), r);
}

int main(void)
{
    static const struct {
        const char *kind;
        void (*try)(const char *kind, struct rng *r);
    } KINDS[] = {{"conv2d", windows},     {"depthwise_conv2d", windows}, {"pool2d", windows},
                 {"dense", dense},        {"adaptive_pool2d", adaptive}, {"global_pool2d", adaptive},
                 {"batch_matmul", batch}, {"softmax", softmax}};
    int64_t n = fixture_number("RAINGAUGE_PROPERTY", 60);
    struct rng r;
    rng_seed(&r, 22);
    for (size_t k = 0; k < sizeof KINDS / sizeof *KINDS; k++) {
        members = wrong_values = wrong_flops = wrong_nests = nests = 0;
        for (int64_t i = 0; i < n * (k < 3 ? 3 : 1); i++) {
            KINDS[k].try(KINDS[k].kind, &r);
            arena_reset(arena);
        }
        is_int(wrong_values, 0, "%s: %d tasks compute what the operator's definition says", KINDS[k].kind,
               (int)members);
        is_int(wrong_flops, 0, "%s: all tasks have TVM's FLOP count", KINDS[k].kind);
        is_int(wrong_nests, 0, "%s: %d random loop nests compute what the graph computes", KINDS[k].kind, (int)nests);
        ok(nests > 2 * members, "%s: more than two loop nests a task were short enough to run", KINDS[k].kind);
    }
    return done_testing();
}
