/* SPDX-License-Identifier: Apache-2.0 */
/* runner: per candidate load, check, time, check again. A task comes once with its reference; its buffers are kept
 * until memory is wanted for others. Before each part of a run a message goes to the parent, which books the time and
 * sets the deadline: a slow reference is not the candidate's fault. */
#include "harness/measure/runner.h"

#include "harness/base/clock.h"
#include "harness/base/vec.h"
#include "harness/measure/counted_run.h"
#include "harness/measure/fault.h"
#include "harness/measure/kernel_check.h"
#include "harness/measure/repeat.h"
#include "harness/measure/task_data.h"
#include "harness/program/lower/layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SLICES_DRAWN = 4 }; /* of a program in a launch one of the first four is checked, and the last */

struct run_job {
    struct worker *w;
    struct task_data *data;
    struct candidate c;
    struct blob object;
    enum fault fault;
    struct regime regime;
    struct kernel_check check;
    double part_start;
    double fastest_s;            /* mean of the task's fastest program, as the parent knows it; 0: time in full */
    struct counted_run *counted; /* NULL: a timed run */
    bool sliced;                 /* timed in slices, when the parent asks for them */
    int slices;                  /* taken */
    double slow;                 /* share by which calls are slowed down: planted by `raingauge bench` */
    struct sample out;
};

/* Tells the parent that a part of the run begins. The time of the part before goes to *book (NULL: nowhere). */
static void part_begin(struct run_job *j, enum run_part part, double *book)
{
    double now = clock_now();
    if (book)
        *book += now - j->part_start;
    j->part_start = now;
    packet_clear(&j->w->packet);
    packet_int(&j->w->packet, part);
    worker_answer(j->w, MESSAGE_PART);
}

/* --- the candidate's arguments --- */

static void watch_buffers(struct run_job *j)
{
    static const struct guard_pages *buffers[(SET_COUNT + 1) * KERNEL_ARGS_MAX];
    static const char *names[(SET_COUNT + 1) * KERNEL_ARGS_MAX];
    int n = 0;
    for (int i = 0; i < j->data->task->nargs; i++)
        for (int s = 0; s <= SET_COUNT; s++) {
            buffers[n] = s == SET_COUNT ? &j->data->packed[i] : task_data_arg(j->data, (enum input_set)s, i);
            names[n++] = j->data->names[i];
        }
    guard_pages_watch(buffers, names, n);
}

static bool pack_weight(struct run_job *j, const struct buffer *b)
{
    struct guard_pages *to = &j->data->packed[b->arg];
    size_t bytes = (size_t)layout_elements(b) * (size_t)dtype_bytes(b->dtype);
    if (to->bytes != bytes || !to->map) {
        guard_pages_close(to);
        if (!guard_pages_open(to, bytes, GUARD_PAGES_END))
            return false;
    }
    guard_pages_lock(to, false);
    layout_pack(b, task_data_arg(j->data, SET_CHECK, b->arg)->data, to->data);
    guard_pages_lock(to, true);
    for (int s = 0; s < SET_COUNT; s++)
        j->check.args[s][b->arg] = to->data;
    return true;
}

static enum outcome arguments_make(struct run_job *j)
{
    const struct task *t = j->data->task;
    bool rewritable = false;
    for (int i = 0; i < t->nargs; i++) {
        rewritable |= t->is_weight[i];
        for (int s = 0; s < SET_COUNT; s++)
            j->check.args[s][i] = task_data_arg(j->data, (enum input_set)s, i)->data;
    }
    if (j->w->env.layout != LAYOUT_REWRITTEN || !rewritable)
        return OUTCOME_OK;
    struct nest *nest;
    struct err err = {0};
    if (!lower_steps(j->w->scratch, t, j->c.steps, j->c.nsteps, LAYOUT_REWRITTEN, &nest, &err)) {
        snprintf(j->out.message, SAMPLE_MESSAGE, "%.190s", err.text);
        return OUTCOME_INVALID;
    }
    for (int i = 0; i < nest->nargs; i++)
        if (nest->buffers[i]->npacked > 0 && !pack_weight(j, nest->buffers[i])) {
            snprintf(j->out.message, SAMPLE_MESSAGE, "no memory to pack %s", j->data->names[i]);
            return OUTCOME_OUT_OF_MEMORY;
        }
    return OUTCOME_OK;
}

/* --- timing --- */

