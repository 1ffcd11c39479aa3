/* SPDX-License-Identifier: Apache-2.0 */
#include "targets/cuda/cuda_parts.h"

#include "targets/cuda/cuda_device.h"
#include "targets/cuda/cupti_api.h"
#include "targets/cuda/library_search.h"
#include "targets/cuda/nvml.h"
#include "targets/cuda/nvrtc.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#define GIB ((double)(1 << 30))

static void __attribute__((format(printf, 2, 3))) works(struct cuda_part *p, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(p->about, sizeof p->about, fmt, args);
    va_end(args);
    p->works = true;
}

static void absent(struct cuda_part *p, const struct err *why)
{
    snprintf(p->about, sizeof p->about, "%.319s", why->text);
    p->works = false;
}

/* Returns the version, 0: there is none. */
static int driver(struct cuda_part *p)
{
    struct err why = {0};
    const struct cuda_api *api = cuda_api(&why);
    int version = 0;
    if (api && api->version(&version) == CUDA_FINE)
        works(p, "CUDA %d.%d", version / 1000, version % 1000 / 10);
    else
        absent(p, &why);
    return version;
}

static void gpu(struct cuda_part *p, struct cuda_traits *t)
{
    struct err why = {0};
    if (cuda_device_keep(0, &why) && cuda_device_probe(0, t, &why))
        works(p, "%s, sm_%d%d, %.1f GiB, %d multiprocessors", t->name, t->capability[0], t->capability[1],
              (double)t->memory_bytes / GIB, t->multiprocessors);
    else
        absent(p, &why);
}

static void compiler(struct cuda_part *p, int version, const struct cuda_traits *t)
{
    struct nvrtc v;
    struct nvrtc_goal goal;
    struct err why = {0};
    int arch = 10 * t->capability[0] + t->capability[1];
    char room[48];
    if (!nvrtc_open(&v, "", version, &why) || (arch && !nvrtc_choose(&v, arch, &goal, &why))) {
        absent(p, &why);
        return;
    }
    works(p, "%d.%d, for sm_%d to sm_%d%s%s (%s)", v.major, v.minor, v.known[0], v.known[v.nknown - 1],
          arch ? "; this GPU gets " : "", arch ? nvrtc_goal_words(&goal, room, sizeof room) : "", v.library);
}

static void profiler(struct cuda_part *p)
{
    struct err why = {0};
    const struct cupti_api *api = cupti_api(&why);
    uint32_t version = 0;
    if (api && api->version(&version) == 0)
        works(p, "version %u of its interface; whether counters are permitted shows in a run (%s)", version,
              library_path(cupti_api_library()));
    else
        absent(p, &why);
}

static void management(struct cuda_part *p, const struct cuda_traits *t)
{
    struct nvml_gpu nvml;
    struct nvml_state s;
    struct err why = {0};
    char version[96], throttle[160], clocks[64] = "clocks not known";
    if (!nvml_open(&nvml, t->bus, &why)) {
        absent(p, &why);
        return;
    }
    nvml_driver(&nvml, version, sizeof version);
    nvml_read(&nvml, &s);
    if (!isnan(s.sm_mhz))
        snprintf(clocks, sizeof clocks, "%.0f of %.0f MHz", s.sm_mhz, s.sm_most_mhz);
    works(p, "driver %s, %s, held back by: %s", version, clocks,
          nvml_throttle_words(s.throttle, throttle, sizeof throttle));
    nvml_close(&nvml);
}

void cuda_parts(struct cuda_part out[CUDA_PARTS])
{
    static const char *const NAMES[CUDA_PARTS] = {"driver", "gpu", "nvrtc", "cupti", "nvml"};
    struct cuda_traits traits = {0};
    for (int i = 0; i < CUDA_PARTS; i++)
        out[i] = (struct cuda_part){.name = NAMES[i]};
    int version = driver(&out[0]);
    gpu(&out[1], &traits);
    compiler(&out[2], version, &traits);
    profiler(&out[3]);
    management(&out[4], &traits);
}
