/* SPDX-License-Identifier: Apache-2.0 */
/* attention: softmax(q k' / sqrt(d)) v for each head of one example (Vaswani et al. 2017, section 3.2), forwards and
 * backwards, without mask and without dropout. */
#pragma once

struct attention {   /* of one example */
    int rows, width; /* width = heads * d */
    int heads;
    const float *three; /* rows x 3 width: queries, keys, values side by side */
    float *memory;      /* attention_memory(rows) floats */
};
int attention_memory(int rows);
void attention_forward(const struct attention *t, float *out); /* rows x width */
/* slope: by out; three_slope: by three, overwritten. */
void attention_backward(const struct attention *t, const float *slope, float *three_slope);
