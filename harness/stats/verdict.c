/* SPDX-License-Identifier: Apache-2.0 */
/* verdict: the rules (harness/doc/measurement.md, "Verdict rules"), and what holds where two of them meet:
 * - "REPRODUCED (direction)" goes before "NOT REPRODUCED" when the side is right and the size is not;
 * - a claim that states a side only is REPRODUCED by the side alone;
 * - a claim of parity ("equally good") is REPRODUCED when the whole interval lies inside the band, and NOT REPRODUCED
 * when none of it does (two one-sided tests): there is no side to be on;
 * - another machine class: TRANSFERRED where it would be one of the two REPRODUCED, the reason says which; what fails
 *   there is NOT REPRODUCED, and the reason says that it is not the paper's own cell;
 * - REANALYSED judges the authors' one run as it is: a number by its last digit, a side or parity by the estimate;
 * - an average over less than 80 % of its networks is NOT MEASURED;
 * - without a noise floor, or with unknown gates, a ratio is INCONCLUSIVE;
 * - a size is refuted only where the noise floor is not above the tolerance, and a band is only left by more than the
 * floor;
 * - with 5 to 9 seeds, or with a reduced budget, only the side is judged ("indicative"); tier smoke judges nothing. */
#include "harness/stats/verdict.h"

#include "harness/stats/seed_count.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

static const double CONFIDENCE = 0.95;

const char *verdict_word(enum verdict_kind k)
{
    static const char *const WORDS[VERDICT_COUNT] = {
        [VERDICT_INVALID] = "INVALID",
        [VERDICT_NOT_REPRODUCED] = "NOT REPRODUCED",
        [VERDICT_NOT_MEASURED] = "NOT MEASURED",
        [VERDICT_INCONCLUSIVE] = "INCONCLUSIVE",
        [VERDICT_DIRECTION_ONLY] = "REPRODUCED (direction)",
        [VERDICT_TRANSFERRED] = "TRANSFERRED",
        [VERDICT_REANALYSED] = "REANALYSED",
        [VERDICT_REPRODUCED] = "REPRODUCED",
    };
    return WORDS[k];
}

__attribute__((format(printf, 2, 3))) static struct verdict say(enum verdict_kind kind, const char *fmt, ...)
{
    struct verdict v = {.kind = kind};
    va_list args;
    va_start(args, fmt);
    vsnprintf(v.reason, sizeof v.reason, fmt, args);
    va_end(args);
    return v;
}

/* What all the rules below look at, on the log scale and turned so that the claim's side is up. */
struct view {
    const struct verdict_claim *c;
    const struct verdict_measurement *e;
    double at, low, high, half;        /* the estimate */
    double width, band_low, band_high; /* ln(1 + d), and the band; NaN for a claim of the side only */
    bool banded;
};

static struct view look(const struct verdict_claim *c, const struct verdict_measurement *e)
{
    double sign = c->side == VERDICT_BELOW ? -1 : 1;
    double value = isnan(c->value) && c->side == VERDICT_PARITY ? 1 : c->value;
    struct view v = {.c = c, .e = e, .at = sign * log(e->ratio), .banded = !isnan(value), .width = log1p(c->tolerance)};
    v.low = sign > 0 ? log(e->low) : -log(e->high);
    v.high = sign > 0 ? log(e->high) : -log(e->low);
    v.half = (v.high - v.low) / 2;
    v.band_low = sign * log(value) - v.width;
    v.band_high = sign * log(value) + v.width;
    return v;
}

/* ---- INCONCLUSIVE ---- */

/* The half width that would decide, were the estimate true: clear of 1, or narrow and clear of the band, or (parity)
 * inside or outside of it, the latter by more than the noise floor where one was measured; 0: none would. A reduced
 * budget decides about the side only. */
static double deciding_half(const struct view *v)
{
    double noise = isnan(v->e->noise) ? 0 : log1p(v->e->noise);
    double edge = fmin(fabs(v->at - v->band_low), fabs(v->at - v->band_high));
    bool inside = v->at >= v->band_low && v->at <= v->band_high, can = v->banded && v->e->budget == VERDICT_WHOLE;
    if (v->c->side == VERDICT_PARITY)
        return !can || v->width <= noise ? 0 : inside ? edge : fmax(edge - noise, 0);
    double clear = can && !inside && noise <= v->width ? fmin(edge - noise, v->width) : 0;
    return fmax(fabs(v->at) > noise ? fabs(v->at) : 0, clear);
}

