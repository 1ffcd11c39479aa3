/* SPDX-License-Identifier: Apache-2.0 */
/* fork_server: starts the workers. A small process without threads, made once by executing this binary anew, forks
 * every build worker and runner on request, hands their sockets over, and waits for their ends. Used by measure only.
 */
#pragma once
#include "harness/base/err.h"
#include "harness/measure/worker.h"

#include <sys/types.h>

struct fork_server;
struct fork_server_child {
    pid_t pid; /* 0: none */
    int fd;    /* its socket, -1: none */
    int end;   /* can be read when it has ended (pidfd), -1: the system has no such thing */
    int log;   /* memory file of its standard error */
};
#define FORK_SERVER_NO_CHILD ((struct fork_server_child){.fd = -1, .end = -1, .log = -1})
struct worker_status {
    int status;  /* as of waitpid; -1 when not known */
    bool killed; /* by us: it was still alive after the grace time */
};

MUST_CHECK bool fork_server_open(const struct worker_setup *setup, struct fork_server **out, struct err *err);
void fork_server_close(struct fork_server *fs); /* ends every child; NULL is fine */
/* A new worker, which is not ready yet. When the fork server itself has died, it is started again once. */
MUST_CHECK bool fork_server_spawn(struct fork_server *fs, enum worker_kind kind, struct fork_server_child *out,
                                  struct err *err);
/* Waits for its end, kills it after grace_s seconds, and then whatever processes it made; closes its descriptors except
 * the log. */
struct worker_status fork_server_reap(struct fork_server *fs, struct fork_server_child *child, double grace_s);
