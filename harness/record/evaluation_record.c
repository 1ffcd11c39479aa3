/* SPDX-License-Identifier: Apache-2.0 */
/* evaluation_record: a row for each count. */
#include "harness/record/evaluation_record.h"

bool evaluation_record_put(struct database *db, int cell, int round, const struct evaluations *e, struct err *err)
{
    bool fine = true;
    for (int i = 0; fine && i < EVALUATION_COUNT; i++)
        if (e->at[i] != 0)
            fine = database_run(db, err,
                                "INSERT INTO event(cell, round, kind, name, seconds, text, unix_s)"
                                " VALUES(?1, ?2, 'evaluations', ?3, ?4, '', 0)",
                                "nnsd", cell, round, evaluation_name((enum evaluation)i), (double)e->at[i]);
    return fine;
}

static const char *name(int which)
{
    return evaluation_name((enum evaluation)which);
}

bool evaluation_record_sum(struct database *db, struct arena *a, struct event_sum **out, int *n, struct err *err)
{
    static const struct event_kind KIND = {"evaluations", name, EVALUATION_COUNT};
    return event_sums(db, a, &KIND, out, n, err);
}
