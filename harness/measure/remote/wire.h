/* SPDX-License-Identifier: Apache-2.0 */
/* wire: the messages between this program and the one that measures for it on another machine (server.h), and what
 * they hold. Both are the same build, on machines of one kind. Whatever comes is checked all the same: a value that no
 * such program writes is an error with a name, never believed. */
#pragma once
#include "harness/base/vec.h"
#include "harness/measure/channel.h"
#include "harness/measure/counted_run.h"
#include "harness/measure/measure_options.h"
#include "harness/measure/sliced_run.h"
#include "harness/plug/phase.h"
#include "harness/plug/registry.h"

/* What the server writes first, after whatever the login shell may have printed. */
#define WIRE_MARK "\nraingauge measures 1\n"

/* Requests and their answers; a request that cannot be answered gets WIRE_FAILED {exit code, text}. A batch is
 * answered by a WIRE_SAMPLE for each candidate as it is measured, then by WIRE_BATCH. Number of an answer: that of its
 * request. */
enum wire_message {
    WIRE_HELLO,      /* unasked, after the mark: {identity} */
    WIRE_OPEN,       /* {options} -> {limits, build workers, JSON object of the host} */
    WIRE_BATCH,      /* {trials so far, fastest seconds, number of candidates, candidates} -> {} */
    WIRE_SAMPLE,     /* {sample, seconds of the phases since the last one} */
    WIRE_STOP,       /* {} measure no more of the batch; not answered */
    WIRE_AGAIN,      /* {regime, candidate} -> {sample} */
    WIRE_COUNT,      /* {regime, candidate} -> {sample, counters} */
    WIRE_SLICED,     /* {sliced run} -> {samples} */
    WIRE_PEAK,       /* {} -> {FLOP/s} */
    WIRE_DESCRIBE,   /* {} -> {JSON object} */
    WIRE_CONTENTION, /* {} -> {others_s, stolen_s, whole_s} since the last such request */
    WIRE_FAILED,
};
enum { WIRE_CANDIDATES_MOST = 4096 };

struct wire_task {
    char *spec;
    struct task *task;
};
/* Where what is read lives. Tasks are kept; the steps are in scratch. */
struct wire_reader {
    struct arena *kept, *scratch;
    VEC(struct wire_task) tasks;
};
/* What a sliced run is made of, read back. */
struct wire_sliced {
    struct sliced_run run;
    struct sliced_program programs[SLICED_RUN_MOST];
    struct candidate candidates[SLICED_RUN_MOST];
    struct regime regime;
    int turns[SLICED_RUN_MOST * SAMPLE_REPEATS];
};

void wire_put_options(struct packet *p, const struct measure_options *o);
/* Texts are in the reader's kept arena. */
MUST_CHECK bool wire_get_options(struct wire_reader *r, struct packet *p, const struct registry *k,
                                 struct measure_options *out, struct err *err);
void wire_put_limits(struct packet *p, const struct limits *l);
MUST_CHECK bool wire_get_limits(struct packet *p, struct limits *out, struct err *err);
void wire_put_candidate(struct packet *p, const struct candidate *c);
MUST_CHECK bool wire_get_candidate(struct wire_reader *r, struct packet *p, struct candidate *out, struct err *err);
void wire_put_regime(struct packet *p, const struct regime *g);
MUST_CHECK bool wire_get_regime(struct wire_reader *r, struct packet *p, struct regime *out, struct err *err);
MUST_CHECK bool wire_get_sample(struct packet *p, struct sample *out, struct err *err);
void wire_put_phases(struct packet *p, const double seconds[PHASE_COUNT]);
MUST_CHECK bool wire_get_phases(struct packet *p, double out[PHASE_COUNT], struct err *err);
void wire_put_counters(struct packet *p, const struct counter_list *l);
MUST_CHECK bool wire_get_counters(struct packet *p, struct counter_list *out, struct err *err);
void wire_put_sliced(struct packet *p, const struct sliced_run *s);
MUST_CHECK bool wire_get_sliced(struct wire_reader *r, struct packet *p, struct wire_sliced *out, struct err *err);
/* A number that is finite and not below 0, or not. */
MUST_CHECK bool wire_get_amount(struct packet *p, const char *what, double *out, struct err *err);
