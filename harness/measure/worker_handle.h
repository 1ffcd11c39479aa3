/* SPDX-License-Identifier: Apache-2.0 */
/* worker_handle: the parent's side of a worker: hire it, tell what its end means, dismiss it. */
#pragma once
#include "harness/measure/fork_server.h"

struct worker_handle {
    enum worker_kind kind;
    struct fork_server_child child; /* pid 0: not hired, or gone */
    int jobs; /* requests since hired: a worker is replaced now and then, so that leaks cannot add up */
};
enum { WORKER_JOBS_MAX = 2000 };
struct obituary {
    bool out_of_memory;
    char text[SAMPLE_MESSAGE]; /* "killed by signal 11 (SIGSEGV): access 4 bytes past the end of the output" */
};

static inline bool worker_handle_alive(const struct worker_handle *m)
{
    return m->child.pid > 0;
}
/* Forks one and waits for its hello; false with the target's reason when it cannot open. */
MUST_CHECK bool worker_handle_hire(struct worker_handle *m, struct fork_server *n, struct limits *limits,
                                   struct err *err);
/* Its socket has closed: waits for its end and says what it was. */
void worker_handle_bury(struct worker_handle *m, struct fork_server *n, struct obituary *o);
void worker_handle_dismiss(struct worker_handle *m, struct fork_server *n); /* at once, whatever it does */
/* Last line on its standard error that tells something, "" when none. */
void worker_handle_last_words(const struct worker_handle *m, char *out, size_t n);
