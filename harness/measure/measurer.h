/* SPDX-License-Identifier: Apache-2.0 */
/* measurer: the inside of struct measurer, shared by measure.c (batches), build.c (build workers) and trial.c (the
 * runner). */
#pragma once
#include "harness/base/cpu_contention.h"
#include "harness/base/vec.h"
#include "harness/measure/fault.h"
#include "harness/measure/measure_options.h"
#include "harness/measure/reference_cache.h"
#include "harness/measure/worker_handle.h"

enum { MOST_BUILDERS = 256 };
struct known_task { /* a task whose reference was built */
    char *spec;
    uint64_t hash;
    struct blob reference;            /* n 0: the interpreter is the reference */
    int sent_to;                      /* number of the runner that has it; 0: none */
    struct reference_cache_slot kept; /* what an earlier runner computed with it */
};

struct measurer {
    struct measure_options o; /* strings are in arena */
    struct arena *arena;
    struct fork_server *fork_server; /* NULL when the target is virtual */
    struct worker_handle *builders;
    int nbuilders;
    int beside;  /* so many of them may build while a program runs; 0: none, a batch is built before it runs */
    bool splits; /* the runner has cores of its own: builders from number `spare` on use them between runs */
    int spare;   /* where it splits: builders on the other cores, of which all or none build beside runs */
    bool chosen, choosing; /* whether they do was measured, or needs not be; is being measured: every build is made */
    double choice_s;       /* what that took, until a trial's sample has it */
    bool objects_troubled; /* it was said that built objects cannot be kept, or were damaged */
    struct builds *builds; /* those under way; NULL: none */
    struct worker_handle runner;
    int runners; /* started so far */
    VEC(struct known_task) tasks;
    struct reference_cache references;
    struct fault_plan faults;
    int64_t trials;
    double peak_flops, peak_bandwidth; /* highest seen; 0: unknown */
    bool peaks_asked;
    struct packet packet;
    struct remote *remote; /* another machine measures: of all that is here only the options are used; NULL: none */
    struct cpu_contention_mark contention;
    /* virtual targets live in this process */
    struct target_env env;
    void *self;
};

struct trial {
    const struct candidate *c;
    struct sample *s;
    struct blob object;
    enum fault fault;
    bool is_built;    /* or its build has failed: what became of it is known */
    double fastest_s; /* mean of the task's fastest program so far; 0: none, or it shall be timed in full */
    bool is_fresh;    /* in a runner of its own: references are handed on (reference_cache.h) */
};
