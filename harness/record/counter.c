/* SPDX-License-Identifier: Apache-2.0 */
/* counter: rows of the table of that name. A value is NULL unless the counter is present, so that no sum over the table
 * can take a missing counter for zero. */
#include "harness/record/counter.h"

#include "harness/record/database.h"

#include <math.h>
#include <stdio.h>

enum { NAMES_MAX = 256 };

bool store_counters_put(struct store *s, int64_t trial, const struct counter *counters, int n, struct err *err)
{
    struct database *d = store_database(s);
    if (!database_run(d, err, "BEGIN IMMEDIATE", ""))
        return false;
    bool fine = database_run(d, err, "DELETE FROM counter WHERE trial = ?1", "i", trial);
    for (int i = 0; fine && i < n; i++)
        fine = database_run(d, err, "INSERT OR REPLACE INTO counter VALUES(?1, ?2, ?3, ?4, ?5)", "isnds", trial,
                            counters[i].name, (int)counters[i].present, counters[i].present ? counters[i].value : NAN,
                            counters[i].present ? "" : counters[i].reason);
    return database_end(d, fine, err);
}

bool store_counters(struct store *s, struct arena *a, int64_t trial, struct counter **out, int *n, struct err *err)
{
    struct query q;
    *n = 0;
    *out = ARENA_ARRAY(a, struct counter, NAMES_MAX);
    if (!query_open(&q, store_database(s), err,
                    "SELECT name, present, value, reason FROM counter WHERE trial = ?1 ORDER BY name", "i", trial))
        return false;
    while (*n < NAMES_MAX && query_next(&q, err)) {
        struct counter *c = &(*out)[(*n)++];
        c->present = query_int(&q, 1) != 0;
        c->value = query_real(&q, 2);
        snprintf(c->name, sizeof c->name, "%s", query_str(&q, a, 0));
        snprintf(c->reason, sizeof c->reason, "%s", query_str(&q, a, 3));
    }
    return query_close(&q);
}

bool counters_sum(struct store *s, struct arena *a, struct counter_sum **out, int *n, int64_t *counted, struct err *err)
{
    struct query q;
    *n = 0;
    *out = ARENA_ARRAY(a, struct counter_sum, NAMES_MAX);
    if (!database_int(store_database(s), counted, err, "SELECT count(DISTINCT trial) FROM counter", "") ||
        !query_open(&q, store_database(s), err,
                    "SELECT name, sum(present) AS programs, (SELECT reason FROM counter AS other WHERE other.name ="
                    " counter.name AND present = 0 GROUP BY reason ORDER BY count(*) DESC, reason LIMIT 1)"
                    " FROM counter GROUP BY name ORDER BY programs = 0, name",
                    ""))
        return false;
    while (*n < NAMES_MAX && query_next(&q, err))
        (*out)[(*n)++] = (struct counter_sum){
            .name = query_str(&q, a, 0), .programs = query_int(&q, 1), .reason = query_str(&q, a, 2)};
    return query_close(&q);
}
