/* SPDX-License-Identifier: Apache-2.0 */
/* series_members: rows for the tables of JSON members of nightly and compare, which print the same list of series. */
#pragma once

/* clang-format off */
#define SERIES_MEMBERS                                                                                                 \
    MEMBER_MAYBE("series[].series", "text", "What was timed: program NAME, search NETWORK/ARM or cost NETWORK/ARM."),        \
    MEMBER_MAYBE("series[].kind", "text",                                                                              \
     "none, faster, suspect (not run again), confirmed, not confirmed, machine changed, noisy, too few or missing."),  \
    MEMBER_MAYBE("series[].ratio", "ratio", "New time over old, geometric means; null: a side is missing."),                 \
    MEMBER_MAYBE("series[].p", "probability", "Of the rank test, or of the step fit; null: too few values."),                \
    MEMBER_MAYBE("series[].margin", "relative", "How far from 1 a ratio has to be to count."),                               \
    MEMBER_MAYBE("series[].again", "ratio", "New over old in the rerun; null: there was none."),                             \
    MEMBER_MAYBE("series[].interval", "[low, high]", "95 % interval of again."),                                             \
    MEMBER_MAYBE("series[].window", "count", "Values of the old side."),                                                     \
    MEMBER_MAYBE("series[].fresh", "count", "Values of the new side."),                                                      \
    MEMBER_MAYBE("series[].pairs", "count", "Pairs of the rerun."),                                                          \
    MEMBER_MAYBE("series[].since", "number", "First night after the step that the fit found; null: it found none.")
/* clang-format on */
