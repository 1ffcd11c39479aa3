/* SPDX-License-Identifier: Apache-2.0 */
/* searcher: the interface of search algorithms. A plug-in is one .c in search/ exporting one const struct searcher, and
 * a line in searchers.c. One searcher instance searches one task.
 *
 * Contract for resume: after the same tells and with the same rng, ask gives the same candidates. So ask may change
 * nothing but env->rng and what tell or ask can rebuild; the harness records rng before each ask, and on resume tells
 * all recorded samples again, restores rng, and goes on. A test loops over the table and checks it on target fake. */
#pragma once
#include "harness/plug/evaluations.h"
#include "harness/plug/model.h"

enum { SEARCHER_SEEDS = 8 };
struct searcher_env {
    const void *options; /* parsed settings */
    struct arena
        *arena; /* what the searcher keeps; its end ends the searcher (arena_defer), also after a failed open */
    const struct task *task;
    struct limits limits;
    struct rng rng;
    struct pool *pool;      /* may be NULL */
    struct model_use model; /* plug NULL when the searcher needs none; shared by all tasks of a cell */
    struct model_use draft; /* what the searcher's `draft` names; plug NULL: nothing. Never told and never trained */
    struct phases *phases;
    struct evaluations *evaluations; /* to be added to by ask; NULL: not counted */
    /* Searchers that refine a schedule (droplet): the seed and its sample. NULL otherwise. */
    const struct candidate *seed;
    const struct sample *seed_sample;
    /* The explorer's best few different schedules that the arm may see, the fastest record first; the seed is the
     * first. */
    const struct candidate *seeds;
    int nseeds;          /* SEARCHER_SEEDS at most */
    int parallel_builds; /* the builder's parallelism: some Droplet variants take their batch from it */
    int trials;          /* budget of this search */
};

struct searcher {
    const char *name, *summary;
    const struct setting *settings;
    size_t options_size, state_size;
    bool needs_model, needs_seed;
    bool near_seed; /* for plans: searches from one seed meet each other's programs */
    /* The model that drafts, by the searcher's options: its name, and its settings as text. NULL: it has none. */
    const char *(*draft)(const void *options, const char **settings);
    int (*usual_trials)(
        const void *options); /* for plans: after which a search usually ends by itself. NULL, 0: none */
    int repeats;              /* timings of each record that it tests by, at least; 0: a mean will do */
    MUST_CHECK bool (*open)(void *self, struct searcher_env *env, struct err *err); /* env outlives self */
    /* Up to max candidates to measure next, in arena a (steps included). *n = 0: the search has ended. */
    MUST_CHECK bool (*ask)(void *self, struct arena *a, int max, struct candidate *out, int *n, struct err *err);
    MUST_CHECK bool (*tell)(void *self, const struct candidate *c, const struct sample *s, int n, struct err *err);
};
