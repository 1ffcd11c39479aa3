/* SPDX-License-Identifier: Apache-2.0 */
/* ranking: a model that knows the truth ranks at 1, its opposite at -1, a random one at what chance gives; what chance
 * gives is the mean over all draws; both splits hold back what they say. */
#include "harness/report/ranking/ranking.h"
#include "harness/report/ranking/top_k.h"
#include "tests/lib/fixture.h"
#include "tests/lib/random_schedule.h"
#include "tests/lib/tap.h"

#include <math.h>
#include <string.h>

enum { ROWS = 60 };
static const char *const SPECS[] = {"matmul n=16 m=16 k=16", "dense n=4 ci=16 co=16 relu=1", "map n=64 c=64 by=relu"};
static int told[3], scored[3], tells; /* of the kernels, by any model */
static uint64_t seen[3][ROWS];
static struct task *tasks[3];

/* Every program's time follows from its identity; one in ten fails. */
static double truth(uint64_t hash)
{
    return hash % 10 == 3 ? INFINITY : 1e-6 * (1 + (double)(hash % 997));
}

static int kernel_of(const struct task *t)
{
    for (int i = 0; i < 3; i++)
        if (str_eq(tasks[i]->spec, t->spec))
            return i;
    return -1;
}

static bool open_any(void *self, struct model_env *env, struct err *err)
{
    (void)err;
    *(struct model_env **)self = env;
    memset(told, 0, sizeof told);
    tells = 0;
    memset(scored, 0, sizeof scored);
    return true;
}
static bool tell_any(void *self, const struct candidate *c, const struct sample *s, int n, struct err *err)
{
    (void)self, (void)s, (void)err;
    for (int i = 0; i < n; i++)
        told[kernel_of(c[i].task)]++;
    tells++;
    return true;
}
static bool fit_any(void *self, struct err *err)
{
    (void)self, (void)err;
    return true;
}
static bool score_right(void *self, const struct task *task, struct state *const *states, int n, double *scores,
                        struct err *err)
{
    (void)self, (void)err;
    for (int i = 0; i < n; i++) {
        scores[i] = -truth(state_hash(states[i]));
        seen[kernel_of(task)][scored[kernel_of(task)]++] = state_hash(states[i]);
    }
    return true;
}
static bool score_wrong(void *self, const struct task *task, struct state *const *states, int n, double *scores,
                        struct err *err)
{
    (void)self, (void)task, (void)err;
    for (int i = 0; i < n; i++)
        scores[i] = truth(state_hash(states[i]));
    return true;
}
static bool score_random(void *self, const struct task *task, struct state *const *states, int n, double *scores,
                         struct err *err)
{
    (void)task, (void)states, (void)err;
    for (int i = 0; i < n; i++)
        scores[i] = rng_unit(&(*(struct model_env **)self)->rng);
    return true;
}
static void close_any(void *self)
{
    (void)self;
}
#define MODEL(with)                                                                                                    \
    {.name = #with,                                                                                                    \
     .state_size = sizeof(void *),                                                                                     \
     .open = open_any,                                                                                                 \
     .tell = tell_any,                                                                                                 \
     .fit = fit_any,                                                                                                   \
     .score = with,                                                                                                    \
     .close = close_any}
static const struct model RIGHT = MODEL(score_right), WRONG = MODEL(score_wrong), RANDOM = MODEL(score_random);

