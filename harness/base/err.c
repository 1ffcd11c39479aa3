/* SPDX-License-Identifier: Apache-2.0 */
/* err: one line of text and an exit code. Text too long for the buffer is cut, never overrun. */
#include "harness/base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool err_set(struct err *err, const char *fmt, ...)
{
    if (!err)
        return false;
    va_list args;
    va_start(args, fmt);
    vsnprintf(err->text, sizeof err->text, fmt, args);
    va_end(args);
    err->placed = false;
    err->column = 0;
    if (err->code == EXIT_FINE)
        err->code = EXIT_USAGE;
    return false;
}

bool err_environment(struct err *err)
{
    if (err)
        err->code = EXIT_ENVIRONMENT;
    return false;
}

bool err_at(struct err *err, struct err_place at, const char *fmt, ...)
{
    if (!err)
        return false;
    char text[sizeof err->text];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (at.line)
        err_set(err, "%s:%d:%d: %s", at.file, at.line, at.column, text);
    else
        err_set(err, "%s: %s", at.file, text);
    err->placed = true;
    return false;
}

bool err_context(struct err *err, const char *fmt, ...)
{
    if (!err)
        return false;
    char front[sizeof err->text];
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(front, sizeof front, fmt, args);
    va_end(args);
    size_t len = n < 0 ? 0 : (size_t)n;
    if (len > sizeof front - 3)
        len = sizeof front - 3;
    front[len++] = ':';
    front[len++] = ' ';
    size_t rest = strlen(err->text), room = sizeof err->text - 1 - len;
    if (rest > room)
        rest = room;
    memmove(err->text + len, err->text, rest);
    memcpy(err->text, front, len);
    err->text[len + rest] = 0;
    if (err->code == EXIT_FINE)
        err->code = EXIT_USAGE;
    return false;
}

bool err_in_line(struct err *err, const char *file, int line)
{
    if (!err)
        return false;
    int column = err->column;
    err->column = 0;
    err->placed = column > 0;
    return column > 0 ? err_context(err, "%s:%d:%d", file, line, column) : err_context(err, "%s:%d", file, line);
}

/* _exit and not exit: this may run in a forked worker, where flushing the parent's buffers would print them twice. */
void bug_at(const char *file, int line, const char *fmt, ...)
{
    char text[1024];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    fprintf(stderr, "raingauge: defect at %s:%d: %s\n", file, line, text);
    fflush(stderr);
#ifndef NDEBUG
    abort();
#else
    _exit(EXIT_INTERNAL);
#endif
}
