/* SPDX-License-Identifier: Apache-2.0 */
/* What a power cut leaves of a running campaign, on a virtual target and on a real one with overlap.
 *
 * Copies: the files are copied while the campaign stands still at a random moment, as they are, with the end of the
 * database's log gone, and without the log's index (-shm). Each copy must open, must hold the first trials of the
 * campaign and all those that were recorded before the moment (unless the log was cut), and must be continued to the
 * records of a run left alone.
 *
 * Cuts: the database is on a disk that loses what was not made safe (tests/lib/power_disk.h), and its power is cut
 * again and again until the campaign ends. On a real target all that was recorded must be there after each cut.
 *
 * The log is never cut where SQLite may have moved it to the database already: it makes the log safe (fsync) before
 * that, so no power cut takes it back. How far that was stands in -shm, nBackfillAttempted of SQLite's struct
 * WalCkptInfo: 4 bytes at 128. A frame of the log is 24 bytes and a page, behind a head of 32 bytes. */
#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/base/log.h"
#include "harness/tune/campaign.h"
#include "tests/lib/fake_plugins.h"
#include "tests/lib/power_disk.h"
#include "tests/lib/store_fixture.h"
#include "tests/lib/store_text.h"
#include "tests/lib/tap.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LAUNCHED = 5 }; /* most programs of a launch of fake_plan */
enum { TRIALS = 100, LOG_HEAD = 32, FRAME_HEAD = 24, MOVED_AT = 128, PAGE = 4096 };

/* Shared with the children: candidates built by a virtual target; operations of the disk. */
static long *measured, *operations;
static char *tally; /* what the workers of a real target have done (tests/lib/fake_plugins.h) */

static const struct kind { /* of campaign */
    const char *name;
    const struct registry *registry;
    const struct plan *(*plan)(struct arena *a, const char *dir, int64_t trials);
    int64_t trials;
    int moments;
    bool (*text)(struct store *s, struct text *out, struct err *err);
} VIRTUAL = {"virtual", &fake_registry, fake_plan, TRIALS, 6, store_text},
  SHORT = {"short", &fake_registry, fake_plan, 12, 0, store_text},
  APART = {"overlap", &fake_apart_registry, fake_apart_plan, 12, 2, store_decided_text};

static const struct damage {
    const char *name;
    bool cut, no_index;
} DAMAGES[] = {{"as it was", false, false},
               {"without the log's index", false, true},
               {"with the log cut", true, false},
               {"with the log cut and without its index", true, true}};
enum { DAMAGES_N = sizeof DAMAGES / sizeof *DAMAGES };

static _Noreturn void child(const struct kind *k, const char *dir)
{
    struct err err = {0};
    struct campaign_options o = {.resume = true, .revision = "r1", .force_overlap = true};
    fake_mixes_costs = k != &APART;
    fake_runs = measured;
    bool fine = campaign_run(k->registry, k->plan(arena, dir, k->trials), &o, &err);
    if (!fine)
        fprintf(stderr, "# %s: %s\n", dir, err.text);
    _exit(fine ? 0 : 1);
}

