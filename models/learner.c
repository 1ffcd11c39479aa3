/* SPDX-License-Identifier: Apache-2.0 */
/* learner: scores are computed for PART programs at a time, each part by one thread with a pass of its own, so that
 * what a layer gives stays in the cache. By the batch's own statistics a part is STATISTICS programs, as in Pruner's
 * code, and the threads share the layers. */
#include "models/learner.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/base/hash.h"
#include "harness/base/log.h"
#include "models/nn/net_file.h"
#include "models/nn/net_pass.h"
#include "models/pretraining.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PART = 128, STATISTICS = 4096 };

const char *const learner_updates[] = {"fresh", "tune", "never", NULL};
const char *const learner_norms[] = {"running", "batch", NULL};
const char *const learner_scales[] = {"fit", "first", "none", NULL};
const char *const learner_optimisers[] = {"adam", "sgd", NULL};
enum { SCALES_FIT, SCALES_FIRST }; /* none: as they are, 1 at first */
enum { NORM_RUNNING, NORM_BATCH };

struct learner_part { /* of one thread */
    struct net_pass *pass;
    struct example_picker picker;
};

static bool begin(struct learner *l, struct err *err);

bool learner_open(struct learner *l, const struct learner_kind *kind, const struct learner_options *o,
                  void (*follow)(struct learner *), struct model_env *env, struct err *err)
{
    bool gpu = env->limits.is_gpu;
    struct rng own = env->rng;
    *l = (struct learner){.env = env, .kind = kind, .o = o, .follow = follow, .seed = rng_next(&own)};
    kind->make(&l->net, gpu);
    if (follow)
        kind->make(&l->siamese, gpu);
    const struct example_form *form = gpu ? &kind->gpu : &kind->cpu;
    examples_open(&l->examples, form->inputs, form->width);
    l->source = example_batch_open(form, env);
    l->nparts = pool_threads(env->pool);
    l->parts = calloc((size_t)l->nparts, sizeof *l->parts);
    if (!l->parts)
        bug("out of memory");
    for (int i = 0; i < l->nparts; i++)
        l->parts[i].pass = net_pass_open(NULL);
    if (begin(l, err))
        return true;
    learner_close(l);
    return false;
}

void learner_close(void *self)
{
    struct learner *l = self;
    for (int i = 0; i < l->nparts; i++) {
        net_pass_close(l->parts[i].pass);
        example_picker_free(&l->parts[i].picker);
    }
    free(l->parts);
    example_batch_close(l->source);
    examples_free(&l->examples);
    vec_free(&l->due);
    net_close(&l->net);
    net_close(&l->siamese);
    l->parts = NULL;
    l->nparts = 0;
    l->source = NULL;
}

bool learner_tell(void *self, const struct candidate *c, const struct sample *s, int n, struct err *err)
{
    struct learner *l = self;
    if (l->o->update == LEARNER_NEVER || n == 0)
        return true;
    struct example_matrix all = example_batch_candidates(l->source, c, n);
    for (int i = 0; i < n; i++)
        if (!examples_add(&l->examples, c[i].task->hash, &all.shown[i], sample_mean(&s[i]), err))
            return false;
    examples_unload(&l->examples);
    vec_push(&l->due, l->examples.cost.n);
    return true;
}

/* Training ----------------------------------------------------------------------------------------------------------
 */

/* The network that a fit begins with. */
static void fit_start(struct learner *l, struct rng *rng)
{
    if (l->follow) {
        if (!l->trained)
            net_start(&l->siamese, rng);
        net_copy(&l->net, &l->siamese);
    } else if (l->o->update == LEARNER_FRESH || !l->trained) {
        net_start(&l->net, rng);
    }
    if (l->o->scales == SCALES_FIT)
        examples_scales(&l->examples, &l->net);
}

static void tell_epoch(void *ctx, const struct training_epoch *e)
{
    const struct learner *l = ctx;
    const char *best = e->best ? ", the best so far" : "";
    if (isnan(e->validation_loss))
        log_debug("%s: epoch %d, loss %.4g", l->kind->name, e->number, e->loss);
    else if (isnan(e->accuracy)) /* of no kernel are two kept aside */
        log_debug("%s: epoch %d, loss %.4g, of those kept aside %.4g%s", l->kind->name, e->number, e->loss,
                  e->validation_loss, best);
    else
        log_debug("%s: epoch %d, loss %.4g, of those kept aside %.4g, %.2f %% of their pairs right%s", l->kind->name,
                  e->number, e->loss, e->validation_loss, 100 * e->accuracy, best);
}

