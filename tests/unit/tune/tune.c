/* SPDX-License-Identifier: Apache-2.0 */
/* The tune room in one process, with the fake plug-ins: what a campaign records, interruption and resume, refusals. */
#include "harness/base/file.h"
#include "harness/base/log.h"
#include "harness/record/duel_record.h"
#include "harness/record/status.h"
#include "harness/tune/campaign.h"
#include "tests/lib/fake_plugins.h"
#include "tests/lib/store_fixture.h"
#include "tests/lib/store_text.h"
#include "tests/lib/tap.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

static bool campaign(const struct plan *p, bool resume, struct err *err)
{
    struct campaign_options o = {.resume = resume, .revision = "r1"};
    *err = (struct err){0};
    fake_calls = 0;
    return campaign_run(&fake_registry, p, &o, err);
}

static void test_records(const char *dir)
{
    struct err err = {0};
    struct store *s;
    struct store_cell *cells;
    struct record *r;
    int n, ncells;
    if (!ok(store_open_read(dir, &s, &err), "the records of a campaign open: %s", err.text))
        return;
    ok(store_cells(s, arena, &cells, &ncells, &err) && ncells == 3, "a campaign has its three cells");
    is_str(cells[0].state, "done", "the explorer's cell is done");
    is_int(cells[0].trials_done, 60, "the explorer's cell used its budget");
    ok(store_records(s, arena, (struct store_part){0, -1, 0}, 0, &r, &n, &err) && n == 60,
       "the explorer has sixty records");
    double elapsed = 0;
    bool ordered = true, walls = true;
    for (int i = 0; i < n; i++) {
        elapsed += r[i].sample.cost_s;
        ordered = ordered && r[i].ordinal == i;
        walls = walls && fabs(r[i].elapsed_s - elapsed) < 1e-12;
    }
    ok(ordered, "the ordinals of a cell's records count up");
    ok(walls, "the clock of a virtual target is the sum of costs");
    is_near(cells[0].elapsed_s, elapsed, 1e-12, "the cell's clock is that of its last record");
    int warm[3] = {r[0].task, r[8].task, r[16].task};
    ok(warm[0] == 0 && warm[1] == 1 && warm[2] == 2, "warm-up: each task one round of 8 in order");

    for (int t = 0; t < 3; t++) {
        double best = INFINITY;
        int64_t id = 0, seen = 0;
        for (int i = 0; i < n && seen < 3; i++) {
            if (r[i].task != t)
                continue;
            seen++;
            if (sample_mean(&r[i].sample) < best) {
                best = sample_mean(&r[i].sample);
                id = r[i].id;
            }
        }
        is_int(cells[1].tasks[t].seed_trial, id, "kernel %d: seed is the best of its first 3 records", t);
        if (id == 0)
            is_str(cells[1].tasks[t].state, "no seed", "kernel %d without a valid record has no seed", t);
    }
    double seconds[PHASE_COUNT], wall, sum = 0;
    ok(tally_phases(s, 0, seconds, &wall, &err), "the phases of a cell are read");
    for (int p = 0; p < PHASE_COUNT; p++)
        sum += seconds[p];
    is_near(sum, wall, 1e-9, "phases add up to the rounds' time");
    is_near(wall, elapsed, 1e-9, "rounds tile the cell's clock");

    struct duel_record *duels;
    struct duel_time *times;
    int nduels, ntimes, first = 0;
    bool found = false;
    struct record best;
    ok(store_best(s, arena, (struct store_part){0, 0, 0}, &best, &found, &err) && found,
       "the explorer's best record of a kernel is found");
    fixture_must(duel_records_get(s, arena, &duels, &nduels, &err) && duel_times(s, arena, &times, &ntimes, &err),
                 &err);
    for (int i = 0; i < ntimes; i++)
        first += times[i].duel == 0 && times[i].place == 0;
    ok(nduels > 0 && duels[0].trials[0].trial == best.id && first == DUEL_LEAST,
       "the best record has the first place of a duel, which was launched as often as the plan says");
    store_close(s);
}

