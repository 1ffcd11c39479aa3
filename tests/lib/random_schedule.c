/* SPDX-License-Identifier: Apache-2.0 */
/* random_schedule: schedules are grown by proposing steps and keeping those that apply. Half of the proposals are
 * sensible (what a sketch rule would do), half are anything; a compute-at is kept only if bounds can still be inferred.
 */
#include "tests/lib/random_schedule.h"

#include "harness/program/interp/interp.h"
#include "harness/program/ir/half.h"
#include "harness/program/lower/bound.h"
#include "harness/program/lower/layout.h"
#include "tests/lib/interp_nest.h"
#include "tests/lib/tap.h"

#include <math.h>
#include <string.h>

const char *const RANDOM_SCHEDULE_SPECS[] = {
    "conv2d ci=4 hi=6 wi=5 co=6 kh=3 kw=3 ph=1 pw=1 cib=2 cob=3 bias=1 relu=1",
    "conv2d ci=4 hi=7 wi=7 co=4 kh=3 kw=3 sh=2 sw=2 ph=1 pw=1 cib=4 cob=2 bias=1 add=1 relu=1",
    "conv2d ci=6 hi=5 wi=4 co=4 kh=1 kw=1 cib=3 cob=4 add=1 order=residual",
    "conv2d ci=3 hi=6 wi=6 co=4 kh=3 kw=3 ph=1 pw=1 layout=nchw relu=1",
    "conv2d ci=4 hi=5 wi=5 co=6 kh=3 kw=3 ph=1 pw=1 layout=nhwc bias=1 clip=1",
    "conv2d ci=4 hi=5 wi=5 co=4 kh=3 kw=3 dh=2 dw=2 ph=2 pw=2 cib=2 cob=2 groups=2",
    "depthwise_conv2d ci=6 hi=6 wi=5 kh=3 kw=3 sh=2 sw=1 ph=1 pw=1 cib=3 cob=3 bias=1 clip=1",
    "depthwise_conv2d ci=3 hi=5 wi=5 co=6 kh=3 kw=3 ph=1 pw=1 layout=nhwc",
    "winograd ci=2 hi=4 wi=4 co=3 ph=1 pw=1 tile=2 bias=1 relu=1",
    "im2col n=2 ci=2 hi=5 wi=5 co=3 kh=3 kw=2 sh=2",
    "dense n=3 ci=10 co=7 bias=1 relu=1",
    "matmul n=6 m=5 k=7",
    "batch_matmul b=2 n=4 m=3 k=5",
    "pool2d c=4 hi=7 wi=7 cb=2 kh=3 kw=3 sh=2 sw=2 ph=1 pw=1 pool=max",
    "pool2d c=3 hi=6 wi=6 kh=3 kw=3 sh=2 sw=2 ph=1 pw=1 pool=avg layout=nchw",
    "adaptive_pool2d c=3 hi=7 wi=5 ho=3 wo=2 pool=avg layout=nchw",
    "global_pool2d c=6 hi=4 wi=5 cb=3",
    "softmax n=4 c=9",
    "softmax n=2 h=2 w=3 c=5",
    "reduce n=4 m=13 by=sum",
    "reduce n=0 m=17 by=max",
    "reduce n=5 m=6 by=min",
    "reduce n=3 h=4 m=7",
    "layer_norm n=5 c=12",
    "map n=3 c=7 by=relu",
    "map n=2 c=3 h=4 w=5 by=tanh",
    "mean c=6 hi=4 wi=5 cb=3",
    "rms_norm n=5 c=12",
    "dense n=3 ci=10 co=7 bias=1 act=gelu",
    "dense n=4 ci=9 co=6 act=gelu_tanh",
    "conv2d ci=4 hi=5 wi=4 co=6 kh=1 kw=1 bias=1 act=hard_swish",
    "conv2d ci=4 hi=5 wi=5 co=6 kh=3 kw=3 ph=1 pw=1 layout=nhwc bias=1 act=silu",
    "conv2d_transpose ci=3 hi=3 wi=4 co=4 kh=3 kw=4 sh=2 sw=2 ph=1 pw=1 bias=1 act=tanh",
    "conv2d_transpose ci=3 hi=4 wi=3 co=4 kh=4 kw=3 sh=2 sw=1 ph=1 pw=0,1 form=cuda relu=1",
    "conv3d ci=2 di=4 hi=5 wi=4 co=3 kd=3 kh=3 kw=2 sd=1 sh=2 pd=1 ph=1 act=sigmoid",
    "conv3d ci=3 di=3 hi=4 wi=4 co=4 kd=2 kh=3 kw=3 ph=1 pw=1 layout=ndhwc bias=1",
    "conv2d_transpose ci=4 hi=3 wi=3 co=4 kh=3 kw=3 sh=2 sw=2 ph=1 pw=1 oh=1 form=x86 cib=2 cob=4 bias=1",
    "resize2d c=2 hi=3 wi=4 ho=6 wo=5",
    "resize2d c=3 hi=4 wi=3 ho=7 wo=4 layout=nhwc coords=align_corners",
    NULL,
};

