/* SPDX-License-Identifier: Apache-2.0 */
/* recording: a file of measured candidates of a task set: what a machine answered, to be asked again without it.
 * Lines of JSON, so that gzip packs them well (about 30 bytes a candidate) and people can read them:
 *
 *   {"recording":1,"machine":"a100-40","target":"cuda",...,"tasks":[{"spec":"matmul n=1 ...","weight":1},...]}
 *   [0,"ok",[1.66e-05],1.29,[["CHW",2,"local"],...]]         task, outcome, seconds, cost_s, steps; message, if any
 *   {"rows":8533,"digest":"<SHA-256 of all lines before>"}
 *
 * The last line says that the file is whole; one without it is still being written, or was cut short. */
#pragma once
#include "harness/plug/candidate.h"
#include "harness/plug/sample.h"
#include "harness/program/schedule/limits.h"

enum { RECORDING_VERSION = 1 };
struct recording_task {
    const char *spec; /* canonical */
    double weight;    /* calls in its network */
};
struct recording_head {
    const char *machine, *target, *source; /* source: how the candidates came about: "searcher random, seed 1" */
    const char *revision;                  /* of the program that wrote it */
    struct limits limits;
    int64_t per_task; /* candidates of each kernel that were asked for; 0: as many as there were */
    const struct recording_task *tasks;
    int ntasks;
};
struct recorded { /* one candidate */
    int task, line;
    enum outcome outcome;
    const char *message;
    const double *seconds; /* mean of a call in each repeat */
    int nseconds;
    double cost_s;
    const struct step *steps;
    int nsteps;
};
struct recording {
    struct recording_head head;
    struct recorded *rows;
    int n;
    bool whole;      /* it has its last line */
    char digest[65]; /* of the lines before that */
};
/* Reads a file, plain or packed by gzip, into a. part: one without a last line will do, and half a line at its end is
 * passed over. False, as "FILE:LINE: reason" or "FILE:LINE:COLUMN: reason": no recording, another version, a damaged
 * line, cut short, changed. */
MUST_CHECK bool recording_read(struct arena *a, const char *path, bool part, struct recording *out, struct err *err);
/* False: the file is empty, or holds a part of a recording's first line and no more, as a full disk leaves it. */
bool recording_is_begun(const char *path);
int recording_task(const struct recording *r, const char *spec); /* its number; -1: no such kernel */
/* Mean of the seconds; INFINITY unless ok. */
double recorded_mean(const struct recorded *r);
void recorded_sample(const struct recorded *r, struct sample *out);

/* Is the file's head what would be written? The reason names what differs. */
MUST_CHECK bool recording_same_head(const struct recording_head *is, const struct recording_head *wanted,
                                    struct err *err);
