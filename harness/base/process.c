/* SPDX-License-Identifier: Apache-2.0 */
/* process: fork, not posix_spawn, which cannot have a child die with its parent and starts no functions. Between fork
 * and exec only system calls are made, as this process may have had threads. A pipe that exec closes carries errno
 * back. The ended leader is left a zombie until its group has been killed, so that its number is nobody else's. */
#include "harness/base/process.h"

#include "harness/base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define RUN_GRACE_S 2.0
#define KILLED_S 5.0
/* REPORT: where a child says that it could not begin. */
enum { IN, OUT, ERR, ALSO, REPORT, ENDS, READ_BYTES = 1 << 14, DRAINS = 128 /* the largest pipe is 1 MiB */ };

static void close_end(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* ---- start ---- */

/* A descriptor for the child, above those that it gets; *from: the reading end of a captured stream. -1: errno. */
static int give(int fd, int *from)
{
    int ends[2] = {-1, fd};
    if (fd == PROCESS_CAPTURE && (pipe2(ends, O_CLOEXEC) != 0 || fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0))
        return -1;
    if (fd == PROCESS_NOTHING)
        ends[1] = open("/dev/null", O_RDWR | O_CLOEXEC);
    int copy = ends[1] < 0 ? -1 : fcntl(ends[1], F_DUPFD_CLOEXEC, ENDS);
    if (fd <= 0)
        close_end(&ends[1]);
    *from = ends[0];
    return copy;
}

static _Noreturn void become(const struct process_spec *s, const int child[ENDS], pid_t parent)
{
    static const int defaults[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
        signal(defaults[i], SIG_DFL); /* what a shell starts in the background ignores some of them */
    bool fine = (s->own_session ? setsid() : setpgid(0, 0)) >= 0 &&
                (s->outlives || prctl(PR_SET_PDEATHSIG, SIGKILL) == 0) && (s->outlives || getppid() == parent);
    for (int i = IN; i < REPORT; i++)
        fine = fine && (child[i] < 0 || (dup2(child[i], i) == i && close(child[i]) == 0));
    if (fine && s->run) {
        close(child[REPORT]);
        s->run(s->with);
        _exit(0);
    }
    if (fine) /* exec changes no word, though its type says so */
        execvpe(s->argv[0], (char *const *)(uintptr_t)s->argv, s->environment ? s->environment : environ);
    int why = errno;
    _exit(write(child[REPORT], &why, sizeof why) == sizeof why ? 127 : 126);
}

/* errno of a child that could not begin; 0: it has begun. */
static int reported(int from)
{
    int why = 0;
    struct pollfd ready = {.fd = from, .events = POLLIN};
    while (poll(&ready, 1, -1) < 0 && errno == EINTR)
        ;
    return read(from, &why, sizeof why) == sizeof why ? why : 0;
}

bool process_start(const struct process_spec *s, struct process *p, struct err *err)
{
    const int wanted[ENDS] = {s->in, s->out, s->err, s->also, PROCESS_CAPTURE};
    int child[ENDS], from[ENDS];
    bool fine = true;
    *p = (struct process){.pid = -1, .end = -1};
    snprintf(p->name, sizeof p->name, "%s", s->argv ? s->argv[0] : "a part of this program");
    for (int i = IN; i < ENDS; i++) {
        child[i] = from[i] = -1;
        fine = fine && ((i == ALSO && !s->also) || (child[i] = give(wanted[i], &from[i])) >= 0);
    }
    pid_t parent = getpid();
    if (fine && (p->pid = fork()) == 0)
        become(s, child, parent);
    p->code = errno;
    for (int i = IN; i < ENDS; i++)
        close_end(&child[i]);
    if (p->pid > 0) {
        p->code = reported(from[REPORT]);
        while (p->code && waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    close_end(&from[REPORT]);
    p->state = p->pid > 0 && !p->code ? PROCESS_RUNS : PROCESS_NOT_STARTED;
    memcpy(p->from, &from[OUT], sizeof p->from);
    if (p->state == PROCESS_RUNS) {
        p->end = (int)syscall(SYS_pidfd_open, p->pid, 0);
        return true;
    }
    close_end(&p->from[0]);
    close_end(&p->from[1]);
    return err_set(err, "cannot start '%s': %s", p->name, strerror(p->code));
}

/* ---- its end ---- */

/* True: there may be more. At its end the stream is closed. */
static bool take(struct process *p, int i)
{
    char some[READ_BYTES];
    struct text *to = i ? &p->err : &p->out;
    ssize_t n = read(p->from[i], some, sizeof some);
    size_t room = to->len < PROCESS_KEPT_BYTES ? PROCESS_KEPT_BYTES - to->len : 0;
    if (n > 0)
        text_addn(to, some, (size_t)n < room ? (size_t)n : room);
    else if (n == 0 || (errno != EAGAIN && errno != EINTR))
        close_end(&p->from[i]);
    return n > 0;
}

/* True: it may have ended. */
static bool listen(struct process *p, double left_s)
{
    struct pollfd at[] = {
        {.fd = p->from[0], .events = POLLIN}, {.fd = p->from[1], .events = POLLIN}, {.fd = p->end, .events = POLLIN}};
    double s = fmin(fmax(left_s, 0), p->end < 0 ? 0.01 : 1000);
    (void)poll(at, 3, (int)ceil(s * 1e3));
    for (int i = 0; i < 2; i++)
        if (at[i].revents)
            take(p, i);
    return p->end < 0 || at[2].revents;
}

static void reap(struct process *p)
{
    int status = 0;
    struct rusage used = {0};
    for (int i = 0; i < 2; i++)
        for (int n = 0; n < DRAINS && p->from[i] >= 0 && take(p, i);)
            n++;
    if (p->stopping || p->from[0] >= 0 || p->from[1] >= 0)
        kill(-p->pid, SIGKILL);
    pid_t got;
    while ((got = wait4(p->pid, &status, 0, &used)) < 0 && errno == EINTR)
        ;
    p->state = WIFSIGNALED(status) ? PROCESS_SIGNALLED : PROCESS_EXITED;
    p->code = got != p->pid ? -1 : WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
    p->peak_bytes = (int64_t)used.ru_maxrss << 10;
    for (int i = 0; i < 2; i++)
        close_end(&p->from[i]);
    close_end(&p->end);
}

/* One look at it, left_s at most. */
static void look(struct process *p, double left_s)
{
    siginfo_t info = {0};
    if (listen(p, left_s) &&
        (waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == p->pid))
        reap(p);
}

bool process_wait(struct process *p, double until)
{
    while (p->state == PROCESS_RUNS) {
        double left = until - clock_now();
        look(p, left);
        if (p->state == PROCESS_RUNS && left <= 0)
            return false;
    }
    return true;
}

bool process_listen(struct process *p, double until)
{
    size_t had = p->out.len + p->err.len;
    while (p->state == PROCESS_RUNS && p->from[0] >= 0 && p->out.len + p->err.len == had) {
        double left = until - clock_now();
        look(p, left);
        if (left <= 0 && p->out.len + p->err.len == had)
            return p->state != PROCESS_RUNS;
    }
    return true;
}

void process_signal(const struct process *p, int number)
{
    if (p->state == PROCESS_RUNS)
        kill(-p->pid, number);
}

void process_stop(struct process *p, double grace_s)
{
    p->stopping = true;
    process_signal(p, SIGTERM);
    if (process_wait(p, clock_now() + grace_s))
        return;
    process_signal(p, SIGKILL);
    process_wait(p, clock_now() + KILLED_S);
}

void process_close(struct process *p)
{
    process_stop(p, 0);
    text_free(&p->out);
    text_free(&p->err);
}

bool process_fine(const struct process *p, struct err *err)
{
    const char *name = p->state == PROCESS_SIGNALLED ? sigabbrev_np(p->code) : NULL;
    if (p->state == PROCESS_EXITED)
        return p->code == 0 || err_set(err, "'%s' ended with status %d", p->name, p->code);
    if (p->state == PROCESS_SIGNALLED)
        return err_set(err, "'%s' was ended by signal %d (SIG%s)", p->name, p->code, name ? name : "?");
    return err_set(err, "'%s' did not end in time", p->name);
}

bool process_run(const struct process_spec *s, double until, struct process *p, struct err *err)
{
    if (!process_start(s, p, err))
        return false;
    if (!process_wait(p, until)) {
        process_stop(p, RUN_GRACE_S);
        p->state = PROCESS_LATE;
    }
    return process_fine(p, err);
}
