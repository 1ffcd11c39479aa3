/* SPDX-License-Identifier: Apache-2.0 */
/* The table of operators, whatever stands in it: rows are complete, keys have help and defaults, a small task of each
 * builds, its canonical spec parses back, every stage is computed by interp without leaving a tensor. Values are in
 * test_interp. */
#include "harness/program/ops/ops.h"
#include "harness/program/interp/interp.h"
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

#include <math.h>

/* A task for each operator: small, with every feature on that does not exclude another. */
static const struct {
    const char *name, *spec;
} SAMPLES[] = {
    {"conv2d", "conv2d ci=8 hi=6 wi=5 co=4 kh=3 kw=2 ph=1 pw=0,1 sh=2 cib=4 cob=2 bias=1 scale=1 add=1 relu=1"},
    {"winograd", "winograd ci=3 hi=5 wi=6 co=4 ph=1 pw=1 tile=2 bias=1"},
    {"im2col", "im2col n=2 ci=3 hi=5 wi=6 co=4 kh=3 kw=2 sh=2"},
    {"depthwise_conv2d", "depthwise_conv2d ci=4 hi=6 wi=6 kh=3 kw=3 ph=1 pw=1 bias=1 clip=1"},
    {"conv2d_transpose", "conv2d_transpose ci=3 hi=4 wi=5 co=2 kh=4 kw=3 sh=2 sw=2 ph=1 pw=1,0 oh=1 bias=1 act=tanh"},
    {"conv3d", "conv3d ci=3 di=4 hi=5 wi=4 co=2 kd=3 kh=2 kw=3 sd=2 pd=1 ph=0,1 pw=1 bias=1 act=sigmoid"},
    {"dense", "dense n=2 ci=9 co=7 bias=1 relu=1"},
    {"matmul", "matmul n=3 m=4 k=5 relu=1"},
    {"batch_matmul", "batch_matmul b=2 n=3 m=4 k=5"},
    {"pool2d", "pool2d c=4 hi=7 wi=7 kh=3 kw=3 sh=2 sw=2 ph=0,1 pw=1 cb=2 pool=avg"},
    {"adaptive_pool2d", "adaptive_pool2d c=4 hi=7 wi=8 ho=3 wo=4 pool=max layout=nhwc"},
    {"global_pool2d", "global_pool2d c=4 hi=7 wi=7 cb=4"},
    {"mean", "mean c=4 hi=7 wi=6 cb=2"},
    {"softmax", "softmax n=2 h=3 c=5"},
    {"layer_norm", "layer_norm n=3 c=6"},
    {"rms_norm", "rms_norm n=3 c=6"},
    {"resize2d", "resize2d c=2 hi=3 wi=4 ho=7 wo=6"},
    {"reduce", "reduce n=3 m=9 by=max h=2"},
    {"map", "map n=2 c=3 h=2 by=sigmoid"},
};

static void check_row(const struct operator* op)
{
    bool complete = op->name && op->summary && op->keys && op->options_size && op->build;
    ok(complete, "the row of operator %s in the table is complete", op->name);
    int bad = 0;
    for (const struct setting *s = op->keys; s->name; s++)
        bad += !s->help || !s->fallback || s->offset >= op->options_size;
    is_int(bad, 0, "every key of operator %s has help, a default and a place", op->name);
}

static bool sane(const double *v, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (!isfinite(v[i]) || fabs(v[i]) > 1e6)
            return false;
    return true;
}

static void check_sample(const char *spec)
{
    struct task *t, *again;
    struct err err = {0};
    const void *args[16];
    if (ok(task_parse(arena, spec, &t, &err), "the task '%s' is made %s", spec, err.text)) {
        ok(task_parse(arena, t->spec, &again, &err) && again->hash == t->hash,
           "the canonical spec of '%s' parses back to the same task", spec);
        for (int i = 0; i < t->nargs - 1; i++) {
            float *x = ARENA_ARRAY(arena, float, task_arg_elements(t, i));
            for (int64_t k = 0; k < task_arg_elements(t, i); k++)
                x[k] = (float)(k % 7) / 8;
            args[i] = x;
        }
        double *out = ARENA_ARRAY(arena, double, task_arg_elements(t, t->nargs - 1));
        struct interp *in = interp_open(t, args);
        interp_dag(in, out);
        interp_close(in);
        ok(sane(out, task_arg_elements(t, t->nargs - 1)), "the interpreter computes '%s'", spec);
        ok(t->flops > 0 && t->reduction_length > 0 && t->name[0], "'%s' has FLOP, a longest chain and a name", spec);
    }
}

int main(void)
{
    for (const struct operator* const * op = ops_table(); *op; op++) {
        const char *sample = NULL;
        for (size_t i = 0; i < sizeof SAMPLES / sizeof SAMPLES[0]; i++)
            if (str_eq(SAMPLES[i].name, (*op)->name))
                sample = SAMPLES[i].spec;
        check_row(*op);
        if (ok(sample, "this test has a sample task of operator %s", (*op)->name))
            check_sample(sample);
    }
    return done_testing();
}
