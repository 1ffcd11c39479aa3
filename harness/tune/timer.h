/* SPDX-License-Identifier: Apache-2.0 */
/* timer: the clock of a cell (practice.md 3.1): T_wall counts from the first proposal, without the gap and the
 * rebuilding of a resume; on a virtual target it is the sum of the records' costs. T_cpu is the CPU time of this
 * process, without workers. */
#pragma once
#include <stdbool.h>

struct timer {
    bool is_virtual;
    double base_s, since; /* cell time at the last restart, and clock_now() then; on a virtual target base_s is all */
    double cpu_base_s, cpu_since;
    double last_s;  /* cell time at the last recorded trial: wall_s of the next one counts from here */
    double begin_s; /* cell time when the running round began */
};
double timer_now(const struct timer *t);
double timer_cpu(const struct timer *t);                        /* 0 on a virtual target */
void timer_restart(struct timer *t, double at_s, double cpu_s); /* goes on counting from there, now */
void timer_spend(struct timer *t, double seconds);              /* virtual targets: a trial cost this */
