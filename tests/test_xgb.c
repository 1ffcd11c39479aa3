/* SPDX-License-Identifier: Apache-2.0 */
/* xgb: training lowers the error, ranking on a made-up cost beats chance on programs not seen, the warm-up test is
 * strict, results do not depend on threads, a wrong file is refused. */
#include "harness/base/file.h"
#include "models/loss.h"
#include "models/models.h"
#include "tests/tap.h"
#include "tests/tilings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRAIN = 160, TEST = 120 };
static const struct model *xgb;

struct trainee {
    void *self, *options;
    struct model_env env;
};

static void trainee_open(struct trainee *t, struct arena *a, const char *options, int warmup, struct pool *pool)
{
    struct err err;
    *t = (struct trainee){.self = ARENA_ARRAY(a, char, xgb->state_size),
                          .options = ARENA_ARRAY(a, char, xgb->options_size)};
    setting_defaults(xgb->settings, t->options);
    if (!setting_parse(xgb->settings, t->options, a, options, &err))
        bug("%s", err.text);
    t->env = (struct model_env){.options = t->options, .limits = limits_cpu(2), .warmup = warmup, .pool = pool};
    rng_seed(&t->env.rng, 3);
    ok(xgb->open(t->self, &t->env, &err), "opens with '%s'", options);
}

static bool scores(struct trainee *t, const struct tilings *p, int from, int n, double *out)
{
    struct err err;
    return xgb->score(t->self, p->candidates[0].task, p->states + from, n, out, &err);
}

static void teach(struct trainee *t, const struct tilings *p, int n)
{
    struct err err;
    ok(xgb->tell(t->self, p->candidates, p->samples, n, &err) && xgb->fit(t->self, &err), "learns %d programs", n);
}

/* Labels as the model makes them: least cost / cost. */
static void labels(const struct tilings *p, int from, int n, float *out)
{
    double best = INFINITY;
    for (int i = 0; i < n; i++)
        best = fmin(best, p->samples[from + i].seconds[0]);
    for (int i = 0; i < n; i++)
        out[i] = (float)(best / p->samples[from + i].seconds[0]);
}

static double rmse(const double *score, const float *label, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (score[i] - (double)label[i]) * (score[i] - (double)label[i]);
    return sqrt(sum / n);
}

/* Share of pairs put in the right order. */
static double order(const double *score, const float *label, int n)
{
    int right = 0, pairs = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (label[i] != label[j]) {
                pairs++;
                right += (score[i] > score[j]) == (label[i] > label[j]);
            }
    return (double)right / (pairs ? pairs : 1);
}

static void test_learning(struct arena *a, const struct tilings *p, const char *options)
{
    struct trainee t;
    struct err err;
    double s[TRAIN + TEST];
    float label[TRAIN + TEST];
    trainee_open(&t, a, options, 3, NULL);
    teach(&t, p, TRAIN);
    labels(p, 0, TRAIN, label);
    double start[TRAIN];
    for (int i = 0; i < TRAIN; i++)
        start[i] = 0.5; /* base_score, one row each */
    ok(scores(&t, p, 0, TRAIN, s), "scores");
    double before = rmse(start, label, TRAIN), after = rmse(s, label, TRAIN);
    ok(after < 0.3 * before, "%s: error on the training set %.4f before, %.4f after", options, before, after);
    ok(scores(&t, p, TRAIN, TEST, s), "scores new programs");
    labels(p, TRAIN, TEST, label);
    double share = order(s, label, TEST);
    ok(share > 0.85, "%s: %.1f %% of new pairs in the right order", options, 100 * share);
    ok(loss_peak(s, label, TEST, 32) > 0.9, "%s: the best is found early", options);
    (void)err;
    xgb->close(t.self);
}

static bool same_scores(const double x[8], const double y[8])
{
    for (int i = 0; i < 8; i++)
        if (x[i] != y[i])
            return false;
    return true;
}

static void test_warmup(struct arena *a, const struct tilings *p)
{
    struct trainee t;
    double x[8], y[8];
    trainee_open(&t, a, "rounds=5", 10, NULL);
    teach(&t, p, 10);
    ok(scores(&t, p, 0, 8, x) && scores(&t, p, 0, 8, y) && !same_scores(x, y),
       "as many records as the warm-up: still random");
    struct tilings one = {1, p->candidates + 10, p->states + 10, p->samples + 10};
    teach(&t, &one, 1);
    ok(scores(&t, p, 0, 8, x) && scores(&t, p, 0, 8, y) && same_scores(x, y), "one more: the model scores");
    xgb->close(t.self);
}

static void test_adaptive(struct arena *a, const struct tilings *p)
{
    struct trainee t;
    double x[8], y[8];
    trainee_open(&t, a, "rounds=5, adaptive=true", 3, NULL);
    teach(&t, p, 50);
    ok(scores(&t, p, 0, 8, x), "scores");
    struct tilings more = {9, p->candidates + 50, p->states + 50, p->samples + 50};
    teach(&t, &more, 9);
    ok(scores(&t, p, 0, 8, y) && same_scores(x, y), "adaptive: 18 %% more records train nothing");
    teach(&t, &more, 1);
    ok(scores(&t, p, 0, 8, y) && !same_scores(x, y), "adaptive: 20 %% more do");
    xgb->close(t.self);
}

static void test_threads(struct arena *a, const struct tilings *p)
{
    double x[2][TEST];
    for (int i = 0; i < 2; i++) {
        struct trainee t;
        struct pool *pool = i ? pool_open(3) : NULL;
        trainee_open(&t, a, "rounds=20", 3, pool);
        teach(&t, p, TRAIN);
        ok(scores(&t, p, TRAIN, TEST, x[i]), "scores");
        xgb->close(t.self);
        pool_close(pool);
    }
    is_mem(x[0], x[1], sizeof x[0], "three threads give the scores of one");
}

static void test_bad_file(struct arena *a)
{
    struct trainee t;
    struct err err = {0};
    const char *path = "/tmp/raingauge-not-a-model";
    trainee_open(&t, a, "", 3, NULL);
    ok(!xgb->save(t.self, path, &err) && err.text[0], "an untrained model does not save: %s", err.text);
    if (ok(file_write(path, "not a model", 11, &err), "write a wrong file"))
        ok(!xgb->load(t.self, path, &err), "a wrong file is refused");
    remove(path);
    xgb->close(t.self);
}

int main(void)
{
    for (const struct model *const *m = models_table(); *m; m++)
        if (str_eq((*m)->name, "xgb"))
            xgb = *m;
    if (!xgb)
        skip_all("built without XGBoost");
    struct arena *a = arena_open("test");
    struct tilings p = tilings_make(a, TRAIN + TEST, 11);
    test_learning(a, &p, "tree_method=hist");
    test_learning(a, &p, "tree_method=exact");
    test_warmup(a, &p);
    test_adaptive(a, &p);
    test_threads(a, &p);
    test_bad_file(a);
    arena_close(a);
    return done_testing();
}