static int64_t pick(struct rng *r, int64_t n)
{
    return n > 0 ? (int64_t)rng_below(r, (uint64_t)n) : 0;
}

static bool one_in(struct rng *r, int n)
{
    return rng_below(r, (uint64_t)n) == 0;
}

/* Applies the step to a copy; the copy is the result if all went well. */
static bool propose(struct state **s, const struct step *step)
{
    struct state *try = state_copy((*s)->arena, *s);
    struct err err;
    if (!state_apply(try, step, &err))
        return false;
    *s = try;
    return true;
}

static int any_stage(const struct state *s, struct rng *r)
{
    return (int)pick(r, s->nstages);
}

static int compute_stage(const struct state *s, struct rng *r)
{
    for (int tries = 0; tries < 20; tries++) {
        int i = any_stage(s, r);
        if (s->stages[i].op->kind == OP_COMPUTE && s->stages[i].at != AT_INLINED)
            return i;
    }
    return s->nstages - 1;
}

static int64_t random_length(struct rng *r, int64_t extent)
{
    if (extent > 1 && one_in(r, 2)) /* a divisor */
        for (int tries = 0; tries < 8; tries++) {
            int64_t d = 1 + pick(r, extent);
            if (extent % d == 0)
                return d;
        }
    return 1 + pick(r, one_in(r, 10) ? 9 : extent > 0 && extent < 6 ? extent : 6);
}

static void split(struct state **s, struct rng *r, int stage)
{
    const struct stage *st = &(*s)->stages[stage];
    int64_t lengths[4];
    if (st->nleaf == 0 || st->nleaf > 24)
        return;
    int iter = (int)pick(r, st->nleaf), n = 1 + (int)pick(r, 3);
    for (int i = 0; i < n; i++)
        lengths[i] = random_length(r, stage_iter(st, iter)->extent);
    struct step step = {.kind = STEP_SP, .stage = stage, .iter = iter, .list = lengths, .n = n, .flag = !one_in(r, 3)};
    propose(s, &step);
}

static void follow(struct state **s, struct rng *r, int stage)
{
    int64_t sources[2];
    const struct stage *st = &(*s)->stages[stage];
    int n = 0;
    for (int tries = 0; tries < 10 && n < 2; tries++) {
        int64_t i = pick(r, (*s)->nsteps);
        if ((*s)->nsteps > 0 && (*s)->steps[i].kind == STEP_SP)
            sources[n++] = i;
    }
    if (n == 0 || st->nleaf > 24)
        return;
    struct step step = {.kind = STEP_FSP, .stage = stage, .iter = (int)pick(r, st->nleaf), .value = sources[0]};
    step.value2 = 1 + pick(r, (*s)->steps[sources[0]].n);
    if (one_in(r, 3))
        step = (struct step){
            .kind = STEP_FFSP, .stage = stage, .iter = step.iter, .list = sources, .n = n, .flag = one_in(r, 2)};
    propose(s, &step);
}

static void fuse(struct state **s, struct rng *r, int stage)
{
    int64_t list[8];
    int have = (*s)->stages[stage].nleaf, n = 1 + (int)pick(r, 4);
    int first = (int)pick(r, have);
    for (int i = 0; i < n; i++)
        list[i] = first + i;
    struct step step = {.kind = STEP_FU, .stage = stage, .list = list, .n = one_in(r, 40) ? 0 : n};
    propose(s, &step);
}

static void reorder(struct state **s, struct rng *r, int stage)
{
    int order[ITERS_MAX];
    int64_t list[ITERS_MAX];
    int n = (*s)->stages[stage].nleaf;
    for (int i = 0; i < n; i++)
        order[i] = i;
    rng_shuffle(r, order, n);
    for (int i = 0; i < n; i++)
        list[i] = order[i];
    struct step step = {.kind = STEP_RE, .stage = stage, .list = list, .n = n};
    propose(s, &step);
}

static void annotate(struct state **s, struct rng *r, int stage)
{
    static const enum annotation KINDS[] = {ANN_UNROLL, ANN_VECTORIZE, ANN_PARALLEL};
    int n = (*s)->stages[stage].nleaf;
    enum annotation kind = KINDS[pick(r, 3)];
    struct step step = {.kind = STEP_AN, .stage = stage, .value = kind};
    step.iter = kind == ANN_VECTORIZE ? n - 1 : kind == ANN_PARALLEL ? 0 : (int)pick(r, n);
    if (kind == ANN_PARALLEL && (*s)->stages[stage].at != AT_ROOT)
        return;
    if (n > 0)
        propose(s, &step);
}

