/* SPDX-License-Identifier: Apache-2.0 */
/* rehearsal: the A/A floor (practice.md 3.5: gates before and after). A few programs of the campaign's own kernels are
 * timed as two pretended arms by the very protocol of the shoot-out (fresh processes, blocks in random order, the final
 * regime), once before the first search and once after the shoot-out. The same programs both times: they are the
 * sentinels too. When the shoot-out is done again (aside.h), the first is just before it.
 *
 * Programs: of up to REHEARSAL_TWINS kernels, spread over sizes, the fastest of REHEARSAL_DRAWS random programs of
 * searcher 'random' under a fixed seed; drawn and chosen once and then recorded. Cost: so many kernels that a stage is
 * expected to take REHEARSAL_S (forecast.h), between REHEARSAL_LEAST and REHEARSAL_TWINS of them, and then so many
 * blocks that fill it: both stages together about a minute on a real target. */
#pragma once
#include "harness/record/twin.h"
#include "harness/tune/cell.h"

enum { REHEARSAL_TWINS = 8, REHEARSAL_LEAST = 3, REHEARSAL_DRAWS = 3 };
#define REHEARSAL_S 25.

int rehearsal_twins(const struct plan *p); /* kernels timed, at most; 0: the plan has no shoot-out */
/* Blocks of a stage: at least the plan's launches, at most TWIN_LAUNCHES, and no more readings of a pretended arm than
 * a real one has in the shoot-out: their mean must not be steadier than its. */
int rehearsal_launches(const struct plan *p);

/* Nothing when the stage is done, when the plan has no launches, or when it is TWIN_BEFORE and the shoot-out has begun:
 * then that floor stays unmeasured. A kit without searcher 'random' measures none. Interrupted: EXIT_INTERRUPTED, and
 * the next call goes on with the readings that lack. */
MUST_CHECK bool rehearsal_run(const struct cell_env *env, enum twin_stage stage, struct err *err);
