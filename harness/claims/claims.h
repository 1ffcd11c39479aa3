/* SPDX-License-Identifier: Apache-2.0 */
/* claims: what a paper says, one entry a claim, with the result that tests it: experiments/papers/<paper>.yaml, whose
 * keys are explained at the top of experiments/papers/droplet.yaml. Values and tolerances are fixed before the run; the
 * file's hash says that they were. */
#pragma once
#include "harness/base/arena.h"
#include "harness/base/err.h"
#include "harness/released/released_paper.h"
#include "harness/report/data/report_column.h"
#include "harness/report/data/validity.h"
#include "harness/stats/verdict.h"

#include <stdint.h>

struct claims_machine { /* a class of hardware */
    const char *name, *title, *target;
    const char *arch;  /* "" any */
    const char *match; /* words that its processor or device name holds */
    /* Names of processors for which the paper compiled, one of which the target must name; none: any. */
    const char *const *mcpu;
    int nmcpu;
};
/* What a claim can be about: columns of a report (report_column.h), in the order of the table in claims.c, then two
 * that are counted over networks. Ratios above 1 favour the arm. */
enum claims_column {
    CLAIMS_KERNEL,
    CLAIMS_KERNEL_RETIMED,
    CLAIMS_SEARCH_WALL,
    CLAIMS_SEARCH_RECORDS,
    CLAIMS_OWN,
    CLAIMS_GAIN,
    CLAIMS_EACH,
    CLAIMS_EACH_RETIMED,
    CLAIMS_EXPLOIT_WALL, /* exploitation alone, against other arms: of seconds, less is better */
    CLAIMS_EXPLOIT_RECORDS,
    CLAIMS_EXPLORER_K, /* the explorer stopped after k records, without an exploiter */
    CLAIMS_EXPLORER_K_RECORDS,
    CLAIMS_KERNEL_CALLS,      /* of a race: each kernel as often as it is called */
    CLAIMS_SEARCH_SHARE,      /* of a race: time of the whole search over the first arm's; below 1 favours the arm */
    CLAIMS_EXPLORATION_SHARE, /* of a race: of the arm's own time (time_split), of the first arm, too */
    CLAIMS_PARITY_MEAN,       /* of a race: search time to parity, arithmetic mean over networks; geometric mean */
    CLAIMS_PARITY,
    CLAIMS_PARITY_RETIMED_MEAN, /* by re-timed programs */
    CLAIMS_PARITY_RETIMED,
    CLAIMS_WINS,     /* share of networks that are at least as fast (re-timed where they were), over a half */
    CLAIMS_NETWORKS, /* how many have a result */
    CLAIMS_COLUMNS
};
const char *claims_column_word(enum claims_column c);
enum validity_about claims_column_about(enum claims_column c); /* whose gates it hangs on */
enum evidence_clock claims_column_clock(enum claims_column c);
/* Of programs of this target: claims are about TVM's code. */
enum evidence_codegen claims_codegen(const char *target, const char *target_settings);
/* The column of the report; COL_COUNT: it is counted over networks. */
enum report_column claims_column_of(enum claims_column c);

struct claim {
    const char *id, *claim, *where, *metric, *clock;
    const struct claims_machine *machine; /* NULL: any of the file's */
    struct verdict_claim about;
    bool headline;
    bool detail;      /* a row of a table: reports leave it out */
    int64_t networks; /* that the average is over; 0: not an average */
    const char *experiment;
    const struct selection *report; /* the kind of report that the experiment names */
    enum claims_column column;
    int64_t k; /* 0: the only k that the arm has */
    /* Reports that compare several arms: of which arm, against which others (geometric mean over them; none: the
     * explorer's full run, in a race the first arm's). NULL in a report of one pair. */
    const char *arm;
    const char *const *over;
    int nover;
    const char *network;                         /* of this one alone; NULL: over networks */
    const char *untested;                        /* why no experiment tests it; then experiment is NULL */
    const char *caveat;                          /* of whatever measures it, beside what the numbers show; NULL: none */
    const struct released_paper *released_paper; /* of whose authors' files `released` speaks; NULL: not there */
    struct released_query released;
    const char *file;
    int line;
};
struct claims {
    const char *paper, *title, *file;
    char hash[65]; /* SHA-256 of the file */
    const struct claims_machine *machines;
    int nmachines;
    const struct claim *list;
    int n;
    const char *const *explained; /* what the authors' own numbers say of why a claim may not be seen */
    int nexplained;
};

/* What is measured, as a name: claims of one name rest on the same programs of the same searches (kernels of an arm at
 * a k, or their search time, whatever the clock), and are not independent. "" where no experiment tests it. In a. */
const char *claims_measurement(struct arena *a, const struct claim *c);

/* folder: of experiments. Errors carry file:line:column: an unknown experiment (no file of that name in the folder),
 * column of its report, arm, network, machine, key or word, a column on another clock or of another unit than the
 * claim says, a claim twice. All in a. */
MUST_CHECK bool claims_load(struct arena *a, const char *folder, const char *paper, struct claims *out,
                            struct err *err);
/* The papers that have a file. */
MUST_CHECK bool claims_papers(struct arena *a, const char *folder, char ***names, int *n, struct err *err);
/* Hash of a paper's file, 64 hex digits; "" when it has none. */
void claims_hash(struct arena *a, const char *folder, const char *paper, char hash[65]);