/* Different programs of each kernel, with the times of truth. */
static void make_recording(struct arena *a, struct recording *out)
{
    struct recording_task *heads = ARENA_ARRAY(a, struct recording_task, 3);
    struct rng r;
    rng_seed(&r, 4);
    *out = (struct recording){.rows = ARENA_ARRAY(a, struct recorded, 3 * ROWS)};
    for (int t = 0; t < 3; t++) {
        tasks[t] = fixture_task(a, SPECS[t]);
        heads[t] = (struct recording_task){tasks[t]->spec, t + 1};
        for (int n = 0; n < ROWS;) {
            const struct state *s = random_schedule_make(a, tasks[t], &r);
            double seconds = truth(state_hash(s)), *at = ARENA_ARRAY(a, double, 1);
            bool known = false;
            for (int i = 0; i < n; i++)
                known = known || seen[t][i] == state_hash(s);
            if (known)
                continue;
            seen[t][n++] = state_hash(s);
            *at = seconds;
            out->rows[out->n++] = (struct recorded){.task = t,
                                                    .line = out->n + 2,
                                                    .outcome = isfinite(seconds) ? OUTCOME_OK : OUTCOME_CRASHED,
                                                    .message = "",
                                                    .seconds = at,
                                                    .nseconds = isfinite(seconds),
                                                    .steps = s->steps,
                                                    .nsteps = s->nsteps};
        }
    }
    out->head = (struct recording_head){.machine = "made up", .tasks = heads, .ntasks = 3};
}

static void no_progress(void *ctx, int done, int of)
{
    (void)ctx, (void)done, (void)of;
}

static struct ranking rank(struct arena *a, const struct recording *r, const struct model *m, enum ranking_split split,
                           int seeds)
{
    const struct ranked_model one = {m, "", NULL};
    const struct ranking_options o = {.models = &one, .nmodels = 1, .split = split, .share = 0.5, .seeds = seeds};
    struct ranking out;
    struct err err = {0};
    ok(ranking_make(a, r, &o, no_progress, NULL, &out, &err), "%s ranks, split by %s %s", m->name,
       ranking_splits[split], err.text);
    is_int(out.n, 2 * 4, "three kernels and all of them have a row of the model and one of chance");
    return out;
}

static void test_right(struct arena *a, const struct recording *r, enum ranking_split split)
{
    struct ranking x = rank(a, r, &RIGHT, split, 3);
    for (int i = 0; i < x.n; i += 2) {
        is_near(x.rows[i].top[0].mean, 1, 1e-12, "Top-1 of %s is 1", x.rows[i].kernel);
        is_near(x.rows[i].top[1].low, 1, 1e-12, "Top-5 of %s is 1 in every seed", x.rows[i].kernel);
        is_near(x.rows[i].spearman.mean, 1, 1e-12, "Spearman of %s is 1", x.rows[i].kernel);
    }
    bool held = split == RANKING_KERNELS;
    is_int(x.rows[0].programs, held ? ROWS : ROWS / 2, "of a kernel so many programs are ranked");
    is_int(x.rows[0].learned, held ? ROWS : 3 * ROWS / 2, "the model has learned from so many programs");
    if (held)
        ok(told[2] == 0 && told[0] == ROWS / 2 && scored[2] == ROWS && scored[0] == 0,
           "the model that ranks the last kernel has seen nothing of it");
}

static void test_wrong(struct arena *a, const struct recording *r)
{
    struct ranking x = rank(a, r, &WRONG, RANKING_PROGRAMS, 1);
    is_near(x.rows[0].spearman.mean, -1, 1e-12, "the opposite of the truth has Spearman -1");
    is_near(x.rows[0].top[0].mean, 0, 1e-12, "a first choice that fails counts 0");
    ok(isnan(x.rows[0].spearman.low), "one seed has no interval");
}