static void pragma(struct state **s, struct rng *r, int stage)
{
    struct step step = {.kind = STEP_PR, .stage = stage, .iter = 0, .text = "auto_unroll_max_step$16", .value = 16};
    if (one_in(r, 8))
        step = (struct step){.kind = STEP_SA, .stage = stage, .value = 32, .value2 = 8};
    propose(s, &step);
}

static bool bounded(const struct state *s)
{
    struct err err;
    struct state *try = state_copy(s->arena, s);
    return bound_infer(try, &err);
}

static void place(struct state **s, struct rng *r)
{
    int stage = compute_stage(*s, r), target = stage + 1 + (int)pick(r, (*s)->nstages - stage - 1);
    struct step step = {.kind = STEP_CA, .stage = stage, .target = target};
    if (target >= (*s)->nstages)
        return;
    step.iter = (int)pick(r, (*s)->stages[target].nleaf);
    if (one_in(r, 5))
        step = (struct step){.kind = one_in(r, 2) ? STEP_CR : STEP_CI, .stage = stage};
    struct state *before = *s;
    if (propose(s, &step) && !bounded(*s))
        *s = before;
}

static void cache_read(struct state **s, struct rng *r)
{
    int stage = any_stage(*s, r);
    const struct op_analysis *f = &(*s)->dag->analysis[stage];
    int64_t readers[8];
    int n = 0;
    for (int i = 0; i < f->nconsumers && n < 8; i++)
        if (n == 0 || one_in(r, 2))
            readers[n++] = f->consumers[i];
    struct step step = {
        .kind = STEP_CHR, .stage = stage, .text = one_in(r, 2) ? "shared" : "local", .list = readers, .n = n};
    if (n > 0)
        propose(s, &step);
}

/* Fuses all reduce loops, splits, factors one part out. */
static void rfactor(struct state **s, struct rng *r)
{
    int stage = compute_stage(*s, r);
    const struct op *op = (*s)->stages[stage].op;
    if (op->nreduce == 0 || (*s)->stages[stage].nrels > 0)
        return;
    int64_t list[8], length = random_length(r, op->axes[op->nspatial].extent);
    struct state *before = *s;
    for (int i = 0; i < op->nreduce && i < 8; i++)
        list[i] = op->nspatial + i;
    struct step fu = {.kind = STEP_FU, .stage = stage, .list = list, .n = op->nreduce};
    struct step sp = {.kind = STEP_SP, .stage = stage, .iter = op->nspatial, .list = &length, .n = 1, .flag = true};
    struct step rf = {
        .kind = STEP_RF, .stage = stage, .iter = op->nspatial + (int)pick(r, 2), .value = pick(r, op->nspatial + 1)};
    if ((op->nreduce > 1 && !propose(s, &fu)) || !propose(s, &sp) || !propose(s, &rf))
        *s = before;
}

static void grow_graph(struct state **s, struct rng *r)
{
    for (int i = (int)pick(r, 4); i > 0; i--) {
        struct step chw = {.kind = STEP_CHW, .stage = compute_stage(*s, r), .text = one_in(r, 2) ? "local" : "global"};
        int64_t what = pick(r, 5);
        if (what == 0)
            cache_read(s, r);
        else if (what == 1)
            rfactor(s, r);
        else if (what == 2)
            propose(s, &chw);
        else if (what == 3)
            propose(s, &(struct step){.kind = STEP_RI, .stage = compute_stage(*s, r), .value = 1 + pick(r, 8)});
        else
            propose(s, &(struct step){.kind = STEP_CI, .stage = any_stage(*s, r)});
    }
}

/* Blocks, threads and virtual threads, anywhere: what a kernel may do with them is for the target to say. */
static void bind(struct state **s, struct rng *r)
{
    static const enum annotation KINDS[] = {ANN_BLOCK_X, ANN_VTHREAD, ANN_THREAD_X, ANN_THREAD_Y};
    for (int i = (int)pick(r, 6); i > 0; i--) {
        int stage = compute_stage(*s, r), n = (*s)->stages[stage].nleaf;
        struct step step = {.kind = STEP_AN, .stage = stage, .iter = (int)pick(r, n), .value = KINDS[pick(r, 4)]};
        struct state *before = *s;
        if (n > 0 && propose(s, &step) && !bounded(*s))
            *s = before;
    }
}

