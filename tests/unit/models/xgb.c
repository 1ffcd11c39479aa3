/* SPDX-License-Identifier: Apache-2.0 */
/* xgb: training lowers the error, ranking on a made-up cost beats chance on programs not seen, it ends when the error
 * does not fall, a wrong file is refused. Threads, warm-up and states without features are in learner.c. */
#include "harness/base/file.h"
#include "models/loss.h"
#include "models/statement_rows.h"
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"
#include "tests/lib/trainee.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#ifdef HAVE_XGBOOST
#include <xgboost/c_api.h>
#endif

enum { TRAIN = 160, TEST = 120 };
static const struct model *xgb;

/* Labels as the model makes them: least cost / cost. */
static void labels(const struct tiled_matmuls *p, int from, int n, float *out)
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

static void test_learning(struct arena *a, const struct tiled_matmuls *p, const char *options)
{
    struct trainee t;
    double s[TRAIN + TEST];
    float label[TRAIN + TEST];
    trainee_open(&t, a, "xgb", options, 3, NULL);
    trainee_teach(&t, p, 0, TRAIN, true);
    labels(p, 0, TRAIN, label);
    double start[TRAIN];
    for (int i = 0; i < TRAIN; i++)
        start[i] = 0.5; /* base_score, one row each */
    trainee_score(&t, p, 0, TRAIN, s);
    double before = rmse(start, label, TRAIN), after = rmse(s, label, TRAIN);
    ok(after < 0.3 * before, "%s: training lowers the error on its programs from %.4f to %.4f", options, before, after);
    trainee_score(&t, p, TRAIN, TEST, s);
    double share = trainee_order(s, p, TRAIN, TEST);
    ok(share > 0.85, "%s: %.1f %% of the pairs of new programs are in the right order", options, 100 * share);
    xgb->close(t.self);
}

static void test_adaptive(struct arena *a, const struct tiled_matmuls *p)
{
    struct trainee t;
    double x[8], y[8];
    trainee_open(&t, a, "xgb", "rounds=5, adaptive=true", 3, NULL);
    trainee_teach(&t, p, 0, 50, true);
    trainee_score(&t, p, 0, 8, x);
    struct tiled_matmuls more = {9, p->candidates + 50, p->states + 50, p->samples + 50};
    trainee_teach(&t, &more, 0, 9, true);
    trainee_score(&t, p, 0, 8, y);
    ok(trainee_same(x, y, 8), "an adaptive model is not trained anew on 18 %% more records");
    trainee_teach(&t, &more, 0, 1, true);
    trainee_score(&t, p, 0, 8, y);
    ok(!trainee_same(x, y, 8), "an adaptive model is trained anew on 20 %% more records");
    xgb->close(t.self);
}

/* One slow repeat of three moves a mean, not a median: by medians the programs look as if there were none. */
static void test_median(struct arena *a, const struct tiled_matmuls *p)
{
    double y[3][8];
    for (int i = 0; i < 3; i++) {
        struct trainee t;
        struct tiled_matmuls own = {TRAIN, p->candidates, p->states, ARENA_DUP(a, p->samples, struct sample, TRAIN)};
        for (int k = 0; k < TRAIN; k++) {
            struct sample *s = &own.samples[k];
            s->nseconds = 3;
            s->seconds[1] = s->seconds[0];
            s->seconds[2] = s->seconds[0] * (i > 0 && k % 4 == 0 ? 20 : 1);
        }
        trainee_open(&t, a, "xgb", i < 2 ? "rounds=5, label=median" : "rounds=5", 3, NULL);
        trainee_teach(&t, &own, 0, TRAIN, true);
        trainee_score(&t, p, 0, 8, y[i]);
        xgb->close(t.self);
    }
    ok(trainee_same(y[0], y[1], 8), "a slow repeat changes nothing under label=median");
    ok(!trainee_same(y[0], y[2], 8), "a slow repeat changes the scores under label=mean");
}

/* ---- when training ends, seen from the trees ---- */

#ifdef HAVE_XGBOOST
enum { TREES = 400 };

