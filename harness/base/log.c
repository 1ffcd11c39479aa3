/* SPDX-License-Identifier: Apache-2.0 */
/* log: what a person reads while waiting goes to stderr through here, so that stdout stays data. Only the main
 * thread of the parent shows progress. On a terminal the bar is redrawn at most ten times a second and wiped before any
 * message; elsewhere (a log file, CI) one line a minute. */
#include "harness/base/log.h"

#include "harness/base/clock.h"
#include "harness/base/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { BAR_WIDTH = 24, STATE_MAX = 160 };

static enum log_level level = LOG_NORMAL;

static struct {
    bool active, drawn;
    char what[64], state[STATE_MAX];
    double done, total;
    double began, shown; /* clock_now() */
    double first;        /* done at the first report: a resumed run's old trials say nothing about speed */
    bool started;
} progress;

void log_level_set(enum log_level to)
{
    level = to;
}

static bool on_terminal(void)
{
    const char *term = getenv("TERM");
    return isatty(STDERR_FILENO) && term && *term && !str_eq(term, "dumb");
}

static bool coloured(void)
{
    const char *no = getenv("NO_COLOR");
    return on_terminal() && !(no && *no);
}

static void progress_wipe(void)
{
    if (progress.drawn)
        fputs("\r\033[K", stderr);
    progress.drawn = false;
}

static void log_line(const char *label, const char *colour, const char *fmt, va_list args)
{
    progress_wipe();
    if (label && coloured())
        fprintf(stderr, "%s%s\033[0m ", colour, label);
    else if (label)
        fprintf(stderr, "%s ", label);
    vfprintf(stderr, fmt, args);
    fputc('\n', stderr);
}

void log_info(const char *fmt, ...)
{
    if (level < LOG_NORMAL)
        return;
    va_list args;
    va_start(args, fmt);
    log_line(NULL, "", fmt, args);
    va_end(args);
}

/* Warnings are shown even when quiet: they say that a number means less than it seems. */
void log_warn(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    log_line("warning:", "\033[33m", fmt, args);
    va_end(args);
}

void log_debug(const char *fmt, ...)
{
    if (level < LOG_VERBOSE)
        return;
    va_list args;
    va_start(args, fmt);
    log_line("debug:", "\033[2m", fmt, args);
    va_end(args);
}

static void eta(char *out, size_t n)
{
    double passed = clock_now() - progress.began, moved = progress.done - progress.first;
    if (moved <= 0 || passed < 1) {
        snprintf(out, n, "?");
        return;
    }
    clock_format(passed / moved * fmax(progress.total - progress.done, 0), out, n);
}

static void bar_draw(double share, const char *left)
{
    char line[512];
    int full = (int)(share * (double)BAR_WIDTH + 0.5), at = 0;
    char bar[BAR_WIDTH + 1];
    for (; at < BAR_WIDTH; at++)
        bar[at] = at < full ? '#' : '.';
    bar[BAR_WIDTH] = 0;
    snprintf(line, sizeof line, "%s [%s] %3.0f%% %.0f/%.0f, %s left  %s", progress.what, bar, share * 100,
             progress.done, progress.total, left, progress.state);
    struct winsize size;
    int columns = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1 : 79;
    fprintf(stderr, "\r\033[K%.*s", columns, line);
    progress.drawn = true;
}

static void progress_show(bool last)
{
    double now = clock_now(), share = progress.total > 0 ? progress.done / progress.total : 1;
    share = share < 0 ? 0 : share > 1 ? 1 : share;
    char left[32];
    eta(left, sizeof left);
    if (on_terminal()) {
        if (now - progress.shown < 0.1 && !last)
            return;
        bar_draw(share, left);
    } else {
        if (now - progress.shown < 60)
            return;
        fprintf(stderr, "%s: %3.0f%% %.0f/%.0f, %s left  %s\n", progress.what, share * 100, progress.done,
                progress.total, left, progress.state);
    }
    progress.shown = now;
}

void progress_begin(const char *what, double total)
{
    progress_end();
    memset(&progress, 0, sizeof progress);
    progress.active = level > LOG_QUIET;
    snprintf(progress.what, sizeof progress.what, "%s", what);
    progress.total = total;
    progress.began = clock_now();
    progress.shown = on_terminal() ? 0 : progress.began;
}

void progress_total(double total)
{
    progress.total = total;
}

void progress_at(double done, const char *fmt, ...)
{
    if (!progress.active)
        return;
    if (!progress.started) {
        progress.started = true;
        progress.first = done;
    }
    progress.done = done;
    va_list args;
    va_start(args, fmt);
    vsnprintf(progress.state, sizeof progress.state, fmt, args);
    va_end(args);
    progress_show(false);
}

void progress_end(void)
{
    if (!progress.active)
        return;
    progress_wipe();
    progress.active = false;
}
