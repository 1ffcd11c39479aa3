/* SPDX-License-Identifier: Apache-2.0 */
/* markup: a table of five entities. */
#include "harness/report/render/markup.h"

#include <stdio.h>
#include <stdlib.h>

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

void markup_printf(struct text *t, const char *fmt, ...)
{
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    char *s = n >= 0 ? malloc((size_t)n + 1) : NULL;
    if (s)
        vsnprintf(s, (size_t)n + 1, fmt, again);
    va_end(again);
    if (s)
        markup_text(t, s);
    free(s);
}
