/* SPDX-License-Identifier: Apache-2.0 */
/* duel: medians, since a launch that falls into a slow spell of the machine is far off and tells nothing of the
 * programs. The variance of a median is that of its bootstrap, which needs no model of the noise. */
#include "harness/stats/duel.h"

#include "harness/base/err.h"
#include "harness/base/hash.h"
#include "harness/base/rng.h"
#include "harness/stats/summary.h"
#include "harness/stats/t_test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VARIANCE_DRAWS = 99 };

void duel_order(uint64_t seed, int programs, int mirrors, int *turns)
{
    struct rng rng;
    rng_seed(&rng, seed);
    for (int m = 0; m < mirrors; m++) {
        int *there = turns + 2 * m * programs, *back = there + programs;
        for (int i = 0; i < programs; i++)
            there[i] = i;
        rng_shuffle(&rng, there, programs);
        for (int i = 0; i < programs; i++)
            back[i] = there[programs - 1 - i];
    }
}

int duel_mirrors(const struct duel_rules *rules, int programs, double slowest_s)
{
    const double pause_s = 0.003; /* harness/measure/sliced_run.c */
    double slice_s = fmax(rules->slice_ms / 1e3, (double)rules->slice_calls * slowest_s) + slowest_s + pause_s;
    double fit = rules->launch_ms / 1e3 / (2 * programs * slice_s);
    return fit < 1 || !isfinite(fit) ? 1 : (int)fmin(fit, (double)rules->mirrors);
}

/* ---- one duel ---- */

/* The paired log ratios of the launches that have one, into out; how many. */
static int pairs_of(const struct duel *d, int p, int q, double *out)
{
    int n = 0;
    for (int i = 0; i < d->launches; i++) {
        double v = d->logs[i * d->programs + p] - d->logs[i * d->programs + q];
        if (isfinite(v))
            out[n++] = v;
    }
    return n;
}

static double *numbers(int n)
{
    double *v = malloc((size_t)(n + 1) * sizeof *v);
    if (!v)
        bug("out of memory for %d numbers of a duel", n);
    return v;
}

double duel_log_ratio(const struct duel *d, int p, int q, int *n)
{
    double *pairs = numbers(d->launches);
    int found = pairs_of(d, p, q, pairs);
    double median = found ? summary_median(pairs, found) : NAN;
    free(pairs);
    if (n)
        *n = found;
    return p == q ? 0 : median;
}

double duel_seconds(const struct duel *d, int p)
{
    double *logs = numbers(d->launches);
    int n = 0;
    for (int i = 0; i < d->launches; i++)
        if (isfinite(d->logs[i * d->programs + p]))
            logs[n++] = d->logs[i * d->programs + p];
    double median = n ? exp(summary_median(logs, n)) : NAN;
    free(logs);
    return median;
}

double duel_p(const struct duel *d, int p, int q)
{
    double *pairs = numbers(d->launches), value = NAN;
    int n = pairs_of(d, p, q, pairs);
    double sd = n > 1 ? summary_sd(pairs, n) : 0;
    if (p != q && sd > 0)
        value = t_test_p(summary_mean(pairs, n) / (sd / sqrt(n)), n - 1);
    free(pairs);
    return value;
}

/* ---- drawing launches again ---- */

enum { LEGS = 2 };
struct drawing {
    const struct duel_set *s;
    struct arena *a;
    struct ranked { /* a paired log ratio of a launch */
        double pair;
        int launch;
    } **ranked;      /* of each leg [term * LEGS + leg]: launches that have a ratio, by rising ratio */
    int *nranked;    /* of each leg */
    double *median;  /* of each leg */
    double *ratio;   /* of each term: the sum of its legs' medians; 0: one program; NAN: none is known */
    int **drawn;     /* of each duel: how often each launch was drawn */
    double *inverse; /* of each term: 1 / ratio of all launches or of those drawn */
};

