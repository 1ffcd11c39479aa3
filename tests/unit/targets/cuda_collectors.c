/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_collectors: the collectors of target cuda on doubles of NVIDIA's libraries (tests/doubles): CUPTI's records
 * against events, what NVML gives, and the reasons of what cannot be had. */
#include "harness/plug/collector.h"
#include "targets/cuda/cuda_parts.h"
#include "tests/lib/cuda_double.h"
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

#include <stdlib.h>
#include <string.h>

struct counted {
    struct counter at[COLLECTOR_COUNTERS];
    int n;
    struct err err;
};

/* Counters of so many calls of the double's program, as a counted run takes them. */
static bool count(const char *name, int calls, struct counted *out)
{
    struct cuda_loaded l;
    const struct collector *c = fixture_collector(name);
    void *self = arena_alloc(arena, c->state_size);
    *out = (struct counted){0};
    cuda_double_load(&l, "clock=simulated");
    bool opens = l.outcome == OUTCOME_OK && c->open(self, &out->err);
    bool fine = opens && (!c->start || c->start(self, &out->err));
    if (fine && c->rewind) {
        cuda_double_run(&l, 1);
        fine = c->rewind(self, &out->err);
    }
    if (fine)
        cuda_double_run(&l, calls);
    fine = fine && c->stop(self, out->at, &out->n, &out->err);
    if (opens && c->close)
        c->close(self);
    cuda_double_unload(&l);
    return fine;
}

static const struct counter *find(const struct counted *c, const char *name)
{
    for (int i = 0; i < c->n; i++)
        if (str_eq(c->at[i].name, name))
            return &c->at[i];
    bug("there is no counter %s", name);
}

static void test_agreement(void)
{
    struct counted c;
    if (!ok(count("cupti", 3, &c), "CUPTI's records are counted %s", c.err.text))
        return;
    is_near(find(&c, "gpu_kernel_s")->value, 3e-4, 1e-6, "seconds in kernels are summed");
    is_near(find(&c, "gpu_span_s")->value, 3e-4, 1e-6, "the span is from the first start to the last end");
    is_near(find(&c, "gpu_event_s")->value, 3e-4, 1e-6, "seconds by events are those of the run");
    ok(find(&c, "gpu_kernels")->value == 3, "every launch has a record");
    ok(find(&c, "gpu_events_confirmed")->present, "events that agree with CUPTI are confirmed");
    setenv("CUPTI_DOUBLE", "percent=99", 1);
    ok(count("cupti", 3, &c) && find(&c, "gpu_events_confirmed")->present, "one in a hundred is still agreement");
    setenv("CUPTI_DOUBLE", "percent=90", 1);
    count("cupti", 3, &c);
    is_near(find(&c, "gpu_events_difference")->value, 1 / 0.9 - 1, 1e-4, "the difference is a share of CUPTI's span");
    is_str(find(&c, "gpu_events_confirmed")->reason, "events say 0.0003 s, CUPTI 0.00027 s: +11.1 %",
           "events that differ from CUPTI by more than one part in fifty are reported");
    ok(!find(&c, "gpu_events_confirmed")->present, "events that differ from CUPTI are not confirmed");
    setenv("CUPTI_DOUBLE", "first=5000", 1);
    ok(count("cupti", 3, &c) && find(&c, "gpu_events_confirmed")->present && find(&c, "gpu_kernels")->value == 3,
       "what the first launch under CUPTI takes is not held against events");
    unsetenv("CUPTI_DOUBLE");
}

static void test_refusals(void)
{
    struct counted c;
    setenv("CUPTI_DOUBLE", "enable=35", 1);
    ok(!count("cupti", 1, &c) && strstr(c.err.text, "CUPTI records no kernels: no permission"),
       "records that the driver keeps for administrators have that reason: %s", c.err.text);
    setenv("CUPTI_DOUBLE", "enable=39", 1);
    ok(!count("cupti", 1, &c) && strstr(c.err.text, "another profiler is attached"), "another profiler is a reason: %s",
       c.err.text);
    setenv("CUPTI_DOUBLE", "dropped=2", 1);
    count("cupti", 1, &c);
    is_str(find(&c, "gpu_events_confirmed")->reason, "CUPTI has dropped 2 records", "dropped records confirm nothing");
    setenv("CUPTI_DOUBLE", "untimed=1", 1);
    count("cupti", 1, &c);
    ok(!find(&c, "gpu_events_confirmed")->present, "records without times confirm nothing");
    setenv("CUPTI_DOUBLE", "silent=1", 1);
    count("cupti", 1, &c);
    ok(!find(&c, "gpu_span_s")->present && !find(&c, "gpu_events_confirmed")->present,
       "where CUPTI has no records nothing is confirmed");
    unsetenv("CUPTI_DOUBLE");
    const char *const NAMES[] = {"cupti", "gpu_clocks", "gpu_counters"};
    for (int i = 0; i < 3; i++) {
        struct err err = {0};
        void *self = calloc(1, fixture_collector(NAMES[i])->state_size);
        ok(!fixture_collector(NAMES[i])->open(self, &err) && strstr(err.text, "in runs of target cuda only"),
           "%s stays shut where no device is open", NAMES[i]);
        free(self);
    }
}