/* What a check takes between readings is booked as verifying, without a message to the parent. */
static void book_check(struct run_job *j, double since)
{
    double spent = clock_now() - since;
    j->part_start += spent;
    j->out.verify_s += spent;
}

static void poison(void *ctx)
{
    struct run_job *j = ctx;
    double since = clock_now();
    if (!j->regime.verify)
        return;
    kernel_check_poison(&j->check);
    book_check(j, since);
}

static enum outcome call(void *ctx, int number, double *seconds, char message[SAMPLE_MESSAGE])
{
    struct run_job *j = ctx;
    (void)message; /* the same as that of the check */
    return kernel_check_run(&j->check, number, seconds);
}

static enum outcome check_repeat(void *ctx, int repeat)
{
    struct run_job *j = ctx;
    double since = clock_now();
    if (!j->regime.verify)
        return OUTCOME_OK;
    enum outcome o = kernel_check_repeat(&j->check, j->sliced ? j->slices++ : repeat);
    book_check(j, since);
    return o;
}

static void flush(void *ctx)
{
    struct run_job *j = ctx;
    if (j->w->target->flush) {
        j->w->target->flush(j->w->self);
        return;
    }
    for (int i = 1; i < j->data->task->nargs; i++) {
        const struct guard_pages *packed = &j->data->packed[i], *plain = task_data_arg(j->data, SET_TIME, i);
        void *at = j->check.args[SET_TIME][i];
        repeat_flush(at, at == packed->data ? packed->bytes : plain->bytes);
    }
}

/* Nobody will use a program that takes twice as long as the fastest of its task. */
static bool is_slow(const struct run_job *j)
{
    return !j->counted && j->data->fastest_s > 0 && sample_mean(&j->out) > 2 * j->data->fastest_s;
}

/* Does the parent want another slice? */
static bool slice_wanted(struct worker *w)
{
    int kind = -1;
    if (channel_receive(w->fd, &kind, &w->packet, CHANNEL_FOREVER) != CHANNEL_OK)
        _exit(0);
    if (kind != MESSAGE_SLICE)
        worker_broken(w, "a runner that waits for slices got message %d", kind);
    return packet_get_int(&w->packet) != 0;
}

/* The seconds that it took, at least that many. */
static double spin(double seconds)
{
    double since = clock_now(), now = since;
    while (now - since < seconds)
        now = clock_now();
    return now - since;
}

/* A slice is what the regime says, once: warm-up calls, then calls until it is long enough. Later slices begin with as
 * many calls as the one before shows to be enough, so that one run of calls does. A planted slowdown is time spent
 * behind them: between calls it would let the kernel's threads fall asleep, and cost more than was planted. */
static enum outcome slices_take(struct run_job *j, const struct repeat *timing)
{
    struct regime slice = j->regime;
    enum outcome o = OUTCOME_OK;
    int n = 0;
    for (part_begin(j, PART_WAIT, &j->out.run_s); o == OUTCOME_OK && slice_wanted(j->w);) {
        struct sample one = {0};
        part_begin(j, PART_RUN, NULL);
        o = repeat_time(&slice, timing, &one);
        if (o == OUTCOME_OK && n < SAMPLE_REPEATS)
            j->out.seconds[n++] = one.seconds[0] + (j->slow > 0 ? spin(j->slow * one.seconds[0]) : 0);
        if (o == OUTCOME_OK) {
            slice.number = repeat_enough(&j->regime, one.seconds[0]);
            part_begin(j, PART_WAIT, &j->out.run_s);
        }
    }
    part_begin(j, PART_RUN, NULL);
    j->out.nseconds = n;
    return o;
}

static enum outcome job_time(struct run_job *j)
{
    struct repeat timing = {.before = poison,
                            .call = call,
                            .check = check_repeat,
                            .flush = flush,
                            .ctx = j,
                            .fastest = j->fastest_s,
                            .draw = repeat_draw(j->w->setup->seed, j->c.hash)};
    if (j->counted)
        return counted_run_take(j->counted, &j->regime, &timing, j->out.message);
    if (j->sliced)
        return slices_take(j, &timing);
    enum outcome o = repeat_time(&j->regime, &timing, &j->out);
    if (o == OUTCOME_OK)
        j->data->fastest_s = sample_faster(j->data->fastest_s, &j->out);
    return o;
}

