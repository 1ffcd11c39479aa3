/* SPDX-License-Identifier: Apache-2.0 */
/* contiguity: along how many of a stage's innermost loops every tensor it touches is walked without gaps. */
#pragma once
#include "harness/program/schedule.h"

/* s: bounds inferred. 0 to the number of the stage's loops; inlined producers are looked through. */
int contiguity(const struct state *s, int stage);
