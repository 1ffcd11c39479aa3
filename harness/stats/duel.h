/* SPDX-License-Identifier: Apache-2.0 */
/* duel: programs of one kernel timed against each other in pairs, and what many such duels say together
 * (harness/doc/measurement.md, "Duels").
 *
 * A launch of a duel is one fresh process for each program. Each process gives a few short slices; the slices of all
 * processes alternate. A program's time in a launch is its fastest slice. The ratio of two programs is the median over
 * launches of the paired log ratios. Sources: Abedi and Brecht, ICPE 2017 (randomised multiple interleaved trials);
 * Bulej et al., ICPE 2020 (duet benchmarking); Kalibera and Jones, ISMM 2013 (levels of repetition). */
#pragma once
#include "harness/base/arena.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    DUEL_PROGRAMS = 16, /* most in one duel */
    DUEL_MIRRORS = 8,   /* most */
    DUEL_LEAST = 5,     /* launches without which there is no interval: a median of fewer hardly varies in draws */
    DUEL_DRAWS = 999    /* of an interval */
};
#define DUEL_CONFIDENCE 0.95

/* The order of a launch's slices: the programs in a random order and then in the mirror image of it, `mirrors` times,
 * each with an order of its own. Two programs: ABBA or BAAB. turns: 2 x mirrors x programs indices of programs. */
void duel_order(uint64_t seed, int programs, int mirrors, int *turns);

struct duel { /* what was measured of one kernel */
    int programs, launches;
    const double *logs; /* [launch * programs + p]: log of the seconds of the fastest slice; NAN: it gave no time */
};
/* Median over the launches in which both gave a time of log(seconds of p / seconds of q); 0 where p is q; NAN without
 * such a launch. *n (may be NULL): how many there are. */
double duel_log_ratio(const struct duel *d, int p, int q, int *n);
double duel_seconds(const struct duel *d, int p); /* median over launches; NAN: none */
/* Student's t-test that the mean of the paired log ratios is 0, two-sided; NAN with fewer than two of them. */
double duel_p(const struct duel *d, int p, int q);

/* A contrast is one number that duels are done for: the geometric mean over blocks (a network in one seed) of the ratio
 * of two sums of kernel times. A term is a kernel in it: what takes `seconds` over the line takes
 * seconds x exp(-log ratio) under it. The log ratio is that of one duel in which both programs are, or the sum of two
 * when each was timed against a third program only. */
struct duel_leg {
    int duel;        /* -1: there is none, the term has no ratio */
    int over, under; /* places in the duel */
};
struct duel_term {
    int contrast, block; /* blocks are numbered for all contrasts together */
    double seconds;      /* of the program over the line, times its calls */
    int nlegs;           /* 0: both sides have the same program, the ratio is 1 exactly */
    struct duel_leg legs[2];
};
struct duel_set {
    const struct duel *duels;
    int nduels;
    const struct duel_term *terms;
    int nterms, ncontrasts, nblocks;
};
struct duel_interval {
    double ratio, low, high; /* above 1: the program under the line is faster. NAN: nothing has a ratio */
    double half_width;       /* of the log: (ln high - ln low) / 2. NAN like low and high: too few launches */
    int kernels, identical;  /* terms; those of them with one program */
    int missing;             /* terms without a launch in which both programs gave a time; they are left out */
    int launches;            /* in which both programs of a leg gave a time, added up */
};
/* Intervals by the percentile bootstrap: launches are drawn again within each duel, for all contrasts alike.
 * There is none where a duel has fewer than DUEL_LEAST launches, or fewer than 3 with both times. out: ncontrasts.
 * Scratch memory from a. */
void duel_intervals(struct arena *a, const struct duel_set *s, int draws, uint64_t seed, struct duel_interval *out);
/* The same of n sets at once, of the same legs in the same order: they differ in weights, contrasts and blocks. */
void duel_intervals_each(struct arena *a, const struct duel_set *const *sets, int n, int draws, uint64_t seed,
                         struct duel_interval *const *out);

/* Do null pairs (programs against themselves) show a fault: their interval excludes 1, and by more than the half width
 * that was asked for? A smaller difference is one that nothing here is to tell. Without the second half a fault would
 * be seen in 1 of 100 sound runs with 5 launches and in 4 with 30; so it is never seen more often for more launches. */
bool duel_null_fails(const struct duel_interval *null, double asked);

struct duel_rules {
    int64_t min_launches, max_launches; /* of each duel; max 0: there are no duels */
    double half_width;                  /* of the log ratio of every contrast of the campaign, that ends the launches */
    double minutes;                     /* that end them too; 0: as long as it takes */
    double slice_ms;                    /* least of a slice */
    int64_t slice_calls;                /* least of a slice */
    int64_t mirrors;                    /* duel_order: at most so often */
    double launch_ms;                   /* as long as all slices of a launch take no longer */
    double null_share;                  /* of the kernels whose fastest program meets itself */
    int64_t null_least;                 /* least of these */
};
/* How often a launch goes there and back: as often as its slices fit into launch_ms, at least once and at most
 * `mirrors` times. slowest_s: a call of the slowest program. To start a process takes some tenths of a second, so more
 * slices of a fast program cost little, and the fastest of more slices is steadier. */
int duel_mirrors(const struct duel_rules *rules, int programs, double slowest_s);
/* The duel that has fewest launches, below the least number; of equals the one that a random order has first. -1: all
 * have the least number. */
int duel_least(int nduels, const struct duel_rules *rules, const int *had, uint64_t seed);
/* Which duel gets the next launch; -1: it is enough. had[d]: launches of duel d that count for min and max (those of
 * this sitting). First each duel gets the least number (duel_least). Then the one that narrows the intervals that are
 * still too wide by most: variance of its median times the square of its weight in the contrast, over its launches and
 * one. A duel of no contrast, or of one that is narrow enough, gets the least number only. *widest: half width of the
 * widest contrast, from these variances while it is too wide, then from the bootstrap; INFINITY while the least number
 * lacks. Scratch memory from a. */
int duel_next(struct arena *a, const struct duel_set *s, const struct duel_rules *rules, const int *had, uint64_t seed,
              double *widest);
