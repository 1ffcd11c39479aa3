/* SPDX-License-Identifier: Apache-2.0 */
/* verdict: position and size are asked of the log interval [L, H], turned so that the claim's side is up, with the
 * noise floor n, the margin m = max(n, ln 1.02 or the claim's own), the tolerance d and the band B: position  FOR: L >
 * 0 and the estimate is above n; AGAINST: the mirror image; NONE: -m <= L and H <= m (two one-sided tests); else OPEN
 *             of search time to parity a side must show in the share of runs that arrive, too
 *   size      IN: the estimate lies in B, the half width is at most ln(1 + d), and d is above n; OUT: [L - n, H + n]
 *             misses B; else OPEN
 *   strength  in full: the whole budget, VERDICT_DF degrees of freedom and a half width of at most ln(1 + d); else
 *             indicative, from VERDICT_DF_SIDE on. The same for every outcome
 * Parity is IN when the whole interval lies in B; "as good" when it lies above the lower end of B, whatever the upper
 * one: better is never wrong. Coverage comes before gates: what was not measured is not invalid. */
#include "harness/stats/verdict.h"

#include "harness/stats/pooled.h"
#include "harness/stats/seed_count.h"
#include "harness/stats/t_test.h"

#include <math.h>

static const double CONFIDENCE = 0.95;

/* What all the rules below look at, on the log scale and turned so that the claim's side is up. */
struct view {
    const struct verdict_claim *c;
    const struct evidence *e;
    double at, low, high, half; /* the estimate */
    double noise, margin, width, band_low, band_high;
    bool banded;
};
enum position { POSITION_OPEN, POSITION_FOR, POSITION_AGAINST, POSITION_NONE };
enum size { SIZE_OPEN, SIZE_IN, SIZE_OUT };

bool evidence_covers(long long networks, long long all)
{
    return 5 * networks >= 4 * all;
}

long long evidence_least(long long all)
{
    return (4 * all + 4) / 5;
}

bool verdict_band(const struct verdict_claim *c, double *low, double *high)
{
    bool about_1 = c->side == VERDICT_AS_GOOD || (c->side == VERDICT_PARITY && isnan(c->value));
    double value = about_1 ? 1 : c->value;
    bool own = c->band_low > 0;
    *low = own ? c->band_low : value / (1 + c->tolerance);
    *high = own ? c->band_high : c->side == VERDICT_AS_GOOD ? INFINITY : value * (1 + c->tolerance);
    return !isnan(value);
}

static double noise_of(const struct evidence *e)
{
    return e->clock == EVIDENCE_NO_CLOCK ? e->noise : 0;
}

static double half_of_interval(const struct evidence *e)
{
    return log(e->high / e->low) / 2;
}

static struct view look(const struct verdict_claim *c, const struct evidence *e)
{
    bool below = c->side == VERDICT_BELOW;
    double noise = isnan(noise_of(e)) ? 0 : noise_of(e), low, high;
    struct view v = {.c = c, .e = e, .noise = log1p(noise), .width = log1p(c->tolerance)};
    v.banded = verdict_band(c, &low, &high);
    v.at = below ? -log(e->ratio) : log(e->ratio);
    v.low = below ? -log(e->high) : log(e->low);
    v.high = below ? -log(e->low) : log(e->high);
    v.half = (v.high - v.low) / 2;
    v.band_low = below ? -log(high) : log(low);
    v.band_high = below ? -log(low) : log(high);
    v.margin = fmax(v.noise, log1p(c->margin > 0 ? c->margin : VERDICT_MARGIN));
    return v;
}

/* Does who arrives show the claim's side, or the other one? What is not about arrivals shows both. */
static bool arrive(const struct view *v, bool side)
{
    bool above = (v->c->side == VERDICT_ABOVE) == side;
    return !v->e->arrivals || (above ? v->e->arrive_low > 0 : v->e->arrive_high < 0);
}

static enum position position_of(const struct view *v)
{
    return v->low > 0 && v->at > v->noise && arrive(v, true)      ? POSITION_FOR
           : v->high < 0 && v->at < -v->noise && arrive(v, false) ? POSITION_AGAINST
           : v->low >= -v->margin && v->high <= v->margin         ? POSITION_NONE
                                                                  : POSITION_OPEN;
}

static enum size size_of(const struct view *v)
{
    bool whole = v->c->side == VERDICT_PARITY || v->c->side == VERDICT_AS_GOOD;
    bool in = whole ? v->low >= v->band_low && v->high <= v->band_high
                    : v->at >= v->band_low && v->at <= v->band_high && v->half <= v->width;
    if (!v->banded)
        return SIZE_OPEN;
    if (v->high + v->noise < v->band_low || v->low - v->noise > v->band_high)
        return SIZE_OUT;
    return in && v->width > v->noise ? SIZE_IN : SIZE_OPEN;
}