/* The errors (p-rmse) of the training set after each tree of a saved model, by XGBoost itself and our own features. */
static int errors_after(struct arena *a, const char *path, const struct tiled_matmuls *p, int n, double *error)
{
    struct err err = {0};
    char *bytes;
    size_t size;
    BoosterHandle b = NULL;
    DMatrixHandle rows = NULL;
    int trees = 0;
    float label[TRAIN];
    labels(p, 0, n, label);
    static const struct example_form form = FEATURE_FORM;
    struct model_env env = {0};
    struct example_batch *h = example_batch_open(&form, &env);
    struct example_matrix all = example_batch_states(h, p->states, n);
    const int *first;
    const float *at = example_batch_rows(h, &all, &first);
    if (!file_read(a, path, 0, &bytes, &size, &err) || XGBoosterCreate(NULL, 0, &b) ||
        XGBoosterLoadModelFromBuffer(b, bytes, size) || XGBoosterBoostedRounds(b, &trees) ||
        XGDMatrixCreateFromMat(at, (bst_ulong)first[n], FEATURE_WIDTH, NAN, &rows))
        bug("%s: %s %s", path, err.text, XGBGetLastError());
    struct packs packs = {.n = n, .first = first, .label = label};
    for (int i = 0; i < trees && i < TREES; i++) {
        char config[160];
        const bst_ulong *shape;
        bst_ulong ndim;
        const float *out;
        snprintf(config, sizeof config,
                 "{\"type\":1,\"training\":false,\"iteration_begin\":0,\"iteration_end\":%d,\"strict_shape\":false}",
                 i + 1);
        if (XGBoosterPredictFromDMatrix(b, rows, config, &shape, &ndim, &out))
            bug("%s", XGBGetLastError());
        error[i] = loss_rmse(&packs, out);
    }
    XGDMatrixFree(rows);
    XGBoosterFree(b);
    example_batch_close(h);
    return trees;
}

/* The last tree is that of the round `patience` after the best even one; nothing is rolled back. Errors are compared
 * with room for the rounding to six decimals. */
static void test_stop(struct arena *a, const struct tiled_matmuls *p, const char *options, int patience)
{
    struct trainee t;
    struct err err = {0};
    const char *path = fixture_path("trees");
    double error[TREES] = {0};
    int early = 0, late = 0;
    trainee_open(&t, a, "xgb", options, 3, NULL);
    trainee_teach(&t, p, 0, TRAIN, true);
    ok(xgb->save(t.self, path, &err), "model xgb saves to a file %s", err.text);
    int trees = errors_after(a, path, p, TRAIN, error), last = trees - 1, best = last - patience;
    is_int(last % 2, 0, "%s: the model has %d trees, so the last round looked at was even", options, trees);
    if (ok(best >= 0 && trees <= TREES, "training goes on for more trees than its patience")) {
        for (int i = 0; i < best; i += 2)
            early += error[i] < error[best] - 1e-9;
        for (int i = best + 2; i <= last; i += 2)
            late += error[i] < error[best] - 1e-6;
        ok(early == 0 && late == 0, "%s: the least error was after round %d, which is %d before the last", options,
           best, patience);
        ok(best < 2 || error[best] < error[best - 2], "the error has fallen while training");
    }
    xgb->close(t.self);
}

/* TVM's parameters; the first ones are XGBoost's own. */
enum { OWN = 6 };
static const char *const defaults[][2] = {{"max_depth", "10"}, {"gamma", "0.001"}, {"min_child_weight", "0"},
                                          {"eta", "0.2"},      {"seed", "43"},     {"base_score", "0.5"},
                                          {"rounds", "10000"}, {"patience", "50"}, {"adaptive", "false"}};

