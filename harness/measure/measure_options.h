/* SPDX-License-Identifier: Apache-2.0 */
/* measure_options: what a measurer is opened with. */
#pragma once
#include "harness/measure/regime.h"
#include "harness/measure/remote/remote_host.h"
#include "harness/plug/collector.h"
#include "harness/plug/target.h"

struct measure_options {
    const struct target *target;
    const char *target_settings;               /* "name=value,..." or "" */
    const struct collector *const *collectors; /* for measure_count; ended by NULL and static; NULL: none */
    struct regime regime;
    int threads;       /* kernel threads, 0 = all */
    int build_workers; /* 0 = one per online core */
    enum layout_mode layout;
    bool verify_only;      /* candidates are run and checked, and not timed: samples that are OK have no seconds */
    bool builds_only;      /* no runner is started: measure_builds is all that may be asked, and no device is needed */
    bool force_overlap;    /* builds go on beside runs of any target, whatever they do to times: for tests and bench */
    uint64_t seed;         /* of the inputs */
    bool (*stopped)(void); /* asked while what no record has is measured: shall that end? NULL: never */
    const struct remote_host *on; /* the machine that measures; NULL: this one. It outlives the measurer */
    const char *objects; /* folder where built objects are kept, and found again; "" or NULL: nowhere. Not sent to on */
    int64_t objects_mib; /* that they may take */
    const char *faults;  /* real faults planted in these trials, "crash:5,hang:7" (fault.h); "": none */
};
