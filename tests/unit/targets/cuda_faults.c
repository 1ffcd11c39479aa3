/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_faults: target cuda where the driver, the device or a kernel fails, on doubles of NVIDIA's libraries
 * (tests/doubles): drivers that are old or do not start, devices that are absent, of another architecture, out of
 * memory or lost, kernels over the limits, errors that stay in the context. Each has its reason, and what can go on
 * does. */
#include "harness/base/cpus.h"
#include "harness/measure/measure.h"
#include "harness/measure/measurer.h"
#include "targets/targets.h"
#include "tests/lib/cuda_double.h"
#include "tests/lib/fixture.h"
#include "tests/lib/random_schedule.h"
#include "tests/lib/tap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CANDIDATES = 6, KERNEL_US = 100 };

static const char *fault_file, *lost_file, *log_file;

/* ---- opening ---- */

struct opening {
    const char *driver, *nvrtc, *settings; /* what the doubles are, and the target's settings */
    enum target_use use;
    const char *says; /* part of the reason; NULL: it opens */
    const char *name;
};
/* The first row comes before a driver has been accepted. */
static const struct opening OPENINGS[] = {
    {"version=10020", "", "", TARGET_EXAMINED, "the driver speaks CUDA 10.2; 11.0 is needed", "an old driver"},
    {"version=10020", "", "", TARGET_RUNS, "the driver speaks CUDA 10.2; 11.0 is needed", "an old driver in a runner"},
    {"init=100", "", "", TARGET_EXAMINED, "does not start: the driver finds no device (CUDA_ERROR_NO_DEVICE)",
     "a driver without a device"},
    {"init=803", "", "", TARGET_EXAMINED, "are of two versions (error 803)", "a driver of two versions"},
    {"init=100", "", "", TARGET_BUILDS, "(arch=sm_80 says it without a GPU)", "a build for a GPU that is not there"},
    {"init=100", "", "arch=sm_80", TARGET_BUILDS, NULL, "a build for a given architecture"},
    {"init=100", "", "arch=sm_80", TARGET_EXAMINED, "no device", "to run where only builds work"},
    {"init=100", "", "arch=sm_80", TARGET_RUNS, "no device", "a runner where only builds work"},
    {"devices=1", "", "device=3", TARGET_EXAMINED, "there is no GPU 3, only 1", "a GPU beyond the last"},
    {"devices=0", "", "", TARGET_EXAMINED, "there is no GPU 0 and no other one", "a driver with no GPU"},
    {"mode=2", "", "", TARGET_EXAMINED, "is in compute mode 'prohibited'", "a GPU that may not be used"},
    {"retain=2", "", "", TARGET_RUNS, "gives no context: no memory on the device", "a GPU without room for a context"},
    {"retain=46", "", "", TARGET_RUNS, "lost or taken by another process", "a GPU that another process has taken"},
    {"sm=80", "", "arch=80", TARGET_BUILDS, "arch '80' must be like sm_80", "an architecture in other words"},
    {"sm=80", "", "arch=sm_90", TARGET_EXAMINED, "code for sm_90 does not run on this GPU", "a newer architecture"},
    {"sm=86", "", "arch=sm_80", TARGET_EXAMINED, NULL, "an older architecture of the same kind"},
    {"sm=90", "", "arch=sm_80", TARGET_EXAMINED, "code for sm_80 does not run on this GPU", "one of an older kind"},
    {"sm=70", "", "", TARGET_EXAMINED, "no longer compiles for sm_70: its oldest is sm_75", "a GPU too old for NVRTC"},
    {"sm=70", "oldest=50", "", TARGET_EXAMINED, NULL, "the same with an older NVRTC"},
    {"sm=120", "", "", TARGET_EXAMINED, NULL, "a GPU too new for NVRTC"},
    {"version=12040", "", "", TARGET_EXAMINED, "makes code that the driver, of CUDA 12.4, cannot load",
     "an NVRTC newer than the driver"},
    {"version=12040", "version=12080", "", TARGET_RUNS, NULL, "an NVRTC of the driver's major version"},
};

static void test_openings(void)
{
    for (size_t i = 0; i < sizeof OPENINGS / sizeof *OPENINGS; i++) {
        const struct opening *w = &OPENINGS[i];
        struct cuda_opened o;
        setenv("CUDA_DOUBLE", w->driver, 1);
        setenv("NVRTC_DOUBLE", w->nvrtc, 1);
        bool opens = cuda_double_open(&o, w->use, w->settings);
        if (w->says)
            ok(!opens && strstr(o.err.text, w->says), "%s is refused with its reason: %s", w->name, o.err.text);
        else
            ok(opens, "%s is accepted %s", w->name, o.err.text);
        cuda_double_close(&o, opens);
    }
    setenv("CUDA_DOUBLE", "", 1);
    setenv("NVRTC_DOUBLE", "", 1);
}

