/* SPDX-License-Identifier: Apache-2.0 */
/* text: a growing string. The hot callers print state text by text_addn and text_int, so those two avoid printf.
 * Numbers follow the C locale: raingauge never calls setlocale. */
#include "harness/base/text.h"

#include "harness/base/arena.h"
#include "harness/base/err.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void text_room(struct text *t, size_t more)
{
    size_t need = t->len + more + 1;
    if (need <= t->cap)
        return;
    size_t cap = t->cap ? t->cap * 2 : 64;
    if (cap < need)
        cap = need;
    char *s = realloc(t->s, cap);
    if (!s) {
        fprintf(stderr, "raingauge: out of memory: text of %zu bytes\n", cap);
        _exit(EXIT_INTERNAL);
    }
    t->s = s;
    t->cap = cap;
}

void text_free(struct text *t)
{
    free(t->s);
    *t = (struct text){0};
}

void text_clear(struct text *t)
{
    t->len = 0;
    if (t->s)
        t->s[0] = 0;
}

void text_addn(struct text *t, const char *s, size_t n)
{
    text_room(t, n);
    if (n)
        memcpy(t->s + t->len, s, n);
    t->len += n;
    t->s[t->len] = 0;
}

void text_names(struct text *t, const char *const *names, int n)
{
    for (int i = 0; i < n; i++) {
        text_add(t, i ? ", " : "");
        text_add(t, names[i]);
    }
}

void text_char(struct text *t, char c)
{
    text_room(t, 1);
    t->s[t->len++] = c;
    t->s[t->len] = 0;
}

void text_int(struct text *t, int64_t v)
{
    char buf[24];
    char *end = buf + sizeof buf, *p = end;
    uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
    do {
        *--p = (char)('0' + u % 10);
        u /= 10;
    } while (u);
    if (v < 0)
        *--p = '-';
    text_addn(t, p, (size_t)(end - p));
}

void text_printf(struct text *t, const char *fmt, ...)
{
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    text_room(t, 63);
    size_t room = t->cap - t->len;
    int n = vsnprintf(t->s + t->len, room, fmt, args);
    va_end(args);
    if (n < 0)
        bug("cannot format '%s'", fmt);
    if ((size_t)n >= room) {
        text_room(t, (size_t)n);
        vsnprintf(t->s + t->len, (size_t)n + 1, fmt, again);
    }
    va_end(again);
    t->len += (size_t)n;
}

char *text_keep(struct text *t, struct arena *a)
{
    char *kept = arena_str(a, text_str(t));
    text_free(t);
    return kept;
}

size_t utf8_length(const unsigned char *s)
{
    if (s[0] < 0x80)
        return 1;
    size_t n = s[0] >= 0xc2 && s[0] <= 0xdf ? 2 : (s[0] & 0xf0) == 0xe0 ? 3 : s[0] >= 0xf0 && s[0] <= 0xf4 ? 4 : 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90);
    bool out_of_range = (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf4 && s[1] > 0x8f);
    return n && (overlong || out_of_range) ? 0 : n;
}

void text_utf8(struct text *t, const char *s)
{
    for (const unsigned char *p = (const unsigned char *)s; *p;) {
        size_t n = utf8_length(p);
        if (n)
            text_addn(t, (const char *)p, n);
        else
            text_add(t, "\xEF\xBF\xBD");
        p += n ? n : 1;
    }
}

void text_shell(struct text *t, const char *s)
{
    text_char(t, '\'');
    for (; *s; s++)
        if (*s == '\'')
            text_add(t, "'\\''");
        else
            text_char(t, *s);
    text_char(t, '\'');
}

/* Bytes that are no UTF-8 (a compiler's message may hold any) become U+FFFD, so that the line stays valid JSON. */
void text_json(struct text *t, const char *s)
{
    text_char(t, '"');
    for (const unsigned char *p = (const unsigned char *)s; *p;) {
        size_t n = utf8_length(p);
        if (n == 0)
            text_add(t, "\\ufffd");
        else if (*p == '"' || *p == '\\')
            text_printf(t, "\\%c", *p);
        else if (*p == '\n')
            text_add(t, "\\n");
        else if (*p == '\t')
            text_add(t, "\\t");
        else if (*p < 0x20 || *p == 0x7f)
            text_printf(t, "\\u%04x", *p);
        else
            text_addn(t, (const char *)p, n);
        p += n ? n : 1;
    }
    text_char(t, '"');
}

__extension__ typedef unsigned __int128 wide;

/* digits x 10^(place - n + 1), as %g prints it where there is a fraction and place is -99 to 16. */
static void add_decimal(struct text *t, uint64_t digits, int place)
{
    while (digits % 10 == 0)
        digits /= 10;
    char buf[24];
    int n = 0, at = sizeof buf, whole = place < -4 ? 1 : place + 1;
    for (; digits; digits /= 10, n++)
        buf[--at] = (char)('0' + digits % 10);
    if (whole <= 0)
        text_addn(t, "0.000", (size_t)(2 - whole));
    else {
        text_addn(t, buf + at, (size_t)whole);
        at += whole;
        n -= whole;
        text_addn(t, ".", n > 0);
    }
    text_addn(t, buf + at, (size_t)n);
    if (place < -4) {
        const char exponent[] = {'e', '-', (char)('0' - place / 10), (char)('0' - place % 10)};
        text_addn(t, exponent, sizeof exponent);
    }
}

