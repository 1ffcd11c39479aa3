/* SPDX-License-Identifier: Apache-2.0 */
/* verdict: the rules (harness/doc/measurement.md, "Verdict rules"), and what holds where two of them meet:
 * - coverage comes before gates: what was not measured is not invalid;
 * - a verdict takes VERDICT_DF degrees of freedom, a half width of at most ln(1 + d), and the claim's own budget. Where
 *   one of them lacks, the right side is "REPRODUCED (direction)", from VERDICT_DF_SIDE on, and anything else
 *   INCONCLUSIVE; only a side is refuted by a wide interval, if that leaves 1;
 * - "REPRODUCED (direction)" goes before "NOT REPRODUCED" when the side is right and the size is not;
 * - a claim that states a side only is REPRODUCED by the side alone;
 * - parity ("does not change") is REPRODUCED when the whole interval lies inside the band, and NOT REPRODUCED when none
 *   of it does (two one-sided tests). "As good" is a test of non-inferiority: REPRODUCED when the whole interval lies
 *   above 1 / (1 + d), NOT REPRODUCED when none of it does; better than that is never wrong;
 * - another machine class: TRANSFERRED where it would be one of the two REPRODUCED, the reason says which; what fails
 *   there is NOT REPRODUCED, and the reason says that it is not the paper's own cell;
 * - REANALYSED judges the authors' one run as it is: a number by its last digit, a side or parity by the estimate;
 * - an average over less than 80 % of its networks is NOT MEASURED;
 * - without a noise floor, or with unknown gates, a ratio is INCONCLUSIVE;
 * - a size is refuted only where the noise floor is not above the tolerance, and a band is only left by more than the
 *   floor. */
#include "harness/stats/verdict.h"

#include "harness/stats/pooled.h"
#include "harness/stats/seed_count.h"
#include "harness/stats/t_test.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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
    double value = isnan(c->value) && c->side == VERDICT_PARITY ? 1 : c->side == VERDICT_AS_GOOD ? 1 : c->value;
    struct view v = {.c = c, .e = e, .at = sign * log(e->ratio), .banded = !isnan(value), .width = log1p(c->tolerance)};
    v.low = sign > 0 ? log(e->low) : -log(e->high);
    v.high = sign > 0 ? log(e->high) : -log(e->low);
    v.half = (v.high - v.low) / 2;
    v.band_low = sign * log(value) - v.width;
    v.band_high = c->side == VERDICT_AS_GOOD ? INFINITY : sign * log(value) + v.width;
    return v;
}

static bool in_band(const struct view *v)
{
    return v->at >= v->band_low && v->at <= v->band_high;
}

/* Does the whole interval, with the noise floor, lie outside the band? */
static bool leaves_band(const struct view *v)
{
    double noise = log1p(v->e->noise);
    return v->high + noise < v->band_low || v->low - noise > v->band_high;
}

/* What keeps this from being a verdict; NULL: nothing does. */
static const char *lacks(const struct view *v, char text[80])
{
    if (v->e->budget != VERDICT_WHOLE)
        return "a reduced budget";
    if (v->e->df < VERDICT_DF) {
        snprintf(text, 80, "%.3g degree%s of freedom, %d give a verdict", v->e->df, v->e->df == 1 ? "" : "s",
                 VERDICT_DF);
        return text;
    }
    if (v->half <= v->width)
        return NULL;
    snprintf(text, 80, "the half width of %.1f %% is above the tolerance", 100 * expm1(v->half));
    return text;
}

/* ---- INCONCLUSIVE ---- */

/* The half width that would decide, were the estimate true: clear of 1, or narrow and clear of the band, or (parity)
 * inside or outside of it, the latter by more than the noise floor where one was measured; 0: none would. A reduced
 * budget decides about the side only. */
static double deciding_half(const struct view *v)
{
    double noise = isnan(v->e->noise) ? 0 : log1p(v->e->noise);
    double edge = fmin(fabs(v->at - v->band_low), fabs(v->at - v->band_high));
    bool inside = in_band(v), can = v->banded && v->e->budget == VERDICT_WHOLE;
    if (v->c->side == VERDICT_PARITY || v->c->side == VERDICT_AS_GOOD)
        return !can || v->width <= noise ? 0 : fmin(v->width, inside ? edge : fmax(edge - noise, 0));
    double clear = can && !inside && noise <= v->width ? fmin(edge - noise, v->width) : 0;
    if (v->c->side == VERDICT_NUMBER)
        return can && inside ? v->width : clear;
    return fmax(fabs(v->at) > noise ? fabs(v->at) : 0, clear);
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

/* The least number of seeds whose interval would be so narrow, with VERDICT_DF degrees of freedom; 0: none. */
static int seeds_for(const struct view *v, double half)
{
    int n = v->e->seeds, low = n, high = n + 1;
    if (n < 2 || !(v->e->df > 0) || !isfinite(v->half) || !(half > 0))
        return 0;
    while (half_of(v, high) > half || v->e->df / (n - 1) * (high - 1) < VERDICT_DF) {
        low = high;
        high *= 2;
        if (high > SEED_COUNT_MOST)
            return 0;
    }
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (half_of(v, middle) > half || v->e->df / (n - 1) * (middle - 1) < VERDICT_DF)
            low = middle;
        else
            high = middle;
    }
    return high;
}

