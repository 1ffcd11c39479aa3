/* SPDX-License-Identifier: Apache-2.0 */
/* task: canonical specs, arguments, and what bad input gets. */
#include "harness/program/ops/task.h"
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

#include <string.h>

static void check_canonical(struct arena *a)
{
    const struct task *t =
        fixture_task(a, "conv2d ci=64 hi=56 wi=56 co=64 kh=3 kw=3 ph=1,1 pw=1 cib=64 cob=32 bias=1 relu=1");
    is_str(t->spec,
           "conv2d n=1 ci=64 hi=56 wi=56 co=64 kh=3 kw=3 ho=56 wo=56 sh=1 sw=1 ph=1 pw=1 dh=1 dw=1 groups=1 cib=64 "
           "cob=32 layout=nchwc bias=1 scale=0 add=0 order=data relu=1 clip=0",
           "a canonical spec has every key in table order, derived ones filled in");
    is_str(t->name, "conv2d 64x56x56 -> 64 3x3/1 +bias +relu", "a task has a short name for people");
    is_str(fixture_task(a, "conv2d ci=8 hi=9 wi=9 co=8 kh=3 kw=3 ph=2 pw=2 dh=2 dw=2 groups=2")->name,
           "conv2d 8x9x9 -> 8 3x3/1 d2 g2", "the short name tells dilated convolutions apart");
    const struct task *again = fixture_task(a, t->spec);
    is_str(again->spec, t->spec, "a canonical spec parses back to itself");
    ok(again->hash == t->hash, "a canonical spec keeps the task's hash");
    again = fixture_task(
        a, "conv2d  relu=1 bias=1 cob=32 cib=64 wo=56 ho=56 ph=1 pw=1\tkw=3 kh=3 co=64 wi=56 hi=56 ci=64 n=1 ");
    ok(again->hash == t->hash, "another spelling of a task gives the same hash");
    again = fixture_task(a, "conv2d ci=64 hi=56 wi=56 co=64 kh=3 kw=3 ph=1 pw=1 cib=32 cob=64 bias=1 relu=1");
    ok(again->hash != t->hash, "another channel block gives another hash");
    ok(fixture_task(a, "conv2d ci=8 hi=9 wi=9 co=8 kh=2 kw=2 ph=0,1 pw=1,0 relu6=1")->hash ==
           fixture_task(a, "conv2d ci=8 hi=9 wi=9 co=8 kh=2 kw=2 ph=0,1 pw=1,0 clip=1")->hash,
       "the key relu6 is another word for clip");
    const char *pads = fixture_task(a, "conv2d ci=8 hi=9 wi=9 co=8 kh=2 kw=2 ph=0,1 pw=2,2")->spec;
    ok(strstr(pads, " ph=0,1 ") && strstr(pads, " pw=2 "),
       "uneven padding keeps both numbers, even padding becomes one");
}

static void check_args(struct arena *a)
{
    const struct task *t =
        fixture_task(a, "conv2d ci=8 hi=4 wi=4 co=8 kh=1 kw=1 cib=4 cob=4 bias=1 add=1 order=residual");
    static const char *const NAMES[] = {"p0", "p1", "p2", "p3", "T_add"};
    static const bool WEIGHTS[] = {false, true, true, false, false};
    static const int SIZES[] = {128, 64, 8, 128, 128};
    is_int(t->nargs, 5, "a convolution with bias and residual has five arguments");
    for (int i = 0; i < 5; i++) {
        is_str(task_arg_op(t, i)->name, NAMES[i], "argument %d of the convolution has TVM's name", i);
        ok(t->is_weight[i] == WEIGHTS[i], "argument %s of the convolution %s a weight", NAMES[i],
           WEIGHTS[i] ? "is" : "is not");
        is_int(task_arg_elements(t, i), SIZES[i], "argument %s of the convolution has the elements of its shape",
               NAMES[i]);
    }
    is_str(t->dag->ops[0]->name, "p3",
           "a residual that is read first stands first among the stages, but is the fourth argument");
    ok(task_arg_op(t, 4) == t->dag->ops[t->dag->nops - 1], "the last argument of a task is its last stage");
    is_int(t->reduction_length, 8 + 2, "the longest chain of the convolution is 8 channels and two additions");
    int conv = t->dag->position[t->args[4]] - 3;
    is_int(t->dag->ops[conv]->nrewritten, 1, "the convolution names one tensor that may be re-laid-out");
    is_int(t->dag->ops[conv]->rewritten[0], t->args[1], "the tensor that may be re-laid-out is the filter, argument 1");
}

