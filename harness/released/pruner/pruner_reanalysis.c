/* SPDX-License-Identifier: Apache-2.0 */
/* pruner_reanalysis: one module a source. */
#include "harness/released/pruner/pruner_reanalysis.h"

#include "harness/released/pruner/pruner_parity.h"
#include "harness/released/pruner/pruner_run.h"
#include "harness/released/pruner/pruner_tables.h"

static void free_numbers(void *with)
{
    struct pruner_numbers *x = with;
    vec_free(&x->all);
}

void pruner_reanalysis_make(struct arena *a, const struct pruner_release *r, struct pruner_numbers *out)
{
    *out = (struct pruner_numbers){.release = r, .arena = a};
    arena_defer(a, free_numbers, out);
    pruner_parity_add(out);
    pruner_tables_add(out);
    pruner_run_add(out);
}
