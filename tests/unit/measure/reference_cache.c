/* SPDX-License-Identifier: Apache-2.0 */
/* reference_cache: references that were exported, kept in the parent's file and imported are bit by bit those that the
 * importing process would have computed, and so are the inputs that belong to them. What is cut short or does not fit
 * is not taken. Then through measure_again on target fault: references are computed once, and every fault is still
 * found. */
#include "harness/measure/measurer.h"
#include "harness/measure/task_data.h"
#include "tests/lib/fault_target.h"
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct task_data opened(struct worker *w, const char *spec, bool compiled)
{
    struct task_data b = {0};
    struct err err = {0};
    char message[SAMPLE_MESSAGE] = "";
    ok(task_data_open(&b, spec, &err), "the task data of '%s' opens %s", spec, err.text);
    if (compiled && w->target->reference(w->self, b.task, &b.object, message) != OUTCOME_OK)
        fail("reference of %s: %s", spec, message);
    return b;
}

static void closed(struct task_data *b)
{
    task_data_empty(b);
    free(b->object.bytes);
    arena_close(b->arena);
}

static bool same_references(const struct task_data *a, const struct task_data *b)
{
    bool same = true;
    int64_t n = task_arg_elements(a->task, a->task->nargs - 1);
    for (int s = 0; s < SET_COUNT; s++)
        same = same && a->sets[s].tolerance == b->sets[s].tolerance &&
               memcmp(a->sets[s].reference, b->sets[s].reference, (size_t)n * sizeof(double)) == 0;
    return same;
}

static bool same_inputs(const struct task_data *a, const struct task_data *b)
{
    bool same = true;
    for (int s = 0; s < SET_COUNT; s++)
        for (int i = 0; i + 1 < a->task->nargs; i++) {
            const struct guard_pages *x = task_data_arg(a, (enum input_set)s, i),
                                     *y = task_data_arg(b, (enum input_set)s, i);
            same = same && x->bytes == y->bytes && memcmp(x->data, y->data, x->bytes) == 0;
        }
    return same;
}

/* A compiled reference is of floats, the interpreter's of doubles. positive: CHECK must be filled without signs. */
static void test_spec(struct worker *w, const char *spec, bool compiled, bool positive)
{
    struct task_data own = opened(w, spec, compiled), other = opened(w, spec, compiled);
    struct packet sent = {0}, got = {0};
    struct reference_cache cache = {0};
    struct reference_cache_slot slot = {0};
    struct err err = {0};
    size_t n;
    int64_t elements = task_arg_elements(own.task, own.task->nargs - 1);
    ok(task_data_prepare(&own, w, true, 16, &err), "the task data of '%s' is prepared %s", spec, err.text);
    is_int(own.positive, positive, "the inputs of '%s' are %s", spec, positive ? "all positive" : "of both signs");
    task_data_export(&own, &sent);
    is_int((int)sent.bytes.len, (int)(40 + 2 * (compiled ? 4 : 8) * elements),
           "the references of '%s' are exported as %s", spec, compiled ? "floats" : "doubles");
    ok(sent.bytes.len <= TASK_DATA_EXPORT_MOST(elements),
       "the exported references of '%s' fit into the room that is asked for", spec);
    reference_cache_keep(&cache, &sent, &slot);
    reference_cache_read(&cache, &slot, &got);
    const void *bytes = packet_get_bytes(&got, &n);
    ok(n == sent.bytes.len && memcmp(bytes, sent.bytes.s, n) == 0,
       "the references of '%s' come out of the file as they went in", spec);
    ok(!task_data_import(&other, bytes, n - 1) && !other.sets[SET_TIME].reference,
       "references of '%s' that are cut short are not imported", spec);
    ok(task_data_import(&other, bytes, n), "the references of '%s' are imported", spec);
    other.object.n = 0; /* with nothing to run it would come from the interpreter, and slowly */
    ok(task_data_prepare(&other, w, true, 16, &err), "data of '%s' with imported references is prepared", spec);
    ok(same_references(&own, &other), "imported references and tolerances of '%s' are the same, bit by bit", spec);
    ok(same_inputs(&own, &other), "the inputs of '%s' are the same in both processes", spec);
    packet_free(&sent);
    packet_free(&got);
    reference_cache_close(&cache);
    closed(&own);
    closed(&other);
}

