/* SPDX-License-Identifier: Apache-2.0 */
/* latency: estimates of a program's time from its symbols alone: Pruner's Symbol-based Analyzer as its paper prints it
 * and as its released code computes it (harness/doc/pruner.md), and ours for CPUs in the same spirit. Pure functions.
 * The numbers rank programs of one kernel; they are no times. */
#pragma once
#include "harness/plug/analyzer.h"
#include "models/sa/symbols.h"

struct sa_device { /* GPU */
    struct machine_analyzer of;
    double shared_elements;      /* float32 numbers of a block's shared memory (m_l1; the paper gives no value) */
    double transaction_elements; /* of one transfer of global memory (n_l2; the paper gives no value) */
};
struct sa_cpu {
    int cores, lanes, registers; /* lanes: float32 numbers of a vector */
    double ghz;
    double capacity[3];  /* bytes of the first, second and third level; 0: no such level */
    double bandwidth[4]; /* bytes a cycle: into registers, into the first, second and third level; the first three of
                            one core, the last of all together */
};
struct sa_penalties { /* which of them are on: the ablations switch them off */
    bool compute, memory;
};

/* Milliseconds. The paper's (section 4.1, Eq. 1): the sum over statements of compute and memory time. */
double sa_latency_paper(const struct sa_device *d, struct sa_penalties on, const struct sa_symbols *at, int n);
/* The code's (psa_model.py): the sum over rows of the larger of the two. 0: rows of zeros, a program that is refused.
 */
double sa_latency_code(const struct sa_device *d, struct sa_penalties on, const struct sa_row *at, int n);
/* Ours, of a program for CPUs. */
double sa_latency_cpu(const struct sa_cpu *d, struct sa_penalties on, const struct nest_stores *all);