static bool run_to_end(const struct kind *k, const char *dir)
{
    int status;
    pid_t pid = fork();
    if (pid == 0)
        child(k, dir);
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        bug("no child");
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* ---- copies ---- */

struct image { /* of one file; NULL: it was not there */
    const char *name;
    char *bytes;
    size_t n;
};
enum { DATABASE, LOG, INDEX, LOCK, IMAGES };
static const char *const NAMES[IMAGES] = {"records.db", "records.db-wal", "records.db-shm", "records.lock"};

static void images_take(const char *dir, struct image out[IMAGES])
{
    struct err err = {0};
    for (int i = 0; i < IMAGES; i++) {
        const char *path = file_join(arena, dir, NAMES[i]);
        out[i] = (struct image){.name = NAMES[i]};
        if (file_exists(path) && !file_read(arena, path, 0, &out[i].bytes, &out[i].n, &err))
            bug("%s", err.text);
    }
}

/* Bytes of the log that no power cut takes. */
static size_t log_kept(const struct image all[IMAGES])
{
    uint32_t frames = 0;
    if (all[INDEX].bytes && all[INDEX].n >= MOVED_AT + sizeof frames)
        memcpy(&frames, all[INDEX].bytes + MOVED_AT, sizeof frames);
    size_t kept = frames ? LOG_HEAD + (size_t)frames * (FRAME_HEAD + PAGE) : 0;
    return kept < all[LOG].n ? kept : all[LOG].n;
}

/* Without fsync, which would take most of the test's time. */
static void file_put(const char *dir, const struct image *i, size_t n)
{
    FILE *f = fopen(file_join(arena, dir, i->name), "we");
    if (!f || fwrite(i->bytes, 1, n, f) != n || fclose(f))
        bug("cannot write %s in %s", i->name, dir);
}

static void images_put(const struct image all[IMAGES], const struct damage *d, size_t log_bytes, const char *dir)
{
    struct err err = {0};
    fixture_must(file_make_dirs(dir, &err), &err);
    for (int i = 0; i < IMAGES; i++)
        if (all[i].bytes && !(i == INDEX && d->no_index))
            file_put(dir, &all[i], i == LOG && d->cut ? log_bytes : all[i].n);
}

/* A campaign that runs is stopped after a while, copied, and killed. *built: candidates that a virtual target had
 * built. */
static void copy_at(const struct kind *k, const char *dir, double after_s, struct image all[IMAGES], long *built)
{
    int status;
    *measured = 0;
    pid_t pid = fork();
    if (pid == 0)
        child(k, dir);
    clock_sleep(after_s);
    if (pid < 0 || kill(pid, SIGSTOP) || waitpid(pid, &status, WUNTRACED) != pid)
        bug("no child");
    images_take(dir, all);
    *built = *measured;
    kill(pid, SIGKILL);
    if (WIFSTOPPED(status))
        waitpid(pid, &status, 0);
}

/* ---- what a copy holds ---- */

static int lines_of(const char *text)
{
    int n = 0;
    for (const char *c = text; *c; c++)
        n += *c == '\n';
    return n;
}

/* Trials and readings of the re-timing: each trial is recorded before the next candidate is built, and each launch
 * before the next. */
static int recorded(const char *dir)
{
    const char *trials = store_text_of(dir, store_trials_text), *all = store_text_of(dir, store_decided_text);
    const char *readings = all ? strstr(all, "[duel_launch]\n") : NULL;
    return trials && readings ? lines_of(trials) - 1 + lines_of(readings) - 1 : 0;
}

struct whole { /* a run left alone */
    const char *text, *trials;
};

static void check_copy(const struct kind *k, const struct whole *w, const struct image all[IMAGES],
                       const struct damage *d, size_t log_bytes, long built, const char *what)
{
    static int copies;
    char *read = fixture_path("read%d", ++copies), *resumed = fixture_path("resumed%d", copies);
    images_put(all, d, log_bytes, read);
    images_put(all, d, log_bytes, resumed);
    const char *trials = all[DATABASE].bytes ? store_text_of(read, store_trials_text) : NULL;
    ok(trials ? strncmp(w->trials, trials, strlen(trials)) == 0 : built == 0, "%s, %s: it holds the first %d trials",
       what, d->name, trials ? lines_of(trials) - 1 : 0);
    ok(d->cut || built == 0 || recorded(read) >= built - LAUNCHED, "%s, %s: nothing recorded is lost", what, d->name);
    ok(run_to_end(k, resumed), "%s, %s: it is continued", what, d->name);
    const char *text = store_text_of(resumed, k->text);
    ok(text && w->text && str_eq(text, w->text), "%s, %s: it ends with the records of a run left alone", what, d->name);
    fixture_remove(read);
    fixture_remove(resumed);
}

static struct whole run_alone(const struct kind *k, double *whole_s)
{
    char *dir = fixture_path("%s", k->name);
    double start = clock_now();
    ok(run_to_end(k, dir), "%s: a run left alone ends well", k->name);
    *whole_s = clock_now() - start;
    struct whole w = {.text = store_text_of(dir, k->text), .trials = store_text_of(dir, store_trials_text)};
    ok(w.trials && lines_of(w.trials) > k->trials / 2, "%s: a run left alone has its trials", k->name);
    return w;
}

static void test_moments(const struct kind *k, const struct whole *w, double whole_s, uint64_t seed)
{
    struct rng rng;
    rng_seed(&rng, seed);
    for (int i = 0; i < k->moments; i++) {
        struct image all[IMAGES];
        long built;
        const char *what = arena_printf(arena, "%s, moment %d", k->name, i);
        char *dir = fixture_path("%s%d", k->name, i);
        copy_at(k, dir, whole_s * rng_unit(&rng), all, &built);
        size_t kept = log_kept(all), cut = kept + (size_t)rng_below(&rng, (uint64_t)(all[LOG].n - kept) + 1);
        for (int d = k == &VIRTUAL ? 0 : i % 2; d < DAMAGES_N; d += k == &VIRTUAL ? 1 : 2)
            check_copy(k, w, all, &DAMAGES[d], cut, built, what);
        fixture_remove(dir);
    }
}

/* ---- a disk whose power is cut ---- */

/* Runs until the power is cut; then `dir` holds what is left. False: the campaign ended, *fine: well. */
static bool live(const struct kind *k, const char *dir, long cut_at, uint64_t seed, bool *fine)
{
    int status;
    struct err err = {0};
    struct image lock[IMAGES];
    char *image = fixture_path("image");
    fixture_must(file_make_dirs(image, &err), &err);
    *measured = *operations = 0;
    pid_t pid = fork();
    if (pid == 0) {
        power_disk_begin(
            &(struct power_disk){.cut_at = cut_at, .image = image, .seed = seed, .operations = operations});
        child(k, dir);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        bug("no child");
    *fine = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (WIFEXITED(status))
        return false;
    images_take(dir, lock);
    if (lock[LOCK].bytes)
        file_put(image, &lock[LOCK], lock[LOCK].n);
    fixture_remove(dir);
    if (rename(image, dir))
        bug("cannot rename %s", image);
    return true;
}

/* Programs that a real target has run since the last call. */
static long runs_since(void)
{
    const char *text = fixture_read(tally);
    long runs = 0;
    if (truncate(tally, 0))
        bug("cannot empty %s", tally);
    for (size_t i = 0; text[i]; i++)
        runs += text[i] == 'R';
    return runs;
}

/* In each operation of the beginning, until the database is made and its log is moved into it. */
static void test_beginning(void)
{
    enum { OPERATIONS = 64 };
    int same = 0;
    double whole_s;
    struct whole w = run_alone(&SHORT, &whole_s);
    for (int i = 1; i <= OPERATIONS; i++) {
        bool fine;
        char *dir = fixture_path("begun%d", i);
        bool cut = live(&SHORT, dir, i, (uint64_t)i, &fine);
        const char *text = cut && run_to_end(&SHORT, dir) ? store_text_of(dir, SHORT.text) : NULL;
        same += text && str_eq(text, w.text);
        if (!text)
            diag("cut at operation %d", i);
        fixture_remove(dir);
    }
    is_int(same, OPERATIONS, "a campaign whose disk is cut as it begins is continued to the records of one left alone");
}

static void test_cuts(const struct kind *k, const struct whole *w, uint64_t seed)
{
    enum { LIVES_MOST = 300 };
    struct rng rng;
    rng_seed(&rng, seed);
    char *dir = fixture_path("%s-cuts%d", k->name, (int)seed);
    bool fine = false, first = true, kept = true;
    int lives = 1, before = 0;
    runs_since();
    for (; lives < LIVES_MOST; lives++) {
        long at = 1 + (long)rng_below(&rng, 30 + 10 * (uint64_t)lives);
        if (!live(k, dir, at, rng_next(&rng), &fine))
            break;
        long runs = k == &VIRTUAL ? 0 : runs_since();
        const char *trials = store_text_of(dir, store_trials_text);
        int now = trials ? recorded(dir) : 0;
        first = first && (!trials || strncmp(w->trials, trials, strlen(trials)) == 0);
        kept = kept && (k == &VIRTUAL || now >= before + runs - 1);
        before = now;
    }
    ok(fine && lives > 3, "%s: done after %d cuts", k->name, lives - 1);
    ok(first, "%s: after each cut the first trials are there", k->name);
    if (k != &VIRTUAL)
        ok(kept, "%s: after each cut all is there that was recorded", k->name);
    const char *text = store_text_of(dir, k->text);
    ok(text && str_eq(text, w->text), "%s: the records are those of a run left alone", k->name);
    fixture_remove(dir);
}

int main(void)
{
    struct err err = {0};
    double whole_s;
    log_level_set(LOG_QUIET);
    measured = mmap(NULL, 2 * sizeof *measured, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (measured == MAP_FAILED)
        bug("cannot set up");
    operations = measured + 1;
    tally = fixture_path("tally");
    fixture_must(file_write(tally, "", 0, &err) && setenv("RAINGAUGE_TALLY", tally, 1) == 0, &err);
    struct whole w = run_alone(&VIRTUAL, &whole_s);
    test_moments(&VIRTUAL, &w, whole_s, 1);
    test_beginning();
    for (uint64_t seed = 1; seed <= 2; seed++)
        test_cuts(&VIRTUAL, &w, seed);
    w = run_alone(&APART, &whole_s);
    test_moments(&APART, &w, whole_s, 2);
    test_cuts(&APART, &w, 4);
    return done_testing();
}
