/* SPDX-License-Identifier: Apache-2.0 */
/* net_pass: what a network computes for a batch of examples, forwards. net_backward.h has the way back.
 *
 * Results do not depend on the number of threads: work is cut into parts of fixed size, and sums over rows are taken in
 * the order of the rows. */
#pragma once
#include "harness/base/pool.h"
#include "models/nn/net_batch.h"

struct net_pass;                                   /* memory of one pass, kept for the next */
struct net_pass *net_pass_open(struct pool *pool); /* NULL: on the caller's thread */
void net_pass_close(struct net_pass *p);
/* n scores, valid until the next pass. Batch and network must last until then, too. */
const float *net_forward(struct net_pass *p, const struct net *n, const struct net_batch *b, enum net_mode mode);
/* After a forward pass by NET_BATCH: its statistics go into the network's running ones, with the unbiased variance. */
void net_gather_statistics(const struct net_pass *p, struct net *n);
