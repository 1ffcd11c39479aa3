/* SPDX-License-Identifier: Apache-2.0 */
/* adaptation: a cost model that was pre-trained on one device meets a kernel that is new to it on another device, and
 * is told some programs of it: how well does it rank the others? (Pruner, arXiv 2402.02361, section 4.3.)
 *
 * For each kernel of the new device and each seed: PaCM is trained on all other kernels of the old device. Then
 * programs of the kernel are told in rounds of ten, in random order, as a search tells them; a fit is due after each.
 * After 0, 10, ... of them the model ranks those that no way was told of. The ways:
 *     scratch     a new network is trained on the programs told; at 0 its scores are random
 *     unadapted   the pre-trained network as it is
 *     fine-tuned  the pre-trained network is trained on after each round
 *     moa         model moa as the released code has it: a fit at every fourth round
 *     moa-text    model moa as the paper's text reads (delta=change), a fit at every round */
#pragma once
#include "harness/report/ranking/ranking.h"

struct adaptation_options {
    const struct model *pacm, *moa;
    const struct recording *learn;      /* the old device */
    const char *pretraining, *settings; /* of pacm on the old device; of every way's model */
    const int *records;                 /* programs told, rising, the first may be 0 */
    int nrecords, seeds;
    const char *file; /* is written, holds the pre-trained network, and may be removed afterwards */
    struct pool *pool;
};
/* Rows: kernels with at least twice as many programs as are told, then all; amounts in their order; ways in theirs,
 * then chance. All in a. progress is called before each kernel of each seed. False: a model broke, or no kernel has
 * enough programs. */
MUST_CHECK bool adaptation_make(struct arena *a, const struct recording *r, const struct adaptation_options *o,
                                void (*progress)(void *ctx, int done, int of), void *ctx, struct ranking *out,
                                struct err *err);
