/* SPDX-License-Identifier: Apache-2.0 */
/* trial: the parent's side of one run: deadlines, time-outs, ends of the runner, and the test against the machine's
 * limits.
 *
 * Clocks: run_s counts load, packing and timing, as TVM's run time does; verifying is booked apart (verify_s) and is in
 * no cost, since TVM does not verify. cost_s = build_s + run_s; when the run timed out or crashed build_s + the
 * time-out, as TVM books it (ansor.md 7.3). */
#include "harness/measure/trial.h"

#include "harness/base/clock.h"
#include "harness/measure/build.h"
#include "harness/measure/task_data.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PREPARE_SECONDS 600.0 /* inputs and references, once per task and runner */
#define PEAK_SECONDS 120.0
#define ROOFLINE_SLACK 0.9
#define DOUBTS 3

bool peaks_ask(struct measurer *m, double *flops, struct err *err)
{
    int kind = -1;
    packet_clear(&m->packet);
    double deadline = clock_now() + PEAK_SECONDS;
    if (channel_send(m->runner.child.fd, MESSAGE_PEAKS, &m->packet, deadline) != CHANNEL_OK ||
        channel_receive(m->runner.child.fd, &kind, &m->packet, deadline) != CHANNEL_OK || kind != MESSAGE_PEAKS) {
        runner_dismiss(m);
        return err_set(err, "the runner ended while it measured the machine's peak");
    }
    double now = packet_get_real(&m->packet);
    if (flops)
        *flops = now;
    m->peak_flops = fmax(m->peak_flops, now);
    m->peak_bandwidth = fmax(m->peak_bandwidth, packet_get_real(&m->packet));
    return true;
}

void runner_dismiss(struct measurer *m)
{
    worker_handle_dismiss(&m->runner, m->fork_server);
}

bool runner_ready(struct measurer *m, struct err *err)
{
    if (worker_handle_alive(&m->runner) && m->runner.jobs >= WORKER_JOBS_MAX)
        runner_dismiss(m);
    if (worker_handle_alive(&m->runner))
        return true;
    m->runner.kind = WORKER_RUN;
    m->runners++;
    return worker_handle_hire(&m->runner, m->fork_server, NULL, err) || err_context(err, "runner");
}

static struct known_task *task_known(struct measurer *m, const struct task *task, struct err *err)
{
    for (int i = 0; i < m->tasks.n; i++)
        if (m->tasks.at[i].hash == task->hash && str_eq(m->tasks.at[i].spec, task->spec))
            return &m->tasks.at[i];
    struct known_task k = {.hash = task->hash};
    if (!build_reference(m, task, &k.reference, err))
        return NULL;
    k.spec = arena_str(m->arena, task->spec);
    vec_push(&m->tasks, k);
    return &vec_last(&m->tasks);
}

/* lend: with the references that an earlier runner computed, if any. */
static bool task_tell(struct measurer *m, struct known_task *k, bool lend, struct err *err)
{
    if (k->told == m->runners)
        return true;
    packet_clear(&m->packet);
    packet_str(&m->packet, k->spec);
    packet_bytes(&m->packet, k->reference.bytes, k->reference.n);
    if (lend)
        reference_cache_read(&m->relay, &k->kept, &m->packet);
    else
        packet_bytes(&m->packet, NULL, 0);
    int kind = -1, fd = m->runner.child.fd;
    double deadline = clock_now() + PREPARE_SECONDS;
    if (channel_send(fd, MESSAGE_TASK, &m->packet, deadline) != CHANNEL_OK ||
        channel_receive(fd, &kind, &m->packet, deadline) != CHANNEL_OK || kind != MESSAGE_TASK) {
        err_set(err, "the runner cannot take task '%s': %s", k->spec,
                kind == MESSAGE_BROKEN ? packet_get_str(&m->packet) : "it has ended");
        runner_dismiss(m);
        return false;
    }
    k->told = m->runners;
    return true;
}

/* Has the runner, which has run no candidate yet, compute the references and keeps them for the next. A runner that
 * cannot is dismissed: the trial itself will say why. */
static void references_keep(struct measurer *m, const struct task *task, struct known_task *k, int64_t points)
{
    int kind = -1, fd = m->runner.child.fd;
    double deadline = clock_now() + PREPARE_SECONDS;
    size_t most = TASK_DATA_RAW_MOST(task_arg_elements(task, task->nargs - 1));
    if (k->kept.n || !reference_cache_room(&m->relay, most))
        return;
    packet_clear(&m->packet);
    packet_str(&m->packet, k->spec);
    packet_int(&m->packet, points);
    if (channel_send(fd, MESSAGE_LEND, &m->packet, deadline) == CHANNEL_OK &&
        channel_receive(fd, &kind, &m->packet, deadline) == CHANNEL_OK && kind == MESSAGE_LEND)
        reference_cache_keep(&m->relay, &m->packet, &k->kept);
    else
        runner_dismiss(m);
}

