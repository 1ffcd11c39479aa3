/* SPDX-License-Identifier: Apache-2.0 */
/* forecast: how long a campaign is expected to take, before it runs and while it does. An expectation for planning an
 * afternoon, not a measurement: its constants are of cores with AVX-512, and a pace says how this machine differs. */
#pragma once
#include "harness/tune/plan.h"

#define FORECAST_REFERENCE_S                                                                                           \
    0.05 /* of making a kernel's references once: build, elements checked by the interpreter                           \
          */

/* How many times as long a campaign is expected to take on a core of this machine as on the one that all below is
 * about: by a moment's work of raingauge's own, before there are records. */
double forecast_pace(void);
/* Seconds of a trial of a cell of p on so many cores, from end to end: search, build, verification, timing. The mean
 * over the kernels that it searches, as their trials are shared evenly at first; 0: it takes all of them from other
 * networks. */
double forecast_cell(const struct plan *p, int cell, int cores);
/* Trials that the cell is expected to make: fewer than plan_cell_trials where searches end by themselves, and where one
 * descent serves two cells. */
int64_t forecast_trials(const struct plan *p, int cell);
/* Seconds of the duels at that pace, with a run of each program for counters and each kernel's reference once; at most
 * their minutes. Expected: the least number of launches, of as many different programs as there usually are. most:
 * twice as many launches, of programs that all differ. */
double forecast_retiming(const struct plan *p, int cores, double pace, bool most);
