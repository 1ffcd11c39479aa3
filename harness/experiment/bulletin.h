/* SPDX-License-Identifier: Apache-2.0 */
/* bulletin: the report kinds that are made of a contest: `contest` (one line for each exploiter and network: the
 * exploiter comparison, p-threshold and speculation studies), `micro` (kernel by kernel) and `variance` (tests and
 * spreads). */
#pragma once
#include "harness/experiment/report.h"

extern const struct report_kind bulletin_contest, bulletin_micro, bulletin_variance;
