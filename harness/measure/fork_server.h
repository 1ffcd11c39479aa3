/* SPDX-License-Identifier: Apache-2.0 */
/* fork_server: where workers are born and buried. A small process without threads, made once by executing this binary
 * anew, forks every build worker and runner on request, hands their sockets over, and waits for their ends. Used by
 * measure only. */
#pragma once
#include "harness/base/err.h"
#include "harness/measure/worker.h"

#include <sys/types.h>

struct fork_server;
struct fork_server_child {
    pid_t pid; /* 0: none */
    int fd;    /* its socket, -1: none */
    int log;   /* memory file of its standard error */
};
struct fork_server_end {
    int status;  /* as of waitpid; -1 when not known */
    bool killed; /* by us: it was still alive after the grace */
};

MUST_CHECK bool fork_server_open(const struct worker_setup *setup, struct fork_server **out, struct err *err);
void fork_server_close(struct fork_server *n); /* ends every child; NULL is fine */
/* A new worker; it has not yet said hello. When the fork_server itself has died it is made anew once. */
MUST_CHECK bool fork_server_spawn(struct fork_server *n, enum worker_kind kind, struct fork_server_child *out,
                                  struct err *err);
/* Waits for its end, kills it after grace seconds, closes its descriptors except the log. */
struct fork_server_end fork_server_reap(struct fork_server *n, struct fork_server_child *child, double grace);
