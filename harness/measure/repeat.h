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
    double fastest; /* mean seconds of the task's fastest program so far; 0: none yet, so no program is slow */
    uint64_t draw;  /* random: of slow programs one in REPEAT_CHECKED is timed in full, too */
};
enum { REPEAT_CHECKED = 20 };
/* The draw of a trial, from the seed of the inputs and the hash of its state: the same in each process. */
uint64_t repeat_draw(uint64_t seed, uint64_t hash);
/* Warm-up, then regime->repeat readings into out->seconds; outcome and message of the first call that fails. A slow
 * program (regime->patience) is read by single calls; then spared_s and computed_s say what the full timing would have
 * taken. That is at most the time-out of runs, since no run is booked for more. full_s: repeat.draw asked for both. */
enum outcome repeat_time(const struct regime *regime, const struct repeat *r, struct sample *out);
/* The regime's number of calls, or as many of call_s seconds as last its least time, and a twentieth more. */
int repeat_enough(const struct regime *regime, double call_s);
/* Writes the lines of [p, p+n) back and drops them from all cache levels. False where the processor has no such
 * instruction known here. */
bool repeat_flush(const void *p, size_t n);
