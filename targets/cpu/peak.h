/* SPDX-License-Identifier: Apache-2.0 */
/* peak: what the cores can do at most, measured. */
#pragma once

/* FLOP/s of independent fused multiply-adds on the widest vectors of this CPU (of plain x86-64 when plain), on threads
 * threads at once. Takes some 20 ms. */
double peak_measure_flops(int threads, int plain);
/* Bytes/s that one thread reads from its first-level cache, times threads. */
double peak_measure_bandwidth(int threads);
