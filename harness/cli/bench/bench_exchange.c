/* SPDX-License-Identifier: Apache-2.0 */
/* bench_exchange: what a line to a user's program and its answer cost beyond the program's own time. The program is
 * `cat`: it gives each line back, so it answers our greeting, too. Where other programs want the core, two processes
 * that take turns wait for it each time; the processor time beside the number does not. */
#include "harness/base/clock.h"
#include "harness/cli/bench/gauges.h"
#include "harness/plug/exchange.h"

enum { EXCHANGES = 2000, WARM = 1, PASSES = 9 };

static bool pass(void *self, double *us, struct err *err)
{
    struct exchange *x = self;
    double start = clock_now();
    for (int i = 0; i < EXCHANGES; i++) {
        cJSON *answer;
        text_printf(&x->line, "{\"submit\":[%d]}", i);
        if (!exchange_ask(x, &answer, err))
            return false;
        cJSON_Delete(answer);
    }
    *us = (clock_now() - start) * 1e6 / EXCHANGES;
    return true;
}

bool bench_exchange(struct bench_env *b, int which, struct reading out[READINGS], struct err *err)
{
    (void)which;
    const struct exchange_options o = {.command = "cat", .timeout_s = 60};
    struct exchange x;
    if (!exchange_open(&x, &o, "\"role\":\"searcher\"", err))
        return false;
    double cpu_s = clock_thread();
    bool fine = reading_repeat(&out[0], WARM, PASSES, pass, &x, err);
    exchange_close(&x);
    cpu_s = (clock_thread() - cpu_s) / (EXCHANGES * (WARM + PASSES));
    out[0].lines = arena_printf(b->arena, "    processor time of raingauge %.1f us\n", cpu_s * 1e6);
    out[0].about = arena_printf(b->arena, "means of %d exchanges with `cat`", EXCHANGES);
    return fine;
}
