/* SPDX-License-Identifier: Apache-2.0 */
/* pool: fork-join threads for independent work items. Deterministic use: the result must not depend on which thread ran
 * an item. */
#pragma once

struct pool;
struct pool *pool_open(int nthreads); /* nthreads < 1: one per online core; 1: runs everything in the caller */
void pool_close(struct pool *p);
int pool_threads(const struct pool *p); /* NULL: 1 */
/* Calls work(ctx, item, thread) for item 0..n-1, thread in 0..pool_threads-1; returns when all are done. NULL: in
 * the caller. */
void pool_for(struct pool *p, int n, void (*work)(void *ctx, int item, int thread), void *ctx);