/* As it comes from a runner: printed and parsed. */
static cJSON *description(struct cuda_opened *o)
{
    struct text text = {0};
    struct err err = {0};
    cJSON *about = json_object();
    cuda_double_target()->describe(o->self, about);
    json_print(about, &text);
    about = json_parse(text_str(&text), text.len, "description", &err);
    text_free(&text);
    fixture_must(about, &err);
    return about;
}

static void test_description(void)
{
    struct cuda_opened o;
    setenv("CUDA_DOUBLE", "sm=120,memory=17179869184", 1);
    bool opens = cuda_double_open(&o, TARGET_RUNS, "");
    if (!ok(opens, "a GPU that NVRTC does not know opens for runs %s", o.err.text))
        return;
    cJSON *about = description(&o);
    is_str(json_str(about, "gpu", ""), "Double of a GPU 0", "the GPU's name is described");
    ok(json_num(about, "gpu_memory_gib", 0) == 16, "the memory of the GPU is described");
    is_str(json_str(about, "code", ""), "PTX for compute_90", "a GPU that NVRTC does not know gets PTX");
    ok(strstr(json_str(about, "code_remark", ""), "does not know the GPU"), "the description says why it is PTX");
    is_str(json_str(about, "cuda_driver", ""), "13.0", "the driver's version is described");
    is_str(json_str(about, "gpu_driver", ""), "580.00.01", "the version of NVIDIA's driver is described");
    ok(json_num(about, "gpu_clock_mhz", 0) == 1410 && json_num(about, "gpu_clock_most_mhz", 0) == 1755 &&
           json_num(about, "gpu_memory_clock_mhz", 0) == 1215,
       "clocks are described, and the highest");
    ok(json_num(about, "gpu_temperature_c", 0) == 61 && json_num(about, "gpu_power_limit_w", 0) == 250,
       "temperature and power limit are described");
    is_str(json_str(about, "gpu_throttle", ""), "power limit", "what holds the clocks back is described");
    cJSON_Delete(about);
    cuda_double_close(&o, opens);
    setenv("NVML_DOUBLE", "init", 1);
    opens = cuda_double_open(&o, TARGET_RUNS, "");
    about = description(&o);
    is_str(json_str(about, "no_nvml", ""), "NVML does not start: Insufficient Permissions",
           "clocks that may not be read are described by the reason");
    cJSON_Delete(about);
    cuda_double_close(&o, opens);
    unsetenv("NVML_DOUBLE");
    setenv("CUDA_DOUBLE", "", 1);
}

/* ---- one program ---- */

static char *read_log(void)
{
    static char text[1 << 16];
    FILE *f = fopen(log_file, "re");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    text[n] = 0;
    if (f)
        fclose(f);
    return text;
}

static void test_timing(void)
{
    struct cuda_loaded l;
    cuda_double_load(&l, "clock=simulated");
    if (!ok(l.outcome == OUTCOME_OK, "a program is built and loaded %s", l.message)) {
        cuda_double_unload(&l);
        return;
    }
    setenv("CUDA_DOUBLE_LOG", log_file, 1);
    is_near(cuda_double_run(&l, 3), 3 * KERNEL_US * 1e-6, 1e-6, "seconds are those of all calls");
    is_str(read_log(),
           "copy in 128\ncopy in 128\ncopy in 256\nevent\nlaunch kernel_0 grid 2 1 1 block 32 1 1\n"
           "launch kernel_0 grid 2 1 1 block 32 1 1\nlaunch kernel_0 grid 2 1 1 block 32 1 1\nevent\ncopy out 256\n",
           "calls stand between two events, copies around them");
    remove(log_file);
    cuda_double_target()->flush(l.o.self);
    is_near(cuda_double_run(&l, 1), KERNEL_US * 1e-6, 1e-6, "a flush of the caches is in no seconds");
    ok(strstr(read_log(), "copy in 256\nfill 2097152\nevent\nlaunch"),
       "twice the second-level cache is written between the copies and the first event");
    remove(log_file);
    cuda_double_run(&l, 1);
    ok(!strstr(read_log(), "fill"), "a flush is for the next run only");
    unsetenv("CUDA_DOUBLE_LOG");
    cuda_double_unload(&l);
}

static void plant(const char *path, int status)
{
    FILE *f = fopen(path, "we");
    if (!f)
        bug("cannot write %s", path);
    fprintf(f, "%d\n", status);
    fclose(f);
}

