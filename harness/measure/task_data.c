/* SPDX-License-Identifier: Apache-2.0 */
/* task_data: inputs and references of a task. The reference is the unscheduled program as the target compiled it,
 * itself checked against the interpreter at random elements; without one the interpreter computes every element. */
#include "harness/measure/task_data.h"

#include "harness/base/hash.h"
#include "harness/measure/verify.h"
#include "harness/program/interp/interp.h"
#include "harness/program/ir/element.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool task_data_open(struct task_data *d, const char *spec, struct err *err)
{
    d->arena = arena_open("task data");
    d->spec = arena_str(d->arena, spec);
    return task_parse(d->arena, spec, &d->task, err) || err_context(err, "task '%s'", spec);
}

void task_data_empty(struct task_data *d)
{
    for (int s = 0; s < SET_COUNT; s++) {
        for (int i = 0; d->sets[s].args && i < d->task->nargs; i++)
            guard_pages_close(&d->sets[s].args[i]);
        free(d->sets[s].args);
        free(d->sets[s].reference);
        d->sets[s] = (struct inputs){0};
    }
    for (int i = 0; d->packed && i < d->task->nargs; i++)
        guard_pages_close(&d->packed[i]);
    free(d->packed);
    d->packed = NULL;
    d->bytes = 0;
}

static size_t arg_bytes(const struct task *t, int arg)
{
    return (size_t)task_arg_elements(t, arg) * (size_t)dtype_bytes(task_arg_op(t, arg)->dtype);
}

size_t task_data_bytes(const struct task *t, bool verify)
{
    int out = t->nargs - 1;
    size_t sum = verify ? SET_COUNT * (size_t)task_arg_elements(t, out) * sizeof(double) : 0;
    for (int i = 0; i < t->nargs; i++)
        sum += arg_bytes(t, i) * (t->is_weight[i] ? 1 : SET_COUNT);
    return sum;
}

/* EXIT_INVALID tells the runner that emptying the data of other tasks may help. */
static bool no_memory(const struct task_data *d, struct err *err)
{
    err->code = EXIT_INVALID;
    return err_set(err, "out of memory: '%s' does not fit in what memory_mib leaves the runner", d->spec);
}

static bool buffers_make(struct task_data *d, struct err *err)
{
    const struct task *t = d->task;
    d->packed = calloc((size_t)t->nargs, sizeof *d->packed);
    d->names = ARENA_ARRAY(d->arena, const char *, t->nargs);
    bool ok = d->packed != NULL;
    for (int s = 0; s < SET_COUNT && ok; s++) {
        struct guard_pages *args = d->sets[s].args = calloc((unsigned)t->nargs, sizeof *args);
        for (int i = 0; i < t->nargs && (ok = args != NULL && ok); i++) {
            if (t->is_weight[i] && s != SET_CHECK)
                continue;
            size_t n = arg_bytes(t, i);
            ok = guard_pages_open(&args[i], n, s == SET_CHECK ? GUARD_PAGES_END : GUARD_PAGES_START);
            d->bytes += n * (t->is_weight[i] ? 2 : 1); /* a weight is packed once more */
        }
    }
    for (int i = 0; i < t->nargs; i++)
        d->names[i] =
            i + 1 == t->nargs ? "the output" : arena_printf(d->arena, "argument %d '%s'", i, task_arg_op(t, i)->name);
    return ok || no_memory(d, err);
}

static void inputs_fill(struct task_data *d, enum input_set set, double lo, double hi, uint64_t seed)
{
    const struct task *t = d->task;
    double k = t->reduction_length > 1 ? t->reduction_length : 1, w = sqrt(3 / k);
    for (int i = 0; i + 1 < t->nargs; i++) {
        bool is_weight = t->is_weight[i];
        if (is_weight && set != SET_CHECK)
            continue;
        struct rng r;
        rng_seed(&r, hash_mix(seed, hash_mix(hash_str(t->spec), (uint64_t)i * SET_COUNT + (uint64_t)set)));
        struct guard_pages *g = &d->sets[set].args[i];
        guard_pages_lock(g, false);
        verify_fill(task_arg_op(t, i)->dtype, g->data, task_arg_elements(t, i), is_weight ? -w : lo, is_weight ? w : hi,
                    &r);
        guard_pages_lock(g, true);
    }
}

/* Runs the compiled reference on a set, whose output buffer then holds the result. */
static bool reference_run(struct task_data *d, struct worker *w, enum input_set set, struct err *err)
{
    const struct task *t = d->task;
    struct candidate plain = {.task = t, .score = NAN};
    char message[SAMPLE_MESSAGE] = "";
    void *kernel = NULL, **args = calloc((size_t)t->nargs, sizeof *args);
    if (!args)
        return err_set(err, "out of memory");
    for (int i = 0; i < t->nargs; i++)
        args[i] = task_data_arg(d, set, i)->data;
    enum outcome o = w->target->load(w->self, &plain, &d->object, &kernel, message);
    double seconds;
    if (o == OUTCOME_OK) {
        o = w->target->run(w->self, kernel, args, 1, &seconds, message);
        w->target->drop(w->self, kernel);
    }
    free(args);
    return o == OUTCOME_OK || err_set(err, "reference of '%s': %s: %s", d->spec, outcome_word(o), message);
}

