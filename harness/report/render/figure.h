/* SPDX-License-Identifier: Apache-2.0 */
/* figure: runs gnuplot on a script of plots/. */
#pragma once
#include "harness/base/arena.h"
#include "harness/base/err.h"
#include "harness/base/text.h"

struct report;

/* gnuplot -e "data='...'; out='...'; heading='...'; folder='...'" script; folder: the script's own. *made false, and
 * why in err, when there is no gnuplot or it fails. */
void figure_draw(struct arena *a, const char *script, const char *data, const char *out, const char *title, bool *made,
                 struct err *err);
void figure_table3(const struct report *r, struct text *t); /* data of plots/table3.gp */
