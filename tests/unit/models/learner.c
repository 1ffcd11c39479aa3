/* SPDX-License-Identifier: Apache-2.0 */
/* learner: models pacm, mlp, tlp and moa (and xgb, where all promise the same) on a made-up cost: training lowers the
 * loss and ranks new programs; seeds, threads and resumed runs give the same network; modes of updating; momentum by
 * hand; files of another model; the halves of PaCM. */
#include "models/learner.h"

#include "models/nn/networks.h"
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"
#include "tests/lib/trainee.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum { TRAIN = 120, TEST = 80 };

static void test_learning(struct arena *a, const struct tiled_matmuls *p, const char *model)
{
    struct trainee t;
    double s[TEST];
    if (!trainee_open(&t, a, model, "batch=16,patience=0", 100, NULL))
        return;
    trainee_teach(&t, p, 0, TRAIN, true);
    trainee_score(&t, p, TRAIN, TEST, s);
    double share = trainee_order(s, p, TRAIN, TEST);
    ok(share > 0.8, "%s: %.1f %% of the pairs of new programs are in the right order", model, 100 * share);
    t.plug->close(t.self);
}

/* One program, and more than a thread scores at a time, by a model that has been trained anew. */
static void test_threads(struct arena *a, const struct tiled_matmuls *p, const char *model, const char *settings)
{
    double s[2][TRAIN + TEST], one[2];
    for (int i = 0; i < 2; i++) {
        struct trainee t;
        struct pool *pool = i ? pool_open(3) : NULL;
        trainee_open(&t, a, model, settings, 100, pool);
        trainee_teach(&t, p, 0, TRAIN, true);
        trainee_teach(&t, p, TRAIN, 10, true);
        trainee_score(&t, p, TRAIN, 1, &one[i]);
        trainee_score(&t, p, 0, TRAIN + TEST, s[i]);
        t.plug->close(t.self);
        pool_close(pool);
    }
    is_mem(&one[1], &one[0], sizeof one[0], "%s: with three threads a single program has the score of one", model);
    is_mem(s[1], s[0], sizeof s[0], "%s: three threads give the scores of one", model);
}

/* Four rounds with a fit each, or one fit after four tells, as when a run is resumed. */
static void test_resume(struct arena *a, const struct tiled_matmuls *p, const char *model, const char *settings)
{
    double s[2][TEST];
    for (int resumed = 0; resumed < 2; resumed++) {
        struct trainee t;
        trainee_open(&t, a, model, settings, 100, NULL);
        for (int round = 0; round < 4; round++)
            trainee_teach(&t, p, 10 * round, 10, !resumed || round == 3);
        trainee_score(&t, p, TRAIN, TEST, s[resumed]);
        t.plug->close(t.self);
    }
    is_mem(s[1], s[0], sizeof s[0], "%s, %s: a resumed run has the same network", model, settings);
}

static void test_updates(struct arena *a, const struct tiled_matmuls *p, const char *path)
{
    struct trainee t;
    struct err err = {0};
    double first[TEST], s[TEST];
    trainee_open(&t, a, "pacm", "epochs=4", 100, NULL);
    trainee_teach(&t, p, 0, 40, true);
    trainee_score(&t, p, TRAIN, TEST, first);
    ok(t.plug->save(t.self, path, &err), "model pacm saves %s", err.text);
    t.plug->close(t.self);

    trainee_open(&t, a, "pacm", arena_printf(a, "update=never,load=%s", path), 100, NULL);
    trainee_score(&t, p, TRAIN, TEST, s);
    ok(trainee_same(s, first, TEST), "a loaded network scores before any record");
    trainee_teach(&t, p, 0, 60, true);
    trainee_score(&t, p, TRAIN, TEST, s);
    ok(trainee_same(s, first, TEST), "update=never leaves the network as it was loaded");
    t.plug->close(t.self);

    trainee_open(&t, a, "pacm", arena_printf(a, "update=tune,epochs=1,rate=0.000000001,scales=none,load=%s", path), 100,
                 NULL);
    trainee_teach(&t, p, 0, 60, true);
    trainee_score(&t, p, TRAIN, TEST, s);
    ok(!trainee_same(s, first, TEST) && trainee_order(s, p, TRAIN, TEST) > 0.5,
       "update=tune goes on from the loaded network");
    t.plug->close(t.self);

    trainee_open(&t, a, "pacm", "epochs=2,every=3", 100, NULL);
    trainee_teach(&t, p, 0, 20, true);
    trainee_score(&t, p, TRAIN, TEST, first);
    trainee_teach(&t, p, 20, 20, true);
    trainee_score(&t, p, TRAIN, TEST, s);
    ok(trainee_same(s, first, TEST), "every=3 leaves out the second fit");
    trainee_teach(&t, p, 40, 20, true);
    trainee_score(&t, p, TRAIN, TEST, s);
    ok(!trainee_same(s, first, TEST), "every=3 does the third fit");
    t.plug->close(t.self);
}

