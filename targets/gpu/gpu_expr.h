/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_expr: values and stores as C. */
#pragma once
#include "targets/gpu/gpu_emitter.h"

void gpu_expr_text(struct gpu_emitter *em, const struct value *v, struct text *out);
/* "a >= 0 && a < 8", of the guards of s. */
void gpu_expr_guards(struct gpu_emitter *em, const struct stmt *s, struct text *out);
/* The left side of a store: tensor and element. */
void gpu_expr_place(struct gpu_emitter *em, const struct buffer *b, const struct affine *index, struct text *out);
/* lanes stores of consecutive turns of the loop over atom as one of a vector; false (and no text): each by itself. */
bool gpu_expr_vector_store(struct gpu_emitter *em, const struct stmt *s, int atom, int lanes);
/* x combined with y, both texts. */
void gpu_expr_reduce(struct text *out, enum reducer r, const char *x, const char *y);
