/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/fleet/node_gate.h"

#include "harness/base/clock.h"
#include "harness/base/cpu_contention.h"
#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/measure/host.h"
#include "harness/stats/interval.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#define LOOK_S 2.0
#define OTHERS_MOST 0.1
#define APART_MOST 0.01
enum { PIECE = 1000000, PAIRS_MOST = 2000 };

static bool is_machine(const struct machine *m, struct err *err)
{
    struct host h;
    if (m->detected)
        return true;
    host_probe(&h);
    struct machine_match rule = m->match;
    rule.gpu = rule.without = (struct setting_strings){0};
    rule.gpu_memory_gib = (struct setting_ints){0};
    const struct machine_traits t = {.cpu = h.cpu, .arch = h.arch, .memory_gib = h.memory_gib, .cores = h.cores_online};
    struct arena *a = arena_open("gate");
    const char *why = machine_mismatch(a, &rule, &t);
    if (why)
        err_set(err, "this node is not the experiment's machine '%s': %s", m->name, why);
    arena_close(a);
    return !why;
}

/* A link is made whole or not at all, by one of two that begin at once. */
static bool is_processor(const char *path, struct err *err)
{
    struct arena *a = arena_open("gate");
    struct host h;
    char *there;
    size_t n;
    host_probe(&h);
    const char *own = arena_printf(a, "%s, %s\n", h.arch, h.cpu);
    const char *made = arena_printf(a, "%s.%s.%d", path, h.node, (int)getpid());
    bool fine =
        file_exists(path) ||
        (file_write(made, own, strlen(own), err) &&
         (link(made, path) == 0 || errno == EEXIST || err_set(err, "cannot make '%s': %s", path, strerror(errno))));
    unlink(made);
    fine = fine && file_read(a, path, 4096, &there, &n, err) &&
           (str_eq(there, own) ||
            err_set(err,
                    "this node's processor is '%.*s', the shards are measured on '%.*s' ('%s'): --constraint can name "
                    "one model",
                    (int)strcspn(own, "\n"), own, (int)strcspn(there, "\n"), there, path));
    arena_close(a);
    return fine;
}

/* Seconds of a fixed piece of work, about a millisecond. */
static double piece(void)
{
    volatile uint64_t x = 1;
    double start = clock_now();
    for (int i = 0; i < PIECE; i++)
        x = x * 3 + 1;
    return clock_now() - start;
}

/* An A/A: how far apart the same work is, timed in turns for LOOK_S; half the width of a 95 % interval, on the log
 * scale. */
static double apart(void)
{
    static double ratios[PAIRS_MOST];
    int n = 0;
    for (double end = clock_now() + LOOK_S; n < PAIRS_MOST && (n < 2 || clock_now() < end); n++) {
        double first = piece(), second = piece();
        ratios[n] = n % 2 ? first / second : second / first;
    }
    struct interval i = interval_student(ratios, n, 0.95);
    return log(i.high / i.low) / 2;
}

static bool is_quiet(struct err *err)
{
    struct cpu_contention_mark before = cpu_contention_mark();
    double half = apart();
    struct cpu_contention c = cpu_contention_since(&before);
    double share = cpu_contention_share(&c);
    if (share > OTHERS_MOST)
        return err_set(err, "other work takes %.0f %% of this node's processors: it would disturb the times",
                       100 * share);
    return half <= APART_MOST ||
           err_set(err, "A/A: the same work, timed in turns, is %.1f %% apart to either side, %.0f %% is asked",
                   100 * half, 100 * APART_MOST);
}

bool node_gate(const struct node_gate *g, struct err *err)
{
    bool fine = (str_eq(g->program, g->wanted) ||
                 err_set(err, "this node's program is %s, the shards are run by %s", g->program, g->wanted)) &&
                (!g->machine ||
                 (is_machine(g->machine, err) && (!*g->processor || is_processor(g->processor, err)) && is_quiet(err)));
    return fine || err_environment(err);
}
