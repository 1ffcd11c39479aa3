/* SPDX-License-Identifier: Apache-2.0 */
/* machine: experiments/machines/<name>.yaml: which target a machine is, with which settings, whose published numbers
 * stand beside ours, and how to tell that a computer is this machine. */
#pragma once
#include "harness/base/arena.h"
#include "harness/base/err.h"
#include "harness/base/settings.h"
#include "harness/experiment/machine_match.h"
#include "harness/plug/analyzer.h"
#include "harness/program/schedule/limits.h"

struct machine_nightly {
    const char *experiment, *tier; /* stem; NULL: as for experiment_options */
    double budget_s;               /* wall time of a night, its rerun included */
    int launches;                  /* of the pinned programs */
    int keep;                      /* nights whose results and binaries are kept */
};
struct machine {
    const char *name, *title, *target, *settings; /* settings of the target: "mcpu=native" */
    int threads;                                  /* 0: all online cores */
    const char *compare;                          /* machine whose published numbers are the nearest: "ryzen7-3700x" */
    struct setting_strings aliases;               /* its other names: in old files and in papers */
    struct setting_strings regimes; /* presets of the timing protocols that papers used on it, the explorer's first */
    struct limits limits;           /* of schedules, as TVM's records hold them; 0: as the target finds them */
    struct machine_analyzer analyzer;
    struct machine_match match;
    bool detected; /* host: this very machine */
    double peak_gflops, memory_gb_s,
        cache_mib;                  /* upper limits from its facts: float32, memory, last-level cache; 0: not given */
    struct machine_nightly nightly; /* what `raingauge nightly` runs on it; experiment nightly in half an hour */
};
extern const struct setting machine_keys[], machine_facts_keys[], machine_nightly_keys[], machine_limits_keys[],
    machine_analyzer_keys[];
/* dir: of experiments. name: of a file, or one of its aliases. Errors carry file:line:column. */
MUST_CHECK bool machine_load(struct arena *a, const char *dir, const char *name, struct machine *out, struct err *err);
/* Does the machine's file (of that name or alias) take a computer for it? true, too, where there is no such file or it
 * has no rule; false where it cannot be read. */
bool machine_takes(struct arena *a, const char *dir, const char *name, const struct machine_traits *t);
