/* SPDX-License-Identifier: Apache-2.0 */
/* assay: how sure Table 3's means over networks are, with what standing.h says of the other reports: over seeds, or of
 * one seed over networks. Holm's family: the k. */
#pragma once
#include "harness/base/text.h"
#include "harness/stats/estimate.h"

struct report;
enum assay_ratio { ASSAY_RETIMED, ASSAY_KERNEL, ASSAY_RECORDS, ASSAY_WALL, ASSAY_COUNT };
struct assay { /* of each k */
    struct estimate of[ASSAY_COUNT];
};
/* r->table.nk of them, in r's arena. The rest prints r->assay. */
const struct assay *assay_make(const struct report *r);
void assay_text(const struct report *r, struct text *t);
void assay_html(const struct report *r, struct text *t);  /* a table */
void assay_json(const struct assay *one, struct text *t); /* ", "stats": {...}" of one k */
