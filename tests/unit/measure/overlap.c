/* SPDX-License-Identifier: Apache-2.0 */
/* overlap: builds that go on beside runs. That they do is shown by a run and a build that wait for each other
 * (fault_target.h), so no time is asserted. Then: samples are those of batches that are built before they run, whatever
 * dies meanwhile; the clock is booked once; what is under way when a batch ends, ends; and which targets overlap. */
#include "harness/base/clock.h"
#include "harness/base/cpus.h"
#include "harness/measure/build.h"
#include "harness/measure/measurer.h"
#include "tests/lib/fault_target.h"
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct task *task;
static const char *meeting;

enum { BATCH = 6, AHEAD = 4 }; /* with two build workers, four builds beyond the trial that runs may be given */

static struct measure_options options(bool overlap, double timeout_s)
{
    struct measure_options o = fault_target_options();
    o.force_overlap = overlap;
    o.regime.build_timeout_s = o.regime.run_timeout_s = timeout_s;
    return o;
}

static void candidates(const enum behaviour *d, int n, struct candidate *c)
{
    for (int i = 0; i < n; i++)
        c[i] = fault_target_candidate(arena, task, d[i]);
}

/* The samples of a batch of a measurer of its own. */
static bool measured(const struct measure_options *o, const enum behaviour d[BATCH], struct sample s[BATCH])
{
    struct candidate c[BATCH];
    struct err err = {0};
    candidates(d, BATCH, c);
    memset(s, 0, BATCH * sizeof *s);
    struct measured_batch b = {.candidates = c, .n = BATCH, .samples = s};
    if (truncate(meeting, 0))
        bug("cannot empty %s", meeting);
    struct measurer *m = fault_target_begin(o);
    bool fine = m && measure_batch(m, &b, &err) && b.measured == BATCH;
    if (!fine)
        diag("%s", err.text);
    measure_close(m);
    return fine;
}

static void check_outcome(const struct sample *s, enum outcome want, const char *what)
{
    if (!is_str(outcome_word(s->outcome), outcome_word(want), "%s is %s", what, outcome_word(want)))
        diag("message: %s", s->message);
}

/* The run of the first waits for the build of the fifth, which two workers get only while the first runs. */
static void test_meeting(void)
{
    static const enum behaviour D[BATCH] = {BEHAVIOUR_meets_build, BEHAVIOUR_right,     BEHAVIOUR_right,
                                            BEHAVIOUR_right,       BEHAVIOUR_meets_run, BEHAVIOUR_right};
    struct sample s[BATCH];
    struct measure_options o = options(true, 60);
    setenv("RAINGAUGE_MEETING", meeting, 1);
    ok(measured(&o, D, s), "a run that waits for a build is measured");
    check_outcome(&s[0], OUTCOME_OK, "with overlap the run that waits for a build");
    check_outcome(&s[AHEAD], OUTCOME_OK, "with overlap the build that waits for a run");
    o = options(false, 1);
    ok(measured(&o, D, s), "a run that waits for a build of a later batch is measured");
    check_outcome(&s[0], OUTCOME_RUN_TIMEOUT, "without overlap the run that waits for a build");
    unsetenv("RAINGAUGE_MEETING");
}

