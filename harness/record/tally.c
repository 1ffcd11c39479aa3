/* SPDX-License-Identifier: Apache-2.0 */
/* tally: the sums are SQL's: a report asks for some hundred of them and need not load 10,000 records for each. */
#include "harness/record/tally.h"

#include "harness/base/text.h"
#include "harness/record/database.h"

#include <limits.h>
#include <string.h>

bool tally_sum(struct store *s, int cell, int task, int64_t k, struct tally_sums *out, struct err *err)
{
    struct store_part of = {cell, task, k};
    *out = (struct tally_sums){0};
    if (!store_home(s, &of, err))
        return false;
    struct query q;
    if (!query_open(&q, store_database(s), err,
                    "SELECT count(*), count(mean_s), total(cost_s), total(wall_s), total(build_s), total(run_s),"
                    " total(verify_s) FROM trial WHERE cell = ?1 AND (?2 < 0 OR task = ?2) AND"
                    " (?3 <= 0 OR CASE WHEN ?2 < 0 THEN ordinal ELSE task_ordinal END < ?3)",
                    "nni", of.cell, of.task, k))
        return false;
    if (query_next(&q, err))
        *out = (struct tally_sums){.records = query_int(&q, 0),
                                   .valid = query_int(&q, 1),
                                   .cost_s = query_real(&q, 2),
                                   .wall_s = query_real(&q, 3),
                                   .build_s = query_real(&q, 4),
                                   .run_s = query_real(&q, 5),
                                   .verify_s = query_real(&q, 6)};
    return query_close(&q);
}

bool tally_failures(struct store *s, struct arena *a, int cell, int task, struct tally_failure **out, int *n,
                    struct err *err)
{
    enum { REASONS_MAX = 1000 };
    struct query q;
    struct store_part of = {cell, task, 0};
    *n = 0;
    *out = ARENA_ARRAY(a, struct tally_failure, REASONS_MAX);
    if (!store_home(s, &of, err))
        return false;
    if (!query_open(&q, store_database(s), err,
                    "SELECT outcome, message, count(*) AS n FROM trial WHERE outcome <> 'ok' AND (?1 < 0 OR cell = ?1)"
                    " AND (?2 < 0 OR task = ?2) GROUP BY outcome, message ORDER BY n DESC, outcome, message",
                    "nn", of.cell, of.task))
        return false;
    while (*n < REASONS_MAX && query_next(&q, err)) {
        struct tally_failure *f = &(*out)[(*n)++];
        if (!outcome_parse(query_str(&q, a, 0), &f->outcome))
            (*n)--;
        f->message = query_str(&q, a, 1);
        f->count = query_int(&q, 2);
    }
    return query_close(&q);
}

bool tally_uncounted(struct store *s, double *seconds, struct err *err)
{
    struct query q;
    *seconds = 0;
    if (!query_open(&q, store_database(s), err,
                    "SELECT total(spared_s), (SELECT total(seconds) FROM event WHERE kind = 'cached') FROM trial", ""))
        return false;
    if (query_next(&q, err))
        *seconds = query_real(&q, 0) + query_real(&q, 1);
    return query_close(&q);
}

static bool wall_of_rounds(struct store *s, int cell, double *wall_s, struct err *err)
{
    struct query q;
    *wall_s = 0;
    if (!query_open(&q, store_database(s), err,
                    "SELECT total(end_s - begin_s) FROM round WHERE end_s IS NOT NULL AND cell BETWEEN ?1 AND ?2", "nn",
                    cell < 0 ? 0 : cell, cell < 0 ? INT_MAX : cell))
        return false;
    if (query_next(&q, err))
        *wall_s = query_real(&q, 0);
    return query_close(&q);
}

/* Of all cells in the order of the rows: reports have every digit of the sums. */
#define OTHERS                                                                                                         \
    "SELECT total(seconds) FILTER (WHERE name = 'others'), total(seconds) FILTER (WHERE name = 'stolen'),"             \
    " total(seconds) FILTER (WHERE name = 'whole') FROM event WHERE kind = 'machine'"

bool tally_others(struct store *s, int cell, struct cpu_contention *out, struct err *err)
{
    *out = (struct cpu_contention){0};
    struct query q;
    if (!(cell < 0 ? query_open(&q, store_database(s), err, OTHERS, "")
                   : query_open(&q, store_database(s), err, OTHERS " AND cell = ?1", "n", cell)))
        return false;
    if (query_next(&q, err))
        *out = (struct cpu_contention){
            .others_s = query_real(&q, 0), .stolen_s = query_real(&q, 1), .whole_s = query_real(&q, 2)};
    return query_close(&q);
}

bool tally_phases(struct store *s, int cell, double seconds[PHASE_COUNT], double *wall_s, struct err *err)
{
    memset(seconds, 0, sizeof *seconds * PHASE_COUNT);
    struct arena *a = arena_open("phases");
    struct query q;
    bool fine = query_open(&q, store_database(s), err,
                           "SELECT name, total(seconds) FROM event JOIN round USING(cell, round) WHERE kind = 'phase'"
                           " AND end_s IS NOT NULL AND cell BETWEEN ?1 AND ?2 GROUP BY name",
                           "nn", cell < 0 ? 0 : cell, cell < 0 ? INT_MAX : cell);
    if (fine) {
        while (query_next(&q, err)) {
            const char *name = query_str(&q, a, 0);
            for (int p = 0; p < PHASE_COUNT; p++)
                if (str_eq(name, phase_name((enum phase)p)))
                    seconds[p] += query_real(&q, 1);
        }
        fine = query_close(&q);
    }
    arena_close(a);
    return fine && wall_of_rounds(s, cell, wall_s, err);
}
