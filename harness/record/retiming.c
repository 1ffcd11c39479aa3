/* SPDX-License-Identifier: Apache-2.0 */
/* retiming: rows of the table of that name. */
#include "harness/record/retiming.h"

#include "harness/base/vec.h"
#include "harness/record/database.h"

#include <inttypes.h>
#include <stdio.h>

bool store_retiming_put(struct store *s, const struct store_retiming *f, struct err *err)
{
    struct text seconds = {0};
    seconds_print(f->sample.seconds, f->sample.nseconds, &seconds);
    bool fine =
        database_run(store_database(s), err, "INSERT OR REPLACE INTO retiming VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                     "inssssd", f->trial, f->launch, f->regime, outcome_word(f->sample.outcome), f->sample.message,
                     text_str(&seconds), f->unix_s);
    text_free(&seconds);
    return fine && store_safe(s, err);
}

/* A row of trial, launch, regime, outcome, message, seconds, unix_s. */
static bool retiming_row(const struct query *q, struct arena *a, struct store_retiming *f, struct err *err)
{
    f->trial = query_int(q, 0);
    f->launch = (int)query_int(q, 1);
    f->regime = query_str(q, a, 2);
    if (!outcome_parse(query_str(q, a, 3), &f->sample.outcome))
        return err_set(err, "re-timing of trial %" PRId64 ": unknown outcome", f->trial);
    snprintf(f->sample.message, sizeof f->sample.message, "%s", query_str(q, a, 4));
    f->unix_s = query_real(q, 6);
    return seconds_parse(query_str(q, a, 5), f->sample.seconds, &f->sample.nseconds, err);
}

bool store_retimings(struct store *s, struct arena *a, int64_t trial, struct store_retiming **out, int *n,
                     struct err *err)
{
    struct query q;
    *n = 0;
    *out = ARENA_ARRAY(a, struct store_retiming, RETIMING_LAUNCHES);
    if (!query_open(&q, store_database(s), err,
                    "SELECT trial, launch, regime, outcome, message, seconds, unix_s FROM retiming WHERE trial = ?1"
                    " ORDER BY launch",
                    "i", trial))
        return false;
    bool fine = true;
    while (fine && *n < RETIMING_LAUNCHES && query_next(&q, err))
        fine = retiming_row(&q, a, &(*out)[(*n)++], err);
    return query_close(&q) && fine;
}

bool retimings_each(struct store *s, void (*each)(void *with, const struct store_retiming *f), void *with,
                    struct err *err)
{
    struct query q;
    if (!query_open(&q, store_database(s), err,
                    "SELECT trial, launch, regime, outcome, message, seconds, unix_s FROM retiming"
                    " ORDER BY trial, launch",
                    ""))
        return false;
    struct arena *a = arena_open("launch");
    bool fine = true;
    while (fine && query_next(&q, err)) {
        struct store_retiming f = {0};
        fine = retiming_row(&q, a, &f, err);
        if (fine)
            each(with, &f);
        arena_reset(a);
    }
    arena_close(a);
    return query_close(&q) && fine;
}

bool retiming_fits(struct store *s, const char *regime, int launches, bool *fit, struct err *err)
{
    struct query q;
    *fit = false;
    if (!query_open(&q, store_database(s), err, "SELECT count(*) FROM retiming WHERE regime <> ?1 OR launch >= ?2",
                    "sn", regime, launches))
        return false;
    if (query_next(&q, err))
        *fit = query_int(&q, 0) == 0;
    return query_close(&q);
}

bool retimed_programs(struct store *s, struct arena *a, const struct retimed_program **out, int *n, struct err *err)
{
    struct query q;
    VEC(struct retimed_program) all = {0};
    if (!query_open(&q, store_database(s), err,
                    "SELECT id, cell, task FROM trial WHERE id IN (SELECT trial FROM retiming) ORDER BY id", ""))
        return false;
    while (query_next(&q, err)) {
        struct retimed_program f = {query_int(&q, 0), (int)query_int(&q, 1), (int)query_int(&q, 2)};
        vec_push(&all, f);
    }
    *n = all.n;
    *out = all.n ? ARENA_DUP(a, all.at, struct retimed_program, all.n) : NULL;
    vec_free(&all);
    return query_close(&q);
}
