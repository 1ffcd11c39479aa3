/* SPDX-License-Identifier: Apache-2.0 */
/* Resume with overlap: a campaign on a real target, whose workers build while a program runs, is killed again and again
 * until it ends: while it starts, in the middle of builds and runs, in the re-timing; by SIGKILL and by Ctrl-C. What
 * was decided must then be, byte for byte, what a run left alone decided, clocks must go on where they stood, and no
 * more may have been run or built twice than was in flight. When to kill is told by what the workers have done, so that
 * a slow machine gets as far as a fast one. */
#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/base/log.h"
#include "harness/record/database.h"
#include "harness/tune/campaign.h"
#include "tests/lib/fake_plugins.h"
#include "tests/lib/store_fixture.h"
#include "tests/lib/store_text.h"
#include "tests/lib/tap.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TRIALS = 60, LIVES_MAX = 500, SEEDS = 2, BUILDERS = 2 };
enum { AHEAD = 1 + 2 * BUILDERS }; /* most builds of a batch that a kill makes useless (harness/measure/build.c) */

static char *tally; /* what the workers have done, a byte a step (tests/lib/fake_plugins.h) */

static long steps_done(void)
{
    struct stat st;
    return stat(tally, &st) ? 0 : (long)st.st_size;
}

static _Noreturn void child(const char *dir)
{
    struct err err = {0};
    struct campaign_options o = {.resume = true, .revision = "r1", .force_overlap = true};
    fake_mixes_costs = false;
    bool fine = campaign_run(&fake_apart_registry, fake_apart_plan(arena, dir, TRIALS), &o, &err);
    if (!fine && err.code != EXIT_INTERRUPTED)
        fprintf(stderr, "# %s\n", err.text);
    _exit(fine ? 0 : err.code);
}

struct death {
    long steps;    /* the workers do so many first; below 0: it is not killed */
    double more_s; /* then it lives that long */
    int signal;
};

/* True when it was stopped; *fine: it ended well. */
static bool live(const char *dir, const struct death *d, bool *fine)
{
    long from = steps_done();
    int status = 0;
    pid_t pid = fork(), got = 0;
    if (pid == 0)
        child(dir);
    while (d->steps >= 0 && got == 0 && steps_done() < from + d->steps) {
        got = waitpid(pid, &status, WNOHANG);
        clock_sleep(1e-4);
    }
    if (got == 0 && d->steps >= 0) {
        clock_sleep(d->more_s);
        kill(pid, d->signal);
    }
    if (pid < 0 || got < 0 || (got == 0 && waitpid(pid, &status, 0) != pid))
        bug("no child");
    *fine = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    return WIFSIGNALED(status) || (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_INTERRUPTED);
}

/* ---- what the workers did ---- */

struct work {
    long builds, runs, meetings; /* meetings: builds that began while a program was run */
};

/* Of all lives since the last call; the file is empty then. */
static struct work work_done(void)
{
    struct work w = {0};
    const char *text = fixture_read(tally);
    bool runs = false;
    if (truncate(tally, 0))
        bug("cannot empty %s", tally);
    for (size_t i = 0; text[i]; i++) {
        w.builds += text[i] == 'B';
        w.runs += text[i] == 'R';
        w.meetings += text[i] == 'B' && runs;
        runs = text[i] == 'R' || (runs && text[i] != 'r');
    }
    return w;
}

/* ---- what is recorded ---- */

static int rows(struct store *s, const char *sql)
{
    struct query q;
    struct err err = {0};
    fixture_must(query_open(&q, store_database(s), &err, sql, ""), &err);
    int n = query_next(&q, &err) ? (int)query_int(&q, 0) : -1;
    return query_close(&q) ? n : -1;
}

/* Clocks hold what slow programs were spared (spared_s); without it they are what passed. The answers of target apart
 * take no time, so what was spared may be less than nothing. */
