/* SPDX-License-Identifier: Apache-2.0 */
/* layout: packs a weight as a packed buffer of a nest wants it (layout mode 2). */
#pragma once
#include "harness/program/ir/nest.h"

int64_t layout_elements(const struct buffer *b); /* elements of the buffer as stored: product of extent */
/* from: original tensor, row-major; to: layout_elements(b) elements; holes of non-dividing splits are set to 0. */
void layout_pack(const struct buffer *b, const void *from, void *to);