/* One of the two dies as soon as both are there. */
static void test_deaths(void)
{
    static const enum behaviour BUILD[BATCH] = {BEHAVIOUR_meets_build,    BEHAVIOUR_right, BEHAVIOUR_right,
                                                BEHAVIOUR_meets_run_dies, BEHAVIOUR_right, BEHAVIOUR_right};
    static const enum behaviour RUN[BATCH] = {BEHAVIOUR_meets_build_dies, BEHAVIOUR_right, BEHAVIOUR_right,
                                              BEHAVIOUR_meets_run,        BEHAVIOUR_right, BEHAVIOUR_right};
    const enum behaviour *const BOTH[2] = {BUILD, RUN};
    struct measure_options o = options(true, 60);
    setenv("RAINGAUGE_MEETING", meeting, 1);
    for (int k = 0; k < 2; k++) {
        const char *dies = k ? "a runner" : "a build";
        struct sample s[BATCH];
        ok(measured(&o, BOTH[k], s), "a batch in which %s dies beside the other is measured", dies);
        for (int i = 0; i < BATCH; i++) {
            const struct behaviour_row *row = &behaviour_rows[BOTH[k][i]];
            char what[80];
            snprintf(what, sizeof what, "where %s dies, trial %d (%s)", dies, i, row->name);
            check_outcome(&s[i], row->outcome, what);
            ok(strstr(s[i].message, row->message) != NULL, "%s has its message: %s", what, s[i].message);
        }
    }
    unsetenv("RAINGAUGE_MEETING");
}

struct seen { /* what done got */
    int next;
    bool in_order, same;
    const struct sample *samples;
};

static bool tell(void *ctx, int i, const struct sample *s)
{
    struct seen *t = ctx;
    t->in_order &= i == t->next++;
    t->same &= s == &t->samples[i];
    return true;
}

/* Under a sanitizer on a busy machine they may reach the time-out first; measure.c has them. */
static bool is_slow(enum behaviour d)
{
    return d == BEHAVIOUR_hog || d == BEHAVIOUR_build_hog;
}

/* Every behaviour, a right candidate after each. */
static void measure_all(bool overlap, int workers, struct sample s[2 * BEHAVIOUR_COUNT])
{
    struct candidate c[2 * BEHAVIOUR_COUNT];
    const char *how = overlap ? "with overlap" : "built before it runs";
    enum behaviour d[2 * BEHAVIOUR_COUNT];
    for (int i = 0; i < BEHAVIOUR_COUNT; i++) {
        d[2 * i] = is_slow((enum behaviour)i) ? BEHAVIOUR_right : (enum behaviour)i;
        d[2 * i + 1] = BEHAVIOUR_right;
    }
    candidates(d, 2 * BEHAVIOUR_COUNT, c);
    struct measure_options o = options(overlap, 2);
    struct seen seen = {.in_order = true, .same = true, .samples = s};
    struct phases phases;
    struct err err = {0};
    o.build_workers = workers;
    struct measurer *m = fault_target_begin(&o);
    struct measured_batch b = {
        .candidates = c, .n = 2 * BEHAVIOUR_COUNT, .samples = s, .done = tell, .ctx = &seen, .phases = &phases};
    double before = clock_now();
    phases_start(&phases);
    double start = clock_now(), sum = 0;
    bool fine = m && measure_batch(m, &b, &err);
    double inner = clock_now() - start;
    phases_stop(&phases);
    double outer = clock_now() - before;
    ok(fine && b.measured == b.n, "%s, all behaviours are measured in %d workers %s", how, workers, err.text);
    ok(seen.next == b.n && seen.in_order && seen.same, "%s, samples come in the order of the candidates", how);
    for (int i = 0; i < PHASE_COUNT; i++)
        sum += phases.seconds[i];
    ok(sum > inner - 1e-9 && sum < outer + 1e-9, "%s, the phases add up to the time from start to stop", how);
    ok(phases.seconds[PHASE_build] > 0 && phases.seconds[PHASE_run] > 0 && phases.seconds[PHASE_verify] > 0,
       "%s, the time to build, to run and to verify is booked", how);
    measure_close(m);
}

/* Costs are those of the trial, whatever went on beside it. */
static void check_costs(const struct sample *s, const char *how)
{
    const struct sample *hang = &s[2 * BEHAVIOUR_hang_later];
    is_near(s[2 * BEHAVIOUR_build_hang].cost_s, 2, 1e-9, "%s, a build time-out costs the time-out", how);
    is_near(hang->cost_s, hang->build_s + 2, 1e-9, "%s, a run time-out costs the build and the time-out", how);
    is_near(s[0].cost_s, s[0].build_s + s[0].run_s, 1e-9, "%s, a right trial costs build and run", how);
}