/* The warm-up is a setting of networks, else the environment's. */
static void test_warmup(struct arena *a, const struct tiled_matmuls *p, const char *model, const char *settings)
{
    struct trainee t;
    double x[TEST], y[TEST];
    trainee_open(&t, a, model, settings, 20, NULL);
    for (int more = 0; more < 2; more++) {
        trainee_teach(&t, p, 20 * more, more ? 1 : 20, true);
        trainee_score(&t, p, TRAIN, TEST, x);
        trainee_score(&t, p, TRAIN, TEST, y);
        ok(trainee_same(x, y, TEST) == more, "%s: scores are %s warm-up", model,
           more ? "the model's at one record more than the" : "random at as many records as the");
    }
    t.plug->close(t.self);
}

static void test_norm(struct arena *a, const struct tiled_matmuls *p)
{
    double s[2][2][TEST];
    for (int batch = 0; batch < 2; batch++) {
        struct trainee t;
        trainee_open(&t, a, "pacm", batch ? "epochs=2,norm=batch" : "epochs=2", 100, NULL);
        trainee_teach(&t, p, 0, 60, true);
        trainee_score(&t, p, TRAIN, TEST, s[batch][0]);
        trainee_score(&t, p, TRAIN, TEST / 2, s[batch][1]);
        t.plug->close(t.self);
    }
    ok(fabs(s[0][0][0] - s[0][1][0]) < 1e-4, "norm=running: a score does not depend on the other states");
    ok(fabs(s[1][0][0] - s[1][1][0]) > 1e-4, "norm=batch: a score depends on the states scored with it");
}

/* The Siamese network after one fit, from both forms' definitions. */
static void test_momentum(struct arena *a, const struct tiled_matmuls *p, const char *path)
{
    static const char *const settings[] = {"momentum=0.9,every=1,epochs=2",
                                           "momentum=0.9,every=1,epochs=2,delta=change,buffers=true"};
    for (int change = 0; change < 2; change++) {
        struct trainee t;
        trainee_open(&t, a, "moa", arena_printf(a, "%s,load=%s", settings[change], path), 100, NULL);
        struct learner *l = t.self; /* the first member of moa's state */
        struct net before;
        net_make_pacm(&before);
        net_copy(&before, &l->siamese);
        trainee_teach(&t, p, 0, 40, true);
        double off = 0, moved = 0;
        for (size_t i = 0; i < before.nparams; i++) {
            double old = (double)before.param[i], now = (double)l->net.param[i];
            double want = 0.9 * old + 0.1 * (change ? now - old : now);
            off = fmax(off, fabs(want - (double)l->siamese.param[i]));
            moved = fmax(moved, fabs(now - old));
        }
        ok(off < 1e-6 && moved > 1e-4, "%s: the Siamese network follows by a tenth (off by %.1e)", settings[change],
           off);
        bool kept = memcmp(before.buffer, l->siamese.buffer, sizeof(float) * before.nbuffers) == 0;
        ok(kept == !change, "the running statistics follow only when asked for");
        net_close(&before);
        t.plug->close(t.self);
    }
}

static void test_wrong_file(struct arena *a, const char *path)
{
    struct trainee t;
    struct err err = {0};
    trainee_open(&t, a, "mlp", "", 100, NULL);
    ok(!t.plug->load(t.self, path, &err) && strstr(err.text, "pacm"), "a file of another model is refused: %s",
       err.text);
    ok(!t.plug->save(t.self, path, &err), "an untrained model does not save: %s", err.text);
    t.plug->close(t.self);
    const struct model *plug = fixture_model("tlp");
    setting_defaults(plug->settings, t.options);
    ok(setting_set(plug->settings, t.options, a, "load", "/nonexistent/network", &err) &&
           !plug->open(t.self, &t.env, &err),
       "a model whose file is missing does not open: %s", err.text);
}

