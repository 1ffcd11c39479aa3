/* SPDX-License-Identifier: Apache-2.0 */
/* answer_record: a count is raised in the transaction that stores the candidate, so that a kill loses neither. */
#include "harness/record/answer_record.h"

#include "harness/base/text.h"

#include <sqlite3.h>

bool answer_record_count(struct database *db, int cell, int round, enum recorded_answer answer, struct err *err)
{
    if (!database_run(db, err,
                      "UPDATE event SET seconds = seconds + 1"
                      " WHERE cell = ?1 AND round = ?2 AND kind = 'answers' AND name = ?3",
                      "nns", cell, round, answer_word(answer)))
        return false;
    return sqlite3_changes(database_handle(db)) > 0 ||
           database_run(db, err,
                        "INSERT INTO event(cell, round, kind, name, seconds, text, unix_s)"
                        " VALUES(?1, ?2, 'answers', ?3, 1, '', 0)",
                        "nns", cell, round, answer_word(answer));
}

/* A row of the query: arm, name, number. */
static void add_row(const struct query *q, struct arena *a, struct answer_sum *arms, int *n, int most)
{
    const char *arm = query_str(q, a, 0), *name = query_str(q, a, 1);
    int i = 0;
    while (i < *n && !str_eq(arms[i].arm, arm))
        i++;
    if (i == most)
        return;
    *n = i == *n ? *n + 1 : *n;
    arms[i].arm = arm;
    for (int k = 0; k < ANSWER_COUNT; k++)
        if (str_eq(name, answer_word((enum recorded_answer)k)))
            arms[i].of[k] += (int64_t)query_real(q, 2);
}

bool answer_record_sum(struct database *db, struct arena *a, struct answer_sum **out, int *n, struct err *err)
{
    enum { ARMS_MAX = 256 };
    struct query q;
    *n = 0;
    *out = ARENA_ARRAY(a, struct answer_sum, ARMS_MAX);
    if (!query_open(&q, db, err,
                    "SELECT arm, name, total(seconds) FROM event JOIN cell USING(cell) WHERE kind = 'answers'"
                    " GROUP BY arm, name ORDER BY min(cell), arm",
                    ""))
        return false;
    while (query_next(&q, err))
        add_row(&q, a, *out, n, ARMS_MAX);
    return query_close(&q);
}
