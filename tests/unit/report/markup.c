/* SPDX-License-Identifier: Apache-2.0 */
/* markup: no text becomes markup, and what is written is UTF-8 whatever came in (RFC 3629 has the examples of wrong
 * sequences). chart: ticks are round values within the range; a chart with nothing to draw says so. */
#include "harness/report/render/markup.h"
#include "harness/report/render/chart.h"
#include "tests/lib/tap.h"

#include <math.h>
#include <string.h>

static void is_marked(const char *in, const char *want, const char *name)
{
    struct text t = {0};
    markup_text(&t, in);
    is_str(text_str(&t), want, name);
    text_free(&t);
}

#define BAD "\xEF\xBF\xBD"

static void test_markup(void)
{
    is_marked("conv2d 3x3", "conv2d 3x3", "plain text");
    is_marked("<script>alert('a' & \"b\")</script>",
              "&lt;script&gt;alert(&#39;a&#39; &amp; &quot;b&quot;)&lt;/script&gt;", "markup");
    is_marked("&amp;", "&amp;amp;", "what is escaped already is text too");
    is_marked("\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x8C\xA7", "\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x8C\xA7",
              "UTF-8 of 2, 3, 4 bytes");
    is_marked("a\xC0\x80z", "a" BAD BAD "z", "an overlong zero");
    is_marked("\xE2\x82", BAD BAD, "cut short");
    is_marked("\xED\xA0\x80", BAD BAD BAD, "a surrogate");
    is_marked("\xF4\x90\x80\x80", BAD BAD BAD BAD, "above U+10FFFF");
    is_marked("\x1b[31m\x7f\ttab", BAD "[31m" BAD "\ttab", "control characters");
    struct text t = {0};
    markup_printf(&t, "%s=%d", "<b>", 3);
    markup_cell(&t, 2, 1.005e2);
    markup_cell(&t, 2, NAN);
    markup_cell(&t, 2, INFINITY);
    is_str(text_str(&t), "&lt;b&gt;=3<td>100.50</td><td>&#8211;</td><td>&#8211;</td>", "cells");
    text_free(&t);
}

static void test_ticks(double low, double high, bool is_log, const char *want)
{
    double at[CHART_TICKS + 1];
    struct text t = {0};
    int n = chart_ticks(low, high, is_log, at);
    for (int i = 0; i < n; i++)
        text_printf(&t, i ? " %g" : "%g", at[i]);
    is_str(text_str(&t), want, want);
    text_free(&t);
}

static void test_chart(void)
{
    static const double x[] = {1, NAN, 100, 1000}, y[] = {2, 3, INFINITY, 4}, no[] = {NAN, -1, 0, INFINITY};
    struct chart_series s = {.name = "</text><script>", .x = x, .y = y, .n = 4, .dots = true};
    struct chart c = {
        .title = "\"><b>", .x_label = "<x>", .y_label = "&", .x_log = true, .y_log = true, .series = &s, .n = 1};
    struct text t = {0};
    chart_draw(&c, &t);
    ok(strstr(text_str(&t), "<svg") && !strstr(text_str(&t), "<script") && !strstr(text_str(&t), "<b>") &&
           !strstr(text_str(&t), "<x>"),
       "names in a chart are text");
    ok(!strstr(text_str(&t), "nan") && !strstr(text_str(&t), "inf"), "what is not finite is not drawn");
    int dots = 0;
    for (const char *at = text_str(&t); (at = strstr(at, "<circle")); at++)
        dots++;
    is_int(dots, 2, "the points that are finite");
    text_clear(&t);
    s.y = no;
    chart_draw(&c, &t);
    ok(!strstr(text_str(&t), "aria-label") && strstr(text_str(&t), "nothing to draw"), "no point: it says so");
    text_free(&t);
}

int main(void)
{
    test_markup();
    test_ticks(0.9, 1100, true, "1 10 100 1000");
    test_ticks(1, 120000, true, "1 10 100 1000 10000 100000");
    test_ticks(0.2, 1.4, true, "0.2 0.3 0.5 0.7 1");
    test_ticks(0.975, 1.035, true, "0.98 1 1.02");
    test_ticks(0, 12, false, "0 5 10");
    test_ticks(-3, 3, false, "-2 0 2");
    test_ticks(5, 5, false, "");
    test_chart();
    return done_testing();
}
