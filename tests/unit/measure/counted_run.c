/* SPDX-License-Identifier: Apache-2.0 */
/* counted_run: counted runs with collectors that work, that do not open, start or stop, and with kernels that fail. The
 * target is plain C; the collector that works counts the calls of its kernel, so that values are known exactly. Last a
 * campaign, whose re-timed programs' counters must come to the store. */
#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/base/log.h"
#include "harness/base/text.h"
#include "harness/measure/measure.h"
#include "harness/record/counter.h"
#include "harness/record/database.h"
#include "harness/tune/campaign.h"
#include "tests/lib/fake_plugins.h"
#include "tests/lib/fixture.h"
#include "tests/lib/store_fixture.h"
#include "tests/lib/tap.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- a target --- */

enum { ROWS = 3, COLUMNS = 5, DEPTH = 8 };
#define SPEC "dense n=3 ci=8 co=5"
enum plain_kernel { PLAIN_RIGHT, PLAIN_ZEROS, PLAIN_CRASH, PLAIN_UNBUILT, PLAIN_LATE };
static long calls; /* of the kernel, in the runner */

static bool plain_open(void *self, struct target_env *env, struct limits *limits, struct err *err)
{
    (void)self, (void)env, (void)err;
    *limits = limits_cpu(2);
    return true;
}

static enum outcome plain_build(void *self, const struct candidate *c, struct blob *object,
                                char message[SAMPLE_MESSAGE])
{
    (void)self;
    int what = c->nsteps ? (int)c->steps[0].value : PLAIN_RIGHT;
    snprintf(message, SAMPLE_MESSAGE, "%s", what == PLAIN_UNBUILT ? "cannot select" : "");
    object->bytes = calloc(1, 4);
    object->n = 4;
    if (object->bytes)
        memcpy(object->bytes, &what, sizeof what);
    return what == PLAIN_UNBUILT || !object->bytes ? OUTCOME_BUILD_FAILED : OUTCOME_OK;
}

static enum outcome plain_load(void *self, const struct candidate *c, const struct blob *object, void **kernel,
                               char message[SAMPLE_MESSAGE])
{
    static int what;
    (void)self, (void)c, (void)message;
    memcpy(&what, object->bytes, sizeof what);
    *kernel = &what;
    return OUTCOME_OK;
}

static enum outcome plain_run(void *self, void *kernel, void *const *args, int number, double *seconds,
                              char message[SAMPLE_MESSAGE])
{
    const float *data = args[0], *weight = args[1];
    double start = clock_now();
    float *out = args[2];
    (void)self, (void)message;
    for (int n = 0; n < number; n++, calls++)
        for (int i = 0; i < ROWS * COLUMNS; i++) {
            out[i] = 0;
            for (int k = 0; k < DEPTH && *(int *)kernel != PLAIN_ZEROS; k++)
                out[i] += data[i / COLUMNS * DEPTH + k] * weight[i % COLUMNS * DEPTH + k];
        }
    if (*(int *)kernel == PLAIN_CRASH)
        raise(SIGSEGV);
    *seconds = *(int *)kernel == PLAIN_LATE ? 10 : clock_now() - start;
    return OUTCOME_OK;
}

static void plain_drop(void *self, void *kernel)
{
    (void)self, (void)kernel;
}

static void plain_describe(void *self, cJSON *object)
{
    (void)self;
    json_put_int(object, "pid", getpid());
}

static void plain_close(void *self)
{
    (void)self;
}

#define TARGET(word, is)                                                                                               \
    {.name = word,                                                                                                     \
     .is_virtual = is,                                                                                                 \
     .open = plain_open,                                                                                               \
     .build = plain_build,                                                                                             \
     .load = plain_load,                                                                                               \
     .run = plain_run,                                                                                                 \
     .drop = plain_drop,                                                                                               \
     .describe = plain_describe,                                                                                       \
     .close = plain_close}
static const struct target PLAIN = TARGET("plain", false), VIRTUAL = TARGET("virtual", true);

/* --- collectors --- */

struct tally {
    long opened, started; /* calls of the kernel by then */
};

static bool tally_open(void *self, struct err *err)
{
    (void)err;
    ((struct tally *)self)->opened = calls;
    return true;
}

static bool tally_start(void *self, struct err *err)
{
    (void)err;
    ((struct tally *)self)->started = calls;
    return true;
}

