/* SPDX-License-Identifier: Apache-2.0 */
/* net_batch: what goes through a network at once. */
#pragma once
#include "models/nn/net.h"

/* BATCH: batch norm by the statistics of the batch at hand, RUNNING: by those gathered while training (PyTorch's train
 * and eval). */
enum net_mode { NET_BATCH, NET_RUNNING };
struct net_batch {
    int n; /* examples */
    struct {
        const float *at;  /* the input's width a row; already scaled */
        const int *first; /* n + 1: rows of example i are first[i] .. first[i+1]-1, and first[0] is 0 */
    } in[NET_INPUTS];
};
