/* SPDX-License-Identifier: Apache-2.0 */
/* tap: the producer. Version line 13 and not 14, because prove of Debian 12 fails files that say 14. Lines are flushed
 * one by one: tests fork and crash children, and a buffered line would come twice or never. */
#include "tests/lib/tap.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int count, failed;

static void begin(void)
{
    static bool begun;
    if (!begun)
        puts("TAP version 13");
    begun = true;
}

int done_testing(void)
{
    begin();
    printf("1..%d\n", count);
    fflush(stdout);
    return failed > 0 || count == 0;
}

void skip_all(const char *reason, ...)
{
    begin();
    va_list args;
    va_start(args, reason);
    fputs("1..0 # SKIP ", stdout);
    vprintf(reason, args);
    va_end(args);
    puts("");
    fflush(stdout);
    exit(0);
}

/* A '#' in a name would start a directive. */
static void print_name(const char *name, va_list args)
{
    char text[512];
    vsnprintf(text, sizeof text, name, args);
    for (char *p = text; *p; p++)
        if (*p == '#' || *p == '\n')
            *p = ' ';
    fputs(text, stdout);
}

static bool report(const char *file, int line, bool held, const char *name, va_list args)
{
    begin();
    printf("%sok %d - ", held ? "" : "not ", ++count);
    print_name(name, args);
    puts("");
    fflush(stdout);
    if (!held) {
        failed++;
        diag("failed at %s:%d", file, line);
    }
    return held;
}

bool ok_at(const char *file, int line, bool held, const char *name, ...)
{
    va_list args;
    va_start(args, name);
    report(file, line, held, name, args);
    va_end(args);
    return held;
}

bool is_int_at(const char *file, int line, int64_t got, int64_t want, const char *name, ...)
{
    va_list args;
    va_start(args, name);
    bool held = report(file, line, got == want, name, args);
    va_end(args);
    if (!held)
        diag("  got  %" PRId64 "\n  want %" PRId64, got, want);
    return held;
}

bool is_str_at(const char *file, int line, const char *got, const char *want, const char *name, ...)
{
    va_list args;
    va_start(args, name);
    bool same = got == want || (got && want && strcmp(got, want) == 0);
    bool held = report(file, line, same, name, args);
    va_end(args);
    if (!held)
        diag("  got  '%s'\n  want '%s'", got ? got : "(null)", want ? want : "(null)");
    return held;
}

static bool near(double got, double want, double relative)
{
    if (isnan(got) || isnan(want))
        return isnan(got) && isnan(want);
    if (isinf(got) || isinf(want))
        return got == want;
    return fabs(got - want) <= relative * fmax(fabs(got), fabs(want));
}

bool is_near_at(const char *file, int line, double got, double want, double relative, const char *name, ...)
{
    va_list args;
    va_start(args, name);
    bool held = report(file, line, near(got, want, relative), name, args);
    va_end(args);
    if (!held)
        diag("  got  %.17g\n  want %.17g within a relative %g", got, want, relative);
    return held;
}

bool is_mem_at(const char *file, int line, const void *got, const void *want, size_t n, const char *name, ...)
{
    va_list args;
    va_start(args, name);
    bool held = report(file, line, memcmp(got, want, n) == 0, name, args);
    va_end(args);
    const unsigned char *a = got, *b = want;
    for (size_t i = 0; !held && i < n; i++) {
        if (a[i] == b[i])
            continue;
        diag("  first difference at byte %zu: got %02x, want %02x", i, a[i], b[i]);
        break;
    }
    return held;
}

void skip(const char *reason, const char *name, ...)
{
    begin();
    printf("ok %d - ", ++count);
    va_list args;
    va_start(args, name);
    print_name(name, args);
    va_end(args);
    printf(" # SKIP %s\n", reason);
    fflush(stdout);
}

void diag(const char *fmt, ...)
{
    char text[2048];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    fflush(stdout);
    fputs("# ", stderr);
    for (const char *p = text; *p; p++) {
        fputc(*p, stderr);
        if (*p == '\n' && p[1])
            fputs("# ", stderr);
    }
    fputc('\n', stderr);
}

const char *shared_path(const char *name)
{
    static char path[4096];
    const char *root = getenv("RAINGAUGE_SHARED");
    snprintf(path, sizeof path, "%s/%s", root && *root ? root : "../shared", name);
    return access(path, R_OK) == 0 ? path : NULL;
}
