/* SPDX-License-Identifier: Apache-2.0 */
/* child_process: posix_spawn with a pipe. A Ctrl-C reaches the whole process group; SIGTERM does not, so it is passed
 * on. */
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

static bool start(const struct child_process *e, int out[2], pid_t *pid, struct err *err)
{
    posix_spawn_file_actions_t actions;
    if (pipe2(out, O_CLOEXEC) != 0)
        return err_set(err, "cannot make a pipe: %s", strerror(errno));
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    int why = posix_spawn(pid, e->argv[0], &actions, NULL, (char *const *)e->argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(out[1]);
    if (why == 0)
        return true;
    close(out[0]);
    return err_set(err, "cannot start '%s': %s", e->argv[0], strerror(why));
}

/* Reads what is there within a fifth of a second; false at the end. */
static bool listen(struct child_process *e, int from)
{
    char some[4096];
    struct pollfd wait = {.fd = from, .events = POLLIN};
    if (poll(&wait, 1, 200) <= 0)
        return true;
    ssize_t n = read(from, some, sizeof some);
    if (n > 0)
        text_addn(&e->said, some, (size_t)n);
    return n > 0 || (n < 0 && errno == EINTR);
}

bool child_process_run(struct child_process *e, struct err *err)
{
    int out[2], status = 0;
    pid_t pid = 0;
    double asked = INFINITY;
    e->late = false;
    if (!start(e, out, &pid, err))
        return false;
    while (listen(e, out[0])) {
        double now = clock_now();
        bool late = now > e->until;
        if (!isfinite(asked) && (late || interrupt_asked())) {
            kill(pid, SIGINT);
            e->late = late;
            asked = now;
        } else if (isfinite(asked) && now > asked + GRACE_S) {
            kill(pid, SIGKILL);
        }
    }
    close(out[0]);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    e->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    if (!interrupt_asked())
        return true;
    err->code = EXIT_INTERRUPTED;
    return err_set(err, "interrupted: the same command goes on with this night");
}