static struct verdict unsettled(const struct view *v, const char *why)
{
    int n = v->e->seeds, need = VERDICT_FULL;
    double spread = seed_count_spread(v->half, n, CONFIDENCE);
    if (isnan(spread) || isinf(spread)) {
        struct verdict out = say(VERDICT_INCONCLUSIVE, "%s; spread unknown with %d seed%s, at least %d are needed", why,
                                 n, n == 1 ? "" : "s", need);
        out.more_seeds = need - n;
        return out;
    }
    int seeds = seed_count(spread, 0.999 * deciding_half(v), CONFIDENCE);
    if (seeds == 0)
        return say(VERDICT_INCONCLUSIVE, "%s; no number of seeds up to %d would settle it", why, SEED_COUNT_MOST);
    need = seeds > need ? seeds : need;
    need = need > n ? need : n + 1;
    struct verdict out =
        say(VERDICT_INCONCLUSIVE, "%s; %d more seeds (%d in all) would settle it if the estimate stays", why, need - n,
            need);
    out.more_seeds = need - n;
    return out;
}

/* ---- measured ---- */

static struct verdict held(const struct view *v, struct verdict here)
{
    if (v->e->same_machine)
        return here;
    bool full = here.kind == VERDICT_REPRODUCED;
    return say(VERDICT_TRANSFERRED, "on another machine class%s: %s", full ? "" : ", direction only", here.reason);
}

static struct verdict refuted(const struct view *v, const char *how)
{
    return say(VERDICT_NOT_REPRODUCED, "%.3f [%.3f, %.3f] %s%s", v->e->ratio, v->e->low, v->e->high, how,
               v->e->same_machine ? "" : "; on another machine class, so not the paper's own cell");
}

/* May more than the side be judged? */
static bool whole(const struct view *v)
{
    return v->e->seeds >= VERDICT_FULL && v->e->budget == VERDICT_WHOLE;
}

static struct verdict judge_parity(const struct view *v)
{
    double noise = log1p(v->e->noise);
    bool inside = v->low >= v->band_low && v->high <= v->band_high;
    bool outside = v->low - noise > v->band_high || v->high + noise < v->band_low;
    if (v->width <= log1p(v->e->noise))
        return say(VERDICT_INCONCLUSIVE, "the tolerance of %.1f %% is not above the noise floor of %.1f %%",
                   100 * v->c->tolerance, 100 * v->e->noise);
    if (!inside && !outside)
        return unsettled(v, "the interval crosses the edge of the band");
    if (!whole(v))
        return say(VERDICT_INCONCLUSIVE, "%.3f [%.3f, %.3f]: parity needs %d seeds and the whole budget", v->e->ratio,
                   v->e->low, v->e->high, VERDICT_FULL);
    if (outside)
        return refuted(v, "is outside the band of parity");
    return held(v, say(VERDICT_REPRODUCED, "%.3f [%.3f, %.3f] lies inside the band of parity", v->e->ratio, v->e->low,
                       v->e->high));
}

static struct verdict judge_right_side(const struct view *v)
{
    const struct verdict_measurement *e = v->e;
    if (!whole(v))
        return held(v, say(VERDICT_DIRECTION_ONLY, "indicative, %d seeds%s: %.3f [%.3f, %.3f]", e->seeds,
                           e->budget == VERDICT_WHOLE ? "" : " of a reduced budget", e->ratio, e->low, e->high));
    if (!v->banded)
        return held(v, say(VERDICT_REPRODUCED, "%.3f [%.3f, %.3f] is on the side that the claim states", e->ratio,
                           e->low, e->high));
    double from = v->c->value / (1 + v->c->tolerance), to = v->c->value * (1 + v->c->tolerance);
    if (v->high >= v->band_low && v->low <= v->band_high)
        return held(
            v, say(VERDICT_REPRODUCED, "%.3f [%.3f, %.3f] meets [%.3f, %.3f]", e->ratio, e->low, e->high, from, to));
    return held(v, say(VERDICT_DIRECTION_ONLY, "%.3f [%.3f, %.3f] is %.2f times the paper's %.3f", e->ratio, e->low,
                       e->high, e->ratio / v->c->value, v->c->value));
}

