/* SPDX-License-Identifier: Apache-2.0 */
/* tvm_log: reads records in the JSON lines of TVM's auto_scheduler, format v0.6 (harness/doc/ansor.md, "Records"), and
 * the lines of the authors' kernel sets (data/kernels), which carry the same fields by name and describe their kernel
 * (kind, desc, shapes). */
#pragma once
#include "harness/plug/sample.h"
#include "harness/program/schedule/step.h"

struct tvm_log_entry {
    int line;                 /* 1-based in the file */
    int index;                /* 0-based among the file's records, refused ones counted */
    const char *id;           /* what the record calls itself ("alexnet-0-r3"), or NULL */
    const char *label;        /* name of its kernel where that is all it says of it (field "case"), or NULL */
    const char *workload_key; /* JSON text: [hash or name, shapes or numbers...] */
    const char *hash;         /* its first element */
    const char *spec;         /* the kernel as a task line when the record describes it ("conv2d n=1 ..."), else NULL */
    const char *target, *host;
    int64_t hw[8];
    int layout;         /* 0, 1, 2; -1, of a trace of MetaSchedule: they are the same */
    const char *inputs; /* JSON text: the names of its inputs, with which newer tasks end; NULL: it has none */
    const struct step *steps;
    int nsteps;
    bool measured; /* it holds a result; what follows is 0 without */
    double costs[SAMPLE_REPEATS];
    int ncosts;
    int error; /* TVM's error number */
    double all_cost_s;
    int64_t unix_s;
    const char *version;
};

/* One line, n bytes, in a. The reason of an error is without the file and the line, which the caller knows. Limits:
 * lines of 1 MiB. A line of TVM's form must hold a result; a line that names its fields may be a state only
 * (data/tvm_oracle). */
MUST_CHECK bool tvm_log_parse(struct arena *a, const char *text, size_t n, struct tvm_log_entry *out, struct err *err);

/* A file, record by record, in bounded memory; it may be packed, or the folder of a run (record_lines.h). */
struct tvm_log_file;
enum tvm_log_line { TVM_LOG_END, TVM_LOG_RECORD, TVM_LOG_REFUSED, TVM_LOG_UNREADABLE };
MUST_CHECK bool tvm_log_open(const char *path, struct tvm_log_file **out, struct err *err);
/* The next record, in a. REFUSED: a broken line; out has its line and index, err the reason without the place.
 * UNREADABLE: reading failed, as err says. */
enum tvm_log_line tvm_log_next(struct tvm_log_file *f, struct arena *a, struct tvm_log_entry *out, struct err *err);
/* Does one of the file's first lines begin a record? False: it holds something else, or cannot be read. */
MUST_CHECK bool tvm_log_looks(const char *path, struct err *err);
/* How many records follow; the file is at its start again. */
MUST_CHECK bool tvm_log_count(struct tvm_log_file *f, int *n, struct err *err);
void tvm_log_close(struct tvm_log_file *f);

struct tvm_log {
    struct tvm_log_entry *entries;
    int n;
    const char **refused; /* "file:line: reason" of each broken line */
    int nrefused;
    int skipped; /* comments and blank lines */
};
/* Reads a whole file: broken lines are refused with line number and reason, the rest goes on. False: the file cannot be
 * read. */
MUST_CHECK bool tvm_log_read(struct arena *a, const char *path, struct tvm_log *out, struct err *err);

/* The entry's result as a sample: error numbers become outcomes, failed costs (1e10) are dropped. */
void tvm_log_sample(const struct tvm_log_entry *e, struct sample *out);
