/* SPDX-License-Identifier: Apache-2.0 */
/* repeat: TVM's time evaluator, harness/doc/measurement.md, "Timing protocol": discarded warm-up; then per repeat
 * number calls, and while the elapsed time is less than min_repeat_ms the number grows to max(min_repeat_ms / per-call
 * + 1, 1.618 number) and the repeat is run again; a grown number stays for later repeats; 100 readings of exactly zero
 * end the growing. Deviations: the number of warm-up calls is a setting; the cool-down comes between repeats and not
 * after the last; and with patience (off in all presets) a program that its warm-up call shows to be far from the
 * fastest is timed by single calls, if each of them agrees. What the full timing would have taken is computed from
 * their median: one of them may have waited for another program. */
#include "harness/measure/repeat.h"

#include "harness/base/clock.h"
#include "harness/base/hash.h"
#include "harness/base/rng.h"
#include "harness/stats/summary.h"

#include <math.h>

enum { ZEROS_MAX = 100 };
#define NUMBER_MAX 1e9
#define WORTH_S 0.02 /* less than this is not worth a shorter timing */

static int number_grown(int number, double elapsed_s, double least_s)
{
    double wanted = least_s / (elapsed_s / number) + 1, golden = number * 1.618;
    double grown = wanted > golden ? wanted : golden;
    return (int)(grown < NUMBER_MAX ? grown : NUMBER_MAX);
}

int repeat_enough(const struct regime *regime, double call_s)
{
    double enough = call_s > 0 ? ceil(1.05 * regime->min_repeat_ms / 1e3 / call_s) : 0;
    return (int)fmin(fmax(enough, (double)regime->number), NUMBER_MAX);
}

uint64_t repeat_draw(uint64_t seed, uint64_t hash)
{
    struct rng rng;
    rng_seed(&rng, hash_mix(hash_mix(seed, hash), hash_str("repeat")));
    return rng_next(&rng);
}

struct protocol { /* how readings are taken */
    int number, repeats;
    double least_s, cooldown_s;
    bool flush;
};

static struct protocol protocol_of(const struct regime *r)
{
    return (struct protocol){.number = r->cache_flush ? 1 : (int)r->number,
                             .repeats = r->repeat < SAMPLE_REPEATS ? (int)r->repeat : SAMPLE_REPEATS,
                             .least_s = r->cache_flush ? 0 : r->min_repeat_ms / 1e3,
                             .cooldown_s = r->cooldown_ms / 1e3,
                             .flush = r->cache_flush};
}

/* Seconds that the regime's timing takes, without warm-up, of a program whose calls take call_s each: all calls while
 * the number grows, number x repeats, and the pauses. */
static double repeat_full_s(const struct regime *regime, double call_s)
{
    const struct protocol p = protocol_of(regime);
    double sum = p.cooldown_s * (p.repeats - 1);
    int number = p.number;
    for (int i = 0; i < p.repeats; i++) {
        double elapsed = number * call_s;
        for (sum += elapsed; call_s > 0 && elapsed < p.least_s; sum += elapsed) {
            number = number_grown(number, elapsed, p.least_s);
            elapsed = number * call_s;
        }
    }
    return sum;
}

/* Adds the seconds of all calls to *timed_s. */
static enum outcome repeat_once(const struct protocol *p, const struct repeat *r, int *number, double *mean,
                                double *timed_s, char message[SAMPLE_MESSAGE])
{
    double elapsed = 0;
    int zeros = 0;
    do {
        if (r->before)
            r->before(r->ctx);
        if (p->flush && r->flush)
            r->flush(r->ctx);
        if (elapsed > 0)
            *number = number_grown(*number, elapsed, p->least_s);
        enum outcome o = r->call(r->ctx, *number, &elapsed, message);
        if (o != OUTCOME_OK)
            return o;
        *timed_s += elapsed;
        zeros += elapsed <= 0;
    } while (elapsed < p->least_s && zeros < ZEROS_MAX);
    *mean = elapsed / *number;
    return OUTCOME_OK;
}

