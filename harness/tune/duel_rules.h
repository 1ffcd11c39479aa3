/* SPDX-License-Identifier: Apache-2.0 */
/* duel_rules: the rules of a plan's duels as settings, and the protocol of their slices. */
#pragma once
#include "harness/tune/plan.h"

extern const struct setting duel_settings[]; /* over struct duel_rules */
/* The protocol of one slice: the regime of the re-timing, its calls and its length by the rules of duels. */
struct regime duel_slice(const struct plan *p);
/* What launches must have in common to be pooled: that protocol and how often a launch goes there and back. */
void duel_protocol(const struct plan *p, struct text *out);