/* Scores of programs 0 .. n-1 after `rounds` trees, by XGBoost itself with each of `times` copies of every row told. */
static void told_apart(struct arena *a, const struct tiled_matmuls *p, const char *method, int n, int times, int rounds,
                       double *score)
{
    static const struct example_form form = FEATURE_FORM;
    struct model_env env = {0};
    struct example_batch *h = example_batch_open(&form, &env);
    struct example_matrix all = example_batch_states(h, p->states, n);
    const int *once;
    const float *at = example_batch_rows(h, &all, &once), *out = NULL;
    int rows = once[n], total = rows * times, *first = ARENA_ARRAY(a, int, n *times + 1);
    size_t cells = (size_t)rows * FEATURE_WIDTH;
    float *matrix = ARENA_ARRAY(a, float, cells *(size_t)times), *label = ARENA_ARRAY(a, float, n *times),
          *gradient = ARENA_ARRAY(a, float, total), *hessian = ARENA_ARRAY(a, float, total);
    for (int k = 0; k < times; k++) {
        memcpy(matrix + (size_t)k * cells, at, cells * sizeof *at);
        labels(p, 0, n, label + k * n);
        for (int i = 1; i <= n; i++)
            first[k * n + i] = k * rows + once[i];
    }
    struct packs packs = {.n = n * times, .first = first, .label = label};
    DMatrixHandle m;
    BoosterHandle b;
    bst_ulong len;
    bool bad = XGDMatrixCreateFromMat(matrix, (bst_ulong)total, FEATURE_WIDTH, NAN, &m) || XGBoosterCreate(&m, 1, &b) ||
               XGBoosterSetParam(b, "verbosity", "0") || XGBoosterSetParam(b, "tree_method", method);
    for (int i = 0; !bad && i < OWN; i++)
        bad = XGBoosterSetParam(b, defaults[i][0], defaults[i][1]);
    for (int i = 0; !bad && i <= rounds; i++) {
        bad = XGBoosterPredict(b, m, 0, 0, 1, &len, &out);
        if (!bad && i < rounds) {
            loss_gradient(&packs, out, gradient, hessian);
            bad = XGBoosterBoostOneIter(b, m, gradient, hessian, (bst_ulong)total);
        }
    }
    if (bad)
        bug("%s", XGBGetLastError());
    packs.n = n;
    loss_scores(&packs, out, score);
    XGBoosterFree(b);
    XGDMatrixFree(m);
    example_batch_close(h);
}

/* Equal rows are told XGBoost once, with the sums of what they add: the trees stay those of all rows. */
static void test_copies(struct arena *a, const struct tiled_matmuls *p, const char *method)
{
    enum { TIMES = 3, ROUNDS = 20 };
    struct trainee t;
    double score[TRAIN], want[TRAIN], most = 0;
    trainee_open(&t, a, "xgb", arena_printf(a, "rounds=%d,tree_method=%s", ROUNDS, method), 3, NULL);
    for (int k = 0; k < TIMES; k++)
        trainee_teach(&t, p, 0, TRAIN, k == TIMES - 1);
    trainee_score(&t, p, 0, TRAIN, score);
    told_apart(a, p, method, TRAIN, TIMES, ROUNDS, want);
    for (int i = 0; i < TRAIN; i++)
        most = fmax(most, fabs(score[i] - want[i]));
    ok(most < 1e-4, "%s: programs told three times score as with XGBoost on all their rows, within %.1e", method, most);
    xgb->close(t.self);
}

/* At most so many trees; the model's defaults are TVM's. */
static void test_rounds(struct arena *a, const struct tiled_matmuls *p)
{
    struct trainee t;
    struct err err = {0};
    const char *path = fixture_path("trees");
    double error[TREES];
    trainee_open(&t, a, "xgb", "rounds=7", 3, NULL);
    trainee_teach(&t, p, 0, TRAIN, true);
    ok(xgb->save(t.self, path, &err), "model xgb saves to a file %s", err.text);
    is_int(errors_after(a, path, p, TRAIN, error), 7, "rounds=7 gives a model of 7 trees");
    xgb->close(t.self);
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
        for (const struct setting *s = xgb->settings; s->name; s++)
            if (str_eq(s->name, defaults[i][0]))
                is_str(s->fallback, defaults[i][1], "the parameter %s is TVM's", s->name);
}
#endif

/* Labels are made anew at each fit: told a better program, the others' scores sink. */
static void test_labels(struct arena *a, const struct tiled_matmuls *p)
{
    struct trainee t;
    double before[1], after[1];
    struct err err = {0};
    int best = 0;
    for (int i = 0; i < 40; i++)
        best = p->samples[i].seconds[0] < p->samples[best].seconds[0] ? i : best;
    trainee_open(&t, a, "xgb", "", 3, NULL);
    trainee_teach(&t, p, 0, 40, true);
    trainee_score(&t, p, best, 1, before);
    struct sample faster = {.outcome = OUTCOME_OK, .nseconds = 1, .seconds = {p->samples[best].seconds[0] / 4}};
    ok(xgb->tell(t.self, p->candidates + 41, &faster, 1, &err) && xgb->fit(t.self, &err),
       "a program four times as fast is told");
    trainee_score(&t, p, best, 1, after);
    ok(before[0] > 0.8 && after[0] < 0.5, "the score of the former best falls from %.3f to about a quarter, %.3f",
       before[0], after[0]);
    xgb->close(t.self);
}

