/* SPDX-License-Identifier: Apache-2.0 */
/* regression: exact rank test, so the verdict has no randomness of its own: the same times always say the same. */
#include "harness/stats/regression.h"

#include "harness/base/err.h"
#include "harness/stats/interval.h"
#include "harness/stats/noise_floor.h"
#include "harness/stats/permutation.h"
#include "harness/stats/summary.h"

#include <math.h>
#include <stdlib.h>

const char *const regression_words[] = {"too few",       "none",      "faster",          "suspect",
                                        "not confirmed", "confirmed", "machine changed", "noisy"};

static void rerun(const struct regression_input *in, struct regression *out)
{
    double *ratios = malloc((size_t)in->npairs * sizeof *ratios + 1);
    if (!ratios)
        bug("out of memory for %d pairs", in->npairs);
    for (int i = 0; i < in->npairs; i++)
        ratios[i] = in->new_again[i] / in->old_again[i];
    struct interval again = interval_ratios(ratios, in->npairs, 0.95);
    free(ratios);
    out->again = again.ratio;
    out->low = again.low;
    out->high = again.high;
}

struct regression regression_of(const struct regression_input *in)
{
    struct regression out = {.kind = REGRESSION_TOO_FEW, .margin = noise_floor_alarm(in->noise), .again = NAN};
    out.low = out.high = NAN;
    out.ratio = summary_geomean(in->fresh, in->nfresh) / summary_geomean(in->window, in->nwindow);
    out.p = in->step_p > 0 ? in->step_p : permutation_ranks(in->fresh, in->nfresh, in->window, in->nwindow);
    if (in->nwindow < REGRESSION_LEAST || in->nfresh < REGRESSION_LEAST)
        return out;
    bool slower = out.ratio > 1 + out.margin, faster = out.ratio < 1 / (1 + out.margin);
    out.kind = out.margin > REGRESSION_NOISY_MARGIN ? REGRESSION_NOISY : REGRESSION_NONE;
    if (!(out.p < REGRESSION_ALPHA) || (!slower && !faster))
        return out;
    if (in->same_binary && !in->can_rerun)
        out.kind = REGRESSION_MACHINE_CHANGED;
    else if (faster && !in->same_binary)
        out.kind = REGRESSION_FASTER;
    else if (in->npairs < REGRESSION_LEAST)
        out.kind = REGRESSION_SUSPECT;
    else {
        rerun(in, &out);
        bool again = !in->same_binary && out.again > 1 + out.margin && out.low > 1;
        out.kind = again ? REGRESSION_CONFIRMED : REGRESSION_NOT_CONFIRMED;
    }
    return out;
}
