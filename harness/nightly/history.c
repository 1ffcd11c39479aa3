/* SPDX-License-Identifier: Apache-2.0 */
/* history: tables night, value, verdict, accepted. */
#include "harness/nightly/history.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/text.h"
#include "harness/base/vec.h"
#include "harness/record/database.h"
#include "harness/stats/summary.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HISTORY_VERSION 1
static const char SCHEMA[] =
    "BEGIN IMMEDIATE;"
    "CREATE TABLE night(night INTEGER PRIMARY KEY, machine TEXT NOT NULL, identity TEXT NOT NULL, experiment TEXT NOT"
    " NULL, experiment_hash TEXT NOT NULL, binary TEXT NOT NULL, revision TEXT NOT NULL, environment TEXT NOT NULL,"
    " state TEXT NOT NULL, begun_unix REAL NOT NULL, ended_unix REAL);"
    "CREATE TABLE value(night INTEGER NOT NULL, series TEXT NOT NULL, side TEXT NOT NULL, ordinal INTEGER NOT NULL,"
    " seconds REAL NOT NULL, PRIMARY KEY(night, series, side, ordinal)) WITHOUT ROWID;"
    "CREATE TABLE verdict(night INTEGER NOT NULL, series TEXT NOT NULL, kind TEXT NOT NULL, ratio REAL, p REAL,"
    " margin REAL, again REAL, low REAL, high REAL, PRIMARY KEY(night, series)) WITHOUT ROWID;"
    "CREATE TABLE accepted(night INTEGER NOT NULL, reason TEXT NOT NULL, unix REAL NOT NULL);"
    "PRAGMA user_version = 1; COMMIT;";

struct history {
    struct arena *arena;
    struct database *db;
    const char *path;
    int lock; /* -1: reading */
};

bool history_folder(struct arena *a, const char *state, const char **out, struct err *err)
{
    const char *xdg = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    if (state)
        *out = state;
    else if (xdg && *xdg == '/') /* the specification: a relative one is to be ignored */
        *out = file_join(a, xdg, "raingauge");
    else if (home && *home)
        *out = file_join(a, home, ".local/state/raingauge");
    else
        return err_set(err, "no folder for the history: neither XDG_STATE_HOME nor HOME is set; give --state");
    return true;
}

static struct history *history_new(const char *dir)
{
    struct arena *a = arena_open("history");
    struct history *h = ARENA_NEW(a, struct history);
    *h = (struct history){.arena = a, .path = file_join(a, dir, "nightly.db"), .lock = -1};
    return h;
}

void history_close(struct history *h)
{
    if (!h)
        return;
    database_close(h->db);
    if (h->lock >= 0)
        close(h->lock);
    arena_close(h->arena);
}

static bool know_version(struct history *h, bool make, struct err *err)
{
    int64_t version;
    if (!database_int(h->db, &version, err, "PRAGMA user_version", ""))
        return false;
    if (version == 0 && make)
        return database_script(h->db, SCHEMA, err);
    return version == HISTORY_VERSION ||
           err_set(err, "'%s' is no history of nights that this raingauge knows (version %" PRId64 ", not %d)", h->path,
                   version, HISTORY_VERSION);
}

static bool take_lock(struct history *h, const char *dir, struct err *err)
{
    const char *path = file_join(h->arena, dir, "nightly.lock");
    pid_t pid;
    if (lock_take(path, &h->lock, err))
        return true;
    if (lock_holder(path, &pid))
        return err_set(err, "a nightly run is under way (process %d holds '%s'): wait for it", (int)pid, path);
    return false;
}

bool history_open(const char *dir, struct history **out, struct err *err)
{
    struct history *h = history_new(dir);
    *out = h;
    if (file_make_dirs(dir, err) && take_lock(h, dir, err)) {
        if (database_open(h->path, false, &h->db, err) && know_version(h, true, err))
            return true;
        err_context(err, "the history of nights (move the file away to begin a new one)");
    }
    history_close(h);
    *out = NULL;
    return false;
}

bool history_open_read(const char *dir, struct history **out, struct err *err)
{
    struct history *h = history_new(dir);
    *out = h;
    if (!file_exists(h->path))
        err_set(err, "no nights are recorded at '%s'", h->path);
    else if (database_open_read(h->path, &h->db, err) && know_version(h, false, err))
        return true;
    else
        err_context(err, "the history of nights");
    history_close(h);
    *out = NULL;
    return false;
}

/* Nights ---------------------------------------------------------------------------------------------------------- */

bool night_is_whole(const struct night *n)
{
    return !str_eq(n->state, NIGHT_RUNNING) && !str_eq(n->state, NIGHT_STOPPED);
}