static void test_shared(void)
{
    struct err err;
    struct plan p = *fake_plan(arena, fixture_path("shared"), 60);
    struct cell_plan cells[3] = {p.cells[0], p.cells[1], p.cells[2]};
    cells[1].k = 1000; /* the same seeds as k = 100, since no kernel has as many records */
    p.cells = cells;
    struct store *s;
    struct store_cell *stored;
    int n;
    ok(campaign(&p, false, &err), "a campaign with equal seeds runs: %s", err.text);
    fixture_must(store_open_read(p.results_dir, &s, &err) && store_cells(s, arena, &stored, &n, &err), &err);
    int first = stored[1].trials_done > 0 ? 1 : 2, second = 3 - first; /* plan_order says which */
    is_int(stored[first].trials_done, 27, "the first exploiter ran (space 9 for each of 3 kernels)");
    is_int(stored[second].trials_done, 0, "a second exploiter with the same seeds does not run");
    is_int(stored[second].tasks[1].shared_cell, first, "the second exploiter points to the first");
    struct tally_sums a, b;
    ok(tally_sum(s, 1, 1, 0, &a, &err) && tally_sum(s, 2, 1, 0, &b, &err) && a.records == 9 && b.records == 9 &&
           a.cost_s == b.cost_s,
       "sums of a shared search are those of the first");
    is_str(stored[first].tasks[0].state, "dead", "a search that ended before its budget is dead");
    is_str(stored[second].tasks[0].state, "done", "a shared search is done");
    store_close(s);

    cells[1].share = cells[2].share = false;
    p.results_dir = fixture_path("apart");
    ok(campaign(&p, false, &err) && store_open_read(p.results_dir, &s, &err) &&
           store_cells(s, arena, &stored, &n, &err) && stored[2].trials_done == 27,
       "without 'share' both exploiters run");
    store_close(s);
}

static void test_interrupt(const char *whole)
{
    struct err err;
    const struct plan *p = fake_plan(arena, fixture_path("interrupted"), 60);
    fake_interrupt_at = 50;
    bool fine = campaign(p, false, &err);
    ok(!fine && err.code == EXIT_INTERRUPTED, "an interrupt gives exit code 130");
    ok(strstr(err.text, "--resume") != NULL, "an interrupt says how to go on: %s", err.text);
    int lives = 1;
    for (; !fine && lives < 100; lives++) {
        fake_interrupt_at = 40 + 7 * lives;
        fine = campaign(p, true, &err);
    }
    fake_interrupt_at = 0;
    ok(fine && lives > 2, "a campaign interrupted %d times is completed", lives - 1);
    is_str(store_text_of(p->results_dir, store_text), whole,
           "the records of an interrupted campaign are those of an uninterrupted one");
}

static void test_refusals(const char *dir)
{
    struct err err;
    struct plan p = *fake_plan(arena, dir, 60);
    ok(!campaign(&p, false, &err) && err.code == EXIT_USAGE && strstr(err.text, "--resume"),
       "records are not continued without --resume: %s", err.text);
    long before = *fake_runs;
    ok(campaign(&p, true, &err) && *fake_runs == before, "--resume of a finished campaign measures nothing");
    const char *hash = p.experiment_hash;
    p.experiment_hash = "fedcba";
    ok(campaign(&p, true, &err) && *fake_runs == before,
       "records with another hash, but the same cells and re-timing, are taken over");
    p.experiment_hash = hash;
    ok(campaign(&p, true, &err), "records taken over are taken back: %s", err.text);
    p.experiment_hash = "fedcba";
    p.ncells--;
    ok(!campaign(&p, true, &err) && strstr(err.text, "another experiment"),
       "records of another experiment are refused: %s", err.text);
    p.target = "toi";
    ok(!campaign(&p, true, &err) && strstr(err.text, "toi"), "an unknown target is refused: %s", err.text);
    p = *fake_plan(arena, fixture_path("none"), 60);
    fake_fail_every = 1;
    ok(!campaign(&p, false, &err) && err.code == EXIT_INVALID && strstr(err.text, "fake failure"),
       "a campaign without a valid record in its first batch stops: %s", err.text);
    ok(!campaign(&p, true, &err) && err.code == EXIT_INVALID,
       "a campaign without a valid record stops again on resume");
    fake_fail_every = 7;
    p.results_dir = fixture_path("few");
    struct cell_plan few = p.cells[0];
    few.trials = 2;
    p.cells = &few;
    p.ncells = 1;
    ok(!campaign(&p, false, &err) && strstr(err.text, "at least one"), "fewer trials than kernels are refused: %s",
       err.text);
    p = *fake_plan(arena, "/proc/nowhere", 60);
    ok(!campaign(&p, false, &err) && err.code == EXIT_USAGE, "a folder that cannot be made is refused: %s", err.text);
}

