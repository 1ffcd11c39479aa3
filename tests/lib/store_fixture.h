/* SPDX-License-Identifier: Apache-2.0 */
/* store_fixture: hand-made records: a store of cells over two kernels, a (called once) and b (three times). Whatever
 * fails ends the program: the test is about what is read, not about writing. */
#pragma once
#include "harness/record/store.h"
#include "tests/lib/fixture.h"

struct store_fixture {
    struct store *s;
    int cell, round, ordinal, of_task[2];
    double elapsed_s, scale, dp_scale; /* of milliseconds; of those of the descents in addition */
    int64_t id[16];                    /* of the trials of the cell, by ordinal */
    int home;                          /* cell that the next cells explore, + 1; 0: none */
    double cpu_share;                  /* CPU time of a cell over its clock; 0: a half */
};

extern const struct store_campaign fixture_campaign;
struct store *fixture_open(const char *dir); /* a new store of the virtual target 'fake', hash "h" */
/* Cell f->cell, which the next calls are about until fixture_done. */
void fixture_cell(struct store_fixture *f, const char *network, const char *arm, int64_t seed, bool k_plus_one,
                  int64_t k);
void fixture_begin(struct store_fixture *f, int task, int asked, double begin_s); /* a round */
/* ms 0: the candidate failed. The three repeats have this mean. */
void fixture_trial(struct store_fixture *f, int task, double ms, double cost_s, double wall_s);
void fixture_end(struct store_fixture *f, double end_s);
/* A round of such a trial alone, which takes twice its cost. */
void fixture_round(struct store_fixture *f, int task, double ms, double cost_s);
void fixture_done(struct store_fixture *f, double elapsed_s);
/* The record a descent started from, and the cell it was run in (-1: here). */
void fixture_seeded(struct store_fixture *f, int task, int64_t seed_trial, int shared_cell);
/* A launch of the duel of the trial's kernel, network and seed; ms 0: it failed. The first trial has the first place.
 */
void fixture_again(struct store_fixture *f, int64_t id, int launch, double ms);