static int by_pair(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    return (x->pair > y->pair) - (x->pair < y->pair);
}

static void leg_open(struct drawing *d, int at, const struct duel_leg *leg)
{
    d->median[at] = NAN;
    if (leg->duel < 0)
        return;
    const struct duel *of = &d->s->duels[leg->duel];
    struct ranked *r = d->ranked[at] = ARENA_ARRAY(d->a, struct ranked, of->launches + 1);
    for (int i = 0; i < of->launches; i++) {
        double v = of->logs[i * of->programs + leg->over] - of->logs[i * of->programs + leg->under];
        if (isfinite(v))
            r[d->nranked[at]++] = (struct ranked){v, i};
    }
    qsort(r, (size_t)d->nranked[at], sizeof *r, by_pair);
    d->median[at] = duel_log_ratio(of, leg->over, leg->under, NULL);
}

static void drawing_open(struct drawing *d, struct arena *a, const struct duel_set *s)
{
    *d = (struct drawing){.s = s, .a = a};
    d->ranked = ARENA_ARRAY(a, struct ranked *, LEGS * s->nterms + 1);
    d->nranked = ARENA_ARRAY(a, int, LEGS * s->nterms + 1);
    d->median = ARENA_ARRAY(a, double, LEGS * s->nterms + 1);
    d->ratio = ARENA_ARRAY(a, double, s->nterms + 1);
    d->inverse = ARENA_ARRAY(a, double, s->nterms + 1);
    d->drawn = ARENA_ARRAY(a, int *, s->nduels + 1);
    for (int i = 0; i < s->nduels; i++)
        d->drawn[i] = ARENA_ARRAY(a, int, s->duels[i].launches + 1);
    for (int t = 0; t < s->nterms; t++)
        for (int l = 0; l < s->terms[t].nlegs; l++) {
            leg_open(d, LEGS * t + l, &s->terms[t].legs[l]);
            d->ratio[t] += d->median[LEGS * t + l];
        }
}

static void draw_launches(const struct drawing *d, struct rng *rng)
{
    for (int k = 0; k < d->s->nduels; k++) {
        int n = d->s->duels[k].launches;
        memset(d->drawn[k], 0, sizeof *d->drawn[k] * (size_t)n);
        for (int i = 0; i < n; i++)
            d->drawn[k][rng_below(rng, (uint64_t)n)]++;
    }
}

/* The place-th of the drawn ratios, from 0; *at: of the ranked. */
static double drawn_place(const struct ranked *r, const int *drawn, int place, int *at, int *passed)
{
    while (*passed + drawn[r[*at].launch] <= place)
        *passed += drawn[r[(*at)++].launch];
    return r[*at].pair;
}

/* Median of a leg over the launches drawn; that of all launches where none of them has a ratio. */
static double drawn_leg(const struct drawing *d, int t, int l)
{
    int leg = LEGS * t + l, duel = d->s->terms[t].legs[l].duel, n = 0, at = 0, passed = 0;
    const struct ranked *r = d->ranked[leg];
    if (d->nranked[leg] == d->s->duels[duel].launches)
        n = d->nranked[leg]; /* as many are drawn as there are */
    else
        for (int i = 0; i < d->nranked[leg]; i++)
            n += d->drawn[duel][r[i].launch];
    if (n == 0)
        return d->median[leg];
    double low = drawn_place(r, d->drawn[duel], (n - 1) / 2, &at, &passed);
    return n % 2 ? low : (low + drawn_place(r, d->drawn[duel], n / 2, &at, &passed)) / 2;
}

static double drawn_ratio(const struct drawing *d, int t)
{
    double sum = 0;
    for (int l = 0; l < d->s->terms[t].nlegs; l++)
        sum += drawn_leg(d, t, l);
    return sum;
}

/* ---- contrasts ---- */