static void test_errors(void)
{
    static const struct {
        int status;
        enum outcome outcome;
        bool stays;
        const char *says;
    } ROWS[] = {{700, OUTCOME_CRASHED, true, "run: an illegal address was used (CUDA_ERROR_ILLEGAL_ADDRESS)"},
                {702, OUTCOME_CRASHED, true, "the system ended a kernel that ran too long (error 702)"},
                {214, OUTCOME_CRASHED, true, "ECC cannot correct (error 214)"},
                {719, OUTCOME_CRASHED, true, "a kernel failed (error 719)"},
                {999, OUTCOME_CRASHED, true, "the device may be lost (CUDA_ERROR_UNKNOWN)"},
                {701, OUTCOME_OVER_LIMITS, false, "more registers or shared memory than there are (error 701)"},
                {1, OUTCOME_OVER_LIMITS, false, "run: a number that the driver does not take (error 1)"},
                {2, OUTCOME_OUT_OF_MEMORY, false, "no memory on the device (CUDA_ERROR_OUT_OF_MEMORY)"}};
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        struct cuda_loaded l;
        cuda_double_load(&l, "");
        plant(fault_file, ROWS[i].status);
        cuda_double_run(&l, 2);
        ok(l.outcome == ROWS[i].outcome && strstr(l.message, ROWS[i].says), "a launch that fails with %d is %s: %s",
           ROWS[i].status, outcome_word(l.outcome), l.message);
        if (!ROWS[i].stays) {
            cuda_double_run(&l, 1);
            ok(l.outcome == OUTCOME_OK, "the same program runs after error %d", ROWS[i].status);
        }
        cuda_double_unload(&l);
        cuda_double_forget();
    }
}

static void test_limits(void)
{
    struct cuda_loaded l;
    cuda_double_load(&l, "memory=300");
    ok(l.outcome == OUTCOME_OUT_OF_MEMORY && strstr(l.message, "no memory on the device for a tensor of 0.0 MiB"),
       "tensors that do not fit the device are out of memory: %s", l.message);
    cuda_double_unload(&l);
    cuda_double_load(&l, "threads=16");
    is_str(l.message, "kernel_0 has 32 threads a block; with 168 registers a thread the device allows 16",
           "a block over the kernel's registers is described");
    is_str(outcome_word(l.outcome), "over limits", "a block over the kernel's registers is over limits");
    cuda_double_unload(&l);
    struct cuda_opened o;
    struct blob object = {0};
    char message[SAMPLE_MESSAGE] = "";
    bool opens = cuda_double_open(&o, TARGET_BUILDS, "max_threads=16,arch=sm_80");
    struct candidate c = cuda_double_candidate(o.arena, CUDA_DOUBLE_SPEC);
    enum outcome outcome = opens ? cuda_double_target()->build(o.self, &c, &object, message) : OUTCOME_COUNT;
    ok(outcome == OUTCOME_INVALID && strstr(message, "32"), "a block over the device's limits is not built: %s",
       message);
    free(object.bytes);
    cuda_double_close(&o, opens);
}

/* ---- a campaign's measurer ---- */

static int build_workers = 1;

static struct measurer *measurer_open(const char *regime, bool overlap, struct err *err)
{
    static char settings[512];
    struct measure_options o = {.target = cuda_double_target(),
                                .target_settings = settings,
                                .build_workers = build_workers,
                                .force_overlap = overlap,
                                .seed = 3};
    struct measurer *m = NULL;
    struct limits limits;
    snprintf(settings, sizeof settings, "nvrtc=%s", cuda_double_nvrtc());
    setting_defaults(regime_settings, &o.regime);
    fixture_must(setting_parse(regime_settings, &o.regime, arena, regime, err), err);
    return measure_open(&o, &m, &limits, err) ? m : NULL;
}

struct plan_of_faults {
    int before; /* this candidate the fault is planted */
    const char *path;
    int status;
};

static bool plant_after(void *ctx, int i, const struct sample *s)
{
    const struct plan_of_faults *p = ctx;
    (void)s;
    if (i + 1 == p->before)
        plant(p->path, p->status);
    return true;
}

/* Measures CANDIDATES times the same program. */
static bool measure_all(struct measurer *m, struct plan_of_faults *plan, struct sample *s, int *measured,
                        struct err *err)
{
    struct candidate c[CANDIDATES];
    for (int i = 0; i < CANDIDATES; i++)
        c[i] = cuda_double_candidate(arena, CUDA_DOUBLE_SPEC);
    struct measured_batch b = {.candidates = c, .n = CANDIDATES, .samples = s, .done = plant_after, .ctx = plan};
    bool fine = measure_batch(m, &b, err);
    *measured = b.measured;
    return fine;
}

