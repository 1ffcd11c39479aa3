/* SPDX-License-Identifier: Apache-2.0 */
/* net_layers: arrays that grow, and the parts of a layer's work over the pool. */
#include "models/nn/net_layers.h"

#include "harness/base/err.h"

#include <stdlib.h>

float *pass_array_grow(struct pass_array *a, size_t n)
{
    if (a->cap < n + 1) {
        free(a->at);
        a->cap = n + n / 4 + 1;
        a->at = malloc(sizeof *a->at * a->cap);
        if (!a->at)
            bug("out of memory");
    }
    return a->at;
}

int pass_rows(const struct net_pass *p, int layer)
{
    return pass_first(p, layer, p->batch->n);
}

static void part_run(void *ctx, int item, int thread)
{
    const struct pass_part *part = ctx;
    part->work(part, item, thread);
}

void pass_split(const struct pass_part *part, int n)
{
    struct pass_part own = *part;
    if (part->p->pool && n > 1)
        pool_for(part->p->pool, n, part_run, &own);
    else
        for (int i = 0; i < n; i++)
            part_run(&own, i, 0);
}
