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
#include "harness/base/cpus.h"
#include "harness/base/file.h"
#include "harness/base/hash.h"
#include "harness/base/log.h"
#include "harness/base/map.h"
#include "harness/base/process.h"
#include "harness/stats/summary.h"
#include "models/early_stop.h"
#include "models/loss.h"
#include "models/statement_rows.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xgboost/c_api.h>

#define UBJ "{\"format\":\"ubj\"}"
enum {
    FEW = 1000, /* programs: they are trained on within a second, and threads would not pay */
    PART = 64   /* programs that a thread scores at a time */
};

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
    INT_SETTING("threads", struct xgb_options, threads, "0", 0, 1024,
                "threads of a fit; 0: half of the cores, two of two or three, one for few programs"),
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
    uint64_t told;         /* hash of all that was told */
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

static int threads_of(const struct xgb_options *o, int64_t programs, int cores)
{
    if (o->threads > 0)
        return (int)o->threads;
    return programs < FEW ? 1 : cores > 3 ? cores / 2 : cores > 1 ? 2 : 1;
}

static int thread_count(const struct xgb *x)
{
    return threads_of(x->o, x->data.cost.n, cpus_usable());
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

static bool booster_set(const struct xgb *x, BoosterHandle b, int threads, struct err *err)
{
    const struct xgb_options *o = x->o;
    return param(b, err, "verbosity", "0") && param(b, err, "nthread", "%d", threads) &&
           param(b, err, "max_depth", "%lld", (long long)o->depth) && param(b, err, "gamma", "%.9g", o->gamma) &&
           param(b, err, "min_child_weight", "%.9g", o->child) && param(b, err, "eta", "%.9g", o->eta) &&
           param(b, err, "base_score", "%.9g", o->base) && param(b, err, "seed", "%lld", (long long)o->seed) &&
           param(b, err, "tree_method", "%s", methods[o->method]) && param(b, err, "disable_default_eval_metric", "1");
}

/* Sums of trees of so many rows, straight from our matrix. By one thread of XGBoost: others would go on spinning for
 * work when a search wants the cores. */
static bool sum_trees(BoosterHandle b, const float *at, int nrows, float *out, struct err *err)
{
    static const char config[] = "{\"type\":1,\"training\":false,\"iteration_begin\":0,\"iteration_end\":0,"
                                 "\"strict_shape\":false,\"missing\":NaN,\"cache_id\":0}";
    char array[160];
    const bst_ulong *shape;
    bst_ulong ndim;
    const float *sums;
    snprintf(array, sizeof array, "{\"data\":[%llu,true],\"shape\":[%d,%d],\"typestr\":\"<f4\",\"version\":3}",
             (unsigned long long)(uintptr_t)at, nrows, FEATURE_WIDTH);
    if (XGBoosterPredictFromDense(b, array, config, NULL, &shape, &ndim, &sums) != 0)
        return failed(err, "predict");
    memcpy(out, sums, sizeof *out * (size_t)nrows);
    return true;
}

/* Takes over a saved model. It keeps its handle, as XGBoost keeps a memory of each in every thread that scored. The
 * first sum settles its parameters: then threads may ask at once. */
static bool booster_take(struct xgb *x, const char *bytes, size_t n, const char *what, struct err *err)
{
    static const float row[FEATURE_WIDTH];
    float sum;
    bool fine = x->booster || ((XGBoosterCreate(NULL, 0, &x->booster) == 0 || failed(err, "create")) &&
                               booster_set(x, x->booster, 1, err));
    fine = fine && (XGBoosterLoadModelFromBuffer(x->booster, bytes, n) == 0 || failed(err, what)) &&
           sum_trees(x->booster, row, 1, &sum, err);
    if (!fine)
        booster_drop(x);
    return fine;
}

/* What decides a trained model, as a number: features and times, settings, XGBoost itself, and the threads, as these
 * change the order of sums. */
static uint64_t trained_on(const struct xgb *x)
{
    int version[3];
    XGBoostVersion(&version[0], &version[1], &version[2]);
    uint64_t made_by = hash_bytes(version, sizeof version, (uint64_t)thread_count(x));
    return hash_mix(hash_bytes(x->o, sizeof *x->o, made_by), x->told);
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

/* Rows that are equal, as programs share statements: a tree sees only sums over rows, so each is told once, with the
 * sums of its copies' gradients and hessians, and their number for the bins of values. */
struct distinct {
    float *row, *copies; /* n x FEATURE_WIDTH; n */
    int n, *of;          /* n; per row that was told: which it is */
};

static struct distinct distinct_rows(struct arena *a, const float *rows, int n)
{
    enum { BYTES = FEATURE_WIDTH * sizeof(float) };
    struct distinct d = {.row = ARENA_ARRAY(a, float, FEATURE_WIDTH *(size_t)n),
                         .copies = ARENA_ARRAY(a, float, n),
                         .of = ARENA_ARRAY(a, int, n)};
    struct map seen = {0};
    for (int i = 0; i < n; i++) {
        const void *row = rows + (size_t)i * FEATURE_WIDTH;
        uint64_t hash = hash_bytes(row, BYTES, 0), at = 0;
        const void *like = map_get(&seen, hash, &at) ? d.row + at * FEATURE_WIDTH : NULL;
        if (!like || memcmp(like, row, BYTES) != 0) {
            map_put(&seen, hash, at = (uint64_t)d.n++);
            memcpy(d.row + at * FEATURE_WIDTH, row, BYTES);
        }
        d.of[i] = (int)at;
        d.copies[at]++;
    }
    map_free(&seen);
    return d;
}

static void sum_up(const struct distinct *d, const float *each, int n, float *sum)
{
    memset(sum, 0, sizeof *sum * (size_t)d->n);
    for (int i = 0; i < n; i++)
        sum[d->of[i]] += each[i];
}

static bool boost(const struct xgb *x, BoosterHandle b, DMatrixHandle rows, const struct distinct *d,
                  const struct packs *packs, struct err *err)
{
    struct arena *a = arena_open("gradients");
    struct early_stop stop;
    const float *predicted;
    int n = packs->first[packs->n], round = 0;
    float *gradient = ARENA_ARRAY(a, float, n), *hessian = ARENA_ARRAY(a, float, n), *row = ARENA_ARRAY(a, float, n),
          *gradients = ARENA_ARRAY(a, float, d->n), *hessians = ARENA_ARRAY(a, float, d->n);
    early_stop_start(&stop, x->o->patience);
    for (;; round++) {
        if (!train_predict(b, rows, &predicted, err))
            return false;
        for (int i = 0; i < n; i++)
            row[i] = predicted[d->of[i]];
        if (round == x->o->rounds || (round > 0 && early_stop_stops(&stop, round - 1, loss_rmse(packs, row))))
            break;
        loss_gradient(packs, row, gradient, hessian);
        sum_up(d, gradient, n, gradients);
        sum_up(d, hessian, n, hessians);
        if (XGBoosterBoostOneIter(b, rows, gradients, hessians, (bst_ulong)d->n) != 0)
            return failed(err, "boost");
    }
    dprintf(STDERR_FILENO, "xgb: %d programs, %d rows, %d distinct, %d rounds, best p-rmse %.5f", packs->n, n, d->n,
            round, stop.best);
    return true;
}

/* In a process of its own: frees nothing. */
static bool train(struct xgb *x, struct err *err)
{
    const struct example_input *in = &x->data.in[0];
    struct arena *a = arena_open("distinct rows");
    struct distinct d = distinct_rows(a, in->rows.at, vec_last(&in->first));
    examples_label(&x->data);
    struct packs packs = {.n = x->data.cost.n, .first = in->first.at, .label = x->data.label.at};
    DMatrixHandle rows;
    BoosterHandle b;
    bst_ulong n;
    const char *bytes;
    uint64_t key = trained_on(x);
    FILE *out = fdopen(STDOUT_FILENO, "w");
    return (XGDMatrixCreateFromMat_omp(d.row, (bst_ulong)d.n, FEATURE_WIDTH, NAN, &rows, thread_count(x)) == 0 ||
            failed(err, "matrix")) &&
           (!str_eq(methods[x->o->method], "hist") || /* approx weighs values by hessians, which are sums here */
            XGDMatrixSetFloatInfo(rows, "weight", d.copies, (bst_ulong)d.n) == 0 || failed(err, "weights")) &&
           (XGBoosterCreate(&rows, 1, &b) == 0 || failed(err, "create")) && booster_set(x, b, thread_count(x), err) &&
           boost(x, b, rows, &d, &packs, err) &&
           (XGBoosterSaveModelToBuffer(b, UBJ, &n, &bytes) == 0 || failed(err, "save")) &&
           ((out && fwrite(&key, sizeof key, 1, out) == 1 && fwrite(bytes, 1, n, out) == n && fclose(out) == 0) ||
            err_set(err, "xgboost: the model cannot be handed over"));
}

static void *train_thread(void *with)
{
    struct err err = {0};
    bool fine = train(with, &err);
    if (!fine)
        dprintf(STDERR_FILENO, "%s", err.text);
    _exit(!fine);
}

/* GNU's OpenMP waits for ever for threads that a fork left behind, but not in a thread that has none yet. */
static void train_child(void *with)
{
    pthread_t thread;
    if (thread_count(with) > 1 && pthread_create(&thread, NULL, train_thread, with) == 0)
        pthread_join(thread, NULL);
    train_thread(with);
}

/* XGBoost keeps a histogram for every node of the largest tree, half a GiB at 34,000 programs: so a process of its own
 * trains, and its memory goes with it. The model comes back in a file in memory, after its key. */
static bool train_apart(struct xgb *x, struct arena *a, char **bytes, size_t *n, struct err *err)
{
    int fd = memfd_create("model", MFD_CLOEXEC);
    const struct process_spec spec = {.run = train_child, .with = x, .out = fd, .err = PROCESS_CAPTURE};
    struct process p = {0};
    if (fd < 0)
        return err_set(err, "xgboost: no memory for a model");
    bool fine = process_run(&spec, INFINITY, &p, err);
    if (fine)
        log_debug("%s", text_str(&p.err));
    else if (p.err.len)
        err_set(err, "%s", text_str(&p.err));
    process_close(&p);
    *n = fine ? (size_t)lseek(fd, 0, SEEK_END) : 0;
    *bytes = arena_alloc(a, *n);
    fine = fine && (pread(fd, *bytes, *n, 0) == (ssize_t)*n || err_set(err, "xgboost: the model cannot be read"));
    close(fd);
    return fine;
}

/* The last model of a search that is resumed: training on the same programs and times would give no other. */
static bool take_up(const struct xgb *x, struct arena *a, const char *path, char **bytes, size_t *n)
{
    uint64_t key = trained_on(x);
    struct err ignored;
    return !x->booster && file_exists(path) && file_read(a, path, 0, bytes, n, &ignored) && *n > sizeof key &&
           memcmp(*bytes, &key, sizeof key) == 0;
}

static bool fit_new(struct xgb *x, struct err *err)
{
    struct arena *a = arena_open("training");
    bool keeps = x->env->cache && x->data.cost.n >= FEW;
    const char *path = keeps ? file_join(a, x->env->cache, "trained-xgb.ubj") : NULL;
    char *bytes = NULL;
    size_t n = 0;
    bool kept = keeps && take_up(x, a, path, &bytes, &n);
    bool fine = (kept || train_apart(x, a, &bytes, &n, err)) &&
                booster_take(x, bytes + sizeof(uint64_t), n - sizeof(uint64_t), "model", err);
    struct err why = {0};
    if (fine && keeps && !kept && !file_write(path, bytes, n, &why))
        log_debug("%s", why.text);
    x->trained = fine ? x->data.cost.n : x->trained;
    arena_close(a);
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
    struct example_matrix all = example_batch_candidates(x->batch, c, n);
    for (int i = 0; i < n; i++) {
        bool median = x->o->label == 1 && s[i].nseconds > 0;
        double cost = median ? summary_median(s[i].seconds, s[i].nseconds) : sample_mean(&s[i]);
        if (!examples_add(&x->data, c[i].task->hash, &all.shown[i], cost, err))
            return false;
        size_t bytes = sizeof(float) * FEATURE_WIDTH * (size_t)all.shown[i].in[0].n;
        x->told = hash_bytes(all.shown[i].in[0].at, bytes, hash_mix(x->told, c[i].task->hash));
        x->told = hash_bytes(&cost, sizeof cost, x->told);
    }
    examples_unload(&x->data);
    return true;
}

struct scoring {
    BoosterHandle b;
    const float *at;  /* rows */
    const int *first; /* of each program */
    int n;            /* programs */
    float *sums;      /* of all rows */
    struct err *errs; /* of each part; text "": none */
};

static void score_part(void *with, int part, int thread)
{
    struct scoring *s = with;
    int end = (part + 1) * PART, from = s->first[part * PART], to = s->first[end < s->n ? end : s->n];
    (void)thread;
    if (to > from)
        (void)!sum_trees(s->b, s->at + (size_t)from * FEATURE_WIDTH, to - from, s->sums + from, &s->errs[part]);
}

static bool predict(struct xgb *x, const struct example_matrix *all, double *scores, struct err *err)
{
    struct arena *a = arena_open("scores");
    struct scoring s = {.b = x->booster, .n = all->n};
    int parts = (s.n + PART - 1) / PART;
    s.at = example_batch_rows(x->batch, all, &s.first);
    s.sums = ARENA_ARRAY(a, float, s.first[s.n] + 1);
    s.errs = ARENA_ARRAY(a, struct err, parts);
    pool_for(x->env->pool, parts, score_part, &s);
    bool fine = true;
    for (int i = 0; i < parts && fine; i++)
        fine = !*s.errs[i].text || err_set(err, "%s", s.errs[i].text);
    struct packs packs = {.n = s.n, .first = s.first};
    if (fine)
        loss_scores(&packs, s.sums, scores);
    for (int i = 0; i < s.n; i++)
        if (all->none[i])
            scores[i] = -INFINITY;
    arena_close(a);
    return fine;
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
    if (XGBoosterSaveModelToBuffer(x->booster, UBJ, &n, &bytes) != 0)
        return failed(err, "save");
    return file_write(path, bytes, n, err);
}

static bool xgb_load(void *self, const char *path, struct err *err)
{
    struct xgb *x = self;
    struct arena *a = arena_open("model file");
    char *bytes;
    size_t n;
    bool fine = file_read(a, path, 0, &bytes, &n, err) && booster_take(x, bytes, n, path, err);
    arena_close(a);
    x->loaded = x->loaded || fine;
    return fine;
}

/* A fit takes 0.2 s on few programs, and on two threads 1.2 s more from 6,700 on, as trees of limited depth grow no
 * more (a search of mnasnet1_0, table3, tier night; two cores of an AMD EPYC with AVX-512). That part took 0.56 times
 * as long there on two threads as on one, on 10,000 programs of mnasnet1_0 and of shufflenet; on more by Amdahl's law.
 */
static double xgb_search_s(const void *options, int64_t rounds, int64_t batch, int cores)
{
    const struct xgb_options *o = options;
    double sum = 0, shared = 0.88, growing_s = 1.2 / 0.56;
    for (int64_t i = 1; i <= rounds && !o->adaptive; i++) {
        int threads = threads_of(o, i * batch, cores);
        sum += 0.2 + growing_s * fmin((double)(i * batch) / 6700, 1) * (1 - shared + shared / threads);
    }
    return sum;
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
    .search_s = xgb_search_s,
    .close = xgb_close,
};
#else
typedef int no_xgboost; /* an empty file is no C */
#endif
