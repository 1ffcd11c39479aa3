/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/record/take_out.h"

#include "harness/base/file.h"
#include "harness/record/database.h"

static bool forget_cell(struct store *s, const struct take_out *t, int cell, struct err *err)
{
    struct database *d = store_database(s);
    bool fine =
        database_run(d, err, "DELETE FROM counter WHERE trial IN (SELECT id FROM trial WHERE cell = ?1)", "n", cell) &&
        database_run(d, err, "DELETE FROM trial WHERE cell = ?1", "n", cell) &&
        database_run(d, err, "DELETE FROM round WHERE cell = ?1", "n", cell) &&
        database_run(d, err, "DELETE FROM event WHERE cell = ?1", "n", cell) &&
        database_run(d, err, "UPDATE cell SET state = '', elapsed_s = 0, cpu_s = 0 WHERE cell = ?1", "n", cell);
    for (int i = 0; fine && i < t->cells[cell].ntasks; i++) {
        int from = store_taken(t->cells, t->n, cell, i) ? t->cells[cell].tasks[i].shared_cell : -1;
        fine = store_task_state(s, cell, i, &(struct store_task){.shared_cell = from, .state = ""}, err);
    }
    return fine;
}

static bool put_why(struct store *s, struct arena *a, const struct take_out *t, struct err *err)
{
    const char *had;
    return store_event_text(s, a, STORE_EVENT_SEARCH_AGAIN, &had, err) &&
           database_run(store_database(s), err, "DELETE FROM event WHERE kind = ?1", "s", STORE_EVENT_SEARCH_AGAIN) &&
           store_event(s, -1, -1, STORE_EVENT_SEARCH_AGAIN, arena_printf(a, "%s%s%s", had, *had ? "; " : "", t->why),
                       t->unix_s, err);
}

bool take_out(struct store *s, struct arena *a, const char *dir, const struct take_out *t, const char **kept,
              struct err *err)
{
    struct database *d = store_database(s);
    for (int i = 1; file_exists(*kept = file_join(a, dir, arena_printf(a, "records-%d.db", i))); i++)
        continue;
    if (!database_run(d, err, "VACUUM INTO ?1", "s", *kept) || !database_run(d, err, "BEGIN IMMEDIATE", ""))
        return err_context(err, "'%s'", *kept);
    bool fine = database_script(d,
                                "DELETE FROM duel; DELETE FROM duel_program; DELETE FROM duel_launch;"
                                " DELETE FROM event WHERE kind IN ('sitting', 'sitting_end', 'more_duels')",
                                err);
    for (int i = 0; fine && i < t->n; i++)
        fine = !t->marked[i] || forget_cell(s, t, i, err);
    return database_end(d, fine && put_why(s, a, t, err), err);
}