static void fit_now(struct learner *l, struct examples *e)
{
    const struct learner_options *o = l->o;
    struct training_result r;
    struct rng rng;
    struct training t = {.loss = (enum rank_loss)o->loss,
                         .optimiser = (enum optimiser_kind)o->optimiser,
                         .rate = o->rate,
                         .decay = o->decay,
                         .clip = o->clip,
                         .batch = o->batch,
                         .epochs = o->epochs,
                         .patience = o->patience,
                         .validation = o->validation,
                         .pool = l->env->pool,
                         .each = tell_epoch,
                         .ctx = l};
    rng_seed(&rng, hash_mix(l->seed, (uint64_t)e->cost.n));
    fit_start(l, &rng);
    examples_label(e);
    training_run(&t, &l->net, e, &rng, &r);
    if (l->follow)
        l->follow(l);
    l->trained = true;
    log_debug("%s: %d programs of %d tasks, %d epochs, loss %.4g to %.4g", l->kind->name, e->cost.n, e->tasks.n,
              r.epochs, r.first_loss, r.loss);
}

/* By the first n programs, for good. */
static void scale(struct learner *l, int n)
{
    int all = l->examples.cost.n;
    examples_limit(&l->examples, n);
    examples_scales(&l->examples, &l->net);
    examples_limit(&l->examples, all);
    if (l->follow)
        net_copy_scales(&l->siamese, &l->net);
    l->scaled = true;
}

/* On the first n programs. */
static void fit_first(struct learner *l, int n)
{
    int all = l->examples.cost.n;
    examples_limit(&l->examples, n);
    fit_now(l, &l->examples);
    examples_limit(&l->examples, all);
}

/* Fits that are due, those of earlier records on those only. A network that starts anew needs the last one only. */
static void fit_due(struct learner *l)
{
    bool each = l->follow || l->o->update == LEARNER_TUNE;
    bool known = l->trained;
    int last = -1;
    for (int i = 0; i < l->due.n; i++)
        if (++l->fits % l->o->every == 0 || !known) { /* a network that knows nothing does not wait */
            last = l->due.at[i];
            known = true;
            if (l->o->scales == SCALES_FIRST && !l->scaled)
                scale(l, last);
            if (each)
                fit_first(l, last);
        }
    if (!each && last >= 0)
        fit_first(l, last);
    l->due.n = 0;
}

bool learner_fit(void *self, struct err *err)
{
    struct learner *l = self;
    (void)err;
    if (l->o->update == LEARNER_NEVER || l->due.n == 0)
        return true;
    enum phase before = phases_enter(l->env->phases, PHASE_train);
    fit_due(l);
    phases_enter(l->env->phases, before);
    return true;
}

/* Scores ------------------------------------------------------------------------------------------------------------
 */

struct scoring {
    struct learner *l;
    const struct example_matrix *all;
    double *scores;
};

static void take_scores(const struct scoring *s, int from, int n, const float *score)
{
    for (int i = 0; i < n; i++)
        s->scores[from + i] = s->all->none[from + i] ? -INFINITY : (double)score[i];
}

static void score_part(void *ctx, int item, int thread)
{
    const struct scoring *s = ctx;
    struct learner_part *own = &s->l->parts[thread];
    int from = item * PART, n = s->all->n - from < PART ? s->all->n - from : PART;
    const struct net_batch *b = example_gather(&s->l->net, s->all->shown + from, n, &own->picker);
    take_scores(s, from, n, net_forward(own->pass, &s->l->net, b, NET_RUNNING));
}

static void score_by_batch(const struct scoring *s)
{
    struct net_pass *pass = net_pass_open(s->l->env->pool);
    for (int from = 0; from < s->all->n; from += STATISTICS) {
        int n = s->all->n - from < STATISTICS ? s->all->n - from : STATISTICS;
        const struct net_batch *b = example_gather(&s->l->net, s->all->shown + from, n, &s->l->parts[0].picker);
        take_scores(s, from, n, net_forward(pass, &s->l->net, b, NET_BATCH));
    }
    net_pass_close(pass);
}

static void score_all(struct learner *l, const struct example_matrix *all, double *scores)
{
    struct scoring s = {l, all, scores};
    int parts = (all->n + PART - 1) / PART;
    if (l->o->norm == NORM_BATCH)
        score_by_batch(&s);
    else
        pool_for(l->env->pool, parts, score_part, &s);
}

bool learner_score(void *self, const struct task *task, struct state *const *states, int n, double *scores,
                   struct err *err)
{
    struct learner *l = self;
    int64_t warmup = l->o->warmup < 0 ? l->env->warmup : l->o->warmup;
    (void)task;
    (void)err;
    if (!l->trained || n == 0 || (!l->loaded && l->examples.cost.n <= warmup)) {
        for (int i = 0; i < n; i++)
            scores[i] = rng_unit(&l->env->rng);
        return true;
    }
    struct example_matrix all = example_batch_states(l->source, states, n);
    enum phase before = phases_enter(l->env->phases, PHASE_score);
    score_all(l, &all, scores);
    phases_enter(l->env->phases, before);
    return true;
}

