/* SPDX-License-Identifier: Apache-2.0 */
/* child_process: posix_spawn with two pipes. A Ctrl-C reaches the whole process group; SIGTERM does not, so it is
 * passed on. */
#include "harness/nightly/child_process.h"

#include "harness/base/clock.h"
#include "harness/tune/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define GRACE_S 20

extern char **environ;

enum { OUT, ERR, STREAMS };
struct stream {
    int read, write; /* ends of the pipe, -1: closed */
};

static void close_end(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static bool open_pipes(struct stream s[STREAMS], struct err *err)
{
    for (int i = 0; i < STREAMS; i++) {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0)
            return err_set(err, "cannot make a pipe: %s", strerror(errno));
        s[i] = (struct stream){ends[0], ends[1]};
    }
    return true;
}

static bool start(const struct child_process *p, struct stream s[STREAMS], pid_t *pid, struct err *err)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, s[OUT].write, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, s[ERR].write, STDERR_FILENO);
    int why = posix_spawn(pid, p->argv[0], &actions, NULL, p->argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return why == 0 || err_set(err, "cannot start '%s': %s", p->argv[0], strerror(why));
}

/* Takes what a stream has; at its end it is closed. */
static void take(struct child_process *p, struct stream *s, bool is_out, bool interrupted)
{
    char some[4096];
    ssize_t n = read(s->read, some, sizeof some);
    if (n <= 0 && !(n < 0 && errno == EINTR))
        close_end(&s->read);
    if (n > 0 && is_out)
        text_addn(&p->output, some, (size_t)n);
    if (n > 0 && !is_out && !interrupted)
        (void)!write(STDERR_FILENO, some, (size_t)n);
}

/* Reads what comes within some milliseconds; false: nothing did. */
static bool listen(struct child_process *p, struct stream s[STREAMS], int ms, bool interrupted)
{
    struct pollfd wait[STREAMS] = {{.fd = s[OUT].read, .events = POLLIN}, {.fd = s[ERR].read, .events = POLLIN}};
    if (poll(wait, STREAMS, ms) <= 0)
        return false;
    for (int i = 0; i < STREAMS; i++)
        if (wait[i].revents)
            take(p, &s[i], i == OUT, interrupted || interrupt_asked());
    return true;
}

static void wait_for_end(struct child_process *p, pid_t pid, struct stream s[STREAMS])
{
    double asked = INFINITY;
    int status = 0;
    while (s[OUT].read >= 0) {
        listen(p, s, 200, isfinite(asked));
        double now = clock_now();
        bool late = now > p->until;
        if (!isfinite(asked) && (late || interrupt_asked())) {
            kill(pid, SIGINT);
            p->late = late;
            asked = now;
        } else if (isfinite(asked) && now > asked + GRACE_S) {
            kill(pid, SIGKILL);
        }
    }
    while (s[ERR].read >= 0 && listen(p, s, 0, isfinite(asked)))
        ;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    p->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool child_process_run(struct child_process *p, struct err *err)
{
    struct stream s[STREAMS] = {{-1, -1}, {-1, -1}};
    pid_t pid = 0;
    p->late = false;
    bool started = open_pipes(s, err) && start(p, s, &pid, err);
    for (int i = 0; i < STREAMS; i++)
        close_end(&s[i].write);
    if (started)
        wait_for_end(p, pid, s);
    for (int i = 0; i < STREAMS; i++)
        close_end(&s[i].read);
    if (!started || !interrupt_asked())
        return started;
    err->code = EXIT_INTERRUPTED;
    return err_set(err, "interrupted: the same command goes on with this night");
}
