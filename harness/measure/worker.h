/* SPDX-License-Identifier: Apache-2.0 */
/* worker: a process that may crash, hang or eat memory in the parent's place. There are two kinds: a build worker turns
 * candidates into object code, a runner loads, verifies and times them. Here are the messages between them and the
 * parent, and what both kinds share in the child. The parent's side of a worker is worker_handle.h. */
#pragma once
#include "harness/measure/channel.h"
#include "harness/plug/collector.h"
#include "harness/plug/target.h"

#include <sched.h>

/* BESIDE: a build worker that keeps off the cores of the runner, where these are its own. */
enum worker_kind { WORKER_BUILD, WORKER_BESIDE, WORKER_RUN };

/* Requests and answers. A worker answers each request with one message of the same kind. When it cannot do its own part
 * (not the candidate's), it answers MESSAGE_BROKEN {text} instead. A runner sends MESSAGE_PARTs before its answer. */
enum message {
    MESSAGE_READY, /* {ok, error text, limits, runs_apart} once, unasked */
    MESSAGE_BUILD, /* {spec, steps, hash, fault} -> {outcome, text, seconds, cached_s, trouble of objects, object} */
    MESSAGE_REFERENCE, /* {spec} -> {outcome, text, object} */
    MESSAGE_TASK,      /* {spec, object of the reference or nothing, exported references or nothing} -> {} */
    MESSAGE_EXPORT,    /* {spec, verify_points} -> {references as task_data_export gives them} */
    MESSAGE_RUN,    /* {spec, steps, hash, object, fault, regime} -> {outcome, text, run_s, verify_s, n, seconds...} */
    MESSAGE_COUNT,  /* the same -> the same without seconds, then the counters: a counted run */
    MESSAGE_SLICES, /* the same, then the planted slowdown -> as MESSAGE_RUN: a sliced run */
    MESSAGE_SLICE,  /* {1} take a slice, {0} no more: to a runner that is in PART_WAIT; not answered */
    MESSAGE_PART,   /* {enum run_part} a new part of the run begins */
    MESSAGE_PEAKS,  /* {} -> {flops, bandwidth} */
    MESSAGE_DESCRIBE, /* {} -> {JSON object} */
    MESSAGE_BROKEN,
};
/* What a runner is doing. The parent books the time and sets the deadline by it. */
enum run_part {
    PART_PREPARE,
    PART_RUN,
    PART_VERIFY,
    PART_WAIT /* in a sliced run, for the next MESSAGE_SLICE */
};

struct worker_setup {
    const struct target *target;
    const char *target_settings;
    const struct collector *const *collectors; /* ended by NULL; NULL: none */
    int threads;
    enum layout_mode layout;
    int64_t memory_mib;
    bool verify_only;
    uint64_t seed;
    const char *objects; /* folder of built objects; "": none are kept */
    int64_t objects_mib;
    bool splits;                        /* the runner has cores of its own */
    cpu_set_t affinity[WORKER_RUN + 1]; /* by kind; an empty one is that of the parent, filled by fork_server_open */
};

struct worker { /* in the child */
    const struct worker_setup *setup;
    const struct target *target;
    void *self; /* the target's state */
    struct target_env env;
    int fd;               /* socket to the parent */
    struct packet packet; /* the request, then the answer */
    struct arena *scratch;
};
/* Before each request: empties scratch and the log. */
void worker_fresh(struct worker *w);
/* Reads {steps, hash} of a request into scratch. */
struct candidate worker_candidate(struct worker *w, const struct task *task);
/* Answers with the packet; ends the process when the parent is gone. */
void worker_answer(struct worker *w, enum message kind);
_Noreturn void worker_broken(struct worker *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Parses settings and opens the target, virtual ones too. Options and state are in a; env must outlive the target. */
MUST_CHECK bool target_begin(const struct target *target, const char *settings, struct arena *a, struct target_env *env,
                             void **self, struct limits *limits, struct err *err);
