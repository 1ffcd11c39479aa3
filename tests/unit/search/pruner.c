/* SPDX-License-Identifier: Apache-2.0 */
/* pruner: how often each loop has programs scored, against the counts that the notes on Pruner work out of the released
 * code (1,536 for validity, 512 + 1,536 + 153 and 1,536 under the learned model; 4,608 under the draft, every second
 * round; Ansor as released: 2,048, then up to 2,457 and four times 2,048) and against the paper's 512; that what is
 * drafted is what is chosen from; that a model which cannot draft is refused. Models are analytic: no time is measured.
 */
#include "harness/base/map.h"
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

#include <math.h>
#include <string.h>

enum { BATCH = 10, ROUNDS = 4, MODEL_SCORED_MAX = 1 << 16 };

static struct map seen_by_draft; /* of the last ask */
static struct limits limits;

static bool score_model(void *self, const struct task *task, struct state *const *states, int n, double *scores,
                        struct err *err)
{
    (void)task, (void)err, (void)self;
    for (int i = 0; i < n; i++)
        scores[i] = (double)(state_hash(states[i]) % 1009) / 1009;
    return true;
}

/* Scores below zero throughout, as LambdaRank's may be. */
static bool score_low(void *self, const struct task *task, struct state *const *states, int n, double *scores,
                      struct err *err)
{
    (void)task, (void)err, (void)self;
    for (int i = 0; i < n; i++)
        scores[i] = -1 - (double)(state_hash(states[i]) % 1009);
    return true;
}

static bool score_draft(void *self, const struct task *task, struct state *const *states, int n, double *scores,
                        struct err *err)
{
    (void)task, (void)err, (void)self;
    for (int i = 0; i < n; i++) {
        scores[i] = (double)(state_hash(states[i]) % 997) / 997;
        map_put(&seen_by_draft, state_hash(states[i]), 0);
    }
    return true;
}

static bool saves(void *self, const char *path, struct err *err)
{
    (void)self, (void)path, (void)err;
    return true;
}
static const struct model fake_model = {.name = "fake", .score = score_model};
static const struct model low_model = {.name = "low", .score = score_low};
static const struct model fake_draft = {.name = "fake draft", .score = score_draft};
static const struct model learned = {.name = "learned", .score = score_model, .save = saves};
static const struct model random_model = {.name = "random", .score = score_model};

struct run {
    const struct searcher *plug;
    void *self;
    struct searcher_env env;
    struct evaluations counts;
};

static bool run_open(struct run *r, const char *name, const char *settings, const struct model *model,
                     const struct model *draft, struct err *err)
{
    void *options;
    *r = (struct run){.plug = fixture_searcher(name)};
    fixture_must(setting_options(arena, r->plug->settings, r->plug->options_size, settings, &options, err), err);
    r->self = arena_alloc(arena, r->plug->state_size);
    r->env = (struct searcher_env){.options = options,
                                   .arena = arena_open("searcher"),
                                   .task = fixture_task(arena, "dense n=64 ci=512 co=512 relu=1"),
                                   .limits = limits,
                                   .model = {model, NULL},
                                   .draft = {draft, NULL},
                                   .evaluations = &r->counts,
                                   .trials = ROUNDS * BATCH};
    rng_seed(&r->env.rng, 5);
    return r->plug->open(r->self, &r->env, err);
}

struct asked {
    struct evaluations counts;
    struct candidate c[BATCH];
    int n, known_to_draft;
};

/* One round, told with times that follow from the programs. */
static void run_round(struct run *r, struct asked *out)
{
    struct err err = {0};
    struct sample s[BATCH];
    map_clear(&seen_by_draft);
    r->counts = (struct evaluations){0};
    fixture_must(r->plug->ask(r->self, arena, BATCH, out->c, &out->n, &err), &err);
    out->counts = r->counts;
    out->known_to_draft = 0;
    for (int i = 0; i < out->n; i++) {
        s[i] = (struct sample){.nseconds = 1, .seconds = {1e-3 * (1 + (double)(out->c[i].hash % 100))}};
        out->known_to_draft += map_get(&seen_by_draft, out->c[i].hash, NULL);
    }
    fixture_must(r->plug->tell(r->self, out->c, s, out->n, &err), &err);
}

static int64_t count(const struct asked *a, enum evaluation e)
{
    return a->counts.at[e];
}

/* Some draws and children are invalid, so the counts are somewhat below those of the notes, and never above. (On GPUs
 * they are far below: the verifier refuses half of the draws.) */
static bool nearly(int64_t got, int64_t want)
{
    return got <= want && (double)got >= 0.85 * (double)want;
}

