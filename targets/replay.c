/* SPDX-License-Identifier: Apache-2.0 */
/* replay: a recorded device: answers with the seconds and outcomes of a recording (harness/plug/recording.h). No time
 * passes, nothing is built or verified, and the same question has the same answer, so searches and cost models can be
 * compared exactly where the device is not at hand.
 *
 * A candidate is known by its state, as everywhere (state_hash); of equal rows the first answers. Other candidates are
 * refused, or answered by the nearest row (setting unknown):
 *     same steps but for split lengths and unroll limits, and among these the least
 *     sum of |log2 a - log2 b| over split lengths, |log2(1 + a) - log2(1 + b)| over unroll limits; of equals the first.
 * A candidate without such a row is refused, too. What happened is reported when the target is closed.
 *
 * The repeats of a row are given in their order, again from the first when more are asked for; the first calls
 * (warmup) get the first one. A call of a larger number than the one before it repeats that reading: so do regimes that
 * prolong one. */
#include "harness/base/log.h"
#include "harness/base/map.h"
#include "harness/plug/recording.h"
#include "harness/plug/target.h"
#include "harness/program/lower/bound.h"
#include "targets/outcome_because.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum unknown { UNKNOWN_REFUSE, UNKNOWN_NEAREST };
static const char *const UNKNOWNS[] = {"refuse", "nearest", NULL};

struct recorded_device_options {
    const char *recording;
    int unknown;
    int64_t warmup;
};
static const struct setting SETTINGS[] = {
    STRING_SETTING("recording", struct recorded_device_options, recording, "",
                   "the file that answers (raingauge collect)", .content = true, .movable = true),
    ENUM_SETTING("unknown", struct recorded_device_options, unknown, "refuse", UNKNOWNS,
                 "what a candidate that was not recorded gets"),
    INT_SETTING("warmup", struct recorded_device_options, warmup, "1", 0, 1000,
                "calls of a kernel before its first reading, as the regime has them"),
    {0},
};

struct indexed_task { /* rows of one kernel by the identity of their state */
    struct map rows;
    bool indexed;
};
struct recorded_device {
    const struct recorded_device_options *options;
    struct arena *life, *scratch;
    struct recording recording;
    struct indexed_task *tasks;
    int counts[ANSWER_COUNT];  /* builds */
    enum recorded_answer last; /* of the last build */
};
struct recorded_kernel {
    const struct recorded *row;
    int64_t calls, readings;
    int number;
};

static bool replay_open(void *self, struct target_env *env, struct limits *limits, struct err *err)
{
    struct recorded_device *d = self;
    const struct recorded_device_options *o = env->options;
    *d = (struct recorded_device){.options = o};
    if (!o->recording[0])
        return err_set(err, "target 'replay' needs a recording: --target replay,recording=FILE");
    d->life = arena_open("recording");
    d->scratch = arena_open("replay");
    if (!recording_read(d->life, o->recording, false, &d->recording, err)) {
        arena_close(d->life);
        arena_close(d->scratch);
        return false;
    }
    d->tasks = ARENA_ARRAY(d->life, struct indexed_task, d->recording.head.ntasks);
    memset(d->tasks, 0, sizeof *d->tasks * (size_t)d->recording.head.ntasks);
    *limits = d->recording.head.limits;
    return true;
}

static void replay_close(void *self)
{
    struct recorded_device *d = self;
    const int *n = d->counts;
    if (n[ANSWER_RECORDED] + n[ANSWER_NEAREST] + n[ANSWER_REFUSED] > 0)
        log_info("replay: of %d candidates %d were recorded, %d got the nearest row, %d were refused",
                 n[ANSWER_RECORDED] + n[ANSWER_NEAREST] + n[ANSWER_REFUSED], n[ANSWER_RECORDED], n[ANSWER_NEAREST],
                 n[ANSWER_REFUSED]);
    for (int i = 0; i < d->recording.head.ntasks; i++)
        map_free(&d->tasks[i].rows);
    arena_close(d->scratch);
    arena_close(d->life);
}

/* ---- who answers ---- */

static void index_rows(struct recorded_device *d, int task, const struct task *t)
{
    struct indexed_task *k = &d->tasks[task];
    k->indexed = true;
    for (int i = 0; i < d->recording.n; i++) {
        const struct recorded *r = &d->recording.rows[i];
        struct state *s;
        struct err ignored;
        if (r->task != task)
            continue;
        arena_reset(d->scratch);
        if (state_replay(d->scratch, t, r->steps, r->nsteps, &s, &ignored) && bound_infer(s, &ignored) &&
            !map_get(&k->rows, state_hash(s), NULL))
            map_put(&k->rows, state_hash(s), (uint64_t)i);
    }
}

static bool same_lists(const struct step *x, const struct step *y)
{
    return x->n == y->n && (x->n == 0 || memcmp(x->list, y->list, sizeof *x->list * (size_t)x->n) == 0);
}

static double log_ratio(int64_t a, int64_t b, int64_t add)
{
    return fabs(log2((double)(a + add)) - log2((double)(b + add)));
}

/* How far two steps are apart; INFINITY: in more than lengths. */
static double step_distance(const struct step *x, const struct step *y)
{
    double sum = 0;
    if (x->kind != y->kind || x->stage != y->stage || x->iter != y->iter || x->target != y->target ||
        x->flag != y->flag || x->n != y->n)
        return INFINITY;
    if (x->kind == STEP_PR)
        return log_ratio(x->value, y->value, 1);
    if (x->kind != STEP_SP)
        return x->value == y->value && x->value2 == y->value2 && same_lists(x, y) && str_eq(x->text, y->text)
                   ? 0
                   : INFINITY;
    for (int i = 0; i < x->n; i++)
        sum += x->list[i] > 0 && y->list[i] > 0 ? log_ratio(x->list[i], y->list[i], 0) : INFINITY;
    return sum;
}

