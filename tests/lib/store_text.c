/* SPDX-License-Identifier: Apache-2.0 */
/* store_text: plain lines, so that diff shows where two runs part. */
#include "tests/lib/store_text.h"

#include "harness/record/database.h"
#include "tests/lib/fixture.h"

static bool dump_query(struct store *s, struct text *out, struct err *err, const char *title, const char *sql)
{
    struct query q;
    if (!query_open(&q, store_database(s), err, sql, ""))
        return false;
    text_printf(out, "[%s]\n", title);
    while (query_next(&q, err)) {
        for (int i = 0; i < sqlite3_column_count(q.statement); i++) {
            if (i)
                text_char(out, '\t');
            if (sqlite3_column_type(q.statement, i) == SQLITE_FLOAT)
                text_number(out, query_real(&q, i));
            else if (sqlite3_column_type(q.statement, i) != SQLITE_NULL)
                text_add(out, (const char *)sqlite3_column_text(q.statement, i));
        }
        text_char(out, '\n');
    }
    return query_close(&q);
}

bool store_text(struct store *s, struct text *out, struct err *err)
{
    return dump_query(s, out, err, "campaign", "SELECT stem, tier, experiment_hash, target, regime FROM campaign") &&
           dump_query(s, out, err, "cell", "SELECT * FROM cell ORDER BY cell") &&
           dump_query(s, out, err, "task", "SELECT * FROM task ORDER BY cell, task") &&
           dump_query(s, out, err, "round", "SELECT * FROM round ORDER BY cell, round") &&
           dump_query(s, out, err, "trial", "SELECT * FROM trial ORDER BY id") &&
           dump_query(s, out, err, "duel", "SELECT * FROM duel ORDER BY duel") &&
           dump_query(s, out, err, "duel_program", "SELECT * FROM duel_program ORDER BY duel, place, trial") &&
           dump_query(s, out, err, "duel_launch", "SELECT * FROM duel_launch ORDER BY duel, launch, place") &&
           dump_query(
               s, out, err, "phase",
               "SELECT cell, round, name, sum(seconds) FROM event WHERE kind = 'phase' GROUP BY cell, round, name"
               " ORDER BY cell, round, name");
}

bool store_trials_text(struct store *s, struct text *out, struct err *err)
{
    return dump_query(s, out, err, "trial",
                      "SELECT id, cell, task, round, ordinal, task_ordinal, steps, hash, outcome, message, seconds,"
                      " mean_s, model_score, spared_s, computed_s, full_s FROM trial ORDER BY id");
}

bool store_decided_text(struct store *s, struct text *out, struct err *err)
{
    return dump_query(s, out, err, "cell",
                      "SELECT cell, network, arm, seed, searcher, model, trials, batch, explore_cell, k, share, state"
                      " FROM cell ORDER BY cell") &&
           dump_query(s, out, err, "task", "SELECT * FROM task ORDER BY cell, task") &&
           dump_query(s, out, err, "round",
                      "SELECT cell, round, task, task_round, rng, model_rng, asked, end_s IS NULL FROM round"
                      " ORDER BY cell, round") &&
           store_trials_text(s, out, err) &&
           dump_query(s, out, err, "duel_launch",
                      "SELECT duel, launch, place, regime, outcome, message, seconds FROM duel_launch"
                      " ORDER BY duel, launch, place");
}

char *store_text_of(const char *dir, bool (*text)(struct store *s, struct text *out, struct err *err))
{
    struct store *s;
    struct err err = {0};
    struct text t = {0};
    if (!store_open_read(dir, &s, &err))
        return NULL;
    bool fine = text(s, &t, &err);
    store_close(s);
    char *out = fixture_text(&t);
    return fine ? out : NULL;
}
