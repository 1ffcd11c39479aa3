/* SPDX-License-Identifier: Apache-2.0 */
/* body: turns a stage's body into values of a nest: axes become affine forms, inlined stages are substituted,
 * conditions that the ranges decide are folded. Internal to lower. */
#pragma once
#include "harness/program/ir/nest.h"
#include "harness/program/schedule/state.h"

struct body_env {
    struct arena *arena;
    struct atoms *atoms;
    const struct state *s;
    const struct buffer *const *buffer_of; /* by stage; NULL for inlined stages */
};

/* axes: one form per axis of op. False: an index that is not affine. */
MUST_CHECK bool body_value(const struct body_env *env, const struct expr *e, const struct affine *axes,
                           const struct value **out, struct err *err);
const struct value *value_float(struct arena *a, enum dtype t, double f);
const struct value *value_make2(struct arena *a, enum expr_kind k, enum dtype t, const struct value *x,
                                const struct value *y);
const struct value *value_load(struct arena *a, const struct buffer *b, const struct affine *index);
