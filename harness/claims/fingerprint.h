/* SPDX-License-Identifier: Apache-2.0 */
/* fingerprint: what the claims' file said when a run began. It is kept with the records, so that a claim that was
 * changed afterwards is distinguished from one that was fixed before. */
#pragma once
#include "harness/claims/claims.h"

/* Lines "NAME HASH": the file by the name of the paper and its SHA-256, then each claim that this experiment tests,
 * by what decides on it: side, value, tolerance, networks, machine, clock, column, arms and k. Its words are no part.
 * "" where the paper has no file, or a broken one. In a. */
const char *fingerprint_of(struct arena *a, const char *folder, const char *paper, const char *experiment);
enum fingerprint_state { FINGERPRINT_UNKNOWN, FINGERPRINT_SAME, FINGERPRINT_CHANGED, FINGERPRINT_NEW };
/* Of a claim, by the fingerprint that a run began with ("": not recorded). */
enum fingerprint_state fingerprint_state_of(struct arena *a, const char *begun, const struct claim *c);
/* Is the whole file as it was? UNKNOWN without a fingerprint. */
enum fingerprint_state fingerprint_file(const char *begun, const struct claims *c);
extern const char *const fingerprint_words[]; /* "", "as it was", "changed", "new" since the run began */