/* A runner that knows the task of the trial. What was handed over was long: the packet gives its memory back. */
static bool runner_told(struct measurer *m, const struct trial *t, const struct regime *regime, struct err *err)
{
    struct known_task *k = task_known(m, t->c->task, err);
    if (!k || !runner_ready(m, err) || !task_tell(m, k, t->is_fresh && regime->verify, err))
        return false;
    if (!t->is_fresh || !regime->verify)
        return true;
    references_keep(m, t->c->task, k, regime->verify_points);
    packet_free(&m->packet);
    return runner_ready(m, err) && task_tell(m, k, true, err);
}

static void sample_read(struct packet *p, struct sample *s)
{
    size_t n;
    s->outcome = (enum outcome)packet_get_int(p);
    snprintf(s->message, SAMPLE_MESSAGE, "%.199s", packet_get_str(p));
    s->run_s = packet_get_real(p);
    s->verify_s = packet_get_real(p);
    const void *seconds = packet_get_bytes(p, &n);
    s->nseconds = (int)(n / sizeof *s->seconds);
    if (s->nseconds > SAMPLE_REPEATS)
        s->nseconds = SAMPLE_REPEATS;
    if (s->nseconds)
        memcpy(s->seconds, seconds, sizeof *s->seconds * (size_t)s->nseconds);
}

/* One conversation with the runner about one trial. */
struct watch {
    struct measurer *m;
    struct trial *t;
    const struct regime *regime;
    struct phases *phases;
    enum message kind; /* MESSAGE_RUN or MESSAGE_COUNT */
    enum stretch now;
    double since, run_s, verify_s, deadline;
};

static void watch_enter(struct watch *w, enum stretch next)
{
    double now = clock_now(), span = now - w->since;
    if (w->now == STRETCH_RUN)
        w->run_s += span;
    else if (w->now == STRETCH_VERIFY)
        w->verify_s += span;
    w->now = next;
    w->since = now;
    double left = next == STRETCH_PREPARE ? PREPARE_SECONDS : w->regime->run_timeout_s;
    if (next == STRETCH_RUN)
        left -= w->run_s; /* the time-out is for the run as a whole */
    w->deadline = now + left;
    phases_enter(w->phases, next == STRETCH_RUN ? PHASE_run : PHASE_verify);
}

static bool runner_late(struct watch *w, struct err *err)
{
    struct sample *s = w->t->s;
    bool preparing = w->now == STRETCH_PREPARE, verifying = w->now == STRETCH_VERIFY;
    watch_enter(w, w->now);
    runner_dismiss(w->m);
    if (preparing)
        return err_set(err, "reference of '%s': not computed within %g s", w->t->c->task->spec, PREPARE_SECONDS);
    s->outcome = OUTCOME_RUN_TIMEOUT;
    snprintf(s->message, SAMPLE_MESSAGE, "no result within %g s%s", w->regime->run_timeout_s,
             verifying ? " of the checked call" : "");
    return true;
}

static bool runner_died(struct watch *w, struct err *err)
{
    struct sample *s = w->t->s;
    struct obituary o;
    watch_enter(w, w->now);
    worker_handle_bury(&w->m->runner, w->m->fork_server, &o);
    if (w->now == STRETCH_PREPARE)
        return err_set(err, "reference of '%s': the runner was %s", w->t->c->task->spec, o.text);
    s->outcome = o.out_of_memory ? OUTCOME_OUT_OF_MEMORY : OUTCOME_CRASHED;
    memcpy(s->message, o.text, sizeof s->message);
    return true;
}

static bool runner_listen(struct watch *w, struct err *err)
{
    struct measurer *m = w->m;
    for (;;) {
        int kind = -1;
        enum channel_status status = channel_receive(m->runner.child.fd, &kind, &m->packet, w->deadline);
        if (status == CHANNEL_OK && kind == MESSAGE_NOTE) {
            watch_enter(w, (enum stretch)packet_get_int(&m->packet));
            continue;
        }
        if (status == CHANNEL_OK && kind == (int)w->kind) {
            sample_read(&m->packet, w->t->s);
            return true;
        }
        if (status == CHANNEL_OK) {
            err_set(err, "%s", kind == MESSAGE_BROKEN ? packet_get_str(&m->packet) : "the runner answers nonsense");
            runner_dismiss(m);
            return false;
        }
        bool known = status == CHANNEL_LATE ? runner_late(w, err) : runner_died(w, err);
        w->t->s->run_s = w->run_s;
        w->t->s->verify_s = w->verify_s;
        return known;
    }
}

