/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/fleet/node_gate.h"

#include "harness/base/clock.h"
#include "harness/base/cpu_contention.h"
#include "harness/base/text.h"
#include "harness/measure/host.h"

#define LOOK_S 2.0
#define OTHERS_MOST 0.1

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

static bool is_quiet(struct err *err)
{
    struct cpu_contention_mark before = cpu_contention_mark();
    clock_sleep(LOOK_S);
    struct cpu_contention c = cpu_contention_since(&before);
    double share = c.whole_s > 0 ? (c.others_s + c.stolen_s) / c.whole_s : 0;
    return share <= OTHERS_MOST ||
           err_set(err, "other work takes %.0f %% of this node's processors: it would disturb the times", 100 * share);
}

bool node_gate(const struct node_gate *g, struct err *err)
{
    bool fine = (str_eq(g->program, g->wanted) ||
                 err_set(err, "this node's program is %s, the shards are run by %s", g->program, g->wanted)) &&
                (!g->machine || (is_machine(g->machine, err) && is_quiet(err)));
    return fine || err_environment(err);
}
