/* SPDX-License-Identifier: Apache-2.0 */
/* duel_record: what is written is read back, a launch is there whole or not at all, and records of version 4 have no
 * duels. */
#include "harness/record/duel_record.h"
#include "harness/record/database.h"
#include "tests/lib/store_fixture.h"
#include "tests/lib/tap.h"

#include <math.h>

static const struct duel_trial PAIR[] = {{0, 7, 0x1234}, {1, 8, 0xfedcba9876543210}, {1, 9, 0xfedcba9876543210}},
                               TWICE[] = {{0, 7, 0x1234}, {1, 7, 0x1234}};
static const struct duel_record DUELS[] = {
    {.network = "resnet", .seed = 3, .task = 2, .programs = 2, .trials = PAIR, .ntrials = 3},
    {.network = "vgg", .seed = 1, .task = 0, .is_null = true, .programs = 2, .trials = TWICE, .ntrials = 2}};

static void test_duels(struct store *s)
{
    struct duel_record *got;
    struct err err = {0};
    int n = -1;
    ok(duel_records_get(s, arena, &got, &n, &err) && n == 0, "new records hold no duels");
    fixture_must(duel_records_put(s, DUELS, 2, 0, &err) && duel_records_get(s, arena, &got, &n, &err), &err);
    is_int(n, 2, "all duels are read back");
    ok(str_eq(got[0].network, "resnet") && got[0].seed == 3 && got[0].task == 2 && !got[0].is_null && got[1].is_null,
       "a duel has its kernel, and whether it is a null pair");
    ok(got[0].programs == 2 && got[0].ntrials == 3 && got[0].trials[2].trial == 9 &&
           got[0].trials[2].hash == 0xfedcba9876543210,
       "equal programs share a place of their duel");
    ok(got[1].programs == 2 && got[1].trials[1].trial == 7 && got[1].trials[1].place == 1,
       "a null pair has one trial in two places");
}

static void test_launches(struct store *s)
{
    struct duel_process by_place[2] = {{.turns = "[0,1,1,0]"}, {.turns = "[0,1,1,0]"}};
    const struct duel_launch_key key = {.duel = 1, .launch = 0, .sitting = 0, .regime = "number=3"};
    struct duel_time *times;
    struct err err = {0};
    int n = 0, all, failed, sitting;
    bool differs;
    by_place[0].sample = (struct sample){.outcome = OUTCOME_OK, .nseconds = 2, .seconds = {2e-3, 1e-3}};
    by_place[1].sample = (struct sample){.outcome = OUTCOME_CRASHED, .message = "gone"};
    fixture_must(duel_launch_put(s, &key, by_place, 2, &err) && duel_times(s, arena, &times, &n, &err), &err);
    is_int(n, 2, "a launch has a row for each process");
    ok(times[0].duel == 1 && times[0].place == 0 && times[0].seconds == 1e-3, "a process's time is its fastest slice");
    ok(isnan(times[1].seconds), "a process that failed has no time");
    ok(duel_count_processes(s, &all, &failed, &err) && all == 2 && failed == 1, "failed processes are counted");
    ok(!duel_launch_put(s, &key, by_place, 2, &err), "a launch cannot be recorded twice");
    ok(duel_regime_differs(s, "number=3", &differs, &err) && !differs, "launches of one protocol do not differ");
    ok(duel_regime_differs(s, "number=4", &differs, &err) && differs, "launches of another protocol are told");
    ok(duel_sitting(s, &sitting, &err) && sitting == 0, "the first sitting has the number 0");
    ok(duel_sitting_begin(s, 0, &err) && duel_sitting(s, &sitting, &err) && sitting == 1, "a sitting more is counted");
}

int main(void)
{
    struct store *s = fixture_open(fixture_path("new"));
    test_duels(s);
    test_launches(s);
    store_close(s);
    return done_testing();
}
