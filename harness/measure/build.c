/* SPDX-License-Identifier: Apache-2.0 */
/* build: idle workers get the candidates of a batch one by one, until none is left. */
#include "harness/measure/build.h"

#include "harness/base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REFERENCE_SECONDS 300.0

struct builder_job {     /* what a worker is building */
    struct trial *trial; /* NULL: idle */
    double start;
};

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

static bool builder_ready(struct measurer *m, struct worker_handle *b, struct err *err)
{
    if (worker_handle_fit(b))
        return true;
    worker_handle_stop(b, m->fork_server);
    b->kind = WORKER_BUILD;
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

/* The worker's socket can be read: an answer comes, or it has closed. */
static bool builder_finish(struct measurer *m, struct worker_handle *b, struct builder_job *job, double deadline,
                           struct err *err)
{
    int kind = -1;
    enum channel_status status = worker_handle_answer(b, &kind, &m->packet, deadline);
    bool ok = true;
    if (status == CHANNEL_OK)
        ok = builder_answered(m, job->trial, kind, err);
    else
        builder_failed(m, b, job);
    job->trial = NULL;
    return ok;
}

static void builder_late(struct measurer *m, struct worker_handle *b, struct builder_job *job, double timeout)
{
    struct sample *s = job->trial->s;
    worker_handle_stop(b, m->fork_server);
    s->outcome = OUTCOME_BUILD_TIMEOUT;
    s->build_s = timeout; /* as TVM books it */
    snprintf(s->message, SAMPLE_MESSAGE, "not built within %g s", timeout);
    job->trial = NULL;
}

static bool builder_give(struct measurer *m, struct worker_handle *b, struct builder_job *job, struct trial *t,
                         struct err *err)
{
    if (!builder_ready(m, b, err))
        return false;
    build_request(m, t);
    packet_int(&m->packet, fault_is_build(t->fault) ? t->fault : FAULT_none);
    *job = (struct builder_job){.trial = t, .start = clock_now()};
    b->jobs++;
    if (worker_handle_ask(b, MESSAGE_BUILD, &m->packet, job->start + 60) != CHANNEL_OK) {
        builder_failed(m, b, job);
        job->trial = NULL;
    }
    return true;
}

/* Waits until the first of the busy workers has answered, has ended or is late. */
static bool builders_wait(struct measurer *m, struct builder_job *jobs, double timeout, struct err *err)
{
    int fds[2 * MOST_BUILDERS], oldest = -1, n = m->nbuilders; /* the sockets, then the ends */
    for (int i = 0; i < n; i++) {
        fds[i] = jobs[i].trial ? m->builders[i].child.fd : -1;
        fds[n + i] = jobs[i].trial ? m->builders[i].child.end : -1;
        if (jobs[i].trial && (oldest < 0 || jobs[i].start < jobs[oldest].start))
            oldest = i;
    }
    double deadline = jobs[oldest].start + timeout;
    int ready = channel_wait(fds, 2 * n, deadline);
    if (ready >= 0)
        return builder_finish(m, &m->builders[ready % n], &jobs[ready % n], clock_now() + 60, err);
    builder_late(m, &m->builders[oldest], &jobs[oldest], timeout);
    return true;
}

bool build_all(struct measurer *m, struct trial *t, int n, double timeout, struct err *err)
{
    struct builder_job jobs[MOST_BUILDERS] = {0};
    int given = 0, busy = 0;
    bool ok = true;
    while (ok && (given < n || busy > 0)) {
        for (int i = 0; i < m->nbuilders && given < n && ok; i++)
            if (!jobs[i].trial)
                ok = builder_give(m, &m->builders[i], &jobs[i], &t[given++], err);
        busy = 0;
        for (int i = 0; i < m->nbuilders; i++)
            busy += jobs[i].trial != NULL;
        if (ok && busy)
            ok = builders_wait(m, jobs, timeout, err);
        for (int i = busy = 0; i < m->nbuilders; i++)
            busy += jobs[i].trial != NULL;
    }
    for (int i = 0; i < m->nbuilders && !ok; i++) /* their builds are of no use any more */
        if (jobs[i].trial)
            worker_handle_stop(&m->builders[i], m->fork_server);
    return ok;
}

bool build_reference(struct measurer *m, const struct task *task, struct blob *out, struct err *err)
{
    struct worker_handle *b = &m->builders[0];
    *out = (struct blob){0};
    if (!m->o.target->reference)
        return true;
    if (!builder_ready(m, b, err))
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
