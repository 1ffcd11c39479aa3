/* SPDX-License-Identifier: Apache-2.0 */
/* knob_space: the exploiters that walk on a seed's knobs: axes as the authors' Space(record, task, False) makes them,
 * the order of the grid, what inherit changes, generations of the genetic algorithm, plans of the annealing tuner. */
#include "search/exploit/knob_space.h"

#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

#include <math.h>
#include <string.h>

static struct task *task;
static struct candidate seed;

/* Two splits by hand: of 64 into x, 4, 16 and of 32 into x, 2, 8; and an unroll pragma. */
static void make_seed(void)
{
    static const char text[] =
        "[[\"SP\",1,0,64,[4,16],1],[\"SP\",1,3,32,[2,8],1],[\"PR\",1,0,\"auto_unroll_max_step$64\"]]";
    task = fixture_task(arena, "dense n=64 ci=32 co=64");
    seed = (struct candidate){.task = task, .hash = 1};
    seed.steps = fixture_steps(arena, text, &seed.nsteps);
}

/* Lower is better: every coordinate wants value 8 (16 for the pragma's 256). */
static double cost(const struct candidate *c)
{
    double sum = 1;
    for (int i = 0; i < c->nsteps; i++) {
        const struct step *s = &c->steps[i];
        for (int k = 0; k < s->n && s->kind == STEP_SP; k++)
            sum += fabs(log2((double)s->list[k] / 8));
        if (s->kind == STEP_PR)
            sum += fabs(log2((double)s->value / 256));
    }
    return sum * 1e-3;
}

struct journey {
    struct candidate c[512];
    double first, best, early, late; /* costs: of the first, the best; means of points up to 64 and beyond */
    int n, repeats;
};

static void travel(const char *name, const char *settings, int trials, struct journey *j)
{
    const struct searcher *s = fixture_searcher(name);
    struct sample sample = {.nseconds = 1, .seconds = {cost(&seed)}};
    struct arena *own = arena_open("searcher");
    struct searcher_env env = {
        .arena = own, .task = task, .limits = limits_cpu(2), .seed = &seed, .seed_sample = &sample, .trials = trials};
    void *options, *self = arena_alloc(arena, s->state_size);
    struct err err = {0};
    struct map seen = {0};
    fixture_must(setting_options(arena, s->settings, s->options_size, settings, &options, &err), &err);
    env.options = options;
    rng_seed(&env.rng, 7);
    *j = (struct journey){.best = INFINITY};
    fixture_must(s->open(self, &env, &err), &err);
    for (int n = 1; j->n < trials && n > 0;) {
        struct sample told[16] = {0};
        int most = trials - j->n < 10 ? trials - j->n : 10;
        fixture_must(s->ask(self, arena, most, j->c + j->n, &n, &err), &err);
        for (int i = 0; i < n; i++) {
            double t = cost(&j->c[j->n + i]);
            told[i] = (struct sample){.nseconds = 1, .seconds = {t}};
            j->first = j->n + i == 0 ? t : j->first;
            j->best = fmin(j->best, t);
            *(j->n + i < 70 ? &j->early : &j->late) += t;
            j->repeats += !map_put(&seen, j->c[j->n + i].hash, 0);
        }
        fixture_must(s->tell(self, j->c + j->n, told, n, &err), &err);
        j->n += n;
    }
    j->early /= j->n < 70 ? j->n : 70;
    j->late /= j->n > 70 ? j->n - 70 : 1;
    map_free(&seen);
    arena_close(own);
}

static const char *steps_of(const struct candidate *c)
{
    struct text t = {0};
    for (int i = 0; i < c->nsteps; i++) {
        const struct step *s = &c->steps[i];
        for (int k = 0; k < s->n && s->kind == STEP_SP; k++)
            text_printf(&t, "%lld ", (long long)s->list[k]);
        if (s->kind == STEP_PR)
            text_printf(&t, "u%lld", (long long)s->value);
    }
    return fixture_text(&t);
}

