/* SPDX-License-Identifier: Apache-2.0 */
/* disturbed: `run --search-again`: searches during which other programs and the host took more of the CPUs than a
 * report allows (CPU_CONTENTION_MOST) are made anew, by that alone, whatever they found. */
#pragma once
#include "harness/record/store.h"

/* Takes them out of the records of this folder, with the other arms beside them (take_out.h), and says how many and
 * where the records are as they were. Without any it says so, and the records stay. unix_s: of the event that is left.
 */
MUST_CHECK bool disturbed_take_out(struct store *s, const char *dir, double unix_s, struct err *err);
