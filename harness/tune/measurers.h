/* SPDX-License-Identifier: Apache-2.0 */
/* measurers: one measurer for each of the conditions of a campaign, opened when it is first needed. The plan's own is
 * there from the start. */
#pragma once
#include "harness/base/vec.h"
#include "harness/measure/measure.h"
#include "harness/tune/plan.h"

struct measured_under {
    const struct conditions *under; /* NULL: the plan's */
    struct measurer *measurer;
    struct limits limits;
};
struct measurers {
    struct measure_options o;
    VEC(struct measured_under) open;
};
/* m->o is what the plan's is opened with. */
MUST_CHECK bool measurers_get(struct measurers *m, const struct conditions *under, struct measured_under *out,
                              struct err *err);
void measurers_close(struct measurers *m);
