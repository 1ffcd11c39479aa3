/* SPDX-License-Identifier: Apache-2.0 */
/* regime and repeat: presets carry the papers' numbers, and the timing loop is TVM's, followed call by call on a kernel
 * whose time is made up. Expected call sequences are worked out by hand from TVM's protocol
 * (harness/doc/measurement.md). */
#include "harness/measure/regime.h"
#include "harness/measure/repeat.h"
#include "tests/lib/tap.h"

#include <string.h>

static struct regime preset(const char *name)
{
    struct regime r = {0};
    struct err err = {0};
    if (!regime_named(name, &r, &err))
        fail("%s: %s", name, err.text);
    return r;
}

static void test_presets(void)
{
    for (int i = 0; regime_presets[i].name; i++) {
        struct regime r = preset(regime_presets[i].name);
        ok(r.repeat >= 1 && r.number >= 1 && r.verify && *regime_presets[i].source,
           "the preset %s has numbers, verifies and names its source", regime_presets[i].name);
    }
    struct regime tvm = preset("tvm"), tvmc = preset("tvmc"), droplet = preset("droplet");
    /* harness/doc/droplet.md, "How the authors timed" */
    ok(tvm.number == 3 && tvm.repeat == 1 && tvm.min_repeat_ms == 100 && tvm.build_timeout_s == 15 &&
           tvm.run_timeout_s == 10 && tvm.warmup == 1,
       "the preset tvm has TVM's defaults");
    ok(tvmc.number == 10 && tvmc.repeat == 3 && tvmc.min_repeat_ms == 0, "the preset tvmc has tvmc's numbers");
    ok(droplet.number == 3 && droplet.repeat == 3 && droplet.min_repeat_ms == 0,
       "the preset droplet has the Droplet paper's numbers");
    struct text text = {0};
    tvmc.patience = 5;
    tvmc.overlap = false;
    setting_print(regime_settings, &tvmc, &text);
    ok(strstr(text_str(&text), ",patience=5,overlap=no"), "patience and overlap are printed");
    text_free(&text);
    struct regime r;
    struct err err = {0};
    ok(!regime_named("dropelt", &r, &err) && strstr(err.text, "did you mean 'droplet'"),
       "an unknown preset gets the nearest name: %s", err.text);
}

struct kernel {
    double per_call;
    int calls[64], ncalls, flushes, fail_at;
};

static enum outcome call(void *ctx, int number, double *seconds, char message[SAMPLE_MESSAGE])
{
    struct kernel *k = ctx;
    if (k->ncalls == k->fail_at) {
        strcpy(message, "broken");
        return OUTCOME_CRASHED;
    }
    if (k->ncalls < 64)
        k->calls[k->ncalls] = number;
    k->ncalls++;
    *seconds = k->per_call * number;
    return OUTCOME_OK;
}

static void flush(void *ctx)
{
    ((struct kernel *)ctx)->flushes++;
}

/* Times calls of so many seconds; *k notes them. */
static enum outcome timed(struct kernel *k, double per_call, const struct regime *g, const struct repeat *r,
                          struct sample *s)
{
    *k = (struct kernel){.per_call = per_call, .fail_at = -1};
    return repeat_time(g, r, s);
}

static void test_loop(void)
{
    struct kernel k = {.per_call = 0.0625, .fail_at = -1};
    struct repeat r = {.call = call, .flush = flush, .ctx = &k};
    struct regime g = preset("droplet");
    static struct sample s;
    ok(repeat_time(&g, &r, &s) == OUTCOME_OK, "a kernel is timed with number 3 and repeat 3");
    is_mem(k.calls, ((int[]){1, 3, 3, 3}), 4 * sizeof(int),
           "number 3 and repeat 3 make one warm-up call and three times three calls");
    is_int(s.nseconds, 3, "repeat 3 gives three times");
    is_near(s.seconds[2], 0.0625, 1e-12, "a time is of one call");
    is_int(k.flushes, 0, "caches are not flushed unless that is asked for");

    /* 1 ms calls, 100 ms wanted: 3 calls give 3 ms, then number = max(100/1 + 1, 1.618 * 3) = 101, which stays */
    g = preset("default");
    g.min_repeat_ms = 100 * 0x1p-10 * 1e3;
    ok(timed(&k, 0x1p-10, &g, &r, &s) == OUTCOME_OK, "a kernel is timed with min_repeat_ms");
    is_mem(k.calls, ((int[]){1, 3, 101, 101, 101}), 5 * sizeof(int),
           "number jumps to what min_repeat_ms needs and stays");

    is_int(repeat_enough(&g, 0x1p-10), 105, "enough calls of 1 ms last 100 ms, and a twentieth more");
    is_int(repeat_enough(&g, 1), 3, "the regime's number is the least");
    is_int(repeat_enough(&g, 0), 3, "of calls that take no time nobody knows how many are enough");
    struct regime next = g;
    next.number = repeat_enough(&g, 0x1p-10);
    next.repeat = 1;
    ok(timed(&k, 0x1p-10, &next, &r, &s) == OUTCOME_OK && k.ncalls == 2, "a slice that begins with enough is one run");

    g.repeat = 1;
    ok(timed(&k, 0, &g, &r, &s) == OUTCOME_OK && s.seconds[0] == 0, "a kernel that takes no time is timed");
    is_int(k.ncalls, 101, "growing ends after a hundred readings of zero");

    g = preset("p1-ansor");
    ok(timed(&k, 1e-3, &g, &r, &s) == OUTCOME_OK, "a kernel is timed with cache flush");
    is_mem(k.calls, ((int[]){1, 1, 1, 1}), 4 * sizeof(int), "cache flush forces number 1 and no growth");
    is_int(k.flushes, 3, "caches are flushed once per repeat");

    k = (struct kernel){.per_call = 1, .fail_at = 2};
    ok(repeat_time(&g, &r, &s) == OUTCOME_CRASHED && s.nseconds == 0,
       "a call that fails ends the timing without times");
    is_str(s.message, "broken", "the message is that of the call that failed");
}

