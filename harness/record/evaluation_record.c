/* SPDX-License-Identifier: Apache-2.0 */
/* evaluation_record: the sums are SQL's, as in tally.c. */
#include "harness/record/evaluation_record.h"

#include "harness/base/text.h"

bool evaluation_record_put(struct database *db, int cell, int round, const struct evaluations *e, struct err *err)
{
    bool fine = true;
    for (int i = 0; fine && i < EVALUATION_COUNT; i++)
        if (e->at[i] != 0)
            fine = database_run(db, err,
                                "INSERT INTO event(cell, round, kind, name, seconds, text, unix_s)"
                                " VALUES(?1, ?2, 'evaluations', ?3, ?4, '', 0)",
                                "nnsd", cell, round, evaluation_name((enum evaluation)i), (double)e->at[i]);
    return fine;
}

/* A row of the query: arm, rounds, name, number. */
static void add_row(const struct query *q, struct arena *a, struct evaluation_sum *arms, int *n, int most)
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
    for (int k = 0; k < EVALUATION_COUNT; k++)
        if (str_eq(name, evaluation_name((enum evaluation)k)))
            arms[i].sum.at[k] += (int64_t)query_real(q, 3);
}

bool evaluation_record_sum(struct database *db, struct arena *a, struct evaluation_sum **out, int *n, struct err *err)
{
    enum { ARMS_MAX = 256 };
    struct query q;
    *n = 0;
    *out = ARENA_ARRAY(a, struct evaluation_sum, ARMS_MAX);
    if (!query_open(&q, db, err,
                    "WITH counted AS (SELECT arm, cell, round, name, seconds FROM event JOIN cell USING(cell)"
                    " WHERE kind = 'evaluations')"
                    " SELECT arm, (SELECT count(DISTINCT c.cell * 1000000 + c.round) FROM counted AS c"
                    " WHERE c.arm = counted.arm), name, total(seconds) FROM counted GROUP BY arm, name"
                    " ORDER BY (SELECT min(c.cell) FROM counted AS c WHERE c.arm = counted.arm), arm",
                    ""))
        return false;
    while (query_next(&q, err))
        add_row(&q, a, *out, n, ARMS_MAX);
    return query_close(&q);
}
