/* SPDX-License-Identifier: Apache-2.0 */
/* ssh: standard error of a command that is spoken with goes to a memory file, which never fills up a pipe. */
#include "harness/measure/remote/ssh.h"

#include "harness/base/clock.h"
#include "harness/measure/channel.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define GRACE_SECONDS 5.0
enum { REASON_BYTES = 4096, SSH_FAILED = 255 };

/* streams: its descriptors alone. */
static bool start(const struct remote_host *h, const char *command, bool compressed, struct process_spec streams,
                  struct process *p, struct err *err)
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
    streams.argv = words;
    streams.own_session = true;
    return process_start(&streams, p, err) ||
           (p->code == ENOENT &&
            (err_set(err, "there is no program 'ssh' here (Debian: openssh-client)") || err_environment(err)));
}

bool ssh_start(const struct remote_host *h, const char *command, struct ssh *out, struct err *err)
{
    int fds[2];
    *out = SSH_NONE;
    if (!channel_pair(fds))
        return err_set(err, "cannot make a socket: %s", strerror(errno));
    out->fd = fds[0];
    out->log = memfd_create("ssh", MFD_CLOEXEC);
    const struct process_spec streams = {.in = fds[1], .out = fds[1], .err = out->log};
    bool fine = out->log >= 0 ? start(h, command, false, streams, &out->process, err)
                              : err_set(err, "cannot make a file: %s", strerror(errno));
    close(fds[1]);
    if (!fine)
        ssh_stop(out);
    return fine;
}

void ssh_stop(struct ssh *s)
{
    if (s->fd >= 0)
        close(s->fd);
    process_stop(&s->process, GRACE_SECONDS);
    if (s->log >= 0)
        close(s->log);
    *s = SSH_NONE;
}

/* The last line of text that says something; text is cut up. */
static void last_line(char *text, char *out, size_t n)
{
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
    char text[REASON_BYTES] = "";
    process_wait(&s->process, clock_now() + GRACE_SECONDS);
    off_t end = lseek(s->log, 0, SEEK_END), from = end > REASON_BYTES - 1 ? end - (REASON_BYTES - 1) : 0;
    ssize_t got = pread(s->log, text, sizeof text - 1, from);
    text[got > 0 ? got : 0] = 0;
    last_line(text, out, n);
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

bool ssh_run(const struct remote_host *h, struct ssh_command *c, struct err *err)
{
    struct process p = {0};
    const struct process_spec streams = {
        .in = c->input, .out = c->printed ? PROCESS_CAPTURE : c->output, .err = PROCESS_CAPTURE};
    if (!start(h, c->command, c->compressed, streams, &p, err))
        return false;
    process_wait(&p, INFINITY);
    bool fine = process_fine(&p, err);
    c->status = p.state == PROCESS_EXITED ? p.code : -1;
    char reason[400] = "";
    if (p.err.len)
        last_line(p.err.s, reason, sizeof reason);
    if (!fine && (*reason || c->status == SSH_FAILED))
        err_set(err, "%s", *reason ? reason : "ssh gave no reason");
    if (c->status == SSH_FAILED)
        err_environment(err);
    if (fine && c->printed)
        text_addn(c->printed, text_str(&p.out), p.out.len);
    process_close(&p);
    return fine;
}
