/* SPDX-License-Identifier: Apache-2.0 */
/* verdict_text: one table of words, one of sentences. */
#include "harness/stats/verdict_text.h"

#include "harness/base/text.h"

#include <math.h>

/* In full and indicative on the claim's class of machine, on another one, of the authors' files. */
enum word_column { IN_FULL, INDICATIVE, ELSEWHERE, RELEASED, COLUMNS };
static const char *const words[FINDING_COUNT][COLUMNS] = {
    [FINDING_INVALID] = {"INVALID", "INVALID", "INVALID", "INVALID"},
    [FINDING_NOT_MEASURED] = {"NOT MEASURED", "NOT MEASURED", "NOT MEASURED", "NOT MEASURED"},
    [FINDING_INCONCLUSIVE] = {"INCONCLUSIVE", "INCONCLUSIVE", "INCONCLUSIVE", "INCONCLUSIVE"},
    [FINDING_FOR] = {"REPRODUCED (direction)", "REPRODUCED (direction)", "TRANSFERRED (direction)", "REANALYSED"},
    [FINDING_FOR_SIZE] = {"REPRODUCED", "REPRODUCED (direction)", "TRANSFERRED", "REANALYSED"},
    [FINDING_FOR_NOT_SIZE] = {"REPRODUCED (direction, size excluded)", "REPRODUCED (direction, size excluded)",
                              "TRANSFERRED (direction, size excluded)", "REANALYSED"},
    [FINDING_AGAINST] = {"NOT REPRODUCED", "NOT REPRODUCED (direction)", "NOT TRANSFERRED", "NOT REPRODUCED"},
    [FINDING_NO_EFFECT] = {"NOT REPRODUCED (no effect)", "NO EFFECT (indicative)", "NOT TRANSFERRED (no effect)",
                           "NOT REPRODUCED"},
    [FINDING_SIZE_EXCLUDED] = {"NOT REPRODUCED (size)", "SIZE EXCLUDED (indicative)", "NOT TRANSFERRED (size)",
                               "NOT REPRODUCED"},
    [FINDING_INSIDE] = {"REPRODUCED", "REPRODUCED (indicative)", "TRANSFERRED", "REANALYSED"},
    [FINDING_OUTSIDE] = {"NOT REPRODUCED", "NOT REPRODUCED (indicative)", "NOT TRANSFERRED", "NOT REPRODUCED"},
};
const char *const verdict_words[] = {"NOT REPRODUCED",
                                     "NOT REPRODUCED (no effect)",
                                     "NOT REPRODUCED (size)",
                                     "NOT REPRODUCED (direction)",
                                     "NOT REPRODUCED (indicative)",
                                     "NO EFFECT (indicative)",
                                     "SIZE EXCLUDED (indicative)",
                                     "NOT TRANSFERRED",
                                     "NOT TRANSFERRED (no effect)",
                                     "NOT TRANSFERRED (size)",
                                     "REPRODUCED",
                                     "REPRODUCED (direction)",
                                     "REPRODUCED (indicative)",
                                     "REPRODUCED (direction, size excluded)",
                                     "TRANSFERRED",
                                     "TRANSFERRED (direction)",
                                     "TRANSFERRED (direction, size excluded)",
                                     "REANALYSED",
                                     "INVALID",
                                     "INCONCLUSIVE",
                                     "NOT MEASURED",
                                     NULL};

const char *verdict_word(const struct verdict *v)
{
    enum word_column at = v->released ? RELEASED : v->elsewhere ? ELSEWHERE : v->lack ? INDICATIVE : IN_FULL;
    bool side_only = v->finding == FINDING_FOR && at == IN_FULL && v->no_size;
    return side_only ? "REPRODUCED" : words[v->finding][at];
}

enum verdict_leaning verdict_word_leans(const char *word)
{
    for (int f = 0; f < FINDING_COUNT; f++)
        for (int c = 0; c < COLUMNS; c++)
            if (str_eq(words[f][c], word))
                return verdict_leans(&(struct verdict){.finding = (enum verdict_finding)f});
    return LEANING_NEITHER;
}

