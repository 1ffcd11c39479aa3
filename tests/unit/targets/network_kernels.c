/* SPDX-License-Identifier: Apache-2.0 */
/* inventory: of every network file the smallest kernel of each operator, built by target cpu, run and found right
 * through the whole of measure: as the graph stands, and by a program that the random searcher would draw. Larger
 * kernels differ from these in extents only; campaigns run them. Times are not judged. */
#include "harness/base/file.h"
#include "harness/experiment/network.h"
#include "harness/measure/measure.h"
#include "search/sketch/draw.h"
#include "tests/lib/fixture.h"
#include "tests/lib/share_test.h"
#include "tests/lib/tap.h"

#include <math.h>
#include <string.h>

enum { MOST = 256 };
static const double MOST_FLOP = 4e6; /* a few milliseconds for the plainest program */

static size_t operator_name(const struct task *t)
{
    return strcspn(t->spec, " ");
}

static bool same_operator(const struct task *x, const struct task *y)
{
    size_t n = operator_name(x);
    return n == operator_name(y) && strncmp(x->spec, y->spec, n) == 0;
}

/* Adds what is the smallest of its operator in its network, and not there yet. */
static int add_network(const struct network *n, const struct task **tasks, int ntasks)
{
    for (int i = 0; i < n->nkernels; i++) {
        const struct task *t = n->tasks[i].task;
        bool smallest = t->flops <= MOST_FLOP, known = ntasks == MOST;
        for (int k = 0; k < n->nkernels; k++)
            smallest = smallest && (!same_operator(n->tasks[k].task, t) || n->tasks[k].task->flops >= t->flops);
        for (int k = 0; k < ntasks; k++)
            known = known || tasks[k]->hash == t->hash;
        if (smallest && !known)
            tasks[ntasks++] = t;
    }
    return ntasks;
}

static int collect(struct arena *a, const struct task **tasks)
{
    char **names;
    int n = 0, ntasks = 0;
    struct err err = {0};
    if (!file_list(a, "experiments/networks", ".yaml", &names, &n, &err))
        bug("kernel '%s' is right, unscheduled and scheduled", err.text);
    ok(n >= 28, "the networks of the experiments are found (%d)", n);
    for (int i = 0; i < n; i++) {
        struct network *net;
        if (network_load(a, "experiments", names[i], &net, &err))
            ntasks = add_network(net, tasks, ntasks);
        else
            fail("%s", err.text);
    }
    return ntasks;
}

static void check(struct measurer *m, const struct task *t, struct rng *r)
{
    static struct sample s[2];
    struct arena *a = arena_open("kernel");
    struct space sp;
    struct err err = {0};
    struct state *drawn = NULL;
    share_test_space(&sp, a, t->spec, 2);
    for (int i = 0; i < 200 && !drawn; i++)
        drawn = draw_state(&sp, a, r, NULL, NULL);
    struct candidate c[2] = {{.task = t, .score = NAN}, {.task = t, .score = NAN, .hash = 1}};
    if (drawn) {
        c[1].steps = drawn->steps;
        c[1].nsteps = drawn->nsteps;
    }
    struct measured_batch b = {.candidates = c, .n = 2, .samples = s};
    bool done = measure_batch(m, &b, &err) && b.measured == 2;
    if (!ok(done && drawn && s[0].outcome == OUTCOME_OK && s[1].outcome == OUTCOME_OK, "%s", t->name))
        diag("%s: %s; %s %s; %s %s", t->spec, err.text, outcome_word(s[0].outcome), s[0].message,
             outcome_word(s[1].outcome), s[1].message);
    arena_close(a);
}

int main(void)
{
    const struct target *cpu = fixture_target("cpu");
    struct measure_options o = {
        .target = cpu, .target_settings = "codegen=fast", .layout = LAYOUT_REWRITTEN, .faults = ""};
    struct arena *a = arena_open("test");
    const struct task *tasks[MOST];
    struct measurer *m;
    struct limits limits;
    struct err err = {0};
    struct rng r;
    if (!cpu)
        skip_all("this binary has no target cpu (LLVM missing)");
    rng_seed(&r, 11);
    int n = collect(a, tasks);
    ok(n >= 30 && n < MOST, "the networks have enough kernels that differ (%d)", n);
    fixture_must(regime_named("quick", &o.regime, &err), &err);
    o.regime.min_repeat_ms = 0;
    o.regime.number = 1;
    o.regime.repeat = 1;
    if (ok(measure_open(&o, &m, &limits, &err), "target cpu opens for the networks' kernels %s", err.text)) {
        for (int i = 0; i < n; i++)
            check(m, tasks[i], &r);
        measure_close(m);
    }
    arena_close(a);
    return done_testing();
}
