/* SPDX-License-Identifier: Apache-2.0 */
/* build: the parent's side of the build workers. */
#pragma once
#include "harness/measure/measurer.h"

/* Builds n trials in parallel. Their samples get outcome, message and build_s, their objects the code. False: a worker
 * cannot work. */
MUST_CHECK bool build_all(struct measurer *m, struct trial *t, int n, double timeout, struct err *err);
/* The reference of a task as an object in m->arena; n 0 when the target has none and the interpreter is to be used. */
MUST_CHECK bool build_reference(struct measurer *m, const struct task *task, struct blob *out, struct err *err);
/* Begins m->packet with {spec, steps, hash}. */
void build_request(struct measurer *m, const struct trial *t);
