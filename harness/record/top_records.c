/* SPDX-License-Identifier: Apache-2.0 */
/* top_records: a program that was measured more than once stands with its best record. */
#include "harness/record/top_records.h"

#include "harness/base/vec.h"
#include "harness/record/database.h"

bool top_records_of(struct store *s, int cell, int task, int most, int64_t *ids, int *n, struct err *err)
{
    struct query q;
    int home;
    *n = 0;
    if (!store_home(s, cell, task, &home, err) ||
        !query_open(&q, store_database(s), err,
                    "SELECT id FROM (SELECT id, mean_s, task_ordinal, row_number() OVER (PARTITION BY hash ORDER BY"
                    " mean_s, task_ordinal) AS place FROM trial WHERE cell = ?1 AND task = ?2 AND mean_s IS NOT NULL)"
                    " WHERE place = 1 ORDER BY mean_s, task_ordinal LIMIT ?3",
                    "nnn", home, task, most))
        return false;
    while (*n < most && query_next(&q, err))
        ids[(*n)++] = query_int(&q, 0);
    return query_close(&q);
}

bool top_records_all_retimed(struct store *s, struct arena *a, const struct top_records_retimed **out, int *n,
                             struct err *err)
{
    struct query q;
    VEC(struct top_records_retimed) all = {0};
    if (!query_open(&q, store_database(s), err,
                    "SELECT id, cell, task FROM trial WHERE id IN (SELECT trial FROM final) ORDER BY id", ""))
        return false;
    while (query_next(&q, err)) {
        struct top_records_retimed f = {query_int(&q, 0), (int)query_int(&q, 1), (int)query_int(&q, 2)};
        vec_push(&all, f);
    }
    *n = all.n;
    *out = all.n ? ARENA_DUP(a, all.at, struct top_records_retimed, all.n) : NULL;
    vec_free(&all);
    return query_close(&q);
}
