/* SPDX-License-Identifier: Apache-2.0 */
/* build: the parent's side of the build workers. */
#pragma once
#include "harness/measure/measurer.h"

/* The builds of a batch. The parent has no thread for them: they move on while it waits, for them in builds_until, or
 * for the runner in builds_beside. */
struct builder_job {     /* what a worker is building */
    struct trial *trial; /* NULL: idle */
    double start;
};
struct builds {
    struct measurer *m;
    struct trial *trials;
    VEC(int) order; /* which trial is given when */
    int n, given, busy;
    int built;      /* so many from the first on are built */
    int wanted;     /* the last trial that is waited for, or runs: few beyond it are built ahead */
    double timeout; /* s, of one build */
    struct builder_job jobs[MOST_BUILDERS];
    bool broken; /* a worker could not work, as `why` says: reported by the next builds_until */
    struct err why;
};
/* Samples of the n trials get outcome, message and build_s, their objects the code. Only one batch at a time. Where all
 * are built before one runs, those whose loops may be unrolled furthest are given first: they take longest, and what is
 * begun last is waited for. */
void builds_begin(struct builds *b, struct measurer *m, struct trial *t, int n, double timeout);
/* Waits until trial i and all before it are built; later ones are built meanwhile. False: a worker cannot work. */
MUST_CHECK bool builds_until(struct builds *b, int i, struct err *err);
/* What is under way moves on until the runner has something to say, or has ended, or the deadline has passed. Changes
 * m->packet. No worker is started here: that may take longer than a run. */
void builds_beside(struct measurer *m, const struct worker_handle *runner, double deadline);
/* Waits for what is under way, and begins nothing: no build is beside what runs until m->builds is set again. */
MUST_CHECK bool builds_pause(struct builds *b, struct err *err);
void builds_end(struct builds *b); /* ends what is under way */

/* All of it: builds n trials in parallel. */
MUST_CHECK bool build_all(struct measurer *m, struct trial *t, int n, double timeout, struct err *err);
/* The reference of a task as an object in m->arena; n 0 when the target has none and the interpreter is to be used.
 * Where builds are under way it waits for an idle worker. */
MUST_CHECK bool build_reference(struct measurer *m, const struct task *task, struct blob *out, struct err *err);
enum worker_kind builder_kind(const struct measurer *m, int i); /* of builder i */
/* Begins m->packet with {spec, steps, hash}. */
void build_request(struct measurer *m, const struct trial *t);