static struct verdict unsettled(const struct view *v, const char *why)
{
    if (v->e->share)
        return say(VERDICT_INCONCLUSIVE,
                   "%s; it is a share of networks over one half: more networks narrow it, more seeds do not", why);
    int n = v->e->seeds, seeds = seeds_for(v, 0.999 * deciding_half(v));
    const char *command = v->e->command;
    if (n < 2 || !isfinite(v->half)) {
        struct verdict out =
            say(VERDICT_INCONCLUSIVE, "%s; the spread between seeds is not known with %d seed%s%s%s%s", why, n,
                n == 1 ? "" : "s", command ? ": " : "", command ? command : "", command ? " --set seeds=3" : "");
        out.more_seeds = 3 - n;
        return out;
    }
    if (seeds == 0)
        return say(VERDICT_INCONCLUSIVE, "%s; no number of seeds up to %d would settle it", why, SEED_COUNT_MOST);
    struct verdict out =
        say(VERDICT_INCONCLUSIVE, "%s; %d more seed%s (%d in all) would settle it if the estimate stays%s%s", why,
            seeds - n, seeds - n == 1 ? "" : "s", seeds, command ? ": " : "", command ? command : "");
    size_t used = strlen(out.reason);
    if (command)
        snprintf(out.reason + used, sizeof out.reason - used, " --set seeds=%d", seeds);
    out.more_seeds = seeds - n;
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

/* Inside or outside of a band (parity, as good, a number), by the interval or by the estimate alone. */
static struct verdict judge_band(const struct view *v)
{
    const struct verdict_measurement *e = v->e;
    bool number = v->c->side == VERDICT_NUMBER;
    bool inside = number ? in_band(v) : v->low >= v->band_low && v->high <= v->band_high, outside = leaves_band(v);
    char text[80], why[160];
    const char *lack = lacks(v, text), *what = number                         ? "the band about the paper's value"
                                               : v->c->side == VERDICT_PARITY ? "the band of parity"
                                                                              : "the range of as good";
    if (v->width <= log1p(e->noise))
        return say(VERDICT_INCONCLUSIVE, "the tolerance of %.1f %% is not above the noise floor of %.1f %%",
                   100 * v->c->tolerance, 100 * e->noise);
    snprintf(why, sizeof why, "%.3f [%.3f, %.3f]%s%s", e->ratio, e->low, e->high,
             lack ? ": " : " meets the band's edge", lack ? lack : "");
    if (e->budget != VERDICT_WHOLE)
        return say(VERDICT_INCONCLUSIVE, "%s", why);
    if (lack || (!inside && !outside))
        return unsettled(v, why);
    if (outside)
        return say(VERDICT_NOT_REPRODUCED, "%.3f [%.3f, %.3f] lies outside %s%s", e->ratio, e->low, e->high, what,
                   e->same_machine ? "" : "; on another machine class, so not the paper's own cell");
    return held(v, say(VERDICT_REPRODUCED, "%.3f [%.3f, %.3f] lies inside %s", e->ratio, e->low, e->high, what));
}

static struct verdict judge_right_side(const struct view *v)
{
    const struct verdict_measurement *e = v->e;
    char text[80];
    const char *lack = lacks(v, text);
    if (lack)
        return held(v,
                    say(VERDICT_DIRECTION_ONLY, "indicative, %s: %.3f [%.3f, %.3f]", lack, e->ratio, e->low, e->high));
    if (!v->banded)
        return held(v, say(VERDICT_REPRODUCED, "%.3f [%.3f, %.3f] is on the side that the claim states", e->ratio,
                           e->low, e->high));
    if (in_band(v))
        return held(v, say(VERDICT_REPRODUCED, "%.3f [%.3f, %.3f] lies in [%.3f, %.3f]", e->ratio, e->low, e->high,
                           v->c->value / (1 + v->c->tolerance), v->c->value * (1 + v->c->tolerance)));
    return held(v, say(VERDICT_DIRECTION_ONLY, "%.3f [%.3f, %.3f] is %.2f times the paper's %.3f", e->ratio, e->low,
                       e->high, e->ratio / v->c->value, v->c->value));
}

static struct verdict judge(const struct view *v)
{
    const struct verdict_measurement *e = v->e;
    bool excludes_one = v->low > 0 || v->high < 0;
    bool above_noise = fabs(v->at) > log1p(e->noise);
    char why[160], text[80];
    const char *lack = lacks(v, text);
    if (v->c->side >= VERDICT_PARITY)
        return judge_band(v);
    snprintf(why, sizeof why, "%.3f [%.3f, %.3f]", e->ratio, e->low, e->high);
    if (e->df < VERDICT_DF_SIDE) {
        snprintf(why, sizeof why, "%.3f with %.3g degrees of freedom", e->ratio, e->df);
        return unsettled(v, why);
    }
    if (excludes_one && above_noise && v->low > 0)
        return judge_right_side(v);
    bool known = e->df >= VERDICT_DF && e->budget == VERDICT_WHOLE;
    if (excludes_one && above_noise && known)
        return refuted(v, "is on the other side of 1");
    if (excludes_one && above_noise && e->budget != VERDICT_WHOLE)
        return say(VERDICT_INCONCLUSIVE, "%s is on the other side of 1, but of %s", why, lack);
    if (excludes_one && above_noise) {
        snprintf(why, sizeof why, "%.3f [%.3f, %.3f] is on the other side of 1, but %s", e->ratio, e->low, e->high,
                 lack);
        return unsettled(v, why);
    }
    if (v->banded && leaves_band(v) && e->noise <= v->c->tolerance && !lack)
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
        static const char *const SIDES[] = {"above 1", "below 1", "within the tolerance of 1",
                                            "as good, with the tolerance"};
        double at = log(e->ratio), width = log1p(c->tolerance);
        bool holds = c->side == VERDICT_ABOVE     ? at > 0
                     : c->side == VERDICT_BELOW   ? at < 0
                     : c->side == VERDICT_AS_GOOD ? at >= -width
                                                  : fabs(at) <= width;
        return say(holds ? VERDICT_REANALYSED : VERDICT_NOT_REPRODUCED, "the authors' released results give %.4g, %s%s",
                   e->ratio, holds ? "" : "not ", SIDES[c->side]);
    }
    if (fabs(e->ratio - c->value) <= unit * (1 + 1e-9))
        return say(VERDICT_REANALYSED, "%.4g from the authors' released results, stated %.4g", e->ratio, c->value);
    return say(VERDICT_NOT_REPRODUCED, "the authors' released results give %.4g, not %.4g", e->ratio, c->value);
}

