/* SPDX-License-Identifier: Apache-2.0 */
#include "targets/cuda/cuda_device.h"

#include "harness/base/clock.h"
#include "harness/base/process.h"

#include <string.h>
#include <unistd.h>

#define PROBE_SECONDS 45.0 /* a driver in trouble may not answer at all; the fork server has 60 for a preload */

/* ---- what there is ---- */

static bool refused(const struct cuda_api *api, const char *what, int status, struct err *err)
{
    char words[160];
    return err_set(err, "%s: %s", what, cuda_api_words(api, status, words, sizeof words));
}

static int attribute(const struct cuda_api *api, int handle, int which)
{
    int value = 0;
    return api->attribute(&value, which, handle) == CUDA_FINE ? value : 0;
}

/* The driver is started. */
static bool read_traits(const struct cuda_api *api, int number, int *handle, struct cuda_traits *t, struct err *err)
{
    int n = 0, status = api->count(&n);
    size_t bytes = 0;
    memset(t, 0, sizeof *t);
    if (status != CUDA_FINE)
        return refused(api, "the CUDA driver does not tell its devices", status, err);
    if (number >= n)
        return err_set(err, n ? "there is no GPU %d, only %d" : "there is no GPU %d and no other one", number, n);
    if ((status = api->device(handle, number)) != CUDA_FINE)
        return refused(api, "the GPU cannot be had", status, err);
    (void)api->version(&t->driver);
    (void)api->device_name(t->name, sizeof t->name, *handle);
    (void)api->device_bus(t->bus, sizeof t->bus, *handle);
    (void)api->device_memory(&bytes, *handle);
    t->memory_bytes = (int64_t)bytes;
    t->capability[0] = attribute(api, *handle, CUDA_MAJOR);
    t->capability[1] = attribute(api, *handle, CUDA_MINOR);
    t->multiprocessors = attribute(api, *handle, CUDA_MULTIPROCESSORS);
    t->max_threads = attribute(api, *handle, CUDA_MAX_THREADS);
    t->warp = attribute(api, *handle, CUDA_WARP);
    t->mode = attribute(api, *handle, CUDA_COMPUTE_MODE);
    t->shared_bytes = attribute(api, *handle, CUDA_MAX_SHARED);
    t->l2_bytes = attribute(api, *handle, CUDA_L2_BYTES);
    if (t->mode == CUDA_PROHIBITED)
        return err_set(err, "GPU %d (%s) is in compute mode 'prohibited': nothing may run there", number, t->name);
    return true;
}

static bool start(int number, int *handle, const struct cuda_api **api, struct cuda_traits *t, struct err *err)
{
    *api = cuda_api(err);
    if (!*api)
        return false;
    int status = (*api)->init(0);
    if (status != CUDA_FINE)
        return refused(*api, "the CUDA driver does not start", status, err);
    return read_traits(*api, number, handle, t, err);
}

/* ---- from another process ---- */

struct answer {
    bool ok;
    struct cuda_traits traits;
    struct err err;
};

/* Not longer than what a pipe takes at once. */
static void answer(void *number)
{
    struct answer a = {0};
    const struct cuda_api *api;
    int handle;
    a.ok = start(*(const int *)number, &handle, &api, &a.traits, &a.err);
    (void)!write(STDOUT_FILENO, &a, sizeof a);
}

static bool ask(int number, struct cuda_traits *out, struct err *err)
{
    const struct process_spec asks = {.run = answer, .with = &number, .out = PROCESS_CAPTURE, .err = STDERR_FILENO};
    struct process p;
    struct answer a;
    bool fine = process_run(&asks, clock_now() + PROBE_SECONDS, &p, err) && p.out.len >= sizeof a;
    if (fine) /* a driver may have printed something before */
        memcpy(&a, p.out.s + p.out.len - sizeof a, sizeof a);
    process_close(&p);
    if (!fine)
        return err_set(err, "the CUDA driver did not answer within %g s, or ended the process that asked",
                       PROBE_SECONDS);
    if (!a.ok)
        *err = a.err;
    else
        *out = a.traits;
    return a.ok;
}

static struct {
    bool known;
    int number;
    struct cuda_traits traits;
} kept;

bool cuda_device_keep(int number, struct err *err)
{
    kept.number = number;
    kept.known = ask(number, &kept.traits, err);
    return kept.known;
}

bool cuda_device_probe(int number, struct cuda_traits *out, struct err *err)
{
    if (!kept.known || kept.number != number)
        return ask(number, out, err);
    *out = kept.traits;
    return true;
}

/* ---- in this process ---- */

static struct cuda_device *current;

struct cuda_device *cuda_device_current(void)
{
    return current;
}

bool cuda_device_open(struct cuda_device *d, int number, struct err *err)
{
    memset(d, 0, sizeof *d);
    d->number = number;
    if (!start(number, &d->handle, &d->api, &d->traits, err))
        return false;
    int status = d->api->retain(&d->context, d->handle);
    if (status == CUDA_FINE)
        status = d->api->use(d->context);
    if (status == CUDA_FINE)
        status = d->api->event_make(&d->start, 0);
    if (status == CUDA_FINE)
        status = d->api->event_make(&d->end, 0);
    if (status != CUDA_FINE)
        return refused(d->api, "the GPU gives no context", status, err);
    current = d;
    return true;
}

void cuda_device_close(struct cuda_device *d)
{
    if (!d->api)
        return;
    if (d->flushed)
        (void)d->api->release(d->flushed);
    if (d->start)
        (void)d->api->event_drop(d->start);
    if (d->end)
        (void)d->api->event_drop(d->end);
    (void)d->api->unretain(d->handle);
    d->api = NULL;
    current = current == d ? NULL : current;
}

static int flush(struct cuda_device *d)
{
    int status = CUDA_FINE;
    if (!d->flushed && d->traits.l2_bytes > 0) {
        d->flush_bytes = 2 * (size_t)d->traits.l2_bytes;
        status = d->api->allocate(&d->flushed, d->flush_bytes);
    }
    return status == CUDA_FINE && d->flushed ? d->api->fill(d->flushed, 0, d->flush_bytes, NULL) : status;
}

int cuda_device_time(struct cuda_device *d, const struct cuda_work *work, double *seconds)
{
    float ms = 0;
    int status = work->flush ? flush(d) : CUDA_FINE;
    if (status == CUDA_FINE)
        status = d->api->event_record(d->start, NULL);
    if (status == CUDA_FINE)
        status = work->enqueue(work->ctx);
    if (status == CUDA_FINE)
        status = d->api->event_record(d->end, NULL);
    if (status == CUDA_FINE)
        status = d->api->event_wait(d->end);
    if (status == CUDA_FINE)
        status = d->api->event_elapsed(&ms, d->start, d->end);
    if (status != CUDA_FINE &&
        !cuda_api_is_sticky(status)) { /* what was enqueued before may have failed in a worse way */
        int later = d->api->synchronize();
        status = cuda_api_is_sticky(later) ? later : status;
    }
    *seconds = (double)ms * 1e-3;
    d->timed_s += *seconds;
    d->timed++;
    return status;
}
