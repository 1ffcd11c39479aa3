/* SPDX-License-Identifier: Apache-2.0 */
/* exchange: a user's program as a plug-in (searcher exec, model exec), spoken to in lines of JSON over its standard
 * input and output (harness/doc/exec.md). It runs confined (harness/base/confine), in a process group of its own, and
 * without a terminal. All that it can do wrong ends the cell and nothing else (struct err: ends_cell). */
#pragma once
#include "harness/base/json.h"
#include "harness/base/process.h"
#include "harness/base/rng.h"
#include "harness/base/settings.h"
#include "harness/plug/sample.h"

enum { EXCHANGE_VERSION = 1 };
struct exchange_options {
    const char *command;
    double timeout_s;
    int64_t memory_mib;
};
#define EXCHANGE_SETTINGS(S, member)                                                                                   \
    STRING_SETTING("command", S, member.command, "",                                                                   \
                   "the program and its words, as in \"python3 mine.py\"; quotes keep blanks, no shell reads it",      \
                   .needed = true, .command = true),                                                                   \
        DURATION_SETTING("timeout", S, member.timeout_s, "120", 0.01, 1e6,                                             \
                         "longest wait for a line of the program; then it is ended, and its cell"),                    \
        INT_SETTING("memory_mib", S, member.memory_mib, "8192", 0, 1e9, "memory that the program may take; 0: any")

struct exchange { /* may be all zero: none */
    const char *command;
    double timeout_s;
    struct process process;
    int to;           /* its standard input */
    int64_t lines;    /* that it wrote so far */
    size_t looked;    /* bytes of what it wrote since then in which there is no end of a line */
    struct text line; /* what exchange_ask sends: the caller writes a line without its end */
    bool spins;       /* the program may run beside us */
};

/* The words of a command in a, ended by NULL. Blanks part them, unless in '' or "". */
char **exchange_words(struct arena *a, const char *command, int *n);
/* Starts the program and greets it with the members given, JSON text such as "\"role\":\"model\"". It must answer with
 * our version. On false there is nothing to close. */
MUST_CHECK bool exchange_open(struct exchange *x, const struct exchange_options *o, const char *members,
                              struct err *err);
/* Sends x->line, which is empty then, and gives the one line that comes back, an object to be deleted. */
MUST_CHECK bool exchange_ask(struct exchange *x, cJSON **answer, struct err *err);
/* What is wrong with its last line. Always false: the cell ends. */
bool exchange_wrong(struct exchange *x, struct err *err, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void exchange_close(void *x); /* ends the program; for arena_defer */

int64_t exchange_seed(struct rng *r);                           /* JSON's numbers are exact up to 2^53 */
void exchange_sample(struct text *out, const struct sample *s); /* the members "outcome" and "seconds" */
void exchange_float(struct text *out, float v);                 /* shortest that reads back; null if it is not finite */
/* A list of n lists of width numbers. */
void exchange_rows(struct text *out, const float *at, int n, int width);