/* All checks of a timed run, without its readings. */
static enum outcome job_verify(struct run_job *j)
{
    double seconds;
    kernel_check_poison(&j->check);
    enum outcome o = kernel_check_run(&j->check, 1, &seconds);
    return o == OUTCOME_OK ? kernel_check_last(&j->check, false) : o;
}

static enum outcome job_measure(struct run_job *j)
{
    double *run = &j->out.run_s, *verify = &j->out.verify_s;
    bool only = j->w->setup->verify_only;
    fault_commit(j->fault);
    if (j->regime.verify) {
        part_begin(j, PART_VERIFY, run);
        enum outcome o = kernel_check_first(&j->check);
        if (o == OUTCOME_OK && only)
            o = job_verify(j);
        part_begin(j, PART_RUN, verify);
        if (o != OUTCOME_OK || only)
            return o;
    }
    enum outcome o = job_time(j);
    if (o == OUTCOME_OK && j->regime.verify) {
        part_begin(j, PART_VERIFY, run);
        o = kernel_check_last(&j->check, is_slow(j));
        part_begin(j, PART_RUN, verify);
    }
    return o;
}

static void check_begin(struct run_job *j)
{
    j->check.target = j->w->target;
    j->check.self = j->w->self;
    j->check.data = j->data;
    j->check.verify = j->regime.verify;
    j->check.counted = j->counted != NULL;
    j->check.plant_wrong = j->fault == FAULT_wrong;
    j->check.descriptor = j->w->fd;
    j->check.message = j->out.message;
    int readings = j->sliced ? SLICES_DRAWN : (int)j->regime.repeat;
    kernel_check_open(&j->check, readings < SAMPLE_REPEATS ? readings : SAMPLE_REPEATS);
}

static enum outcome job_run(struct run_job *j)
{
    part_begin(j, PART_RUN, NULL);
    check_begin(j);
    enum outcome o = j->w->target->load(j->w->self, &j->c, &j->object, &j->check.kernel, j->out.message);
    if (o == OUTCOME_OK) {
        o = arguments_make(j);
        watch_buffers(j);
        if (o == OUTCOME_OK)
            o = job_measure(j);
        guard_pages_watch(NULL, NULL, 0);
        j->w->target->drop(j->w->self, j->check.kernel);
    }
    j->out.run_s += clock_now() - j->part_start;
    return o;
}

/* --- the service --- */

struct runner {
    struct worker *w;
    VEC(struct task_data *) tasks;
    uint64_t clock;
};

static struct task_data *data_of(struct runner *r, const char *spec)
{
    for (int i = 0; i < r->tasks.n; i++)
        if (str_eq(r->tasks.at[i]->spec, spec)) {
            r->tasks.at[i]->used = ++r->clock;
            return r->tasks.at[i];
        }
    worker_broken(r->w, "task '%s' was not sent to the runner", spec);
}

/* Buffers of the tasks used longest ago go first, until all fill at most limit bytes (a quarter of the runner's
 * memory). */
static void trim_data(struct runner *r, const struct task_data *keep, size_t limit)
{
    for (;;) {
        struct task_data *oldest = NULL;
        size_t all = 0;
        for (int i = 0; i < r->tasks.n; i++) {
            struct task_data *d = r->tasks.at[i];
            all += d->bytes;
            if (d != keep && d->bytes && (!oldest || d->used < oldest->used))
                oldest = d;
        }
        if (!oldest || all <= limit)
            return;
        task_data_empty(oldest);
    }
}

static void serve_task(struct runner *r)
{
    struct packet *p = &r->w->packet;
    struct task_data *d = calloc(1, sizeof *d);
    struct err err = {0};
    const char *spec = packet_get_str(p);
    if (!d || !task_data_open(d, spec, &err))
        worker_broken(r->w, "%s", err.text);
    if (d->task->nargs > KERNEL_ARGS_MAX)
        worker_broken(r->w, "task '%s' has more than %d arguments", spec, KERNEL_ARGS_MAX);
    size_t n;
    const void *object = packet_get_bytes(p, &n);
    d->object = (struct blob){.bytes = n ? arena_copy(d->arena, object, n) : NULL, .n = n};
    const void *references = packet_get_bytes(p, &n);
    if (n)
        task_data_import(d, references, n);
    vec_push(&r->tasks, d);
    packet_free(p); /* references may be large */
    worker_answer(r->w, MESSAGE_TASK);
}

