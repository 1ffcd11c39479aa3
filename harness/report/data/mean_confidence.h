/* SPDX-License-Identifier: Apache-2.0 */
/* mean_confidence: how sure Table 3's means over networks are, with what confidence.h says of the other reports: over
 * seeds, or of one seed over networks. Holm's family: the k. */
#pragma once
#include "harness/base/text.h"
#include "harness/stats/estimate.h"

struct report;
enum mean_confidence_ratio {
    MEAN_CONFIDENCE_RETIMED,
    MEAN_CONFIDENCE_KERNEL,
    MEAN_CONFIDENCE_RECORDS,
    MEAN_CONFIDENCE_WALL,
    MEAN_CONFIDENCE_COUNT
};
struct mean_confidence { /* of each k */
    struct estimate of[MEAN_CONFIDENCE_COUNT];
};
/* r->table.nk of them, in r's arena. The rest prints r->assay. */
const struct mean_confidence *mean_confidence_make(const struct report *r);
void mean_confidence_text(const struct report *r, struct text *t);
void mean_confidence_html(const struct report *r, struct text *t);            /* a table */
void mean_confidence_json(const struct mean_confidence *one, struct text *t); /* ", "stats": {...}" of one k */