static void put(struct counter *c, const char *name, bool present, double value, const char *reason)
{
    *c = (struct counter){.present = present, .value = value};
    snprintf(c->name, sizeof c->name, "%s", name);
    snprintf(c->reason, sizeof c->reason, "%s", reason);
}

static bool tally_stop(void *self, struct counter *out, int *n, struct err *err)
{
    const struct tally *t = self;
    long number = calls - t->started;
    (void)err;
    put(&out[0], "sevens", true, 7.0 * (double)number, "");
    put(&out[1], "squares", true, (double)(number * number), "");
    put(&out[2], "opened", true, (double)(t->opened * number), "");
    put(&out[3], "cycles", false, 99, "no PMU");
    *n = 4;
    return true;
}

/* What it forgets stands in the counter `opened`. */
static bool tally_rewind(void *self, struct err *err)
{
    long forgotten = calls - ((struct tally *)self)->started;
    (void)err;
    ((struct tally *)self)->opened = forgotten;
    ((struct tally *)self)->started = calls;
    return true;
}

static bool refuse(void *self, struct err *err)
{
    (void)self;
    return err_set(err, "permission denied");
}

static bool refuse_stop(void *self, struct counter *out, int *n, struct err *err)
{
    (void)self, (void)out, (void)n;
    return err_set(err, "lost count");
}

#define COLLECTOR(id, opens, starts, stops, ...)                                                                       \
    static const struct collector id = {.name = #id,                                                                   \
                                        .state_size = sizeof(struct tally),                                            \
                                        .open = opens,                                                                 \
                                        .start = starts,                                                               \
                                        .stop = stops,                                                                 \
                                        .close = plain_close,                                                          \
                                        __VA_ARGS__}
COLLECTOR(tally, tally_open, tally_start, tally_stop, );
COLLECTOR(unopened, refuse, tally_start, tally_stop, );
COLLECTOR(unstarted, tally_open, refuse, tally_stop, );
COLLECTOR(unstopped, tally_open, tally_start, refuse_stop, );
COLLECTOR(sparing, tally_open, tally_start, tally_stop, .most_calls = 2, .rewind = tally_rewind);
COLLECTOR(unrewound, tally_open, tally_start, tally_stop, .rewind = refuse);
static const struct collector *const SPARING[] = {&sparing, &unrewound, NULL};
static const struct collector *const ALL[] = {&unopened, &tally, &unstarted, &unstopped, NULL};
static const struct collector *const BAD[] = {&unopened, NULL};
static const struct collector *const LAST[] = {&tally, &unstarted, NULL};

/* --- the tests --- */

static struct task *task;
static struct regime regime;

static struct measurer *begin(const struct target *target, const struct collector *const *collectors)
{
    struct measure_options o = {.target = target, .collectors = collectors, .regime = regime, .build_workers = 1};
    struct measurer *m = NULL;
    struct limits limits;
    struct err err = {0};
    fixture_must(measure_open(&o, &m, &limits, &err), &err);
    return m;
}

static struct candidate candidate(enum plain_kernel d)
{
    struct step *s = ARENA_NEW(arena, struct step);
    *s = (struct step){
        .kind = STEP_PR, .stage = 2, .value = d, .text = arena_printf(arena, "auto_unroll_max_step$%d", d)};
    return (struct candidate){.task = task, .steps = s, .nsteps = 1, .hash = d};
}

static int count(struct measurer *m, enum plain_kernel d, struct counter_list *out, struct sample *s)
{
    struct err err = {0};
    struct candidate c = candidate(d);
    out->n = -1;
    ok(measure_count(m, &c, &regime, out, s, &err), "a counted run works, whatever the kernel does %s", err.text);
    is_int(s->nseconds, 0, "a counted run gives no times");
    return out->n;
}

static void absent(const struct counter *c, const char *name, const char *reason)
{
    ok(str_eq(c->name, name) && !c->present && c->value == 0, "the counter %s is absent", name);
    ok(strstr(c->reason, reason) != NULL, "the reason of the absent counter %s, '%s', says '%s'", name, c->reason,
       reason);
}

static void present(const struct counter *c, const char *name, double value)
{
    ok(str_eq(c->name, name) && c->present, "the counter %s is present", name);
    is_near(c->value, value, 1e-12, "the counter %s has its value per call", name);
}

