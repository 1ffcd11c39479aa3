/* SPDX-License-Identifier: Apache-2.0 */
/* outliers: released rows that should not be believed (harness/doc/droplet.md, "Outliers in the released results").
 * Nothing in the authors' measuring path compares outputs, so a broken program may well be the fastest. */
#pragma once
#include "harness/released/droplet/reanalysis.h"

enum outlier_kind {
    OUTLIER_FAST,       /* Ansor-10k takes at least 3 times as long */
    OUTLIER_WORSE,      /* at least 5 % slower than its own start, which Droplet's log contains */
    OUTLIER_IMPOSSIBLE, /* shorter than the roofline allows, whichever kernel of the network it is (roofline.h) */
    OUTLIER_FAILED,     /* a failure written as a number: 9999 s, 10^10 s */
    OUTLIER_KINDS
};
extern const char *const outlier_words[];
extern const char *const outlier_titles[];

struct outlier {
    enum outlier_kind kind;
    const struct release_block *block;
    const struct release_row *row;
    double bound_s; /* IMPOSSIBLE: the roofline, else NaN */
};
struct roofline_coverage { /* which networks of a machine the roofline was held against */
    const char *machine;
    int networks, without; /* with and without a network file */
    int unfit;             /* networks where Ansor's own times leave no assignment */
    bool known;            /* the machine file gives its limits */
};
struct outliers {
    VEC(struct outlier) all; /* by machine, k, network, row; impossible and failed follow */
    int count[OUTLIER_KINDS];
    struct roofline_coverage *roofline; /* one a machine */
    int nroofline;
};
/* In a. folder: of experiments, whose machines/ and networks/ are read where they exist. */
struct outliers *outlier_find(struct arena *a, const struct reanalysis *x, const char *folder);

/* How many of a kind a machine's sweep has at k (k 0: at every k). */
int outlier_count(const struct outliers *s, enum outlier_kind kind, const char *machine, int64_t k);
