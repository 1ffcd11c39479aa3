/* SPDX-License-Identifier: Apache-2.0 */
/* report_kinds: the names that 'report:' of an experiment may have, so that a plan refuses what no report could show.
 * harness/report/render has one entry for each, in this order. */
#pragma once

enum report_kind_name { REPORT_TABLE3, REPORT_COMPARISON, REPORT_MICRO, REPORT_VARIANCE, REPORT_RACE, REPORT_KINDS };
extern const char *const report_kind_names[REPORT_KINDS + 1]; /* ended by NULL */
