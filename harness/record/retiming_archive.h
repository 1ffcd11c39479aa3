/* SPDX-License-Identifier: Apache-2.0 */
/* retiming_archive: earlier re-timings that are kept but not used, because the re-timing was done again (on a machine
 * that was not quiet). Their rows are in the table retiming_archive instead of retiming, and their A/A readings have
 * stages of their own in aa_reading. No reading is ever lost. */
#pragma once
#include "harness/record/store.h"

struct retiming_archive {
    int times;    /* re-timings that were archived */
    int readings; /* of programs and of A/A programs in them */
};
/* Archives what there is, all of it or nothing. Nothing to archive is no error and counts as no re-timing. The A/A
 * programs themselves and the counters stay. */
MUST_CHECK bool retiming_archive_put(struct store *s, double unix_s, struct retiming_archive *put, struct err *err);
/* The records become those of the experiment `hash`, which has the same searches, or more
 * seeds; all of it or nothing. The A/A
 * stage `after` is archived, since it will be measured again behind what is added, and so is a stage `before` that was
 * measured under another regime than `regime`. They count among the readings that retiming_archive_get tells, not among
 * the re-timings. */
MUST_CHECK bool retiming_archive_adopt(struct store *s, const char *hash, const char *regime, double unix_s,
                                       struct err *err);
MUST_CHECK bool retiming_archive_get(struct store *s, struct retiming_archive *out, struct err *err);
