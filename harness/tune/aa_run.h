/* SPDX-License-Identifier: Apache-2.0 */
/* aa_run: runs the A/A test. A few programs of the campaign's own kernels are timed as two pretended arms, A and A', by
 * the very protocol of the re-timing: fresh processes (launches), programs in random order within a launch, the regime
 * of the re-timing. It is done once before the first search and once after the re-timing, with the same programs, so
 * that a drift of the machine between the two shows too. When the re-timing is done again (retiming_archive.h), the
 * first stage is just before it.
 *
 * The programs are of kernels spread over sizes: the fastest of AA_SIZE_DRAWS random programs of searcher 'random'
 * under a fixed seed. They are drawn once and then recorded. How many: aa_size.h. */
#pragma once
#include "harness/record/aa_test.h"
#include "harness/tune/cell.h"

/* Nothing when the stage is done, when the plan has no launches, or when it is AA_BEFORE and the re-timing has begun:
 * then that stage stays unmeasured. A registry without searcher 'random' measures none. Interrupted: EXIT_INTERRUPTED,
 * and the next call goes on with the readings that lack. */
MUST_CHECK bool aa_run(const struct cell_env *env, enum aa_stage stage, struct err *err);
