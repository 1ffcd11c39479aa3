/* SPDX-License-Identifier: Apache-2.0 */
/* costs: what the searches of Table 3 cost on every clock (side.h), and where the paper's clock and the wall clock say
 * different things. */
#pragma once
#include "harness/base/text.h"
#include "harness/experiment/table3.h"

struct costs {                       /* rows of the networks (not the means) that compare the clocks */
    int rows, size, direction;       /* all; that differ in size, in direction */
    const struct table3_k *worst;    /* the row whose ratios lie furthest apart; NULL: none */
    const struct table3_network *of; /* its network */
};
struct costs costs_of(const struct table3 *t);
/* One sentence, "The paper's clock and the wall clock agree ..."; without a line end. */
void costs_sentence(const struct costs *c, struct text *t);
void costs_text(const struct table3 *table, struct text *t);
