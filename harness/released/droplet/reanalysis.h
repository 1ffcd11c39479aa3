/* SPDX-License-Identifier: Apache-2.0 */
/* reanalysis: the tables of arXiv 2406.20037 recomputed from released result files (harness/doc/droplet.md, "How the
 * authors compute their tables").
 *
 * A network's value is the ratio of plain sums over its distinct kernels, each once (the authors'). A table's value is
 * the geometric mean over networks. Above 1 favours Droplet. Blocks that are partial, mislabelled or superseded are in
 * no geometric mean, but for the column `all` of the MetaSchedule tables, which takes partial and mislabelled blocks
 * under the name they bear. Absent numbers are NaN. */
#pragma once
#include "harness/released/droplet/repeats.h"
#include "harness/released/droplet/schedules.h"

struct exploiter {
    const char *machine, *run, *method;
    int complete, usable;         /* networks with all rows; of these, without a failed kernel */
    int rows, failed;             /* failed: the sentinel 9999 s */
    double exec_s;                /* kernel sums of usable networks */
    double tuning_s, records;     /* of complete networks */
    double exec, lowest, highest; /* Ansor-10k / method, geometric mean and range over usable networks */
};
struct coverage {
    const char *machine, *run, *network;
    int kernels, rows;
    const char *status; /* complete, partial, empty, no file, no rows */
    const char *listed; /* as exploiters_coverage.tsv has it, "" not there */
};
struct meta_means {
    int networks, wins;
    double exec, seed; /* Meta-10k / DPMeta, Meta-10k / Meta-k */
};
struct meta_cell {
    const char *machine;
    int64_t k;
    struct meta_means of[2];          /* [0] complete blocks, [1] all */
    int failed;                       /* rows left out: a record failed (10^10 s) */
    int partial, mislabelled, absent; /* blocks; absent: networks of the machine without this k */
};
struct micro_cell {
    const char *machine, *kernel;
    int64_t k;
    const struct release_row *row;
    double exec_x, search_x;
};

struct reanalysis {
    const struct release *release;
    struct sweep_cell *sweep;
    int nsweep;
    struct sweep_network *variance; /* one a machine, run and network; SWEEP_WALL absent */
    int nvariance;
    struct repeat_run *repeats;
    int nrepeats;
    struct schedule_count *schedules;
    int nschedules;
    struct exploiter *exploiters;
    int nexploiters;
    struct coverage *coverage;
    int ncoverage;
    struct meta_cell *meta;
    int nmeta;
    struct micro_cell *micro;
    int nmicro;
};
/* In a; r must outlive it. */
void reanalysis_make(struct arena *a, const struct release *r, struct reanalysis *out);
const struct sweep_cell *reanalysis_cell(const struct reanalysis *x, const char *machine, int64_t k); /* or NULL */
