/* SPDX-License-Identifier: Apache-2.0 */
/* log: messages and progress on stderr. A bar with ETA on a terminal, a line a minute elsewhere; NO_COLOR and --quiet
 * honoured. */
#pragma once
#include <stdbool.h>

enum log_level { LOG_QUIET, LOG_NORMAL, LOG_VERBOSE };
void log_level_set(enum log_level level);
void log_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_debug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* One progress display at a time. done and total in the caller's unit (trials). */
void progress_begin(const char *what, double total);
void progress_total(double total); /* there is less or more to do than was expected */
void progress_at(double done, const char *fmt, ...) __attribute__((format(printf, 2, 3))); /* fmt: short state text */
void progress_end(void);
