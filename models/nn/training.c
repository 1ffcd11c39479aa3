/* SPDX-License-Identifier: Apache-2.0 */
/* training: the order of the examples is drawn anew each epoch; the last batch of an epoch may be smaller. */
#include "models/nn/training.h"

#include "harness/base/err.h"
#include "models/nn/net_backward.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PREDICT_BATCH = 4096, ACCURACY_MOST = 4096 };

struct trainer {
    const struct training *t;
    struct net *n;
    const struct examples *e;
    struct rng *rng;
    struct net_pass *pass;
    struct optimiser optimiser;
    struct example_picker picker;
    float *gradient, *slope, *label;
    int *order; /* the examples to train on, then those kept aside */
    int ntrain, nkept;
    double average; /* of the losses of all batches so far; NAN: there was none */
    float *best;    /* parameters and buffers of the best epoch; NULL: none are kept */
};

static void *array(size_t n, size_t size)
{
    void *at = calloc(n + 1, size);
    if (!at)
        bug("out of memory");
    return at;
}

/* A random share of each task's examples goes to the end of the order. */
static void split(struct trainer *r)
{
    const struct examples *e = r->e;
    int n = e->cost.n, *seen = array((size_t)e->tasks.n, sizeof *seen), *all = array((size_t)e->tasks.n, sizeof *all),
        *drawn = array((size_t)n, sizeof *drawn), end = n;
    r->order = array((size_t)n, sizeof *r->order);
    for (int i = 0; i < n; i++) {
        drawn[i] = i;
        all[e->task.at[i]]++;
    }
    if (r->t->validation > 0)
        rng_shuffle(r->rng, drawn, n);
    for (int i = 0; i < n; i++) {
        int task = e->task.at[drawn[i]];
        if (seen[task]++ < (int)(r->t->validation * all[task]))
            r->order[--end] = drawn[i];
        else
            r->order[r->ntrain++] = drawn[i];
    }
    r->nkept = n - end;
    free(seen);
    free(all);
    free(drawn);
}

static double train_batch(struct trainer *r, const int *order, int count)
{
    const struct training *t = r->t;
    const struct net_batch *b = examples_pick(r->e, r->n, order, count, &r->picker);
    const float *score = net_forward(r->pass, r->n, b, NET_BATCH);
    for (int i = 0; i < count; i++)
        r->label[i] = r->e->label.at[order[i]];
    double loss = rank_loss(t->loss, score, r->label, count, r->slope);
    net_backward(r->pass, r->slope, r->gradient);
    net_gather_statistics(r->pass, r->n);
    gradient_clip(r->gradient, r->n->nparams, t->clip);
    optimiser_step(&r->optimiser, r->n->param, r->gradient);
    return loss;
}

static double train_epoch(struct trainer *r)
{
    int batch = (int)r->t->batch;
    rng_shuffle(r->rng, r->order, r->ntrain);
    for (int at = 0; at < r->ntrain; at += batch) {
        double loss = train_batch(r, r->order + at, r->ntrain - at < batch ? r->ntrain - at : batch);
        r->average = isnan(r->average) ? loss : 0.95 * r->average + 0.05 * loss;
    }
    return r->average;
}

/* By running statistics. */
static void predict(struct trainer *r, const int *order, int count, float *score)
{
    for (int at = 0; at < count; at += PREDICT_BATCH) {
        int size = count - at < PREDICT_BATCH ? count - at : PREDICT_BATCH;
        const struct net_batch *b = examples_pick(r->e, r->n, order + at, size, &r->picker);
        memcpy(score + at, net_forward(r->pass, r->n, b, NET_RUNNING), sizeof *score * (size_t)size);
    }
}

/* Pairs of one task only; each task counts by its pairs. Of many examples, which stand in random order, the first. */
static double accuracy_within(const struct trainer *r, const int *order, const float *score)
{
    double right = 0, pairs = 0;
    const struct examples *e = r->e;
    for (int i = 0; i < r->nkept && i < ACCURACY_MOST; i++)
        for (int j = 0; j < i; j++) {
            float x = e->label.at[order[i]], y = e->label.at[order[j]];
            if (e->task.at[order[i]] != e->task.at[order[j]] || x == y)
                continue;
            right += score[i] == score[j] ? 0.5 : (score[i] > score[j]) == (x > y);
            pairs++;
        }
    return pairs > 0 ? right / pairs : NAN;
}

static void validate(struct trainer *r, struct training_epoch *out)
{
    const int *order = r->order + r->ntrain;
    int batch = (int)r->t->batch, batches = 0;
    float *score = array((size_t)r->nkept, sizeof *score), *label = array((size_t)r->nkept, sizeof *label);
    double sum = 0;
    predict(r, order, r->nkept, score);
    for (int i = 0; i < r->nkept; i++)
        label[i] = r->e->label.at[order[i]];
    for (int at = 0; at < r->nkept; at += batch, batches++) {
        int size = r->nkept - at < batch ? r->nkept - at : batch;
        sum += rank_loss(r->t->loss, score + at, label + at, size, r->slope);
    }
    out->validation_loss = sum / batches;
    out->accuracy = accuracy_within(r, order, score);
    free(score);
    free(label);
}

static void keep_best(struct trainer *r)
{
    memcpy(r->best, r->n->param, sizeof(float) * r->n->nparams);
    memcpy(r->best + r->n->nparams, r->n->buffer, sizeof(float) * r->n->nbuffers);
}

static void take_best(struct trainer *r)
{
    memcpy(r->n->param, r->best, sizeof(float) * r->n->nparams);
    memcpy(r->n->buffer, r->best + r->n->nparams, sizeof(float) * r->n->nbuffers);
}

static void run_epochs(struct trainer *r, struct training_result *out)
{
    double least = INFINITY;
    for (int number = 1; number <= (int)r->t->epochs; number++) {
        struct training_epoch e = {.number = number, .validation_loss = NAN, .accuracy = NAN};
        e.loss = train_epoch(r);
        if (r->nkept)
            validate(r, &e);
        double watched = r->nkept ? e.validation_loss : e.loss;
        e.best = watched < least;
        out->first_loss = number == 1 ? e.loss : out->first_loss;
        out->loss = e.loss;
        out->epochs = number;
        if (e.best) {
            least = watched;
            out->best = number;
        }
        if (e.best && r->best)
            keep_best(r);
        if (r->t->each)
            r->t->each(r->t->ctx, &e);
        if (r->t->patience > 0 && number - out->best >= r->t->patience)
            break;
    }
}

void training_run(const struct training *t, struct net *n, const struct examples *e, struct rng *rng,
                  struct training_result *out)
{
    struct trainer r = {.t = t, .n = n, .e = e, .rng = rng, .pass = net_pass_open(t->pool), .average = NAN};
    *out = (struct training_result){0};
    split(&r);
    r.optimiser = (struct optimiser){.kind = t->optimiser, .rate = t->rate, .decay = t->decay};
    optimiser_open(&r.optimiser, n->nparams);
    r.gradient = array(n->nparams, sizeof(float));
    r.slope = array((size_t)t->batch, sizeof(float));
    r.label = array((size_t)t->batch, sizeof(float));
    r.best = r.nkept ? array(n->nparams + n->nbuffers, sizeof(float)) : NULL;
    if (r.ntrain > 0)
        run_epochs(&r, out);
    if (r.best && out->best > 0)
        take_best(&r);
    free(r.best);
    free(r.gradient);
    free(r.slope);
    free(r.label);
    free(r.order);
    example_picker_free(&r.picker);
    optimiser_close(&r.optimiser);
    net_pass_close(r.pass);
}
