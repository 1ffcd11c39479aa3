/* SPDX-License-Identifier: Apache-2.0 */
/* nursery: where workers are born and buried. A small process without threads, made once by executing this binary anew,
 * forks every build worker and runner on request, hands their sockets over, and waits for their ends. Used by measure
 * only. */
#pragma once
#include "harness/base/err.h"
#include "harness/measure/worker.h"

#include <sys/types.h>

struct nursery;
struct nursery_child {
    pid_t pid; /* 0: none */
    int fd;    /* its socket, -1: none */
    int log;   /* memory file of its standard error */
};
struct nursery_end {
    int status;  /* as of waitpid; -1 when not known */
    bool killed; /* by us: it was still alive after the grace */
};

MUST_CHECK bool nursery_open(const struct worker_setup *setup, struct nursery **out, struct err *err);
void nursery_close(struct nursery *n); /* ends every child; NULL is fine */
/* A new worker; it has not yet said hello. When the nursery itself has died it is made anew once. */
MUST_CHECK bool nursery_spawn(struct nursery *n, enum worker_kind kind, struct nursery_child *out, struct err *err);
/* Waits for its end, kills it after grace seconds, closes its descriptors except the log. */
struct nursery_end nursery_reap(struct nursery *n, struct nursery_child *child, double grace);
