/* SPDX-License-Identifier: Apache-2.0 */
/* cupti: a double of CUPTI (libcupti.so.13) for tests: its records are of the launches that tests/doubles/cuda.c has
 * seen. CUPTI_DOUBLE: "enable=35" records cannot be had for that reason, "percent=90" kernels seem to take that share
 * of their time, "dropped=2" so many records are lost, "silent=1" there are none, "untimed=1" they have no times,
 * "first=5000" the first launch after records were asked for begins so many us late, "counters=35" counters cannot be
 * had, "lost=2" so many launches are not counted, "undone=1" passes are left. CUPTI_DOUBLE_MISSING: metrics with that
 * word are unknown. Parameters are read as CUPTI's headers have them: 8 bytes each, the size first. The n-th metric
 * counts 10 * n a launch. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define API __attribute__((visibility("default")))
enum { RECORD = 216, QUEUE_EMPTY = 18, KERNELS = 10 };

static void (*wanted)(uint8_t **, size_t *, size_t *);
static void (*filled)(void *, uint32_t, uint8_t *, size_t, size_t);
static int enabled, from, counting, counted_from;
static size_t metrics, room;

static int number(const char *name, int fallback)
{
    const char *all = getenv("CUPTI_DOUBLE"), *at = all ? strstr(all, name) : NULL;
    return at ? atoi(at + strlen(name) + 1) : fallback;
}

static void *of_driver(const char *name)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    return driver ? dlsym(driver, name) : NULL;
}

static int launches(const uint64_t **pairs)
{
    int (*ask)(const uint64_t **) = NULL;
    *(void **)&ask = of_driver("cuda_double_launches");
    return ask ? ask(pairs) : 0;
}

static void delay(double us)
{
    void (*next)(double) = NULL;
    *(void **)&next = of_driver("cuda_double_delay");
    if (next)
        next(us);
}

API int cuptiGetVersion(uint32_t *version)
{
    *version = 130001;
    return 0;
}

API int cuptiGetResultString(int status, const char **words)
{
    *words = "CUPTI_ERROR_UNKNOWN";
    return status ? 0 : 1;
}

API int cuptiActivityRegisterCallbacks(void (*wants)(uint8_t **, size_t *, size_t *),
                                       void (*fills)(void *, uint32_t, uint8_t *, size_t, size_t))
{
    wanted = wants;
    filled = fills;
    return 0;
}

API int cuptiActivityEnable(int kind)
{
    const uint64_t *pairs;
    int status = number("enable", 0);
    enabled = status == 0 && kind == KERNELS;
    from = launches(&pairs);
    delay(number("first", 0));
    return status;
}

API int cuptiActivityDisable(int kind)
{
    enabled = enabled && kind != KERNELS;
    return 0;
}

/* All launches since the start or the last flush, in one buffer; times are shortened around the first start. */
API int cuptiActivityFlushAll(uint32_t flags)
{
    const uint64_t *pairs = NULL;
    uint8_t *buffer = NULL;
    size_t size = 0, most = 0, valid = 0;
    int n = number("silent", 0) ? 0 : launches(&pairs);
    uint64_t percent = (uint64_t)number("percent", 100);
    (void)flags;
    if (!enabled || n <= from)
        return 0;
    wanted(&buffer, &size, &most);
    for (int i = from; i < n && valid + RECORD <= size; i++, valid += RECORD) {
        uint64_t times[2] = {pairs[2 * from] + (pairs[2 * i] - pairs[2 * from]) * percent / 100,
                             pairs[2 * from] + (pairs[2 * i + 1] - pairs[2 * from]) * percent / 100};
        memset(buffer + valid, 0, RECORD);
        memcpy(buffer + valid, &(uint32_t){KERNELS}, 4);
        if (!number("untimed", 0))
            memcpy(buffer + valid + 16, times, sizeof times);
    }
    filled(NULL, 0, buffer, size, valid);
    from = n;
    return 0;
}

API int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, void **record)
{
    uint8_t *next = *record ? (uint8_t *)*record + RECORD : buffer;
    if (next + RECORD > buffer + valid)
        return QUEUE_EMPTY;
    *record = next;
    return 0;
}

