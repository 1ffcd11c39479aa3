/* SPDX-License-Identifier: Apache-2.0 */
/* sample: the words and numbers of outcomes, and the papers' kernel time. */
#include "harness/plug/sample.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *word;
    int tvm;
} OUTCOME_ROWS[OUTCOME_COUNT] = {
#define X(id, word, tvm) {word, tvm},
    OUTCOMES(X)
#undef X
};

const char *answer_word(enum recorded_answer a)
{
    static const char *const WORDS[] = {
#define X(id, word) word,
        ANSWERS(X)
#undef X
    };
    return WORDS[a];
}

const char *outcome_word(enum outcome o)
{
    return (unsigned)o < OUTCOME_COUNT ? OUTCOME_ROWS[o].word : "unknown outcome";
}

bool outcome_parse(const char *word, enum outcome *out)
{
    for (int i = 0; i < OUTCOME_COUNT; i++)
        if (strcmp(OUTCOME_ROWS[i].word, word) == 0) {
            *out = (enum outcome)i;
            return true;
        }
    return false;
}

int outcome_tvm(enum outcome o)
{
    return OUTCOME_ROWS[(unsigned)o < OUTCOME_COUNT ? o : OUTCOME_UNKNOWN].tvm;
}

/* The mean, not the median: both papers' tables are made of the mean of the costs array (harness/doc/measurement.md,
 * "Kernel time"). */
double sample_mean(const struct sample *s)
{
    if (s->outcome != OUTCOME_OK || s->nseconds < 1)
        return INFINITY;
    double sum = 0;
    for (int i = 0; i < s->nseconds; i++)
        sum += s->seconds[i];
    return sum / s->nseconds;
}

void sample_settle(struct sample *s)
{
    if (s->outcome == OUTCOME_OK)
        s->message[0] = 0;
    else
        s->nseconds = 0;
}

double sample_faster(double fastest_s, const struct sample *s)
{
    double mean = sample_mean(s);
    return isfinite(mean) && (fastest_s <= 0 || mean < fastest_s) ? mean : fastest_s;
}