/* *timed_s: seconds of all calls and pauses. */
static enum outcome readings(const struct protocol *p, const struct repeat *r, struct sample *out, double *timed_s)
{
    int number = p->number;
    *timed_s = 0;
    for (int i = 0; i < p->repeats; i++) {
        if (i && p->cooldown_s > 0) {
            clock_sleep(p->cooldown_s);
            *timed_s += p->cooldown_s;
        }
        enum outcome o = repeat_once(p, r, &number, &out->seconds[i], timed_s, out->message);
        if (o == OUTCOME_OK && r->check)
            o = r->check(r->ctx, i);
        if (o != OUTCOME_OK) {
            out->nseconds = 0;
            return o;
        }
        out->nseconds = i + 1;
    }
    return OUTCOME_OK;
}

/* Of this call's length, is a program so slow, and its full timing so long, that it is called less? */
static bool is_slow(const struct regime *regime, const struct repeat *r, double call_s)
{
    return regime->patience > 0 && r->fastest > 0 && call_s > regime->patience * r->fastest &&
           repeat_full_s(regime, call_s) - (double)regime->repeat * call_s > WORTH_S;
}

/* Single calls. *again: the full timing shall follow, since the readings do not bear out the warm-up call, or since the
 * program is drawn and its full timing cannot time out. */
static enum outcome slow_readings(const struct regime *regime, const struct repeat *r, struct sample *out, bool *again)
{
    struct protocol single = protocol_of(regime);
    double spent;
    single.number = 1;
    single.least_s = single.cooldown_s = 0;
    *again = false;
    enum outcome o = readings(&single, r, out, &spent);
    if (o != OUTCOME_OK)
        return o;
    double least = out->seconds[0];
    for (int i = 1; i < out->nseconds; i++)
        least = fmin(least, out->seconds[i]);
    bool slow = least > regime->patience * r->fastest;
    out->computed_s = slow ? repeat_full_s(regime, summary_median(out->seconds, out->nseconds)) : 0;
    *again = !slow || (r->draw % REPEAT_CHECKED == 0 && spent + out->computed_s < regime->run_timeout_s / 2);
    double booked = out->computed_s < regime->run_timeout_s ? out->computed_s : regime->run_timeout_s;
    out->spared_s = (*again ? 0 : booked) - spent;
    return OUTCOME_OK;
}

enum outcome repeat_time(const struct regime *regime, const struct repeat *r, struct sample *out)
{
    const struct protocol full = protocol_of(regime);
    double warm_s = 0, timed_s;
    out->nseconds = 0;
    out->spared_s = out->computed_s = out->full_s = 0;
    for (int i = 0; i < regime->warmup; i++) {
        if (r->before)
            r->before(r->ctx);
        enum outcome o = r->call(r->ctx, 1, &warm_s, out->message);
        if (o != OUTCOME_OK)
            return o;
    }
    if (is_slow(regime, r, warm_s)) {
        bool again;
        enum outcome o = slow_readings(regime, r, out, &again);
        if (o != OUTCOME_OK || !again)
            return o;
    }
    enum outcome o = readings(&full, r, out, &timed_s);
    if (o == OUTCOME_OK && out->computed_s > 0)
        out->full_s = timed_s;
    return o;
}

bool repeat_flush(const void *p, size_t n)
{
    enum { LINE = 64 };
    const char *at = (const char *)((uintptr_t)p / LINE * LINE), *end = (const char *)p + n;
#if defined(__x86_64__)
    for (; at < end; at += LINE)
        __builtin_ia32_clflush(at);
    __builtin_ia32_mfence();
    return true;
#elif defined(__aarch64__)
    for (; at < end; at += LINE)
        __asm__ volatile("dc civac, %0" ::"r"(at) : "memory");
    __asm__ volatile("dsb ish" ::: "memory");
    return true;
#else
    return at >= end;
#endif
}
