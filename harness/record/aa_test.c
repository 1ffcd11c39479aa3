/* SPDX-License-Identifier: Apache-2.0 */
/* aa_test: rows of aa_program, aa_reading and aa_stage. */
#include "harness/record/aa_test.h"

#include "harness/record/database.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const STAGES[] = {"before", "after"};

const char *aa_stage_word(enum aa_stage s)
{
    return STAGES[s];
}

bool aa_programs_put(struct store *s, const struct aa_program *programs, int n, struct err *err)
{
    struct database *d = store_database(s);
    if (!database_run(d, err, "BEGIN IMMEDIATE", ""))
        return false;
    bool fine = true;
    for (int i = 0; fine && i < n; i++) {
        char hash[20];
        snprintf(hash, sizeof hash, "%016" PRIx64, programs[i].hash);
        fine = database_run(d, err, "INSERT INTO aa_program VALUES(?1, ?2, ?3, ?4, ?5)", "nssss", i, programs[i].spec,
                            programs[i].name, programs[i].steps, hash);
    }
    return database_end(d, fine, err);
}

bool aa_programs_get(struct store *s, struct arena *a, struct aa_program **out, int *n, struct err *err)
{
    struct query q;
    *n = 0;
    *out = ARENA_ARRAY(a, struct aa_program, AA_PROGRAMS_MOST);
    if (!query_open(&q, store_database(s), err, "SELECT spec, name, steps, hash FROM aa_program ORDER BY program", ""))
        return false;
    while (*n < AA_PROGRAMS_MOST && query_next(&q, err))
        (*out)[(*n)++] = (struct aa_program){.spec = query_str(&q, a, 0),
                                             .name = query_str(&q, a, 1),
                                             .steps = query_str(&q, a, 2),
                                             .hash = strtoull(query_str(&q, a, 3), NULL, 16)};
    return query_close(&q);
}

bool aa_candidate(struct arena *a, const struct aa_program *t, const struct task *task, struct candidate *out,
                  struct err *err)
{
    const struct record r = {.steps = t->steps, .hash = t->hash, .sample.model_score = NAN};
    return record_candidate(a, &r, task, out, err) || err_context(err, "A/A program '%s'", t->name);
}

bool aa_reading_put(struct store *s, enum aa_stage stage, const struct aa_reading *r, struct err *err)
{
    struct text seconds = {0};
    seconds_print(r->sample.seconds, r->sample.nseconds, &seconds);
    bool fine = database_run(store_database(s), err,
                             "INSERT OR REPLACE INTO aa_reading VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
                             "snnnssssd", STAGES[stage], r->program, r->arm, r->launch, r->regime,
                             outcome_word(r->sample.outcome), r->sample.message, text_str(&seconds), r->unix_s);
    text_free(&seconds);
    return fine && store_safe(s, err);
}

static bool reading_row(const struct query *q, struct arena *a, struct aa_reading *r, struct err *err)
{
    r->program = (int)query_int(q, 0);
    r->arm = (int)query_int(q, 1);
    r->launch = (int)query_int(q, 2);
    r->regime = query_str(q, a, 3);
    r->unix_s = query_real(q, 7);
    snprintf(r->sample.message, sizeof r->sample.message, "%s", query_str(q, a, 5));
    return (outcome_parse(query_str(q, a, 4), &r->sample.outcome) || err_set(err, "A/A reading: unknown outcome")) &&
           seconds_parse(query_str(q, a, 6), r->sample.seconds, &r->sample.nseconds, err);
}

bool aa_readings(struct store *s, struct arena *a, enum aa_stage stage, struct aa_reading **out, int *n,
                 struct err *err)
{
    enum { MOST = AA_PROGRAMS_MOST * AA_ARMS * AA_LAUNCHES };
    struct query q;
    bool fine = true;
    *n = 0;
    *out = ARENA_ARRAY(a, struct aa_reading, MOST);
    if (!query_open(&q, store_database(s), err,
                    "SELECT program, arm, launch, regime, outcome, message, seconds, unix_s FROM aa_reading"
                    " WHERE stage = ?1 ORDER BY launch, program, arm",
                    "s", STAGES[stage]))
        return false;
    while (fine && *n < MOST && query_next(&q, err))
        fine = reading_row(&q, a, &(*out)[(*n)++], err);
    return query_close(&q) && fine;
}

bool aa_stage_put(struct store *s, enum aa_stage stage, double peak_flops, double unix_s, struct err *err)
{
    return database_run(store_database(s), err, "INSERT OR REPLACE INTO aa_stage VALUES(?1, ?2, ?3)", "sdd",
                        STAGES[stage], peak_flops, unix_s);
}

bool aa_stage_get(struct store *s, enum aa_stage stage, struct aa_done *out, struct err *err)
{
    struct query q;
    *out = (struct aa_done){0};
    if (!query_open(&q, store_database(s), err, "SELECT peak_flops, unix_s FROM aa_stage WHERE stage = ?1", "s",
                    STAGES[stage]))
        return false;
    if (query_next(&q, err))
        *out = (struct aa_done){.done = true, .peak_flops = query_real(&q, 0), .unix_s = query_real(&q, 1)};
    return query_close(&q);
}

bool aa_awaited(struct store *s, bool *awaited, struct err *err)
{
    struct query q;
    *awaited = false;
    if (!query_open(
            &q, store_database(s), err,
            "SELECT EXISTS(SELECT 1 FROM aa_program) AND NOT EXISTS(SELECT 1 FROM aa_stage WHERE stage = 'after')", ""))
        return false;
    *awaited = query_next(&q, err) && query_int(&q, 0) != 0;
    return query_close(&q);
}

/* Adds the rows of a query of counts. */
static bool add_counts(struct store *s, const char *sql, int *readings, int *failed, struct err *err)
{
    struct query q;
    if (!query_open(&q, store_database(s), err, sql, ""))
        return false;
    if (query_next(&q, err)) {
        *readings += (int)query_int(&q, 0);
        *failed += (int)query_int(&q, 1);
    }
    return query_close(&q);
}

bool aa_count_readings(struct store *s, int *readings, int *failed, struct err *err)
{
    *readings = *failed = 0;
    return add_counts(s, "SELECT count(*), ifnull(sum(outcome <> 'ok'), 0) FROM retiming", readings, failed, err) &&
           add_counts(
               s, "SELECT count(*), ifnull(sum(outcome <> 'ok'), 0) FROM aa_reading WHERE stage IN ('before', 'after')",
               readings, failed, err);
}