/* From a recording with the second and third kernel to one with the first and second. */
static void test_recordings(struct arena *a, const struct recording *all)
{
    struct recording old = *all, new = *all;
    const struct ranked_model one = {&RIGHT, "", "knows"};
    struct ranking_options o = {
        .models = &one, .nmodels = 1, .split = RANKING_RECORDINGS, .learn = &old, .share = 0.5, .seeds = 2};
    struct ranking out;
    struct err err = {0};
    old.rows = all->rows + ROWS;
    old.n = 2 * ROWS;
    new.n = 2 * ROWS;
    ok(ranking_make(a, &new, &o, no_progress, NULL, &out, &err), "a recording is ranked by what another taught %s",
       err.text);
    is_int(out.n, 2 * 3, "two kernels and both together have a row of the model and one of chance");
    is_str(out.rows[0].model, "knows", "a model bears the name it was given");
    is_int(out.rows[0].programs, ROWS, "all programs of a kernel are ranked");
    is_int(out.rows[0].learned, ROWS, "the kernel that both recordings have is not learned from");
    ok(told[0] == 0 && told[1] == 0 && told[2] == ROWS && tells == 1, "the third kernel is told whole, in one go");
    is_near(out.rows[0].spearman.mean, 1, 1e-12, "the truth ranks at 1 there, too");
    o.learn = &new;
    ok(!ranking_make(a, &new, &o, no_progress, NULL, &out, &err),
       "a recording cannot teach about its own kernels only: %s", err.text);
}

/* Within four standard errors of the mean over seeds. */
static bool agrees(const struct ranking_number *got, double want, int seeds)
{
    double error = (got->high - got->mean) / 2; /* about: half an interval is two of them */
    return seeds > 20 && fabs(got->mean - want) < 4 * error;
}

static void test_random(struct arena *a, const struct recording *r)
{
    enum { SEEDS = 400 };
    struct ranking x = rank(a, r, &RANDOM, RANKING_PROGRAMS, SEEDS);
    for (int i = 0; i < 6; i += 2) {
        const struct ranking_row *model = &x.rows[i], *chance = &x.rows[i + 1];
        for (int k = 0; k < RANKING_TOPS; k++)
            ok(agrees(&model->top[k], chance->top[k].mean, SEEDS),
               "Top-%d of a random model of %s is %.3f, chance %.3f", ranking_tops[k], model->kernel,
               model->top[k].mean, chance->top[k].mean);
        ok(agrees(&model->spearman, 0, SEEDS), "Spearman of a random model is about 0: %.3f", model->spearman.mean);
    }
}

/* Against the mean over all draws, and against figures that were worked out by hand. */
static void test_top_k(void)
{
    const double seconds[] = {4, 1, INFINITY, 2, 8}, scores[] = {5, 1, 9, 4, 3};
    double best, chosen, sum = 0;
    ranking_chosen(seconds, scores, 5, 1, &best, &chosen);
    ok(best == 1 && isinf(chosen), "the first choice failed");
    ranking_chosen(seconds, scores, 5, 3, &best, &chosen);
    ok(best == 1 && chosen == 2, "the best of the first three choices is the fourth program");
    is_near(ranking_chance(seconds, 5, 1), (1 / 4. + 1 + 0 + 1 / 2. + 1 / 8.) / 5, 1e-12, "chance of Top-1");
    for (int i = 0; i < 5; i++)
        for (int k = i + 1; k < 5; k++)
            sum += 1 / fmin(seconds[i], seconds[k]) / 10;
    is_near(ranking_chance(seconds, 5, 2), sum, 1e-12, "chance of Top-2 is the mean over all pairs");
    is_near(ranking_chance(seconds, 5, 9), 1, 1e-12, "chance of more choices than programs is 1");
    ok(isnan(ranking_chance(seconds + 2, 1, 1)), "without a program that ran there is no chance");
    /* scipy.stats.spearmanr([4, 1, 9, 2, 8], [-5, -1, -9, -4, -3]): ranks 3 1 5 2 4 and 2 5 1 3 4 */
    is_near(ranking_spearman(seconds, scores, 5), 1 - 6. * (1 + 16 + 16 + 1 + 0) / (5 * 24), 1e-12,
            "Spearman of five programs");
}

int main(void)
{
    struct recording r;
    make_recording(arena, &r);
    test_top_k();
    test_right(arena, &r, RANKING_PROGRAMS);
    test_right(arena, &r, RANKING_KERNELS);
    test_wrong(arena, &r);
    test_random(arena, &r);
    test_recordings(arena, &r);
    return done_testing();
}
