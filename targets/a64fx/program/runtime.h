/* SPDX-License-Identifier: Apache-2.0 */
/* runtime: what kernels may call in the emulated program: the names that targets/cpu/jit.c gives them on this machine.
 * Nothing is timed here, so the pieces of a parallel loop run one after the other, each as the thread it would have. */
#pragma once
#include <stdint.h>

void runtime_threads(int threads);
uint64_t runtime_find(const char *name); /* its address; 0: there is no such function */
