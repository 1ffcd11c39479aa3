/* SPDX-License-Identifier: Apache-2.0 */
/* trial: the parent's side of one run: deadlines, time-outs, ends of the runner, and the test against the machine's
 * limits.
 *
 * Clocks: run_s counts load, packing and timing, as TVM's run time does. Verifying is booked apart (verify_s) and is in
 * no cost, since TVM does not verify. cost_s = build_s + cached_s + run_s. If the run timed out or crashed, the
 * time-out stands for run_s, as TVM books it (harness/doc/measurement.md, "Build and run"). */
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
#define RECHECKS 3
enum { PREPARE_TRIES = 3 };

void runner_stop(struct measurer *m)
{
    worker_handle_stop(&m->runner, m->fork_server);
}

bool runner_ready(struct measurer *m, struct err *err)
{
    if (worker_handle_fit(&m->runner))
        return true;
    runner_stop(m);
    m->runner.kind = WORKER_RUN;
    m->runners++;
    return worker_handle_start(&m->runner, m->fork_server, NULL, err) || err_context(err, "runner");
}

static bool peaks_ask_once(struct measurer *m, double *flops, struct err *err)
{
    int kind = -1;
    packet_clear(&m->packet);
    double deadline = clock_now() + PEAK_SECONDS;
    if (worker_handle_ask(&m->runner, MESSAGE_PEAKS, &m->packet, deadline) != CHANNEL_OK ||
        worker_handle_answer(&m->runner, &kind, &m->packet, deadline) != CHANNEL_OK || kind != MESSAGE_PEAKS) {
        runner_stop(m);
        err->code = EXIT_INTERNAL;
        return err_set(err, "the runner ended while it measured the machine's peak");
    }
    double now = packet_get_real(&m->packet);
    if (flops)
        *flops = now;
    m->peak_flops = fmax(m->peak_flops, now);
    m->peak_bandwidth = fmax(m->peak_bandwidth, packet_get_real(&m->packet));
    return true;
}

