/* SPDX-License-Identifier: Apache-2.0 */
/* pruner_release: names, and a look-up. */
#include "harness/released/pruner/pruner_release.h"

#include <math.h>

const char *const pruner_platforms[] = {"a100", "orin", "titanv"}, *const pruner_methods[] = {"ansor",
                                                                                              "pruner",
                                                                                              "moa_pruner",
                                                                                              "tensetmlp_offline",
                                                                                              "tlp_offline",
                                                                                              "pruner_offline"},
                  *const pruner_networks[] = {"resnet50",     "wide_resnet50", "mobilenet_v2", "densenet121",
                                              "inception_v3", "vit",           "detr",         "deeplabv3_r50",
                                              "bert_base",    "bert_tiny"};

double pruner_printed(const struct pruner_release *r, const char *table, const char *row, const char *column)
{
    for (int i = 0; i < r->printed.n; i++) {
        const struct pruner_printed *p = &r->printed.at[i];
        if (str_eq(p->table, table) && str_eq(p->row, row) && str_eq(p->column, column))
            return p->value;
    }
    return NAN;
}
