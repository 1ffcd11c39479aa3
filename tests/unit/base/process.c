/* SPDX-License-Identifier: Apache-2.0 */
/* process: how a child ends is known exactly, and it is ended at its deadline whatever it does: it hangs, ignores
 * SIGTERM, closes its streams, fills them, or leaves a child behind that holds them. The kernel's own word on a process
 * (/proc) is the truth for what is gone. Nothing here sleeps less than ten minutes by itself, so a call that returns
 * did not wait for it. */
#include "harness/base/process.h"
#include "harness/base/clock.h"
#include "tests/lib/tap.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#define SOON 0.3 /* seconds; a deadline */
#define LATER 3  /* of one that is to have printed something, however busy the machine is */

/* Gone, or a zombie that nobody has waited for; it is given a minute. */
static bool is_gone(pid_t pid)
{
    char path[40], state = 'Z';
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    for (int i = 0; i < 600; i++) {
        FILE *f = fopen(path, "re");
        bool running = f && fscanf(f, "%*d (%*[^)]) %c", &state) == 1 && state != 'Z';
        if (f)
            fclose(f);
        if (!running)
            return true;
        clock_sleep(0.1);
    }
    return false;
}

static bool run_shell(const char *script, double seconds, struct process *p, struct err *err)
{
    const char *const argv[] = {"sh", "-c", script, NULL};
    const struct process_spec s = {.argv = argv, .out = PROCESS_CAPTURE, .err = PROCESS_CAPTURE};
    *err = (struct err){0};
    return process_run(&s, clock_now() + seconds, p, err);
}

static const struct {
    const char *does, *script;
    double seconds;
    enum process_status state;
    int code;
    const char *out, *err, *reason;
} ROWS[] = {
    {"ends well", "exit 0", INFINITY, PROCESS_EXITED, 0, "", "", ""},
    {"ends with a status", "exit 7", INFINITY, PROCESS_EXITED, 7, "", "", "'sh' ended with status 7"},
    {"is ended by a signal", "kill -SEGV $$", INFINITY, PROCESS_SIGNALLED, SIGSEGV, "", "", "signal 11 (SIGSEGV)"},
    {"prints without a newline", "printf some; printf other >&2", INFINITY, PROCESS_EXITED, 0, "some", "other", ""},
    {"reads its standard input", "cat; echo done", INFINITY, PROCESS_EXITED, 0, "done\n", "", ""},
    {"lists its descriptors (the last is of the list)", "ls /proc/self/fd", INFINITY, PROCESS_EXITED, 0, "0\n1\n2\n3\n",
     "", ""},
    {"closes its streams and ends", "exec >&- 2>&-; exit 3", INFINITY, PROCESS_EXITED, 3, "", "", "status 3"},
    {"hangs", "echo begun; exec sleep 600", LATER, PROCESS_LATE, 0, "begun\n", "", "did not end in time"},
    {"hangs in its child", "sleep 600; exit 0", SOON, PROCESS_LATE, 0, "", "", "did not end in time"},
    {"ignores SIGTERM", "trap '' TERM; sleep 600; sleep 600", SOON, PROCESS_LATE, 0, "", "", "did not end in time"},
    {"is stopped", "kill -STOP $$", SOON, PROCESS_LATE, 0, "", "", "did not end in time"},
    {"closes its streams and hangs", "exec >&- 2>&-; exec sleep 600", SOON, PROCESS_LATE, 0, "", "", "in time"},
    {"has a deadline of 0", "exec sleep 600", -INFINITY, PROCESS_LATE, 0, "", "", "did not end in time"},
};

