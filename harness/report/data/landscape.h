/* SPDX-License-Identifier: Apache-2.0 */
/* landscape: what the code generator changes. A search walks over the times that a code generator gives to schedules.
 * Two documents of one experiment, one searched under codegen=tvm and one under codegen=fast, are set beside each
 * other: each statement is a ratio with an interval over seeds, and a limit. It holds where the whole interval is on
 * its side of the limit, it does not where the whole interval is on the other, and else it is open. Of kernel times it
 * is open too where the ratio differs from the limit by less than the noise floor. */
#pragma once
#include "harness/report/data/document.h"

enum { LANDSCAPE_SEEDS = 5 }; /* fewer give no finding */
enum landscape_mode { LANDSCAPE_TVM, LANDSCAPE_FAST, LANDSCAPE_MODES };
extern const char *const landscape_codegens[LANDSCAPE_MODES]; /* "tvm", "fast" */

enum landscape_holds { LANDSCAPE_OPEN, LANDSCAPE_YES, LANDSCAPE_NO };
extern const char *const landscape_holds_words[]; /* "open", "yes", "no" */

struct landscape_value { /* of a statement under one code generator */
    struct estimate ratio;
    enum landscape_holds holds;
};
struct landscape_statement {
    const char *id, *arm; /* arm: the one it is about, with its k */
    const char *says;     /* "dpansor-10 needs less time than ansor" */
    double limit;
    bool at_least; /* the ratio is to be at least the limit; else at most */
    struct landscape_value of[LANDSCAPE_MODES];
};
struct landscape {
    const struct document *of[LANDSCAPE_MODES];
    const char *no_finding; /* why these values say nothing; NULL: they do */
    bool invalid;           /* a gate failed, in a tier that judges */
    struct landscape_statement *statements;
    int n;
    const char *found, *validity, *next; /* the three lines */
};
/* x and y: of target cpu, in either order. Refused, with the reason: two documents of one code generator, of two
 * experiments or tiers, and documents without an arm of searcher `random` or without an arm that explores another. That
 * nothing else differs is for the caller to know, by the experiment's hash. */
MUST_CHECK bool landscape_make(struct arena *a, const struct document *x, const struct document *y,
                               struct landscape *out, struct err *err);
/* In which of the two it holds: "both", "tvm only", "fast only", "neither", "open"; "no finding". */
const char *landscape_survives(const struct landscape *l, const struct landscape_statement *s);
