/* SPDX-License-Identifier: Apache-2.0 */
/* text: the growing string, JSON escapes, numbers that read back, the nearest name; and err, which is text too. */
#include "harness/base/text.h"
#include "harness/base/clock.h"
#include "harness/base/err.h"
#include "harness/base/rng.h"
#include "tests/lib/tap.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void test_append(void)
{
    struct text t = {0};
    is_str(text_str(&t), "", "a text is empty before the first append");
    text_add(&t, "ab");
    text_char(&t, 'c');
    text_addn(&t, "defg", 2);
    text_printf(&t, "%05d", 42);
    is_str(text_str(&t), "abcde00042", "a text holds what was appended");
    text_clear(&t);
    is_int((int64_t)t.len, 0, "a cleared text is empty");
    for (int i = 0; i < 500; i++)
        text_printf(&t, "%d,", i);
    is_int((int64_t)t.len, 10 * 2 + 90 * 3 + 400 * 4, "a text grows through printf");
    ok(strlen(t.s) == t.len && str_ends(t.s, "498,499,"), "a grown text is whole and ended");
    text_free(&t);
}

static void test_int(void)
{
    static const int64_t CASES[] = {0, 1, -1, 9, 10, 99, 100, INT64_MAX, INT64_MIN};
    struct text t = {0};
    for (int i = 0; i < (int)(sizeof CASES / sizeof *CASES); i++) {
        char want[32];
        snprintf(want, sizeof want, "%" PRId64, CASES[i]);
        text_clear(&t);
        text_int(&t, CASES[i]);
        is_str(text_str(&t), want, "an integer prints as the decimal %s", want);
    }
    text_free(&t);
}

static void number(double v, const char *want)
{
    struct text t = {0};
    text_number(&t, v);
    is_str(text_str(&t), want, "a double prints as its shortest decimal: %.17g", v);
    text_free(&t);
}

/* Fractions that have few bits (ties among digits), few digits, and neighbours of powers of ten and two. */
static void test_as_printf(struct rng *r)
{
    int wrong = 0;
    struct text t = {0};
    for (int i = 0; i < 40000; i++) {
        uint64_t bits = rng_next(r);
        double few = (double)(bits >> (11 + i % 40)), tens = pow(10, (int)(bits % 24) - 12),
               v = i % 4 == 0   ? ldexp(few, -(int)(bits % 64))
                   : i % 4 == 1 ? -round(rng_unit(r) * 1e6) * tens
                   : i % 4 == 2 ? nextafter(tens, bits & 64 ? 0 : INFINITY)
                                : nextafter(ldexp(1, (int)(bits % 88) - 40), bits & 128 ? 0 : INFINITY);
        char want[40];
        int digits = 15;
        do
            snprintf(want, sizeof want, "%.*g", digits, v);
        while (strtod(want, NULL) != v && digits++ < 17);
        text_clear(&t);
        text_number(&t, v);
        wrong += v != floor(v) && strcmp(text_str(&t), want) != 0;
    }
    is_int(wrong, 0, "40000 fractions print as printf's %%.15g to %%.17g, whichever reads back first");
    text_free(&t);
}

static void test_number(void)
{
    number(0.1, "0.1");
    number(1.0 / 3, "0.3333333333333333");
    number(0.1 + 0.2, "0.30000000000000004");
    number(100, "100");
    number(-2.5e-7, "-2.5e-07");
    number(1e22, "1e+22");
    number(-0.0, "-0");
    number(NAN, "null");
    number(-INFINITY, "null");
    struct rng r;
    rng_seed(&r, 5);
    int wrong = 0;
    struct text t = {0};
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = rng_next(&r);
        double v;
        memcpy(&v, &bits, sizeof v);
        if (!isfinite(v))
            continue;
        text_clear(&t);
        text_number(&t, v);
        wrong += strtod(text_str(&t), NULL) != v;
    }
    is_int(wrong, 0, "20000 random doubles print to what reads back");
    text_free(&t);
    test_as_printf(&r);
}

static void json_is(const char *s, const char *want)
{
    struct text t = {0};
    text_json(&t, s);
    is_str(text_str(&t), want, "a string is escaped as JSON");
    text_free(&t);
}

