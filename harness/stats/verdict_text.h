/* SPDX-License-Identifier: Apache-2.0 */
/* verdict_text: a verdict in words. */
#pragma once
#include "harness/base/arena.h"
#include "harness/stats/verdict.h"

/* "REPRODUCED", "REPRODUCED (direction)", "NOT TRANSFERRED (no effect)", "INCONCLUSIVE", ...: the table of
 * harness/doc/measurement.md, "Verdict rules". */
const char *verdict_word(const struct verdict *v);
/* On which side a verdict of this word is; a word that is none of them is on neither. */
enum verdict_leaning verdict_word_leans(const char *word);
/* All of them: against, for, and what is none; NULL ends them. */
extern const char *const verdict_words[];

struct verdict_context {
    const char *reason;  /* why nothing was measured, or which gate failed; NULL: none given */
    const char *cure;    /* what would change that, with its command; NULL: nothing is known to */
    const char *command; /* that measures this; "--set seeds=N" is added to it. NULL: none */
};
/* One line: what decided, how strongly, and what would change it. In a. */
const char *verdict_sentence(struct arena *a, const struct verdict_claim *c, const struct evidence *e,
                             const struct verdict *v, const struct verdict_context *x);