static void test_released(void)
{
    struct run r;
    struct err err = {0};
    static struct asked a[ROUNDS];
    if (!ok(run_open(&r, "pruner", "", &fake_model, &fake_draft, &err), "pruner opens on a CPU%s", err.text))
        return;
    for (int i = 0; i < ROUNDS; i++)
        run_round(&r, &a[i]);
    for (int i = 0; i < ROUNDS; i++) {
        int64_t measured = i * BATCH, want = 1536 + 512 + 1536 + measured + 1536;
        is_int(a[i].n, BATCH, "round %d gives a whole batch", i);
        ok(nearly(count(&a[i], EVALUATION_MODEL_ASKED), want), "round %d: the model is asked %lld times, of %lld", i,
           (long long)count(&a[i], EVALUATION_MODEL_ASKED), (long long)want);
        ok(count(&a[i], EVALUATION_MODEL_SCORED) > 0 &&
               count(&a[i], EVALUATION_MODEL_SCORED) < count(&a[i], EVALUATION_MODEL_ASKED),
           "round %d: it is given %lld different programs", i, (long long)count(&a[i], EVALUATION_MODEL_SCORED));
        if (i % 2)
            ok(count(&a[i], EVALUATION_DRAFT_ASKED) == 0 && count(&a[i], EVALUATION_DRAFT_SCORED) == 0,
               "round %d drafts nothing anew", i);
        else
            ok(nearly(count(&a[i], EVALUATION_DRAFT_ASKED), 4608), "round %d: the draft is asked %lld times, of 4608",
               i, (long long)count(&a[i], EVALUATION_DRAFT_ASKED));
    }
    arena_close(r.env.arena);
}

static void test_lean(const char *settings, int64_t most_model, int drafting)
{
    struct run r;
    struct err err = {0};
    static struct asked a[ROUNDS];
    if (!ok(run_open(&r, "pruner", settings, &fake_model, &fake_draft, &err), "pruner opens with %s%s", settings,
            err.text))
        return;
    int64_t drafted = 0;
    for (int i = 0; i < ROUNDS; i++) {
        run_round(&r, &a[i]);
        is_int(a[i].n, BATCH, "%s: round %d gives a whole batch", settings, i);
        is_int(count(&a[i], EVALUATION_MODEL_ASKED), most_model, "%s: the model is asked so often in round %d",
               settings, i);
        ok(count(&a[i], EVALUATION_MODEL_SCORED) <= most_model, "%s: it is given %lld different programs in round %d",
           settings, (long long)count(&a[i], EVALUATION_MODEL_SCORED), i);
        drafted += count(&a[i], EVALUATION_DRAFT_ASKED) > 0;
        if (count(&a[i], EVALUATION_DRAFT_ASKED) == 0)
            ok(count(&a[i], EVALUATION_DRAFT_SCORED) <= 100,
               "%s: round %d, which drafts nothing anew, asks the draft about its %lld random states only", settings, i,
               (long long)count(&a[i], EVALUATION_DRAFT_SCORED));
        if (count(&a[i], EVALUATION_DRAFT_ASKED) > 0)
            is_int(a[i].known_to_draft, a[i].n, "%s: all that is chosen in round %d was drafted", settings, i);
    }
    is_int(drafted, drafting, "%s: so many of the rounds draft anew", settings);
    arena_close(r.env.arena);
}

static void test_ansor(void)
{
    struct run r;
    struct err err = {0};
    static struct asked a;
    if (!ok(run_open(&r, "ansor", "", &fake_model, NULL, &err), "ansor opens on a CPU%s", err.text))
        return;
    run_round(&r, &a);
    int64_t want = 2048 + 2048 + 4 * 2048;
    ok(nearly(count(&a, EVALUATION_MODEL_ASKED), want), "ansor's model is asked %lld times, of %lld in a first round",
       (long long)count(&a, EVALUATION_MODEL_ASKED), (long long)want);
    is_int(count(&a, EVALUATION_DRAFT_ASKED), 0, "searcher ansor drafts nothing");
    arena_close(r.env.arena);
}

/* Nothing is above zero: parents must still be drawn, and not the first one always. */
static void test_low_scores(void)
{
    struct run r;
    struct err err = {0};
    static struct asked a;
    if (!ok(run_open(&r, "pruner", "", &low_model, &fake_draft, &err), "pruner opens under low scores%s", err.text))
        return;
    run_round(&r, &a);
    is_int(a.n, BATCH, "scores below zero throughout give a whole batch");
    ok(count(&a, EVALUATION_MODEL_SCORED) > 2048 + 900,
       "children of low scores are of many parents: %lld different programs",
       (long long)count(&a, EVALUATION_MODEL_SCORED));
    arena_close(r.env.arena);
}

static void refuses(const char *settings, const struct model *draft, const char *why)
{
    struct run r;
    struct err err = {0};
    ok(!run_open(&r, "pruner", settings, &fake_model, draft, &err) && strstr(err.text, why), "pruner refuses (%s): %s",
       settings, err.text);
    arena_close(r.env.arena);
}

int main(void)
{
    limits = limits_cpu(4);
    test_released();
    test_ansor();
    test_low_scores();
    limits = limits_cuda();
    test_lean("draft_only=true", 512 + 50, 2);
    test_lean("loop=published", 512 + 50, 4);
    test_lean("draft_only=true,potential_space_size=256,random_states=0", 256, 2);
    refuses("", NULL, "was given no model");
    refuses("", &learned, "'learned' cannot draft");
    refuses("", &random_model, "'random' cannot draft");
    refuses("draft=\"\",draft_only=true", NULL, "nothing to choose from");
    map_free(&seen_by_draft);
    return done_testing();
}
