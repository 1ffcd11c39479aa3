/* SPDX-License-Identifier: Apache-2.0 */
/* aa_run: the A/A floor (harness/doc/measurement.md, "A/A test and noise floor"). A few programs of the campaign's own
 * kernels are timed as two pretended arms by the very protocol of the shoot-out (fresh processes, blocks in random
 * order, the final regime), once before the first search and once after the shoot-out. The same programs both times:
 * they are the sentinels too. When the shoot-out is done again (retiming_archive.h), the first is just before it.
 *
 * Programs: of up to AA_RUN_PROGRAMS kernels, spread over sizes, the fastest of AA_RUN_DRAWS random programs of
 * searcher 'random' under a fixed seed; drawn and chosen once and then recorded. Cost: so many kernels that a stage is
 * expected to take AA_RUN_S (forecast.h), between AA_RUN_LEAST and AA_RUN_PROGRAMS of them, and then so many
 * blocks that fill it: both stages together about a minute on a real target. */
#pragma once
#include "harness/record/aa_test.h"
#include "harness/tune/cell.h"

enum { AA_RUN_PROGRAMS = 8, AA_RUN_LEAST = 3, AA_RUN_DRAWS = 3 };
#define AA_RUN_S 25.

int aa_run_programs(const struct plan *p); /* kernels timed, at most; 0: the plan has no shoot-out */
/* Blocks of a stage: at least the plan's launches, at most AA_LAUNCHES, and no more readings of a pretended arm than
 * a real one has in the shoot-out: their mean must not be steadier than its. */
int aa_run_launches(const struct plan *p);

/* Nothing when the stage is done, when the plan has no launches, or when it is AA_BEFORE and the shoot-out has begun:
 * then that floor stays unmeasured. A registry without searcher 'random' measures none. Interrupted: EXIT_INTERRUPTED,
 * and the next call goes on with the readings that lack. */
MUST_CHECK bool aa_run(const struct cell_env *env, enum aa_stage stage, struct err *err);