/* Programs that are called less, against the fastest of 0.25 s. */
static void test_patience(void)
{
    struct kernel k = {.per_call = 0.25, .fail_at = -1};
    struct repeat r = {.call = call, .ctx = &k};
    struct regime g;
    static struct sample s;
    g = preset("droplet");
    g.patience = 5;
    ok(timed(&k, 0.25, &g, &r, &s) == OUTCOME_OK && s.spared_s == 0 && s.computed_s == 0,
       "the first program of a task is not slow");
    is_mem(k.calls, ((int[]){1, 3, 3, 3}), 4 * sizeof(int), "the first program is timed in full");
    r.fastest = 0.25;
    r.draw = 1;
    g.run_timeout_s = 1000;
    ok(timed(&k, 2, &g, &r, &s) == OUTCOME_OK, "a program eight times slower than the fastest is timed");
    is_mem(k.calls, ((int[]){1, 1, 1, 1}), 4 * sizeof(int), "a program beyond the patience is timed by single calls");
    is_near(s.seconds[2], 2, 1e-12, "the time of a single call is the program's");
    is_near(s.computed_s, 18, 1e-12, "the full timing of a slow program is computed from its calls");
    is_near(s.spared_s, 12, 1e-12, "what a slow program was spared is the full timing less its single calls");
    is_near(s.full_s, 0, 0, "a slow program that is not drawn is not timed in full");
    g.run_timeout_s = 10;
    ok(timed(&k, 2, &g, &r, &s) == OUTCOME_OK && s.spared_s == 10 - 6,
       "a slow program is booked at most the time-out of runs");
    r.draw = REPEAT_CHECKED;
    ok(timed(&k, 2, &g, &r, &s) == OUTCOME_OK && k.ncalls == 4,
       "a drawn program whose full timing would time out is not timed in full");
    g.run_timeout_s = 1000;
    ok(timed(&k, 2, &g, &r, &s) == OUTCOME_OK, "a drawn slow program is timed");
    is_mem(k.calls, ((int[]){1, 1, 1, 1, 3, 3, 3}), 7 * sizeof(int), "a drawn slow program is timed in full, too");
    is_near(s.full_s, s.computed_s, 1e-12, "the computed timing of a steady program is the measured one");
    is_near(s.spared_s, -6, 1e-12, "the single calls of a drawn program are taken from its clock");
    g.min_repeat_ms = 10e3;
    ok(timed(&k, 2, &g, &r, &s) == OUTCOME_OK && s.full_s == s.computed_s,
       "the computed timing follows the growth of the number");
    r.draw = 1;
    r.fastest = 1e-4;
    g = preset("droplet");
    g.patience = 5;
    ok(timed(&k, 1e-3, &g, &r, &s) == OUTCOME_OK && s.spared_s == 0, "a slow program of short calls is timed in full");
    r.fastest = 0.25;
    ok(timed(&k, 1, &g, &r, &s) == OUTCOME_OK, "a program within the patience is timed");
    is_mem(k.calls, ((int[]){1, 3, 3, 3}), 4 * sizeof(int), "a program within the patience is timed in full");
    s.outcome = OUTCOME_OK;
    ok(sample_faster(0, &s) == 1 && sample_faster(0.5, &s) == 0.5 && sample_faster(2, &s) == 1,
       "the fastest program so far is that of the least mean");
}

int main(void)
{
    test_presets();
    test_loop();
    test_patience();
    char line[256];
    memset(line, 5, sizeof line);
    repeat_flush(line, sizeof line);
    ok(line[0] == 5 && line[255] == 5, "flushing caches keeps the data");
    return done_testing();
}
