/* SPDX-License-Identifier: Apache-2.0 */
/* regime: the timing protocol (harness/doc/measurement.md, "Timing protocol"). Part of the experiment file; presets
 * for the papers'. */
#pragma once
#include "harness/base/settings.h"

#include <stdbool.h>
#include <stdint.h>

struct regime {
    int64_t number, repeat; /* inner calls per repeat; repeats kept */
    double min_repeat_ms;   /* number grows until a repeat lasts this long */
    double cooldown_ms;     /* pause between repeats */
    bool cache_flush; /* clflush every argument but the first before each repeat; forces number 1, min_repeat_ms 0 */
    int64_t warmup;   /* discarded calls, 1 in TVM */
    double patience;  /* a program whose warm-up call takes longer than this times the fastest of its task so far is
                         timed one call a repeat; 0: never. Not TVM's: time saved on programs nobody will use */
    double build_timeout_s, run_timeout_s;
    int64_t memory_mib;    /* limit of the runner's and of each build worker's own allocations */
    bool verify;           /* on unless a study of the unverified original is wanted */
    int64_t verify_points; /* output elements checked against the interpreter when the reference was made */
    bool overlap;          /* a round is built as one batch, beside runs that leave the host's cores alone. Not TVM's */
};
extern const struct setting regime_settings[];
struct regime_preset {
    const char *name, *source, *values; /* values: "number=3,repeat=1,..." */
};
extern const struct regime_preset regime_presets[]; /* ended by {0} */
MUST_CHECK bool regime_named(const char *name, struct regime *out, struct err *err);
