/* SPDX-License-Identifier: Apache-2.0 */
/* verdict: does a claim hold, by the rules of harness/doc/measurement.md, "Verdict rules", as a pure function of what
 * was measured. Ratios above 1 favour the paper's side. How well a ratio is known decides, not a count of seeds: the
 * degrees of freedom of its spread between seeds, and half the width of its interval. */
#pragma once
#include <stdbool.h>

enum {
    VERDICT_DF = 15,     /* least degrees of freedom of a verdict */
    VERDICT_DF_SIDE = 4, /* of a side ("indicative") */
};

/* Worst first. */
enum verdict_kind {
    VERDICT_INVALID,
    VERDICT_NOT_REPRODUCED,
    VERDICT_NOT_MEASURED,
    VERDICT_INCONCLUSIVE,
    VERDICT_DIRECTION_ONLY,
    VERDICT_TRANSFERRED,
    VERDICT_REANALYSED,
    VERDICT_REPRODUCED,
    VERDICT_COUNT
};
const char *verdict_word(enum verdict_kind k); /* "REPRODUCED", "REPRODUCED (direction)", "NOT REPRODUCED", ... */

/* What the claim says of the ratio. */
enum verdict_side {
    VERDICT_ABOVE,   /* above 1 */
    VERDICT_BELOW,   /* below 1 */
    VERDICT_PARITY,  /* 1, neither more nor less: within the tolerance */
    VERDICT_AS_GOOD, /* 1 or more: not below 1 / (1 + tolerance) */
    VERDICT_NUMBER   /* its value, on whatever side of 1 that is */
};
struct verdict_claim {
    enum verdict_side side;
    double value;     /* the paper's ratio, > 0; NaN: it states the side only */
    double tolerance; /* d > 0: the band is [value / (1 + d), value (1 + d)]; parity without a value is about 1 */
    double unit;      /* one unit in the last digit printed, for REANALYSED; 0: half a per mille of the value */
};

enum verdict_source { VERDICT_NOTHING, VERDICT_MEASURED, VERDICT_FROM_LOGS };
enum verdict_budget {
    VERDICT_WHOLE,    /* the claim's own trials, kernels and repeats */
    VERDICT_REDUCED,  /* fewer: the side only, "indicative" */
    VERDICT_MECHANICS /* shows that it runs */
};
enum verdict_gates { VERDICT_GATES_PASSED, VERDICT_GATES_FAILED, VERDICT_GATES_UNKNOWN };
struct verdict_measurement {
    enum verdict_source source;
    const char *reason;      /* why nothing was measured, or which gate failed; NULL: none given */
    const char *cure;        /* what would change that, with its command; NULL: nothing is known to */
    const char *command;     /* that measures this; "--set seeds=N" is added to it. NULL: none */
    double ratio, low, high; /* estimate and its 95 % interval; low 0 and high infinity with one seed */
    int seeds;
    double df;  /* degrees of freedom of the spread between seeds (estimate.h), of a share those of its networks */
    bool share; /* ratio is a share of networks over one half: seeds do not narrow its interval */
    enum verdict_budget budget;
    double noise;               /* noise floor, 0.02 for 2 %; 0: it does not apply; NaN: not measured */
    enum verdict_gates gates;   /* those of what the claim is about, and validation of every candidate */
    bool same_machine;          /* of the class that the claim is about */
    int networks, networks_all; /* that enter an average, of how many the claim is about; 0, 0: not an average */
};

struct verdict {
    enum verdict_kind kind;
    int more_seeds;   /* INCONCLUSIVE: so many more would settle it, if the estimate stays; 0: unknown */
    char reason[480]; /* one line: what decided, and what would cure it */
};
struct verdict verdict_of(const struct verdict_claim *c, const struct verdict_measurement *e);