struct sums {
    struct known { /* terms that have a ratio, in their order */
        double seconds;
        int term, block;
    } *known;
    int nknown;
    /* of each block */
    double *over, *under;
    int *contrast;     /* of each block */
    double *log_ratio; /* of each contrast */
    int *blocks;       /* of each contrast */
};

static void sums_open(struct sums *b, const struct drawing *d, const struct duel_set *s)
{
    struct arena *a = d->a;
    b->over = ARENA_ARRAY(a, double, s->nblocks + 1);
    b->under = ARENA_ARRAY(a, double, s->nblocks + 1);
    b->contrast = ARENA_ARRAY(a, int, s->nblocks + 1);
    b->log_ratio = ARENA_ARRAY(a, double, s->ncontrasts + 1);
    b->blocks = ARENA_ARRAY(a, int, s->ncontrasts + 1);
    b->known = ARENA_ARRAY(a, struct known, s->nterms + 1);
    b->nknown = 0;
    for (int i = 0; i < s->nblocks; i++)
        b->contrast[i] = -1;
    for (int t = 0; t < s->nterms; t++) {
        const struct duel_term *term = &s->terms[t];
        b->contrast[term->block] = term->contrast;
        if (isnan(d->ratio[t]))
            continue;
        b->over[term->block] += term->seconds;
        b->known[b->nknown++] = (struct known){term->seconds, t, term->block};
    }
}

static void invert(const struct drawing *d, bool drawn)
{
    for (int t = 0; t < d->s->nterms; t++)
        d->inverse[t] = isnan(d->ratio[t]) ? NAN : exp(-(drawn ? drawn_ratio(d, t) : d->ratio[t]));
}

/* Log ratio of each contrast of a set with the terms' inverses. */
static void contrasts_of(const struct drawing *d, const struct duel_set *s, struct sums *b)
{
    memset(b->under, 0, sizeof *b->under * (size_t)s->nblocks);
    for (int c = 0; c < s->ncontrasts; c++)
        b->log_ratio[c] = b->blocks[c] = 0;
    for (const struct known *t = b->known, *end = t + b->nknown; t < end;) {
        int block = t->block; /* its terms follow one another: added up in a register */
        double sum = b->under[block];
        for (; t < end && t->block == block; t++)
            sum += t->seconds * d->inverse[t->term];
        b->under[block] = sum;
    }
    for (int i = 0; i < s->nblocks; i++)
        if (b->over[i] > 0) {
            b->log_ratio[b->contrast[i]] += log(b->over[i] / b->under[i]);
            b->blocks[b->contrast[i]]++;
        }
    for (int c = 0; c < s->ncontrasts; c++)
        b->log_ratio[c] = b->blocks[c] ? b->log_ratio[c] / b->blocks[c] : NAN;
}

/* Has each leg of a contrast launches enough? Those without any ratio are left out of it. */
static bool has_enough(const struct drawing *d, const struct duel_set *s, int contrast)
{
    for (int t = 0; t < s->nterms; t++) {
        const struct duel_term *term = &s->terms[t];
        for (int l = 0; l < term->nlegs && term->contrast == contrast && !isnan(d->ratio[t]); l++) {
            const struct duel *of = &s->duels[term->legs[l].duel];
            int n;
            duel_log_ratio(of, term->legs[l].over, term->legs[l].under, &n);
            if (of->launches < DUEL_LEAST || n < 3)
                return false;
        }
    }
    return true;
}

static void count_terms(const struct drawing *d, const struct duel_set *s, struct duel_interval *out)
{
    for (int t = 0; t < s->nterms; t++) {
        const struct duel_term *term = &s->terms[t];
        struct duel_interval *c = &out[term->contrast];
        c->kernels++;
        c->identical += term->nlegs == 0;
        c->missing += isnan(d->ratio[t]);
        for (int l = 0; l < term->nlegs; l++) {
            const struct duel_leg *leg = &term->legs[l];
            int n = 0;
            if (leg->duel >= 0)
                duel_log_ratio(&s->duels[leg->duel], leg->over, leg->under, &n);
            c->launches += n;
        }
    }
}

