/* SPDX-License-Identifier: Apache-2.0 */
/* adaptation: the pre-trained model has seen nothing of the kernel that is ranked; programs are told in rounds of ten;
 * what is ranked was told to no way; each way is opened with the settings that make it what it is. */
#include "harness/report/ranking/adaptation.h"
#include "harness/base/text.h"
#include "tests/lib/fixture.h"
#include "tests/lib/random_schedule.h"
#include "tests/lib/tap.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 60 };
static const char *const SPECS[] = {"matmul n=16 m=16 k=16", "map n=64 c=64 by=relu"};
static struct task *tasks[2];

/* A made-up network: its score is the truth of a kernel if it has learned from
 * more than 20 programs. What it was told is counted. */
struct made_up_options {
    int64_t every, epochs;
    const char *load, *delta, *update;
};
static const struct setting SETTINGS[] = {
    INT_SETTING("every", struct made_up_options, every, "1", 1, 100, "rounds"),
    INT_SETTING("epochs", struct made_up_options, epochs, "1", 1, 100, "passes"),
    STRING_SETTING("load", struct made_up_options, load, "", "file"),
    STRING_SETTING("delta", struct made_up_options, delta, "", "what is added"),
    STRING_SETTING("update", struct made_up_options, update, "", "how it goes on"),
    {0},
};
struct made_up {
    const struct made_up_options *o;
    int told[2], tells, longest;
};
static struct made_up last; /* the one closed last */
static int last_epochs;     /* the epochs that it was opened with */
static int opened, loads, pretrained[2];
static char updates[400];

static bool open_made_up(void *self, struct model_env *env, struct err *err)
{
    struct made_up *m = self;
    (void)err;
    *m = (struct made_up){.o = env->options};
    opened++;
    loads += m->o->load[0] != 0;
    snprintf(updates + strlen(updates), sizeof updates - strlen(updates), "%s%s%lld ", m->o->update, m->o->delta,
             (long long)m->o->every);
    return true;
}
static bool tell_made_up(void *self, const struct candidate *c, const struct sample *s, int n, struct err *err)
{
    struct made_up *m = self;
    (void)s, (void)err;
    for (int i = 0; i < n; i++) {
        m->told[str_eq(c[i].task->spec, tasks[1]->spec)]++;
    }
    m->tells++;
    m->longest = n > m->longest ? n : m->longest;
    return true;
}
static bool fit_made_up(void *self, struct err *err)
{
    (void)self, (void)err;
    return true;
}
static bool score_made_up(void *self, const struct task *task, struct state *const *states, int n, double *scores,
                          struct err *err)
{
    struct made_up *m = self;
    int kernel = str_eq(task->spec, tasks[1]->spec);
    (void)err;
    for (int i = 0; i < n; i++)
        scores[i] = m->told[kernel] > 20 ? -(double)(state_hash(states[i]) % 997) : 0;
    return true;
}
static bool save_made_up(void *self, const char *path, struct err *err)
{
    struct made_up *m = self;
    (void)path, (void)err;
    for (int i = 0; i < 2; i++)
        pretrained[i] = m->told[i];
    return true;
}
static void close_made_up(void *self)
{
    last = *(struct made_up *)self;
    last_epochs = (int)last.o->epochs;
}
static const struct model MADE_UP = {.name = "made up",
                                     .settings = SETTINGS,
                                     .options_size = sizeof(struct made_up_options),
                                     .state_size = sizeof(struct made_up),
                                     .open = open_made_up,
                                     .tell = tell_made_up,
                                     .fit = fit_made_up,
                                     .score = score_made_up,
                                     .save = save_made_up,
                                     .close = close_made_up};

static void make_recording(struct arena *a, struct recording *out)
{
    struct recording_task *heads = ARENA_ARRAY(a, struct recording_task, 2);
    struct rng r;
    rng_seed(&r, 4);
    *out = (struct recording){.rows = ARENA_ARRAY(a, struct recorded, 2 * ROWS)};
    for (int t = 0; t < 2; t++) {
        tasks[t] = fixture_task(a, SPECS[t]);
        heads[t] = (struct recording_task){tasks[t]->spec, 1};
        for (int n = 0; n < ROWS; n++) {
            const struct state *s = random_schedule_make(a, tasks[t], &r);
            double *at = ARENA_ARRAY(a, double, 1);
            *at = 1e-6 * (1 + (double)(state_hash(s) % 997));
            out->rows[out->n++] = (struct recorded){.task = t,
                                                    .line = out->n + 2,
                                                    .outcome = OUTCOME_OK,
                                                    .message = "",
                                                    .seconds = at,
                                                    .nseconds = 1,
                                                    .steps = s->steps,
                                                    .nsteps = s->nsteps};
        }
    }
    out->head = (struct recording_head){.machine = "made up", .tasks = heads, .ntasks = 2};
}