static void test_equal(void)
{
    static struct sample plain[2 * BEHAVIOUR_COUNT], beside[2 * BEHAVIOUR_COUNT];
    measure_all(false, 2, plain);
    check_costs(plain, "built before it runs");
    for (int workers = 1; workers < 4; workers += 2) {
        measure_all(true, workers, beside);
        check_costs(beside, "with overlap");
        for (int i = 0; i < 2 * BEHAVIOUR_COUNT; i++) {
            const struct behaviour_row *row =
                &behaviour_rows[i % 2 || is_slow((enum behaviour)(i / 2)) ? BEHAVIOUR_right : i / 2];
            ok(beside[i].outcome == plain[i].outcome && beside[i].outcome == row->outcome &&
                   beside[i].nseconds == plain[i].nseconds && strstr(beside[i].message, row->message) != NULL,
               "trial %d (%s) in %d workers has the outcome that it has without overlap: %s", i, row->name, workers,
               beside[i].message);
        }
    }
}

static bool stop_at_once(void *ctx, int i, const struct sample *s)
{
    (void)ctx;
    (void)i;
    (void)s;
    return false;
}

/* A batch that is stopped does not wait for builds under way, and the next one has its workers. */
static void test_stop(void)
{
    static const enum behaviour STOPPED[BATCH] = {BEHAVIOUR_right,      BEHAVIOUR_build_hang, BEHAVIOUR_build_hang,
                                                  BEHAVIOUR_build_hang, BEHAVIOUR_right,      BEHAVIOUR_right};
    static const enum behaviour NEXT[BATCH] = {BEHAVIOUR_right, BEHAVIOUR_right, BEHAVIOUR_right,
                                               BEHAVIOUR_right, BEHAVIOUR_right, BEHAVIOUR_right};
    struct measure_options o = options(true, 3600); /* who waits for a build that hangs waits an hour */
    struct candidate c[BATCH];
    struct sample s[BATCH] = {0};
    struct err err = {0};
    int good = 0;
    candidates(STOPPED, BATCH, c);
    struct measurer *m = fault_target_begin(&o);
    struct measured_batch b = {.candidates = c, .n = BATCH, .samples = s, .done = stop_at_once};
    ok(m && measure_batch(m, &b, &err) && b.measured == 1, "a batch stops while builds are under way %s", err.text);
    candidates(NEXT, BATCH, c);
    b = (struct measured_batch){.candidates = c, .n = BATCH, .samples = s};
    ok(m && measure_batch(m, &b, &err) && b.measured == BATCH, "the next batch is measured %s", err.text);
    for (int i = 0; i < BATCH; i++)
        good += s[i].outcome == OUTCOME_OK;
    is_int(good, BATCH, "the next batch is built by workers that work");
    measure_close(m);
}

/* ---- which targets overlap ---- */

static int builds_beside_runs(const struct measure_options *o)
{
    cJSON *about = json_object();
    struct measurer *m = fault_target_begin(o);
    if (m)
        measure_describe(m, about);
    int n = (int)json_num(about, "builds_beside_runs", 0);
    measure_close(m);
    cJSON_Delete(about);
    return n;
}

static void test_targets(void)
{
    struct measure_options o = options(false, 60);
    int spare = cpus_usable() - 1;
    is_int(builds_beside_runs(&o), 0, "a target whose kernels run on the cores has no overlap");
    o.force_overlap = true;
    is_int(builds_beside_runs(&o), spare < 1 ? 1 : spare < 2 ? spare : 2, "overlap can be forced on every target");
    o.force_overlap = false;
    o.target = &fault_target_apart;
    is_int(builds_beside_runs(&o), spare < 2 ? spare : 2,
           "a target whose kernels run elsewhere has, and one core is left to the runner");
    o.regime.overlap = false;
    is_int(builds_beside_runs(&o), 0, "a target whose kernels run elsewhere has none where the regime says so");
}