enum verdict_lack verdict_refuses(const struct evidence *e)
{
    bool numbers = e->ratio > 0 && isfinite(e->ratio) && e->low >= 0 && e->high >= e->low && !isnan(e->df);
    return e->source == EVIDENCE_NONE             ? VERDICT_LACK_SOURCE
           : e->machine == EVIDENCE_WRONG_TARGET  ? VERDICT_LACK_TARGET
           : e->codegen == EVIDENCE_CODEGEN_OTHER ? VERDICT_LACK_CODEGEN
           : !(e->count ? e->networks >= e->networks_all : evidence_covers(e->networks, e->networks_all))
               ? VERDICT_LACK_NETWORKS
           : !numbers                          ? VERDICT_LACK_RATIO
           : e->budget == EVIDENCE_MECHANICS   ? VERDICT_LACK_MECHANICS
           : e->gates == VERDICT_GATES_FAILED  ? VERDICT_LACK_GATES
           : isnan(noise_of(e)) && !e->count   ? VERDICT_LACK_NOISE
           : e->gates == VERDICT_GATES_UNKNOWN ? VERDICT_LACK_GATES_READ
           : e->count                          ? VERDICT_LACK_NOTHING
           : e->pairs && e->ties == e->pairs   ? VERDICT_LACK_DIFFERENCES
           : e->high <= e->low                 ? VERDICT_LACK_DIFFERENCES
           : e->df < VERDICT_DF_SIDE           ? VERDICT_LACK_SPREAD
                                               : VERDICT_LACK_NOTHING;
}

enum verdict_lack verdict_weakens(const struct verdict_claim *c, const struct evidence *e)
{
    return e->budget != EVIDENCE_WHOLE                     ? VERDICT_LACK_BUDGET
           : e->count                                      ? VERDICT_LACK_NOTHING
           : e->df < VERDICT_DF                            ? VERDICT_LACK_DF
           : !(half_of_interval(e) <= log1p(c->tolerance)) ? VERDICT_LACK_WIDTH
                                                           : VERDICT_LACK_NOTHING;
}

/* ---- how many more seeds ---- */

/* The greatest half width that would decide, were the estimate true: clear of 1, within the margin, in the band or
 * clear of it; 0: none would. */
static double deciding_half(const struct view *v)
{
    double edge = fmin(fabs(v->at - v->band_low), fabs(v->at - v->band_high)), away = fabs(v->at);
    bool inside = v->at >= v->band_low && v->at <= v->band_high;
    bool whole = v->c->side == VERDICT_PARITY || v->c->side == VERDICT_AS_GOOD;
    double in = !v->banded || !inside || v->width <= v->noise ? 0 : whole ? edge : v->width;
    double out = v->banded && !inside ? fmax(edge - v->noise, 0) : 0;
    double size = fmax(in, out);
    if (v->c->side >= VERDICT_PARITY)
        return size;
    /* The size alone settles a side only where it is excluded. */
    return fmax(fmax(away > v->noise ? away : 0, v->margin - away), out);
}

/* Degrees of freedom of the t of an interval of n seeds, and of the spread within networks. */
static double interval_df(const struct view *v, double n)
{
    return n < POOLED_SEEDS ? v->e->df / (v->e->seeds - 1) * (n - 1) : n - 1;
}

static double half_of(const struct view *v, double n)
{
    double now = t_test_quantile(CONFIDENCE, interval_df(v, v->e->seeds));
    return v->half * t_test_quantile(CONFIDENCE, interval_df(v, n)) / now * sqrt(v->e->seeds / n);
}

static bool settles(const struct view *v, int n, double half)
{
    return half_of(v, n) <= half && v->e->df / (v->e->seeds - 1) * (n - 1) >= VERDICT_DF_SIDE;
}

/* So many more seeds would settle it, if the estimate stays; 0: none up to SEED_COUNT_MOST, or it is not known. */
static int more_seeds(const struct view *v)
{
    int n = v->e->seeds, low = n, high = n + 1;
    double half = 0.999 * deciding_half(v);
    if (v->e->share || v->e->count)
        return 0;
    if (n < 2 || !isfinite(v->half))
        return 3 - n;
    bool narrow = v->half <= half && v->e->df >= VERDICT_DF_SIDE; /* who arrives is open, not the interval */
    if (!(v->e->df > 0) || !(v->half > 0) || !(half > 0) || narrow)
        return 0;
    while (!settles(v, high, half)) {
        low = high;
        high *= 2;
        if (high > SEED_COUNT_MOST)
            return 0;
    }
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (settles(v, middle, half))
            high = middle;
        else
            low = middle;
    }
    return high - n;
}

