/* SPDX-License-Identifier: Apache-2.0 */
/* cell_clock: the clock of a cell (harness/doc/measurement.md, "Clocks"): T_wall counts from the first proposal,
 * without the gap and the rebuilding of a resume; on a virtual target it is the sum of the records' costs. T_cpu is the
 * CPU time of this process and of those that train models for it, without workers. */
#pragma once
#include <stdbool.h>

struct cell_clock {
    bool is_virtual;
    double base_s, since; /* cell time at the last restart, and clock_now() then; on a virtual target base_s is all */
    double cpu_base_s, cpu_since;
    double last_s;  /* cell time at the last recorded trial: wall_s of the next one counts from here */
    double begin_s; /* cell time when the running round began */
};
double cell_clock_now(const struct cell_clock *t);
double cell_clock_cpu(const struct cell_clock *t);                        /* 0 on a virtual target */
void cell_clock_restart(struct cell_clock *t, double at_s, double cpu_s); /* goes on counting from there, now */
void cell_clock_spend(struct cell_clock *t, double seconds);              /* it passes without real time:
                                                                          on virtual targets, and of a computed clock */