static double distance(const struct candidate *c, const struct recorded *r)
{
    double sum = c->nsteps == r->nsteps ? 0 : INFINITY;
    for (int i = 0; i < c->nsteps && isfinite(sum); i++)
        sum += step_distance(&c->steps[i], &r->steps[i]);
    return sum;
}

static int nearest_row(const struct recorded_device *d, int task, const struct candidate *c)
{
    double least = INFINITY;
    int best = -1;
    for (int i = 0; i < d->recording.n; i++) {
        double far = d->recording.rows[i].task == task ? distance(c, &d->recording.rows[i]) : INFINITY;
        if (far < least) {
            least = far;
            best = i;
        }
    }
    return best;
}

/* The row that answers; -1: none, with the reason. */
static int row_of(struct recorded_device *d, const struct candidate *c, char message[SAMPLE_MESSAGE])
{
    int task = recording_task(&d->recording, c->task->spec);
    struct state *s;
    struct err err = {0};
    uint64_t row;
    if (task < 0) {
        snprintf(message, SAMPLE_MESSAGE, "the recording is of another task set: it has no kernel '%.60s'",
                 c->task->name);
        return -1;
    }
    if (!d->tasks[task].indexed)
        index_rows(d, task, c->task);
    arena_reset(d->scratch);
    if (!state_replay(d->scratch, c->task, c->steps, c->nsteps, &s, &err) || !bound_infer(s, &err)) {
        snprintf(message, SAMPLE_MESSAGE, "%.199s", err.text);
        return -1;
    }
    if (map_get(&d->tasks[task].rows, state_hash(s), &row)) {
        d->last = ANSWER_RECORDED;
        return (int)row;
    }
    int near = d->options->unknown == UNKNOWN_NEAREST ? nearest_row(d, task, c) : -1;
    d->last = near >= 0 ? ANSWER_NEAREST : ANSWER_REFUSED;
    if (near < 0)
        snprintf(message, SAMPLE_MESSAGE, "not recorded%s",
                 d->options->unknown == UNKNOWN_NEAREST ? ", and no row has its steps with other lengths" : "");
    return near;
}

/* ---- the interface of a target ---- */

static enum outcome replay_build(void *self, const struct candidate *c, struct blob *object,
                                 char message[SAMPLE_MESSAGE])
{
    struct recorded_device *d = self;
    d->last = ANSWER_REFUSED;
    int row = row_of(d, c, message);
    d->counts[d->last]++;
    if (row < 0)
        return OUTCOME_INVALID;
    const struct recorded *r = &d->recording.rows[row];
    if (r->outcome != OUTCOME_OK)
        return outcome_because(message, r->outcome, r->message[0] ? r->message : "as recorded");
    object->bytes = malloc(sizeof row);
    object->n = sizeof row;
    if (!object->bytes)
        return OUTCOME_OUT_OF_MEMORY;
    memcpy(object->bytes, &row, sizeof row);
    return OUTCOME_OK;
}

static enum recorded_answer replay_answered(const void *self)
{
    const struct recorded_device *d = self;
    return d->last;
}

static enum outcome replay_load(void *self, const struct candidate *c, const struct blob *object, void **kernel,
                                char message[SAMPLE_MESSAGE])
{
    const struct recorded_device *d = self;
    int row = -1;
    (void)c;
    if (object->n == sizeof row)
        memcpy(&row, object->bytes, sizeof row);
    if (row < 0 || row >= d->recording.n)
        return outcome_because(message, OUTCOME_LOAD_FAILED, "not an object of target replay");
    struct recorded_kernel *k = calloc(1, sizeof *k);
    if (!k)
        return OUTCOME_OUT_OF_MEMORY;
    k->row = &d->recording.rows[row];
    *kernel = k;
    return OUTCOME_OK;
}

static enum outcome replay_run(void *self, void *kernel, void *const *args, int number, double *seconds,
                               char message[SAMPLE_MESSAGE])
{
    const struct recorded_device *d = self;
    struct recorded_kernel *k = kernel;
    (void)args, (void)message;
    if (++k->calls > d->options->warmup) {
        bool prolonged = k->readings > 0 && number > k->number;
        k->readings += !prolonged;
        k->number = number;
    }
    int64_t reading = k->readings > 0 ? k->readings - 1 : 0;
    *seconds = number * k->row->seconds[reading % k->row->nseconds];
    return OUTCOME_OK;
}

static void replay_drop(void *self, void *kernel)
{
    (void)self;
    free(kernel);
}

static void replay_describe(void *self, cJSON *object)
{
    const struct recorded_device *d = self;
    json_put_str(object, "cpu", "a recording");
    json_put_str(object, "features", "");
    json_put_str(object, "recorded_machine", d->recording.head.machine);
    json_put_str(object, "recording_digest", d->recording.digest);
}

extern const struct target target_replay;
const struct target target_replay = {
    .name = "replay",
    .summary = "a recorded device: the seconds of a recording; no real time passes",
    .settings = SETTINGS,
    .options_size = sizeof(struct recorded_device_options),
    .state_size = sizeof(struct recorded_device),
    .is_virtual = true,
    .open = replay_open,
    .build = replay_build,
    .answered = replay_answered,
    .load = replay_load,
    .run = replay_run,
    .drop = replay_drop,
    .describe = replay_describe,
    .close = replay_close,
};
