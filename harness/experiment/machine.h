/* SPDX-License-Identifier: Apache-2.0 */
/* machine: experiments/machines/<name>.yaml: which target a machine is, with which settings, and whose published
 * numbers stand beside ours. */
#pragma once
#include "harness/base/arena.h"
#include "harness/base/err.h"
#include "harness/base/settings.h"

struct machine_nightly {
    const char *experiment, *tier; /* stem; NULL: as for experiment_options */
    double budget_s;               /* wall time of a night, its rerun included */
    int launches;                  /* of the pinned programs */
};
struct machine {
    const char *name, *title, *target, *settings; /* settings of the target: "mcpu=native" */
    int threads;                                  /* 0: all online cores */
    const char *compare;                          /* machine whose published numbers are the nearest: "ryzen7-3700x" */
    bool detected;                                /* host: this very machine */
    double peak_gflops, memory_gb_s,
        cache_mib;                  /* upper limits from its facts: float32, memory, last-level cache; 0: not given */
    struct machine_nightly nightly; /* what `raingauge nightly` runs on it; experiment nightly in half an hour */
};
extern const struct setting machine_keys[], machine_facts_keys[], machine_nightly_keys[];
MUST_CHECK bool machine_load(struct arena *a, const char *dir, const char *name, struct machine *out, struct err *err);