/* Largest error of the reference at random elements; a reference that rounding cannot explain is refused. */
static bool reference_check(struct task_data *d, struct interp *in, enum input_set set, double allowed, int64_t points,
                            double *worst, struct err *err)
{
    struct inputs *s = &d->sets[set];
    int64_t n = task_arg_elements(d->task, d->task->nargs - 1);
    struct rng r;
    rng_seed(&r, hash_mix(hash_str(d->spec), (uint64_t)set + 77));
    for (int64_t p = 0; p < points; p++) {
        int64_t i = p == 0 ? n - 1 : (int64_t)rng_below(&r, (uint64_t)n);
        double truth = interp_point(in, i), error = fabs(s->reference[i] - truth);
        if (!(error <= allowed) && !(isnan(truth) && isnan(s->reference[i])))
            return err_set(err, "the reference of '%s' is wrong at element %lld: %.9g instead of %.9g", d->spec,
                           (long long)i, s->reference[i], truth);
        if (error > *worst)
            *worst = error;
    }
    return true;
}

static bool reference_make(struct task_data *d, struct worker *w, enum input_set set, int64_t points, struct err *err)
{
    const struct task *t = d->task;
    int out = t->nargs - 1;
    int64_t n = task_arg_elements(t, out);
    enum dtype dtype = task_arg_op(t, out)->dtype;
    struct inputs *s = &d->sets[set];
    const void **args = calloc((size_t)t->nargs, sizeof *args);
    if (!s->reference)
        s->reference = malloc((size_t)n * sizeof *s->reference);
    if (!args || !s->reference) {
        free(args);
        return no_memory(d, err);
    }
    for (int i = 0; i < out; i++)
        args[i] = task_data_arg(d, set, i)->data;
    struct interp *in = interp_open(t, args);
    bool ok = true;
    double worst = 0;
    if (d->object.n == 0) {
        interp_dag(in, s->reference);
        s->tolerance = verify_tolerance(dtype, t->reduction_length, verify_scale(s->reference, n));
    } else if ((ok = reference_run(d, w, set, err))) {
        for (int64_t i = 0; i < n; i++)
            s->reference[i] = element_get(dtype, s->args[out].data, i);
        double tolerance = verify_tolerance(dtype, t->reduction_length, verify_scale(s->reference, n));
        ok = !isfinite(tolerance) || reference_check(d, in, set, 4 * tolerance, points, &worst, err);
        s->tolerance = tolerance + 4 * worst;
    }
    interp_close(in);
    free(args);
    return ok;
}

/* Operators such as sqrt and log have no value for negative data: then CHECK is filled from [1, 10) too, with other
 * numbers. */
bool task_data_prepare(struct task_data *d, struct worker *w, bool verify, int64_t points, struct err *err)
{
    uint64_t seed = w->setup->seed;
    if (!d->sets[SET_CHECK].args) {
        if (!buffers_make(d, err))
            return false;
        inputs_fill(d, SET_CHECK, d->positive ? 1 : -1, d->positive ? 10 : 1, seed);
        inputs_fill(d, SET_TIME, 1, 10, seed);
    }
    if (!verify || d->sets[SET_TIME].reference)
        return true;
    if (!reference_make(d, w, SET_CHECK, points, err))
        return false;
    if (!isfinite(d->sets[SET_CHECK].tolerance) && !d->positive) {
        d->positive = true;
        inputs_fill(d, SET_CHECK, 1, 10, seed);
        if (!reference_make(d, w, SET_CHECK, points, err))
            return false;
    }
    if (!reference_make(d, w, SET_TIME, points, err))
        return false;
    for (int s = 0; s < SET_COUNT; s++)
        if (!isfinite(d->sets[s].tolerance))
            return err_set(err, "the reference of '%s' is not finite", d->spec);
    return true;
}

/* --- from one process to the next --- */

static bool fits_float(const double *v, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (!isnan(v[i]) && (double)(float)v[i] != v[i])
            return false;
    return true;
}

void task_data_export(const struct task_data *d, struct packet *out)
{
    int64_t n = task_arg_elements(d->task, d->task->nargs - 1);
    bool as_float = fits_float(d->sets[SET_CHECK].reference, n) && fits_float(d->sets[SET_TIME].reference, n);
    packet_int(out, d->positive);
    packet_int(out, as_float ? (int)sizeof(float) : (int)sizeof(double));
    packet_int(out, n);
    for (int s = 0; s < SET_COUNT; s++) {
        const double *v = d->sets[s].reference;
        packet_real(out, d->sets[s].tolerance);
        for (int64_t i = 0; i < n && as_float; i++) {
            float f = (float)v[i];
            text_addn(&out->bytes, (const char *)&f, sizeof f);
        }
        if (!as_float)
            text_addn(&out->bytes, (const char *)v, sizeof *v * (size_t)n);
    }
}

struct exported_head { /* then follow tolerance and elements of each set */
    int64_t positive, width, n;
};

bool task_data_import(struct task_data *d, const void *bytes, size_t size)
{
    const char *p = bytes;
    struct exported_head head = {0};
    int64_t n = task_arg_elements(d->task, d->task->nargs - 1);
    if (size >= sizeof head)
        memcpy(&head, p, sizeof head);
    bool whole = head.n == n && (head.width == sizeof(float) || head.width == sizeof(double)) &&
                 size == sizeof head + SET_COUNT * (sizeof(double) + (size_t)(head.width * n));
    for (int s = 0; s < SET_COUNT && whole; s++)
        whole = (d->sets[s].reference = malloc((size_t)n * sizeof(double) + 1)) != NULL;
    if (!whole) {
        task_data_empty(d);
        return false;
    }
    p += sizeof head;
    for (int s = 0; s < SET_COUNT; s++) {
        memcpy(&d->sets[s].tolerance, p, sizeof(double));
        p += sizeof(double);
        for (int64_t i = 0; i < n; i++, p += head.width) {
            float f;
            memcpy(head.width == sizeof f ? (void *)&f : (void *)&d->sets[s].reference[i], p, (size_t)head.width);
            if (head.width == sizeof f)
                d->sets[s].reference[i] = f;
        }
    }
    d->positive = head.positive != 0;
    return true;
}
