/* SPDX-License-Identifier: Apache-2.0 */
/* build: idle workers get the candidates of a batch one by one, until none is left. Never more than twice as many as
 * there are workers are built beyond the trial that is wanted next, so that code does not pile up in memory. */
#include "harness/measure/build.h"

#include "harness/base/clock.h"
#include "harness/base/log.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REFERENCE_SECONDS 300.0
#define SEND_SECONDS 60.0

void build_request(struct measurer *m, const struct trial *t)
{
    struct text steps = {0};
    steps_print(t->c->steps, t->c->nsteps, &steps);
    packet_clear(&m->packet);
    packet_str(&m->packet, t->c->task->spec);
    packet_bytes(&m->packet, text_str(&steps), steps.len);
    packet_int(&m->packet, (int64_t)t->c->hash);
    text_free(&steps);
}

enum worker_kind builder_kind(const struct measurer *m, int i)
{
    return m->splits && i < m->spare ? WORKER_BESIDE : WORKER_BUILD;
}

static bool builder_ready(struct measurer *m, struct worker_handle *b, struct err *err)
{
    if (worker_handle_fit(b))
        return true;
    worker_handle_stop(b, m->fork_server);
    b->kind = builder_kind(m, (int)(b - m->builders));
    return worker_handle_start(b, m->fork_server, NULL, err) || err_context(err, "build worker");
}

static void builder_failed(struct measurer *m, struct worker_handle *b, struct builder_job *job)
{
    struct worker_end end;
    struct sample *s = job->trial->s;
    worker_handle_collect(b, m->fork_server, &end);
    s->outcome = end.out_of_memory ? OUTCOME_OUT_OF_MEMORY : OUTCOME_BUILD_FAILED;
    s->build_s = clock_now() - job->start;
    memcpy(s->message, end.text, sizeof s->message);
}

static bool builder_answered(struct measurer *m, struct trial *t, int kind, struct err *err)
{
    struct packet *p = &m->packet;
    if (kind == MESSAGE_BROKEN)
        return err_set(err, "%s", packet_get_str(p));
    size_t n;
    t->s->outcome = (enum outcome)packet_get_int(p);
    snprintf(t->s->message, SAMPLE_MESSAGE, "%.199s", packet_get_str(p));
    t->s->build_s = packet_get_real(p);
    t->s->cached_s = packet_get_real(p);
    const char *trouble = packet_get_str(p);
    if (*trouble && !m->objects_troubled)
        log_warn("%s: what can't be kept is built again", trouble);
    m->objects_troubled |= *trouble != 0;
    const void *object = packet_get_bytes(p, &n);
    if (t->s->outcome != OUTCOME_OK)
        return true;
    t->object = (struct blob){.bytes = malloc(n ? n : 1), .n = n};
    if (!t->object.bytes)
        return err_set(err, "out of memory for object code");
    if (n)
        memcpy(t->object.bytes, object, n);
    return true;
}

/* What became of the build in a worker is known: the worker is idle. */
static void builder_done(struct builds *b, int worker)
{
    struct builder_job *job = &b->jobs[worker];
    job->trial->is_built = true;
    job->trial = NULL;
    b->busy--;
    while (b->built < b->n && b->trials[b->built].is_built)
        b->built++;
}

/* The worker's socket can be read: an answer comes, or it has closed. */
static bool builder_finish(struct builds *b, int worker, struct err *err)
{
    int kind = -1;
    bool ok = true;
    struct worker_handle *w = &b->m->builders[worker];
    if (worker_handle_answer(w, &kind, &b->m->packet, clock_now() + SEND_SECONDS) == CHANNEL_OK)
        ok = builder_answered(b->m, b->jobs[worker].trial, kind, err);
    else
        builder_failed(b->m, w, &b->jobs[worker]);
    builder_done(b, worker);
    return ok;
}

static void builder_late(struct builds *b, int worker)
{
    struct sample *s = b->jobs[worker].trial->s;
    worker_handle_stop(&b->m->builders[worker], b->m->fork_server);
    s->outcome = OUTCOME_BUILD_TIMEOUT;
    s->build_s = b->timeout; /* as TVM books it */
    snprintf(s->message, SAMPLE_MESSAGE, "not built within %g s", b->timeout);
    builder_done(b, worker);
}

