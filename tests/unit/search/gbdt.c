/* SPDX-License-Identifier: Apache-2.0 */
/* gbdt: against XGBoost itself, exact splits and the parameters of AutoTVM's tuner, on rows like split lengths; and
 * AutoTVM's recall on an example worked by hand. */
#include "search/exploit/gbdt.h"

#include "harness/base/rng.h"
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

#include <math.h>
#ifdef HAVE_XGBOOST
#include <xgboost/c_api.h>
#endif

enum { ROWS = 64, WIDTH = 9, ROUNDS = 40 };

static const struct gbdt_options options = {
    .rounds = ROUNDS, .depth = 3, .eta = 0.3, .lambda = 1, .gamma = 1e-4, .child = 1};

static void make(double *rows, double *labels)
{
    static const double values[] = {1, 2, 4, 8, 16, 24, 32, 48, 64};
    struct rng r;
    rng_seed(&r, 5);
    for (int i = 0; i < ROWS; i++) {
        double *row = rows + (size_t)i * WIDTH;
        for (int c = 0; c < WIDTH; c++)
            row[c] = values[rng_below(&r, 9)];
        /* no two splits gain the same: neither side has to say which it takes then */
        labels[i] = rng_below(&r, 5) == 0 ? 0 : (0.3 + 0.4 * rng_unit(&r)) * row[1] / 64 + 0.2 * sin(row[4]) + 0.2;
    }
}

#ifdef HAVE_XGBOOST
static bool library(const double *rows, const double *labels, float *out)
{
    static const char *const params[][2] = {
        {"verbosity", "0"},    {"nthread", "1"},        {"max_depth", "3"},        {"eta", "0.3"},
        {"lambda", "1"},       {"gamma", "0.0001"},     {"min_child_weight", "1"}, {"objective", "reg:squarederror"},
        {"base_score", "0.5"}, {"tree_method", "exact"}};
    float x[ROWS * WIDTH], y[ROWS];
    DMatrixHandle m;
    BoosterHandle b;
    bst_ulong n;
    const float *predicted;
    for (int i = 0; i < ROWS * WIDTH; i++)
        x[i] = (float)rows[i];
    for (int i = 0; i < ROWS; i++)
        y[i] = (float)labels[i];
    if (XGDMatrixCreateFromMat(x, ROWS, WIDTH, NAN, &m) || XGDMatrixSetFloatInfo(m, "label", y, ROWS) ||
        XGBoosterCreate(&m, 1, &b))
        return false;
    bool fine = true;
    for (size_t i = 0; i < sizeof params / sizeof *params; i++)
        fine = fine && XGBoosterSetParam(b, params[i][0], params[i][1]) == 0;
    for (int i = 0; i < ROUNDS; i++)
        fine = fine && XGBoosterUpdateOneIter(b, i, m) == 0;
    fine = fine && XGBoosterPredict(b, m, 0, 0, 0, &n, &predicted) == 0 && n == ROWS;
    for (int i = 0; fine && i < ROWS; i++)
        out[i] = predicted[i];
    XGBoosterFree(b);
    XGDMatrixFree(m);
    return fine;
}
#endif

static void beside_xgboost(struct arena *a, const double *rows, const double *labels)
{
    struct gbdt b;
    gbdt_fit(&b, a, &options, rows, labels, ROWS, WIDTH);
    is_int(b.ntrees, ROUNDS, "without patience the trees of all rounds are grown");
#ifdef HAVE_XGBOOST
    float theirs[ROWS];
    if (!ok(library(rows, labels, theirs), "XGBoost trains on the same rows"))
        return;
    double worst = 0;
    for (int i = 0; i < ROWS; i++)
        worst = fmax(worst, fabs(theirs[i] - gbdt_predict(&b, rows + (size_t)i * WIDTH)));
    ok(worst < 1e-4, "%d trees predict as XGBoost's do (worst difference %.2g)", ROUNDS, worst);
#else
    (void)labels;
    skip("no XGBoost in this build", "trees predict as XGBoost's do");
#endif
}

static void recall(struct arena *a)
{
    /* order of predictions: rows 2 0 1 3; truly: 0 2 3 1. i = 0: 0 of 1; i = 1: row 2 has rank 1: 1/2; i = 2: rows 2
     * and 0 have ranks 1 and 0: 2/3 (the curve looks at the places before i only). */
    const double predicted[] = {3, 2, 4, 1}, labels[] = {9, 1, 8, 5};
    is_near(gbdt_recall(a, predicted, labels, 4, 3), (0 + 0.5 + 2.0 / 3) / 3, 1e-12,
            "the average recall is AutoTVM's on an example worked by hand");
}

int main(void)
{
    double rows[ROWS * WIDTH], labels[ROWS];
    make(rows, labels);
    beside_xgboost(arena, rows, labels);
    recall(arena);
    struct gbdt b;
    struct gbdt_options o = options;
    o.rounds = 8000;
    o.patience = 20;
    o.top = 64;
    gbdt_fit(&b, arena, &o, rows, labels, ROWS, WIDTH);
    ok(b.ntrees > 20 && b.ntrees < 8000, "training ends by itself after %d trees", b.ntrees);
    gbdt_fit(&b, arena, &o, rows, labels, 1, WIDTH);
    ok(isfinite(gbdt_predict(&b, rows)), "one row is enough to train trees");
    return done_testing();
}
