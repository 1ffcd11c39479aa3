/* SPDX-License-Identifier: Apache-2.0 */
/* level_steps: a history of known steps: where they are found, that other hardware is no step, and what the page says
 * of them. */
#include "harness/nightly/level_steps.h"
#include "harness/base/file.h"
#include "harness/nightly/history_page.h"
#include "tests/lib/fixture.h"
#include "tests/lib/random_data.h"
#include "tests/lib/tap.h"

#include <math.h>
#include <string.h>

static struct err err;

enum { NIGHTS = 60, SLOWER = 15, FASTER = 30, MOVED = 45 };

static void must(bool fine)
{
    fixture_must(fine, &err);
}

/* 1 ms, 8 % slower by another binary from night 15 on, 10 % faster by a kernel from 30 on, twice that on other hardware
 * from 45 on. The second series is level. */
static void make(struct history *h)
{
    struct rng rng;
    rng_seed(&rng, 7);
    for (int i = 0; i < NIGHTS; i++) {
        bool resumed;
        struct night n = {.machine = "host",
                          .identity = i < MOVED ? "{\"cpu\":\"A <1>\"}" : "{\"cpu\":\"B\"}",
                          .experiment = "nightly",
                          .experiment_hash = "e",
                          .binary = i < SLOWER ? "old" : "new",
                          .revision = i < SLOWER ? "r1" : "r2",
                          .environment = i < FASTER ? "{\"kernel\":\"6.1\"}" : "{\"kernel\":\"6.2\"}"};
        double level = 0.001 * (i < SLOWER ? 1 : i < FASTER ? 1.08 : 1.08 * 0.9) * (i < MOVED ? 1 : 2);
        must(history_begin(h, &n, &resumed, &err));
        for (int k = 0; k < 7; k++)
            must(history_put(h, &(struct night_series){n.number, "program 00 a", ""}, k,
                             level * exp(0.004 * random_data_normal(&rng)), &err) &&
                 history_put(h, &(struct night_series){n.number, "program 01 b", ""}, k,
                             0.002 * exp(0.004 * random_data_normal(&rng)), &err));
        must(history_end(h, n.number, NIGHT_GOOD, &err));
    }
}

static void test_steps(struct history *h)
{
    struct night *nights = NULL;
    struct level_history *levels = NULL;
    int n = 0, count = 0;
    must(history_nights(h, arena, NULL, &nights, &n, &err) &&
         level_steps_read(arena, h, nights, n, &levels, &count, &err));
    is_int(count, 2, "two series are found");
    is_int(levels[1].nsteps, 0, "a level series has no step");
    is_int(levels[0].n, NIGHTS, "every night has a level");
    if (!is_int(levels[0].nsteps, 2, "two steps are found, and other hardware is none"))
        return;
    is_int(levels[0].steps[0].at, SLOWER, "the first step is where it was planted");
    is_int(levels[0].steps[1].at, FASTER, "the second step is where it was planted");
    ok(fabs(levels[0].steps[1].ratio - 0.9) < 0.01, "the ratio of a step is the planted one: %g",
       levels[0].steps[1].ratio);
    ok(levels[0].steps[0].p < 0.002, "the p of a planted step is small: %g", levels[0].steps[0].p);
}

static void test_page(struct history *h)
{
    const char *path = fixture_path("page.html");
    char *page = NULL;
    size_t size;
    must(history_page_write(arena, h, NULL, path, &err) && file_read(arena, path, 0, &page, &size, &err));
    ok(strstr(page, "another binary: r1 is now r2"), "the page says that the first step came with another binary");
    ok(strstr(page, "the machine changed: kernel &quot;6.1&quot; is now &quot;6.2&quot;.</li>"),
       "the page says that the second step came with another kernel");
    ok(strstr(page, "<b>other hardware</b>"), "the page names other hardware");
    ok(strstr(page, "A &lt;1&gt;") && !strstr(page, "A <1>"), "names cannot become markup");
}

int main(void)
{
    struct history *h;
    must(history_open(fixture_path("state"), &h, &err));
    make(h);
    test_steps(h);
    test_page(h);
    history_close(h);
    return done_testing();
}
