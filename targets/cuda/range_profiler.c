/* SPDX-License-Identifier: Apache-2.0 */
#include "targets/cuda/range_profiler.h"

#include "targets/cuda/profiler_params.h"

#include <stdlib.h>
#include <string.h>

/* member, function, parameter */
#define PROFILER_FUNCTIONS(X)                                                                                          \
    X(start_up, "cuptiProfilerInitialize", profiler_plain)                                                             \
    X(chip, "cuptiDeviceGetChipName", profiler_chip)                                                                   \
    X(available, "cuptiProfilerGetCounterAvailability", profiler_available)                                            \
    X(host_open, "cuptiProfilerHostInitialize", profiler_host)                                                         \
    X(host_close, "cuptiProfilerHostDeinitialize", profiler_object)                                                    \
    X(host_add, "cuptiProfilerHostConfigAddMetrics", profiler_names)                                                   \
    X(host_config_bytes, "cuptiProfilerHostGetConfigImageSize", profiler_bytes)                                        \
    X(host_config, "cuptiProfilerHostGetConfigImage", profiler_image)                                                  \
    X(host_passes, "cuptiProfilerHostGetNumOfPasses", profiler_passes)                                                 \
    X(host_values, "cuptiProfilerHostEvaluateToGpuValues", profiler_values)                                            \
    X(enable, "cuptiRangeProfilerEnable", profiler_enable)                                                             \
    X(disable, "cuptiRangeProfilerDisable", profiler_object)                                                           \
    X(data_bytes, "cuptiRangeProfilerGetCounterDataSize", profiler_data)                                               \
    X(data_open, "cuptiRangeProfilerCounterDataImageInitialize", profiler_image)                                       \
    X(set, "cuptiRangeProfilerSetConfig", profiler_config)                                                             \
    X(start, "cuptiRangeProfilerStart", profiler_object)                                                               \
    X(stop, "cuptiRangeProfilerStop", profiler_stop)                                                                   \
    X(decode, "cuptiRangeProfilerDecodeData", profiler_decode)                                                         \
    X(count, "cuptiRangeProfilerGetCounterDataInfo", profiler_count)

struct profiler_api {
#define X(member, name, type) int (*member)(struct type *);
    PROFILER_FUNCTIONS(X)
#undef X
};
static const char *const NAMES[] = {PROFILER_FUNCTIONS(LIBRARY_NAME) NULL};

static const struct profiler_api *load(struct err *err)
{
    static struct profiler_api api;
    if (library_functions(cupti_api_library(), NAMES, &api, sizeof api, "this CUPTI", "", err))
        return &api;
    err_set(err, "this CUPTI has no range profiler (CUDA 12.6 and later have it)");
    return NULL;
}

static bool profiler_failed(const struct range_profiler *p, const char *what, int status, struct err *err)
{
    return err_set(err, "%s: %s (%d)", what, cupti_api_words(p->cupti, status), status);
}

/* ---- the host's side ---- */

static int add(const struct range_profiler *p, void *host, const char **names, int n)
{
    struct profiler_names to = {SIZE_TO(profiler_names, n), NULL, host, names, (size_t)n};
    return p->api->host_add(&to);
}

static int host_open(const struct range_profiler *p, const char *chip, const uint8_t *available, void **host)
{
    struct profiler_host to = {.size = SIZE_TO(profiler_host, host), .chip = chip, .available = available};
    int status = p->api->host_open(&to);
    *host = to.host;
    return status;
}

static void host_close(const struct range_profiler *p, void *host)
{
    struct profiler_object to = {SIZE_TO(profiler_object, object), NULL, host};
    if (host)
        (void)p->api->host_close(&to);
}

/* Each metric on a host of its own: one that is not known spoils the host that it was added to (CUPTI 13.0). */
static int try_metrics(struct range_profiler *p, const char *chip, const uint8_t *available)
{
    for (int i = 0; i < p->n; i++) {
        struct profiler_metric *m = &p->metrics[i];
        void *host = NULL;
        int status = host_open(p, chip, available, &host);
        if (status != 0)
            return status;
        m->status = add(p, host, &m->name, 1);
        m->present = m->status == 0;
        if (m->present)
            p->names[p->nnames++] = m->name;
        host_close(p, host);
    }
    return 0;
}

