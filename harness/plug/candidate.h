/* SPDX-License-Identifier: Apache-2.0 */
/* candidate: a task plus a list of steps. Everything else is derived from that pair. */
#pragma once
#include "harness/program/ops/task.h"
#include "harness/program/schedule/step.h"

struct candidate {
    const struct task *task;
    const struct step *steps;
    int nsteps;
    uint64_t hash; /* state_hash */
    double score;  /* model score, higher is better; NAN when none */
};
