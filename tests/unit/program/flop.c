/* SPDX-License-Identifier: Apache-2.0 */
/* FLOP and parameter counts against published numbers: TVM's FlopEstimator, apache/tvm pull request 12141 (the four
 * ResNet-18 tasks of TVM's issue 12141, matmul), and the task tables of data/kernels where TVM counted the same
 * expressions. */
#include "harness/base/file.h"
#include "harness/program/ops/task.h"
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static char *field(char *line, int n)
{
    char *s = line;
    while (n-- > 0 && s)
        s = (s = strchr(s, '\t')) ? s + 1 : NULL;
    return s;
}

/* The kernel's line of NET.tsv: kind and desc are columns 7 and 8. */
static const char *kernel_spec(struct arena *a, const char *table, int index)
{
    char *copy = arena_str(a, table), *rest = NULL;
    for (char *line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *kind = field(line, 7), *desc = field(line, 8);
        if (!kind || !desc || atoi(line) != index || line[0] < '0' || line[0] > '9')
            continue;
        return arena_printf(a, "%.*s %.*s", (int)strcspn(kind, "\t"), kind, (int)strcspn(desc, "\t"), desc);
    }
    return NULL;
}

/* MetaSchedule's task table counts the same formulas, except that exp costs it something (softmax) and that its padding
 * and average divisors are counted: convolutions, dense layers and unpadded maxima must agree. */
static void check_tables(struct arena *a)
{
    static const char *const NETWORKS[] = {"alexnet", "resnet18", "mobilenet_v2", "vgg16", "resnet50", "squeezenet"};
    const char *dir = shared_path("data/kernels");
    struct err err = {0};
    int same = 0, all = 0;
    char *tasks, *table;
    size_t size;
    if (!dir) {
        skip("data/kernels is not there", "FLOP counts equal those of the task tables");
        return;
    }
    dir = arena_str(a, dir);
    if (!ok(file_read(a, file_join(a, dir, "metaschedule_tasks.tsv"), 0, &tasks, &size, &err),
            "the table of MetaSchedule's tasks can be read"))
        return;
    for (size_t n = 0; n < sizeof NETWORKS / sizeof NETWORKS[0]; n++) {
        char *copy = arena_str(a, tasks), *rest = NULL;
        if (!file_read(a, file_join(a, dir, arena_printf(a, "%s.tsv", NETWORKS[n])), 0, &table, &size, &err))
            continue;
        for (char *line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
            char *net = line, *flop = field(line, 3), *index = field(line, 5), *name = field(line, 2);
            if (strncmp(net, NETWORKS[n], strlen(NETWORKS[n])) != 0 || net[strlen(NETWORKS[n])] != '\t' || !index ||
                *index < '0' || *index > '9' || !(strstr(name, "conv2d_NCHWc") || strstr(name, "dense")))
                continue;
            const char *spec = kernel_spec(a, table, atoi(index));
            const struct task *t = fixture_task(a, spec);
            bool equal = t->flops == atof(flop);
            all++;
            same += equal;
            if (!equal)
                diag("%s: %.0f, table %.*s", spec, t->flops, (int)strcspn(flop, "\t"), flop);
        }
    }
    is_int(same, all, "%d of %d FLOP counts equal those of the task tables", same, all);
    ok(all > 60, "more than 60 tasks have a FLOP count to compare with");
}

int main(void)
{
    struct arena *a = arena_open("test");
    check_published(a);
    check_tables(a);
    arena_close(a);
    return done_testing();
}
