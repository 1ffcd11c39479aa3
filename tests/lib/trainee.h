/* SPDX-License-Identifier: Apache-2.0 */
/* trainee: a cost model of the table that a test trains on tiled matmuls. What fails but opening is a bug(). */
#pragma once
#include "harness/plug/model.h"
#include "tests/lib/tiled_matmuls.h"

struct trainee {
    const struct model *plug;
    void *self, *options;
    struct model_env env;
};

/* One point of the test. */
bool trainee_open(struct trainee *t, struct arena *a, const char *model, const char *settings, int warmup,
                  struct pool *pool);
/* Programs from..from+n-1 as one batch, and a fit if asked for. */
void trainee_teach(struct trainee *t, const struct tiled_matmuls *p, int from, int n, bool fit);
void trainee_score(struct trainee *t, const struct tiled_matmuls *p, int from, int n, double *out);
/* Share of the pairs with different times that the scores put in the right order. */
double trainee_order(const double *scores, const struct tiled_matmuls *p, int from, int n);
bool trainee_same(const double *x, const double *y, int n);
