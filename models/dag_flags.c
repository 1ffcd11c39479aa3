/* SPDX-License-Identifier: Apache-2.0 */
/* dag_flags: printed once a task. */
#include "models/dag_flags.h"

#include "harness/base/vec.h"
#include "harness/program/ir/dag_print.h"

#include <string.h>

struct flagged {
    uint64_t hash;
    float at[DAG_FLAGS];
};
struct dag_flags {
    VEC(struct flagged *) all;
};

struct dag_flags *dag_flags_open(void)
{
    struct dag_flags *f = calloc(1, sizeof *f);
    if (!f)
        bug("out of memory");
    return f;
}

void dag_flags_close(struct dag_flags *f)
{
    if (!f)
        return;
    for (int i = 0; i < f->all.n; i++)
        free(f->all.at[i]);
    vec_free(&f->all);
    free(f);
}

const float *dag_flags_of(struct dag_flags *f, const struct task *t)
{
    static const char *const words[DAG_FLAGS - 1][2] = {{"max", NULL},
                                                        {"min", NULL},
                                                        {"add", NULL},
                                                        {"Conv2dOutput", "conv2d_nhwc"},
                                                        {"conv2d_winograd", NULL},
                                                        {"DepthwiseConv2d", NULL},
                                                        {"dense", "T_matmul_NT"},
                                                        {"softmax", NULL},
                                                        {"compute(b, i, j)", "T_batch_matmul_NT"}};
    struct text printed = {0};
    for (int i = 0; i < f->all.n; i++)
        if (f->all.at[i]->hash == t->hash)
            return f->all.at[i]->at;
    struct flagged *own = calloc(1, sizeof *own);
    if (!own)
        bug("out of memory");
    own->hash = t->hash;
    dag_print(t->dag, &printed);
    for (int i = 0; i < DAG_FLAGS - 1; i++)
        own->at[i] =
            strstr(text_str(&printed), words[i][0]) || (words[i][1] && strstr(text_str(&printed), words[i][1]));
    text_free(&printed);
    vec_push(&f->all, own);
    return own->at;
}
