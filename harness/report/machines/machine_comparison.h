/* SPDX-License-Identifier: Apache-2.0 */
/* machine_comparison: reports of one experiment from several machines, side by side: the speedups of each arm, and what
 * became of each claim, with a column a machine. Nothing is pooled: a column is what its own report says. Two machines
 * agree on a claim where both have a finding and the findings are on the same side; a finding on one and none on the
 * other is no contradiction, as the absence of a finding is not one. What is INVALID is no finding. */
#pragma once
#include "harness/report/data/document.h"

enum { MACHINES_MOST = 24 };
struct machine_column { /* one machine */
    const struct document *d;
    const char *folder;
    const char *name; /* document_machine, with its model where two have one name, and " #2" of a second run */
    int same_as;      /* number of the first column on a machine of that name; its own: it is the first */
    const char *const *caveats; /* what keeps its numbers from being read like the first column's; ncaveats of them */
    int ncaveats;
};
struct machine_ratio { /* of an arm on one machine; NAN: not known */
    double ratio, low, high;
    bool is_finding; /* no gate of what it is about failed */
};
struct machine_row {
    const char *arm;
    enum validity_about about;
    const struct machine_ratio *of; /* by column */
};
struct machine_verdict {
    const char *verdict, *reason, *doubt; /* as its report has them; "" none */
    enum verdict_leaning leans;
};
enum machine_agreement {
    MACHINES_FOR,     /* two machines or more have findings, all for the claim */
    MACHINES_AGAINST, /* all against it */
    MACHINES_DIFFER,  /* on both sides */
    MACHINES_OPEN,    /* fewer than two machines have a finding */
    MACHINES_UNKNOWN, /* none has measured it */
    MACHINES_AGREEMENTS
};
extern const char *const machine_agreement_words[MACHINES_AGREEMENTS]; /* "agree: for", ... */
struct machine_claim {
    const char *claim, *says;
    const struct machine_verdict *of; /* by column */
    enum machine_agreement agreement;
    bool doubtful; /* a finding that it rests on is */
};
struct machine_comparison {
    const struct machine_column *columns;
    const struct machine_row *rows;
    const struct machine_claim *claims;
    int ncolumns, nrows, nclaims;
    const char *invalid; /* name of the first column that a gate failed in, in a tier that judges; NULL: none */
    const char *found, *validity, *next; /* the three lines */
};
/* Of n documents with their verdicts, in this order. Refused, by name: one document, too many, another experiment, two
 * documents of the same results, documents without any arm that is set against another. All in a. */
MUST_CHECK bool machine_comparison_make(struct arena *a, const struct document *const *documents,
                                        const char *const *folders, int n, struct machine_comparison *out,
                                        struct err *err);
