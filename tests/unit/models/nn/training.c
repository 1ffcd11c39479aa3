/* SPDX-License-Identifier: Apache-2.0 */
/* training: the loss that patience looks at is the moving average over all batches since the first epoch, as in
 * TenSet's mlp_model.py and Pruner's pam_model.py; the raw losses come from trainings of one epoch each. */
#include "models/nn/training.h"

#include "harness/base/rng.h"
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

#include <math.h>

enum { PROGRAMS = 24, EPOCHS = 200 };

struct epochs {
    double loss[EPOCHS];
    int n;
};

static void tell(void *ctx, const struct training_epoch *e)
{
    struct epochs *t = ctx;
    t->loss[t->n++] = e->loss;
}

static void make_net(struct net *n)
{
    *n = (struct net){0};
    net_linear(n, net_sum(n, net_linear(n, net_input(n, 2), 8, true)), 1, false);
    net_finish(n);
}

static void make_examples(struct examples *e, const struct net *n)
{
    struct rng rng;
    struct err err = {0};
    rng_seed(&rng, 5);
    examples_open(e, n->ninputs, &n->layer[0].width);
    for (int i = 0; i < PROGRAMS; i++) {
        float row[2] = {(float)rng_unit(&rng), (float)rng_unit(&rng)};
        struct example_inputs shown = {.in = {{1, row}}};
        fixture_must(examples_add(e, 1, &shown, 1e-3 * (1 + (double)row[0]), &err), &err);
    }
    examples_label(e);
}

/* From a network that is the same each time, or from n as it is. */
static void train(struct net *n, const struct examples *e, bool anew, double rate, int epochs, int patience,
                  struct epochs *out)
{
    struct training_result r;
    struct rng rng;
    struct training t = {.optimiser = OPTIMISER_SGD,
                         .rate = rate,
                         .batch = PROGRAMS,
                         .epochs = epochs,
                         .patience = patience,
                         .each = tell,
                         .ctx = out};
    rng_seed(&rng, 7);
    if (anew)
        net_start(n, &rng);
    out->n = 0;
    training_run(&t, n, e, &rng, &r);
}

static void test_average(struct net *n, const struct examples *e)
{
    struct epochs all, one;
    double average = 0;
    int wrong = 0;
    train(n, e, true, 0.01, 6, 0, &all);
    for (int i = 0; i < 6; i++) {
        train(n, e, i == 0, 0.01, 1, 0, &one);
        average = i ? 0.95 * average + 0.05 * one.loss[0] : one.loss[0];
        wrong += fabs(all.loss[i] - average) > 1e-4 * average;
    }
    ok(one.loss[0] < 0.99 * all.loss[0], "the loss falls: %g to %g", all.loss[0], one.loss[0]);
    is_int(wrong, 0, "an epoch's loss is 0.95 of the last epoch's and 0.05 of its own batch's");
}

static void test_patience(struct net *n, const struct examples *e)
{
    struct epochs t;
    train(n, e, true, 0.01, EPOCHS, 3, &t);
    is_int(t.n, EPOCHS, "training goes on while the average falls");
    train(n, e, false, -0.01, EPOCHS, 3, &t); /* uphill */
    int best = 0;
    for (int i = 1; i < t.n; i++)
        best = t.loss[i] < t.loss[best] ? i : best;
    ok(t.n < EPOCHS && t.n == best + 4, "uphill it ends %d epochs after the lowest average, in epoch %d",
       t.n - 1 - best, t.n);
}

int main(void)
{
    struct net n;
    struct examples e;
    make_net(&n);
    make_examples(&e, &n);
    test_average(&n, &e);
    test_patience(&n, &e);
    examples_free(&e);
    net_close(&n);
    return done_testing();
}
