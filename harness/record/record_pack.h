/* SPDX-License-Identifier: Apache-2.0 */
/* record_pack: the records of a run for the repository: DIR/records.db.xz beside its report, from which readers make
 * the same report (store_open_read). The states of random numbers are left out, which only --resume needs; where the
 * rest is larger than the limit, the schedules, scores and dates of all trials that are in no duel, too. */
#pragma once
#include "harness/base/err.h"

#include <stddef.h>
#include <stdint.h>

struct record_packed {
    char sha256[65]; /* of the packed file */
    int64_t bytes, trials;
    bool reduced; /* schedules were left out */
};
/* Needs records.db, which is not changed, and the program xz. Errors: no records, a run that writes to them, more than
 * `limit` bytes even so. */
MUST_CHECK bool record_pack(const char *dir, size_t limit, struct record_packed *out, struct err *err);
