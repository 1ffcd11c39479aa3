/* SPDX-License-Identifier: Apache-2.0 */
/* descent: Droplet Search's coordinate descent on an integer grid (droplet.md 4.2, 4.3): the five published variants as
 * rows of a table of rules, and `fixed`. Knows nothing of schedules: points in, costs back. No randomness. */
#pragma once
#include "harness/base/arena.h"
#include "harness/base/map.h"

#include <stdbool.h>
#include <stdint.h>

enum descent_masks {               /* order of the direction list */
                     MASKS_DOWN,   /* 2^n-1 down to 1, +f then -f each: all axes together first */
                     MASKS_UP_CUT, /* 1 up to 2^n-2, +f then -f each, cut once longer than 2b: only the last axes ever
                                      move */
                     MASKS_SINGLE, /* one axis at a time, last axis first, +f only */
                     MASKS_FIXED   /* one axis at a time, first axis first, +f and -f */
};
enum descent_start {
    START_ORIGIN, /* the queue holds the origin only */
    START_FILLED  /* the origin, filled up by speculation */
};
struct descent_rules {
    const char *name, *source;
    enum descent_masks masks;
    bool collides;    /* index = sum of B[i]*d[i] for all but the last axis, plus B[last]: not unique */
    bool mask_tested; /* MetaSchedule: a mask is skipped when its own index is visited */
    bool wraps;       /* a step past the top wraps around; otherwise it stays where it is and is not a new point */
    int batch;        /* 0: max(16, parallel builds) */
    bool batch_axes;  /* at least the number of axes, and of parallel builds */
    enum descent_start start;
    bool raise_first; /* speculation raises the factor before it uses it */
    bool seed_cost;   /* the starting best is the seed's recorded cost, else 99999 s */
    bool tested;      /* Student's t-test must agree */
    bool drops;       /* after a batch the queue loses its first b and its last point; otherwise it is emptied */
    bool whole_queue; /* a batch is the whole queue, else its first b */
    bool stops_early; /* the first batch without improvement ends the search */
};
extern const struct descent_rules descent_table[]; /* ended by {0} */

#define DESCENT_AXES 62

struct descent {
    const struct descent_rules *rules;
    struct arena *arena;
    int n;            /* axes */
    const int *sizes; /* d */
    int origin[DESCENT_AXES];
    int batch, factor, most; /* b, e, E */
    double p_value;
    bool speculates;
    int best[DESCENT_AXES]; /* B */
    const double *best_seconds;
    int best_repeats;
    struct map visited;
    int *queue; /* nqueue points of n coordinates */
    int nqueue, cap;
    bool ended;
};

/* sizes, origin: n coordinates each. batch 0: as the rules say. seed_seconds: repeats of the seed, may be empty. */
void descent_open(struct descent *d, const struct descent_rules *rules, struct arena *a, int n, const int *sizes,
                  const int *origin, int batch, int parallel_builds, double p_value, bool speculates,
                  const double *seed_seconds, int nseed);
void descent_close(struct descent *d);
int descent_batch(const struct descent *d); /* points to measure next: the first ones of the queue; 0: ended */
/* Costs of the first n points of the queue, as repeats (none: failed). */
struct descent_cost {
    const double *seconds;
    int n;
};
void descent_tell(struct descent *d, const struct descent_cost *costs, int n);
