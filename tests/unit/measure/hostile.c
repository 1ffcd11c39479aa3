/* SPDX-License-Identifier: Apache-2.0 */
/* hostile: every kernel of hostile_target.h has its outcome, and the honest kernel after each is right: no trial but
 * its own is lost. Then what holds without a seccomp filter. With the argument "show" it prints a line for each kernel
 * instead, for make demo-faults: what it does, what became of it, what caught it. */
#include "harness/base/clock.h"
#include "tests/lib/fixture.h"
#include "tests/lib/hostile_target.h"
#include "tests/lib/tap.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct task *task;
static const char *victim;

static struct measurer *begin(void)
{
    struct measure_options o = {.target = &hostile_target, .target_settings = "", .build_workers = 1, .faults = ""};
    struct measurer *m = NULL;
    struct limits limits;
    struct err err = {0};
    fixture_must(regime_named("quick", &o.regime, &err), &err);
    o.regime.run_timeout_s = 2;
    o.regime.memory_mib = 256;
    o.regime.min_repeat_ms = 1;
    fixture_must(measure_open(&o, &m, &limits, &err), &err);
    return m;
}

enum { TRIES = 5 };

static bool measured(struct measurer *m, enum hostile h, struct sample *s)
{
    struct err err = {0};
    struct candidate c = hostile_candidate(arena, task, h);
    struct measured_batch b = {.candidates = &c, .n = 1, .samples = s};
    bool fine = measure_batch(m, &b, &err);
    if (!fine)
        diag("%s", err.text);
    return fine;
}

/* The number of processes that a kernel left. */
static int strays(void)
{
    int n = 0;
    char path[300], name[32];
    DIR *d = opendir("/proc");
    for (struct dirent *e; d && (e = readdir(d));) {
        snprintf(path, sizeof path, "/proc/%s/comm", e->d_name);
        FILE *f = e->d_name[0] >= '1' && e->d_name[0] <= '9' ? fopen(path, "re") : NULL;
        if (f && fgets(name, sizeof name, f))
            n += strncmp(name, HOSTILE_CHILD, strlen(HOSTILE_CHILD)) == 0;
        if (f)
            fclose(f);
    }
    if (d)
        closedir(d);
    return n;
}

static void test_kernel(struct measurer *m, enum hostile h)
{
    const struct hostile_row *row = &hostile_rows[h];
    struct sample s, after;
    bool fine = measured(m, h, &s);
    /* Where a busy machine made it look slow the last checks were left out: nobody would use such a program. */
    for (int i = 0; fine && i < TRIES && s.outcome == OUTCOME_OK && row->outcome != OUTCOME_OK; i++)
        fine = measured(m, h, &s);
    fine = fine && measured(m, HOSTILE_honest, &after);
    ok(fine, "measuring goes on although a kernel %s", row->does);
    if (!fine)
        return;
    if (!is_str(outcome_word(s.outcome), outcome_word(row->outcome), "a kernel that %s has its outcome", row->does) ||
        !ok(strstr(s.message, row->message) != NULL, "the message about kernel '%s' has '%s'", row->name, row->message))
        diag("message: %s", s.message);
    if (!is_str(outcome_word(after.outcome), "ok", "the honest kernel after '%s' is right", row->name))
        diag("message: %s", after.message);
    if (h == HOSTILE_slow_later)
        ok(sample_mean(&s) > 1.9e-3, "a kernel that is slow when it is timed has a slow time");
}

static void test_filter(struct measurer *m)
{
    struct stat st;
    char new[sizeof victim + 8];
    snprintf(new, sizeof new, "%s.new", victim);
    for (int h = 0; h < HOSTILE_COUNT; h++)
        test_kernel(m, (enum hostile)h);
    ok(stat(new, &st) != 0 && stat(victim, &st) == 0, "a kernel can neither delete a file nor make one");
    if (syscall(SYS_landlock_create_ruleset, NULL, 0, 1) >= 1)
        is_int((int)st.st_size, 0, "a kernel cannot write over a file");
    else
        skip("this system has no Landlock", "a kernel cannot write over a file");
    is_int(strays(), 0, "no kernel leaves a process behind");
}

/* Many honest trials: no check may take one of them for a cheat. */
static void test_honest(struct measurer *m)
{
    struct sample s;
    int good = 0;
    for (int i = 0; i < 200 && measured(m, HOSTILE_honest, &s); i++) {
        good += s.outcome == OUTCOME_OK;
        if (s.outcome != OUTCOME_OK)
            diag("%s: %s", outcome_word(s.outcome), s.message);
    }
    is_int(good, 200, "200 trials of an honest kernel are ok");
}

static void test_without_filter(void)
{
    setenv("RAINGAUGE_CONFINE", "off", 1);
    struct measurer *m = begin();
    struct sample s = {0}, left = {0}, after = {0};
    double start = clock_now();
    bool fine = measured(m, HOSTILE_fork_exits, &s);
    double took = clock_now() - start;
    ok(fine && s.outcome == OUTCOME_CRASHED, "without a filter, a runner that ends after a fork has crashed: %s",
       s.message);
    ok(took < 1.9, "without a filter, a runner that ends after a fork is not waited for until the time-out");
    ok(measured(m, HOSTILE_forks, &left) && left.outcome == OUTCOME_WRONG_ANSWER && strstr(left.message, "process"),
       "without a filter, a kernel that leaves a process is found: %s", left.message);
    ok(measured(m, HOSTILE_honest, &after) && after.outcome == OUTCOME_OK,
       "without a filter, the honest kernel after them is right");
    is_int(strays(), 0, "without a filter, what kernels left is killed with their runner");
    measure_close(m);
    unsetenv("RAINGAUGE_CONFINE");
}

/* The table of make demo-faults. */
static int show(struct measurer *m)
{
    int bad = 0, n = 0;
    for (int h = 1; h < HOSTILE_COUNT; h++, n++) {
        const struct hostile_row *row = &hostile_rows[h];
        struct sample s, after;
        bool seen = measured(m, (enum hostile)h, &s) && measured(m, HOSTILE_honest, &after) &&
                    s.outcome == row->outcome && strstr(s.message, row->message) && after.outcome == OUTCOME_OK;
        bad += !seen;
        printf("   %s %-66s %-13s %s\n", seen ? "seen:    " : "NOT SEEN:", row->does,
               seen ? outcome_word(row->outcome) : outcome_word(s.outcome), seen ? row->by : s.message);
        fflush(stdout);
    }
    printf("   %d kernels, %d not seen, %d processes left\n", n, bad, strays());
    return bad ? 1 : 0;
}

int main(int argc, char **argv)
{
    task = fixture_task(arena, HOSTILE_SPEC);
    int status;
    victim = fixture_file("victim", "");
    setenv(HOSTILE_FILE, victim, 1);
    struct measurer *m = begin();
    if (argc > 1 && str_eq(argv[1], "show")) {
        status = show(m);
        measure_close(m);
    } else {
        test_filter(m);
        test_honest(m);
        measure_close(m);
        test_without_filter();
        status = done_testing();
    }
    return status;
}
