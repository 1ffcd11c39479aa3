/* SPDX-License-Identifier: Apache-2.0 */
/* xgb: gradient-boosted trees with the pack-sum loss, one model for all tasks (harness/doc/ansor.md, "Cost model"; TVM
 * v0.16 xgb_model.py), through the C API of XGBoost 1.x.
 *
 * Trained from scratch on all programs told so far at each fit; up to `rounds` trees, ended by early_stop.h; all trees
 * stay.
 *
 * Deviations from TVM:
 * - While scores are random (too few records), states are not lowered, so one that cannot be featurised is not told
 *   apart. On CPU bound inference has already thrown those out.
 * - tree_method is a setting and defaults to hist. TVM leaves it to XGBoost: exact below 2^22 rows in 1.x, hist since
 *   2.0. README.md of this folder has the times.
 * - A task without any working program gets labels 0. TVM divides 1e10 by 1e10 there and teaches the model, with full
 *   weight, that failures are perfect. */
#ifdef HAVE_XGBOOST
#include "harness/base/arena.h"
#include "harness/base/file.h"
#include "harness/base/log.h"
#include "harness/stats/summary.h"
#include "models/early_stop.h"
#include "models/loss.h"
#include "models/statement_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xgboost/c_api.h>

struct xgb_options {
    int64_t rounds, patience, depth, seed, threads;
    double gamma, child, eta, base;
    int method, label;
    bool adaptive;
};
static const char *const methods[] = {"auto", "exact", "approx", "hist", NULL};
static const char *const label_times[] = {"mean", "median", NULL};
static const struct setting settings[] = {
    INT_SETTING("rounds", struct xgb_options, rounds, "10000", 1, 1e6, "trees at most"),
    INT_SETTING("patience", struct xgb_options, patience, "50", 1, 1e6,
                "stop when the training error has not fallen for so many rounds"),
    INT_SETTING("max_depth", struct xgb_options, depth, "10", 1, 30, "depth of a tree"),
    REAL_SETTING("gamma", struct xgb_options, gamma, "0.001", 0, 1e6, "least gain of a split"),
    REAL_SETTING("min_child_weight", struct xgb_options, child, "0", 0, 1e6, "least sum of weights in a leaf"),
    REAL_SETTING("eta", struct xgb_options, eta, "0.2", 1e-6, 1, "step size"),
    REAL_SETTING("base_score", struct xgb_options, base, "0.5", -1e6, 1e6, "score of a row before the first tree"),
    INT_SETTING("seed", struct xgb_options, seed, "43", 0, 2147483647, "of XGBoost itself"),
    INT_SETTING("threads", struct xgb_options, threads, "0", 0, 1024, "threads of XGBoost; 0: half of the cores"),
    ENUM_SETTING("tree_method", struct xgb_options, method, "hist", methods,
                 "how splits are found; auto: exact up to 4 million rows"),
    ENUM_SETTING("label", struct xgb_options, label, "mean", label_times,
                 "of a program's repeats, what its label is made of; MetaSchedule's is the median"),
    BOOL_SETTING("adaptive", struct xgb_options, adaptive, "false",
                 "train only when the records have grown by a fifth"),
    {0},
};

struct xgb {
    struct model_env *env;
    const struct xgb_options *o;
    struct example_batch *batch;
    struct examples data;
    BoosterHandle booster; /* NULL: not trained */
    bool loaded;           /* from a file: used whatever the number of records */
    int trained;           /* programs at the last fit */
    VEC(float) gradient, hessian;
};

static const struct example_form form = FEATURE_FORM;

static bool failed(struct err *err, const char *what)
{
    return err_set(err, "xgboost: %s: %s", what, XGBGetLastError());
}

static void booster_drop(struct xgb *x)
{
    if (x->booster && XGBoosterFree(x->booster) != 0)
        log_warn("xgboost: %s", XGBGetLastError());
    x->booster = NULL;
}

static int thread_count(const struct xgb *x)
{
    if (x->o->threads > 0)
        return (int)x->o->threads;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 3 ? (int)(cores / 2) : 1;
}

