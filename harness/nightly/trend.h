/* SPDX-License-Identifier: Apache-2.0 */
/* trend: all nights of a machine in one picture: each series' time over that of its first night. */
#pragma once
#include "harness/nightly/history.h"

/* Writes <dir>/trend-<machine>.dat and, by plots/trend.gp and gnuplot, .svg and .png beside it. *note: where they
 * are, or why there is no picture. plots: folder of the scripts. */
MUST_CHECK bool trend_draw(struct arena *a, struct history *h, const char *dir, const char *machine, const char *plots,
                           char **note, struct err *err);