static void test_ends(void)
{
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        struct process p;
        struct err err;
        bool fine = run_shell(ROWS[i].script, ROWS[i].seconds, &p, &err);
        ok(fine == !*ROWS[i].reason && strstr(err.text, ROWS[i].reason) && p.state == ROWS[i].state &&
               (p.state == PROCESS_LATE || p.code == ROWS[i].code) && is_gone(p.pid),
           "one that %s is known to (%s)", ROWS[i].does, err.text);
        ok(str_eq(text_str(&p.out), ROWS[i].out) && str_eq(text_str(&p.err), ROWS[i].err),
           "one that %s: what it printed is kept: '%s' '%s'", ROWS[i].does, text_str(&p.out), text_str(&p.err));
        process_close(&p);
    }
}

static void test_absent(void)
{
    static const struct {
        const char *path;
        int code;
    } absent[] = {{"/nowhere/program", ENOENT}, {"no-such-program-anywhere", ENOENT}, {"/etc/passwd", EACCES}};
    for (int i = 0; i < 3; i++) {
        const char *const argv[] = {absent[i].path, NULL};
        struct process p;
        struct err err = {0};
        ok(!process_run(&(struct process_spec){.argv = argv}, INFINITY, &p, &err) && p.state == PROCESS_NOT_STARTED &&
               p.code == absent[i].code && strstr(err.text, absent[i].path),
           "'%s' is not started: %s", absent[i].path, err.text);
    }
}

static void test_floods(void)
{
    struct process p;
    struct err err;
    ok(run_shell("head -c 1073741824 /dev/zero & head -c 1073741824 /dev/zero >&2; wait", INFINITY, &p, &err),
       "one that fills both streams with 1 GiB ends well %s", err.text);
    ok(p.out.len == PROCESS_KEPT_BYTES && p.err.len == PROCESS_KEPT_BYTES, "as much as the bound of each is kept");
    process_close(&p);
    ok(!run_shell("yes & yes >&2", SOON, &p, &err) && p.state == PROCESS_LATE && is_gone(p.pid),
       "one that fills both for ever is ended: %s", err.text);
    process_close(&p);
}

/* ---- what it leaves behind ---- */

/* In a child: begins one of its own that holds the streams, in a session of its own or not, says its number, ends. */
static void leave_behind(void *own_session)
{
    int ready[2];
    char byte = 0;
    if (pipe(ready) != 0)
        return;
    pid_t pid = fork();
    if (pid == 0) {
        if (*(const bool *)own_session)
            setsid();
        dprintf(STDOUT_FILENO, "%d", (int)getpid());
        (void)!write(ready[1], &byte, 1);
        clock_sleep(600);
        _exit(0);
    }
    (void)!read(ready[0], &byte, 1);
}

static void test_left_behind(void)
{
    for (int own = 0; own < 2; own++) {
        bool own_session = own != 0;
        const struct process_spec s = {
            .run = leave_behind, .with = &own_session, .out = PROCESS_CAPTURE, .err = PROCESS_CAPTURE};
        struct process p;
        struct err err = {0};
        ok(process_run(&s, INFINITY, &p, &err), "one whose child holds its streams%s is not waited for %s",
           own ? " in another session" : "", err.text);
        pid_t left = (pid_t)strtol(text_str(&p.out), NULL, 10);
        if (!ok(left > 0, "a child that is left behind has run"))
            continue;
        if (own) {
            ok(kill(left, 0) == 0, "a child that left the group is left alone");
            kill(left, SIGKILL);
        }
        ok(is_gone(left), own ? "until it is killed" : "a child in its group is killed");
        process_close(&p);
    }
    struct process p;
    struct err err;
    ok(!run_shell("sleep 600 & echo $!; trap '' TERM; sleep 600; sleep 600", LATER, &p, &err),
       "one with a child hangs");
    ok(is_gone((pid_t)strtol(text_str(&p.out), NULL, 10)), "a late one is ended with its child");
    process_close(&p);
}

static void start_and_die(void *outlives)
{
    const char *const argv[] = {"sleep", "600", NULL};
    const struct process_spec s = {.argv = argv, .outlives = *(const bool *)outlives};
    struct process p;
    struct err err;
    if (process_start(&s, &p, &err))
        dprintf(STDOUT_FILENO, "%d", (int)p.pid);
}

