/* SPDX-License-Identifier: Apache-2.0 */
/* library_conv: what the targets of vendors' libraries (onednn, cuda-libraries) share: a convolution as its task spells
 * it, and our layouts brought to NCHW and OIHW. */
#pragma once
#include "harness/plug/target.h"

struct library_conv {
    int64_t n, ci, hi, wi, co, kh, kw, ho, wo, groups;
    int64_t cib, cob; /* channels in a block of the data and of the output; 1 is NCHW, all of them NHWC */
    int64_t stride[2], dilation[2], before[2], after[2]; /* height, width; before and after: padding */
};

/* The text of a key in a canonical spec, which has all of them; "" and 0 where the operator has no such key. */
const char *library_text(const struct task *t, const char *key);
int64_t library_number(const struct task *t, const char *key);
struct library_conv library_conv(const struct task *t);

/* plain[c][i] from blocked[c / block][i][c % block] of every image, or the other way round. */
struct library_data {
    int64_t images, channels, pixels, block;
};
void library_move(float *plain, float *blocked, const struct library_data *d, bool to_plain);
/* plain[o][i][a] from filter[o / cob][i / cib][a][i % cib][o % cob]; with blocks of all channels that is HWIO. */
void library_filter(float *plain, const float *filter, const struct library_conv *c);

/* Nothing is built ahead: the library has its code. why: it does not run this task; NULL: it does. */
enum outcome library_build(const char *why, struct blob *object, char message[SAMPLE_MESSAGE]);