/* ---- a runner with cores of its own ---- */

static cpu_set_t mask_of(const struct worker_handle *w)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(w->child.pid, sizeof set, &set))
        CPU_ZERO(&set);
    return set;
}

static struct measure_options split_options(int threads)
{
    struct measure_options o = options(false, 2);
    o.target = &fault_target_split;
    o.threads = threads;
    o.build_workers = 3;
    return o;
}

static void test_cores(void)
{
    struct measure_options o = split_options(cpus_usable());
    is_int(builds_beside_runs(&o), 0, "where kernels take all cores nothing is built beside runs");
    if (cpus_usable() < 2)
        return;
    o = split_options(1);
    struct measurer *m = fault_target_begin(&o);
    cpu_set_t run = mask_of(&m->runner), first = mask_of(&m->builders[0]), both;
    cpu_set_t last = mask_of(&m->builders[m->nbuilders - 1]);
    CPU_AND(&both, &run, &first);
    is_int(CPU_COUNT(&run), 1, "a runner of one thread has one processor of its own");
    ok(m->beside >= 1 && CPU_COUNT(&first) > 0 && CPU_COUNT(&both) == 0, "a build beside it keeps off that one");
    ok(m->nbuilders > m->beside && CPU_EQUAL(&run, &last), "the last build worker uses it between runs");
    measure_close(m);
    o.regime.overlap = false;
    is_int(builds_beside_runs(&o), 0, "a regime without overlap gives no runner cores of its own");
}

/* All behaviours, and then the samples of many programs, of which a few are timed alone, too. */
static void test_split(void)
{
    enum { MANY = 120 };
    static struct sample s[MANY];
    static struct candidate c[MANY];
    struct measure_options o = split_options(1);
    struct err err = {0};
    int good = 0, alone = 0, booked = 0, taken = 0;
    if (cpus_usable() < 2)
        return;
    o.force_overlap = true;
    for (int i = 0; i < MANY; i++) {
        c[i] = fault_target_candidate(arena, task,
                                      i < BEHAVIOUR_meets_build && !is_slow((enum behaviour)i) ? (enum behaviour)i
                                                                                               : BEHAVIOUR_right);
        c[i].hash = (uint64_t)i;
    }
    struct measurer *m = fault_target_begin(&o);
    struct measured_batch b = {.candidates = c, .n = MANY, .samples = s};
    ok(m && measure_batch(m, &b, &err) && b.measured == MANY, "with cores of its own all is measured %s", err.text);
    for (int i = 0; i < MANY; i++) {
        enum behaviour d =
            i < BEHAVIOUR_meets_build && !is_slow((enum behaviour)i) ? (enum behaviour)i : BEHAVIOUR_right;
        good += s[i].outcome == behaviour_rows[d].outcome;
        if (s[i].outcome != behaviour_rows[d].outcome)
            diag("%s: %s: %s", behaviour_rows[d].name, outcome_word(s[i].outcome), s[i].message);
        alone += s[i].alone_s > 0;
        taken += d != BEHAVIOUR_right || ((s[i].alone_s > 0) == (s[i].spared_s < 0) && s[i].run_s + s[i].spared_s > 0);
        booked += s[i].outcome != OUTCOME_OK || fabs(s[i].cost_s - s[i].build_s - s[i].run_s - s[i].spared_s) < 1e-9;
    }
    is_int(good, MANY, "with cores of its own each behaviour has its outcome");
    ok(alone > 0 && alone < MANY / 5, "of %d programs %d were also timed alone", MANY, alone);
    is_int(booked, MANY, "what that took is in no cost");
    is_int(taken, MANY, "what that took is taken from the clocks");
    measure_close(m);
}

/* Programs that are all of those one in twenty that are timed alone, too: the phase of runs has both times of each, and
 * the clocks one. */
