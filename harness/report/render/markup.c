/* SPDX-License-Identifier: Apache-2.0 */
/* markup: a table of five entities. */
#include "harness/report/render/markup.h"

static const char *entity(unsigned char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return (c < 0x20 && c != '\n' && c != '\t') || c == 0x7F ? "\xEF\xBF\xBD" : NULL;
    }
}

void markup_text(struct text *t, const char *s)
{
    const unsigned char *at = (const unsigned char *)s;
    while (*at) {
        size_t n = utf8_length(at);
        const char *e = n == 0 ? "\xEF\xBF\xBD" : n == 1 ? entity(*at) : NULL;
        if (e)
            text_add(t, e);
        else
            text_addn(t, (const char *)at, n);
        at += n ? n : 1;
    }
}
