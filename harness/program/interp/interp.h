/* SPDX-License-Identifier: Apache-2.0 */
/* interp: evaluates the *unscheduled* graph of a task in double precision. It is the reference that every schedule is
 * compared with. */
#pragma once
#include "harness/program/ops/task.h"

struct interp; /* a task with bound arguments; remembers intermediate values that were computed */

/* args: one pointer per argument but the last (the output), each task_arg_elements() elements of the argument's dtype.
 */
struct interp *interp_open(const struct task *t, const void *const *args);
void interp_close(struct interp *in);
double interp_point(struct interp *in, int64_t element); /* of the output, row-major element number */
void interp_dag(struct interp *in, double *output);      /* all elements */