static void test_json_escape(void)
{
    json_is("plain", "\"plain\"");
    json_is("a\"b\\c\nd\te\x01", "\"a\\\"b\\\\c\\nd\\te\\u0001\"");
    json_is("gr\xc3\xb6\xc3\x9f"
            "e \xf0\x9f\x98\x80",
            "\"gr\xc3\xb6\xc3\x9f"
            "e \xf0\x9f\x98\x80\"");
    json_is("\xff|\xc3|\xc0\xaf|\xed\xa0\x80|\xf4\x90\x80\x80",
            "\"\\ufffd|\\ufffd|\\ufffd\\ufffd|\\ufffd\\ufffd\\ufffd|\\ufffd\\ufffd\\ufffd\\ufffd\"");
    json_is("cut \xe2\x82", "\"cut \\ufffd\\ufffd\"");
}

static void test_parse(void)
{
    int64_t i = 0;
    ok(str_int("-9223372036854775808", &i) && i == INT64_MIN, "the least 64-bit integer is read");
    ok(!str_int("9223372036854775808", &i) && !str_int("", &i) && !str_int("1 ", &i) && !str_int("0x1", &i) &&
           !str_int("-", &i) && !str_int(" 1", &i) && !str_int("1.0", &i),
       "text that is no 64-bit integer is refused");
    double d = 0;
    ok(str_real("1e-3", &d) && d == 1e-3 && str_real("-.5", &d) && d == -0.5,
       "decimals with exponent or without a leading digit are read");
    ok(!str_real("nan", &d) && !str_real("inf", &d) && !str_real("1e999", &d) && !str_real("1x", &d) &&
           !str_real("", &d) && !str_real("0x10", &d) && !str_real("e", &d),
       "text that is no finite number is refused");
    ok(str_eq("a", "a") && !str_eq("a", NULL) && str_starts("abc", "ab") && !str_starts("a", "ab") &&
           str_ends("abc", "bc") && !str_ends("c", "bc"),
       "strings are compared whole, by beginning and by end");
}

static void test_nearest(void)
{
    static const char *const NAMES[] = {"ansor", "droplet", "random", "grid", "pruner"};
    is_str(str_nearest("drolpet", NAMES, 5), "droplet", "a swap of letters is near");
    is_str(str_nearest("ansr", NAMES, 5), "ansor", "a lost letter is near");
    is_str(str_nearest("randon", NAMES, 5), "random", "a wrong letter is near");
    is_str(str_nearest("annealing", NAMES, 5), NULL, "a name too far off is not near");
    is_str(str_nearest("", NAMES, 5), NULL, "no name is near an empty one");
}

static void test_err(void)
{
    struct err err = {0};
    ok(!err_set(&err, "no '%s'", "x") && err.code == EXIT_USAGE, "an error is false and a usage error");
    ok(!err_context(&err, "file %d", 3), "err_context returns false");
    is_str(err.text, "file 3: no 'x'", "context goes in front of an error");
    char blocks[2000];
    memset(blocks, 'y', sizeof blocks - 1);
    blocks[sizeof blocks - 1] = 0;
    err_context(&err, "%s", blocks);
    is_int((int64_t)strlen(err.text), (int64_t)sizeof err.text - 1, "an error with long context is cut");
    err_set(&err, "%s", blocks);
    err_context(&err, "front");
    ok(str_starts(err.text, "front: yyy") && strlen(err.text) == sizeof err.text - 1,
       "a long error is cut after its context");
    ok(!err_set(NULL, "x") && !err_context(NULL, "x"), "without a struct nothing is written");
    err = (struct err){.code = EXIT_INVALID};
    err_set(&err, "x");
    is_int(err.code, EXIT_INVALID, "an exit code set before stays");
}

static void test_clock(void)
{
    char out[64], iso[32];
    static const struct {
        double seconds;
        const char *want;
    } CASES[] = {{0.4, "0 s"},         {45, "45 s"}, {200, "3 min 20 s"}, {3900, "1 h 05 min"},
                 {59.7, "1 min 00 s"}, {-1, "?"},    {NAN, "?"}};
    for (int i = 0; i < (int)(sizeof CASES / sizeof *CASES); i++) {
        clock_format(CASES[i].seconds, out, sizeof out);
        is_str(out, CASES[i].want, "%g seconds are written for people", CASES[i].seconds);
    }
    clock_iso(1769860800, iso);
    is_str(iso, "2026-01-31T12:00:00Z", "a time is written as ISO 8601 in UTC (date -u -d @1769860800)");
    double before = clock_now();
    clock_sleep(0.01);
    ok(clock_now() - before >= 0.01, "a sleep does not end early");
}

int main(void)
{
    test_append();
    test_int();
    test_number();
    test_json_escape();
    test_parse();
    test_nearest();
    test_err();
    test_clock();
    return done_testing();
}
