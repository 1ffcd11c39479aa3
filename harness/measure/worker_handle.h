/* SPDX-License-Identifier: Apache-2.0 */
/* worker_handle: the parent's side of a worker: start it, stop it, say how it ended. */
#pragma once
#include "harness/measure/channel.h"
#include "harness/measure/fork_server.h"

struct worker_handle {
    enum worker_kind kind;
    struct fork_server_child child; /* pid 0: not started, or gone */
    uint64_t asked;                 /* number of the request that is not answered yet */
    bool apart; /* a runner whose kernels leave the host's cores alone (runs_apart in plug/target.h), as it said */
    int jobs;   /* requests since the start: a worker is replaced now and then, so that leaks cannot add up */
};
enum { WORKER_JOBS_MAX = 2000 };
struct worker_end {
    bool out_of_memory;
    char text[SAMPLE_MESSAGE]; /* "killed by signal 11 (SIGSEGV): access 4 bytes past the end of the output" */
};

static inline bool worker_handle_alive(const struct worker_handle *h)
{
    return h->child.pid > 0;
}
/* Starts a worker and waits until it is ready. False with the target's reason if it cannot open, and with code
 * EXIT_INTERNAL if it ended before it was ready, three times. */
MUST_CHECK bool worker_handle_start(struct worker_handle *h, struct fork_server *fs, struct limits *limits,
                                    struct err *err);
/* Sends a request with a new random number, which no kernel can know from earlier ones. */
enum channel_status worker_handle_ask(struct worker_handle *h, int kind, struct packet *p, double deadline);
/* Waits for a message that answers it. CHANNEL_CLOSED also when the process has ended and another one holds its socket;
 * CHANNEL_FORGED when the message bears another number: the worker is to be stopped. */
enum channel_status worker_handle_answer(struct worker_handle *h, int *kind, struct packet *p, double deadline);
/* Is there something to read that answers nothing? */
bool worker_handle_spoke(const struct worker_handle *h);
/* Is it fit for a request: alive, silent, and not worn out? */
bool worker_handle_fit(const struct worker_handle *h);
/* Kills the worker, if there is one, whatever it does. */
void worker_handle_stop(struct worker_handle *h, struct fork_server *fs);
/* After its socket has closed: waits for its end and says what it was. */
void worker_handle_collect(struct worker_handle *h, struct fork_server *fs, struct worker_end *end);