static void prepare(struct runner *r, struct task_data *d, bool verify, int64_t points)
{
    struct err err = {0};
    bool ready = task_data_prepare(d, r->w, verify, points, &err);
    if (!ready && err.code == EXIT_INVALID) { /* no memory: take that of the other tasks */
        trim_data(r, d, 0);
        task_data_empty(d);
        ready = task_data_prepare(d, r->w, verify, points, &err);
    }
    if (!ready)
        worker_broken(r->w, "%s", err.text);
}

static void serve_export(struct runner *r)
{
    struct packet *p = &r->w->packet;
    struct task_data *d = data_of(r, packet_get_str(p));
    prepare(r, d, true, packet_get_int(p));
    packet_clear(p);
    task_data_export(d, p);
    worker_answer(r->w, MESSAGE_EXPORT);
    packet_free(p);
}

static void answer_sample(struct worker *w, enum message kind, struct sample *s, const struct counted_run *counted)
{
    sample_settle(s);
    packet_clear(&w->packet);
    packet_sample(&w->packet, s);
    if (counted)
        packet_bytes(&w->packet, counted->out.at, sizeof *counted->out.at * (size_t)counted->out.n);
    worker_answer(w, kind);
}

/* counted: NULL for a timed run. */
static void serve_run(struct runner *r, enum message kind, struct counted_run *counted)
{
    struct worker *w = r->w;
    struct packet *p = &w->packet;
    struct run_job j = {.w = w, .data = data_of(r, packet_get_str(p)), .counted = counted};
    size_t n;
    j.c = worker_candidate(w, j.data->task);
    const void *object = packet_get_bytes(p, &n);
    j.object = (struct blob){.bytes = n ? arena_copy(w->scratch, object, n) : NULL, .n = n};
    j.fault = (enum fault)packet_get_int(p);
    const void *regime = packet_get_bytes(p, &n);
    if (!regime || n != sizeof j.regime)
        worker_broken(w, "a run request is cut short");
    memcpy(&j.regime, regime, sizeof j.regime);
    j.fastest_s = packet_get_real(p);
    j.sliced = kind == MESSAGE_SLICES;
    j.slow = j.sliced ? packet_get_real(p) : 0;
    part_begin(&j, PART_PREPARE, NULL);
    prepare(r, j.data, j.regime.verify, j.regime.verify_points);
    trim_data(r, j.data, (size_t)w->setup->memory_mib << 18);
    j.out.outcome = job_run(&j);
    answer_sample(w, kind, &j.out, counted);
}

static void serve_count(struct runner *r)
{
    static struct counted_run run;
    counted_run_open(&run, r->w->setup->collectors, r->w->scratch);
    serve_run(r, MESSAGE_COUNT, &run);
    counted_run_close(&run);
}

static void serve_peaks(struct worker *w)
{
    double flops = w->target->peak_flops ? w->target->peak_flops(w->self) : 0;
    double bandwidth = w->target->peak_bandwidth ? w->target->peak_bandwidth(w->self) : 0;
    packet_clear(&w->packet);
    packet_real(&w->packet, flops);
    packet_real(&w->packet, bandwidth);
    worker_answer(w, MESSAGE_PEAKS);
}

static void serve_describe(struct worker *w)
{
    struct text json = {0};
    cJSON *object = json_object();
    if (w->target->describe)
        w->target->describe(w->self, object);
    json_print(object, &json);
    packet_clear(&w->packet);
    packet_str(&w->packet, text_str(&json));
    text_free(&json);
    worker_answer(w, MESSAGE_DESCRIBE);
}

void runner_serve(struct worker *w)
{
    struct runner r = {.w = w};
    int kind;
    guard_pages_handlers();
    while (channel_receive(w->fd, &kind, &w->packet, CHANNEL_FOREVER) == CHANNEL_OK) {
        worker_fresh(w);
        if (kind == MESSAGE_TASK)
            serve_task(&r);
        else if (kind == MESSAGE_EXPORT)
            serve_export(&r);
        else if (kind == MESSAGE_RUN || kind == MESSAGE_SLICES)
            serve_run(&r, (enum message)kind, NULL);
        else if (kind == MESSAGE_COUNT)
            serve_count(&r);
        else if (kind == MESSAGE_PEAKS)
            serve_peaks(w);
        else if (kind == MESSAGE_DESCRIBE)
            serve_describe(w);
        else
            worker_broken(w, "a runner got message %d", kind);
    }
    _exit(0);
}
