/* SPDX-License-Identifier: Apache-2.0 */
/* man_page: raingauge(1) in roff, from the tables of the verbs. The same bytes each time: it has no date. */
#pragma once
#include "harness/base/text.h"

void man_page(struct text *t);
