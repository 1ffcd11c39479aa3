/* SPDX-License-Identifier: Apache-2.0 */
/* share_kernels on the fake plug-ins: what is searched once, what the later network takes, and that nothing else of the
 * searches changes but what their model knows beforehand. */
#include "harness/base/log.h"
#include "harness/base/text.h"
#include "harness/record/tally.h"
#include "harness/tune/campaign.h"
#include "harness/tune/cell.h"
#include "tests/lib/fake_plugins.h"
#include "tests/lib/store_fixture.h"
#include "tests/lib/tap.h"

#include <string.h>

enum { EACH = 24, CELLS = 6 };

static struct plan plan_in(const char *name, bool sharing)
{
    struct plan p = *fake_sharing_plan(arena, fixture_path("%s", name), EACH);
    p.share_kernels = sharing;
    return p;
}

static struct store *run(const struct plan *p)
{
    struct store *s = NULL;
    struct err err = {0};
    struct campaign_options o = {.revision = "r1"};
    fixture_must(campaign_run(&fake_registry, p, &o, &err) && store_open_read(p->results_dir, &s, &err), &err);
    return s;
}

static void test_plan(void)
{
    struct plan p = plan_in("unused", true), alone = plan_in("unused", false);
    struct plan_place from = {-1, -1};
    struct err err = {0};
    ok(plan_check(&p, &err), "a plan with round robin may share kernels: %s", err.text);
    ok(!plan_taken(&p, 0, 0, &from) && !plan_taken(&p, 3, 1, &from), "kernels that come first are searched");
    ok(plan_taken(&p, 3, 0, &from) && from.cell == 0 && from.task == 1, "an explorer takes a kernel of its own arm");
    ok(plan_taken(&p, 5, 2, &from) && from.cell == 2 && from.task == 0, "an exploiter takes one at its own k");
    ok(!plan_taken(&alone, 3, 0, &from), "without share_kernels nothing is taken");
    is_int(plan_taken_count(&p, 4), 2, "two of three kernels of the second network are taken");
    is_int(plan_cell_trials(&p, 3), EACH, "a cell makes the trials of the kernel that is its own");
    is_int(plan_trials(&alone) - plan_trials(&p), 2 * (EACH + 10 + 10), "the plan is shorter by the taken kernels");
    is_near(plan_design_effect(&alone), 1, 1e-12, "networks that share nothing are independent");
    is_near(plan_design_effect(&p), 10 / 6., 1e-12, "two networks with two of three kernels in common: (1+4+4+1)/6");
}

static void test_refused(void)
{
    struct plan p = plan_in("unused", true);
    struct cell_plan cells[CELLS];
    struct err err = {0};
    for (int i = 0; i < CELLS; i++)
        cells[i] = p.cells[i];
    p.cells = cells;
    cells[3].scheduler = SCHEDULER_GRADIENT;
    ok(!plan_check(&p, &err), "a gradient scheduler may not share kernels");
    ok(strstr(err.text, "gradient") != NULL, "the message names the gradient");
    cells[3].scheduler = SCHEDULER_ROUND_ROBIN;
    cells[3].trials = 3 * EACH + 1;
    ok(!plan_check(&p, &err), "trials that no whole number of kernels divides are refused");
    cells[3].trials = 6 * EACH;
    ok(!plan_check(&p, &err), "another number of trials in another network is refused");
    ok(strstr(err.text, "another number of trials in 'net'") != NULL, "the message names the network");
}

static bool same_records(struct store *x, struct store_part of, struct store *y, struct store_part as)
{
    struct record *r, *q;
    int n = 0, m = 0;
    struct err err = {0};
    fixture_must(store_records(x, arena, of, 0, &r, &n, &err) && store_records(y, arena, as, 0, &q, &m, &err), &err);
    bool same = n == m && n > 0;
    for (int i = 0; i < n && same; i++)
        same = r[i].hash == q[i].hash && str_eq(r[i].steps, q[i].steps) && r[i].sample.cost_s == q[i].sample.cost_s;
    return same;
}

static void test_records(struct store *s, struct store *alone)
{
    struct store_cell *cells;
    struct tally_sums sums;
    struct err err = {0};
    int n;
    fixture_must(store_cells(s, arena, &cells, &n, &err), &err);
    for (int cell = 0; cell < 3; cell++)
        for (int t = 0; t < 3; t++)
            ok(same_records(s, (struct store_part){cell, t, 0}, alone, (struct store_part){cell, t, 0}),
               "cell %d, kernel %d: the first network is searched as if it were alone", cell, t);
    for (int cell = 3; cell < CELLS; cell++) {
        ok(same_records(s, (struct store_part){cell, 0, 0}, s, (struct store_part){cell - 3, 1, 0}) &&
               same_records(s, (struct store_part){cell, 2, 0}, s, (struct store_part){cell - 3, 0, 0}),
           "cell %d has the records of the kernels that it takes", cell);
        ok(cells[cell].tasks[0].seed_trial == cells[cell - 3].tasks[1].seed_trial &&
               str_eq(cells[cell].tasks[0].state, cells[cell - 3].tasks[1].state),
           "cell %d: a taken kernel started where it did and ended as it did", cell);
        ok(store_taken(cells, n, cell, 0) && !store_taken(cells, n, cell, 1) && !store_taken(cells, n, cell - 3, 0),
           "cell %d: what is taken is told from what is searched", cell);
    }
    for (int t = 0; t < 3; t++) {
        fixture_must(tally_sum(s, 3, t, 0, &sums, &err), &err);
        is_int(sums.records, EACH, "every kernel of the second network has as many records as if searched alone");
    }
    is_int(cells[3].trials_done, EACH, "the second network's cell measured its own kernel only");
    ok(!same_records(s, (struct store_part){3, 1, 0}, alone, (struct store_part){3, 1, 0}),
       "the kernel of its own is searched by a model that knows the taken ones");
}

/* The records of a campaign without sharing are no beginning of one with it. */
static void test_mixed(void)
{
    struct plan p = plan_in("alone", true);
    struct err err = {0};
    struct campaign_options o = {.resume = true, .revision = "r1"};
    p.experiment_hash = "another";
    ok(!campaign_run(&fake_registry, &p, &o, &err), "records without taken kernels are not gone on with");
    ok(strstr(err.text, "another share_kernels") != NULL, "the message names share_kernels");
}

int main(void)
{
    log_level_set(LOG_QUIET);
    test_plan();
    test_refused();
    struct plan p = plan_in("shared", true), without = plan_in("alone", false);
    struct store *s = run(&p), *alone = run(&without);
    test_records(s, alone);
    store_close(s);
    store_close(alone);
    test_mixed();
    return done_testing();
}