#define NIGHT_COLUMNS                                                                                                  \
    "SELECT night, machine, identity, experiment, experiment_hash, binary, revision, environment, state, begun_unix,"  \
    " (SELECT reason FROM accepted WHERE accepted.night = x.night ORDER BY unix DESC LIMIT 1)"                         \
    " FROM night AS x "

static struct night read_night(const struct query *q, struct arena *a)
{
    const char *accepted = query_str(q, a, 10);
    return (struct night){.number = query_int(q, 0),
                          .machine = query_str(q, a, 1),
                          .identity = query_str(q, a, 2),
                          .experiment = query_str(q, a, 3),
                          .experiment_hash = query_str(q, a, 4),
                          .binary = query_str(q, a, 5),
                          .revision = query_str(q, a, 6),
                          .environment = query_str(q, a, 7),
                          .state = query_str(q, a, 8),
                          .begun_unix = query_real(q, 9),
                          .accepted = *accepted ? accepted : NULL};
}

static bool read_nights(struct query *q, struct arena *a, struct night **out, int *n, struct err *err)
{
    VEC(struct night) all = {0};
    while (query_next(q, err))
        vec_push(&all, read_night(q, a));
    vec_keep(a, &all, out, n);
    return query_close(q);
}

static bool equal_json(const char *a, const char *b)
{
    struct err ignored = {0};
    cJSON *x = json_parse(a, strlen(a), "identity", &ignored), *y = json_parse(b, strlen(b), "identity", &ignored);
    bool equal = x && y && cJSON_Compare(x, y, true);
    cJSON_Delete(x);
    cJSON_Delete(y);
    return equal;
}

/* Earlier versions wrote the same facts with other blanks. */
bool history_adopt(struct history *h, struct night *n, struct err *err)
{
    struct query q;
    const char *now = n->identity;
    if (!query_open(&q, h->db, err, "SELECT DISTINCT identity FROM night WHERE machine = ?1", "s", n->machine))
        return false;
    while (query_next(&q, err)) {
        const char *old = query_str(&q, h->arena, 0);
        if (equal_json(old, now))
            n->identity = old;
    }
    return query_close(&q);
}

static bool find_cut_short(struct history *h, struct night *n, bool *found, struct err *err)
{
    struct query q;
    if (!query_open(&q, h->db, err,
                    "SELECT night, begun_unix FROM night WHERE state = 'running' AND machine = ?1 AND identity = ?2 AND"
                    " experiment_hash = ?3 AND binary = ?4 ORDER BY night DESC LIMIT 1",
                    "ssss", n->machine, n->identity, n->experiment_hash, n->binary))
        return false;
    *found = query_next(&q, err);
    if (*found) {
        n->number = query_int(&q, 0);
        n->begun_unix = query_real(&q, 1);
    }
    return query_close(&q);
}

static bool insert_night(struct history *h, struct night *n, struct err *err)
{
    n->begun_unix = clock_unix();
    return database_run(
               h->db, err,
               "INSERT INTO night(machine, identity, experiment, experiment_hash, binary, revision, environment,"
               " state, begun_unix) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, 'running', ?8)",
               "sssssssd", n->machine, n->identity, n->experiment, n->experiment_hash, n->binary, n->revision,
               n->environment, n->begun_unix) &&
           database_int(h->db, &n->number, err, "SELECT max(night) FROM night", "");
}

bool history_begin(struct history *h, struct night *n, bool *resumed, struct err *err)
{
    n->state = NIGHT_RUNNING;
    if (!history_adopt(h, n, err) || !find_cut_short(h, n, resumed, err))
        return false;
    if (*resumed)
        return true;
    if (!database_run(h->db, err, "BEGIN IMMEDIATE", ""))
        return false;
    bool fine = database_run(h->db, err, "UPDATE night SET state = 'stopped' WHERE state = 'running' AND machine = ?1",
                             "s", n->machine) &&
                insert_night(h, n, err);
    return database_end(h->db, fine, err);
}

bool history_end(struct history *h, int64_t number, const char *state, struct err *err)
{
    return database_run(h->db, err, "UPDATE night SET state = ?2, ended_unix = ?3 WHERE night = ?1", "isd", number,
                        state, clock_unix());
}

bool history_night(struct history *h, struct arena *a, int64_t number, struct night *out, struct err *err)
{
    struct query q;
    if (!query_open(&q, h->db, err, NIGHT_COLUMNS "WHERE night = ?1", "i", number))
        return false;
    bool found = query_next(&q, err);
    if (found)
        *out = read_night(&q, a);
    return query_close(&q) && (found || err_set(err, "'%s' has no night %" PRId64, h->path, number));
}