static int make_config(struct range_profiler *p)
{
    struct profiler_bytes bytes = {.size = SIZE_TO(profiler_bytes, bytes), .host = p->host};
    int status = p->api->host_config_bytes(&bytes);
    p->config_bytes = bytes.bytes;
    p->config = status == 0 ? malloc(bytes.bytes + 1) : NULL;
    if (!p->config)
        return status ? status : 8; /* CUPTI_ERROR_OUT_OF_MEMORY */
    struct profiler_image image = {SIZE_TO(profiler_image, image), NULL, p->host, p->config_bytes, p->config};
    struct profiler_passes passes = {SIZE_TO(profiler_passes, n), NULL, p->config_bytes, p->config, 0};
    status = p->api->host_config(&image);
    if (status == 0)
        status = p->api->host_passes(&passes);
    p->passes = (int)passes.n;
    return status;
}

bool range_profiler_plan(struct range_profiler *p, const char *chip, const uint8_t *available,
                         struct profiler_metric *metrics, int n, struct err *err)
{
    memset(p, 0, sizeof *p);
    p->metrics = metrics;
    p->n = n < PROFILER_METRICS ? n : PROFILER_METRICS;
    p->cupti = cupti_api(err);
    p->api = p->cupti ? load(err) : NULL;
    if (!p->api)
        return false;
    int status = try_metrics(p, chip, available);
    if (status == 0)
        status = host_open(p, chip, available, &p->host);
    if (status != 0)
        return profiler_failed(p, "CUPTI does not know the GPU's chip", status, err);
    if (!p->nnames)
        return err_set(err, "CUPTI has none of the metrics for chip %s", chip);
    status = add(p, p->host, p->names, p->nnames);
    if (status == 0)
        status = make_config(p);
    return status == 0 || profiler_failed(p, "CUPTI cannot plan the counters", status, err);
}

/* ---- with a GPU ---- */

/* What the driver says of the GPU's counters, malloc'd; NULL with a status. */
static uint8_t *counters_available(const struct range_profiler *p, void *context, int *status)
{
    struct profiler_available to = {.size = SIZE_TO(profiler_available, image), .context = context};
    *status = p->api->available(&to);
    to.image = *status == 0 ? malloc(to.bytes + 1) : NULL;
    if (to.image && (*status = p->api->available(&to)) != 0) {
        free(to.image);
        return NULL;
    }
    return to.image;
}

/* Room for the counters of PROFILER_RANGES launches. */
static int make_room(struct range_profiler *p)
{
    struct profiler_data bytes = {.size = SIZE_TO(profiler_data, bytes),
                                  .ranges = p->ranges,
                                  .names = p->names,
                                  .n = (size_t)p->nnames,
                                  .most_ranges = PROFILER_RANGES,
                                  .most_nodes = PROFILER_RANGES};
    int status = p->api->data_bytes(&bytes);
    p->data_bytes = bytes.bytes;
    free(p->data);
    p->data = status == 0 ? malloc(bytes.bytes + 1) : NULL;
    if (!p->data)
        return status ? status : 8;
    struct profiler_image image = {SIZE_TO(profiler_image, image), NULL, p->ranges, p->data_bytes, p->data};
    return p->api->data_open(&image);
}

static int set_config(const struct range_profiler *p)
{
    struct profiler_config to = {.size = SIZE_TO(profiler_config, level),
                                 .ranges = p->ranges,
                                 .config_bytes = p->config_bytes,
                                 .config = p->config,
                                 .data_bytes = p->data_bytes,
                                 .data = p->data,
                                 .range = ONE_RANGE_A_LAUNCH,
                                 .replay = REPLAY_LAUNCHES,
                                 .most_ranges = PROFILER_RANGES,
                                 .levels = 1,
                                 .first_level = 1,
                                 .level = 1};
    return p->api->set(&to);
}

static int enable(struct range_profiler *p)
{
    struct profiler_enable to = {.size = SIZE_TO(profiler_enable, ranges), .context = p->context};
    int status = p->api->enable(&to);
    p->ranges = status == 0 ? to.ranges : NULL;
    return status;
}

