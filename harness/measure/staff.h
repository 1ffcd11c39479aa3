/* SPDX-License-Identifier: Apache-2.0 */
/* staff: the parent's side of a worker: hire it, tell what its end means, dismiss it. */
#pragma once
#include "harness/measure/nursery.h"

struct member {
    enum worker_kind kind;
    struct nursery_child child; /* pid 0: not hired, or gone */
    int jobs; /* requests since hired: a worker is replaced now and then, so that leaks cannot add up */
};
enum { MEMBER_JOBS_MAX = 2000 };
struct obituary {
    bool out_of_memory;
    char text[SAMPLE_MESSAGE]; /* "killed by signal 11 (SIGSEGV): access 4 bytes past the end of the output" */
};

static inline bool member_alive(const struct member *m)
{
    return m->child.pid > 0;
}
/* Forks one and waits for its hello; false with the target's reason when it cannot open. */
MUST_CHECK bool member_hire(struct member *m, struct nursery *n, struct limits *limits, struct err *err);
/* Its socket has closed: waits for its end and says what it was. */
void member_bury(struct member *m, struct nursery *n, struct obituary *o);
void member_dismiss(struct member *m, struct nursery *n); /* at once, whatever it does */
/* Last line on its standard error that tells something, "" when none. */
void member_last_words(const struct member *m, char *out, size_t n);