/* Why it is no verdict, or an indicative one. */
static const char *lack_text(struct arena *a, const struct verdict_claim *c, const struct evidence *e,
                             enum verdict_lack lack)
{
    const char *plural = fabs(e->df - 1) < 0.005 ? "" : "s";
    switch (lack) {
    case VERDICT_LACK_TARGET:
        return "it is about another target";
    case VERDICT_LACK_CODEGEN:
        return "the programs are not those of the paper's code generator";
    case VERDICT_LACK_NETWORKS:
        return e->count
                   ? arena_printf(a, "%d networks were searched, the claim is about %d", e->networks, e->networks_all)
                   : arena_printf(a, "%.3f over %d of %d networks, an average takes 80 %%", e->ratio, e->networks,
                                  e->networks_all);
    case VERDICT_LACK_RATIO:
        return "a kernel without a valid result leaves no ratio";
    case VERDICT_LACK_MECHANICS:
        return arena_printf(a, "%.3f at a budget that shows the mechanics only", e->ratio);
    case VERDICT_LACK_GATES:
        return "a gate failed";
    case VERDICT_LACK_GATES_READ:
        return "the gates are not known";
    case VERDICT_LACK_NOISE:
        return "no noise floor was measured";
    case VERDICT_LACK_DIFFERENCES:
        return "both arms end in the same programs, so that no spread is known";
    case VERDICT_LACK_SPREAD:
    case VERDICT_LACK_DF:
        return arena_printf(a, "%.3g degree%s of freedom, %d are needed", e->df, plural,
                            lack == VERDICT_LACK_DF ? VERDICT_DF : VERDICT_DF_SIDE);
    case VERDICT_LACK_BUDGET:
        return "a reduced budget";
    case VERDICT_LACK_WIDTH:
        return arena_printf(a, "a half width of %.1f %%, the tolerance is %.1f %%",
                            100 * expm1(log(e->high / e->low) / 2), 100 * c->tolerance);
    case VERDICT_LACK_NOTHING:
    case VERDICT_LACK_SOURCE:
        return "no reason given";
    }
    return "";
}

static const char *band_text(struct arena *a, const struct verdict_claim *c)
{
    double low, high;
    verdict_band(c, &low, &high);
    const char *range =
        isfinite(high) ? arena_printf(a, "%.3f to %.3f", low, high) : arena_printf(a, "%.3f and more", low);
    return isnan(c->value) || c->side == VERDICT_AS_GOOD ? range : arena_printf(a, "%s about %.4g", range, c->value);
}

/* The size is that of the estimate: its interval may reach beyond the band. */
static const char *reach_text(const struct verdict_claim *c, const struct evidence *e)
{
    double low, high;
    verdict_band(c, &low, &high);
    return e->low < low || e->high > high ? ", with part of its interval outside" : "";
}

/* Of search time to parity. */
static const char *arrivals_text(struct arena *a, const struct evidence *e)
{
    return e->arrivals
               ? arena_printf(a, "; of its runs %+.0f %% more arrive than of the first arm's own [%+.0f, %+.0f]",
                              50 * (e->arrive_low + e->arrive_high), 100 * e->arrive_low, 100 * e->arrive_high)
               : "";
}