static bool builder_give(struct builds *b, int worker, struct err *err)
{
    struct measurer *m = b->m;
    struct worker_handle *w = &m->builders[worker];
    if (!builder_ready(m, w, err))
        return false;
    struct trial *t = &b->trials[b->order.at[b->given++]];
    build_request(m, t);
    packet_int(&m->packet, fault_is_build(t->fault) ? t->fault : FAULT_none);
    packet_int(&m->packet, m->choosing);
    b->jobs[worker] = (struct builder_job){.trial = t, .start = clock_now()};
    b->busy++;
    w->jobs++;
    if (worker_handle_ask(w, MESSAGE_BUILD, &m->packet, clock_now() + SEND_SECONDS) != CHANNEL_OK) {
        builder_failed(m, w, &b->jobs[worker]);
        builder_done(b, worker);
    }
    return true;
}

/* ---- a batch ---- */

static int64_t unrolled(const struct candidate *c)
{
    int64_t most = 0;
    for (int i = 0; i < c->nsteps; i++)
        if (c->steps[i].kind == STEP_PR && c->steps[i].value > most)
            most = c->steps[i].value;
    return most;
}

void builds_begin(struct builds *b, struct measurer *m, struct trial *t, int n, double timeout)
{
    *b = (struct builds){.m = m, .trials = t, .n = n, .timeout = timeout};
    for (int i = 0; i < n; i++) {
        int at = i;
        vec_push(&b->order, i);
        for (; !m->beside && at > 0 && unrolled(t[i].c) > unrolled(t[b->order.at[at - 1]].c); at--)
            b->order.at[at] = b->order.at[at - 1];
        b->order.at[at] = i;
    }
    m->builds = b;
}

/* Until `most` workers are busy; where the runner has cores of its own, of the first `most`. may_start: workers that
 * are gone or worn out, too. */
static bool builds_give(struct builds *b, int most, bool may_start, struct err *err)
{
    struct measurer *m = b->m;
    int ahead = b->wanted + 1 + 2 * m->nbuilders, last = ahead < b->n ? ahead : b->n;
    for (int i = 0; i < (m->splits ? most : m->nbuilders) && b->busy < most && b->given < last; i++)
        if (!b->jobs[i].trial && (may_start || worker_handle_fit(&m->builders[i])) && !builder_give(b, i, err))
            return false;
    return true;
}

enum awaited { AWAITED_BUILD, AWAITED_RUNNER, AWAITED_BROKEN };

/* Waits until the first of the busy workers has answered, has ended or is late; or for the runner (NULL: there is none)
 * or the deadline, if that comes first. */
static enum awaited builds_wait(struct builds *b, const struct worker_handle *runner, double deadline, struct err *err)
{
    int fds[2 + 2 * MOST_BUILDERS], oldest = -1, n = b->m->nbuilders; /* the runner's, the sockets, the ends */
    fds[0] = runner ? runner->child.fd : -1;
    fds[1] = runner ? runner->child.end : -1;
    for (int i = 0; i < n; i++) {
        fds[2 + i] = b->jobs[i].trial ? b->m->builders[i].child.fd : -1;
        fds[2 + n + i] = b->jobs[i].trial ? b->m->builders[i].child.end : -1;
        if (b->jobs[i].trial && (oldest < 0 || b->jobs[i].start < b->jobs[oldest].start))
            oldest = i;
    }
    double late = oldest < 0 ? CHANNEL_FOREVER : b->jobs[oldest].start + b->timeout;
    int ready = channel_wait(fds, 2 + 2 * n, fmin(late, deadline));
    if (ready >= 2)
        return builder_finish(b, (ready - 2) % n, err) ? AWAITED_BUILD : AWAITED_BROKEN;
    if (ready >= 0 || deadline < late)
        return AWAITED_RUNNER;
    builder_late(b, oldest);
    return AWAITED_BUILD;
}

/* Starts what is gone or worn out, for the builds to come beside runs, where nothing is started. */
static bool builders_revive(struct builds *b, struct err *err)
{
    bool ok = true;
    for (int i = 0; b->m->beside && i < b->m->nbuilders && b->given < b->n && ok; i++)
        ok = b->jobs[i].trial || builder_ready(b->m, &b->m->builders[i], err);
    return ok;
}

/* Is a build under way on the cores of the runner? */
static bool runner_shares(const struct builds *b)
{
    bool busy = false;
    for (int i = b->m->spare; i < b->m->nbuilders && b->m->splits; i++)
        busy |= b->jobs[i].trial != NULL;
    return busy;
}

