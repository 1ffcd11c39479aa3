/* SPDX-License-Identifier: Apache-2.0 */
/* process: a child process: another program, or a function of this one. It is the leader of a process group of its
 * own: a Ctrl-C that is meant for this program does not reach it, and it is ended with all of its group. What has left
 * the group (by setsid or setpgid) is left alone and never waited for, even if it holds a captured stream. */
#pragma once
#include "harness/base/err.h"
#include "harness/base/text.h"

#include <sys/types.h>

enum { PROCESS_NOTHING = 0, PROCESS_CAPTURE = -1, PROCESS_KEPT_BYTES = 16 << 20 };
struct process_spec {
    const char *const *argv;  /* ended by NULL; argv[0] is looked for in PATH unless it has a slash. NULL: run */
    void (*run)(void *with);  /* instead of a program: in a copy of this process, without its other threads */
    void *with;               /* what run is given */
    char *const *environment; /* NAME=VALUE, ended by NULL; NULL: this program's */
    /* Descriptors of this program that are the child's 0 to 3. PROCESS_NOTHING: /dev/null, as 3 none. PROCESS_CAPTURE,
     * of out and err: kept in struct process, the first PROCESS_KEPT_BYTES of each; what is beyond is read and lost. */
    int in, out, err, also;
    bool own_session; /* without a terminal: it can ask nobody there */
    bool outlives;    /* it is not killed when the thread that started it ends */
};

enum process_status {
    PROCESS_NONE,
    PROCESS_RUNS,
    PROCESS_EXITED,     /* code: its exit status; -1: someone else has waited for it */
    PROCESS_SIGNALLED,  /* code: the signal that ended it */
    PROCESS_LATE,       /* process_run: it was ended at its deadline */
    PROCESS_NOT_STARTED /* code: errno */
};
struct process { /* may be all zero: none */
    enum process_status state;
    int code;
    pid_t pid;
    struct text out, err; /* captured so far; may be cleared between two waits */
    int64_t peak_bytes;   /* of resident memory, once it has ended */
    char name[64];        /* argv[0] */
    int end;              /* a descriptor that can be read once it has ended, -1: the system has none */
    int from[2];          /* reading ends of the captured streams, -1: none */
    bool stopping;
};

/* False: it could not be started (p->code says why), and there is nothing to close. */
MUST_CHECK bool process_start(const struct process_spec *s, struct process *p, struct err *err);
/* Reads what is captured until the process has ended, or until the deadline (of clock_now, in seconds; INFINITY: none).
 * True: it has ended. A group that holds a captured stream at its leader's end is killed. */
bool process_wait(struct process *p, double until);
/* Waits until something is captured, it has ended, or the deadline; what is captured is then read. False: the deadline
 * passed. */
bool process_listen(struct process *p, double until);
void process_signal(const struct process *p, int number); /* to the whole group; nothing once the leader has ended */
/* Ends the group: SIGTERM, and SIGKILL when the leader has ended or grace_s seconds later. One that even SIGKILL does
 * not end (in a driver's call) is left after some seconds: it still runs then. */
void process_stop(struct process *p, double grace_s);
/* Stops it if it runs, and frees what was captured. */
void process_close(struct process *p);
/* True: it has ended with status 0; otherwise err says how it ended. */
MUST_CHECK bool process_fine(const struct process *p, struct err *err);
/* Starts, waits, and stops it at the deadline: process_fine. To be closed where a stream is captured. */
MUST_CHECK bool process_run(const struct process_spec *s, double until, struct process *p, struct err *err);
