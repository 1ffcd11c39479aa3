/* SPDX-License-Identifier: Apache-2.0 */
/* event_sum: the sums are SQL's, as in tally.c. */
#include "harness/record/event_sum.h"

#include "harness/base/text.h"

/* A row of the query: arm, rounds, name, number. */
static void add_row(const struct query *q, struct arena *a, const struct event_kind *kind, struct event_sum *arms,
                    int *n, int most)
{
    const char *arm = query_str(q, a, 0), *name = query_str(q, a, 2);
    int i = 0;
    while (i < *n && !str_eq(arms[i].arm, arm))
        i++;
    if (i == most)
        return;
    *n = i == *n ? *n + 1 : *n;
    arms[i].arm = arm;
    arms[i].rounds = query_int(q, 1);
    for (int k = 0; k < kind->names; k++)
        if (str_eq(name, kind->name(k)))
            arms[i].of[k] += (int64_t)query_real(q, 3);
}

bool event_sums(struct database *db, struct arena *a, const struct event_kind *kind, struct event_sum **out, int *n,
                struct err *err)
{
    enum { ARMS_MAX = 256 };
    struct query q;
    *n = 0;
    *out = ARENA_ARRAY(a, struct event_sum, ARMS_MAX);
    if (!query_open(&q, db, err,
                    "WITH counted AS (SELECT arm, cell, round, name, seconds FROM event JOIN cell USING(cell)"
                    " WHERE kind = ?1)"
                    " SELECT arm, (SELECT count(DISTINCT c.cell * 1000000 + c.round) FROM counted AS c"
                    " WHERE c.arm = counted.arm), name, total(seconds) FROM counted GROUP BY arm, name"
                    " ORDER BY (SELECT min(c.cell) FROM counted AS c WHERE c.arm = counted.arm), arm",
                    "s", kind->kind))
        return false;
    while (query_next(&q, err))
        add_row(&q, a, kind, *out, n, ARMS_MAX);
    return query_close(&q);
}