static void test_alone(void)
{
    enum { TWICE = 12 };
    struct candidate c[TWICE];
    struct sample s[TWICE] = {0};
    struct measure_options o = split_options(1);
    struct err err = {0};
    struct phases phases;
    double passed = 0;
    if (cpus_usable() < 2)
        return;
    o.force_overlap = true;
    uint64_t hash = 0;
    for (int i = 0; i < TWICE; i++, hash++) {
        while (repeat_draw(o.seed + 1, hash) % 20)
            hash++;
        c[i] = fault_target_candidate(arena, task, BEHAVIOUR_right);
        c[i].hash = hash;
    }
    struct measurer *m = fault_target_begin(&o);
    struct measured_batch b = {.candidates = c, .n = TWICE, .samples = s, .phases = &phases};
    phases_start(&phases);
    ok(m && measure_batch(m, &b, &err) && b.measured == TWICE, "programs that are timed twice are measured %s",
       err.text);
    phases_stop(&phases);
    for (int i = 0; i < TWICE; i++)
        passed += s[i].alone_s > 0 ? s[i].run_s + s[i].spared_s : INFINITY;
    ok(passed < phases.seconds[PHASE_run] * 0.75, "what timing alone took is in the phase of runs, and in no clock");
    measure_close(m);
}

static bool count_one(void *ctx, int i, const struct sample *s)
{
    (void)i, (void)s;
    (*(int *)ctx)++;
    return true;
}

static bool stop_now(void)
{
    return true;
}

/* The first batch that is large enough is measured both ways, and then as if that had not been. */
static void test_choice(void)
{
    enum { FEW = 8, MANY = 40 };
    static struct sample s[MANY];
    static struct candidate c[MANY];
    struct measure_options o = split_options(1);
    struct err err = {0};
    struct phases phases;
    int told = 0, good = 0;
    double cost = 0;
    if (cpus_usable() < 2)
        return;
    for (int i = 0; i < MANY; i++) {
        c[i] = fault_target_candidate(arena, task, BEHAVIOUR_right);
        c[i].hash = (uint64_t)i;
    }
    struct measurer *m = fault_target_begin(&o);
    struct measured_batch b = {.candidates = c, .n = FEW, .samples = s, .done = count_one, .ctx = &told};
    ok(m && measure_batch(m, &b, &err) && !m->chosen && m->beside == m->spare, "few programs choose nothing");
    b = (struct measured_batch){
        .candidates = c, .n = MANY, .samples = s, .done = count_one, .ctx = &told, .phases = &phases};
    phases_start(&phases);
    ok(measure_batch(m, &b, &err) && m->chosen && !m->choosing, "many choose whether builds go on beside runs");
    phases_stop(&phases);
    for (int i = 0; i < MANY; i++) {
        good += s[i].outcome == OUTCOME_OK;
        cost += s[i].run_s + s[i].spared_s;
    }
    is_int(good, MANY, "each program has its sample");
    is_int(told, FEW + MANY, "each program of a choice is handed over once");
    ok(cost < phases.seconds[PHASE_run] / 2, "what the choice took is in the phase of runs, and taken from the clocks");
    measure_close(m);
    o.stopped = stop_now;
    told = 0;
    m = fault_target_begin(&o);
    b = (struct measured_batch){.candidates = c, .n = MANY, .samples = s, .done = count_one, .ctx = &told};
    ok(m && measure_batch(m, &b, &err) && m->beside == m->spare && told == MANY,
       "a choice that is stopped leaves builds beside runs");
    measure_close(m);
}

/* ---- a parent that is killed ---- */

static bool tell_pipe(void *ctx, int i, const struct sample *s)
{
    (void)s;
    const int *to = ctx;
    return write(*to, &i, sizeof i) == sizeof i;
}