/* all: [contrast][draw], log ratios. */
static void intervals_of(const struct drawing *d, const struct duel_set *s, const double *all, int draws,
                         struct duel_interval *out)
{
    for (int c = 0; c < s->ncontrasts; c++, all += draws) {
        if (!isfinite(out[c].ratio) || draws < 2 || !has_enough(d, s, c))
            continue;
        double low = summary_quantile(all, draws, (1 - DUEL_CONFIDENCE) / 2),
               high = summary_quantile(all, draws, (1 + DUEL_CONFIDENCE) / 2);
        out[c].low = exp(low);
        out[c].high = exp(high);
        out[c].half_width = (high - low) / 2;
    }
    count_terms(d, s, out);
}

void duel_intervals_each(struct arena *a, const struct duel_set *const *sets, int n, int draws, uint64_t seed,
                         struct duel_interval *const *out)
{
    struct arena_mark mark = arena_mark(a);
    struct drawing d;
    struct sums *b = ARENA_ARRAY(a, struct sums, n);
    double **all = ARENA_ARRAY(a, double *, n);
    struct rng rng;
    drawing_open(&d, a, sets[0]);
    rng_seed(&rng, seed);
    invert(&d, false);
    for (int k = 0; k < n; k++) {
        if (sets[k]->nterms != sets[0]->nterms)
            bug("sets of duels with %d and %d terms", sets[k]->nterms, sets[0]->nterms);
        sums_open(&b[k], &d, sets[k]);
        contrasts_of(&d, sets[k], &b[k]);
        all[k] = ARENA_ARRAY(a, double, (int64_t)draws *sets[k]->ncontrasts + 1);
        for (int c = 0; c < sets[k]->ncontrasts; c++)
            out[k][c] =
                (struct duel_interval){.ratio = exp(b[k].log_ratio[c]), .low = NAN, .high = NAN, .half_width = NAN};
    }
    for (int i = 0; i < draws; i++) {
        draw_launches(&d, &rng);
        invert(&d, true);
        for (int k = 0; k < n; k++) {
            contrasts_of(&d, sets[k], &b[k]);
            for (int c = 0; c < sets[k]->ncontrasts; c++)
                all[k][c * draws + i] = b[k].log_ratio[c];
        }
    }
    for (int k = 0; k < n; k++)
        intervals_of(&d, sets[k], all[k], draws, out[k]);
    arena_release(a, mark);
}

void duel_intervals(struct arena *a, const struct duel_set *s, int draws, uint64_t seed, struct duel_interval *out)
{
    duel_intervals_each(a, &s, 1, draws, seed, &out);
}

bool duel_null_fails(const struct duel_interval *null, double asked)
{
    return (null->low > 1 || null->high < 1) && fabs(log(null->ratio)) > asked;
}

/* ---- the next launch ---- */

int duel_least(int nduels, const struct duel_rules *rules, const int *had, uint64_t seed)
{
    int best = -1;
    uint64_t place = 0;
    for (int i = 0; i < nduels; i++) {
        if (had[i] >= rules->min_launches)
            continue;
        uint64_t here = hash_mix(seed, (uint64_t)i + ((uint64_t)had[i] << 32));
        if (best >= 0 && (had[i] > had[best] || (had[i] == had[best] && here > place)))
            continue;
        best = i;
        place = here;
    }
    return best;
}

