/* SPDX-License-Identifier: Apache-2.0 */
/* space: the search space of one task: its sketches and what is open in them. All searchers that draw schedules share
 * it. A sketch is a step list whose split lengths are 0 where open; filling them and adding the annotations of
 * annotate.h and location.h gives a candidate. Immutable after space_open, so that many threads may draw from it. */
#pragma once
#include "harness/base/rng.h"
#include "harness/base/settings.h"
#include "harness/program/schedule/limits.h"
#include "harness/program/schedule/schedule.h"
#include "search/sketch/factor.h"

/* Settings of the space (harness/doc/ansor.md, "Search parameters"). Part of the options struct of each searcher that
 * uses it; rows by SPACE_SETTINGS. */
struct space_options {
    int version;           /* enum space_version */
    int64_t max_innermost; /* max_innermost_split_factor; 0: the version's value */
    int64_t max_vectorize; /* max_vectorize_size, elements */
    bool fixed_location;   /* disable_change_compute_location */
    const char *cpu_structure, *gpu_structure;
};
enum space_version { SPACE_V0_16, SPACE_V0_7 };
extern const char *const space_versions[];
#define SPACE_SETTINGS(S, member)                                                                                      \
    ENUM_SETTING("version", S, member.version, "v0.16", space_versions,                                                \
                 "TVM version whose constants hold where a setting is not given"),                                     \
        INT_SETTING("max_innermost_split_factor", S, member.max_innermost, "0", 0, 1 << 20,                            \
                    "cap on the innermost part of a split; 0: the version's (64, v0.7: 16)"),                          \
        INT_SETTING("max_vectorize_size", S, member.max_vectorize, "16", 1, 4096,                                      \
                    "cap on the length of a vector loop, in elements"),                                                \
        BOOL_SETTING("disable_change_compute_location", S, member.fixed_location, "false",                             \
                     "leave stages where the sketch computes them"),                                                   \
        STRING_SETTING("cpu_multi_level_tiling_structure", S, member.cpu_structure, "SSRSRS",                          \
                       "tile structure on CPUs, S spatial and R reduce parts"),                                        \
        STRING_SETTING("gpu_multi_level_tiling_structure", S, member.gpu_structure, "SSSRRSRS",                        \
                       "tile structure on GPUs")

struct open_split { /* of a sketch */
    int step;
    int fixed; /* lengths after those of the schemes that are the sketch's own */
    const struct schemes *schemes;
};
struct sketch {
    struct state *state; /* lengths unknown where open */
    const struct step *steps;
    int nsteps;
    struct open_split *splits;
    int nsplits;
    bool movable; /* some stage's compute location may be changed */
};
struct space {
    const struct task *task;
    struct limits limits;
    struct space_options options; /* with max_innermost resolved */
    struct sketch *sketches;
    int nsketches;
};

/* a: lives as long as the space. False for settings that make no sense and for targets without rules; a task without a
 * sketch gives nsketches 0 and a warning. */
MUST_CHECK bool space_open(struct space *sp, struct arena *a, const struct task *task, const struct limits *limits,
                           const struct space_options *options, struct err *err);

/* The unroll limits to choose from. */
const int64_t *space_unrolls(const struct space *sp, int *n);

/* bound_infer, its time added to *bounds_s; bounds_s and reason may be NULL. */
MUST_CHECK bool space_bounds(struct state *s, double *bounds_s, struct err *reason);
/* Whether the device can run the program: on GPUs, threads, shared memory and the like are within the limits (TVM's
 * VerifyGPUCode). s has bounds; reason may be NULL. work lives as long as s: on true the nest that was made for the
 * answer stays there, as s->nest, for the model; on false work is as it was. */
MUST_CHECK bool space_fits(const struct space *sp, struct arena *work, struct state *s, struct err *reason);
/* Steps to a valid state with bounds inferred, or NULL: steps or bounds refused, or nested parallel loops. The state
 * may refer to the steps' lists and texts. bounds_s and reason as above. */
struct state *space_state(const struct space *sp, struct arena *a, const struct step *steps, int nsteps,
                          double *bounds_s, struct err *reason);