static void test_room(void)
{
    struct reference_cache r = {.limit = 64};
    struct reference_cache_slot a = {0}, b = {0}, c = {0};
    struct packet p = {0}, out = {0};
    size_t n;
    for (int i = 0; i < 5; i++)
        packet_int(&p, i);
    ok(reference_cache_room(&r, 64) && !reference_cache_room(&r, 65),
       "a cache of 64 bytes has room for 64 bytes and not more");
    reference_cache_keep(&r, &p, &a);
    reference_cache_keep(&r, &p, &b);
    is_int((int)a.n, 40, "the first references are kept");
    is_int((int)b.n, 0, "references without room are not kept");
    packet_clear(&p);
    packet_int(&p, 7);
    reference_cache_keep(&r, &p, &c);
    is_int((int)c.at, 40, "smaller references are kept behind the first");
    reference_cache_read(&r, &a, &out);
    reference_cache_read(&r, &b, &out);
    reference_cache_read(&r, &c, &out);
    packet_get_bytes(&out, &n);
    is_int((int)n, 40, "the first references are read back");
    packet_get_bytes(&out, &n);
    is_int((int)n, 0, "references that were not kept are read as nothing");
    const char *last = packet_get_bytes(&out, &n);
    ok(n == 8 && last[0] == 7, "the last references are read back");
    reference_cache_close(&r);
    setenv("TMPDIR", "/nowhere/at/all", 1);
    a = (struct reference_cache_slot){0};
    reference_cache_keep(&r, &p, &a);
    ok(a.n == 0 && !reference_cache_room(&r, 1), "without a temporary folder nothing is kept");
    unsetenv("TMPDIR");
    reference_cache_close(&r);
    packet_free(&p);
    packet_free(&out);
}

static const char *tally;

static int loads(void)
{
    struct stat st;
    return stat(tally, &st) == 0 ? (int)st.st_size : -1;
}

static void expect_again(struct measurer *m, const struct task *task, enum behaviour d, int want_loads,
                         const char *when)
{
    struct candidate c = fault_target_candidate(arena, task, d);
    struct sample s = {0};
    struct err err = {0};
    struct measure_options o = fault_target_options();
    ok(measure_again(m, &c, &o.regime, &s, &err), "%s: candidate '%s' is measured %s", when, behaviour_rows[d].name,
       err.text);
    if (!is_str(outcome_word(s.outcome), outcome_word(behaviour_rows[d].outcome), "%s: candidate '%s' has its outcome",
                when, behaviour_rows[d].name))
        diag("message: %s", s.message);
    is_int(loads(), want_loads, "%s: the references were computed as often as expected", when);
}

/* References are computed once and passed from one fresh runner to the next. Every fault is found as without that. */
static void test_passing_on(void)
{
    const struct task *task = fixture_task(arena, FAULT_TARGET_SPEC);
    struct measure_options o = fault_target_options();
    tally = fixture_file("tally", "");
    setenv("RAINGAUGE_TALLY", tally, 1);
    struct measurer *m = fault_target_begin(&o);
    expect_again(m, task, BEHAVIOUR_right, 2, "in the first runner");
    expect_again(m, task, BEHAVIOUR_right, 2, "with references of the first runner");
    static const enum behaviour BAD[] = {BEHAVIOUR_slightly_wrong, BEHAVIOUR_zeros,     BEHAVIOUR_nothing,
                                         BEHAVIOUR_partial,        BEHAVIOUR_replayed,  BEHAVIOUR_past_end,
                                         BEHAVIOUR_too_fast,       BEHAVIOUR_into_input};
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++)
        expect_again(m, task, BAD[i], 2, "with references of the first runner");
    expect_again(m, task, BEHAVIOUR_crash, 2, "with a candidate that kills the runner");
    expect_again(m, task, BEHAVIOUR_right, 2, "after a candidate that killed the runner");
    measure_close(m);
    m = fault_target_begin(&o);
    fixture_file("tally-die", "");
    expect_again(m, task, BEHAVIOUR_right, 4, "after the runner with the references was killed");
    expect_again(m, task, BEHAVIOUR_right, 6, "in the next runner, which keeps them");
    expect_again(m, task, BEHAVIOUR_zeros, 6, "with references of that runner");
    measure_close(m);
    m = fault_target_begin(&o);
    m->references.limit = 100;
    expect_again(m, task, BEHAVIOUR_right, 8, "without room for references");
    expect_again(m, task, BEHAVIOUR_replayed, 10, "without room for references");
    is_int((int)m->references.used, 0, "a cache without room keeps nothing");
    measure_close(m);
    unsetenv("RAINGAUGE_TALLY");
}

int main(void)
{
    struct worker_setup setup = {.seed = 5, .target_settings = "", .threads = 1, .layout = LAYOUT_REWRITTEN};
    struct worker w = {.setup = &setup, .env = {.threads = 1, .layout = LAYOUT_REWRITTEN}};
    struct limits limits;
    struct err err = {0};
    w.target = setup.target = fixture_target("cpu");
    test_room();
    test_passing_on();
    bool compiled = w.target && target_begin(w.target, "", arena, &w.env, &w.self, &limits, &err);
    for (int c = 0; c < (compiled ? 2 : 1); c++) {
        test_spec(&w, "dense n=7 ci=40 co=9", c == 1, false);
        test_spec(&w, "conv2d ci=3 hi=9 wi=9 co=4 kh=3 kw=3 ph=1 pw=1 bias=1 relu=1", c == 1, false);
        test_spec(&w, "map n=6 c=10 by=log", c == 1, true);
    }
    if (!compiled)
        skip(w.target ? err.text : "no target cpu in this build", "compiled references are kept");
    if (w.self)
        w.target->close(w.self);
    return done_testing();
}