/* Fits of 1,000 programs and more are kept in the cache folder: a model that was told the same takes the last one up.
 * It is swapped here for another's trees, so that what is taken up can be seen. */
static void test_kept(struct arena *a, const struct tiled_matmuls *p)
{
    struct trainee t[4];
    struct err err = {0};
    double score[4][8];
    char *bytes, *other;
    size_t n, nother;
    const char *cache = fixture_path("kept"), *path = file_join(a, cache, "trained-xgb.ubj"),
               *plain = fixture_path("plain");
    fixture_must(file_make_dirs(cache, &err), &err);
    for (int i = 0; i < 4; i++) {
        trainee_open(&t[i], a, "xgb", "rounds=5", 3, NULL);
        t[i].env.cache = i == 1 ? NULL : cache;
        for (int k = 0; k < 4; k++)
            trainee_teach(&t[i], p, 0, p->n, false);
        trainee_teach(&t[i], p, 0, i == 1 || i == 3 ? p->n / 2 : 1, true);
        trainee_score(&t[i], p, 0, 8, score[i]);
        if (i == 1 && ok(file_read(a, path, 0, &bytes, &n, &err) && n > 8 && xgb->save(t[1].self, plain, &err) &&
                             file_read(a, plain, 0, &other, &nother, &err),
                         "a fit of 1,121 programs is kept %s", err.text)) {
            char *swapped = arena_alloc(a, 8 + nother);
            memcpy(swapped, bytes, 8); /* what it was trained on */
            memcpy(swapped + 8, other, nother);
            fixture_must(file_write(path, swapped, 8 + nother, &err), &err);
        }
    }
    ok(!trainee_same(score[0], score[1], 8) && trainee_same(score[1], score[2], 8),
       "a model that was told the same takes up the kept one");
    ok(trainee_same(score[3], score[1], 8), "one that was told more is trained, though another is kept");
    for (int i = 0; i < 4; i++)
        xgb->close(t[i].self);
}

/* XGBoost's memory must not stay in the process that searches: a fit is a child's. */
static void test_apart(struct arena *a, const struct tiled_matmuls *p)
{
    struct trainee t;
    struct rusage before, after;
    trainee_open(&t, a, "xgb", "rounds=2", 3, NULL);
    getrusage(RUSAGE_CHILDREN, &before);
    trainee_teach(&t, p, 0, TRAIN, true);
    getrusage(RUSAGE_CHILDREN, &after);
    ok(before.ru_maxrss == 0 && after.ru_maxrss > 0, "a model is trained in a process of its own");
    xgb->close(t.self);
}

static void test_bad_file(struct arena *a)
{
    struct trainee t;
    struct err err = {0};
    const char *path = fixture_path("none");
    trainee_open(&t, a, "xgb", "", 3, NULL);
    ok(!xgb->save(t.self, path, &err) && err.text[0], "an untrained model does not save: %s", err.text);
    ok(!xgb->load(t.self, fixture_file("none", "not a model"), &err), "a file that holds no model is refused");
    xgb->close(t.self);
}

int main(void)
{
    xgb = fixture_model("xgb");
    if (!xgb)
        skip_all("built without XGBoost");
    struct tiled_matmuls p = tiled_matmuls_make(arena, TRAIN + TEST, 11);
    test_apart(arena, &p); /* first: before any other child */
    test_learning(arena, &p, "tree_method=hist");
    test_learning(arena, &p, "tree_method=hist,threads=3");
    test_learning(arena, &p, "tree_method=exact");
    test_adaptive(arena, &p);
    test_median(arena, &p);
#ifdef HAVE_XGBOOST
    test_stop(arena, &p, "tree_method=hist", 50);
    test_stop(arena, &p, "tree_method=hist,patience=8,eta=0.9", 8);
    test_stop(arena, &p, "tree_method=exact,patience=10", 10);
    test_rounds(arena, &p);
    test_copies(arena, &p, "hist");
    test_copies(arena, &p, "approx");
    test_copies(arena, &p, "exact");
#endif
    test_labels(arena, &p);
    test_kept(arena, &p);
    test_bad_file(arena);
    return done_testing();
}
