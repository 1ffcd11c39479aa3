/* SPDX-License-Identifier: Apache-2.0 */
/* reference_source: a task without a schedule as C that people can read: plain loops over plain tensors
 * (tensor_map.h). */
#pragma once
#include "harness/program/ir/nest.h"
#include "harness/program/ops/task.h"

/* A file with the function `void NAME_reference(const float *p0, ..., float *out)`; it asks for memory where it needs
 * some, and aborts without. */
MUST_CHECK bool reference_source(const struct task *t, const char *name, struct text *out, struct err *err);
/* "void NAME_reference(const float *p0, ...)" */
void reference_prototype(const struct task *t, const struct nest *n, const char *name, struct text *out);
