/* SPDX-License-Identifier: Apache-2.0 */
/* worker: a process that may crash, hang or eat memory in the parent's stead. Two kinds: a build worker turns
 * candidates into object code, a runner loads, verifies and times them. This header is the child's side and the
 * messages; the parent's side is worker_handle.h. */
#pragma once
#include "harness/measure/channel.h"
#include "harness/plug/collector.h"
#include "harness/plug/target.h"

#include <sched.h>

enum worker_kind { WORKER_BUILD, WORKER_RUN };

/* Requests and answers. A worker answers each request with one message of the same kind, or MESSAGE_BROKEN {text} when
 * it cannot do its own part (not the candidate's); a runner sends MESSAGE_NOTEs before. */
enum message {
    MESSAGE_HELLO,     /* {ok, error text, limits} once, unasked */
    MESSAGE_BUILD,     /* {spec, steps, hash, fault} -> {outcome, text, seconds, object} */
    MESSAGE_REFERENCE, /* {spec} -> {outcome, text, object} */
    MESSAGE_TASK,      /* {spec, object of the reference or nothing, lent references or nothing} -> {} */
    MESSAGE_LEND,      /* {spec, verify_points} -> {references as task_data_lend gives them} */
    MESSAGE_RUN,   /* {spec, steps, hash, object, fault, regime} -> {outcome, text, run_s, verify_s, n, seconds...} */
    MESSAGE_COUNT, /* the same -> the same without seconds, then the counters: a counted run */
    MESSAGE_NOTE,  /* {enum stretch} a new stretch of work begins */
    MESSAGE_PEAKS, /* {} -> {flops, bandwidth} */
    MESSAGE_DESCRIBE, /* {} -> {json members} */
    MESSAGE_BROKEN,
};
/* What a runner is doing: the parent books the time and sets the deadline by it. */
enum stretch { STRETCH_PREPARE, STRETCH_RUN, STRETCH_VERIFY };

struct worker_setup {
    const struct target *target;
    const char *target_settings;
    const struct collector *const *collectors; /* ended by NULL; NULL: none */
    int threads;
    enum layout_mode layout;
    int64_t memory_mib;
    uint64_t seed;
    cpu_set_t affinity; /* of the parent; filled by fork_server_open */
};

/* The child: never returns. fd: its socket; log: where its standard error goes. */
_Noreturn void worker_main(const struct worker_setup *setup, enum worker_kind kind, int fd, int log);

/* For the two kinds of service. */
struct worker {
    const struct worker_setup *setup;
    const struct target *target;
    void *self; /* the target's state */
    struct target_env env;
    int fd;
    struct packet packet; /* the request, then the answer */
    struct arena *scratch;
};
/* Answers with the packet; ends the process when the parent is gone. */
void worker_answer(struct worker *w, enum message kind);
_Noreturn void worker_broken(struct worker *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Reads {steps, hash} of a request into scratch. */
struct candidate worker_candidate(struct worker *w, const struct task *task);
void worker_fresh(struct worker *w); /* before each request: empties scratch and the log */
/* Parses settings and opens the target; options and state are in a, env must outlive the target. Also for virtual ones.
 */
MUST_CHECK bool target_begin(const struct target *target, const char *settings, struct arena *a, struct target_env *env,
                             void **self, struct limits *limits, struct err *err);
