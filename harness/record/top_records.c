/* SPDX-License-Identifier: Apache-2.0 */
/* top_records: a program that was measured more than once stands with its best record. */
#include "harness/record/top_records.h"

#include "harness/record/database.h"

bool top_records_of(struct store *s, int cell, int task, int most, int64_t *ids, int *n, struct err *err)
{
    struct query q;
    struct store_part of = {cell, task, 0};
    *n = 0;
    if (!store_home(s, &of, err) ||
        !query_open(&q, store_database(s), err,
                    "SELECT id FROM (SELECT id, mean_s, task_ordinal, row_number() OVER (PARTITION BY hash ORDER BY"
                    " mean_s, task_ordinal) AS place FROM trial WHERE cell = ?1 AND task = ?2 AND mean_s IS NOT NULL)"
                    " WHERE place = 1 ORDER BY mean_s, task_ordinal LIMIT ?3",
                    "nnn", of.cell, of.task, most))
        return false;
    while (*n < most && query_next(&q, err))
        ids[(*n)++] = query_int(&q, 0);
    return query_close(&q);
}
