/* SPDX-License-Identifier: Apache-2.0 */
/* FLOP and parameter counts against published numbers: TVM's FlopEstimator, apache/tvm pull request 12141 (the four
 * ResNet-18 tasks of TVM's issue 12141, matmul). The task tables of data/kernels are in published_kernels.c. */
#include "harness/program/ops/task.h"
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

static void check_published(struct arena *a)
{
    static const struct {
        const char *spec;
        int64_t flops, params;
        const char *source;
    } CASES[] = {
        {"matmul n=512 m=512 k=512", 268435456, 262144, "2*N*M*K"},
        {"matmul n=128 m=64 k=32 chain=1", 2 * 128 * 64 * 32 + 2 * 128 * 64 * 64, 0, "2*N*M*K twice"},
        {"conv2d ci=256 hi=14 wi=14 co=512 kh=1 kw=1 sh=2 sw=2 bias=1", 12870144, 131584,
         "apache/tvm pull request 12141"},
        {"conv2d ci=128 hi=28 wi=28 co=256 kh=1 kw=1 sh=2 sw=2 bias=1 layout=nhwc", 12895232, 33024,
         "apache/tvm pull request 12141"},
        {"conv2d ci=64 hi=56 wi=56 co=128 kh=1 kw=1 sh=2 sw=2 bias=1 cib=8 cob=32", 12945408, 8320,
         "apache/tvm pull request 12141"},
        {"conv2d ci=3 hi=224 wi=224 co=64 kh=7 kw=7 sh=2 sw=2 ph=3 pw=3 bias=1 relu=1 cib=3 cob=32", 237633536, 9472,
         "apache/tvm pull request 12141"},
        {"dense ci=4096 co=1000 bias=1", 8193000, 4097000, "2*ci*co + co"},
        {"softmax n=1 c=1000", 4000, 0, "maximum, difference (exp is free), sum, quotient"},
        {"reduce n=10 m=1024 by=min", 10240, 0, "one comparison per element"},
        {"map n=1 c=7 by=relu", 7, 0, "one maximum per element"},
        {"batch_matmul b=12 n=128 m=128 k=64", 2 * 12 * 128 * 128 * 64, 0, "2*b*n*m*k"},
        {"pool2d c=64 hi=112 wi=112 kh=3 kw=3 sh=2 sw=2 ph=1 pw=1 pool=max", 64 * 56 * 56 * 9, 0,
         "a maximum per element of a window, padding being free"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        const struct task *t = fixture_task(a, CASES[i].spec);
        is_int((int64_t)t->flops, CASES[i].flops, "the FLOP of %s are those of %s", t->name, CASES[i].source);
        is_int((int64_t)t->params, CASES[i].params, "the parameters of %s are counted", t->name);
    }
}

int main(void)
{
    check_published(arena);
    return done_testing();
}
