/* SPDX-License-Identifier: Apache-2.0 */
/* sliced_run: the measurer knows one runner. Here it has several, of which the one that is spoken to is put in its
 * place. Between two slices there is a pause, in which the threads of the kernel before fall asleep: they spin for a
 * while after each loop (targets/cpu/parallel.c). */
#include "harness/measure/sliced_run.h"

#include "harness/base/clock.h"
#include "harness/base/hash.h"
#include "harness/measure/build.h"
#include "harness/measure/repeat.h"
#include "harness/measure/trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SETTLE_S 0.003 /* three times as long as the team of target cpu spins */

struct held { /* a program of a launch */
    struct trial t;
    struct run_request request;
    struct worker_handle runner;
};
static const struct worker_handle NO_RUNNER = {.kind = WORKER_RUN, .child = {.fd = -1, .end = -1, .log = -1}};

static bool waits(const struct held *h)
{
    return worker_handle_alive(&h->runner) && h->request.now == PART_WAIT;
}

/* Does one thing with the runner of a program. */
static bool with_runner(struct held *h, bool (*act)(struct run_request *, struct err *), struct err *err)
{
    struct measurer *m = h->request.m;
    m->runner = h->runner;
    bool ok = act(&h->request, err);
    h->runner = m->runner;
    m->runner = NO_RUNNER;
    return ok;
}

/* In the order of their first slices, which is random. */
static bool hold_all(struct held *held, const struct sliced_run *r, struct err *err)
{
    bool ok = true;
    for (int i = 0; i < r->nturns && ok; i++) {
        struct held *h = &held[r->turns[i]];
        if (h->request.m || h->t.s->outcome != OUTCOME_OK)
            continue;
        const struct sliced_program *p = &r->programs[r->turns[i]];
        h->request = (struct run_request){.m = p->m, .t = &h->t, .regime = r->regime, .slow = p->slow};
        ok = with_runner(h, trial_hold, err);
    }
    return ok;
}

static bool take_turns(struct held *held, const struct sliced_run *r, struct err *err)
{
    bool ok = true;
    for (int i = 0; i < r->nturns && ok; i++) {
        struct held *h = &held[r->turns[i]];
        if (!waits(h))
            continue;
        clock_sleep(SETTLE_S);
        ok = with_runner(h, trial_slice, err);
    }
    for (int i = 0; i < r->n && ok; i++)
        if (waits(&held[i]))
            ok = with_runner(&held[i], trial_finish, err);
    return ok;
}

/* What is faster than the machine is none of a program's doing that is to be believed. */
static bool end_all(struct held *held, const struct sliced_run *r, struct err *err)
{
    bool ok = true;
    for (int i = 0; i < r->n; i++)
        worker_handle_stop(&held[i].runner, r->programs[i].m->fork_server);
    for (int i = 0; i < r->n && ok; i++) {
        struct sample *s = held[i].t.s;
        ok = !r->regime->verify || trial_possible(r->programs[i].m, &held[i].t, err);
        s->cost_s = s->build_s + s->cached_s + s->run_s;
        if (s->outcome != OUTCOME_OK)
            s->nseconds = 0;
    }
    return ok;
}

/* Builds what stands side by side with one measurer together, and stops the measurers' runners. */
static bool build_held(const struct sliced_run *r, struct trial *trials, struct err *err)
{
    bool ok = true;
    for (int i = 0, end; ok && i < r->n; i = end) {
        struct measurer *m = r->programs[i].m;
        for (end = i + 1; end < r->n && r->programs[end].m == m;)
            end++;
        ok = build_all(m, trials + i, end - i, r->regime->build_timeout_s, err) && trial_peaks(m, r->regime, NULL, err);
        runner_stop(m);
    }
    return ok;
}

static bool run_real(struct sliced_run *r, struct err *err)
{
    struct held *held = calloc((size_t)r->n, sizeof *held);
    struct trial *trials = calloc((size_t)r->n, sizeof *trials);
    bool ok = (held && trials) || err_set(err, "out of memory");
    for (int i = 0; i < r->n && ok; i++)
        trials[i] = (struct trial){.c = r->programs[i].c, .s = &r->programs[i].sample, .is_fresh = true};
    ok = ok && build_held(r, trials, err);
    if (ok) {
        for (int i = 0; i < r->n; i++)
            held[i] = (struct held){.t = trials[i], .runner = NO_RUNNER};
        ok = hold_all(held, r, err) && take_turns(held, r, err);
        ok = end_all(held, r, ok ? err : &(struct err){0}) && ok;
    }
    for (int i = 0; trials && i < r->n; i++)
        free(trials[i].object.bytes);
    free(trials);
    free(held);
    return ok;
}

/* ---- virtual targets ---- */

enum outcome virtual_call(void *ctx, int number, double *seconds, char message[SAMPLE_MESSAGE])
{
    struct virtual_call *v = ctx;
    enum outcome o = v->m->o.target->run(v->m->self, v->kernel, NULL, number, seconds, message);
    *seconds *= 1 + v->slow;
    v->total += *seconds;
    return o;
}

void virtual_load(struct measurer *m, const struct candidate *c, struct sample *s, void **kernel)
{
    const struct target *t = m->o.target;
    struct blob object = {0};
    s->outcome = t->build(m->self, c, &object, s->message);
    s->answer = t->answered ? t->answered(m->self) : ANSWER_NONE;
    if (s->outcome == OUTCOME_OK)
        s->outcome = t->load(m->self, c, &object, kernel, s->message);
    free(object.bytes);
}

static void virtual_slice(const struct regime *regime, struct sliced_program *p, void *kernel)
{
    struct virtual_call v = {.m = p->m, .kernel = kernel, .slow = p->slow};
    struct repeat timing = {.call = virtual_call, .ctx = &v};
    struct sample one = {0};
    p->sample.outcome = repeat_time(regime, &timing, &one);
    memcpy(p->sample.message, one.message, sizeof one.message);
    if (p->sample.outcome == OUTCOME_OK && p->sample.nseconds < SAMPLE_REPEATS)
        p->sample.seconds[p->sample.nseconds++] = one.seconds[0];
    p->sample.run_s += v.total;
}

static void run_virtual(struct sliced_run *r)
{
    void *kernels[SLICED_RUN_MOST] = {NULL};
    for (int i = 0; i < r->n; i++) {
        struct measurer *m = r->programs[i].m;
        m->env.process = hash_mix(r->process, (uint64_t)i + 1);
        virtual_load(m, r->programs[i].c, &r->programs[i].sample, &kernels[i]);
        m->env.process = 0;
    }
    for (int i = 0; i < r->nturns; i++)
        if (r->programs[r->turns[i]].sample.outcome == OUTCOME_OK)
            virtual_slice(r->regime, &r->programs[r->turns[i]], kernels[r->turns[i]]);
    for (int i = 0; i < r->n; i++) {
        struct sample *s = &r->programs[i].sample;
        const struct measurer *m = r->programs[i].m;
        if (kernels[i])
            m->o.target->drop(m->self, kernels[i]);
        s->cost_s = s->run_s;
        sample_settle(s);
    }
}

bool sliced_run_take(struct measurer *m, struct sliced_run *r, struct err *err)
{
    for (int i = 0; i < r->n; i++)
        r->programs[i].sample = (struct sample){.model_score = r->programs[i].c->score};
    for (int i = 0; i < r->n; i++)
        r->programs[i].m = r->programs[i].m ? r->programs[i].m : m;
    if (!m->self)
        return run_real(r, err);
    run_virtual(r);
    return true;
}
