/* SPDX-License-Identifier: Apache-2.0 */
/* clock: all time comes from here. Seconds as double. */
#pragma once
#include <stddef.h>

double clock_now(void);    /* monotonic, from an arbitrary origin */
double clock_system(void); /* the same by a system call: no page of this process that a program could replace is read */
double clock_cpu(void);    /* CPU time of this process, all threads */
double clock_thread(void); /* CPU time of this thread */
double clock_unix(void);   /* since 1970 */
void clock_sleep(double seconds);
void clock_format(double seconds, char *out, size_t n); /* "45 s", "3 min 20 s", "1 h 05 min" */
void clock_iso(double unix_seconds, char out[32]);      /* UTC, 2026-01-31T12:00:00Z */
