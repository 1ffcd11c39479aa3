/* SPDX-License-Identifier: Apache-2.0 */
/* sweep: the k-sweep of arXiv 2406.20037 and its significance, from released files. A cell is a machine at one k; its
 * numbers are geometric means over networks. */
#pragma once
#include "harness/released/droplet/release.h"
#include "harness/stats/interval.h"

/* How the search times of one cell compare, Ansor's 10,000 trials / DPAnsor-k. Ansor's time is in every released file
 * the apportioned cost (records of a kernel x mean cost of a record of the log), whose sum over a network's kernels is
 * the summed cost of all its records; a wall clock exists for exploitation only. */
enum sweep_clock {
    SWEEP_APPORTIONED, /* the authors': apportioned cost of the seed's records + summed cost of Droplet's */
    SWEEP_OWN,         /* Droplet's own summed cost alone: what exploiting costs once Ansor's records are there */
    SWEEP_WALL,        /* as APPORTIONED, Droplet's part as its wall clock in the exploiters' files (k = 300) */
    SWEEP_TRIALS,      /* records instead of seconds */
    SWEEP_CLOCKS
};
extern const char *const sweep_clock_words[];
extern const char *const sweep_clock_titles[];

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
    int seeds_last;       /* kernels whose seed already is Ansor's last best */
    double base_spread_x; /* standard deviation over mean of the repeats, median over kernels; NaN: not printed */
    double spread_x;      /* the same of Droplet's best */
    struct significance significance;
};
struct sweep_cell { /* a machine and k */
    const char *machine;
    int64_t k;
    struct sweep_network *networks;                                       /* in the paper's order */
    int nnetworks, counted;                                               /* counted: whole ones */
    int wins;                                                             /* with exec_x >= 1 */
    double exec, search[SWEEP_CLOCKS], seed, seed_search, sane, distinct; /* geometric means over counted */
    struct interval gain; /* over networks without a failed seed, 95 %; there seed times gain is exec */
    int sane_wins;
    double pooled_exec, pooled_search; /* ratios of sums over all networks */
    double droplet_hours, base_hours;
    int kernels, not_slower, seeds_last; /* kernels of counted networks; those no slower than Ansor-10k */
    double kernel_exec;                  /* geometric mean over kernels */
    double droplet_records, seed_records, base_records, record_cost_s;
    struct significance significance;
};

/* Both in a: the k-sweep, machines in the paper's order; and the repeated runs, one a machine, run and network. */
struct sweep_cell *sweep_cells(struct arena *a, const struct release *r, int *ncells);
struct sweep_network *sweep_reruns(struct arena *a, const struct release *r, int *nreruns);
/* Blocks of a table's cell in the paper's order of networks, unknown networks last; how many there are. */
int sweep_blocks(const struct release *r, enum release_table table, const char *machine, int64_t k,
                 const struct release_block **out, int most);
/* A kernel is "fast" when Ansor-10k takes at least 3 times as long. */
bool sweep_fast(const struct release_row *row);
/* "vgg16 0.93, ...": whole networks whose search takes longer than Ansor's, by the authors' clock; "": none. */
const char *sweep_slower_searches(struct arena *a, const struct sweep_cell *c);
