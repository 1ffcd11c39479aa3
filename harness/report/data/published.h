/* SPDX-License-Identifier: Apache-2.0 */
/* published: the papers' numbers that stand beside ours, typed in with their source:
 * experiments/published/<table>.yaml. */
#pragma once
#include "harness/base/arena.h"
#include "harness/base/err.h"

#include <stdint.h>

struct published_network {
    const char *name;
    int64_t kernels;
    double dpansor_ms, ansor_ms, search; /* at k = 300; search: tuning speedup */
    double kernel[16];                   /* execution speedup for each k */
};
struct published {
    const char *title, *paper;
    int64_t k[16], search_k; /* search_k: the k of the networks' search speedups */
    int nk;
    double mean_kernel[16], mean_search[16], wins[16];
    struct published_network *networks;
    int nnetworks;
};
/* *out = NULL when the file has no such machine (nothing stands beside ours then). */
MUST_CHECK bool published_load(struct arena *a, const char *folder, const char *table, const char *machine,
                               struct published **out, struct err *err);
const struct published_network *published_network(const struct published *p, const char *name); /* NULL when absent */
int published_k(const struct published *p, int64_t k);                                          /* index or -1 */

/* Rows of a table that does not have Table 3's shape: experiments/published/<stem>.yaml with machines, each a title and
 * rows, maps of a label and numbers in the order they are to be printed. */
struct published_row {
    const char *title, *label, *numbers; /* title of the machine; "key number  key number" */
    const double *v;                     /* the numbers, n of them */
    int n;
};
struct published_rows {
    const char *paper;
    struct published_row *at;
    int n;
    /* Where a machine has a row whose label says no k ("Ansor, 1000 trials") and then rows that end in one
     * ("dpansor-300") of as many numbers: the geometric means of the former's times over the latter's. NULL: none has.
     */
    struct published *ratios;
};
/* *out = NULL when there is no such file. */
MUST_CHECK bool published_rows_load(struct arena *a, const char *folder, const char *stem, struct published_rows **out,
                                    struct err *err);
