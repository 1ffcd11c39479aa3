/* SPDX-License-Identifier: Apache-2.0 */
/* sample: what measuring one candidate gave. A failed candidate is data, not an error. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* id, printed word, TVM's error number (harness/doc/measurement.md, "Outcomes and TVM's error numbers") */
#define OUTCOMES(X)                                                                                                    \
    X(OK, "ok", 0)                                                                                                     \
    X(INVALID, "invalid", 1)                                                                                           \
    X(BUILD_FAILED, "build failed", 2)                                                                                 \
    X(BUILD_TIMEOUT, "build timeout", 6)                                                                               \
    X(LOAD_FAILED, "load failed", 3)                                                                                   \
    X(CRASHED, "crashed", 4)                                                                                           \
    X(RUN_TIMEOUT, "run timeout", 7)                                                                                   \
    X(WRONG_ANSWER, "wrong answer", 5)                                                                                 \
    X(OUT_OF_MEMORY, "out of memory", 4)                                                                               \
    X(OVER_LIMITS, "over limits", 1)                                                                                   \
    X(UNKNOWN, "unknown error", 8) /* in records of TVM */

enum outcome {
#define X(id, word, tvm) OUTCOME_##id,
    OUTCOMES(X)
#undef X
        OUTCOME_COUNT
};
const char *outcome_word(enum outcome o);
bool outcome_parse(const char *word, enum outcome *out);
int outcome_tvm(enum outcome o); /* TVM's error number; steps that do not apply are 1 */

/* How a recorded device answered: id, printed word. NONE: it was measured. */
#define ANSWERS(X)                                                                                                     \
    X(NONE, "measured")                                                                                                \
    X(RECORDED, "recorded")                                                                                            \
    X(NEAREST, "nearest")                                                                                              \
    X(REFUSED, "refused")
enum recorded_answer {
#define X(id, word) ANSWER_##id,
    ANSWERS(X)
#undef X
        ANSWER_COUNT
};
const char *answer_word(enum recorded_answer a);

#define SAMPLE_MESSAGE 200
#define SAMPLE_REPEATS 32

/* The numbers of a sample, in seconds: name, whether it may be below 0. Its members, its columns in the records and its
 * places in messages follow from this table. spared_s, computed_s and full_s are of a program that was called less
 * because it is slow (regime.patience), 0 if it was timed in full. */
#define SAMPLE_NUMBERS(X)                                                                                              \
    /* time spent on it */                                                                                             \
    X(build_s, false)                                                                                                  \
    X(run_s, false)                                                                                                    \
    X(verify_s, false)                                                                                                 \
    /* TVM's all_cost: build + cached + run (+ the time-out when it timed out); computed if spared_s is not 0 */       \
    X(cost_s, true)                                                                                                    \
    /* what the full timing would have taken more than was taken; in cost_s. Below 0: both were run */                 \
    X(spared_s, true)                                                                                                  \
    /* what the build would have taken more, had it not been found among those of the campaign; in cost_s */           \
    X(cached_s, false)                                                                                                 \
    /* what the full timing would take, as computed from single calls */                                               \
    X(computed_s, false)                                                                                               \
    /* what it took; 0 unless the program was drawn to check computed_s */                                             \
    X(full_s, false)                                                                                                   \
    /* mean seconds of a call, timed again while nothing was built; 0 unless it was drawn to check overlap */          \
    X(alone_s, false)

/* What overlap may do to the times of programs, either way. */
#define OVERLAP_BIAS 0.005

struct sample {
    enum outcome outcome;
    enum recorded_answer answer;
    char message[SAMPLE_MESSAGE];   /* "" when ok */
    int nseconds;                   /* repeats kept, at most SAMPLE_REPEATS; 0 unless ok */
    double seconds[SAMPLE_REPEATS]; /* mean seconds per call, one per repeat */
#define X(name, below_0) double name;
    SAMPLE_NUMBERS(X)
#undef X
    double model_score; /* the searcher's, for the record; NAN when none */
};

double sample_mean(const struct sample *s); /* mean of seconds, INFINITY unless ok: the papers' kernel time */
void sample_settle(struct sample *s);       /* an ok one has no message, another one no seconds */
/* The lesser of fastest_s (0: none yet) and the sample's mean, if it is ok. */
double sample_faster(double fastest_s, const struct sample *s);
