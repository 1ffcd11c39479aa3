/* SPDX-License-Identifier: Apache-2.0 */
/* papi: a counter is there and counts, or says why it is not; never a silent zero. The wall collector always counts. */
#include "harness/base/text.h"
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

#include <stdlib.h>

static double work(void)
{
    volatile double sum = 0;
    for (int i = 0; i < 3000000; i++)
        sum = sum + i * 0.5;
    return sum;
}

/* Opens, counts some work, closes. The number of counters, or -1 when it cannot open. */
static int count(const struct collector *c, struct counter *out, struct err *err)
{
    void *self = calloc(1, c->state_size + 1);
    int n = -1;
    if (!c->open || c->open(self, err)) {
        ok(c->start(self, err), "collector %s starts %s", c->name, err->text);
        work();
        bool stopped = c->stop(self, out, &n, err);
        ok(stopped && n > 0 && n <= COLLECTOR_COUNTERS, "collector %s stops with %d counters %s", c->name, n,
           err->text);
        if (c->close)
            c->close(self);
    }
    free(self);
    return n;
}

int main(void)
{
    struct counter counters[COLLECTOR_COUNTERS];
    struct err err = {0};
    int n = count(fixture_collector("wall"), counters, &err);
    ok(n == 2 && counters[0].present && counters[0].value > 0, "collector wall counts wall-clock seconds");
    ok(n == 2 && counters[1].present && counters[1].value > 0, "collector wall counts CPU seconds");
    if (!fixture_collector("papi")) {
        skip("built without PAPI", "collector papi is in the table");
        return done_testing();
    }
    n = count(fixture_collector("papi"), counters, &err);
    if (n < 0) {
        ok(err.text[0], "collector papi cannot open and says why: %s", err.text);
        skip(err.text, "collector papi counts a program");
        return done_testing();
    }
    int present = 0;
    for (int i = 0; i < n; i++) {
        present += counters[i].present;
        ok(counters[i].present ? counters[i].value >= 0 : counters[i].reason[0] != 0,
           "counter %s has a value or a reason: %s", counters[i].name,
           counters[i].present ? "counted" : counters[i].reason);
    }
    if (!present)
        skip(counters[0].reason, "collector papi counts a program");
    return done_testing();
}
