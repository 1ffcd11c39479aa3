/* SPDX-License-Identifier: Apache-2.0 */
/* pinned: pinned programs: the kernels and steps that a machine's nights time again and again, in a file of JSON lines,
 * so that a change of their times is a change of the code generator, the libraries or the machine, and not of a
 * search. First line: {target, settings, threads, layout, regime}; then {name, spec, steps} each. */
#pragma once
#include "harness/plug/registry.h"
#include "harness/tune/plan.h"

/* Writes the best program of each kernel, over all cells of the records in results. */
MUST_CHECK bool pinned_write(struct arena *a, const struct plan *p, const char *results, const char *path,
                             struct err *err);
/* Times each program once, in a fresh runner, and adds a line {"series", "seconds", "reason"} for each: the median of
 * the repeats, or null and why. */
MUST_CHECK bool pinned_time(struct arena *a, const struct registry *registry, const char *path, struct text *out,
                            struct err *err);
