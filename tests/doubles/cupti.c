/* SPDX-License-Identifier: Apache-2.0 */
/* cupti: a double of CUPTI (libcupti.so.13) for tests: its records are of the launches that tests/doubles/cuda.c has
 * seen. CUPTI_DOUBLE: "enable=35" records cannot be had for that reason, "percent=90" kernels seem to take that share
 * of their time, "dropped=2" so many records are lost, "silent=1" there are none. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define API __attribute__((visibility("default")))
enum { RECORD = 216, QUEUE_EMPTY = 18, KERNELS = 10 };

static void (*wanted)(uint8_t **, size_t *, size_t *);
static void (*filled)(void *, uint32_t, uint8_t *, size_t, size_t);
static int enabled, from;

static int number(const char *name, int fallback)
{
    const char *all = getenv("CUPTI_DOUBLE"), *at = all ? strstr(all, name) : NULL;
    return at ? atoi(at + strlen(name) + 1) : fallback;
}

static int launches(const uint64_t **pairs)
{
    int (*ask)(const uint64_t **) = NULL;
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (driver)
        *(void **)&ask = dlsym(driver, "cuda_double_launches");
    return ask ? ask(pairs) : 0;
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
    return status;
}

API int cuptiActivityDisable(int kind)
{
    enabled = enabled && kind != KERNELS;
    return 0;
}

/* All launches since the start, in one buffer; their times are shortened around the first start. */
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
        memcpy(buffer + valid + 16, times, sizeof times);
    }
    filled(NULL, 0, buffer, size, valid);
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