/* With what would cure it. */
static struct verdict curable(struct verdict v, const struct verdict_measurement *e)
{
    size_t used = strlen(v.reason);
    if (e->cure)
        snprintf(v.reason + used, sizeof v.reason - used, "; %s", e->cure);
    return v;
}

/* What was not measured, of the claim's own; false: all of it was. */
static bool uncovered(const struct verdict_measurement *e, struct verdict *out)
{
    const char *reason = e->reason ? e->reason : "no reason given";
    if (e->source == VERDICT_NOTHING)
        *out = say(VERDICT_NOT_MEASURED, "%s", reason);
    else if (5 * e->networks < 4 * e->networks_all)
        *out = say(VERDICT_NOT_MEASURED, "%.3f over %d of %d networks, an average needs 80 %%", e->ratio, e->networks,
                   e->networks_all);
    else if (!(e->ratio > 0) || isnan(e->low) || isnan(e->high))
        *out = say(VERDICT_NOT_MEASURED, "a kernel without a valid result leaves no ratio");
    else if (e->budget == VERDICT_MECHANICS)
        *out = say(VERDICT_NOT_MEASURED, "%.3f at a budget that shows the mechanics only", e->ratio);
    else
        return false;
    *out = curable(*out, e);
    return true;
}

struct verdict verdict_of(const struct verdict_claim *c, const struct verdict_measurement *e)
{
    struct verdict out;
    if (e->source == VERDICT_FROM_LOGS)
        return judge_logs(c, e);
    if (uncovered(e, &out))
        return out;
    if (e->gates == VERDICT_GATES_FAILED)
        return curable(say(VERDICT_INVALID, "%s", e->reason ? e->reason : "a gate failed"), e);
    if (isnan(e->noise) || e->gates == VERDICT_GATES_UNKNOWN)
        return say(VERDICT_INCONCLUSIVE, "%.3f [%.3f, %.3f], but %s%s%s", e->ratio, e->low, e->high,
                   isnan(e->noise) ? "no noise floor was measured" : "the gates were not read", e->reason ? ": " : "",
                   e->reason ? e->reason : "");
    struct view v = look(c, e);
    return judge(&v);
}
