/* SPDX-License-Identifier: Apache-2.0 */
/* reanalysis: the tables of arXiv 2406.20037 recomputed from released result files (droplet.md 3.2 to 3.6).
 *
 * A network's value is the ratio of plain sums over its distinct kernels, each once (the authors'). A table's value is
 * the geometric mean over networks. Above 1 favours Droplet. Blocks that are partial, mislabelled or superseded are in
 * no geometric mean, but for the column `all` of the MetaSchedule tables, which takes partial and mislabelled blocks
 * under the name they bear. Absent numbers are NaN. */
#pragma once
#include "harness/released/paper_networks.h"
#include "harness/released/release.h"

/* How the search times of one cell compare, Ansor's 10,000 trials / DPAnsor-k. Ansor's time is in every released file
 * the apportioned cost (records of a kernel x mean cost of a record of the log), whose sum over a network's kernels is
 * the summed cost of all its records; a wall clock exists for exploitation only (droplet.md 3.2, practice.md 3.1). */
enum sweep_clock {
    SWEEP_APPORTIONED, /* the authors': apportioned cost of the seed's records + summed cost of Droplet's */
    SWEEP_OWN,         /* Droplet's own summed cost alone: what exploiting costs once Ansor's records are there */
    SWEEP_WALL,        /* as APPORTIONED, Droplet's part as its wall clock in the exploiters' files (k = 300) */
    SWEEP_TRIALS,      /* records instead of seconds */
    SWEEP_CLOCKS
};
const char *sweep_clock_word(enum sweep_clock c);
const char *sweep_clock_title(enum sweep_clock c);

enum { SWEEP_SUMS = MEASURE_COUNT };
struct significance {                 /* of a block's kernels, Droplet's best against Ansor's, at p <= 0.05 */
    int better, worse, none, unknown; /* unknown: no p-value, or "nan" */
    int checked,
        agree;    /* p-values recomputed from means and spreads of three repeats: could be, came out within print */
    double worst; /* largest distance of a printed p from what the printed means and spreads allow */
};
struct sweep_network {
    const char *network, *run;
    const struct release_block *block;
    bool whole;
    int kernels;
    double sum[SWEEP_SUMS]; /* of each measure over kernels */
    double exec_x;          /* Ansor-10k / DPAnsor-k */
    double seed_x; /* Ansor-10k / Ansor-k: stopping early, without Droplet; NaN when a seed is a failed record */
    double gain_x; /* Ansor-k / DPAnsor-k: what Droplet adds to its seed; NaN likewise */
    double sane_x; /* exec_x with each "fast" kernel replaced by its seed, or, when that failed, by Ansor-10k */
    double search_x[SWEEP_CLOCKS];
    double seed_search_x; /* Ansor-10k / Ansor-k, apportioned */
    struct significance significance;
};
struct sweep_cell { /* a machine and k */
    const char *machine;
    int64_t k;
    struct sweep_network *networks;                                             /* in the suite's order */
    int nnetworks, counted;                                                     /* counted: whole ones */
    int wins;                                                                   /* with exec_x >= 1 */
    double exec, search[SWEEP_CLOCKS], seed, seed_search, gain, sane, distinct; /* geometric means over counted */
    int sane_wins;
    double pooled_exec, pooled_search; /* ratios of sums over all networks */
    double droplet_hours, base_hours;
    int kernels, not_slower; /* kernels of counted networks; those no slower than Ansor-10k */
    double kernel_exec;      /* geometric mean over kernels */
    double droplet_records, seed_records, base_records, record_cost_s;
    struct significance significance;
};

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
    const char *told;   /* as exploiters_coverage.tsv has it, "" not there */
};
struct meta_cell {
    const char *machine;
    int64_t k;
    int networks[2], wins[2];         /* [0] complete blocks, [1] all */
    double exec[2], seed[2];          /* Meta-10k / DPMeta, Meta-10k / Meta-k */
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

/* A kernel is "fast" when Ansor-10k takes at least 3 times as long (droplet.md 3.7). */
bool reanalysis_fast(const struct release_row *row);
