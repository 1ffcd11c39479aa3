/* SPDX-License-Identifier: Apache-2.0 */
/* ssh: the program of that name as a child process. It asks nothing (BatchMode), notices within a minute that a
 * connection is dead, and is not reached by a Ctrl-C that is meant for this program. */
#pragma once
#include "harness/base/process.h"
#include "harness/measure/remote/remote_host.h"

struct ssh {
    struct process process;
    int fd;      /* socket to the standard input and output of the command, -1: none */
    int log;     /* memory file of what it and the command wrote to standard error, -1: none */
    size_t read; /* bytes of the log that ssh_log has given */
};
#define SSH_NONE ((struct ssh){.fd = -1, .log = -1})

/* Starts a command on the host. Whether that could be reached shows when it is spoken to. */
MUST_CHECK bool ssh_start(const struct remote_host *h, const char *command, struct ssh *out, struct err *err);
void ssh_stop(struct ssh *s);
/* After the socket has closed: waits for its end, and says why it ended as far as it told: the last line. */
void ssh_reason(struct ssh *s, char *out, size_t n);
/* What was written to standard error since the last call, up to the last whole line. */
void ssh_log(struct ssh *s, struct text *out);

/* Runs a command to its end. False with the reason: ssh is not there, or it or the command failed. */
struct ssh_command {
    const char *command;
    int input, output;    /* descriptors of its standard input and output; 0: /dev/null */
    bool compressed;      /* the bytes on their way */
    struct text *printed; /* unless NULL, its standard output is added here instead */
    int status;           /* its exit status, once it has ended by itself */
};
MUST_CHECK bool ssh_run(const struct remote_host *h, struct ssh_command *c, struct err *err);
