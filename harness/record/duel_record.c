/* SPDX-License-Identifier: Apache-2.0 */
/* duel_record: rows of duel, duel_program and duel_launch. */
#include "harness/record/duel_record.h"

#include "harness/base/vec.h"
#include "harness/record/database.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static bool put_one(struct database *d, int number, const struct duel_record *one, struct err *err)
{
    bool fine = database_run(d, err, "INSERT INTO duel VALUES(?1, ?2, ?3, ?4, ?5)", "nsinn", number, one->network,
                             one->seed, one->task, (int)one->is_null);
    for (int i = 0; fine && i < one->ntrials; i++) {
        char hash[20];
        snprintf(hash, sizeof hash, "%016" PRIx64, one->trials[i].hash);
        fine = database_run(d, err, "INSERT INTO duel_program VALUES(?1, ?2, ?3, ?4)", "nnis", number,
                            one->trials[i].place, one->trials[i].trial, hash);
    }
    return fine;
}

static bool number(struct store *s, int *out, struct err *err, const char *sql)
{
    int64_t n;
    bool fine = database_int(store_database(s), &n, err, sql, "");
    *out = (int)n;
    return fine;
}

bool duel_records_put(struct store *s, const struct duel_record *duels, int n, double unix_s, struct err *err)
{
    struct database *d = store_database(s);
    int had;
    if (n == 0)
        return true;
    if (!number(s, &had, err, "SELECT count(*) FROM duel") || !database_run(d, err, "BEGIN IMMEDIATE", ""))
        return false;
    bool fine = had == 0 || store_event(s, -1, -1, "more_duels", "", unix_s, err);
    for (int i = 0; fine && i < n; i++)
        fine = put_one(d, had + i, &duels[i], err);
    return database_end(d, fine, err);
}

static bool trials_get(struct store *s, struct arena *a, struct duel_record *duels, int n, struct err *err)
{
    struct query q;
    VEC(struct duel_trial) all = {0};
    int of = -1;
    if (!query_open(&q, store_database(s), err,
                    "SELECT duel, place, trial, hash FROM duel_program ORDER BY duel, place, trial", ""))
        return false;
    for (bool more = true; more;) {
        more = query_next(&q, err);
        int duel = more ? (int)query_int(&q, 0) : -1;
        if (duel != of && of >= 0 && of < n) {
            duels[of].trials = ARENA_DUP(a, all.at, struct duel_trial, all.n);
            duels[of].ntrials = all.n;
            duels[of].programs = all.n ? vec_last(&all).place + 1 : 0;
        }
        if (duel != of)
            all.n = 0;
        of = duel;
        if (more)
            vec_push(&all, (struct duel_trial){.place = (int)query_int(&q, 1),
                                               .trial = query_int(&q, 2),
                                               .hash = strtoull(query_str(&q, a, 3), NULL, 16)});
    }
    vec_free(&all);
    return query_close(&q);
}

bool duel_records_get(struct store *s, struct arena *a, struct duel_record **out, int *n, struct err *err)
{
    struct query q;
    VEC(struct duel_record) all = {0};
    *n = 0;
    if (!query_open(&q, store_database(s), err, "SELECT network, seed, task, null_pair FROM duel ORDER BY duel", ""))
        return false;
    while (query_next(&q, err))
        vec_push(&all, (struct duel_record){.network = query_str(&q, a, 0),
                                            .seed = query_int(&q, 1),
                                            .task = (int)query_int(&q, 2),
                                            .is_null = query_int(&q, 3) != 0});
    vec_keep(a, &all, out, n);
    return query_close(&q) && (*n == 0 || trials_get(s, a, *out, *n, err));
}

bool duel_trials(struct store *s, struct arena *a, int64_t **out, int *n, struct err *err)
{
    struct query q;
    VEC(int64_t) all = {0};
    if (!query_open(&q, store_database(s), err, "SELECT DISTINCT trial FROM duel_program", ""))
        return false;
    while (query_next(&q, err))
        vec_push(&all, query_int(&q, 0));
    vec_keep(a, &all, out, n);
    return query_close(&q);
}

