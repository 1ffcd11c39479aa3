/* SPDX-License-Identifier: Apache-2.0 */
/* pruner_numbers: a list in the order in which it was filled. */
#include "harness/released/pruner/pruner_numbers.h"

#include <math.h>

void pruner_numbers_add(struct pruner_numbers *x, struct pruner_number n)
{
    n.machine = n.machine ? n.machine : "";
    n.network = n.network ? n.network : "";
    if (!isnan(n.value))
        vec_push(&x->all, n);
}

double pruner_numbers_value(const struct pruner_numbers *x, const char *table, const char *machine, const char *network,
                            const char *column)
{
    for (int i = 0; i < x->all.n; i++) {
        const struct pruner_number *n = &x->all.at[i];
        if (str_eq(n->table, table) && str_eq(n->column, column) && str_eq(n->machine, machine ? machine : "") &&
            str_eq(n->network, network ? network : ""))
            return n->value;
    }
    return NAN;
}