bool peaks_ask(struct measurer *m, double *flops, struct err *err)
{
    bool ok = false, ready = true;
    for (int i = 0; i < PREPARE_TRIES && ready && !ok; i++) {
        *err = (struct err){0};
        ready = runner_ready(m, err);
        ok = ready && peaks_ask_once(m, flops, err);
    }
    return ok;
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

/* Sends the task to the runner. with_references: with those that an earlier runner computed, if any. */
static bool task_send(struct measurer *m, struct known_task *k, bool with_references, struct err *err)
{
    if (k->sent_to == m->runners)
        return true;
    packet_clear(&m->packet);
    packet_str(&m->packet, k->spec);
    packet_bytes(&m->packet, k->reference.bytes, k->reference.n);
    if (with_references)
        reference_cache_read(&m->references, &k->kept, &m->packet);
    else
        packet_bytes(&m->packet, NULL, 0);
    int kind = -1;
    double deadline = clock_now() + PREPARE_SECONDS;
    if (worker_handle_ask(&m->runner, MESSAGE_TASK, &m->packet, deadline) != CHANNEL_OK ||
        worker_handle_answer(&m->runner, &kind, &m->packet, deadline) != CHANNEL_OK || kind != MESSAGE_TASK) {
        bool broken = kind == MESSAGE_BROKEN;
        err->code = broken ? EXIT_USAGE : EXIT_INTERNAL;
        err_set(err, "the runner cannot take task '%s': %s", k->spec,
                broken ? packet_get_str(&m->packet) : "it has ended");
        runner_stop(m);
        return false;
    }
    k->sent_to = m->runners;
    return true;
}

/* Has the runner, which has run no candidate yet, compute the references, and keeps them for the next runner. A runner
 * that cannot is stopped: the trial itself will say why. */
static void references_keep(struct measurer *m, const struct task *task, struct known_task *k, int64_t points)
{
    int kind = -1;
    double deadline = clock_now() + PREPARE_SECONDS;
    size_t most = TASK_DATA_EXPORT_MOST(task_arg_elements(task, task->nargs - 1));
    if (k->kept.n || !reference_cache_room(&m->references, most))
        return;
    packet_clear(&m->packet);
    packet_str(&m->packet, k->spec);
    packet_int(&m->packet, points);
    if (worker_handle_ask(&m->runner, MESSAGE_EXPORT, &m->packet, deadline) == CHANNEL_OK &&
        worker_handle_answer(&m->runner, &kind, &m->packet, deadline) == CHANNEL_OK && kind == MESSAGE_EXPORT)
        reference_cache_keep(&m->references, &m->packet, &k->kept);
    else
        runner_stop(m);
}

/* A runner that has the task of the trial. References are long, so the packet gives its memory back. */
static bool runner_has_task(struct measurer *m, const struct trial *t, const struct regime *regime, struct err *err)
{
    struct known_task *k = task_known(m, t->c->task, err);
    if (!k || !runner_ready(m, err) || !task_send(m, k, t->is_fresh && regime->verify, err))
        return false;
    if (!t->is_fresh || !regime->verify)
        return true;
    references_keep(m, t->c->task, k, regime->verify_points);
    packet_free(&m->packet);
    return runner_ready(m, err) && task_send(m, k, true, err);
}

/* What the runner measured; the rest of the sample stays. False if no runner of ours would have written it. */
static bool sample_read(struct packet *p, struct sample *s)
{
    struct sample got;
    if (!packet_get_sample(p, &got))
        return false;
    got.answer = s->answer;
    got.build_s = s->build_s;
    got.cached_s = s->cached_s;
    got.alone_s = s->alone_s;
    got.cost_s = s->cost_s;
    got.model_score = s->model_score;
    *s = got;
    return true;
}

static void part_enter(struct run_request *r, enum run_part next)
{
    double now = clock_now(), span = now - r->since;
    if (r->now == PART_RUN)
        r->run_s += span;
    else if (r->now == PART_VERIFY)
        r->verify_s += span;
    r->now = next;
    r->since = now;
    double left = next == PART_PREPARE ? PREPARE_SECONDS : r->regime->run_timeout_s;
    if (next == PART_RUN)
        left -= r->run_s; /* the time-out is for the run as a whole */
    r->deadline = next == PART_WAIT ? CHANNEL_FOREVER : now + left;
    phases_enter(r->phases, next == PART_RUN ? PHASE_run : PHASE_verify);
}

static bool runner_late(struct run_request *r, struct err *err)
{
    struct sample *s = r->t->s;
    bool preparing = r->now == PART_PREPARE, verifying = r->now == PART_VERIFY;
    part_enter(r, r->now);
    runner_stop(r->m);
    if (preparing)
        return err_set(err, "reference of '%s': not computed within %g s", r->t->c->task->spec, PREPARE_SECONDS);
    s->outcome = OUTCOME_RUN_TIMEOUT;
    snprintf(s->message, SAMPLE_MESSAGE, "no result within %g s%s", r->regime->run_timeout_s,
             verifying ? " of the checked call" : "");
    return true;
}

/* The runner said what it was not asked. Who spoke is not known: what it answers is worth nothing from here on. */
static bool runner_forged(struct run_request *r)
{
    struct sample *s = r->t->s;
    r->forged = true;
    part_enter(r, r->now);
    runner_stop(r->m);
    s->outcome = OUTCOME_WRONG_ANSWER;
    s->nseconds = 0;
    snprintf(s->message, SAMPLE_MESSAGE, "forged an answer: the runner sent a message that nobody asked for");
    return true;
}

static bool runner_ended(struct run_request *r, struct err *err)
{
    struct sample *s = r->t->s;
    struct worker_end end;
    part_enter(r, r->now);
    worker_handle_collect(&r->m->runner, r->m->fork_server, &end);
    if (r->now == PART_PREPARE) {
        r->died_early = true;
        err->code = EXIT_INTERNAL;
        return err_set(err, "reference of '%s': the runner was %s", r->t->c->task->spec, end.text);
    }
    s->outcome = end.out_of_memory ? OUTCOME_OUT_OF_MEMORY : OUTCOME_CRASHED;
    memcpy(s->message, end.text, sizeof s->message);
    return true;
}

/* Follows the parts of the run until a message ends it, or the runner waits for a slice to be asked for. Where builds
 * are under way, they go on meanwhile. */
static enum channel_status runner_follow(struct run_request *r, int *kind)
{
    struct measurer *m = r->m;
    for (;;) {
        builds_beside(m, &m->runner, r->deadline);
        enum channel_status status = worker_handle_answer(&m->runner, kind, &m->packet, r->deadline);
        if (status != CHANNEL_OK || *kind != MESSAGE_PART)
            return status;
        int64_t part = packet_get_int(&m->packet);
        bool waits = part == PART_WAIT && r->kind == MESSAGE_SLICES;
        if (part != PART_PREPARE && part != PART_RUN && part != PART_VERIFY && !waits)
            return CHANNEL_FORGED;
        part_enter(r, (enum run_part)part);
        if (waits)
            return CHANNEL_OK;
    }
}

static bool runner_answer(struct run_request *r, struct err *err)
{
    struct measurer *m = r->m;
    int kind = -1;
    enum channel_status status = runner_follow(r, &kind);
    if (status == CHANNEL_OK && kind == MESSAGE_PART && !worker_handle_spoke(&m->runner))
        return true;
    if (status == CHANNEL_OK && kind == (int)r->kind && sample_read(&m->packet, r->t->s) &&
        !worker_handle_spoke(&m->runner))
        return true;
    if (status == CHANNEL_OK && kind == MESSAGE_BROKEN && r->now == PART_PREPARE) {
        err_set(err, "%s", packet_get_str(&m->packet));
        runner_stop(m);
        return false;
    }
    bool known = status == CHANNEL_LATE     ? runner_late(r, err)
                 : status == CHANNEL_CLOSED ? runner_ended(r, err)
                                            : runner_forged(r);
    r->t->s->run_s = r->run_s;
    r->t->s->verify_s = r->verify_s;
    return known;
}

static bool request_once(struct run_request *r, struct err *err)
{
    struct measurer *m = r->m;
    struct trial *t = r->t;
    if (!runner_has_task(m, t, r->regime, err)) {
        r->died_early = err->code == EXIT_INTERNAL;
        return false;
    }
    build_request(m, t);
    packet_bytes(&m->packet, t->object.bytes, t->object.n);
    packet_int(&m->packet, fault_is_build(t->fault) ? FAULT_none : t->fault);
    packet_bytes(&m->packet, r->regime, sizeof *r->regime);
    packet_real(&m->packet, t->fastest_s);
    if (r->kind == MESSAGE_SLICES)
        packet_real(&m->packet, r->slow);
    m->runner.jobs++;
    r->since = clock_now();
    enum phase before = phases_enter(r->phases, PHASE_verify);
    part_enter(r, PART_PREPARE);
    bool sent = worker_handle_ask(&m->runner, (int)r->kind, &m->packet, clock_now() + PREPARE_SECONDS) == CHANNEL_OK;
    bool ok = sent ? runner_answer(r, err) : runner_ended(r, err);
    phases_enter(r->phases, before);
    return ok;
}

/* Asks again in another runner when what happened need not be the candidate's doing: the runner ended while it prepared
 * inputs and references, or said something that an earlier kernel may have left it to say. After an answer that was
 * found wrong, or a crash that the runner outlived (an error that stays in the context of a GPU), nobody knows what
 * else the kernel did to its process: the next gets another. */
static bool request(struct run_request *r, struct err *err)
{
    const struct run_request fresh = *r;
    bool ok = false;
    for (int i = 0; i < PREPARE_TRIES; i++) {
        *r = fresh;
        *err = (struct err){0};
        ok = request_once(r, err);
        if (!r->died_early && !r->forged)
            break;
    }
    enum outcome o = r->t->s->outcome;
    if (ok && r->now != PART_WAIT && (o == OUTCOME_WRONG_ANSWER || o == OUTCOME_CRASHED))
        runner_stop(r->m);
    return ok;
}

static bool ask_runner(struct measurer *m, enum message kind, struct trial *t, const struct regime *regime,
                       struct phases *phases, struct err *err)
{
    struct run_request r = {.m = m, .t = t, .regime = regime, .phases = phases, .kind = kind};
    return request(&r, err);
}

/* ---- sliced runs ---- */

bool trial_hold(struct run_request *r, struct err *err)
{
    r->kind = MESSAGE_SLICES;
    return request(r, err);
}

static bool slice_ask(struct run_request *r, bool wanted, struct err *err)
{
    struct measurer *m = r->m;
    packet_clear(&m->packet);
    packet_int(&m->packet, wanted);
    part_enter(r, PART_RUN);
    return worker_handle_ask(&m->runner, MESSAGE_SLICE, &m->packet, r->deadline) == CHANNEL_OK ? runner_answer(r, err)
                                                                                               : runner_ended(r, err);
}

bool trial_slice(struct run_request *r, struct err *err)
{
    return slice_ask(r, true, err);
}

/* A runner that still waits after it was told that there is no more is not ours to trust. */
bool trial_finish(struct run_request *r, struct err *err)
{
    if (!slice_ask(r, false, err))
        return false;
    if (r->now != PART_WAIT)
        return true;
    runner_stop(r->m);
    r->t->s->outcome = OUTCOME_CRASHED;
    snprintf(r->t->s->message, SAMPLE_MESSAGE, "it asked for slices after the last one");
    return true;
}

bool trial_count(struct measurer *m, struct trial *t, const struct regime *regime, struct counter_list *out,
                 struct err *err)
{
    out->n = 0;
    if (!ask_runner(m, MESSAGE_COUNT, t, regime, NULL, err))
        return false;
    if (t->s->outcome != OUTCOME_OK)
        return true;
    size_t bytes;
    const void *counters = packet_get_bytes(&m->packet, &bytes); /* they follow the sample */
    if (!counters || bytes > sizeof out->at)
        return err_set(err, "the runner answered with more counters than there can be");
    memcpy(out->at, counters, bytes);
    out->n = (int)(bytes / sizeof *out->at);
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

static void impossible(const struct measurer *m, struct trial *t)
{
    snprintf(t->s->message, SAMPLE_MESSAGE,
             "faster than the machine allows: %.4g s, at least %.4g s at %.4g FLOP/s and %.4g B/s", sample_mean(t->s),
             roofline(m, t->c->task), m->peak_flops, m->peak_bandwidth);
    t->s->outcome = OUTCOME_WRONG_ANSWER;
}

/* A result that is too fast for the machine is measured again in a fresh process, and the peaks before and after it,
 * since they may have been measured while other programs used the machine. On shared hosts both change within seconds,
 * so this is done more than once. Only what stays impossible is called wrong. */
static bool recheck(struct measurer *m, struct trial *t, const struct regime *regime, struct phases *phases,
                    struct err *err)
{
    double run_s = 0, verify_s = 0;
    for (int i = 0; i < RECHECKS && too_fast(m, t); i++) {
        run_s += t->s->run_s;
        verify_s += t->s->verify_s;
        runner_stop(m);
        if (!peaks_ask(m, NULL, err) || !ask_runner(m, MESSAGE_RUN, t, regime, phases, err) || !peaks_ask(m, NULL, err))
            return false;
    }
    t->s->run_s += run_s;
    t->s->verify_s += verify_s;
    if (too_fast(m, t)) {
        impossible(m, t);
        runner_stop(m);
    }
    return true;
}

bool trial_possible(struct measurer *m, struct trial *t, struct err *err)
{
    for (int i = 0; i < RECHECKS && too_fast(m, t); i++) {
        runner_stop(m);
        if (!peaks_ask(m, NULL, err))
            return false;
    }
    if (too_fast(m, t))
        impossible(m, t);
    return true;
}

bool trial_peaks(struct measurer *m, const struct regime *regime, struct phases *phases, struct err *err)
{
    if (m->peaks_asked || !regime->verify)
        return true;
    m->peaks_asked = true;
    enum phase before = phases_enter(phases, PHASE_verify);
    bool ok = peaks_ask(m, NULL, err);
    phases_enter(phases, before);
    return ok;
}

bool trial_run(struct measurer *m, struct trial *t, const struct regime *regime, struct phases *phases, struct err *err)
{
    struct sample *s = t->s;
    if (!trial_peaks(m, regime, phases, err) || !ask_runner(m, MESSAGE_RUN, t, regime, phases, err) ||
        (regime->verify && too_fast(m, t) && !recheck(m, t, regime, phases, err)))
        return false;
    bool timeout_booked = outcome_tvm(s->outcome) == 4 || s->outcome == OUTCOME_RUN_TIMEOUT;
    s->cost_s = s->build_s + s->cached_s + (timeout_booked ? regime->run_timeout_s : s->run_s + s->spared_s);
    if (s->outcome != OUTCOME_OK)
        s->nseconds = 0;
    return true;
}
