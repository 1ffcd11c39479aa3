/* SPDX-License-Identifier: Apache-2.0 */
/* max_fusible: along how many of a stage's innermost loops every tensor it touches is walked without gaps. */
#pragma once
#include "harness/program/schedule/schedule.h"

/* s: bounds inferred. 0 to the number of the stage's loops; inlined producers are looked through. */
int max_fusible(const struct state *s, int stage);