static void test_all(struct measurer *m)
{
    struct counter_list c;
    struct sample s;
    if (!is_int(count(m, PLAIN_RIGHT, &c, &s), 7, "the collectors give seven counters"))
        return;
    is_str(outcome_word(s.outcome), "ok", "a counted run of a right kernel is ok");
    absent(&c.at[0], "unopened", "permission denied");
    present(&c.at[1], "sevens", 7);
    present(&c.at[2], "squares", (double)regime.number);
    present(&c.at[3], "opened", 0); /* before any call */
    absent(&c.at[4], "cycles", "no PMU");
    absent(&c.at[5], "unstarted", "permission denied");
    absent(&c.at[6], "unstopped", "lost count");
}

/* The output was poisoned before the last collector, which makes no call. */
static void test_unstarted_last(void)
{
    struct measurer *m = begin(&PLAIN, LAST);
    struct counter_list c;
    struct sample s;
    if (is_int(count(m, PLAIN_RIGHT, &c, &s), 5,
               "where the last collector does not start, there are the others' counters")) {
        is_str(outcome_word(s.outcome), "ok", "a collector that does not start spoils no kernel's output");
        absent(&c.at[4], "unstarted", "permission denied");
    }
    measure_close(m);
}

/* One call is forgotten, two of the regime's number are counted. */
static void test_sparing(void)
{
    int64_t number = regime.number;
    regime.number = 5;
    struct measurer *m = begin(&PLAIN, SPARING);
    struct counter_list c;
    struct sample s;
    if (is_int(count(m, PLAIN_RIGHT, &c, &s), 5, "a collector that can count few calls gives its counters")) {
        present(&c.at[0], "sevens", 7);
        present(&c.at[1], "squares", 2);
        present(&c.at[2], "opened", 1); /* so many were forgotten */
        absent(&c.at[4], "unrewound", "permission denied");
        is_str(outcome_word(s.outcome), "ok", "a collector that cannot forget spoils no kernel's output");
    }
    if (is_int(count(m, PLAIN_LATE, &c, &s), 5, "calls are counted whatever the kernel's clock says"))
        ok(c.at[2].value == 1, "no call is counted twice because two clocks disagree");
    measure_close(m);
    regime.number = number;
}

static void test_failures(struct measurer *m)
{
    static const struct {
        enum plain_kernel what;
        enum outcome outcome;
        const char *reason;
    } ROWS_OF[] = {{PLAIN_CRASH, OUTCOME_CRASHED, "crashed: killed by signal 11"},
                   {PLAIN_ZEROS, OUTCOME_WRONG_ANSWER, "wrong answer: "},
                   {PLAIN_UNBUILT, OUTCOME_BUILD_FAILED, "build failed: cannot select"}};
    static const char *const NAMES[] = {"unopened", "tally", "unstarted", "unstopped"};
    struct counter_list c;
    struct sample s;
    for (int i = 0; i < 3; i++) {
        int n = count(m, ROWS_OF[i].what, &c, &s);
        is_str(outcome_word(s.outcome), outcome_word(ROWS_OF[i].outcome),
               "a counted run has the outcome of its kernel");
        is_int(n, 4, "a counted run that fails has one absent counter per collector");
        for (int k = 0; k < n && k < 4; k++)
            absent(&c.at[k], NAMES[k], ROWS_OF[i].reason);
    }
}

/* Timed runs before and after are served by processes that never saw a collector. */
static void test_apart(struct measurer *m)
{
    cJSON *before = json_object(), *after = json_object();
    struct counter_list c;
    struct candidate right = candidate(PLAIN_RIGHT);
    struct sample s;
    struct err err = {0};
    measure_describe(m, before);
    count(m, PLAIN_RIGHT, &c, &s);
    measure_describe(m, after);
    ok(json_num(before, "pid", 0) > 0 && json_num(before, "pid", 0) != json_num(after, "pid", 0),
       "a counted run has a process of its own");
    ok(measure_again(m, &right, &regime, &s, &err) && s.nseconds == regime.repeat && s.seconds[0] > 0,
       "timed runs go on after a counted run");
    cJSON_Delete(before);
    cJSON_Delete(after);
}