static bool param(BoosterHandle b, struct err *err, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
static bool param(BoosterHandle b, struct err *err, const char *name, const char *fmt, ...)
{
    char value[64];
    va_list args;
    va_start(args, fmt);
    vsnprintf(value, sizeof value, fmt, args);
    va_end(args);
    return XGBoosterSetParam(b, name, value) == 0 || failed(err, name);
}

static bool booster_set(const struct xgb *x, BoosterHandle b, struct err *err)
{
    const struct xgb_options *o = x->o;
    return param(b, err, "verbosity", "0") && param(b, err, "nthread", "%d", thread_count(x)) &&
           param(b, err, "max_depth", "%lld", (long long)o->depth) && param(b, err, "gamma", "%.9g", o->gamma) &&
           param(b, err, "min_child_weight", "%.9g", o->child) && param(b, err, "eta", "%.9g", o->eta) &&
           param(b, err, "base_score", "%.9g", o->base) && param(b, err, "seed", "%lld", (long long)o->seed) &&
           param(b, err, "tree_method", "%s", methods[o->method]) && param(b, err, "disable_default_eval_metric", "1");
}

/* Sum of trees for every row of the training matrix; xgboost adds only the newest trees to what it has cached. */
static bool train_predict(BoosterHandle b, DMatrixHandle rows, const float **out, struct err *err)
{
    static const char config[] = "{\"type\":1,\"training\":true,\"iteration_begin\":0,\"iteration_end\":0,"
                                 "\"strict_shape\":false}";
    const bst_ulong *shape;
    bst_ulong ndim;
    return XGBoosterPredictFromDMatrix(b, rows, config, &shape, &ndim, out) == 0 || failed(err, "predict");
}

static bool train(struct xgb *x, BoosterHandle b, DMatrixHandle rows, const struct packs *packs, struct err *err)
{
    struct early_stop stop;
    const float *predicted;
    int n = packs->first[packs->n], round = 0;
    early_stop_start(&stop, x->o->patience);
    for (;; round++) {
        if (!train_predict(b, rows, &predicted, err))
            return false;
        if (round == x->o->rounds || (round > 0 && early_stop_stops(&stop, round - 1, loss_rmse(packs, predicted))))
            break;
        loss_gradient(packs, predicted, x->gradient.at, x->hessian.at);
        if (XGBoosterBoostOneIter(b, rows, x->gradient.at, x->hessian.at, (bst_ulong)n) != 0)
            return failed(err, "boost");
    }
    log_debug("xgb: %d programs, %d rows, %d rounds, best p-rmse %.5f", packs->n, n, round, stop.best);
    return true;
}

static bool fit_new(struct xgb *x, struct err *err)
{
    struct example_input *in = &x->data.in[0];
    examples_label(&x->data);
    struct packs packs = {.n = x->data.cost.n, .first = in->first.at, .label = x->data.label.at};
    int n = vec_last(&in->first);
    DMatrixHandle rows;
    BoosterHandle b;
    if (x->gradient.cap < n) {
        x->gradient.at = vec_grow(x->gradient.at, &x->gradient.cap, n, sizeof(float));
        x->hessian.at = vec_grow(x->hessian.at, &x->hessian.cap, n, sizeof(float));
    }
    if (XGDMatrixCreateFromMat_omp(in->rows.at, (bst_ulong)n, FEATURE_WIDTH, NAN, &rows, thread_count(x)) != 0)
        return failed(err, "matrix");
    bool fine = XGBoosterCreate(&rows, 1, &b) == 0 || failed(err, "create");
    if (fine) {
        fine = booster_set(x, b, err) && train(x, b, rows, &packs, err);
        if (fine) {
            booster_drop(x);
            x->booster = b;
            x->trained = packs.n;
        } else {
            XGBoosterFree(b);
        }
    }
    XGDMatrixFree(rows);
    return fine;
}

static bool xgb_fit(void *self, struct err *err)
{
    struct xgb *x = self;
    int n = x->data.cost.n;
    if (n == 0 || (x->o->adaptive && x->trained > 0 && n - x->trained < (x->trained + 4) / 5))
        return true;
    enum phase before = phases_enter(x->env->phases, PHASE_train);
    bool fine = fit_new(x, err);
    phases_enter(x->env->phases, before);
    return fine;
}

static bool xgb_tell(void *self, const struct candidate *c, const struct sample *s, int n, struct err *err)
{
    struct xgb *x = self;
    (void)err;
    struct example_matrix all = example_batch_candidates(x->batch, c, n);
    for (int i = 0; i < n; i++) {
        bool median = x->o->label == 1 && s[i].nseconds > 0;
        examples_add(&x->data, c[i].task->hash, &all.shown[i],
                     median ? summary_median(s[i].seconds, s[i].nseconds) : sample_mean(&s[i]));
    }
    return true;
}

/* Predictions straight from our matrix, without a copy. */
static bool predict(struct xgb *x, const struct example_matrix *all, double *scores, struct err *err)
{
    static const char config[] = "{\"type\":1,\"training\":false,\"iteration_begin\":0,\"iteration_end\":0,"
                                 "\"strict_shape\":false,\"missing\":NaN,\"cache_id\":0}";
    char array[160];
    const bst_ulong *shape;
    bst_ulong ndim;
    const int *first;
    const float *row, *at = example_batch_rows(x->batch, all, &first);
    snprintf(array, sizeof array, "{\"data\":[%llu,true],\"shape\":[%d,%d],\"typestr\":\"<f4\",\"version\":3}",
             (unsigned long long)(uintptr_t)at, first[all->n], FEATURE_WIDTH);
    if (XGBoosterPredictFromDense(x->booster, array, config, NULL, &shape, &ndim, &row) != 0)
        return failed(err, "predict");
    struct packs packs = {.n = all->n, .first = first};
    loss_scores(&packs, row, scores);
    for (int i = 0; i < all->n; i++)
        if (all->none[i])
            scores[i] = -INFINITY;
    return true;
}

static bool xgb_score(void *self, const struct task *task, struct state *const *states, int n, double *scores,
                      struct err *err)
{
    struct xgb *x = self;
    (void)task;
    bool enough = x->loaded || x->env->warmup < 0 || x->data.cost.n > x->env->warmup;
    if (!x->booster || !enough || n == 0) {
        for (int i = 0; i < n; i++)
            scores[i] = rng_unit(&x->env->rng);
        return true;
    }
    struct example_matrix all = example_batch_states(x->batch, states, n);
    enum phase before = phases_enter(x->env->phases, PHASE_score);
    bool fine = predict(x, &all, scores, err);
    phases_enter(x->env->phases, before);
    return fine;
}

static bool xgb_save(void *self, const char *path, struct err *err)
{
    struct xgb *x = self;
    bst_ulong n;
    const char *bytes;
    if (!x->booster)
        return err_set(err, "model xgb is not trained, nothing to save in '%s'", path);
    if (XGBoosterSaveModelToBuffer(x->booster, "{\"format\":\"ubj\"}", &n, &bytes) != 0)
        return failed(err, "save");
    return file_write(path, bytes, n, err);
}

static bool xgb_load(void *self, const char *path, struct err *err)
{
    struct xgb *x = self;
    struct arena *a = arena_open("model file");
    char *bytes;
    size_t n;
    BoosterHandle b = NULL;
    bool fine = file_read(a, path, 0, &bytes, &n, err) &&
                (XGBoosterCreate(NULL, 0, &b) == 0 || failed(err, "create")) && booster_set(x, b, err) &&
                (XGBoosterLoadModelFromBuffer(b, bytes, n) == 0 || failed(err, path));
    arena_close(a);
    if (!fine) {
        if (b)
            XGBoosterFree(b);
        return false;
    }
    booster_drop(x);
    x->booster = b;
    return x->loaded = true;
}

static bool xgb_open(void *self, struct model_env *env, struct err *err)
{
    struct xgb *x = self;
    (void)err;
    *x = (struct xgb){.env = env, .o = env->options, .batch = example_batch_open(&form, env)};
    examples_open(&x->data, form.inputs, form.width);
    return true;
}

static void xgb_close(void *self)
{
    struct xgb *x = self;
    booster_drop(x);
    example_batch_close(x->batch);
    examples_free(&x->data);
    vec_free(&x->gradient);
    vec_free(&x->hessian);
}

extern const struct model model_xgb;
const struct model model_xgb = {
    .name = "xgb",
    .summary = "gradient-boosted trees on 164 features per written buffer, pack-sum loss (Ansor)",
    .settings = settings,
    .options_size = sizeof(struct xgb_options),
    .state_size = sizeof(struct xgb),
    .open = xgb_open,
    .tell = xgb_tell,
    .fit = xgb_fit,
    .score = xgb_score,
    .save = xgb_save,
    .load = xgb_load,
    .close = xgb_close,
};
#else
typedef int no_xgboost; /* an empty file is no C */
#endif
