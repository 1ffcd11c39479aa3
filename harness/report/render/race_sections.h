/* SPDX-License-Identifier: Apache-2.0 */
/* race_sections: the sections that only a race has: which arm is there first, and GFLOP/s by kernel. */
#pragma once
#include "harness/report/render/section_maker.h"

void race_sections_add(struct section_maker *m);