static bool ask_runner(struct measurer *m, enum message kind, struct trial *t, const struct regime *regime,
                       struct phases *phases, struct err *err)
{
    if (!runner_told(m, t, regime, err))
        return false;
    build_request(m, t);
    packet_bytes(&m->packet, t->object.bytes, t->object.n);
    packet_int(&m->packet, fault_is_build(t->fault) ? FAULT_none : t->fault);
    packet_bytes(&m->packet, regime, sizeof *regime);
    m->runner.jobs++;
    struct watch w = {.m = m, .t = t, .regime = regime, .phases = phases, .kind = kind, .since = clock_now()};
    enum phase before = phases_enter(phases, PHASE_verify);
    watch_enter(&w, STRETCH_PREPARE);
    bool sent = channel_send(m->runner.child.fd, (int)kind, &m->packet, clock_now() + PREPARE_SECONDS) == CHANNEL_OK;
    bool ok = sent ? runner_listen(&w, err) : runner_died(&w, err);
    phases_enter(phases, before);
    return ok;
}

static bool run_once(struct measurer *m, struct trial *t, const struct regime *regime, struct phases *phases,
                     struct err *err)
{
    return ask_runner(m, MESSAGE_RUN, t, regime, phases, err);
}

bool trial_count(struct measurer *m, struct trial *t, const struct regime *regime, struct counter *out, int most,
                 int *n, struct err *err)
{
    *n = 0;
    if (!ask_runner(m, MESSAGE_COUNT, t, regime, NULL, err))
        return false;
    if (t->s->outcome != OUTCOME_OK)
        return true;
    size_t bytes;
    const void *counters = packet_get_bytes(&m->packet, &bytes); /* they follow the sample */
    *n = (int)(bytes / sizeof *out);
    if (*n > most)
        *n = most;
    if (counters)
        memcpy(out, counters, sizeof *out * (size_t)*n);
    return true;
}

/* Least seconds a call can take: its arithmetic at the measured peak, and the bytes it must touch (the whole output and
 * all weights; data may be skipped by strides) at the measured bandwidth. */
static double roofline(const struct measurer *m, const struct task *t)
{
    double bytes = 0, least = 0;
    for (int i = 0; i < t->nargs; i++)
        if (i + 1 == t->nargs || t->is_weight[i])
            bytes += (double)task_arg_elements(t, i) * dtype_bytes(task_arg_op(t, i)->dtype);
    if (m->peak_flops > 0 && t->flops > 0)
        least = t->flops / m->peak_flops;
    if (m->peak_bandwidth > 0)
        least = fmax(least, bytes / m->peak_bandwidth);
    return ROOFLINE_SLACK * least;
}

static bool too_fast(const struct measurer *m, const struct trial *t)
{
    return t->s->outcome == OUTCOME_OK && sample_mean(t->s) < roofline(m, t->c->task);
}

/* A result no machine can give is measured again in a fresh process, and the peaks before and after it, since they may
 * have been measured while others used the machine (on shared hosts both change within seconds, so this is done more
 * than once); only what stays impossible is called wrong. */
static bool doubt(struct measurer *m, struct trial *t, const struct regime *regime, struct phases *phases,
                  struct err *err)
{
    double run_s = 0, verify_s = 0;
    for (int i = 0; i < DOUBTS && too_fast(m, t); i++) {
        run_s += t->s->run_s;
        verify_s += t->s->verify_s;
        runner_dismiss(m);
        if (!runner_ready(m, err) || !peaks_ask(m, NULL, err) || !run_once(m, t, regime, phases, err) ||
            !runner_ready(m, err) || !peaks_ask(m, NULL, err))
            return false;
    }
    t->s->run_s += run_s;
    t->s->verify_s += verify_s;
    if (!too_fast(m, t))
        return true;
    snprintf(t->s->message, SAMPLE_MESSAGE,
             "faster than the machine allows: %.4g s, at least %.4g s at %.4g FLOP/s and %.4g B/s", sample_mean(t->s),
             roofline(m, t->c->task), m->peak_flops, m->peak_bandwidth);
    t->s->outcome = OUTCOME_WRONG_ANSWER;
    return true;
}

bool trial_run(struct measurer *m, struct trial *t, const struct regime *regime, struct phases *phases, struct err *err)
{
    struct sample *s = t->s;
    if (!m->peaks_asked && regime->verify) {
        m->peaks_asked = true;
        enum phase before = phases_enter(phases, PHASE_verify);
        bool ok = runner_ready(m, err) && peaks_ask(m, NULL, err);
        phases_enter(phases, before);
        if (!ok)
            return false;
    }
    if (!run_once(m, t, regime, phases, err) || (regime->verify && too_fast(m, t) && !doubt(m, t, regime, phases, err)))
        return false;
    bool timeout_booked = outcome_tvm(s->outcome) == 4 || s->outcome == OUTCOME_RUN_TIMEOUT;
    s->cost_s = s->build_s + (timeout_booked ? regime->run_timeout_s : s->run_s);
    if (s->outcome != OUTCOME_OK)
        s->nseconds = 0;
    return true;
}