static void no_progress(void *ctx, int done, int of)
{
    (void)ctx, (void)done, (void)of;
}

static const struct ranking_row *row_of(const struct ranking *r, const char *kernel, const char *way, int adapted)
{
    for (int i = 0; i < r->n; i++)
        if (str_eq(r->rows[i].kernel, kernel) && r->rows[i].adapted == adapted &&
            (way ? r->rows[i].model && str_eq(r->rows[i].model, way) : !r->rows[i].model))
            return &r->rows[i];
    bug("no row of %s %s %d", kernel, way ? way : "chance", adapted);
}

static void test_rows(const struct ranking *r)
{
    static const char *const names[] = {"scratch", "unadapted", "fine-tuned", "moa", "moa-text"};
    is_int(r->n, 3 * 3 * 6, "two kernels and both together, three amounts, five ways and chance");
    for (int w = 0; w < 5; w++) {
        const struct ranking_row *none = row_of(r, tasks[0]->name, names[w], 0),
                                 *most = row_of(r, tasks[0]->name, names[w], 25);
        ok(isnan(none->spearman.mean), "%s: equal scores have no Spearman", names[w]);
        is_near(most->spearman.mean, 1, 1e-12, "%s: after 25 programs the truth is known", names[w]);
        is_near(most->top[0].mean, 1, 1e-12, "%s: and its first choice is the best", names[w]);
        is_int(most->programs, ROWS - 25, "%s: what was told is not ranked", names[w]);
        is_int(most->learned, ROWS, "%s: one kernel of the old device taught it", names[w]);
    }
    const struct ranking_row *chance = row_of(r, tasks[1]->name, NULL, 10);
    ok(chance->top[0].mean > 0 && chance->top[0].mean < 1, "chance is known: %.3f", chance->top[0].mean);
    is_near(row_of(r, "all", "moa", 25)->top[1].mean, 1, 1e-12, "all kernels have a row");
    is_int(row_of(r, "all", "moa", 25)->programs, 2 * (ROWS - 25), "of all programs that are ranked");
}

int main(void)
{
    struct recording r;
    struct ranking out;
    struct err err = {0};
    const int records[] = {0, 10, 25}, many[] = {40};
    make_recording(arena, &r);
    struct adaptation_options o = {.pacm = &MADE_UP,
                                   .moa = &MADE_UP,
                                   .learn = &r,
                                   .pretraining = "",
                                   .settings = "epochs=3",
                                   .records = records,
                                   .nrecords = 3,
                                   .seeds = 1,
                                   .file = "network"};
    ok(adaptation_make(arena, &r, &o, no_progress, NULL, &out, &err), "five ways adapt to two kernels %s", err.text);
    is_int(opened, 2 * 6, "each kernel pre-trains a network and opens five");
    is_int(loads, 2 * 4, "all ways but the one from scratch begin with the file");
    is_int(pretrained[1], 0, "the network for the last kernel was pre-trained without it");
    is_int(pretrained[0], ROWS, "the other kernel of the old device is told whole");
    is_int(last.told[1], 25, "the programs of the largest amount are told at last");
    is_int(last.told[0], 0, "no program of the other kernel of the new device is told");
    ok(last.tells == 3 && last.longest == 10, "in rounds of ten: %d rounds", last.tells);
    is_int(last_epochs, 3, "settings of the ways reach the model");
    ok(strncmp(updates, "1 fresh1 never1 tune1 network4 change1 ", 39) == 0, "the ways are those told: %s", updates);
    test_rows(&out);
    o.records = many;
    o.nrecords = 1;
    ok(!adaptation_make(arena, &r, &o, no_progress, NULL, &out, &err), "too few programs are refused: %s", err.text);
    return done_testing();
}
