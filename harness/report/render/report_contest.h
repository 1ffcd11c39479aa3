/* SPDX-License-Identifier: Apache-2.0 */
/* report_contest: the report kinds that are made of a contest: `contest` (one line for each exploiter and network: the
 * exploiter comparison, p-threshold and speculation studies), `micro` (kernel by kernel) and `variance` (tests and
 * spreads). */
#pragma once
#include "harness/report/render/report.h"

extern const struct report_kind report_contest_contest, report_contest_micro, report_contest_variance;
