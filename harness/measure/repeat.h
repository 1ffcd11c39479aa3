/* SPDX-License-Identifier: Apache-2.0 */
/* repeat: the timing protocol, TVM's (harness/doc/measurement.md, "Timing protocol"). */
#pragma once
#include "harness/measure/regime.h"
#include "harness/plug/sample.h"

struct repeat {
    void (*before)(void *ctx); /* before each run of calls, and before the flush; NULL: nothing */
    /* Makes number calls back to back; *seconds: their total. */
    enum outcome (*call)(void *ctx, int number, double *seconds, char message[SAMPLE_MESSAGE]);
    enum outcome (*check)(void *ctx, int repeat); /* after each reading that is kept; NULL: none */
    void (*flush)(void *ctx); /* empties the caches of the arguments; used when the regime says so */
    void *ctx;
    double *fastest; /* mean of the task's fastest program so far, 0: none yet; updated; NULL: not wanted */
};
/* Warm-up, then regime->repeat readings into out->seconds; outcome and message of the first call that fails. */
enum outcome repeat_time(const struct regime *regime, const struct repeat *r, struct sample *out);
/* Writes the lines of [p, p+n) back and drops them from all cache levels. False where the processor has no such
 * instruction known here. */
bool repeat_flush(const void *p, size_t n);