static void test_few(void)
{
    struct counter_list c;
    struct sample s;
    regime.warmup = 0;
    struct measurer *m = begin(&PLAIN, BAD);
    is_int(count(m, PLAIN_RIGHT, &c, &s), 1, "a collector that does not work gives one absent counter");
    is_str(outcome_word(s.outcome), "ok", "a kernel runs although no collector works");
    absent(&c.at[0], "unopened", "permission denied");
    measure_close(m);
    m = begin(&PLAIN, NULL);
    is_int(count(m, PLAIN_RIGHT, &c, &s), 0, "no collectors give no counters");
    measure_close(m);
    m = begin(&VIRTUAL, ALL);
    is_int(count(m, PLAIN_RIGHT, &c, &s), 0, "a virtual target has no counters");
    measure_close(m);
}

static void test_refused(void)
{
    const struct collector *const here[] = {&tally, NULL};
    struct measure_options o = {.target = &PLAIN, .collectors = here, .regime = regime, .build_workers = 1};
    struct measurer *m;
    struct limits limits;
    struct err err = {0};
    ok(!measure_open(&o, &m, &limits, &err) && strstr(err.text, "collectors"),
       "a table of collectors on the stack is refused: %s", err.text);
}

/* Every winner has its launches and seven counters, and only those. */
static void test_winners(const char *dir)
{
    struct store *s;
    struct err err = {0};
    struct query q;
    struct counter *c;
    struct counter_sum *sum;
    int n, winners = 0, right = 0;
    int64_t counted;
    fixture_must(
        store_open_read(dir, &s, &err) &&
            query_open(&q, store_database(s), &err,
                       "SELECT trial, count(DISTINCT launch) FROM duel JOIN duel_program USING(duel) JOIN duel_launch"
                       " USING(duel, place) WHERE NOT null_pair GROUP BY trial",
                       ""),
        &err);
    while (query_next(&q, &err)) {
        winners++;
        right += query_int(&q, 1) == DUEL_LEAST && store_counters(s, arena, query_int(&q, 0), &c, &n, &err) && n == 7 &&
                 str_eq(c[2].name, "sevens") && c[2].present && c[2].value == 7;
    }
    ok(query_close(&q) && winners > 2, "the best programs of a campaign (%d) are re-timed", winners);
    is_int(right, winners, "every re-timed program has its counters");
    ok(counters_sum(s, arena, &sum, &n, &counted, &err) && n == 7 && counted == winners,
       "no other program has counters");
    ok(n == 7 && sum[2].programs == winners && sum[3].programs == 0 && str_eq(sum[3].reason, "no PMU"),
       "the counters of all programs sum up: three present, four absent");
    store_close(s);
}

static bool campaign(const struct plan *p, struct err *err)
{
    static const struct target *const targets[] = {&PLAIN, NULL};
    const struct registry registry = {
        .searchers = fake_registry.searchers, .models = fake_registry.models, .targets = targets, .collectors = ALL};
    return campaign_run(&registry, p, &(struct campaign_options){.resume = true, .revision = "r1"}, err);
}

static void change_records(const char *dir, const char *script)
{
    struct database *d;
    struct err err = {0};
    fixture_must(
        database_open(file_join(arena, dir, "records.db"), false, &d, &err) && database_script(d, script, &err), &err);
    database_close(d);
}

static void test_campaign(void)
{
    struct err err = {0};
    struct plan p = *fake_plan(arena, fixture_path("r"), 24);
    p.target = "plain";
    p.build_workers = 1;
    p.regime.memory_mib = p.retime_regime.memory_mib = 256;
    ok(campaign(&p, &err), "a campaign with collectors runs %s", err.text);
    test_winners(p.results_dir);
    change_records(p.results_dir, "DELETE FROM counter WHERE trial > 2");
    ok(campaign(&p, &err), "a campaign killed before all programs were counted goes on %s", err.text);
    test_winners(p.results_dir);
    change_records(p.results_dir, "UPDATE campaign SET environment = '{\"host\": {\"cpu\": \"Another\"}}'");
    err = (struct err){0};
    ok(!campaign(&p, &err) &&
           strstr(err.text, "holds records of another machine: their processor is 'Another', here is"),
       "a campaign of another machine is refused: %s", err.text);
}

int main(void)
{
    struct err err = {0};
    task = fixture_task(arena, SPEC);
    fixture_must(regime_named("quick", &regime, &err), &err);
    regime.min_repeat_ms = 0;
    struct measurer *m = begin(&PLAIN, ALL);
    test_all(m);
    test_failures(m);
    test_apart(m);
    measure_close(m);
    test_unstarted_last();
    test_sparing();
    test_few();
    test_refused();
    log_level_set(LOG_QUIET);
    test_campaign();
    return done_testing();
}