/* Of each leg: variance of its median, times the square of how much its log ratio moves its contrast's. */
static double *variances_of(const struct drawing *d, struct sums *b, uint64_t seed)
{
    const struct duel_set *s = d->s;
    double *out = ARENA_ARRAY(d->a, double, LEGS * s->nterms + 1),
           *sum = ARENA_ARRAY(d->a, double, LEGS * s->nterms + 1);
    struct rng rng;
    rng_seed(&rng, seed);
    invert(d, false);
    contrasts_of(d, s, b);
    for (int i = 0; i < VARIANCE_DRAWS; i++) {
        draw_launches(d, &rng);
        for (int t = 0; t < s->nterms; t++)
            for (int l = 0; l < s->terms[t].nlegs; l++) {
                double off = drawn_leg(d, t, l) - d->median[LEGS * t + l];
                sum[LEGS * t + l] += off;
                out[LEGS * t + l] += off * off;
            }
    }
    for (int t = 0; t < s->nterms; t++) {
        const struct duel_term *term = &s->terms[t];
        double weight = term->seconds * exp(-d->ratio[t]) / b->under[term->block] / b->blocks[term->contrast];
        for (int l = 0; l < term->nlegs; l++) {
            double *v = &out[LEGS * t + l], mean = sum[LEGS * t + l] / VARIANCE_DRAWS;
            *v = isnan(d->ratio[t]) ? 0 : weight * weight * fmax(0, *v / VARIANCE_DRAWS - mean * mean);
        }
    }
    return out;
}

/* Half widths from the variances; where these say that all are narrow enough, from the bootstrap. The widest. */
static double half_widths(const struct drawing *d, const double *variances, const struct duel_rules *rules,
                          uint64_t seed, double *out)
{
    const struct duel_set *s = d->s;
    double widest = 0;
    for (int c = 0; c < s->ncontrasts; c++)
        out[c] = 0;
    for (int t = 0; t < s->nterms; t++)
        for (int l = 0; l < s->terms[t].nlegs; l++)
            out[s->terms[t].contrast] += variances[LEGS * t + l];
    for (int c = 0; c < s->ncontrasts; c++)
        widest = fmax(widest, out[c] = 1.96 * sqrt(out[c]));
    if (widest > rules->half_width)
        return widest;
    struct duel_interval *intervals = ARENA_ARRAY(d->a, struct duel_interval, s->ncontrasts + 1);
    duel_intervals(d->a, s, DUEL_DRAWS, seed, intervals);
    widest = 0;
    for (int c = 0; c < s->ncontrasts; c++)
        widest = fmax(widest, out[c] = intervals[c].half_width);
    return widest;
}

/* The duel whose next launch takes most from the intervals that are too wide; -1: none may have one. */
static int most_gain(const struct drawing *d, const struct duel_rules *rules, const int *had, const double *variances,
                     const double *widths)
{
    const struct duel_set *s = d->s;
    double *gain = ARENA_ARRAY(d->a, double, s->nduels + 1), most = 0;
    int best = -1;
    for (int t = 0; t < s->nterms; t++) {
        const struct duel_term *term = &s->terms[t];
        for (int l = 0; l < term->nlegs; l++)
            if (term->legs[l].duel >= 0 && widths[term->contrast] > rules->half_width)
                gain[term->legs[l].duel] += variances[LEGS * t + l] / (s->duels[term->legs[l].duel].launches + 1);
    }
    for (int i = 0; i < s->nduels; i++)
        if (had[i] < rules->max_launches && gain[i] > most) {
            most = gain[i];
            best = i;
        }
    return best;
}

int duel_next(struct arena *a, const struct duel_set *s, const struct duel_rules *rules, const int *had, uint64_t seed,
              double *widest)
{
    int best = duel_least(s->nduels, rules, had, seed);
    *widest = INFINITY;
    if (best >= 0)
        return best;
    struct arena_mark mark = arena_mark(a);
    struct drawing d;
    struct sums b;
    drawing_open(&d, a, s);
    sums_open(&b, &d, s);
    double *variances = variances_of(&d, &b, seed), *widths = ARENA_ARRAY(a, double, s->ncontrasts + 1);
    *widest = half_widths(&d, variances, rules, seed, widths);
    best = *widest > rules->half_width ? most_gain(&d, rules, had, variances, widths) : -1;
    arena_release(a, mark);
    return best;
}