bool history_nights(struct history *h, struct arena *a, const char *machine, struct night **out, int *n,
                    struct err *err)
{
    struct query q;
    return query_open(&q, h->db, err, NIGHT_COLUMNS "WHERE ?1 IS NULL OR machine = ?1 ORDER BY night", "s", machine) &&
           read_nights(&q, a, out, n, err);
}

bool history_before(struct history *h, struct arena *a, const struct night *n, bool good, struct night **out,
                    int *count, struct err *err)
{
    struct query q;
    return query_open(&q, h->db, err,
                      NIGHT_COLUMNS
                      "WHERE night < ?1 AND machine = ?2 AND identity = ?3 AND experiment_hash = ?4 AND"
                      " CASE ?5 WHEN 1 THEN state = 'good' OR night IN (SELECT night FROM accepted) ELSE"
                      " state NOT IN ('running', 'stopped') END AND night >= coalesce((SELECT max(y.night) FROM"
                      " accepted JOIN night AS y USING(night) WHERE y.machine = x.machine AND y.identity = x.identity"
                      " AND y.experiment_hash = x.experiment_hash), 0) ORDER BY night DESC",
                      "isssn", n->number, n->machine, n->identity, n->experiment_hash, good ? 1 : 0) &&
           read_nights(&q, a, out, count, err);
}

bool history_accept(struct history *h, const struct night *n, const char *reason, struct err *err)
{
    return database_run(h->db, err, "INSERT INTO accepted VALUES(?1, ?2, ?3)", "isd", n->number, reason, clock_unix());
}

/* Values ---------------------------------------------------------------------------------------------------------- */

bool history_put(struct history *h, const struct night_series *of, int ordinal, double seconds, struct err *err)
{
    return database_run(h->db, err, "INSERT OR REPLACE INTO value VALUES(?1, ?2, ?3, ?4, ?5)", "issnd", of->night,
                        of->series, of->side, ordinal, seconds);
}

bool history_values(struct history *h, struct arena *a, const struct night_series *of, double **out, int *n,
                    struct err *err)
{
    struct query q;
    VEC(double) all = {0};
    if (!query_open(&q, h->db, err,
                    "SELECT seconds FROM value WHERE night = ?1 AND series = ?2 AND side = ?3 ORDER BY ordinal", "iss",
                    of->night, of->series, of->side))
        return false;
    while (query_next(&q, err))
        vec_push(&all, query_real(&q, 0));
    vec_keep(a, &all, out, n);
    return query_close(&q);
}

bool history_level(struct history *h, struct arena *a, int64_t night, const char *series, double *out, struct err *err)
{
    double *v;
    int n = 0;
    bool fine = history_values(h, a, &(struct night_series){night, series, ""}, &v, &n, err);
    *out = n ? summary_geomean(v, n) : (double)NAN;
    return fine;
}

bool history_series(struct history *h, struct arena *a, int64_t night, const char ***out, int *n, struct err *err)
{
    struct query q;
    VEC(const char *) all = {0};
    if (!query_open(&q, h->db, err, "SELECT DISTINCT series FROM value WHERE night = ?1 AND side = '' ORDER BY series",
                    "i", night))
        return false;
    while (query_next(&q, err))
        vec_push(&all, query_str(&q, a, 0));
    vec_keep(a, &all, out, n);
    return query_close(&q);
}

bool history_judge(struct history *h, int64_t night, const struct night_verdict *v, struct err *err)
{
    return database_run(h->db, err, "INSERT OR REPLACE INTO verdict VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
                        "issdddddd", night, v->series, v->kind, v->ratio, v->p, v->margin, v->again, v->low, v->high);
}

bool history_verdict(struct history *h, struct arena *a, int64_t night, const char *series, struct night_verdict **out,
                     struct err *err)
{
    struct query q;
    *out = NULL;
    if (!query_open(&q, h->db, err,
                    "SELECT kind, ratio, p, margin, again, low, high FROM verdict WHERE night = ?1 AND series = ?2",
                    "is", night, series))
        return false;
    if (query_next(&q, err)) {
        *out = ARENA_NEW(a, struct night_verdict);
        **out = (struct night_verdict){arena_str(a, series), query_str(&q, a, 0), query_real(&q, 1), query_real(&q, 2),
                                       query_real(&q, 3),    query_real(&q, 4),   query_real(&q, 5), query_real(&q, 6)};
    }
    return query_close(&q);
}

bool tonight_values(const struct tonight *t, const char *series, const char *side, double **out, int *n,
                    struct err *err)
{
    return history_values(t->history, t->arena, &(struct night_series){t->night->number, series, side}, out, n, err);
}
