/* SPDX-License-Identifier: Apache-2.0 */
/* retiming_archive: a shoot-out whose readings are not used any more, because it is done again (a machine that was not
 * quiet). Its rows leave the table final for final_aside and get stages of their own in aa_reading; no reading is ever
 * lost. */
#pragma once
#include "harness/record/store.h"

struct retiming_archive {
    int times;    /* shoot-outs that were set aside */
    int readings; /* of winners and of A/A programs in them */
};
/* Sets aside what there is, all of it or nothing; nothing to set aside is no error and counts as no shoot-out. The A/A
 * programs themselves and the counters of winners stay. */
MUST_CHECK bool retiming_archive_put(struct store *s, double unix_s, struct retiming_archive *put, struct err *err);
/* The records become those of the experiment `hash`, which differs in its shoot-out only; all of it or nothing. The A/A
 * floor after goes aside, since it will be measured again behind what is added, and a floor before that was measured
 * under another final regime than `regime`. Counts among the readings that retiming_archive_get tells, not among the
 * shoot-outs.
 */
MUST_CHECK bool retiming_archive_adopt(struct store *s, const char *hash, const char *regime, double unix_s,
                                       struct err *err);
MUST_CHECK bool retiming_archive_get(struct store *s, struct retiming_archive *out, struct err *err);