static void test_clocks(void)
{
    struct counted c;
    if (!ok(count("gpu_clocks", 1, &c), "NVML's state is read %s", c.err.text))
        return;
    ok(find(&c, "gpu_clock_mhz")->value == 1410 && find(&c, "gpu_memory_clock_mhz")->value == 1215,
       "the clocks are those after the calls");
    ok(find(&c, "gpu_clock_mhz")->level, "a clock is not divided by the calls");
    ok(find(&c, "gpu_throttle_reasons")->value == 5, "the reasons of a slower clock are kept");
    setenv("NVML_DOUBLE", "clocks", 1);
    count("gpu_clocks", 1, &c);
    is_str(find(&c, "gpu_clock_mhz")->reason, "NVML does not tell it of this GPU",
           "a clock that NVML does not give says so");
    setenv("NVML_DOUBLE", "init", 1);
    ok(!count("gpu_clocks", 1, &c) && strstr(c.err.text, "Insufficient Permissions"),
       "NVML that does not start has its reason: %s", c.err.text);
    unsetenv("NVML_DOUBLE");
}

static void test_counters(void)
{
    struct counted c;
    if (!ok(count("gpu_counters", 3, &c), "hardware counters are counted %s", c.err.text))
        return;
    ok(fixture_collector("gpu_counters")->most_calls == 4, "four calls of 64 kernels are all that can be counted");
    is_int(c.n, 12, "there are twelve hardware counters");
    ok(find(&c, "gpu_cycles")->value == 30 && find(&c, "gpu_bank_conflicts")->value == 360,
       "hardware counters are summed over the launches");
    ok(!find(&c, "gpu_cycles")->level, "hardware counters are for the trunk to divide by the calls");
    setenv("CUPTI_DOUBLE_MISSING", "dram__", 1);
    count("gpu_counters", 3, &c);
    is_str(find(&c, "gpu_dram_read_bytes")->reason, "CUPTI has no dram__bytes_read.sum for this GPU (1)",
           "a counter that the GPU lacks has its reason");
    ok(find(&c, "gpu_ffma")->value == 180 && find(&c, "gpu_l2_sectors")->value == 210,
       "counters beside one that is missing keep their own values");
    setenv("CUPTI_DOUBLE_MISSING", "_", 1);
    ok(!count("gpu_counters", 1, &c) && strstr(c.err.text, "none of the metrics for chip GA100"),
       "a chip without any of the counters has that reason: %s", c.err.text);
    unsetenv("CUPTI_DOUBLE_MISSING");
    setenv("CUPTI_DOUBLE", "counters=35", 1);
    ok(!count("gpu_counters", 1, &c) && strstr(c.err.text, "the GPU's counters: no permission"),
       "counters without permission have that reason: %s", c.err.text);
    setenv("CUPTI_DOUBLE", "lost=2", 1);
    ok(!count("gpu_counters", 1, &c) && strstr(c.err.text, "2 were not counted"), "lost launches are reported: %s",
       c.err.text);
    setenv("CUPTI_DOUBLE", "undone=1", 1);
    ok(!count("gpu_counters", 1, &c) && strstr(c.err.text, "not all passes"), "passes left undone are reported: %s",
       c.err.text);
    unsetenv("CUPTI_DOUBLE");
}

static void test_parts(void)
{
    struct cuda_part p[CUDA_PARTS];
    setenv("CUDA_DOUBLE", "sm=86,version=13000", 1);
    cuda_parts(p);
    is_str(p[0].about, "CUDA 13.0", "the driver's version is given");
    is_str(p[1].about, "Double of a GPU 0, sm_86, 8.0 GiB, 108 multiprocessors", "the GPU is described");
    ok(p[3].works && strstr(p[3].about, "130001"), "CUPTI's version is given: %s", p[3].about);
    is_str(p[4].about, "driver 580.00.01, 1410 of 1755 MHz, held back by: power limit", "NVML's state is given");
    setenv("CUDA_DOUBLE", "devices=0", 1);
    cuda_parts(p);
    ok(p[0].works && !p[1].works && strstr(p[1].about, "there is no GPU 0"), "a driver without a GPU has its reason");
    unsetenv("CUDA_DOUBLE");
}

int main(int argc, char **argv)
{
    (void)argc;
    cuda_double_enter(argv);
    test_agreement();
    test_refusals();
    test_clocks();
    test_counters();
    test_parts();
    return done_testing();
}
