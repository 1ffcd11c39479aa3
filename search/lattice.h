/* SPDX-License-Identifier: Apache-2.0 */
/* lattice: the grid of integer coordinates that the exploiters of the comparison walk on (droplet.md 3.6): the knobs of
 * a seed schedule (knob.h) with the values already told. A point is l->n coordinates, coordinate i below
 * l->knobs[i].n. The authors' rivals of Droplet start this space at factor 1; `inherit` starts it at the seed. */
#pragma once
#include "harness/plug/searcher.h"
#include "search/descent.h"
#include "search/knob.h"

struct lattice_options {
    bool inherit;
};
#define LATTICE_SETTINGS(options, member)                                                                              \
    {.name = "inherit",                                                                                                \
     .help = "axes begin at the seed's values and the seed is measured first; else at factor 1",                       \
     .type = SETTING_BOOL,                                                                                             \
     .offset = offsetof(options, member.inherit),                                                                      \
     .fallback = "false"}

struct lattice {
    struct arena *arena; /* lives as long as the lattice */
    const struct searcher_env *env;
    struct knob knobs[DESCENT_AXES];
    int n;
    double size;        /* points, as a double: it may exceed 2^64 */
    struct map visited; /* keys of points told */
    int told;           /* candidates told */
    uint64_t history;   /* hash of all told: seeds what a tell draws, so that telling again draws the same */
};

/* Fails without a seed in env. */
MUST_CHECK bool lattice_open(struct lattice *l, struct searcher_env *env, const struct lattice_options *o,
                             struct err *err);
void lattice_close(struct lattice *l); /* fine after a failed open */

uint64_t lattice_key(const struct lattice *l, const int *point);
/* Point number index, the first axis turning fastest, as the authors' point2knob. */
void lattice_at(const struct lattice *l, uint64_t index, int *point);
void lattice_draw(const struct lattice *l, struct rng *r, int *point); /* uniform */
/* One axis of the point gets another value (AutoTVM's random_walk). A lattice of one point: nothing changes. */
void lattice_step(const struct lattice *l, struct rng *r, int *point);
/* A point neither told nor in picked; false: none is left (or none was found in a crowded huge lattice). */
bool lattice_fresh(const struct lattice *l, struct rng *r, const struct map *picked, int *point);
/* Where a candidate of this lattice stands. */
void lattice_locate(const struct lattice *l, const struct candidate *c, int *point);
void lattice_features(const struct lattice *l, const int *point, double *out); /* n values of knobs */
struct candidate lattice_candidate(const struct lattice *l, struct arena *a, const int *point);
/* Marks as told; out gets n points of l->n coordinates (in l->arena) and, where not NULL, throughput: 1 / mean seconds,
 * 0 for failures, as AutoTVM counts them. */
int *lattice_tell(struct lattice *l, const struct candidate *c, const struct sample *s, int n, double *throughput);