/* What the interval says. */
static const char *finding_text(struct arena *a, const struct verdict_claim *c, const struct evidence *e,
                                const struct verdict *v)
{
    const char *here = isfinite(e->high) ? arena_printf(a, "%.3f [%.3f, %.3f]", e->ratio, e->low, e->high)
                                         : arena_printf(a, "%.3f without an interval", e->ratio);
    const char *band = band_text(a, c);
    const char *side = (c->side == VERDICT_BELOW) == (v->finding == FINDING_AGAINST) ? "above" : "below";
    const char *excluded = v->excluded ? arena_printf(a, "; excludes %s", band) : "";
    switch (v->finding) {
    case FINDING_FOR:
        return arena_printf(a, "%s is %s 1%s", here, side,
                            v->no_size ? "" : arena_printf(a, "; the size is open (%s)", band));
    case FINDING_FOR_SIZE:
        return arena_printf(a, "%s is %s 1 and lies in %s%s", here, side, band, reach_text(c, e));
    case FINDING_FOR_NOT_SIZE:
    case FINDING_AGAINST:
        return arena_printf(a, "%s is %s 1%s", here, side, excluded);
    case FINDING_NO_EFFECT:
        return arena_printf(a, "%s: no effect within %.1f %%%s", here, 100 * v->margin, excluded);
    case FINDING_SIZE_EXCLUDED:
        return arena_printf(a, "%s%s; the side of 1 is open", here, excluded);
    case FINDING_INSIDE:
        return arena_printf(a, "%s lies in %s%s", here, band, reach_text(c, e));
    case FINDING_OUTSIDE:
        return arena_printf(a, "%s lies outside of %s", here, band);
    case FINDING_INCONCLUSIVE:
        if (!v->lack && e->clock == EVIDENCE_NO_CLOCK && fabs(log(e->ratio)) <= log1p(e->noise))
            return arena_printf(a, "%s: open, an effect of %.1f %% is not above the noise floor of %.1f %%", here,
                                100 * expm1(fabs(log(e->ratio))), 100 * e->noise);
        return arena_printf(a, "%s: open", here);
    case FINDING_INVALID:
    case FINDING_NOT_MEASURED:
    case FINDING_COUNT:
        break;
    }
    return "";
}

/* What would settle an open one. */
static const char *seeds_text(struct arena *a, const struct evidence *e, const struct verdict *v,
                              const struct verdict_context *x)
{
    const char *command =
        x->command ? arena_printf(a, ": %s --set seeds=%d", x->command, e->seeds + v->more_seeds) : "";
    if (e->share)
        return "; it is a share of networks over one half: more networks narrow it, more seeds do not";
    return v->more_seeds > 0
               ? arena_printf(a, "; %d more seed%s (%d in all) would settle it if the estimate stays%s", v->more_seeds,
                              v->more_seeds == 1 ? "" : "s", e->seeds + v->more_seeds, command)
               : "";
}

static const char *released_text(struct arena *a, const struct verdict_claim *c, const struct evidence *e,
                                 const struct verdict *v)
{
    bool holds = v->finding == FINDING_INSIDE;
    if (!isnan(c->value))
        return holds ? arena_printf(a, "%.4g from the authors' released results, stated %.4g", e->ratio, c->value)
                     : arena_printf(a, "the authors' released results give %.4g, not %.4g", e->ratio, c->value);
    static const char *const sides[] = {"above 1", "below 1", "within the tolerance of 1",
                                        "as good, with the tolerance"};
    return arena_printf(a, "the authors' released results give %.4g, %s%s", e->ratio, holds ? "" : "not ",
                        sides[c->side]);
}

static const char *count_text(struct arena *a, const struct verdict_claim *c, const struct evidence *e)
{
    return arena_printf(a, "%g of %g have results", e->ratio, c->value);
}

const char *verdict_sentence(struct arena *a, const struct verdict_claim *c, const struct evidence *e,
                             const struct verdict *v, const struct verdict_context *x)
{
    const char *cure = x->cure ? arena_printf(a, "; %s", x->cure) : "";
    const char *lack = lack_text(a, c, e, v->lack);
    bool given = v->lack == VERDICT_LACK_SOURCE || v->lack == VERDICT_LACK_GATES || v->lack == VERDICT_LACK_TARGET ||
                 v->lack == VERDICT_LACK_CODEGEN;
    if (v->released)
        return released_text(a, c, e, v);
    if (v->finding <= FINDING_NOT_MEASURED)
        return arena_printf(a, "%s%s", given && x->reason ? x->reason : lack, cure);
    const char *found =
        e->count ? count_text(a, c, e) : arena_printf(a, "%s%s", finding_text(a, c, e, v), arrivals_text(a, e));
    if (v->finding == FINDING_INCONCLUSIVE)
        return arena_printf(a, "%s%s%s%s%s%s", found, v->lack ? ", as " : "", v->lack ? lack : "",
                            v->lack == VERDICT_LACK_GATES_READ && x->reason ? ": " : "",
                            v->lack == VERDICT_LACK_GATES_READ && x->reason ? x->reason : "", seeds_text(a, e, v, x));
    return arena_printf(a, "%s%s%s%s", v->lack ? "indicative, " : "", v->lack ? lack : "", v->lack ? ": " : "", found);
}
