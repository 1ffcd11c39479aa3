/* SPDX-License-Identifier: Apache-2.0 */
/* cupti: the collector that confirms the times of events by CUPTI's own records of kernels (Activity API; CUDA 11 and
 * later ask for no rights to do so). Per call: seconds in kernels, seconds from the first kernel's start to the last
 * one's end, seconds by events, kernels. The last two counters compare: events_difference is the events' seconds over
 * CUPTI's span, less 1. It holds the way from the first event to the first kernel, some microseconds, so of short runs
 * it is large. Where it is more than 2 %, events_confirmed is absent, with both numbers in its reason. The first launch
 * under CUPTI sets it up, between the first event and the first kernel: what it takes is forgotten (rewind). Nothing is
 * enabled before start and after stop, and counted runs have a runner of their own. */
#include "harness/plug/collector.h"
#include "targets/cuda/cuda_device.h"
#include "targets/cuda/cupti_api.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define AGREES 0.02 /* share by which events and CUPTI may differ */
enum { BUFFER_BYTES = 1 << 20, ALIGNED = 8 };

struct cupti {
    const struct cupti_api *api;
};
/* CUPTI's callbacks have no argument of ours. */
static struct {
    const struct cupti_api *api;
    uint64_t first, last, sum; /* ns */
    int64_t kernels, untimed;
    size_t dropped;
} seen;

static void buffer_wanted(uint8_t **buffer, size_t *size, size_t *most)
{
    *buffer = aligned_alloc(ALIGNED, BUFFER_BYTES);
    *size = *buffer ? BUFFER_BYTES : 0;
    *most = 0;
}

/* Times of 0 say that CUPTI does not know them. */
static void add_kernel(const struct cupti_kernel *k)
{
    if (!k->start || k->end < k->start) {
        seen.untimed++;
        return;
    }
    seen.first = seen.kernels && seen.first < k->start ? seen.first : k->start;
    seen.last = seen.kernels && seen.last > k->end ? seen.last : k->end;
    seen.sum += k->end - k->start;
    seen.kernels++;
}

static void buffer_filled(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
    void *record = NULL;
    size_t dropped = 0;
    (void)size;
    while (valid && seen.api->next(buffer, valid, &record) == 0) {
        const struct cupti_kernel *k = record;
        if (k->kind == CUPTI_KERNELS)
            add_kernel(k);
    }
    if (seen.api->dropped(context, stream, &dropped) == 0)
        seen.dropped += dropped;
    free(buffer);
}

static bool cupti_failed(const struct cupti_api *api, const char *what, int status, struct err *err)
{
    return err_set(err, "CUPTI %s: %s (%d)", what, cupti_api_words(api, status), status);
}

static bool cupti_open(void *self, struct err *err)
{
    struct cupti *c = self;
    c->api = NULL;
    if (!cuda_device_current())
        return err_set(err, "it counts in runs of target cuda only");
    c->api = cupti_api(err);
    return c->api != NULL;
}

static void forget(const struct cupti *c)
{
    struct cuda_device *d = cuda_device_current();
    seen.api = c->api;
    seen.first = seen.last = seen.sum = 0;
    seen.kernels = seen.untimed = 0;
    seen.dropped = 0;
    d->timed_s = 0;
    d->timed = 0;
}

static bool cupti_start(void *self, struct err *err)
{
    const struct cupti *c = self;
    int status = c->api->register_buffers(buffer_wanted, buffer_filled);
    forget(c);
    if (status == 0)
        status = c->api->enable(CUPTI_KERNELS);
    return status == 0 || cupti_failed(c->api, "records no kernels", status, err);
}

static bool cupti_rewind(void *self, struct err *err)
{
    const struct cupti *c = self;
    int status = c->api->flush(CUPTI_FORCED);
    forget(c);
    return status == 0 || cupti_failed(c->api, "gives no records", status, err);
}

/* Why the two times cannot be compared, or do not agree; "" they do. */
static void compare(double span_s, const struct cuda_device *d, double difference, char why[96])
{
    why[0] = 0;
    if (!seen.kernels || !(span_s > 0))
        snprintf(why, 96, "CUPTI has recorded no kernel");
    else if (d->timed != 1)
        snprintf(why, 96, "there are %d times of events", d->timed);
    else if (seen.untimed)
        snprintf(why, 96, "CUPTI has no times of %lld kernels", (long long)seen.untimed);
    else if (seen.dropped)
        snprintf(why, 96, "CUPTI has dropped %zu records", seen.dropped);
    else if (fabs(difference) > AGREES)
        snprintf(why, 96, "events say %.4g s, CUPTI %.4g s: %+.1f %%", d->timed_s, span_s, 100 * difference);
}

static bool cupti_stop(void *self, struct counter *out, int *n, struct err *err)
{
    const struct cupti *c = self;
    const struct cuda_device *d = cuda_device_current();
    int status = c->api->flush(CUPTI_FORCED), off = c->api->disable(CUPTI_KERNELS);
    if (status != 0 || off != 0)
        return cupti_failed(c->api, "gives no records", status ? status : off, err);
    double span_s = (double)(seen.last - seen.first) * 1e-9, difference = d->timed_s / span_s - 1;
    out[0] = counter_of("gpu_kernel_s", (double)seen.sum * 1e-9);
    out[1] = counter_of("gpu_span_s", span_s);
    out[2] = counter_of("gpu_event_s", d->timed_s);
    out[3] = counter_of("gpu_kernels", (double)seen.kernels);
    out[4] = counter_of("gpu_events_difference", difference);
    out[5] = counter_of("gpu_events_confirmed", 1);
    out[4].level = out[5].level = true;
    *n = 6;
    compare(span_s, d, difference, out[5].reason);
    out[5].present = !out[5].reason[0];
    for (int i = 0; i < 5 && !(seen.kernels && span_s > 0); i++)
        if (i != 2) {
            out[i].present = false;
            snprintf(out[i].reason, sizeof out[i].reason, "CUPTI has recorded no kernel");
        }
    return true;
}

extern const struct collector collector_cupti;
const struct collector collector_cupti = {
    .name = "cupti",
    .summary = "when kernels of target cuda ran, by CUPTI; do the times of events agree?",
    .state_size = sizeof(struct cupti),
    .open = cupti_open,
    .start = cupti_start,
    .rewind = cupti_rewind,
    .stop = cupti_stop,
};