static void axes(void)
{
    struct knob_space l;
    struct arena *own = arena_open("grid");
    struct searcher_env env = {.arena = own, .task = task, .seed = &seed};
    struct knob_space_options o = {false};
    struct err err = {0};
    int point[DESCENT_AXES], back[DESCENT_AXES];
    ok(knob_space_open(&l, &env, &o, &err) && l.n == 5, "two splits and a pragma give five knobs");
    is_near(l.size, 9.0 * 9 * 7 * 7 * 4, 0,
            "the grid has the values 1 2 4 8 16 24 32 48 64 within the extent and the limits of unrolling");
    knob_space_at(&l, 9 + 3, point);
    ok(point[0] == 3 && point[1] == 1 && point[2] == 0,
       "points are numbered with the first axis turning fastest, as in point2knob");
    struct candidate c = knob_space_candidate(&l, arena, point);
    is_str(steps_of(&c), "8 2 1 1 u64", "a point becomes a schedule with its values");
    knob_space_locate(&l, &c, back);
    ok(memcmp(point, back, sizeof *point * 5) == 0, "a schedule of the grid is found at its point");
    env.seed = NULL;
    ok(!knob_space_open(&l, &env, &o, &err), "a grid without a seed is refused: %s", err.text);
    arena_close(own);
}

static void orders(void)
{
    static struct journey j;
    travel("knob-grid", "", 100, &j);
    is_str(steps_of(&j.c[0]), "1 1 1 1 u64", "knob-grid begins at factor 1");
    is_str(steps_of(&j.c[1]), "2 1 1 1 u64", "knob-grid moves the first axis next");
    is_str(steps_of(&j.c[99]), "1 4 2 1 u64", "knob-grid moves three axes in 100 trials");
    travel("knob-grid", "inherit=true", 20, &j);
    is_str(steps_of(&j.c[0]), "4 16 2 8 u64", "knob-grid that inherits begins at the seed");
    is_near(j.first, cost(&seed), 0, "knob-grid that inherits measures the seed's cost first");
    travel("knob-random", "", 400, &j);
    is_str(steps_of(&j.c[0]), "1 1 1 1 u64", "knob-random measures point 0 first");
    is_int(j.repeats, 0, "knob-random gives no point twice");
    travel("knob-random", "inherit=true", 20, &j);
    is_str(steps_of(&j.c[0]), "4 16 2 8 u64", "knob-random that inherits begins at the seed");
}

static void searches(void)
{
    static struct journey random, j;
    travel("knob-random", "", 300, &random);
    travel("genetic", "", 100, &j);
    ok(j.n == 100 && j.repeats == 0, "100 trials of genetic are one generation of 100 distinct genes");
    travel("genetic", "population=30", 300, &j);
    ok(j.late < 0.8 * j.early, "genetic breeds better genes: mean cost %.3g, then %.3g ms", 1e3 * j.early,
       1e3 * j.late);
    ok(j.best <= random.best, "genetic ends no worse than knob-random (%.3g, %.3g ms)", 1e3 * j.best,
       1e3 * random.best);
    travel("genetic", "inherit=true", 20, &j);
    is_str(steps_of(&j.c[0]), "4 16 2 8 u64", "genetic that inherits begins at the seed");
    travel("xgb-annealing", "", 100, &j);
    ok(j.n == 100 && j.repeats == 0, "xgb-annealing gives 100 candidates, none twice");
    ok(j.late < 0.6 * j.early, "xgb-annealing gives better points after its first training: mean %.3g, then %.3g ms",
       1e3 * j.early, 1e3 * j.late);
    travel("xgb-annealing", "inherit=true", 20, &j);
    is_str(steps_of(&j.c[0]), "4 16 2 8 u64", "xgb-annealing that inherits begins at the seed");
}

int main(void)
{
    make_seed();
    axes();
    orders();
    searches();
    return done_testing();
}