API int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *n)
{
    (void)context, (void)stream;
    *n = (size_t)number("dropped", 0);
    return 0;
}

/* ---- counters ---- */

API int cuptiProfilerInitialize(const size_t *p)
{
    return p[0] == 16 ? 0 : 1;
}

API int cuptiDeviceGetChipName(void **p)
{
    static char name[] = "GA100";
    p[3] = name;
    return (size_t)p[0] == 32 ? 0 : 1;
}

API int cuptiProfilerGetCounterAvailability(size_t *p)
{
    p[3] = 8;
    return p[0] == 40 ? number("counters", 0) : 1;
}

API int cuptiProfilerHostInitialize(void **p)
{
    p[5] = calloc(1, 8);
    return (size_t)p[0] == 48 && strcmp(p[3], "GA100") == 0 ? 0 : 46;
}

API int cuptiProfilerHostDeinitialize(void **p)
{
    free(p[2]);
    return (size_t)p[0] == 24 ? 0 : 1;
}

API int cuptiProfilerHostConfigAddMetrics(void **p)
{
    const char *missing = getenv("CUPTI_DOUBLE_MISSING"), **names = p[3];
    char *spoiled = p[2]; /* as the real one, by a metric that it does not know */
    for (size_t i = 0; i < (size_t)p[4]; i++)
        if (*spoiled || (missing && strstr(names[i], missing))) {
            int status = *spoiled ? 999 : 1;
            *spoiled = 1;
            return status;
        }
    metrics = (size_t)p[4];
    return (size_t)p[0] == 40 ? 0 : 1;
}

API int cuptiProfilerHostGetConfigImageSize(size_t *p)
{
    p[3] = 64;
    return p[0] == 32 ? 0 : 1;
}

API int cuptiProfilerHostGetConfigImage(void **p)
{
    memset(p[4], 7, (size_t)p[3]);
    return (size_t)p[0] == 40 ? 0 : 1;
}

API int cuptiProfilerHostGetNumOfPasses(size_t *p)
{
    p[4] = metrics;
    return p[0] == 40 ? 0 : 1;
}

API int cuptiProfilerHostEvaluateToGpuValues(void **p)
{
    double *values = p[8];
    for (size_t i = 0; i < (size_t)p[7]; i++)
        values[i] = 10 * (double)(i + 1);
    return (size_t)p[0] == 72 && (size_t)p[4] == room ? 0 : 1;
}

API int cuptiRangeProfilerEnable(void **p)
{
    p[3] = &counting;
    return (size_t)p[0] == 32 && p[2] ? 0 : 1;
}

API int cuptiRangeProfilerDisable(const size_t *p)
{
    counting = 0;
    return p[0] == 24 ? 0 : 1;
}

API int cuptiRangeProfilerGetCounterDataSize(size_t *p)
{
    p[7] = room = 128;
    return p[0] == 64 && p[4] == metrics ? 0 : 1;
}

API int cuptiRangeProfilerCounterDataImageInitialize(void **p)
{
    memset(p[4], 0, (size_t)p[3]);
    return (size_t)p[0] == 40 && (size_t)p[3] == room ? 0 : 1;
}

API int cuptiRangeProfilerSetConfig(const size_t *p)
{
    int range, replay;
    memcpy(&range, (const char *)p + 56, sizeof range);
    memcpy(&replay, (const char *)p + 60, sizeof replay);
    return p[3] == 64 && p[5] == room && range == 1 && replay == 2 ? 0 : 1;
}

API int cuptiRangeProfilerStart(const size_t *p)
{
    const uint64_t *pairs;
    counting = 1;
    counted_from = launches(&pairs);
    return p[0] == 24 ? 0 : 1;
}

API int cuptiRangeProfilerStop(size_t *p)
{
    ((char *)p)[40] = (char)!number("undone", 0);
    return p[0] == 41 ? 0 : 1;
}

API int cuptiRangeProfilerDecodeData(size_t *p)
{
    p[3] = (size_t)number("lost", 0);
    return p[0] == 32 ? 0 : 1;
}

API int cuptiRangeProfilerGetCounterDataInfo(size_t *p)
{
    const uint64_t *pairs;
    p[4] = (size_t)(launches(&pairs) - counted_from);
    return p[0] == 40 ? 0 : 1;
}
