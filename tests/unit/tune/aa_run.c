/* SPDX-License-Identifier: Apache-2.0 */
/* A/A test: campaigns on target fake with real searchers: the A/A programs are the same before and after, every block
 * has all of them twice, what was interrupted goes on to the same records, and records of an older raingauge go on with
 * the floor after only. Then retimed: how many programs enter the re-timing. */
#include "harness/tune/aa_run.h"

#include "harness/base/file.h"
#include "harness/base/log.h"
#include "harness/record/database.h"
#include "harness/record/schema.h"
#include "harness/report/data/validity.h"
#include "harness/tune/aa_size.h"
#include "harness/tune/campaign.h"
#include "search/searchers.h"
#include "targets/targets.h"
#include "tests/lib/fake_plugins.h"
#include "tests/lib/store_fixture.h"
#include "tests/lib/store_text.h"
#include "tests/lib/tap.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static struct arena *arena;
static char root[] = "/tmp/raingauge-aa-run-XXXXXX";

/* Target fake that raises SIGINT at a build. */
static struct target hooked;
static const struct target *fake;
static int builds, interrupt_at;

static enum outcome build(void *self, const struct candidate *c, struct blob *object, char message[SAMPLE_MESSAGE])
{
    if (++builds == interrupt_at)
        raise(SIGINT);
    return fake->build(self, c, object, message);
}

static const struct registry *registry(void)
{
    static const struct target *targets[] = {&hooked, NULL};
    static const struct model *models[] = {NULL};
    static struct registry k = {.targets = targets, .models = models};
    for (const struct target *const *t = targets_table(); *t; t++)
        if (str_eq((*t)->name, "fake"))
            fake = *t;
    hooked = *fake;
    hooked.build = build;
    k.searchers = searchers_table();
    return &k;
}

static const struct plan *campaign(const char *dir, int launches, int retimed)
{
    struct plan *p = ARENA_DUP(arena, fake_plan(arena, dir, 24), struct plan, 1);
    struct cell_plan *cells = ARENA_DUP(arena, p->cells, struct cell_plan, p->ncells);
    for (int i = 0; i < p->ncells; i++) {
        cells[i].searcher = i ? "droplet" : "random";
        cells[i].searcher_settings = cells[i].model = "";
    }
    p->cells = cells;
    p->target = "fake";
    p->target_settings = "noise=0.05";
    p->launches = launches;
    p->retime_top = retimed;
    return p;
}

static bool run(const struct plan *p, struct err *err)
{
    struct campaign_options o = {.resume = true, .revision = "r"};
    *err = (struct err){0};
    return campaign_run(registry(), p, &o, err);
}

static struct store *opened(const char *dir)
{
    struct store *s;
    struct err err = {0};
    fixture_must(store_open_read(dir, &s, &err), &err);
    return s;
}

static char *snapshot(const char *dir)
{
    struct store *s = opened(dir);
    struct text t = {0};
    struct err err = {0};
    fixture_must(store_text(s, &t, &err), &err);
    char *out = arena_str(arena, text_str(&t));
    text_free(&t);
    store_close(s);
    return out;
}

static bool read_validity(struct store *s, struct validity *out, struct err *err)
{
    struct records records;
    return records_read(arena, s, &records, err) && validity_read(&records, out, err);
}

static void test_whole(const char *dir, int launches)
{
    struct store *s = opened(dir);
    struct err err = {0};
    struct aa_program *programs;
    struct validity c;
    int n;
    fixture_must(aa_programs_get(s, arena, &programs, &n, &err), &err);
    is_int(n, 3, "three kernels give the A/A test three programs");
    for (int stage = 0; stage < AA_STAGES; stage++) {
        struct aa_reading *r;
        int readings, right = 0;
        fixture_must(aa_readings(s, arena, (enum aa_stage)stage, &r, &readings, &err), &err);
        is_int(readings, n * AA_ARMS * launches, "%s: every launch has each program twice",
               aa_stage_word((enum aa_stage)stage));
        for (int i = 0; i < readings; i++)
            right += r[i].sample.outcome == OUTCOME_OK && r[i].sample.nseconds == 3;
        is_int(right, readings, "%s: all timed under the final regime", aa_stage_word((enum aa_stage)stage));
    }
    fixture_must(read_validity(s, &c, &err), &err);
    /* NOLINTNEXTLINE(clang-analyzer-core.*): set where it is used */
    ok(c.stages[0].measured && c.stages[1].measured && c.stages[0].mean == 0 && c.aa_drift == 1,
       "noise that hangs on the program alone is no difference between A and A'");
    ok(c.of[VALIDITY_KERNELS].gates == VERDICT_GATES_PASSED, "noise that hangs on the program alone passes the gates");
    store_close(s);
}

