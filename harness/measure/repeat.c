/* SPDX-License-Identifier: Apache-2.0 */
/* repeat: TVM's time evaluator, harness/doc/measurement.md, "Timing protocol": discarded warm-up; then per repeat
 * number calls, and while the elapsed time is less than min_repeat_ms the number grows to max(min_repeat_ms / per-call
 * + 1, 1.618 number) and the repeat is run again; a grown number stays for later repeats; 100 readings of exactly zero
 * end the growing. Deviations: the number of warm-up calls is a setting; the cool-down comes between repeats and not
 * after the last; and with patience (off in all presets) a program that its warm-up call shows to be far from the
 * fastest is timed by single calls. */
#include "harness/measure/repeat.h"

#include "harness/base/clock.h"
#include "harness/stats/summary.h"

enum { ZEROS_MAX = 100 };
#define NUMBER_MAX 1e9

static int number_grown(int number, double elapsed_s, double least_s)
{
    double wanted = least_s / (elapsed_s / number) + 1, golden = number * 1.618;
    double grown = wanted > golden ? wanted : golden;
    return (int)(grown < NUMBER_MAX ? grown : NUMBER_MAX);
}

static enum outcome repeat_once(const struct repeat *r, int *number, double least_s, bool flush, double *mean,
                                char message[SAMPLE_MESSAGE])
{
    double elapsed = 0;
    int zeros = 0;
    do {
        if (r->before)
            r->before(r->ctx);
        if (flush && r->flush)
            r->flush(r->ctx);
        if (elapsed > 0)
            *number = number_grown(*number, elapsed, least_s);
        enum outcome o = r->call(r->ctx, *number, &elapsed, message);
        if (o != OUTCOME_OK)
            return o;
        zeros += elapsed <= 0;
    } while (elapsed < least_s && zeros < ZEROS_MAX);
    *mean = elapsed / *number;
    return OUTCOME_OK;
}

enum outcome repeat_time(const struct regime *regime, const struct repeat *r, struct sample *out)
{
    bool flush = regime->cache_flush;
    int number = flush ? 1 : (int)regime->number;
    double least_s = flush ? 0 : regime->min_repeat_ms / 1e3, warm_s = 0;
    for (int i = 0; i < regime->warmup; i++) {
        if (r->before)
            r->before(r->ctx);
        enum outcome o = r->call(r->ctx, 1, &warm_s, out->message);
        if (o != OUTCOME_OK)
            return o;
    }
    if (r->fastest && *r->fastest > 0 && regime->patience > 0 && warm_s > regime->patience * *r->fastest) {
        number = 1;
        least_s = 0;
    }
    int repeats = regime->repeat < SAMPLE_REPEATS ? (int)regime->repeat : SAMPLE_REPEATS;
    out->nseconds = 0;
    for (int i = 0; i < repeats; i++) {
        if (i && regime->cooldown_ms > 0)
            clock_sleep(regime->cooldown_ms / 1e3);
        enum outcome o = repeat_once(r, &number, least_s, flush, &out->seconds[i], out->message);
        if (o != OUTCOME_OK) {
            out->nseconds = 0;
            return o;
        }
        out->nseconds = i + 1;
        if (r->check && (o = r->check(r->ctx, i)) != OUTCOME_OK) {
            out->nseconds = 0;
            return o;
        }
    }
    double mean = summary_mean(out->seconds, out->nseconds);
    if (r->fastest && (*r->fastest <= 0 || mean < *r->fastest))
        *r->fastest = mean;
    return OUTCOME_OK;
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
