/* SPDX-License-Identifier: Apache-2.0 */
/* released_paper: what the released files of a paper must offer, one const struct a paper (released_papers.h). A broken
 * row is a problem with its place; the rest is still read. */
#pragma once
#include "harness/base/arena.h"
#include "harness/base/err.h"
#include "harness/base/json.h"
#include "harness/base/text.h"

#include <stdbool.h>
#include <stdint.h>

/* A row or a file that cannot be read. */
struct release_problem {
    const char *file; /* below the folder */
    int line;         /* from 1; 0: of the whole file */
    int column;       /* of its first character, from 1; 0: of the whole line */
    const char *text;
};

/* A number of the files, as a claim names it: {table: ..., column: ..., ...}. What does not apply is NULL or 0. */
struct released_query {
    const char *table, *machine, *network, *column;
    int64_t k;
    bool above; /* the claim states more than 1, for caveats */
};
enum { RELEASED_COLUMNS = 32 };
/* A table that claims may name, its columns, and which other keys it takes. */
struct released_table {
    const char *name, *columns[RELEASED_COLUMNS]; /* up to the first NULL */
    bool by_machine, by_network, by_k;
};

struct released_paper;
struct released_results { /* of one folder */
    const struct released_paper *paper;
    const char *dir;
    const struct release_problem *problems;
    int nproblems;
    const void *data; /* the paper's own */
};
struct released_paper {
    const char *name;                    /* as of experiments/papers/<name>.yaml */
    const char *files;                   /* what its folder holds, for messages */
    const struct released_table *tables; /* ntables of them; no two papers have a table of one name */
    int ntables;
    /* Fills data and problems of out, all in a. False: dir cannot be listed, or holds none of its files (then *none is
     * set and err is not). */
    bool (*open)(struct arena *a, const char *dir, struct released_results *out, bool *none, struct err *err);
    /* folder: of experiments. k: what tables by network are shown for, where the paper has a k. */
    void (*print)(struct arena *a, const struct released_results *r, const char *folder, int64_t k, struct text *t);
    cJSON *(*json)(struct arena *a, const struct released_results *r, const char *folder);
    double (*value)(const struct released_results *r, const struct released_query *q); /* NAN: not in these files */
    /* Why that number may be doubtful, in a; NULL: it is not. */
    const char *(*caveat)(struct arena *a, const struct released_results *r, const struct released_query *q);
};