/* Interrupted at every so many builds until it ends: the records are those of a run left alone. */
static void test_interrupted(const char *whole)
{
    const char *dir = file_join(arena, root, "stopped");
    struct err err;
    int lives = 1;
    interrupt_at = 1;
    for (bool done = false; !done && lives < 100; lives++) {
        builds = 0;
        interrupt_at = 10 + lives % 7; /* choosing takes nine builds and is done as a whole */
        done = run(campaign(dir, 2, 1), &err);
        if (!done && err.code != EXIT_INTERRUPTED) {
            fail("%s", err.text);
            return;
        }
    }
    interrupt_at = 0;
    ok(lives > 5 && lives < 100, "a campaign with an A/A test ends after %d interruptions", lives - 1);
    ok(str_eq(snapshot(dir), whole), "the records of an interrupted A/A test are those of a run left alone");
    fixture_remove(dir);
}

static int count(const char *dir, const char *sql)
{
    struct store *s = opened(dir);
    struct query q;
    struct err err = {0};
    fixture_must(query_open(&q, store_database(s), &err, sql, ""), &err);
    int n = query_next(&q, &err) ? (int)query_int(&q, 0) : -1;
    fixture_must(query_close(&q), &err);
    store_close(s);
    return n;
}

static void test_retimed(void)
{
    struct err err;
    const char *one = file_join(arena, root, "one"), *three = file_join(arena, root, "three");
    ok(run(campaign(one, 1, 1), &err) && run(campaign(three, 1, 3), &err),
       "campaigns run with one retimed program and with three: %s", err.text);
    static const char OF_FIRST[] = "SELECT count(DISTINCT trial) FROM retiming JOIN trial ON id = trial WHERE cell = 0";
    ok(count(three, OF_FIRST) >= 9, "three programs of each of three kernels of the first cell are re-timed: %d",
       count(three, OF_FIRST));
    ok(count(one, OF_FIRST) < count(three, OF_FIRST), "with one retimed program fewer programs are re-timed: %d",
       count(one, OF_FIRST));
    is_int(count(three, "SELECT count(*) FROM retiming"), count(three, "SELECT count(DISTINCT trial) FROM retiming"),
           "one launch reads each program once");
    fixture_remove(one);
    fixture_remove(three);
}

static void test_sizes(void)
{
    struct plan p = *campaign("nowhere", 3, 1);
    is_int(aa_size_of(&p).programs, 3, "the A/A test has no more programs than there are kernels");
    p.launches = 0;
    ok(aa_size_of(&p).programs == 0 && aa_size_of(&p).launches == 0 && aa_size_of(&p).seconds == 0,
       "without a re-timing there is no A/A test");
    p.launches = 10;
    is_int(aa_size_of(&p).launches, 10,
           "a pretended arm has no more readings than a real one: three kernels, ten launches");
    p.launches = 40;
    is_int(aa_size_of(&p).launches, AA_LAUNCHES, "a stage has no more than %d launches", AA_LAUNCHES);
    ok(aa_size_of(&p).seconds < 60, "%.1f s are expected for both stages, at most a minute", aa_size_of(&p).seconds);
}

int main(void)
{
    struct err err;
    log_level_set(LOG_QUIET);
    arena = arena_open("test");
    if (!mkdtemp(root))
        bug("mkdtemp");
    const char *dir = file_join(arena, root, "whole");
    ok(run(campaign(dir, 2, 1), &err), "a campaign: %s", err.text);
    test_whole(dir, 2);
    test_interrupted(snapshot(dir));
    test_retimed();
    test_sizes();
    fixture_remove(dir);
    fixture_remove(root);
    arena_close(arena);
    return done_testing();
}