static struct verdict judge(const struct view *v)
{
    const struct verdict_measurement *e = v->e;
    bool excludes_one = v->low > 0 || v->high < 0;
    bool above_noise = fabs(v->at) > log1p(e->noise);
    char why[120];
    if (v->c->side == VERDICT_PARITY)
        return judge_parity(v);
    if (excludes_one && above_noise)
        return v->low > 0 ? judge_right_side(v) : refuted(v, "is on the other side of 1");
    double noise = log1p(e->noise);
    bool clear = v->banded && (v->high + noise < v->band_low || v->low - noise > v->band_high);
    clear = clear && e->noise <= v->c->tolerance;
    if (clear && whole(v) && v->half <= v->width)
        return refuted(v, "is narrow and excludes the paper's value with its tolerance");
    if (excludes_one)
        return say(VERDICT_INCONCLUSIVE, "an effect of %.1f %% is not above the noise floor of %.1f %%",
                   100 * expm1(fabs(v->at)), 100 * e->noise);
    snprintf(why, sizeof why, "%.3f [%.3f, %.3f] includes 1", e->ratio, e->low, e->high);
    return unsettled(v, why);
}

static struct verdict judge_logs(const struct verdict_claim *c, const struct verdict_measurement *e)
{
    double unit = c->unit > 0 ? c->unit : 0.0005 * c->value;
    if (isnan(c->value)) {
        static const char *const SIDES[] = {"above 1", "below 1", "within the tolerance of 1"};
        bool holds = c->side == VERDICT_ABOVE   ? e->ratio > 1
                     : c->side == VERDICT_BELOW ? e->ratio < 1
                                                : fabs(log(e->ratio)) <= log1p(c->tolerance);
        return say(holds ? VERDICT_REANALYSED : VERDICT_NOT_REPRODUCED, "the authors' released results give %.4g, %s%s",
                   e->ratio, holds ? "" : "not ", SIDES[c->side]);
    }
    if (fabs(e->ratio - c->value) <= unit * (1 + 1e-9))
        return say(VERDICT_REANALYSED, "%.4g from the authors' released results, stated %.4g", e->ratio, c->value);
    return say(VERDICT_NOT_REPRODUCED, "the authors' released results give %.4g, not %.4g", e->ratio, c->value);
}

struct verdict verdict_of(const struct verdict_claim *c, const struct verdict_measurement *e)
{
    const char *reason = e->reason ? e->reason : "no reason given";
    if (e->source == VERDICT_NOTHING)
        return say(VERDICT_NOT_MEASURED, "%s", reason);
    if (e->source == VERDICT_FROM_LOGS)
        return judge_logs(c, e);
    if (e->gates == VERDICT_GATES_FAILED)
        return say(VERDICT_INVALID, "%s", reason);
    if (5 * e->networks < 4 * e->networks_all)
        return say(VERDICT_NOT_MEASURED, "%.3f over %d of %d networks, an average needs 80 %%", e->ratio, e->networks,
                   e->networks_all);
    if (!(e->ratio > 0) || isnan(e->low) || isnan(e->high))
        return say(VERDICT_NOT_MEASURED, "a kernel without a valid result leaves no ratio");
    if (e->budget == VERDICT_MECHANICS)
        return say(VERDICT_INCONCLUSIVE, "%.3f at tier smoke, which shows the mechanics only", e->ratio);
    struct view v = look(c, e);
    if (e->seeds < VERDICT_DIRECTION) {
        char why[80];
        snprintf(why, sizeof why, "%.3f from too few seeds", e->ratio);
        return unsettled(&v, why);
    }
    if (isnan(e->noise) || e->gates == VERDICT_GATES_UNKNOWN)
        return say(VERDICT_INCONCLUSIVE, "%.3f [%.3f, %.3f], but %s", e->ratio, e->low, e->high,
                   isnan(e->noise) ? "no noise floor was measured" : "the noise gates were not read");
    return judge(&v);
}