/* ---- the rule ---- */

static enum verdict_finding finding_of(const struct view *v)
{
    static const enum verdict_finding sides[][3] = {
        [POSITION_OPEN] = {FINDING_INCONCLUSIVE, FINDING_INCONCLUSIVE, FINDING_SIZE_EXCLUDED},
        [POSITION_FOR] = {FINDING_FOR, FINDING_FOR_SIZE, FINDING_FOR_NOT_SIZE},
        [POSITION_AGAINST] = {FINDING_AGAINST, FINDING_AGAINST, FINDING_AGAINST},
        [POSITION_NONE] = {FINDING_NO_EFFECT, FINDING_NO_EFFECT, FINDING_NO_EFFECT},
    };
    static const enum verdict_finding bands[] = {FINDING_INCONCLUSIVE, FINDING_INSIDE, FINDING_OUTSIDE};
    return v->c->side < VERDICT_PARITY ? sides[position_of(v)][size_of(v)] : bands[size_of(v)];
}

/* The authors' one run as it is: a number by its last digit, a side or a band by the estimate. */
static enum verdict_finding released_finding(const struct verdict_claim *c, const struct evidence *e)
{
    double unit = c->unit > 0 ? c->unit : 0.0005 * c->value, low, high;
    bool holds = !isnan(c->value)           ? fabs(e->ratio - c->value) <= unit * (1 + 1e-9)
                 : c->side == VERDICT_ABOVE ? e->ratio > 1
                 : c->side == VERDICT_BELOW ? e->ratio < 1
                                            : verdict_band(c, &low, &high) && e->ratio >= low && e->ratio <= high;
    return isnan(e->ratio) ? FINDING_NOT_MEASURED : holds ? FINDING_INSIDE : FINDING_OUTSIDE;
}

static enum verdict_finding refused(enum verdict_lack lack)
{
    return lack == VERDICT_LACK_GATES  ? FINDING_INVALID
           : lack < VERDICT_LACK_GATES ? FINDING_NOT_MEASURED
                                       : FINDING_INCONCLUSIVE;
}

struct verdict verdict_of(const struct verdict_claim *c, const struct evidence *e)
{
    struct verdict out = {.elsewhere = e->machine != EVIDENCE_SAME_MACHINE, .released = e->source == EVIDENCE_RELEASED};
    if (out.released) {
        out.finding = released_finding(c, e);
        return out;
    }
    struct view v = look(c, e);
    out.margin = expm1(v.margin);
    out.no_size = !v.banded;
    out.excluded = size_of(&v) == SIZE_OUT;
    out.lack = verdict_refuses(e);
    out.finding = out.lack               ? refused(out.lack)
                  : !e->count            ? finding_of(&v)
                  : e->ratio >= c->value ? FINDING_INSIDE
                                         : FINDING_OUTSIDE;
    if (!out.lack && out.finding != FINDING_INCONCLUSIVE)
        out.lack = verdict_weakens(c, e);
    if (out.finding == FINDING_INCONCLUSIVE && (!out.lack || out.lack >= VERDICT_LACK_DIFFERENCES))
        out.more_seeds = more_seeds(&v);
    return out;
}

enum verdict_leaning verdict_leans(const struct verdict *v)
{
    static const enum verdict_leaning leanings[FINDING_COUNT] = {
        [FINDING_FOR] = LEANING_FOR,           [FINDING_FOR_SIZE] = LEANING_FOR,
        [FINDING_INSIDE] = LEANING_FOR,        [FINDING_AGAINST] = LEANING_AGAINST,
        [FINDING_NO_EFFECT] = LEANING_AGAINST, [FINDING_SIZE_EXCLUDED] = LEANING_AGAINST,
        [FINDING_OUTSIDE] = LEANING_AGAINST};
    return leanings[v->finding];
}

int verdict_rank(const struct verdict *v)
{
    static const int ranks[FINDING_COUNT] = {
        [FINDING_INVALID] = 1, [FINDING_NOT_MEASURED] = 2, [FINDING_INCONCLUSIVE] = 3, [FINDING_FOR_NOT_SIZE] = 4,
        [FINDING_FOR] = 5,     [FINDING_FOR_SIZE] = 5,     [FINDING_INSIDE] = 5};
    return ranks[v->finding];
}