bool duel_launch_put(struct store *s, const struct duel_launch_key *key, const struct duel_process *by_place, int n,
                     struct err *err)
{
    struct database *d = store_database(s);
    bool fine = database_run(d, err, "BEGIN IMMEDIATE", "");
    if (!fine)
        return false;
    for (int i = 0; fine && i < n; i++) {
        const struct sample *sample = &by_place[i].sample;
        struct text seconds = {0};
        seconds_print(sample->seconds, sample->nseconds, &seconds);
        fine = database_run(d, err, "INSERT INTO duel_launch VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
                            "nnnnsssssd", key->duel, key->launch, i, key->sitting, key->regime, by_place[i].turns,
                            outcome_word(sample->outcome), sample->message, text_str(&seconds), key->unix_s);
        text_free(&seconds);
    }
    return database_end(d, fine, err) && store_safe(s, err);
}

/* The fastest slice of a row of seconds; NAN: it has none. */
static bool fastest(const char *json, double *out, struct err *err)
{
    double seconds[SAMPLE_REPEATS];
    int n = 0;
    *out = NAN;
    if (!seconds_parse(json, seconds, &n, err))
        return false;
    for (int i = 0; i < n; i++)
        *out = fmin(*out, seconds[i]); /* fmin takes the number where one is NAN */
    return true;
}

bool duel_times(struct store *s, struct arena *a, struct duel_time **out, int *n, struct err *err)
{
    struct query q;
    VEC(struct duel_time) all = {0};
    bool fine = true;
    *n = 0;
    if (!query_open(&q, store_database(s), err,
                    "SELECT duel, launch, place, sitting, seconds FROM duel_launch ORDER BY duel, launch, place", ""))
        return false;
    while (fine && query_next(&q, err)) {
        struct arena_mark mark = arena_mark(a);
        struct duel_time t = {.duel = (int)query_int(&q, 0),
                              .launch = (int)query_int(&q, 1),
                              .place = (int)query_int(&q, 2),
                              .sitting = (int)query_int(&q, 3)};
        fine = fastest(query_str(&q, a, 4), &t.seconds, err);
        vec_push(&all, t);
        arena_release(a, mark);
    }
    vec_keep(a, &all, out, n);
    return query_close(&q) && fine;
}

bool duel_count_processes(struct store *s, int *all, int *failed, struct err *err)
{
    *failed = 0;
    return number(s, all, err, "SELECT count(*) FROM duel_launch") &&
           number(s, failed, err, "SELECT count(*) FROM duel_launch WHERE outcome <> 'ok'");
}

bool duel_regime_differs(struct store *s, const char *regime, bool *differs, struct err *err)
{
    int64_t found;
    bool fine = database_int(store_database(s), &found, err,
                             "SELECT EXISTS(SELECT 1 FROM duel_launch WHERE regime <> ?1)", "s", regime);
    *differs = found != 0;
    return fine;
}

bool duel_sitting(struct store *s, int *sitting, struct err *err)
{
    return number(s, sitting, err, "SELECT count(*) FROM event WHERE kind = 'sitting'");
}

bool duel_peak_put(struct store *s, double flops, double unix_s, struct err *err)
{
    char text[32];
    snprintf(text, sizeof text, "%.6g", flops);
    return !(flops > 0) || store_event(s, -1, -1, "peak", text, unix_s, err);
}

bool duel_peak(struct store *s, double *flops, struct err *err)
{
    struct query q;
    *flops = NAN;
    if (!query_open(&q, store_database(s), err,
                    "SELECT ifnull(max(CAST(text AS REAL)), 0) FROM event WHERE kind = 'peak'", ""))
        return false;
    if (query_next(&q, err) && query_real(&q, 0) > 0)
        *flops = query_real(&q, 0);
    return query_close(&q);
}

bool duel_sitting_begin(struct store *s, double unix_s, struct err *err)
{
    return store_event(s, -1, -1, "sitting", "", unix_s, err);
}

bool duel_awaited(struct store *s, bool *awaited, struct err *err)
{
    int waits;
    bool fine = number(s, &waits, err,
                       "SELECT EXISTS(SELECT 1 FROM duel) AND NOT EXISTS(SELECT 1 FROM event WHERE kind = 'sitting_end'"
                       " AND text = (SELECT CAST(count(*) AS TEXT) FROM event WHERE kind = 'sitting') AND"
                       " rowid > (SELECT ifnull(max(rowid), 0) FROM event WHERE kind = 'more_duels'))");
    *awaited = waits != 0;
    return fine;
}

bool duel_sitting_end(struct store *s, double unix_s, struct err *err)
{
    bool awaited = false;
    int sitting;
    if (!duel_awaited(s, &awaited, err) || !duel_sitting(s, &sitting, err))
        return false;
    char text[16];
    snprintf(text, sizeof text, "%d", sitting);
    return !awaited || store_event(s, -1, -1, "sitting_end", text, unix_s, err);
}
