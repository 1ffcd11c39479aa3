/* SPDX-License-Identifier: Apache-2.0 */
/* take_out: searches that shall be made anew leave the records. A copy of the file keeps what was recorded. */
#pragma once
#include "harness/record/store.h"

struct take_out {
    const struct store_cell *cells;
    int n;
    bool *marked;    /* of each cell */
    const char *why; /* what the records say of it from then on, behind what they said before */
    double unix_s;   /* of that */
};
#define STORE_EVENT_SEARCH_AGAIN "search_again" /* which searches were taken out, and why */
/* The marked cells become as they were before they began, and no program is re-timed any more: duels had programs of
 * them. dir: the folder of the records. *kept: the copy of them as they were there, "records-1.db" or the next number
 * that is free, in a. An error leaves the records as they are. */
MUST_CHECK bool take_out(struct store *s, struct arena *a, const char *dir, const struct take_out *t, const char **kept,
                         struct err *err);
