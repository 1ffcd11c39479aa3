/* SPDX-License-Identifier: Apache-2.0 */
/* analyzer: what an analytic model of latency (models/sa) takes a machine for. Of a GPU these are the rows of Pruner's
 * Symbol-based Analyzer (arXiv 2402.02361), with the numbers of its authors' released code (task_scheduler.py), which
 * are not always those of the hardware. Of a CPU they are ours: Pruner knows GPUs only. 0: not given. */
#pragma once

struct machine_analyzer {
    double peak_gflops, memory_gb_s; /* float32 10^9 operations, and 10^9 bytes a second */
    int multiprocessors;
    int blocks_per_multiprocessor;   /* that run at a time */
    int multiprocessor_partitions;   /* warp schedulers */
    int warp_size, thread_registers; /* threads; registers of a thread before it is called slower */
    int vector_lanes;                /* of a CPU: float32 numbers of a vector; not 0 when the next four are given */
    int vector_registers;
    double l1_kib, l2_kib, l3_kib; /* data caches; 0: the CPU has no such level */
};
