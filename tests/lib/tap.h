/* SPDX-License-Identifier: Apache-2.0 */
/* tap: a small producer of TAP 13 for the test programs. Usage:
 *
 *     int main(void)
 *     {
 *         ok(1 + 1 == 2, "sums");
 *         is_int(text.len, 3, "length of %s", text.s);
 *         return done_testing();
 *     }
 *
 * Every check returns whether it held, so that dependent ones can be left out. The program's status is 0 when all held.
 */
#pragma once
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int done_testing(void);
_Noreturn void skip_all(const char *reason, ...) __attribute__((format(printf, 1, 2))); /* before any check */

bool ok_at(const char *file, int line, bool held, const char *name, ...) __attribute__((format(printf, 4, 5)));
bool is_int_at(const char *file, int line, int64_t got, int64_t want, const char *name, ...)
    __attribute__((format(printf, 5, 6)));
bool is_str_at(const char *file, int line, const char *got, const char *want, const char *name, ...)
    __attribute__((format(printf, 5, 6))); /* either may be NULL */
/* |got - want| <= relative * max(|got|, |want|); equal infinities and two NaNs agree. For want 0 use ok(). */
bool is_near_at(const char *file, int line, double got, double want, double relative, const char *name, ...)
    __attribute__((format(printf, 6, 7)));
bool is_mem_at(const char *file, int line, const void *got, const void *want, size_t n, const char *name, ...)
    __attribute__((format(printf, 6, 7)));

#define ok(...) ok_at(__FILE__, __LINE__, __VA_ARGS__)
#define is_int(...) is_int_at(__FILE__, __LINE__, __VA_ARGS__)
#define is_str(...) is_str_at(__FILE__, __LINE__, __VA_ARGS__)
#define is_near(...) is_near_at(__FILE__, __LINE__, __VA_ARGS__)
#define is_mem(...) is_mem_at(__FILE__, __LINE__, __VA_ARGS__)
#define pass(...) ok(true, __VA_ARGS__)
#define fail(...) ok(false, __VA_ARGS__)

void skip(const char *reason, const char *name, ...) __attribute__((format(printf, 2, 3))); /* one point, not run */
void diag(const char *fmt, ...) __attribute__((format(printf, 1, 2)));                      /* "# ..." on stderr */

/* Where the published data lies: $RAINGAUGE_SHARED/name, default ../shared/name. NULL when it is not there; the
 * string is static and lasts until the next call. */
const char *shared_path(const char *name);
