/* SPDX-License-Identifier: Apache-2.0 */
/* verdict: does a claim hold, as a pure function of the claim and of the evidence. It is symmetric: whatever can be
 * said for a claim can be said against it with the same strength (harness/doc/measurement.md, "Verdict rules"; why:
 * harness/doc/decisions.md). `plan`, `report` and `claims` ask the same functions. All is enums and numbers here;
 * verdict_text.h makes words of them. Ratios above 1 favour the arm that the claim is about. */
#pragma once
#include <stdbool.h>

enum {
    VERDICT_DF = 15,     /* least degrees of freedom of a verdict in full */
    VERDICT_DF_SIDE = 4, /* of an indicative one */
};
#define VERDICT_MARGIN 0.02 /* least margin of "no effect", as a share: 0.02 is 2 % */

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
    double value;               /* the paper's ratio, > 0; NAN: it states the side only */
    double tolerance;           /* d > 0: no interval of a verdict in full has a half width above ln(1 + d) */
    double unit;                /* one unit in the last digit printed, for released numbers; 0: half a per mille */
    double band_low, band_high; /* the claim's own band; 0, 0: value / (1 + d) to value (1 + d) */
    double margin;              /* of "no effect"; 0: VERDICT_MARGIN. The noise floor where that is wider */
};
/* The band about the value; false: the claim has none. That of parity and of "as good" without a value is about 1. */
bool verdict_band(const struct verdict_claim *c, double *low, double *high);

enum evidence_source { EVIDENCE_NONE, EVIDENCE_MEASURED, EVIDENCE_RELEASED /* the authors' own numbers */ };
enum evidence_budget {
    EVIDENCE_WHOLE,    /* the claim's own trials, kernels and repeats */
    EVIDENCE_REDUCED,  /* fewer */
    EVIDENCE_MECHANICS /* shows that it runs */
};
enum evidence_codegen { EVIDENCE_CODEGEN_PAPER, EVIDENCE_CODEGEN_OTHER }; /* whose code the programs are */
enum evidence_machine {
    EVIDENCE_SAME_MACHINE,  /* of the class that the claim is about */
    EVIDENCE_OTHER_MACHINE, /* another one that can speak of it */
    EVIDENCE_WRONG_TARGET   /* the claim is about another target or architecture */
};
enum verdict_gates { VERDICT_GATES_PASSED, VERDICT_GATES_FAILED, VERDICT_GATES_UNKNOWN };
enum evidence_clock { EVIDENCE_NO_CLOCK /* kernels */, EVIDENCE_WALL, EVIDENCE_RECORDS };
struct evidence {
    enum evidence_source source;
    enum evidence_budget budget;
    enum evidence_codegen codegen;
    enum evidence_machine machine;
    enum verdict_gates gates; /* those of what the claim is about, and validation of every candidate */
    enum evidence_clock clock;
    double ratio, low, high;    /* estimate and its 95 % interval; low 0 and high INFINITY with one seed */
    double df;                  /* degrees of freedom of the spread between seeds; of a share those of its networks */
    int seeds;                  /* that these rest on */
    double noise;               /* noise floor, 0.02 for 2 %; NAN: not measured. It does not apply to a clock */
    int ties, pairs;            /* kernels of which both arms have the same program, of how many; 0, 0: not known */
    int networks, networks_all; /* that enter an average, of how many the claim is about; 0, 0: not an average */
    bool arrivals;              /* of search time to parity: a side must show in who arrives, too */
    double arrive_low, arrive_high; /* then 95 % of the arm's share of runs that arrive, less that of its rival's own */
    bool share;                     /* the ratio is a share of networks over one half: seeds do not narrow it */
    bool count;                     /* the ratio is a count, known exactly */
};
/* Do so many networks stand for the claim's? An average takes 80 % of them. all 0: any do. */
bool evidence_covers(long long networks, long long all);
/* The least number that does. */
long long evidence_least(long long all);

enum verdict_finding {
    FINDING_INVALID,
    FINDING_NOT_MEASURED,
    FINDING_INCONCLUSIVE,
    FINDING_FOR,           /* the claim's side; of its size nothing is known, or it states none */
    FINDING_FOR_SIZE,      /* and its size */
    FINDING_FOR_NOT_SIZE,  /* its side, and another size */
    FINDING_AGAINST,       /* the other side */
    FINDING_NO_EFFECT,     /* within the margin of 1 */
    FINDING_SIZE_EXCLUDED, /* the side is open, the claim's size is excluded */
    FINDING_INSIDE,        /* a number, parity or "as good": inside its band; a count: reached */
    FINDING_OUTSIDE,
    FINDING_COUNT
};
/* What keeps evidence from being judged, in the order of the tests; or, from VERDICT_LACK_BUDGET on, from being judged
 * in full. */
enum verdict_lack {
    VERDICT_LACK_NOTHING,
    VERDICT_LACK_SOURCE, /* nothing was measured */
    VERDICT_LACK_TARGET,
    VERDICT_LACK_CODEGEN,
    VERDICT_LACK_NETWORKS,
    VERDICT_LACK_RATIO, /* a kernel without a valid result */
    VERDICT_LACK_MECHANICS,
    VERDICT_LACK_GATES,       /* one failed: INVALID */
    VERDICT_LACK_NOISE,       /* no noise floor */
    VERDICT_LACK_GATES_READ,  /* not known */
    VERDICT_LACK_DIFFERENCES, /* an interval of no width: both arms have the same programs */
    VERDICT_LACK_SPREAD,      /* fewer than VERDICT_DF_SIDE degrees of freedom */
    VERDICT_LACK_BUDGET,
    VERDICT_LACK_DF, /* fewer than VERDICT_DF */
    VERDICT_LACK_WIDTH
};
/* What keeps it from any verdict. */
enum verdict_lack verdict_refuses(const struct evidence *e);
/* What keeps one from being in full; VERDICT_LACK_NOTHING: it is in full. */
enum verdict_lack verdict_weakens(const struct verdict_claim *c, const struct evidence *e);

enum verdict_leaning { LEANING_NEITHER, LEANING_FOR, LEANING_AGAINST };
struct verdict {
    enum verdict_finding finding;
    enum verdict_lack lack; /* why it is none, or indicative only (a lack from VERDICT_LACK_BUDGET on) */
    bool elsewhere;         /* on a machine of another class */
    bool released;          /* of the authors' files, by their one run as it is */
    bool no_size;           /* the claim states a side alone */
    bool excluded;          /* it states a size, which is excluded */
    double margin;          /* of "no effect", as a share */
    int more_seeds;         /* INCONCLUSIVE: so many more would settle it, if the estimate stays; 0: unknown, or none */
};
/* NAN among the numbers of measured evidence other than the noise floor is VERDICT_LACK_RATIO. */
struct verdict verdict_of(const struct verdict_claim *c, const struct evidence *e);
enum verdict_leaning verdict_leans(const struct verdict *v);
/* For the worst of several: a finding against, INVALID, NOT MEASURED, INCONCLUSIVE, right side and wrong size, a
 * finding for; less is worse. */
int verdict_rank(const struct verdict *v);
