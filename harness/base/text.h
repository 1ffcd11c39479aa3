/* SPDX-License-Identifier: Apache-2.0 */
/* text: a growing string in malloc'd memory, always 0-terminated, and small string helpers. */
#pragma once
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct text {
    char *s; /* never NULL after the first append; text_str() gives "" before */
    size_t len, cap;
};

void text_free(struct text *t);
void text_clear(struct text *t);             /* length 0, memory kept */
void text_room(struct text *t, size_t more); /* the next `more` bytes take no other memory */
void text_addn(struct text *t, const char *s, size_t n);
static inline void text_add(struct text *t, const char *s)
{
    text_addn(t, s, strlen(s));
}
void text_char(struct text *t, char c);
void text_int(struct text *t, int64_t v);                         /* fast decimal */
void text_names(struct text *t, const char *const *names, int n); /* "a, b, c" */
void text_printf(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void text_utf8(struct text *t, const char *s);  /* bytes that are no UTF-8 become U+FFFD */
void text_json(struct text *t, const char *s);  /* quoted and escaped JSON string */
void text_shell(struct text *t, const char *s); /* a word in quotes for a POSIX shell */
void text_number(struct text *t, double v);     /* shortest decimal that reads back to v; "null" if not finite */
/* A number in a column after a blank, "-" if it is not finite. */
void text_cell(struct text *t, int width, int digits, double v);
/* A line, underlined, after an empty one. */
void text_heading(struct text *t, const char *title);
const char *text_str(const struct text *t);
struct arena;
char *text_keep(struct text *t, struct arena *a); /* copies it into an arena and frees it */

/* Length of the well-formed UTF-8 sequence at s (RFC 3629), 0 if there is none: overlong, surrogate, above U+10FFFF,
 * cut short. */
size_t utf8_length(const unsigned char *s);

bool str_eq(const char *a, const char *b);
bool str_starts(const char *s, const char *prefix);
bool str_ends(const char *s, const char *suffix);
bool str_int(const char *s, int64_t *out); /* whole string, decimal */
bool str_real(const char *s, double *out); /* whole string, finite */
/* The candidate nearest to s by edit distance if near enough for a "did you mean" hint, else NULL. */
const char *str_nearest(const char *s, const char *const *candidates, int n);
/* "unknown searcher 'anser': did you mean 'ansor'?", else all names, in err. Returns false. */
struct err;
bool str_unknown(struct err *err, const char *what, const char *s, const char *const *candidates, int n);