static struct state *make(struct arena *a, const struct task *t, struct rng *r, bool threads)
{
    struct state *s = state_new(a, t);
    grow_graph(&s, r);
    for (int i = (int)pick(r, 24); i > 0; i--) {
        int stage = compute_stage(s, r);
        switch (pick(r, 7)) {
        case 0:
        case 1:
            split(&s, r, stage);
            break;
        case 2:
            follow(&s, r, stage);
            break;
        case 3:
            fuse(&s, r, stage);
            break;
        case 4:
            reorder(&s, r, stage);
            break;
        default:
            place(&s, r);
        }
    }
    for (int i = (int)pick(r, 6); i > 0; i--) {
        int stage = compute_stage(s, r);
        if (threads || one_in(r, 3)) /* threads inside vector loops are refused */
            pragma(&s, r, stage);
        else
            annotate(&s, r, stage);
    }
    if (threads)
        bind(&s, r);
    struct err err;
    if (bound_infer(s, &err))
        return s;
    s = state_new(a, t); /* a reorder can move a loop out of an attachment: rare */
    return bound_infer(s, &err) ? s : NULL;
}

struct state *random_schedule_make(struct arena *a, const struct task *t, struct rng *r)
{
    return make(a, t, r, false);
}

struct state *random_schedule_threads(struct arena *a, const struct task *t, struct rng *r)
{
    return make(a, t, r, true);
}

/* Running */

static size_t arg_bytes(const struct task *t, int i)
{
    return (size_t)task_arg_elements(t, i) * (size_t)dtype_bytes(task_arg_op(t, i)->dtype);
}

bool random_schedule_task(struct arena *a, const char *spec, struct rng *r, struct trial_task *out, struct err *err)
{
    *out = (struct trial_task){0};
    if (!task_parse(a, spec, &out->task, err))
        return err_context(err, "%s", spec);
    int n = out->task->nargs;
    if (n > 32)
        return err_set(err, "%d arguments", n);
    for (int i = 0; i < n; i++) {
        enum dtype type = task_arg_op(out->task, i)->dtype;
        int64_t elements = task_arg_elements(out->task, i);
        out->args[i] = arena_alloc(a, arg_bytes(out->task, i));
        for (int64_t k = 0; k < elements; k++) {
            int64_t v = (int64_t)rng_below(r, 7) - 3;
            if (type == DTYPE_F32)
                ((float *)out->args[i])[k] = (float)v;
            else if (type == DTYPE_F16)
                ((uint16_t *)out->args[i])[k] = half_bits((double)v);
            else if (type == DTYPE_I32)
                ((int32_t *)out->args[i])[k] = (int32_t)(v < 0 ? 0 : v);
            else
                return err_set(err, "argument %d is %s", i, dtype_name(type));
        }
    }
    out->nout = task_arg_elements(out->task, n - 1);
    out->want = ARENA_ARRAY(a, double, out->nout);
    struct interp *in = interp_open(out->task, (const void *const *)out->args);
    interp_dag(in, out->want);
    interp_close(in);
    return true;
}

void random_schedule_args(struct arena *a, const struct trial_task *t, const struct nest *n, void **args)
{
    for (int i = 0; i < t->task->nargs; i++) {
        const struct buffer *b = n->buffers[i];
        args[i] = t->args[i];
        if (b->npacked > 0) {
            args[i] = arena_alloc(a, (size_t)layout_elements(b) * (size_t)dtype_bytes(b->dtype));
            layout_pack(b, t->args[i], args[i]);
        }
    }
    int last = t->task->nargs - 1;
    args[last] = arena_alloc(a, arg_bytes(t->task, last));
    memset(args[last], 0xff, arg_bytes(t->task, last));
}

bool random_schedule_same(const struct trial_task *t, const void *output, struct err *err)
{
    if (task_arg_op(t->task, t->task->nargs - 1)->dtype != DTYPE_F32)
        return err_set(err, "the output is not float32");
    for (int64_t i = 0; i < t->nout; i++) {
        double got = (double)((const float *)output)[i], want = t->want[i];
        if (!(fabs(got - want) <= 1e-5 * (1 + fabs(want))))
            return err_set(err, "element %lld is %.9g, should be %.9g", (long long)i, got, want);
    }
    return true;
}

bool random_schedule_run(struct arena *a, const struct trial_task *t, const struct state *s, enum layout_mode mode,
                         int64_t statements, bool *done, struct err *err)
{
    struct nest *n;
    void *args[32];
    *done = false;
    if (!lower(a, s, mode, &n, err) || !nest_check(n, err))
        return err_context(err, "lower");
    random_schedule_args(a, t, n, args);
    if (!interp_nest(n, args, statements, err))
        return strstr(err->text, "limit") || err_context(err, "run");
    *done = true;
    return random_schedule_same(t, args[t->task->nargs - 1], err);
}

void random_schedule_show(const struct state *s, const char *what)
{
    struct text t = {0};
    steps_print(s->steps, s->nsteps, &t);
    text_char(&t, '\n');
    state_print(s, &t);
    diag("%s\n%s", what, text_str(&t));
    text_free(&t);
}