bool range_profiler_open(struct range_profiler *p, int device, void *context, struct profiler_metric *metrics, int n,
                         struct err *err)
{
    struct profiler_plain plain = {.size = SIZE_TO(profiler_plain, reserved)};
    struct profiler_chip chip = {.size = SIZE_TO(profiler_chip, name), .device = (size_t)device};
    memset(p, 0, sizeof *p);
    p->cupti = cupti_api(err);
    p->api = p->cupti ? load(err) : NULL;
    if (!p->api)
        return false;
    int status = p->api->start_up(&plain);
    if (status == 0)
        status = p->api->chip(&chip);
    if (status != 0)
        return profiler_failed(p, "CUPTI's profiler does not start", status, err);
    uint8_t *available = counters_available(p, context, &status);
    if (!available)
        return profiler_failed(p, "the GPU's counters", status, err);
    bool planned = range_profiler_plan(p, chip.name, available, metrics, n, err);
    free(available);
    if (!planned)
        range_profiler_close(p);
    p->context = context;
    return planned;
}

static void disable(struct range_profiler *p)
{
    struct profiler_object to = {SIZE_TO(profiler_object, object), NULL, p->ranges};
    if (p->ranges)
        (void)p->api->disable(&to);
    p->ranges = NULL;
}

bool range_profiler_start(struct range_profiler *p, struct err *err)
{
    int status = enable(p);
    struct profiler_object to = {SIZE_TO(profiler_object, object), NULL, p->ranges};
    if (status == 0)
        status = make_room(p);
    if (status == 0)
        status = set_config(p);
    if (status == 0)
        status = p->api->start(&to);
    if (status != 0)
        disable(p);
    return status == 0 || profiler_failed(p, "the GPU's counters do not start", status, err);
}

static int add_range(const struct range_profiler *p, size_t range, double *sums)
{
    double values[PROFILER_METRICS] = {0};
    const char *names[PROFILER_METRICS];
    memcpy(names, p->names, sizeof names);
    struct profiler_values to = {.size = SIZE_TO(profiler_values, values),
                                 .host = p->host,
                                 .data = p->data,
                                 .bytes = p->data_bytes,
                                 .range = range,
                                 .names = names,
                                 .n = (size_t)p->nnames,
                                 .values = values};
    int status = p->api->host_values(&to);
    for (int i = 0; i < p->nnames && status == 0; i++)
        sums[i] += values[i];
    return status;
}

static bool read_counts(struct range_profiler *p, double *sums, int *launches, struct err *err)
{
    struct profiler_stop stop = {.size = SIZE_TO(profiler_stop, done), .ranges = p->ranges};
    struct profiler_decode decode = {.size = SIZE_TO(profiler_decode, dropped), .ranges = p->ranges};
    struct profiler_count count = {SIZE_TO(profiler_count, n), NULL, p->data, p->data_bytes, 0};
    memset(sums, 0, sizeof *sums * (size_t)p->nnames);
    *launches = 0;
    int status = p->api->stop(&stop);
    if (status == 0 && !stop.done)
        return err_set(err, "not all passes of the GPU's counters have been run");
    if (status == 0)
        status = p->api->decode(&decode);
    if (status == 0 && decode.dropped)
        return err_set(err, "more than %d launches: %zu were not counted", PROFILER_RANGES, decode.dropped);
    if (status == 0)
        status = p->api->count(&count);
    for (size_t i = 0; i < count.n && status == 0; i++, ++*launches)
        status = add_range(p, i, sums);
    return status == 0 || profiler_failed(p, "the GPU's counters cannot be read", status, err);
}

bool range_profiler_stop(struct range_profiler *p, double *sums, int *launches, struct err *err)
{
    bool fine = read_counts(p, sums, launches, err);
    disable(p);
    return fine;
}

void range_profiler_close(struct range_profiler *p)
{
    if (p->api) {
        disable(p);
        host_close(p, p->host);
    }
    free(p->config);
    free(p->data);
    p->host = NULL;
    p->config = p->data = NULL;
}
