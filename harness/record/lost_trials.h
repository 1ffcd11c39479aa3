/* SPDX-License-Identifier: Apache-2.0 */
/* lost_trials: rows of table trial that were there and are not there now, because somebody deleted them. Nothing here
 * deletes a row. */
#pragma once
#include "harness/record/store.h"

/* True: no cell lost a trial that can be missed. A complete round says how many trials it has, and a cell numbers its
 * trials from 0. So the last trials of a round that is not complete are not missed: they count as never measured. The
 * error names the first cell that lost some, and how many. One query, of one moment: true beside a writer, too. */
MUST_CHECK bool lost_trials_none(struct store *s, struct err *err);