static _Noreturn void be_killed(int to, const enum behaviour d[BATCH])
{
    struct measure_options o = options(true, 3600);
    struct measurer *m;
    struct limits limits;
    struct candidate c[BATCH];
    struct sample s[BATCH];
    struct err err = {0};
    candidates(d, BATCH, c);
    struct measured_batch b = {.candidates = c, .n = BATCH, .samples = s, .done = tell_pipe, .ctx = &to};
    if (!measure_open(&o, &m, &limits, &err))
        _exit(1);
    pid_t all[3] = {m->runner.child.pid, m->builders[0].child.pid, m->builders[1].child.pid};
    if (write(to, all, sizeof all) != sizeof all)
        _exit(1);
    _exit(measure_batch(m, &b, &err));
}

/* In the middle of a run that hangs, with builds beside it that hang. What was measured before has been handed over. */
static void test_killed(void)
{
    static const enum behaviour D[BATCH] = {BEHAVIOUR_right, BEHAVIOUR_right,      BEHAVIOUR_hang,
                                            BEHAVIOUR_right, BEHAVIOUR_build_hang, BEHAVIOUR_build_hang};
    int fds[2], done[BATCH] = {-1, -1};
    pid_t all[3] = {0};
    if (pipe(fds))
        bug("no pipe");
    pid_t parent = fork();
    if (parent == 0)
        be_killed(fds[1], D);
    close(fds[1]);
    bool fine = read(fds[0], all, sizeof all) == sizeof all;
    for (int i = 0; i < 2 && fine; i++)
        fine = read(fds[0], &done[i], sizeof done[i]) == sizeof done[i];
    ok(fine && done[0] == 0 && done[1] == 1, "samples come while a later run and later builds go on");
    clock_sleep(0.1);
    kill(parent, SIGKILL);
    waitpid(parent, NULL, 0);
    is_int((int)read(fds[0], done, sizeof done), 0,
           "a parent that is killed has handed over no more than was measured");
    for (int i = 0; i < 3; i++)
        ok(all[i] > 1 && process_gone(all[i]), "%s ends when its parent is killed",
           i ? "a build worker" : "the runner");
    close(fds[0]);
}

/* Where all are built before one runs, those that unroll furthest are begun first: they take longest. */
static void test_order(void)
{
    static const struct step none = {.kind = STEP_AN, .value = 900}, little = {.kind = STEP_PR, .value = 16},
                             much = {.kind = STEP_PR, .value = 512};
    const struct candidate c[4] = {{.steps = &little, .nsteps = 1},
                                   {.steps = &none, .nsteps = 1},
                                   {.steps = &much, .nsteps = 1},
                                   {.steps = &much, .nsteps = 1}};
    struct trial t[4] = {{.c = &c[0]}, {.c = &c[1]}, {.c = &c[2]}, {.c = &c[3]}};
    struct measurer m = {.beside = 0};
    struct builds b;
    int as_given = 0;
    builds_begin(&b, &m, t, 4, 1);
    is_mem(b.order.at, ((int[]){2, 3, 0, 1}), 4 * sizeof(int),
           "programs that may be unrolled furthest are built first");
    ok(b.order.n == 4, "each is given once");
    builds_end(&b);
    m.beside = 1;
    builds_begin(&b, &m, t, 4, 1);
    for (int i = 0; i < 4; i++)
        as_given += b.order.at[i] == i;
    is_int(as_given, 4, "where the first runs while others are built, they are built in order");
    builds_end(&b);
}

int main(void)
{
    task = fixture_task(arena, FAULT_TARGET_SPEC);
    int files = fault_target_open_files();
    meeting = fixture_file("meeting", "");
    test_order();
    test_meeting();
    test_deaths();
    test_equal();
    test_stop();
    test_targets();
    test_cores();
    test_split();
    test_alone();
    test_choice();
    test_killed();
    ok(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "closing the measurer leaves no process");
    is_int(fault_target_open_files(), files, "closing the measurer leaves no descriptor");
    return done_testing();
}
