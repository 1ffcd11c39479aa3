/* SPDX-License-Identifier: Apache-2.0 */
/* selection: Table 3 of arXiv 2406.20037 counts the cost of a descent's seed record once more, as the authors' scripts
 * do; the comparisons of exploiters do not, as the authors timed exploitation alone there. */
#include "harness/report/data/selection.h"

#include "harness/base/text.h"
#include "harness/experiment/report_kinds.h"

static const struct selection selections[REPORT_KINDS] = {
    [REPORT_TABLE3] = {.one_pair = true, .seed_cost_again = true, .holm_networks = true, .published_ratios = true},
    [REPORT_COMPARISON] = {.each = true},
    [REPORT_MICRO] = {.each = true, .by_kernel = true},
    [REPORT_VARIANCE] = {.each = true, .tests = true},
    [REPORT_RACE] = {.each = true, .race = true},
};

const struct selection *selection_find(const char *name)
{
    for (int i = 0; i < REPORT_KINDS; i++)
        if (str_eq(report_kind_names[i], name))
            return &selections[i];
    return NULL;
}
