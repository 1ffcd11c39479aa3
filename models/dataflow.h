/* SPDX-License-Identifier: Apache-2.0 */
/* dataflow: how data moves through a multi-level tile, as eight blocks of 23 numbers, one an access (Pruner, arXiv
 * 2402.02361, section 4.2; layout and order are those of its released code, which has eight blocks where the paper's
 * figure 4 draws ten).
 *
 * On GPUs the blocks are the first accesses in a row that go local; global, shared; global, shared; shared, shared,
 * local: the tile is set to zero, both operands are staged, the tile is updated. Each access of a store counts, reads
 * from last to first, then the write.
 *
 * On CPUs (ours, since the authors have none): of the stores that update their buffer the one with the most float
 * operations, the store right before it if that sets the same buffer to zero, and what follows, eight accesses at most.
 *
 * Without such accesses all blocks are zero, as for element-wise kernels. */
#pragma once
#include "harness/program/features/feature.h"
#include "harness/program/features/footprint.h"

enum { DATAFLOW_BLOCKS = 8, DATAFLOW_FIELDS = 23 };
enum dataflow_field {                      /* where a block's fields begin */
                      DATAFLOW_WORK = 0,   /* float operations times the square of the loops' turns (as in the code) */
                      DATAFLOW_PLACE = 1,  /* flags: global, shared, local */
                      DATAFLOW_TYPE = 4,   /* flags: read, write, both */
                      DATAFLOW_BYTES = 7,  /* bytes, unique bytes, lines, unique lines */
                      DATAFLOW_REUSE = 11, /* flags: over a loop, over stores, none */
                      DATAFLOW_DISTANCE = 14,        /* in iterations, in bytes; how often */
                      DATAFLOW_BYTES_PER_REUSE = 17, /* the four over how often; times 2 without reuse */
                      DATAFLOW_STRIDE = 21,
                      DATAFLOW_ALLOCATED = 22 /* bytes of the buffer's storage, 0 for arguments */
};

struct dataflow; /* what has been seen of one nest, and memory for the next */
struct dataflow *dataflow_open(void);
void dataflow_close(struct dataflow *d);
/* Forgets the last nest. The watch is for feature_extract_watched. */
struct feature_watch dataflow_start(struct dataflow *d);
/* DATAFLOW_BLOCKS * DATAFLOW_FIELDS numbers: log2(1 + x), flags raw. False: they are zero. */
bool dataflow_blocks(const struct dataflow *d, bool gpu, float *out);