static void test_parent_dies(void)
{
    for (int i = 0; i < 2; i++) {
        bool outlives = i != 0;
        const struct process_spec s = {.run = start_and_die, .with = &outlives, .out = PROCESS_CAPTURE};
        struct process p;
        struct err err = {0};
        ok(process_run(&s, INFINITY, &p, &err), "a parent starts one and ends");
        pid_t left = (pid_t)strtol(text_str(&p.out), NULL, 10);
        if (outlives)
            ok(left > 0 && kill(left, 0) == 0 && kill(left, SIGKILL) == 0, "one that outlives its parent is there");
        ok(left > 0 && is_gone(left), "%s is gone", outlives ? "when killed, it" : "what the parent started");
        process_close(&p);
    }
}

/* ---- descriptors, environment, signals ---- */

static void test_streams(void)
{
    const char *const argv[] = {"sh", "-c", "cat; cat <&3; env", NULL};
    char *const environment[] = {"A=1", NULL};
    int first[2], second[2];
    if (pipe(first) != 0 || pipe(second) != 0)
        return;
    (void)!write(first[1], "first ", 6);
    (void)!write(second[1], "second ", 7);
    close(first[1]);
    close(second[1]);
    const struct process_spec s = {
        .argv = argv, .environment = environment, .in = first[0], .also = second[0], .out = PROCESS_CAPTURE};
    struct process p;
    struct err err = {0};
    bool fine = process_run(&s, INFINITY, &p, &err);
    ok(fine && str_starts(text_str(&p.out), "first second "), "descriptors 0 and 3 are those that were given: '%s'",
       text_str(&p.out));
    ok(strstr(text_str(&p.out), "A=1\n") && !strstr(text_str(&p.out), "HOME="), "the environment is the given one");
    process_close(&p);
    close(first[0]);
    close(second[0]);
}

static void on_alarm(int number)
{
    (void)number;
}

static void test_signals(void)
{
    const char *const argv[] = {"sleep", "600", NULL};
    struct process p, none = {0};
    struct err err = {0};
    ok(process_start(&(struct process_spec){.argv = argv}, &p, &err) && !process_wait(&p, clock_now() + SOON),
       "a wait ends at its deadline");
    process_signal(&p, SIGINT);
    ok(process_wait(&p, INFINITY) && p.state == PROCESS_SIGNALLED && p.code == SIGINT && p.peak_bytes > 0,
       "a signal reaches it");
    process_signal(&p, SIGKILL);
    process_stop(&p, 0);
    ok(p.code == SIGINT, "one that has ended is signalled no more");
    ok(process_start(&(struct process_spec){.argv = argv}, &p, &err), "another is started");
    process_stop(&p, INFINITY);
    ok(p.state == PROCESS_SIGNALLED && p.code == SIGTERM && is_gone(p.pid), "SIGTERM stops one that does not mind");
    process_close(&p);
    process_close(&none);
    ok(process_wait(&none, INFINITY), "none is closed and has ended");
    struct sigaction act = {.sa_handler = on_alarm}, before;
    const struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
    sigaction(SIGALRM, &act, &before);
    setitimer(ITIMER_REAL, &often, NULL);
    bool fine = run_shell("sleep 0.3; echo some; exit 5", INFINITY, &p, &err);
    setitimer(ITIMER_REAL, &never, NULL);
    sigaction(SIGALRM, &before, NULL);
    ok(!fine && p.state == PROCESS_EXITED && p.code == 5 && str_eq(text_str(&p.out), "some\n"),
       "signals that this process gets meanwhile change nothing");
    process_close(&p);
}

int main(void)
{
    close_range(3, ~0U, 0); /* what this program was given itself */
    test_ends();
    test_absent();
    test_floods();
    test_left_behind();
    test_parent_dies();
    test_streams();
    test_signals();
    return done_testing();
}
