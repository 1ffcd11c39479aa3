/* SPDX-License-Identifier: Apache-2.0 */
/* gauges: the measurements of the numbers of `raingauge bench`, in the bench_*.c files. */
#pragma once
#include "harness/cli/bench/gauge.h"

/* Takes as many of the READINGS as numbers come of the same work. which: the member of an enumeration of the file. */
typedef bool gauge_take(struct bench_env *b, int which, struct reading out[READINGS], struct err *err);
gauge_take bench_parent, bench_state, bench_draft, bench_round, bench_learned, bench_build, bench_builds_cuda,
    bench_trials, bench_peak, bench_matmul, bench_onednn, bench_replay, bench_report, bench_resume, bench_duel,
    bench_runner, bench_exchange;
enum { BENCH_CPU, BENCH_GPU };                 /* of bench_state, bench_draft */
enum { BENCH_FITS, BENCH_SCORES };             /* of bench_learned */
enum { BENCH_AS_ASKED, BENCH_TVM };            /* of bench_build: the code as --target says, or TVM's */
enum { BENCH_CUDA, BENCH_OPENCL, BENCH_HOST }; /* of bench_trials */
enum { BENCH_ALL_THREADS, BENCH_ONE };         /* of bench_peak, bench_matmul */
enum { BENCH_EQUAL, BENCH_PLANTED };           /* of bench_duel */