static const char QUICK[] = "number=1,repeat=2,min_repeat_ms=0";

static void test_runner(int status, enum outcome outcome, int runners, bool overlap)
{
    static struct sample s[CANDIDATES];
    struct err err = {0};
    struct plan_of_faults plan = {.before = 2, .path = fault_file, .status = status};
    struct measurer *m = measurer_open(QUICK, overlap, &err);
    int measured;
    if (!ok(m != NULL, "a measurer opens on target cuda %s", err.text))
        return;
    ok(m->runner.apart && m->beside == (overlap || cpus_usable() > 1),
       "target cuda says that its kernels leave the cores alone");
    bool fine = measure_all(m, &plan, s, &measured, &err);
    ok(fine && measured == CANDIDATES, "a batch goes on after error %d in one of its kernels %s", status, err.text);
    for (int i = 0; i < measured; i++)
        if (i == 2)
            ok(s[i].outcome == outcome, "the kernel with error %d is %s: %s", status, outcome_word(s[i].outcome),
               s[i].message);
        else if (s[i].outcome != OUTCOME_OK)
            fail("program %d is %s: %s", i, outcome_word(s[i].outcome), s[i].message);
    is_int(m->runners, runners, "after error %d there have been so many runners", status);
    measure_close(m);
}

/* By the process that forks the workers, through a child, and by the runner. */
static void test_asked_once(void)
{
    struct err err = {0};
    int starts = 0;
    remove(log_file);
    setenv("CUDA_DOUBLE_LOG", log_file, 1);
    build_workers = 5;
    struct measurer *m = measurer_open(QUICK, false, &err);
    build_workers = 1;
    unsetenv("CUDA_DOUBLE_LOG");
    ok(m != NULL, "a measurer with five build workers opens on target cuda %s", err.text);
    for (const char *at = read_log(); (at = strstr(at, "init 0 ")); at++)
        starts++;
    is_int(starts, 2, "the driver is started once for the runner and once for all that build");
    measure_close(m);
    remove(log_file);
}

static void test_lost(void)
{
    static struct sample s[CANDIDATES];
    struct err err = {0};
    struct plan_of_faults plan = {.before = 2, .path = lost_file, .status = 0};
    struct measurer *m = measurer_open(QUICK, false, &err);
    int measured = 0;
    if (!ok(m != NULL, "a measurer opens before the device is lost %s", err.text))
        return;
    bool fine = measure_all(m, &plan, s, &measured, &err);
    ok(!fine && strstr(err.text, "the driver finds no device (CUDA_ERROR_NO_DEVICE)"),
       "a batch whose device is lost for good stops with the reason: %s", err.text);
    ok(measured >= 2 && s[0].outcome == OUTCOME_OK && s[1].outcome == OUTCOME_OK, "what was measured before is kept");
    measure_close(m);
    struct measurer *again = measurer_open(QUICK, false, &err);
    ok(!again && strstr(err.text, "no device"), "no measurer opens on a lost device: %s", err.text);
    remove(lost_file);
}

static void test_flush(void)
{
    static struct sample s[CANDIDATES];
    struct err err = {0};
    struct plan_of_faults plan = {.before = -1};
    int measured, fills = 0;
    setenv("CUDA_DOUBLE_LOG", log_file, 1);
    remove(log_file);
    struct measurer *m = measurer_open("number=3,repeat=2,cache_flush=true", false, &err);
    ok(m && measure_all(m, &plan, s, &measured, &err) && s[0].outcome == OUTCOME_OK && s[0].nseconds == 2,
       "a regime with cache_flush is measured %s", err.text);
    for (const char *at = read_log(); (at = strstr(at, "fill 2097152")); at++)
        fills++;
    is_int(fills, 2 * CANDIDATES, "each repeat is preceded by one flush of the device's cache");
    measure_close(m);
    unsetenv("CUDA_DOUBLE_LOG");
}

int main(int argc, char **argv)
{
    (void)argc;
    cuda_double_enter(argv);
    fault_file = fixture_path("fault");
    lost_file = fixture_path("fault-lost");
    log_file = fixture_path("log");
    setenv("CUDA_DOUBLE_FAULT", fault_file, 1);
    test_openings();
    test_description();
    test_timing();
    test_limits();
    test_errors();
    test_runner(700, OUTCOME_CRASHED, 2, false);
    test_runner(700, OUTCOME_CRASHED, 2, true);
    test_runner(701, OUTCOME_OVER_LIMITS, 1, true);
    test_asked_once();
    test_lost();
    test_flush();
    return done_testing();
}
