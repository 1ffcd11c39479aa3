/* SPDX-License-Identifier: Apache-2.0 */
/* gauges: the measurements of the numbers of `raingauge bench`, in the bench_*.c files. */
#pragma once
#include "harness/cli/bench/gauge.h"

bool bench_state(struct bench_env *b, struct reading *out, struct err *err);
bool bench_trials_cuda(struct bench_env *b, struct reading *out, struct err *err);
bool bench_builds_cuda(struct bench_env *b, struct reading *out, struct err *err);
bool bench_trials_opencl(struct bench_env *b, struct reading *out, struct err *err);
bool bench_gpu_state(struct bench_env *b, struct reading *out, struct err *err);
bool bench_draft_gpu(struct bench_env *b, struct reading *out, struct err *err);
bool bench_draft_cpu(struct bench_env *b, struct reading *out, struct err *err);
bool bench_round(struct bench_env *b, struct reading *out, struct err *err);
bool bench_fit(struct bench_env *b, struct reading *out, struct err *err);
bool bench_pacm_states(struct bench_env *b, struct reading *out, struct err *err);
bool bench_pacm_fit(struct bench_env *b, struct reading *out, struct err *err);
bool bench_build(struct bench_env *b, struct reading *out, struct err *err);
bool bench_trial(struct bench_env *b, struct reading *out, struct err *err);
bool bench_build_tvm(struct bench_env *b, struct reading *out, struct err *err);
bool bench_trial_tvm(struct bench_env *b, struct reading *out, struct err *err);
bool bench_peak_one(struct bench_env *b, struct reading *out, struct err *err);
bool bench_peak_all(struct bench_env *b, struct reading *out, struct err *err);
bool bench_matmul_one(struct bench_env *b, struct reading *out, struct err *err);
bool bench_matmul_all(struct bench_env *b, struct reading *out, struct err *err);
bool bench_parent(struct bench_env *b, struct reading *out, struct err *err);
bool bench_onednn(struct bench_env *b, struct reading *out, struct err *err);
bool bench_rivals(struct bench_env *b, struct reading *out, struct err *err);
bool bench_rivals_time(struct bench_env *b, struct reading *out, struct err *err);
bool bench_phases(struct bench_env *b, struct reading *out, struct err *err);
bool bench_report_time(struct bench_env *b, struct reading *out, struct err *err);
bool bench_report_memory(struct bench_env *b, struct reading *out, struct err *err);
bool bench_resume(struct bench_env *b, struct reading *out, struct err *err);
bool bench_replay(struct bench_env *b, struct reading *out, struct err *err);
bool bench_aa(struct bench_env *b, struct reading *out, struct err *err);
bool bench_planted(struct bench_env *b, struct reading *out, struct err *err);
bool bench_hundred(struct bench_env *b, struct reading *out, struct err *err);
