/* SPDX-License-Identifier: Apache-2.0 */
/* night_rerun: what looks changed is run again, the old binary and tonight's in turns, NIGHT_PAIRS times each. */
#pragma once
#include "harness/nightly/night_run.h"

/* Networks with a suspect series are searched again with one seed a pair, pinned programs are launched again. Where the
 * old binary is no longer kept nothing is run, and r->unjudged says so. */
MUST_CHECK bool night_rerun(struct night_run *r, struct err *err);
