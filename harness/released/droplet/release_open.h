/* SPDX-License-Identifier: Apache-2.0 */
/* release_open: reads a folder of released result files. Two forms are known, distinguished by the names in the folder:
 * the authors' own files in the layout of their repository lac-dcc/bennu (perf_stats/, results/,
 * benchmarks/microkernels/, models/), and compact tables (tab separated, one head line). */
#pragma once
#include "harness/released/droplet/release.h"

/* Everything lives in a. False: dir cannot be listed, or holds no known result file; then *none is set and err is not.
 */
MUST_CHECK bool release_open(struct arena *a, const char *dir, struct release **out, bool *none, struct err *err);