static void check_refusals(struct arena *a)
{
    static const struct {
        const char *spec, *text;
    } CASES[] = {
        {"", "empty"},
        {"   ", "empty"},
        {"conv2 ci=1", "did you mean 'conv2d'"},
        {"frobnicate", "unknown operator 'frobnicate'"},
        {"conv2d ci", "not of the form key=value"},
        {"conv2d cii=3", "did you mean 'ci'"},
        {"conv2d ci=8 ci=8", "'ci' is given twice"},
        {"conv2d ci=three", "'ci' is 'three'"},
        {"conv2d ci=-3", "'ci' is '-3'"},
        {"conv2d ci=99999999999999999999", "'ci' is"},
        {"conv2d hi=8 wi=8 co=8 kh=1 kw=1", "'ci' is missing"},
        {"conv2d ci=8 hi=8 wi=8 co=8 kh=9 kw=1", "'ho' would be less than 1"},
        {"conv2d ci=8 hi=8 wi=8 co=8 kh=3 kw=3 ho=8", "'ho' is 8, but the other keys give 6"},
        {"conv2d ci=8 hi=8 wi=8 co=8 kh=1 kw=1 cib=3 cob=4", "'cib' is 3, which does not divide ci=8"},
        {"conv2d ci=8 hi=8 wi=8 co=8 kh=1 kw=1 cib=4", "'cob' is missing"},
        {"conv2d ci=8 hi=8 wi=8 co=8 kh=1 kw=1 layout=nchwc", "needs channel blocks"},
        {"conv2d ci=8 hi=8 wi=8 co=8 kh=1 kw=1 layout=nhwc cib=4 cob=4", "layout is 'nhwc'"},
        {"conv2d ci=8 hi=8 wi=8 co=8 kh=1 kw=1 layout=nwhc", "one of"},
        {"conv2d ci=8 hi=8 wi=8 co=8 kh=1 kw=1 groups=3", "groups=3 does not divide"},
        {"conv2d ci=8 hi=8 wi=8 co=8 kh=1 kw=1 sh=0", "'sh' is '0'"},
        {"conv2d ci=8 hi=8 wi=8 co=8 kh=1 kw=1 ph=-1", "'ph' is '-1'"},
        {"conv2d ci=8 hi=8 wi=8 co=8 kh=1 kw=1 ph=1,2,3", "'ph' is '1,2,3'"},
        {"conv2d ci=8 hi=8 wi=8 co=8 kh=1 kw=1 relu=2", "'relu' is '2'"},
        {"conv2d ci=8 hi=8 wi=8 co=8 kh=1 kw=1 relu=1 clip=1", "exclude each other"},
        {"conv2d n=65536 ci=65536 hi=8 wi=8 co=8 kh=1 kw=1", "more than 2^31 elements"},
        {"conv2d n=16777216 ci=16777216 hi=16777216 wi=16777216 co=1 kh=1 kw=1", "more than 2^31 elements"},
        {"depthwise_conv2d ci=8 co=12 hi=8 wi=8 kh=1 kw=1", "not a multiple of ci"},
        {"pool2d c=8 hi=8 wi=8 kh=2 kw=2 cb=3", "'cb' is 3, which does not divide c=8"},
        {"adaptive_pool2d c=8 hi=4 wi=4 ho=5", "larger than the input"},
        {"global_pool2d c=8 hi=4 wi=4 ho=2", "are 1"},
        {"softmax n=4", "'c' is missing"},
        {"winograd ci=8 hi=8 wi=8 co=8 tile=3", "must be 2 or 4"},
        {"winograd n=16777216 ci=1 hi=1 wi=1 co=1 ph=1048576 pw=1048576", "tiles"}, /* 2^62 of them */
        {"softmax n=16777216 h=16777216 w=16777216 c=1", "more than 2^31 elements"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        struct task *t;
        struct err err = {0};
        bool refused = !task_parse(a, CASES[i].spec, &t, &err);
        ok(refused && strstr(err.text, CASES[i].text), "the spec '%s' is refused: %s", CASES[i].spec,
           refused ? err.text : "not refused");
    }
    char *long_spec = arena_alloc(a, 10001);
    struct task *t;
    struct err err = {0};
    memset(long_spec, 'c', 10000);
    ok(!task_parse(a, long_spec, &t, &err) && err.code == EXIT_USAGE,
       "a spec of more than 4096 characters is refused: %s", err.text);
}

int main(void)
{
    check_canonical(arena);
    check_args(arena);
    check_refusals(arena);
    return done_testing();
}
