/* SPDX-License-Identifier: Apache-2.0 */
/* regime: the settings of the timing protocol and the papers' presets. A preset lists only what differs from the
 * defaults, which are ours: TVM's local runner with three repeats, so that a spread is known. */
#include "harness/measure/regime.h"

#include "harness/plug/sample.h"

#include <string.h>

const struct setting regime_settings[] = {
    INT_SETTING("number", struct regime, number, "3", 1, 1e6, "calls per repeat"),
    INT_SETTING("repeat", struct regime, repeat, "3", 1, SAMPLE_REPEATS, "repeats kept"),
    REAL_SETTING("min_repeat_ms", struct regime, min_repeat_ms, "100", 0, 60000,
                 "number grows until a repeat lasts this long"),
    REAL_SETTING("cooldown_ms", struct regime, cooldown_ms, "0", 0, 60000, "pause between repeats"),
    BOOL_SETTING(
        "cache_flush", struct regime, cache_flush, "false",
        "flush all arguments but the first from the caches before each repeat; forces number=1, min_repeat_ms=0"),
    INT_SETTING("warmup", struct regime, warmup, "1", 0, 1000, "calls discarded before the first repeat"),
    REAL_SETTING("build_timeout_s", struct regime, build_timeout_s, "15", 0.01, 86400,
                 "a build that takes longer is ended"),
    REAL_SETTING("run_timeout_s", struct regime, run_timeout_s, "10", 0.01, 86400, "a run that takes longer is ended"),
    INT_SETTING("memory_mib", struct regime, memory_mib, "4096", 16, 1 << 24,
                "what the runner and each build worker may allocate"),
    BOOL_SETTING("verify", struct regime, verify, "true", "compare results with the reference before and after timing"),
    INT_SETTING("verify_points", struct regime, verify_points, "64", 0, 1 << 20,
                "elements of each reference checked against the interpreter"),
    REAL_SETTING("patience", struct regime, patience, "0", 0, 1e6,
                 "one call a repeat for programs so many times slower than the task's fastest; 0: for none"),
    BOOL_SETTING(
        "overlap", struct regime, overlap, "true",
        "build whole rounds, on a GPU beside their runs; false: build and run twice as many programs as there are "
        "build workers, as TVM does"),
    {0},
};

const struct regime_preset regime_presets[] = {
    {.name = "default",
     .source = "TVM v0.16's LocalRunner with 3 repeats instead of 1, so that a spread is known",
     .values = ""},
    {.name = "tvm",
     .source = "TVM v0.16's LocalRunner and LocalBuilder (auto_scheduler/measure.py)",
     .values = "number=3,repeat=1,min_repeat_ms=100,build_timeout_s=15,run_timeout_s=10"},
    {.name = "tvmc",
     .source = "the Ansor arm of arXiv 2406.20037 on CPU, through tvmc (lac-dcc/bennu)",
     .values = "number=10,repeat=3,min_repeat_ms=0,run_timeout_s=100"},
    {.name = "tvmc-cuda",
     .source = "the Ansor arm of arXiv 2406.20037 on GPUs: tvmc's defaults there",
     .values = "number=10,repeat=3,min_repeat_ms=1000,run_timeout_s=10"},
    {.name = "pruner",
     .source = "Pruner's networks (arXiv 2402.02361, scripts/tune_network.py)",
     .values = "number=3,repeat=1,min_repeat_ms=300,run_timeout_s=25"},
    {.name = "droplet",
     .source = "the Droplet arm of arXiv 2406.20037 (lac-dcc/bennu 857ecd2)",
     .values = "number=3,repeat=3,min_repeat_ms=0,run_timeout_s=20"},
    {.name = "bennu",
     .source = "the Droplet arm of the newest lac-dcc/bennu (ad71799)",
     .values = "number=2,repeat=3,min_repeat_ms=0,run_timeout_s=10"},
    {.name = "meta",
     .source = "the MetaSchedule arm of arXiv 2406.20037 (lac-dcc/bennu)",
     .values = "number=3,repeat=3,min_repeat_ms=100"},
    {.name = "p1-ansor",
     .source = "Ansor in the TACO paper's scripts (lac-dcc/DropletSearch)",
     .values = "number=2,repeat=3,min_repeat_ms=100,cache_flush=true"},
    {.name = "p1-autotvm",
     .source = "AutoTVM in the TACO paper's scripts (lac-dcc/DropletSearch)",
     .values = "number=2,repeat=5,min_repeat_ms=100,cache_flush=true"},
    {.name = "p1-final",
     .source = "network times in the TACO paper's scripts (lac-dcc/DropletSearch), per kernel instead of per network",
     .values = "number=5,repeat=5,min_repeat_ms=100,cooldown_ms=100"},
    {.name = "tutorial",
     .source = "TVM v0.16's x86 tuning tutorial",
     .values = "number=1,repeat=10,min_repeat_ms=0,cache_flush=true"},
    {.name = "retime",
     .source = "raingauge's re-timing in fresh processes",
     .values = "number=1,repeat=10,min_repeat_ms=100,run_timeout_s=60"},
    {.name = "quick", .source = "smoke tests only, no verdicts", .values = "number=1,repeat=3,min_repeat_ms=5"},
    {0},
};

/* TVM's CPU cache flush forces one call per repeat: a second call would find the caches warm. It is
 * applied where the timing is done, so that the record keeps what was asked. */
bool regime_named(const char *name, struct regime *out, struct err *err)
{
    const char *names[32];
    int n = 0;
    for (; regime_presets[n].name && n < 32; n++) {
        names[n] = regime_presets[n].name;
        if (strcmp(names[n], name) != 0)
            continue;
        setting_defaults(regime_settings, out);
        struct arena *a = arena_open("regime");
        bool ok = setting_parse(regime_settings, out, a, regime_presets[n].values, err);
        arena_close(a);
        return ok;
    }
    return str_unknown(err, "regime", name, names, n);
}
