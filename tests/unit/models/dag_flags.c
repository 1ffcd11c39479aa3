/* SPDX-License-Identifier: Apache-2.0 */
/* dag_flags: the ten numbers of kernels whose graphs are known. */
#include "models/dag_flags.h"

#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

int main(void)
{
    static const struct {
        const char *spec, *flags;
    } cases[] = {{"matmul n=64 m=64 k=64", "0000000000"},
                 {"conv2d ci=8 hi=8 wi=8 co=8 kh=3 kw=3 ph=1 pw=1 bias=1 relu=1", "1010000000"},
                 {"conv2d ci=8 hi=8 wi=8 co=8 kh=3 kw=3 layout=nhwc", "0001000000"},
                 {"depthwise_conv2d ci=8 hi=8 wi=8 kh=3 kw=3 layout=nchw",
                  "0010010000"}, /* PaddedInput holds an add, as in the original */
                 {"winograd ci=8 hi=8 wi=8 co=8 ph=1 pw=1", "0000100000"},
                 {"dense n=1 ci=64 co=64", "0000001000"},
                 {"softmax n=4 c=10", "1000000100"},
                 {"batch_matmul b=2 n=8 m=8 k=8", "0000000010"}};
    struct dag_flags *f = dag_flags_open();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct task *t = fixture_task(arena, cases[i].spec);
        char text[DAG_FLAGS + 1] = "";
        for (int again = 0; again < 2; again++)
            for (int k = 0; k < DAG_FLAGS; k++)
                text[k] = dag_flags_of(f, t)[k] == 1 ? '1' : '0';
        is_str(text, cases[i].flags, "flags of %s", cases[i].spec);
    }
    dag_flags_close(f);
    return done_testing();
}
