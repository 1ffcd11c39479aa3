/* SPDX-License-Identifier: Apache-2.0 */
/* climb: best-so-far curves of one network over the wall clock, from the records: the full Ansor run, and each
 * DPAnsor-k from where its seeds were found. Kernel time is the plain sum of the best kernels (harness/record/curve.h).
 */
#pragma once
#include "harness/base/text.h"
#include "harness/experiment/report.h"

/* A chart of the first seed that is done; false on errors of the store. A line of text when nothing is done. */
MUST_CHECK bool climb_draw(const struct report *r, const char *network, struct text *t, struct err *err);
