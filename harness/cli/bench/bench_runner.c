/* SPDX-License-Identifier: Apache-2.0 */
/* bench_runner: what the runner costs a trial beyond the calls of its program. A program of a few microseconds, called
 * once and not verified: what its run takes is loading its code, its buffers and the messages. In a new process it
 * takes the start of that process, too. */
#include "harness/base/clock.h"
#include "harness/cli/bench/gauges.h"

enum { PASSES = 50 };

/* out[0]: ms of a run in a runner that is up; out[1]: ms that starting one takes more. */
static bool clock_runs(struct bench_env *b, struct measurer *m, const struct regime *r, const struct candidate *c,
                       struct reading out[READINGS], struct err *err)
{
    for (int i = 0; i < PASSES; i++) {
        struct sample up, fresh;
        struct measured_batch batch = {.candidates = c, .n = 1, .samples = &up};
        if (!measure_batch(m, &batch, err))
            return false;
        double start = clock_now();
        if (!measure_again(m, c, r, &fresh, err))
            return false;
        double took = clock_now() - start;
        if (up.outcome != OUTCOME_OK || fresh.outcome != OUTCOME_OK)
            return err_set(err, "a program of '%s' did not run: %s%s", c->task->spec, up.message, fresh.message);
        if (i == 0)
            continue;
        reading_add(&out[0], 1e3 * (up.run_s - up.seconds[0]));
        reading_add(&out[1], 1e3 * (took - fresh.build_s - fresh.run_s));
    }
    out[0].about = arena_printf(b->arena, "load, buffers and messages of one program of %s", c->task->name);
    out[1].about = "a new process for it, over the fork server, with the target's threads";
    return true;
}

bool bench_runner(struct bench_env *b, int which, struct reading out[READINGS], struct err *err)
{
    struct measure_options o;
    struct measurer *m;
    struct limits limits;
    struct task *task;
    struct candidate c = {.score = 0};
    (void)which;
    if (!gauge_measure(b, "cpu", "tvmc", &o, err) || !task_parse(b->arena, "dense n=1 ci=64 co=64", &task, err))
        return false;
    c.task = task;
    o.regime.number = o.regime.repeat = 1;
    o.regime.verify = false;
    if (!measure_open(&o, &m, &limits, err))
        return false;
    bool fine = clock_runs(b, m, &o.regime, &c, out, err);
    measure_close(m);
    return fine;
}