/* Files -------------------------------------------------------------------------------------------------------------
 */

bool learner_save(void *self, const char *path, struct err *err)
{
    struct learner *l = self;
    if (!l->trained)
        return err_set(err, "model %s is not trained, nothing to save in '%s'", l->kind->name, path);
    return net_save(&l->net, l->kind->file, path, err);
}

bool learner_load(void *self, const char *path, struct err *err)
{
    struct learner *l = self;
    if (!net_load(&l->net, l->kind->file, path, err))
        return err_context(err, "model %s", l->kind->name);
    if (l->follow)
        net_copy(&l->siamese, &l->net);
    return l->trained = l->loaded = l->scaled = true;
}

/* Plans -----------------------------------------------------------------------------------------------------------
 */

#define ROUND_S                                                                                                        \
    0.15 /* the states of a round scored: results/parity/direction, one AVX-512 core, beside 0.2 s of xgb              \
          */

double learner_search_s(const struct learner_options *o, double epoch_s, int64_t rounds, int64_t batch)
{
    double records = 0; /* over all fits */
    for (int64_t i = 1; i <= rounds && o->update != LEARNER_NEVER; i++)
        records += i == 1 || i % o->every == 0 ? (double)(i * batch) : 0;
    return (double)o->epochs * epoch_s * records + ROUND_S * (double)rounds;
}

/* What a search begins with --------------------------------------------------------------------------------------- */

#define PRETRAIN_VALIDATION 0.1 /* share of each kernel's programs; pam_model.py, pre-training */

/* All that decides the network that comes out of pre-training. */
static const char *pretraining_words(const struct learner *l, struct arena *a, const char *digest)
{
    const struct learner_options *o = l->o;
    return arena_printf(
        a,
        "pretraining 1 %s %s %zu %d %s seed %" PRId64 " epochs %" PRId64 " batch %" PRId64 " patience %" PRId64
        " rate %.17g decay %.17g clip %.17g validation %g loss %d optimiser %d scales %d",
        l->kind->name, l->kind->file, l->net.nparams, l->env->limits.is_gpu, digest, o->pretrain_seed, o->epochs,
        o->batch, o->patience, o->rate, o->decay, o->clip, PRETRAIN_VALIDATION, o->loss, o->optimiser, o->scales);
}

static void begin_with(struct learner *l, const struct learner *other)
{
    net_copy(&l->net, &other->net);
    if (l->follow)
        net_copy(&l->siamese, &l->net);
    l->trained = l->loaded = l->scaled = true;
}

/* A network of this kind from scratch. path: where it is kept; NULL: nowhere. */
static bool pretrain_now(struct learner *l, const struct pretraining *data, const char *path, struct err *err)
{
    struct learner other;
    struct learner_options o = *l->o;
    struct model_env env = *l->env;
    struct phases phases;
    double start = clock_now();
    o.load = o.pretrain = "";
    o.update = LEARNER_FRESH;
    o.validation = PRETRAIN_VALIDATION;
    env.phases = &phases;
    phases_start(&phases);
    rng_seed(&env.rng, (uint64_t)o.pretrain_seed);
    if (!learner_open(&other, l->kind, &o, NULL, &env, err))
        return false;
    bool fine = learner_tell(&other, data->candidates, data->samples, data->n, err) && learner_fit(&other, err) &&
                (!path || learner_save(&other, path, err));
    if (fine)
        begin_with(l, &other);
    learner_close(&other);
    log_info("%s: pre-trained on %d programs of %d kernels in %.1f s, which no search time counts", l->kind->name,
             data->n, data->kernels, clock_now() - start);
    return fine;
}

static bool pretrain(struct learner *l, struct err *err)
{
    struct arena *a = arena_open("pre-training");
    struct pretraining data;
    bool fine = pretraining_read(a, file_find(a, l->o->pretrain, l->env->folder), &data, err);
    if (fine) {
        const char *words = pretraining_words(l, a, data.digest), *folder = l->env->cache;
        const char *path = folder && file_is_dir(folder) ? pretraining_file(a, folder, words) : NULL;
        fine = path && file_exists(path) ? learner_load(l, path, err) : pretrain_now(l, &data, path, err);
    }
    arena_close(a);
    return fine || err_context(err, "model %s, pre-training", l->kind->name);
}

static bool begin(struct learner *l, struct err *err)
{
    const struct learner_options *o = l->o;
    bool loads = o->load && *o->load, pretrains = o->pretrain && *o->pretrain;
    if (loads && pretrains)
        return err_set(err, "model %s: 'load' and 'pretrain' both say what to begin with", l->kind->name);
    if (!loads)
        return !pretrains || pretrain(l, err);
    struct arena *a = arena_open("file of a network");
    bool fine = learner_load(l, file_find(a, o->load, l->env->folder), err);
    arena_close(a);
    return fine;
}
