/* SPDX-License-Identifier: Apache-2.0 */
/* markup: no text becomes markup, and what is written is UTF-8 whatever came in (RFC 3629 has the examples of wrong
 * sequences). */
#include "harness/report/render/markup.h"
#include "tests/lib/tap.h"

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
    is_marked("conv2d 3x3", "conv2d 3x3", "plain text stays as it is");
    is_marked("<script>alert('a' & \"b\")</script>",
              "&lt;script&gt;alert(&#39;a&#39; &amp; &quot;b&quot;)&lt;/script&gt;", "markup becomes text");
    is_marked("&amp;", "&amp;amp;", "what is escaped already is text too");
    is_marked("\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x8C\xA7", "\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x8C\xA7",
              "UTF-8 of 2, 3 and 4 bytes stays as it is");
    is_marked("a\xC0\x80z", "a" BAD BAD "z", "an overlong zero is replaced");
    is_marked("\xE2\x82", BAD BAD, "a sequence that is cut short is replaced");
    is_marked("\xED\xA0\x80", BAD BAD BAD, "a surrogate is replaced");
    is_marked("\xF4\x90\x80\x80", BAD BAD BAD BAD, "what is above U+10FFFF is replaced");
    is_marked("\x1b[31m\x7f\ttab", BAD "[31m" BAD "\ttab", "control characters are replaced, tabs are not");
}

int main(void)
{
    test_markup();
    return done_testing();
}
