/* SPDX-License-Identifier: Apache-2.0 */
/* range_profiler: the real CUPTI, where it is installed, plans the counters of gpu_counters for the chips of the
 * papers' machines; that needs no GPU. And its headers, where they are installed, have the parameters as we typed them
 * in. */
#include "targets/cuda/gpu_counters.h"
#include "targets/cuda/profiler_params.h"
#include "tests/lib/tap.h"

#if __has_include(<cuda.h>) && __has_include(<cupti_range_profiler.h>)
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#define HAVE_HEADERS 1
#define SAME(theirs, their_last, ours, our_last)                                                                       \
    ok(offsetof(theirs, their_last) == offsetof(struct ours, our_last) &&                                              \
           theirs##_STRUCT_SIZE >= SIZE_TO(ours, our_last),                                                            \
       "%s lies in %s as in CUPTI's header", #our_last, #ours)
static void test_headers(void)
{
    SAME(CUpti_Device_GetChipName_Params, pChipName, profiler_chip, name);
    SAME(CUpti_Profiler_GetCounterAvailability_Params, pCounterAvailabilityImage, profiler_available, image);
    SAME(CUpti_RangeProfiler_Enable_Params, pRangeProfilerObject, profiler_enable, ranges);
    SAME(CUpti_RangeProfiler_GetCounterDataSize_Params, counterDataSize, profiler_data, bytes);
    SAME(CUpti_RangeProfiler_CounterDataImage_Initialize_Params, pCounterData, profiler_image, image);
    SAME(CUpti_RangeProfiler_SetConfig_Params, targetNestingLevel, profiler_config, level);
    SAME(CUpti_RangeProfiler_SetConfig_Params, range, profiler_config, range);
    SAME(CUpti_RangeProfiler_SetConfig_Params, minNestingLevel, profiler_config, first_level);
    SAME(CUpti_RangeProfiler_Start_Params, pRangeProfilerObject, profiler_object, object);
    SAME(CUpti_RangeProfiler_Stop_Params, isAllPassSubmitted, profiler_stop, done);
    SAME(CUpti_RangeProfiler_DecodeData_Params, numOfRangeDropped, profiler_decode, dropped);
    SAME(CUpti_RangeProfiler_GetCounterDataInfo_Params, numTotalRanges, profiler_count, n);
    is_int(ONE_RANGE_A_LAUNCH, CUPTI_AutoRange, "one range a launch is CUPTI's number");
    is_int(REPLAY_LAUNCHES, CUPTI_KernelReplay, "the replay of launches is CUPTI's number");
}
#endif

/* have: how many of the counters the chip has. */
static void test_plan(const char *chip, int have)
{
    struct range_profiler p;
    struct profiler_metric metrics[GPU_COUNTERS];
    struct err err = {0};
    gpu_counters_metrics(metrics);
    if (ok(range_profiler_plan(&p, chip, NULL, metrics, GPU_COUNTERS, &err), "counters are planned for %s %s", chip,
           err.text)) {
        is_int(p.nnames, have, "chip %s has the counters that its memory allows", chip);
        ok(p.passes >= 1 && p.passes <= 20, "the counters of %s need some passes (%d)", chip, p.passes);
    }
    range_profiler_close(&p);
}

static void test_unknown(void)
{
    struct range_profiler p;
    struct profiler_metric metrics[] = {
        {.name = "sm__inst_executed.sum"}, {.name = "no__such_thing.sum"}, {.name = "lts__t_sectors.sum"}};
    struct err err = {0};
    ok(range_profiler_plan(&p, "GA100", NULL, metrics, 3, &err) && p.nnames == 2 && !metrics[1].present &&
           metrics[2].present,
       "a metric that the chip lacks leaves the others %s", err.text);
    range_profiler_close(&p);
    ok(!range_profiler_plan(&p, "XX999", NULL, metrics, 3, &err), "an unknown chip is refused: %s", err.text);
    range_profiler_close(&p);
}

int main(void)
{
    static const struct {
        const char *name;
        int have;
    } CHIPS[] = {{"TU104", 12}, /* T4 */
                 {"GA100", 12}, /* A100 */
                 {"GA102", 12}, /* RTX 3080 */
                 {"GA10B", 10}, /* Orin: no memory of its own, so no bytes of it */
                 {"GH100", 12} /* H100, H200 */};
    struct err err = {0};
#ifdef HAVE_HEADERS
    test_headers();
#else
    skip("CUPTI's headers are not installed", "the parameters are as CUPTI's headers have them");
#endif
#ifdef __SANITIZE_ADDRESS__
    skip("it opens a library as the address sanitizer cannot have it (RTLD_DEEPBIND)", "CUPTI plans the counters");
    return done_testing();
#endif
    if (!cupti_api(&err))
        skip(err.text, "CUPTI plans the counters");
    for (int i = 0; i < 5 && cupti_api(&err); i++)
        test_plan(CHIPS[i].name, CHIPS[i].have);
    if (cupti_api(&err))
        test_unknown();
    return done_testing();
}
