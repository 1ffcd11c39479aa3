/* SPDX-License-Identifier: Apache-2.0 */
/* fault: real faults planted in chosen trials, so that tests and demo-faults see what becomes of a crash, a hang, too
 * much memory and a wrong answer. */
#pragma once
#include "harness/base/err.h"

#include <stdint.h>

#define FAULTS(X) X(none) X(crash) X(hang) X(memory) X(wrong) X(buildcrash) X(buildhang)
enum fault {
#define X(id) FAULT_##id,
    FAULTS(X)
#undef X
        FAULT_COUNT
};
enum { FAULTS_MAX = 32 };
struct fault_plan {
    int n;
    enum fault what[FAULTS_MAX];
    int64_t trial[FAULTS_MAX];
};

/* "crash:5,hang:7": trials count from 1. NULL or "" is no fault. */
MUST_CHECK bool fault_parse(const char *list, struct fault_plan *out, struct err *err);
enum fault fault_at(const struct fault_plan *p, int64_t trial);
bool fault_is_build(enum fault f);
/* Crashes, hangs or eats memory here and now; returns for none and wrong. */
void fault_commit(enum fault f);