/* The fewest of 15 to 17 digits that read back, rounded as %g rounds, of 1e-11 <= |v| < 1e15 that is no whole number.
 * All is exact: |v| is m / 2^(53 - e), so |v| x 10^k is m 5^k / 2^(53 - e - k), and one more in m is 5^k. False, with
 * nothing added: v is at a power of ten. */
static bool add_exactly(struct text *t, double v)
{
    int e, k = 0;
    const uint64_t least_m = UINT64_C(1) << 52, m = (uint64_t)ldexp(frexp(fabs(v), &e), 53);
    uint64_t five = 1, least = UINT64_C(100000000000000);
    for (double scaled = fabs(v); scaled < 1e14; k++) {
        scaled *= 10;
        five *= 5;
    }
    for (int place = 14 - k; least < UINT64_C(100000000000000000); k++, five *= 5, least *= 10) {
        int shift = 53 - e - k;
        wide x = (wide)m * five, half = (wide)1 << shift >> 1;
        uint64_t digits = (uint64_t)((x + half) >> shift);
        digits -= digits % 2 && (x & (2 * half - 1)) == half; /* half to even */
        wide near = (wide)digits << shift, off = near > x ? near - x : x - near;
        if (digits <= least || digits >= 10 * least)
            return false;
        if ((near < x && m == least_m ? 4 : 2) * off < five) { /* doubles are closer below a power of two */
            text_addn(t, "-", v < 0);
            add_decimal(t, digits, place);
            return true;
        }
    }
    return false;
}

void text_number(struct text *t, double v)
{
    if (!isfinite(v)) {
        text_add(t, "null");
        return;
    }
    if (fabs(v) < 1e15 && v == floor(v) && !(v == 0 && signbit(v))) {
        text_int(t, (int64_t)v);
        return;
    }
    if (fabs(v) >= 1e-11 && fabs(v) < 1e15 && add_exactly(t, v))
        return;
    /* %.15g drops trailing zeros and any decimal of up to 15 digits survives a double, so these three are enough. */
    static const char *const FORMS[] = {"%.15g", "%.16g", "%.17g"};
    char buf[40];
    for (int i = 0; i < 3; i++) {
        strfromd(buf, sizeof buf, FORMS[i], v); /* snprintf takes twice as long */
        if (strtod(buf, NULL) == v)
            break;
    }
    text_add(t, buf);
}

void text_heading(struct text *t, const char *title)
{
    text_printf(t, "\n%s\n", title);
    for (; *title; title++)
        text_char(t, '-');
    text_char(t, '\n');
}

void text_cell(struct text *t, int width, int digits, double v)
{
    if (isfinite(v))
        text_printf(t, " %*.*f", width, digits, v);
    else
        text_printf(t, " %*s", width, "-");
}

const char *text_str(const struct text *t)
{
    return t->s ? t->s : "";
}

bool str_eq(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

bool str_starts(const char *s, const char *prefix)
{
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

bool str_ends(const char *s, const char *suffix)
{
    size_t n = strlen(s), m = strlen(suffix);
    return n >= m && memcmp(s + n - m, suffix, m) == 0;
}

bool str_int(const char *s, int64_t *out)
{
    const char *digits = *s == '-' || *s == '+' ? s + 1 : s;
    if (!*digits || digits[strspn(digits, "0123456789")])
        return false;
    errno = 0;
    long long v = strtoll(s, NULL, 10);
    if (errno)
        return false;
    *out = v;
    return true;
}

bool str_real(const char *s, double *out)
{
    if (!*s || s[strspn(s, "+-.0123456789eE")])
        return false;
    char *end;
    double v = strtod(s, &end);
    if (*end || end == s || !isfinite(v))
        return false;
    *out = v;
    return true;
}

enum { NEAREST_MAX = 63 };

/* Edit distance with swaps of neighbours (optimal string alignment): a swap is the most common slip. */
static int edit_distance(const char *a, int n, const char *b, int m)
{
    int row[3][NEAREST_MAX + 1];
    int *old = row[0], *last = row[1], *now = row[2];
    for (int j = 0; j <= m; j++)
        last[j] = j;
    for (int i = 1; i <= n; i++) {
        now[0] = i;
        for (int j = 1; j <= m; j++) {
            int best = last[j - 1] + (a[i - 1] != b[j - 1]);
            best = last[j] + 1 < best ? last[j] + 1 : best;
            best = now[j - 1] + 1 < best ? now[j - 1] + 1 : best;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && old[j - 2] + 1 < best)
                best = old[j - 2] + 1;
            now[j] = best;
        }
        int *spent = old;
        old = last;
        last = now;
        now = spent;
    }
    return last[m];
}

const char *str_nearest(const char *s, const char *const *candidates, int n)
{
    size_t len = strlen(s);
    if (len == 0 || len > NEAREST_MAX)
        return NULL;
    const char *nearest = NULL;
    int best = 1 + (int)len / 3;
    for (int i = 0; i < n; i++) {
        size_t m = strlen(candidates[i]);
        if (m > NEAREST_MAX)
            continue;
        int d = edit_distance(s, (int)len, candidates[i], (int)m);
        if (d < best || (d == best && !nearest)) {
            best = d;
            nearest = candidates[i];
        }
    }
    return nearest;
}

bool str_unknown(struct err *err, const char *what, const char *s, const char *const *candidates, int n)
{
    const char *near = str_nearest(s, candidates, n);
    struct text all = {0};
    if (near)
        text_printf(&all, "did you mean '%s'?", near);
    else
        text_add(&all, n ? "there are " : "there are none");
    if (!near)
        text_names(&all, candidates, n);
    err_set(err, "unknown %s '%s': %s", what, s, text_str(&all));
    text_free(&all);
    return false;
}
