/* SPDX-License-Identifier: Apache-2.0 */
/* search_cost: what the searches of Table 3 cost on every clock (arm_result.h), and where the paper's clock and the
 * wall clock say different things. */
#pragma once
#include "harness/base/text.h"
#include "harness/report/data/table3.h"

struct search_cost {                 /* rows of the networks (not the means) that compare the clocks */
    int rows, size, direction;       /* all; that differ in size, in direction */
    const struct table3_k *worst;    /* the row whose ratios lie furthest apart; NULL: none */
    const struct table3_network *of; /* its network */
};
struct search_cost search_cost_of(const struct table3 *t);
/* One sentence, "The paper's clock and the wall clock agree ..."; without a line end. */
void search_cost_sentence(const struct search_cost *c, struct text *t);
void search_cost_text(const struct table3 *table, struct text *t);
