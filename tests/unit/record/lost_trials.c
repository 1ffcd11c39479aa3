/* SPDX-License-Identifier: Apache-2.0 */
/* lost_trials: trials that somebody deleted are missed, by their cell and their number, wherever a round or the numbers
 * of a cell can tell; a run that was killed in the middle of a round has lost none. */
#include "harness/record/lost_trials.h"

#include "harness/record/database.h"
#include "harness/record/record_scan.h"
#include "tests/lib/store_fixture.h"
#include "tests/lib/tap.h"

#include <string.h>

/* Two cells: the first with rounds of 3, 0 and 2 trials, complete; the second with one of 2 and one of 4 that has 3 and
 * is not complete. */
static struct store *written(const char *dir)
{
    struct store_fixture f = {.s = fixture_open(fixture_path("%s", dir)), .scale = 1, .dp_scale = 1};
    fixture_cell(&f, "net", "ansor", 1, false, 0);
    fixture_begin(&f, 0, 3, 0);
    for (int i = 0; i < 3; i++)
        fixture_trial(&f, 0, i, 1, 1);
    fixture_end(&f, 3);
    fixture_begin(&f, 0, 0, 3);
    fixture_end(&f, 3);
    fixture_begin(&f, 1, 2, 3);
    fixture_trial(&f, 1, 2, 1, 1);
    fixture_trial(&f, 1, 1, 1, 1);
    fixture_end(&f, 5);
    fixture_done(&f, 5);
    fixture_cell(&f, "net", "rival", 7, false, 0);
    fixture_begin(&f, 0, 2, 0);
    fixture_trial(&f, 0, 2, 1, 1);
    fixture_trial(&f, 0, 2, 1, 1);
    fixture_end(&f, 2);
    fixture_begin(&f, 1, 4, 2);
    for (int i = 0; i < 3; i++)
        fixture_trial(&f, 1, 2, 1, 1);
    return f.s;
}

static void test_loss(const char *what, const char *sql, const char *said)
{
    static int stores;
    struct err err = {0};
    struct record_scan scan;
    struct store *s = written(arena_printf(arena, "s%d", ++stores));
    fixture_must(database_script(store_database(s), sql, &err), &err);
    bool fine = lost_trials_none(s, &err);
    if (!said) {
        ok(fine, "%s: nothing is missed %s", what, err.text);
        ok(record_scan_read(arena, s, NULL, 0, &scan, &err), "%s: the records are read %s", what, err.text);
    } else {
        ok(!fine && strstr(err.text, said) != NULL, "%s is missed: %s", what, err.text);
        ok(!record_scan_read(arena, s, NULL, 0, &scan, &err) && strstr(err.text, said) != NULL,
           "%s: no report reads the records", what);
    }
    store_close(s);
}

int main(void)
{
    test_loss("records as they were written", "", NULL);
    test_loss("a trial in the middle of a round", "DELETE FROM trial WHERE cell = 0 AND ordinal = 1",
              "cell 0 (net, ansor, seed 1) lost 1 of its 5 trials: ");
    test_loss("the first trial of a cell", "DELETE FROM trial WHERE cell = 0 AND ordinal = 0",
              "lost 1 of its 5 trials");
    test_loss("the last trial of a cell", "DELETE FROM trial WHERE cell = 0 AND ordinal = 4", "lost 1 of its 5 trials");
    test_loss("a complete round's trials", "DELETE FROM trial WHERE cell = 0 AND round = 2", "lost 2 of its 5 trials");
    test_loss("a round with its trials",
              "DELETE FROM trial WHERE cell = 0 AND round = 0; DELETE FROM round WHERE cell = 0 AND round = 0",
              "lost 3 of its 5 trials");
    test_loss("the trials of a cell", "DELETE FROM trial WHERE cell = 0", "lost 5 of its 5 trials");
    test_loss("a trial of a round that is not complete", "DELETE FROM trial WHERE cell = 1 AND ordinal = 3",
              "cell 1 (net, rival, seed 7) lost 1 of its 5 trials: ");
    test_loss("two trials of one cell and one of another",
              "DELETE FROM trial WHERE (cell = 0 AND ordinal IN (2, 3)) OR (cell = 1 AND ordinal = 0)",
              "cell 0 (net, ansor, seed 1) lost 2 of its 5 trials, and 1 other cell lost some");
    test_loss("the last trial of a round that is not complete", "DELETE FROM trial WHERE cell = 1 AND ordinal = 4",
              NULL);
    return done_testing();
}
