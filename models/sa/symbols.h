/* SPDX-License-Identifier: Apache-2.0 */
/* symbols: the numbers per store of a GPU program that Pruner's Symbol-based Analyzer (SA; arXiv 2402.02361) is a
 * function of, in two forms: the paper's symbols S1 to S8 (section 4.1, Table 2), and the row of its released code
 * (qiaolian9/Pruner, feature_psa.cc). harness/doc/pruner.md tells both, and where the two differ.
 *
 * In-thread loops are all but those bound to blockIdx.x and threadIdx.x: serial, unrolled, vectorised, virtual threads,
 * reductions. Spatial here means: its variable occurs in the index of what is written. */
#pragma once
#include "models/sa/nest_store.h"

struct sa_symbols {                                                     /* elements, operations and counts */
    double l0_mem_alloc, l0_comp_count;                                 /* S1, S2: of a thread */
    double l1_mem_alloc, l1_para_info;                                  /* S3: shared, of a block; S4: its threads */
    double l2_mem_footprint, l2_para_info, l2_trans_dim, l2_comp_count; /* S5, S6: blocks, S7, S8 */
};
struct sa_row {                                       /* one written buffer, as the released code has it */
    double thread_work, total_work;                   /* float operations */
    double registers, thread_memory, shared, traffic; /* elements; traffic: to and from global memory */
    double reuse;
    double grid, threads, vthreads;
};
struct sa_symbols_list {
    int n;
    struct sa_symbols *at;
};
struct sa_rows {
    int n;
    struct sa_row *at;
};

/* The paper's. What copies into shared memory is no row: its tile and its traffic belong to the statement that reads
 * them, as in the paper's example (Fig. 3). Memory from a. */
struct sa_symbols_list sa_symbols_of(struct arena *a, const struct nest *n, const struct nest_stores *all);
/* The code's: one row per written buffer, by its last store; thread_memory is summed over the stores. */
struct sa_rows sa_rows_of(struct arena *a, const struct nest *n, const struct nest_stores *all);