/* Whoever built the last one is idle in the end, so that a reference that the run needs has a worker. */
bool builds_until(struct builds *b, int i, struct err *err)
{
    b->wanted = i > b->wanted ? i : b->wanted;
    if (b->broken) {
        *err = b->why;
        return false;
    }
    while (b->built <= i || runner_shares(b))
        if (!builds_give(b, b->built <= i ? b->m->nbuilders : b->m->beside, true, err) ||
            (b->busy && builds_wait(b, NULL, CHANNEL_FOREVER, err) != AWAITED_BUILD))
            return false;
    return builders_revive(b, err);
}

bool builds_pause(struct builds *b, struct err *err)
{
    while (b->busy)
        if (builds_wait(b, NULL, CHANNEL_FOREVER, err) != AWAITED_BUILD)
            return false;
    b->m->builds = NULL;
    return true;
}

void builds_beside(struct measurer *m, const struct worker_handle *runner, double deadline)
{
    struct builds *b = m->builds;
    enum awaited what = b && !b->broken ? AWAITED_BUILD : AWAITED_RUNNER;
    while (what == AWAITED_BUILD) {
        bool fine = builds_give(b, m->beside, false, &b->why);
        what = !fine ? AWAITED_BROKEN : b->busy ? builds_wait(b, runner, deadline, &b->why) : AWAITED_RUNNER;
        b->broken = what == AWAITED_BROKEN;
    }
}

void builds_end(struct builds *b)
{
    for (int i = 0; i < b->m->nbuilders && b->busy; i++)
        if (b->jobs[i].trial)
            worker_handle_stop(&b->m->builders[i], b->m->fork_server);
    vec_free(&b->order);
    b->m->builds = NULL;
}

bool build_all(struct measurer *m, struct trial *t, int n, double timeout, struct err *err)
{
    struct builds b;
    builds_begin(&b, m, t, n, timeout);
    bool ok = n == 0 || builds_until(&b, n - 1, err);
    builds_end(&b);
    return ok;
}

/* ---- references ---- */

static struct worker_handle *builder_idle(struct measurer *m, struct err *err)
{
    struct builds *b = m->builds;
    for (;;) {
        for (int i = 0; i < m->nbuilders; i++)
            if (!b || !b->jobs[i].trial)
                return builder_ready(m, &m->builders[i], err) ? &m->builders[i] : NULL;
        if (builds_wait(b, NULL, CHANNEL_FOREVER, err) != AWAITED_BUILD)
            return NULL;
    }
}

bool build_reference(struct measurer *m, const struct task *task, struct blob *out, struct err *err)
{
    *out = (struct blob){0};
    if (!m->o.target->reference)
        return true;
    struct worker_handle *b = builder_idle(m, err);
    if (!b)
        return false;
    packet_clear(&m->packet);
    packet_str(&m->packet, task->spec);
    double deadline = clock_now() + REFERENCE_SECONDS;
    int kind = -1;
    enum channel_status status = worker_handle_ask(b, MESSAGE_REFERENCE, &m->packet, deadline);
    if (status == CHANNEL_OK)
        status = worker_handle_answer(b, &kind, &m->packet, deadline);
    if (status == CHANNEL_LATE) {
        worker_handle_stop(b, m->fork_server);
        return err_set(err, "reference of '%s': not built within %g s", task->spec, REFERENCE_SECONDS);
    }
    if (status != CHANNEL_OK) {
        struct worker_end end;
        worker_handle_collect(b, m->fork_server, &end);
        err->code = EXIT_INTERNAL; /* another worker may do better */
        return err_set(err, "reference of '%s': %s", task->spec, end.text);
    }
    if (kind == MESSAGE_BROKEN)
        return err_set(err, "%s", packet_get_str(&m->packet));
    enum outcome outcome = (enum outcome)packet_get_int(&m->packet);
    const char *message = packet_get_str(&m->packet);
    if (outcome != OUTCOME_OK)
        return err_set(err, "reference of '%s': %s: %s", task->spec, outcome_word(outcome), message);
    size_t n;
    const void *object = packet_get_bytes(&m->packet, &n);
    *out = (struct blob){.bytes = n ? arena_copy(m->arena, object, n) : NULL, .n = n};
    return true;
}
