/* SPDX-License-Identifier: Apache-2.0 */
/* answer_record: a count is raised in the transaction that stores the candidate, so that a kill loses neither. */
#include "harness/record/answer_record.h"

#include <sqlite3.h>

bool answer_record_count(struct database *db, int cell, int round, enum recorded_answer answer, struct err *err)
{
    if (!database_run(db, err,
                      "UPDATE event SET seconds = seconds + 1"
                      " WHERE cell = ?1 AND round = ?2 AND kind = 'answers' AND name = ?3",
                      "nns", cell, round, answer_word(answer)))
        return false;
    return sqlite3_changes(database_handle(db)) > 0 ||
           database_run(db, err,
                        "INSERT INTO event(cell, round, kind, name, seconds, text, unix_s)"
                        " VALUES(?1, ?2, 'answers', ?3, 1, '', 0)",
                        "nns", cell, round, answer_word(answer));
}

static const char *name(int which)
{
    return answer_word((enum recorded_answer)which);
}

bool answer_record_sum(struct database *db, struct arena *a, struct event_sum **out, int *n, struct err *err)
{
    static const struct event_kind KIND = {"answers", name, ANSWER_COUNT};
    return event_sums(db, a, &KIND, out, n, err);
}
