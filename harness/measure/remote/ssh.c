/* SPDX-License-Identifier: Apache-2.0 */
/* ssh: posix_spawn. Standard error goes to a memory file, which never fills up a pipe. */
#include "harness/measure/remote/ssh.h"

#include "harness/base/clock.h"
#include "harness/measure/channel.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define GRACE_SECONDS 5.0
enum { REASON_BYTES = 4096, SSH_FAILED = 255 };

extern char **environ;

void ssh_quote(struct text *t, const char *word)
{
    text_char(t, '\'');
    for (; *word; word++)
        if (*word == '\'')
            text_add(t, "'\\''");
        else
            text_char(t, *word);
    text_char(t, '\'');
}

/* What the three standard descriptors of ssh shall be. */
struct streams {
    int in, out, err;
};

static int spawn(const struct remote_host *h, const char *command, bool compressed, struct streams s, pid_t *pid)
{
    const char *words[24] = {"ssh", "-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=20"};
    int n = 6;
    words[n++] = "-o";
    words[n++] = "ServerAliveInterval=10";
    words[n++] = "-o";
    words[n++] = "ServerAliveCountMax=3";
    words[n++] = "-o";
    words[n++] = compressed ? "Compression=yes" : "Compression=no";
    if (*h->config) {
        words[n++] = "-F";
        words[n++] = h->config;
    }
    words[n++] = "--";
    words[n++] = h->destination;
    words[n] = command;
    char *argv[24] = {NULL};
    for (int i = 0; i <= n; i++)
        argv[i] = strdup(words[i]);
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&actions, s.in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, s.out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, s.err, STDERR_FILENO);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
    int why = posix_spawnp(pid, "ssh", &actions, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    for (int i = 0; i <= n; i++)
        free(argv[i]);
    return why;
}

static bool not_started(int why, struct err *err)
{
    return why == ENOENT ? err_set(err, "there is no program 'ssh' here (Debian: openssh-client)")
                         : err_set(err, "cannot start ssh: %s", strerror(why));
}

bool ssh_start(const struct remote_host *h, const char *command, struct ssh *out, struct err *err)
{
    int fds[2];
    *out = SSH_NONE;
    if (!channel_pair(fds))
        return err_set(err, "cannot make a socket: %s", strerror(errno));
    out->log = memfd_create("ssh", MFD_CLOEXEC);
    int why = out->log < 0 ? errno : spawn(h, command, false, (struct streams){fds[1], fds[1], out->log}, &out->pid);
    close(fds[1]);
    out->fd = fds[0];
    if (!why)
        return true;
    out->pid = 0;
    ssh_stop(out);
    return not_started(why, err);
}

void ssh_stop(struct ssh *s)
{
    if (s->fd >= 0)
        close(s->fd);
    if (s->pid > 0) {
        kill(s->pid, SIGTERM);
        while (waitpid(s->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    if (s->log >= 0)
        close(s->log);
    *s = SSH_NONE;
}

/* The last line of a log that says something. */
static void last_line(int log, char *out, size_t n)
{
    char text[REASON_BYTES];
    *out = 0;
    if (log < 0)
        return;
    off_t end = lseek(log, 0, SEEK_END), from = end > REASON_BYTES - 1 ? end - (REASON_BYTES - 1) : 0;
    ssize_t got = pread(log, text, sizeof text - 1, from);
    text[got > 0 ? got : 0] = 0;
    char *last = text, *save = NULL;
    for (char *line = strtok_r(text, "\r\n", &save); line; line = strtok_r(NULL, "\r\n", &save))
        last = line;
    snprintf(out, n, "%s", last);
    for (char *c = out; *c; c++)
        if (!isprint((unsigned char)*c))
            *c = ' ';
}

void ssh_reason(struct ssh *s, char *out, size_t n)
{
    double until = clock_now() + GRACE_SECONDS;
    bool ended = s->pid <= 0;
    while (!ended && clock_now() < until) {
        ended = waitpid(s->pid, NULL, WNOHANG) != 0;
        if (!ended)
            clock_sleep(0.02);
    }
    if (ended)
        s->pid = 0;
    last_line(s->log, out, n);
    if (!*out)
        snprintf(out, n, "the connection was closed");
}

void ssh_log(struct ssh *s, struct text *out)
{
    char part[REASON_BYTES];
    ssize_t got = pread(s->log, part, sizeof part, (off_t)s->read);
    const char *end = got > 0 ? memrchr(part, '\n', (size_t)got) : NULL;
    if (!end)
        return;
    text_addn(out, part, (size_t)(end + 1 - part));
    s->read += (size_t)(end + 1 - part);
}

static void take_printed(int from, struct text *to)
{
    char part[REASON_BYTES];
    ssize_t got;
    for (off_t at = 0; (got = pread(from, part, sizeof part, at)) > 0; at += got)
        text_addn(to, part, (size_t)got);
}

static bool command_ended(pid_t pid, int log, int *code, struct err *err)
{
    int status = 0;
    char reason[400];
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    *code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (*code == 0)
        return true;
    last_line(log, reason, sizeof reason);
    if (*reason)
        return err_set(err, "%s", reason);
    return err_set(err, *code == SSH_FAILED ? "ssh gave no reason" : "it ended with status %d", *code);
}

bool ssh_run(const struct remote_host *h, const struct ssh_command *c, struct err *err)
{
    int log = memfd_create("ssh", MFD_CLOEXEC), printed = memfd_create("printed", MFD_CLOEXEC), code = -1;
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    bool fine = (log >= 0 && printed >= 0 && nothing >= 0) || err_set(err, "cannot make a file: %s", strerror(errno));
    pid_t pid = 0;
    if (fine) {
        struct streams s = {c->input >= 0 ? c->input : nothing, c->output >= 0 ? c->output : printed, log};
        int why = spawn(h, c->command, c->compressed, s, &pid);
        fine = !why ? command_ended(pid, log, &code, err) : not_started(why, err);
    }
    if (fine && c->printed)
        take_printed(printed, c->printed);
    if (c->status)
        *c->status = code;
    close(log);
    close(printed);
    close(nothing);
    return fine;
}
