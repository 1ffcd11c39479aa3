/* SPDX-License-Identifier: Apache-2.0 */
/* suspect: released rows that should not be believed (droplet.md 3.7, data/README.md). Nothing in the authors'
 * measuring path compares outputs, so a broken program may well be the fastest. */
#pragma once
#include "harness/experiment/reanalysis.h"

enum suspect_kind {
    SUSPECT_FAST,       /* Ansor-10k takes at least 3 times as long */
    SUSPECT_WORSE,      /* at least 5 % slower than its own start, which Droplet's log contains */
    SUSPECT_IMPOSSIBLE, /* shorter than the roofline allows, whichever kernel of the network it is (roof.h) */
    SUSPECT_FAILED,     /* a failure written as a number: 9999 s, 10^10 s */
    SUSPECT_KINDS
};
const char *suspect_word(enum suspect_kind k);
const char *suspect_title(enum suspect_kind k);

struct suspect {
    enum suspect_kind kind;
    const struct release_block *block;
    const struct release_row *row;
    double bound_s; /* IMPOSSIBLE: the roofline, else NaN */
};
struct roofed { /* what the roofline could be held against */
    const char *machine;
    int networks, without; /* with and without a network file */
    int unfit;             /* networks where Ansor's own times leave no assignment */
    bool known;            /* the machine file gives its limits */
};
struct suspects {
    VEC(struct suspect) all; /* by machine, k, network, row; impossible and failed follow */
    int count[SUSPECT_KINDS];
    struct roofed *roofed;
    int nroofed;
};
/* In a. folder: of experiments, whose machines/ and networks/ are read where they exist. */
struct suspects *suspect_find(struct arena *a, const struct reanalysis *x, const char *folder);

/* How many of a kind a machine's sweep has at k (k 0: at every k). */
int suspect_count(const struct suspects *s, enum suspect_kind kind, const char *machine, int64_t k);
