/* SPDX-License-Identifier: Apache-2.0 */
/* lost_trials: counts and highest numbers are read from the index of trials, not from the table. */
#include "harness/record/lost_trials.h"

#include "harness/record/database.h"

#include <inttypes.h>
#include <stdio.h>

struct loss { /* of one cell */
    const char *network, *arm;
    int64_t cell, seed, wanted, found;
};

static bool read_losses(struct store *s, struct arena *a, struct loss *out, int *n, struct err *err)
{
    struct query q;
    *n = 0;
    if (!query_open(&q, store_database(s), err,
                    "SELECT cell.cell, network, arm, seed, max(ifnull(complete, 0), ifnull(last + 1, 0)) AS wanted,"
                    " ifnull(present, 0) AS found FROM cell"
                    " LEFT JOIN (SELECT cell AS r, sum(asked) AS complete FROM round WHERE end_s IS NOT NULL"
                    " GROUP BY cell) ON r = cell.cell"
                    " LEFT JOIN (SELECT cell AS t, count(*) AS present, max(ordinal) AS last FROM trial GROUP BY cell)"
                    " ON t = cell.cell WHERE found < wanted ORDER BY cell.cell",
                    ""))
        return false;
    for (; query_next(&q, err); ++*n)
        if (*n == 0)
            *out = (struct loss){.cell = query_int(&q, 0),
                                 .network = query_str(&q, a, 1),
                                 .arm = query_str(&q, a, 2),
                                 .seed = query_int(&q, 3),
                                 .wanted = query_int(&q, 4),
                                 .found = query_int(&q, 5)};
    return query_close(&q);
}

bool lost_trials_none(struct store *s, struct err *err)
{
    struct arena *a = arena_open("lost trials");
    struct loss loss;
    int n;
    bool fine = read_losses(s, a, &loss, &n, err);
    if (fine && n) {
        char others[64] = "";
        if (n > 1)
            snprintf(others, sizeof others, ", and %d other cell%s lost some", n - 1, n > 2 ? "s" : "");
        fine = err_set(err,
                       "the records are damaged: cell %" PRId64 " (%s, %s, seed %" PRId64 ") lost %" PRId64
                       " of its %" PRId64 " trials%s: put a copy of records.db back, or measure again in another "
                       "folder (--results)",
                       loss.cell, loss.network, loss.arm, loss.seed, loss.wanted - loss.found, loss.wanted, others);
    }
    arena_close(a);
    return fine;
}
