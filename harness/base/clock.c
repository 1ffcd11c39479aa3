/* SPDX-License-Identifier: Apache-2.0 */
/* clock: thin wrappers over clock_gettime, the only place that asks the system for the time. */
#include "harness/base/clock.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static double clock_read(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double clock_now(void)
{
    return clock_read(CLOCK_MONOTONIC);
}

double clock_system(void)
{
    struct timespec t = {0};
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double clock_cpu(void)
{
    return clock_read(CLOCK_PROCESS_CPUTIME_ID);
}

double clock_thread(void)
{
    return clock_read(CLOCK_THREAD_CPUTIME_ID);
}

double clock_unix(void)
{
    return clock_read(CLOCK_REALTIME);
}

void clock_sleep(double seconds)
{
    if (!(seconds > 0))
        return;
    struct timespec t = {.tv_sec = (time_t)seconds};
    t.tv_nsec = (long)((seconds - (double)t.tv_sec) * 1e9);
    while (clock_nanosleep(CLOCK_MONOTONIC, 0, &t, &t) == EINTR)
        continue;
}

void clock_format(double seconds, char *out, size_t n)
{
    if (!isfinite(seconds) || seconds < 0 || seconds > 1e15) {
        snprintf(out, n, "?");
        return;
    }
    long long s = llround(seconds);
    if (s < 60)
        snprintf(out, n, "%lld s", s);
    else if (s < 3600)
        snprintf(out, n, "%lld min %02lld s", s / 60, s % 60);
    else
        snprintf(out, n, "%lld h %02lld min", s / 3600, s / 60 % 60);
}

void clock_iso(double unix_seconds, char out[32])
{
    time_t t = (time_t)floor(unix_seconds);
    struct tm tm;
    if (!gmtime_r(&t, &tm) || strftime(out, 32, "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
        snprintf(out, 32, "?");
}