static void check_clocks(struct store *s, const char *what)
{
    is_int(rows(s, "SELECT count(*) FROM round AS a JOIN round AS b ON b.cell = a.cell AND b.round = a.round + 1"
                   " WHERE b.begin_s <> a.end_s"),
           0, "%s: each round begins where the one before ended", what);
    is_int(rows(s, "SELECT count(*) FROM (SELECT cell, round, min(ordinal) AS first, max(ordinal) AS last FROM trial"
                   " GROUP BY cell, round) JOIN round USING(cell, round) JOIN trial AS a ON a.cell = round.cell AND"
                   " a.ordinal = first JOIN trial AS b ON b.cell = round.cell AND b.ordinal = last"
                   " WHERE a.elapsed_s - a.spared_s < begin_s - 1e-9 OR b.elapsed_s > end_s + 1e-9"),
           0, "%s: the trials of each round are within it", what);
    is_int(rows(s, "SELECT count(*) FROM trial WHERE wall_s - spared_s < 0"), 0, "%s: no clock was set back", what);
    is_int(rows(s, "SELECT count(*) FROM trial AS last JOIN (SELECT cell, total(wall_s) AS sum, max(ordinal) AS ordinal"
                   " FROM trial GROUP BY cell) USING(cell, ordinal) WHERE abs(elapsed_s - sum) > 1e-6"),
           0, "%s: the wall times of a cell's trials add up to its clock", what);
    is_int(rows(s, "SELECT count(*) FROM cell WHERE elapsed_s <> (SELECT max(end_s) FROM round WHERE round.cell ="
                   " cell.cell)"),
           0, "%s: the clock of a cell is that of its last round", what);
}

static char *decided(const char *dir, const char *what)
{
    struct store *s;
    struct err err = {0};
    if (!ok(store_open_read(dir, &s, &err), "%s: the records are read %s", what, err.text))
        return NULL;
    check_clocks(s, what);
    store_close(s);
    return store_text_of(dir, store_decided_text);
}

/* ---- the test ---- */

/* Every third is killed while it starts, every fifth is stopped as by Ctrl-C. */
static struct death death_draw(struct rng *rng, int life)
{
    bool early = life % 3 == 2;
    return (struct death){.steps = early ? 0 : (long)rng_below(rng, 16 + 6 * (uint64_t)life),
                          .more_s = (early ? 0.06 : 0.002) * rng_unit(rng),
                          .signal = life % 5 == 4 ? SIGINT : SIGKILL};
}

static void test_killed(const char *whole, const struct work *alone, uint64_t seed)
{
    struct rng rng;
    rng_seed(&rng, seed);
    char *dir = fixture_path("killed%d", (int)seed), *what = arena_printf(arena, "seed %d", (int)seed);
    bool fine = false;
    int lives = 0;
    for (bool stopped = true; stopped && lives < LIVES_MAX; lives++) {
        struct death d = death_draw(&rng, lives);
        stopped = live(dir, &d, &fine);
    }
    ok(fine && lives > 5, "%s: done in life %d", what, lives);
    struct work w = work_done();
    const char *got = decided(dir, what);
    ok(got && whole && str_eq(got, whole), "%s: what was decided is what a run left alone decided", what);
    ok(w.runs >= alone->runs && w.runs <= alone->runs + lives, "%s: only what was in flight was run again: %ld + %ld",
       what, alone->runs, w.runs - alone->runs);
    ok(w.builds >= alone->builds && w.builds <= alone->builds + (long)AHEAD * lives,
       "%s: only what was built ahead was built again: %ld + %ld", what, alone->builds, w.builds - alone->builds);
    ok(w.meetings > 0, "%s: %ld builds began beside a run", what, w.meetings);
}

int main(void)
{
    struct err err = {0};
    bool fine = false;
    log_level_set(LOG_QUIET);
    tally = fixture_path("tally");
    fixture_must(file_write(tally, "", 0, &err) && setenv("RAINGAUGE_TALLY", tally, 1) == 0, &err);
    char *dir = fixture_path("whole");
    ok(!live(dir, &(struct death){.steps = -1}, &fine) && fine, "a run left alone ends well");
    struct work alone = work_done();
    const char *whole = decided(dir, "left alone");
    ok(alone.runs > TRIALS / 2 && alone.meetings > 0, "left alone, %ld of %ld builds began beside one of %ld runs",
       alone.meetings, alone.builds, alone.runs);
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        test_killed(whole, &alone, seed);
    return done_testing();
}
