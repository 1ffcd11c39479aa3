/* SPDX-License-Identifier: Apache-2.0 */
/* duel_run: the re-timing by duels, after all searches (harness/doc/measurement.md, "Duels"). */
#pragma once
#include "harness/tune/cell.h"

/* False: launches on record have another protocol than the plan, so that they cannot be pooled. */
MUST_CHECK bool duel_fits(const struct cell_env *env, struct err *err);
/* `run --retime`: the launches from now on are another sitting, with a least and a most number of its own; those of
 * earlier sittings count as they do. Nothing if this sitting has no launch yet. */
MUST_CHECK bool duel_more(const struct cell_env *env, struct err *err);
/* Makes the duels if there are none, and launches until every interval is as narrow as the plan asks, until each duel
 * has its most launches, or until the minutes of this call are over. Which launch is next follows from the records and
 * the plan's seed alone, so a resume goes on as if nothing had happened. Then counters. Errors as campaign_run's. */
MUST_CHECK bool duel_run(const struct cell_env *env, struct err *err);