static void test_damage(const char *dir)
{
    struct err err;
    const struct plan *p = fake_plan(arena, dir, 60);
    const char *path = file_join(arena, dir, "records.db");
    char *bytes;
    size_t n;
    fixture_must(file_read(arena, path, 0, &bytes, &n, &err), &err);
    if (truncate(path, (off_t)(n / 2)))
        bug("truncate");
    ok(!campaign(p, true, &err) && err.code == EXIT_USAGE && strstr(err.text, "corrupted"),
       "truncated records are refused: %s", err.text);
    static const char text[] =
        "this is not a database, but it is long enough to be taken for one by its size alone ...............";
    fixture_must(file_write(path, text, sizeof text, &err), &err);
    ok(!campaign(p, true, &err) && err.code == EXIT_USAGE && strstr(err.text, "corrupted"),
       "a file that is no database is refused: %s", err.text);
    struct status st;
    ok(!status_read(arena, dir, &st, &err), "the status of a file that is no database is refused: %s", err.text);
    fixture_must(file_write(path, bytes, n, &err), &err);
    ok(campaign(p, true, &err), "records that are put back are continued");
    ok(status_read(arena, dir, &st, &err) && st.cells_done == 3 && !st.is_running,
       "the status of a finished campaign counts its cells");
    struct text t = {0};
    status_print(&st, &t);
    ok(strstr(text_str(&t), "finished") != NULL, "the status in words says finished");
    text_clear(&t);
    json_print(status_json(&st), &t);
    cJSON *json = json_parse(text_str(&t), t.len, "status", &err);
    ok(json && json_num(json, "cells_done", 0) == 3 && str_eq(json_str(json, "folder", ""), dir) &&
           str_eq(json_str(json, "phase", ""), "finished"),
       "the status as JSON has folder, phase and cells");
    cJSON_Delete(json);
    text_free(&t);
}

int main(void)
{
    struct err err;
    log_level_set(LOG_QUIET);
    const struct plan *p = fake_plan(arena, fixture_path("whole"), 60);
    struct campaign_forecast f = {.cores = 1};
    campaign_forecast(p, true, false, &f, 1);
    ok(f.most == 60 + 30 + 30 && f.done == 0, "the forecast before a campaign counts all trials");
    struct campaign_forecast paces[] = {{.cores = 1}, {.cores = 1, .pace = 3}};
    campaign_forecast(p, false, false, paces, 2);
    is_near(paces[1].left_s, 3 * paces[0].left_s, 1e-6, "at pace 3 all is planned three times as long as at pace 1");
    ok(campaign(p, false, &err), "a campaign runs: %s", err.text);
    campaign_forecast(p, true, false, &f, 1);
    ok(f.done >= 60, "the forecast after a campaign counts what is done");
    struct campaign_forecast fewer_more[] = {{.cores = 1, .pace = 3}, {.cores = 8}};
    campaign_forecast(p, false, false, fewer_more, 2);
    ok(fewer_more[0].measured && fewer_more[1].trial_s < fewer_more[0].trial_s,
       "with records, too, a trial is planned shorter on more cores");
    is_near(fewer_more[0].pace, fewer_more[1].pace, 1e-12, "records say the pace, whatever was expected");
    const char *whole = store_text_of(p->results_dir, store_text);
    if (!whole)
        bug("no records");
    test_records(p->results_dir);
    p = fake_plan(arena, fixture_path("again"), 60);
    ok(campaign(p, false, &err), "the same campaign runs once more");
    is_str(store_text_of(p->results_dir, store_text), whole, "the same campaign gives the same records");
    test_interrupt(whole);
    test_shared();
    test_refusals(fixture_path("whole"));
    test_damage(fixture_path("again"));
    return done_testing();
}
