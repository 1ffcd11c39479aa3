/* SPDX-License-Identifier: Apache-2.0 */
/* release: the result files that the authors of arXiv 2406.20037 published, in memory: blocks of rows, a row a kernel.
 * Every number is in seconds, whatever the file prints. A broken row is a problem with its place; the rest is still
 * read. release_open.h reads a folder, reanalysis.h computes the papers' tables, outliers.h finds rows that should not
 * be believed. */
#pragma once
#include "harness/base/arena.h"
#include "harness/base/err.h"
#include "harness/base/vec.h"
#include "harness/released/released_paper.h"

#include <stdbool.h>
#include <stdint.h>

enum release_table {
    TABLE_SWEEP,      /* DPAnsor after k records of Ansor, for each k */
    TABLE_VARIANCE,   /* the same at k = 300, repeated, with standard deviations and p-values */
    TABLE_EXPLOITERS, /* Droplet, grid, random, genetic, XGBoost from the same seeds */
    TABLE_META,       /* the MetaSchedule version (DPMeta); kernels are MetaSchedule's tasks */
    TABLE_MICRO,      /* six micro-kernels: network is the kernel's name, one row a block */
    TABLE_OTHER,      /* the micro-kernels by other tools, times as printed */
    TABLE_COUNT
};
extern const char *const release_table_words[];
#define RELEASE_HALF_UNIT 0.5e-8 /* s; times are printed with eight digits */

/* What a row says. DROPLET_: what was searched (in TABLE_EXPLOITERS: by the block's method); SEED_: its start, the
 * best of the first k records; BASE_: the search it is compared with (Ansor or MetaSchedule after 10,000 trials).
 * Absent: NaN. DROPLET_TUNING: summed cost of its own records; DROPLET_TOTAL: with SEED_TUNING. Ansor's tuning times
 * are the authors' apportioned cost: records of the kernel times the mean cost of a record of the log. */
enum measure {
    DROPLET_TIME,
    DROPLET_SD,
    DROPLET_TUNING,
    DROPLET_TOTAL,
    DROPLET_RECORDS,
    SEED_TIME,
    SEED_SD,
    SEED_TUNING,
    SEED_RECORDS,
    BASE_TIME,
    BASE_SD,
    BASE_TUNING,
    BASE_RECORDS,
    P_VALUE,
    MEASURE_COUNT
};

struct release_row {
    int kernel, line;
    double v[MEASURE_COUNT];
};

enum block_state {
    BLOCK_WHOLE,
    BLOCK_PARTIAL,     /* fewer kernels than the network has */
    BLOCK_MISLABELLED, /* its name or its k is not what it holds */
    BLOCK_SUPERSEDED   /* another file has the same block, and that one is used */
};
extern const char *const block_state_words[]; /* "", "partial", "mislabelled", "superseded" */

struct release_block {
    enum release_table table;
    const char *machine, *run, *method, *network; /* "" where it does not apply */
    int64_t k;                                    /* 0 where it does not apply */
    const char *file;                             /* below the folder */
    int line;                                     /* of the head, or of the first row */
    enum block_state state;
    const char *note; /* why the state, "" for whole */
    int kernels;      /* rows that a whole block has */
    VEC(struct release_row) rows;
};

/* One file (or, in the compact form, one line of exploiters_coverage.tsv). */
struct release_file {
    const char *path;
    enum release_table table;
    const char *machine, *run, *network; /* "" unknown */
    int rows;                            /* kernels found */
    const char *status;                  /* as the compact form tells it, else "" */
    bool listed;                         /* a line of the coverage table, not a file */
};
/* One published schedule, the record of a log. */
struct release_schedule {
    const char *machine, *network, *file;
    int kernel;
    double time_s;       /* mean of its repeats */
    int layout, threads; /* schedules.h */
};
struct release_duplicate {
    const char *a, *b; /* networks whose ONNX files, as the LFS pointers of a checkout, are the same */
};

struct release {
    struct arena *arena;
    const char *dir;
    bool compact;
    VEC(struct release_block) blocks;
    VEC(struct release_file) files;
    VEC(struct release_problem) problems;
    VEC(struct release_schedule) schedules;
    VEC(struct release_duplicate) duplicates;
    VEC(const char *) unread; /* result files that no rule names, or that later ones replace */
};

/* The block that counts (whole or partial) of these names, or NULL. Where run or method is NULL, any will do. */
const struct release_block *release_find(const struct release *r, enum release_table table, const char *machine,
                                         const char *run, const char *method, const char *network, int64_t k);
const struct release_row *release_kernel(const struct release_block *b, int kernel); /* or NULL */
bool release_counts(const struct release_block *b);                 /* neither mislabelled nor superseded */
double release_sum(const struct release_block *b, enum measure m);  /* over its rows, in their order */
bool release_failed(const struct release_row *row, enum measure m); /* a sentinel (9999 s, 10^10 s) for a failure */
bool release_any_failed(const struct release_row *row);             /* of its three times */
int release_machines(const struct release *r, enum release_table table, const char **names,
                     int most); /* in the paper's order */
struct release_cell {
    const char *machine;
    int64_t k;
};
/* By machine in the paper's order, by ascending k. In the release's arena. */
struct release_cell *release_cells(const struct release *r, enum release_table table, int *n);

/* For the parsers (bennu.h, compact.h) and block_state.h. */
void release_problem(struct release *r, const char *file, int line, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* The block of these names in this file, made when it is not there yet; its index in r->blocks. */
int release_block(struct release *r, const struct release_block *names); /* run, method NULL: "" */
struct release_row release_row(int kernel, int line);                    /* of which nothing is known yet */
bool release_same_names(const struct release_block *a, const struct release_block *b); /* in any files */
/* Adds a row unless it is impossible as a measurement (no time, a negative cost, a kernel twice): then a problem. */
bool release_add(struct release *r, int block, const struct release_row *row);
