/* SPDX-License-Identifier: Apache-2.0 */
/* repeats: the authors' further runs of Droplet beside the sweep's, kernel by kernel from equal seeds. The tables of
 * variance print a run's seeds; those of the exploiters do not, but a log of Droplet holds its seed, so a time above
 * the sweep's seed is one from another seed. A network counts when it is whole in both, none of its kernels failed and
 * none began elsewhere. */
#pragma once
#include "harness/released/droplet/sweep.h"

struct repeat_network {
    const struct release_block *block;
    int at_seed, faster, slower; /* as in struct repeat_run */
    double exec_x, start_x, gain_x, sweep_gain_x;
    double kernel_x; /* time / time in the sweep, geometric mean over kernels */
};
struct repeat_run { /* a table, machine, run and k */
    enum release_table table;
    const char *machine, *run, *title; /* title: the run's name for people */
    int64_t k;
    struct repeat_network *networks; /* those that count */
    int nnetworks, wins;             /* wins: exec_x >= 1 */
    int kernels, at_seed;   /* at_seed: the time is the sweep's seed to the last digit, so nothing was gained */
    int faster, slower;     /* than in the sweep */
    int other;              /* kernels from other seeds, in networks that do not count */
    const char *other_file; /* the first of them */
    int other_line;
    double exec, start, sweep_exec;           /* geometric means over networks: start times gain is exec */
    struct interval gain, sweep_gain, kernel; /* over networks, 95 % */
};
/* In a; by machine, table, run. */
struct repeat_run *repeats_of(struct arena *a, const struct release *r, int *n);
/* "1.034 (grid_a, 20 networks), ...": the kernel speedups of the machine's runs at k, of one network where that is
 * not NULL; "" unless one of them differs from the sweep's by more than VERDICT_MARGIN. */
const char *repeats_apart(struct arena *a, const struct repeat_run *all, int n, const char *machine, int64_t k,
                          const char *network);
