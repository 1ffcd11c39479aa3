/* SPDX-License-Identifier: Apache-2.0 */
/* finding: what compare and nightly say of each series, as text and as JSON, and the exit code it all comes to. */
#pragma once
#include "harness/base/json.h"
#include "harness/base/vec.h"
#include "harness/nightly/history.h"
#include "harness/stats/regression.h"

struct finding {
    struct night_verdict v; /* kind: regression_words[], or "missing" */
    double seconds;         /* geometric mean of the new side; NaN: it has no values */
    int nwindow, nfresh, npairs;
    int64_t since; /* the step fit's: first night after the step; 0: tonight against its window (drift.h) */
};
struct findings {
    VEC(struct finding) all;
};

/* in: two sides and maybe a rerun. Where the rerun does not show the change, but its old side is itself beyond the
 * margin of the window, the same way as tonight, the machine changed. So it is where old and new are one binary
 * (can_rerun). */
struct finding finding_of(const char *series, const struct regression_input *in);
bool finding_is(const struct finding *f, enum regression_kind k);
int findings_count(const struct findings *f, const char *kind);
/* 1 a confirmed regression; 3 a series is missing; 6 the machine changed; 4 a suspect that no rerun has judged; 0. */
enum exit_code findings_code(const struct findings *f);
/* How the night is remembered, with this exit code. A slow night that the rerun does not confirm is "not confirmed",
 * and later nights are not compared with it. One that only the step fit found is good, as it passed the comparison of
 * its night. */
const char *findings_state(const struct findings *f, enum exit_code code);
/* A line each for what is not "none", or for all. */
void findings_text(const struct findings *f, bool all, struct text *t);
/* The rows of that list for a table of JSON members. */
#define SERIES_MEMBERS                                                                                                 \
    FIELD_MAYBE("series[].series", struct finding, 0, v.series, "text",                                                \
                "What was timed: program NAME, search NETWORK/ARM or cost NETWORK/ARM."),                              \
        FIELD_MAYBE("series[].kind", struct finding, 0, v.kind, "text",                                                \
                    "none, faster, suspect (not run again), confirmed, not confirmed, machine changed, noisy, too "    \
                    "few or missing."),                                                                                \
        FIELD_MAYBE("series[].seconds", struct finding, 0, seconds, "seconds", "Geometric mean of the new side."),     \
        FIELD_MAYBE("series[].ratio", struct finding, 0, v.ratio, "ratio",                                             \
                    "New time over old, geometric means; null: a side is missing."),                                   \
        FIELD_MAYBE("series[].p", struct finding, 0, v.p, "probability",                                               \
                    "Of the rank test, or of the step fit; null: too few values."),                                    \
        FIELD_MAYBE("series[].margin", struct finding, 0, v.margin, "relative",                                        \
                    "How far from 1 a ratio has to be to count."),                                                     \
        FIELD_MAYBE("series[].again", struct finding, 0, v.again, "ratio",                                             \
                    "New over old in the rerun; null: there was none."),                                               \
        MEMBER_MAYBE("series[].interval", "[low, high]", "95 % interval of again."),                                   \
        FIELD_MAYBE("series[].window", struct finding, 0, nwindow, "count", "Values of the old side."),                \
        FIELD_MAYBE("series[].fresh", struct finding, 0, nfresh, "count", "Values of the new side."),                  \
        FIELD_MAYBE("series[].pairs", struct finding, 0, npairs, "count", "Pairs of the rerun."),                      \
        MEMBER_MAYBE("series[].since", "number",                                                                       \
                     "First night after the step that the fit found; null: it found none.")
void findings_json(const struct findings *f, cJSON *in); /* puts the member series, a list */