/* The ablations of the paper's Table 12: each half of PaCM learns, is another network, and one half must be left. */
static void test_parts(struct arena *a, const struct tiled_matmuls *p, const char *path)
{
    static const char *const without[] = {"statement_features=false", "dataflow_features=false"};
    static const size_t parameters[] = {241281, 308737}; /* 417,409 less the part's layers and its rows of the next */
    const struct model *plug = fixture_model("pacm");
    struct trainee t;
    struct err err = {0};
    double s[2][TEST];
    for (int i = 0; i < 2; i++) {
        trainee_open(&t, a, i ? "moa" : "pacm", arena_printf(a, "epochs=40,batch=16,patience=0,%s", without[i]), 100,
                     NULL);
        ok(((struct learner *)t.self)->net.nparams == parameters[i], "%s leaves %zu parameters", without[i],
           ((struct learner *)t.self)->net.nparams);
        trainee_teach(&t, p, 0, TRAIN, true);
        trainee_score(&t, p, TRAIN, TEST, s[i]);
        double share = trainee_order(s[i], p, TRAIN, TEST);
        ok(share > 0.6, "%s: %.1f %% of the pairs of new programs are in the right order", without[i], 100 * share);
        ok(t.plug->save(t.self, path, &err), "what is left is saved");
        t.plug->close(t.self);
        trainee_open(&t, a, "pacm", without[!i], 100, NULL);
        ok(!t.plug->load(t.self, path, &err), "the other half refuses it: %s", err.text);
        t.plug->close(t.self);
    }
    ok(!trainee_same(s[0], s[1], TEST), "the two halves see different things");
    if (setting_parse(plug->settings, t.options, a, "statement_features=false,dataflow_features=false", &err))
        ok(!plug->open(t.self, &t.env, &err), "a model that sees nothing is refused: %s", err.text);
}

/* A state without bounds cannot be lowered. */
static void test_invalid(struct arena *a, const struct tiled_matmuls *p, const char *model, const char *settings)
{
    struct trainee t;
    double s[3];
    struct err err = {0};
    trainee_open(&t, a, model, settings, 3, NULL);
    trainee_teach(&t, p, 0, 20, true);
    struct state *states[3] = {p->states[0], state_new(a, p->candidates[0].task), p->states[1]};
    ok(t.plug->score(t.self, p->candidates[0].task, states, 3, s, &err) && isfinite(s[0]) && isfinite(s[2]) &&
           s[1] == -INFINITY,
       "%s: a state without features has the score -infinity", model);
    t.plug->close(t.self);
}

int main(void)
{
    static const char *const models[] = {"pacm", "mlp", "tlp", "moa"};
    struct tiled_matmuls p = tiled_matmuls_make(arena, TRAIN + TEST, 11);
    const char *path = fixture_path("network");
    for (int i = 0; i < 4; i++) {
        test_learning(arena, &p, models[i]);
        test_threads(arena, &p, models[i], "epochs=3,batch=50");
        test_invalid(arena, &p, models[i], "epochs=1");
    }
    if (fixture_model("xgb")) {
        test_threads(arena, &p, "xgb", "rounds=20");
        test_invalid(arena, &p, "xgb", "rounds=5");
        test_warmup(arena, &p, "xgb", "rounds=5");
    }
    test_updates(arena, &p, path);
    test_momentum(arena, &p, path);
    test_resume(arena, &p, "pacm", "epochs=2");
    test_resume(arena, &p, "mlp", "epochs=2,every=2,scales=first");
    test_resume(arena, &p, "pacm", "epochs=2,update=tune");
    test_resume(arena, &p, "moa", "epochs=2,every=2");
    test_warmup(arena, &p, "mlp", "epochs=1,warmup=20");
    test_norm(arena, &p);
    test_wrong_file(arena, path);
    test_parts(arena, &p, path);
    return done_testing();
}
