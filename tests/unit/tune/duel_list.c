/* SPDX-License-Identifier: Apache-2.0 */
/* duel_list, duel_contrasts: which programs of hand-made records meet, and what is said of them. One network of kernels
 * a (once) and b (three times), as tuned in ms, the best of each in brackets; seeds are the first of the explorer:
 *
 *     ansor   a 3.0 [2.0]    b [5.0]
 *     dp-1    a [1.9]        b [4.9], which is ansor's program of b measured again: the same state
 *     grid-1  a [2.5]        b 7.0, so that it keeps its seed [5.0]
 */
#include "harness/tune/duel_contrasts.h"

#include "harness/record/database.h"
#include "harness/report/data/duel_results.h"
#include "harness/report/data/records.h"
#include "tests/lib/store_fixture.h"
#include "tests/lib/tap.h"

#include <math.h>

static int64_t ansor_a, ansor_b, seed_a, dp_a, dp_b, grid_a;

static void explorer(struct store_fixture *f, int more)
{
    fixture_cell(f, "net", "ansor", 1, false, 0);
    fixture_begin(f, 0, 2 + more, 0), fixture_trial(f, 0, 3.0, 1, 1), fixture_trial(f, 0, 2.0, 1, 1);
    seed_a = f->id[0], ansor_a = f->id[1];
    for (int i = 0; i < more; i++)
        fixture_trial(f, 0, 2.1 + 0.01 * i, 1, 1);
    fixture_end(f, 4), fixture_begin(f, 1, 1, 4), fixture_trial(f, 1, 5.0, 1, 1), fixture_end(f, 6);
    ansor_b = f->id[2 + more];
    fixture_done(f, 6);
}

static void exploiter(struct store_fixture *f, const char *arm, double a, double b, int64_t *id_a, int64_t *id_b)
{
    fixture_cell(f, "net", arm, 1, false, 1);
    fixture_seeded(f, 0, seed_a, -1), fixture_seeded(f, 1, ansor_b, -1);
    fixture_begin(f, 0, 1, 0), fixture_trial(f, 0, a, 1, 1), fixture_end(f, 1);
    fixture_begin(f, 1, 1, 1), fixture_trial(f, 1, b, 1, 1), fixture_end(f, 2);
    *id_a = f->id[0], *id_b = f->id[1];
    fixture_done(f, 2);
}

static struct store *records(const char *name, int more)
{
    struct store_fixture f = {.s = fixture_open(fixture_path("%s", name)), .scale = 1, .dp_scale = 1};
    struct err err = {0};
    int64_t unused;
    explorer(&f, more);
    f.home = 1;
    exploiter(&f, "dp-1", 1.9, 4.9, &dp_a, &dp_b);
    exploiter(&f, "grid-1", 2.5, 7.0, &grid_a, &unused);
    fixture_must(database_run(store_database(f.s), &err,
                              "UPDATE trial SET hash = (SELECT hash FROM trial WHERE id = ?1) WHERE id = ?2", "ii",
                              ansor_b, dp_b),
                 &err);
    return f.s;
}

static void make(struct store *s, int top, struct duel_list *l)
{
    const struct duel_list_rules rules = {.top = top, .null_share = 0.1, .null_least = 1, .seed = 1};
    struct err err = {0};
    struct record_scan *scan = ARENA_NEW(arena, struct record_scan);
    *l = (struct duel_list){0};
    fixture_must(record_scan_read(arena, s, NULL, 0, scan, &err) && duel_list_read(s, arena, scan, l, &err), &err);
    is_int(l->n, 0, "before they are made there are no duels");
    fixture_must(duel_list_make(l, s, &rules, &err), &err);
}

static int place(const struct duel_record *d, int64_t trial)
{
    for (int i = 0; i < d->ntrials; i++)
        if (d->trials[i].trial == trial)
            return d->trials[i].place;
    return -1;
}

static void test_made(const struct duel_list *l)
{
    is_int(l->n, 3, "each kernel has a duel, and one of them a null pair");
    const struct duel_record *a = &l->at[0], *b = &l->at[1], *null = &l->at[2];
    ok(a->programs == 4 && place(a, ansor_a) == 0, "the explorer's program is the first of a duel");
    ok(place(a, dp_a) > 0 && place(a, grid_a) > 0 && place(a, seed_a) > 0, "arms' programs and their seeds are in it");
    ok(b->programs == 1 && place(b, ansor_b) == 0 && place(b, dp_b) == 0,
       "a program that was measured again has the place that it had");
    ok(null->is_null && null->programs == 2 && null->trials[0].trial == null->trials[1].trial,
       "a null pair has the fastest program twice");
}

/* Logs of a launch of kernel a: dp-1 twice as fast as ansor, grid-1 as fast, the seed slower. */
static void put(struct store *s, struct duel_list *l, int duel, double by, int sitting)
{
    struct duel_process p[DUEL_PROGRAMS] = {{0}};
    const struct duel_record *d = &l->at[duel];
    const struct duel_launch_key key = {
        .duel = duel, .launch = l->data[duel].launches, .sitting = sitting, .regime = "r"};
    double logs[DUEL_PROGRAMS];
    struct err err = {0};
    for (int i = 0; i < d->programs; i++) {
        double ms = duel == 0 ? (i == place(d, dp_a) ? 1.1 : i == place(d, seed_a) ? 3.3 : 2.2) : 5.0;
        p[i] = (struct duel_process){"[0,1,1,0]", {.outcome = OUTCOME_OK, .nseconds = 1}};
        p[i].sample.seconds[0] = 1e-3 * ms * exp(by);
        logs[i] = log(p[i].sample.seconds[0]);
    }
    fixture_must(duel_launch_put(s, &key, p, d->programs, &err), &err);
    duel_list_add(l, duel, logs);
}

static const struct duel_interval *contrast(const struct duel_contrasts *c, const struct duel_interval *i,
                                            const char *arm, const char *over)
{
    for (int k = 0; k < c->set.ncontrasts; k++)
        if (c->at[k].arm && str_eq(c->at[k].arm, arm) && str_eq(c->at[k].over, over))
            return &i[k];
    return NULL;
}

static void test_contrasts(const struct duel_list *l)
{
    struct duel_contrasts c;
    struct duel_interval i[8];
    duel_contrasts_make(arena, l, false, DUEL_ALL, &c);
    is_int(c.set.ncontrasts, 5,
           "two arms and the seeds against the explorer, one arm against the other, the null pairs");
    duel_intervals(arena, &c.set, 99, 1, i);
    const struct duel_interval *dp = contrast(&c, i, "dp-1", "ansor"), *grid = contrast(&c, i, "grid-1", "ansor"),
                               *pair = contrast(&c, i, "dp-1", "grid-1");
    if (!ok(dp && grid && pair, "each contrast has its arms"))
        return;
    is_near(dp->ratio, (2.2 + 5) / (1.1 + 5), 1e-9, "a network is a ratio of sums of re-timed times");
    ok(dp->kernels == 2 && dp->identical == 1, "a kernel with one program on both sides is not timed as a rival");
    is_near(contrast(&c, i, "ansor, first 1", "ansor")->ratio, (2.2 + 5) / (3.3 + 5), 1e-9,
            "the explorer's first records are held against all of them");
    ok(grid->ratio == 1, "an arm as fast as its explorer has the ratio 1");
    is_near(pair->ratio, dp->ratio, 1e-9, "arms are held against each other in the same launches");
    duel_contrasts_make(arena, l, true, DUEL_ALL, &c);
    duel_intervals(arena, &c.set, 99, 1, i);
    is_near(contrast(&c, i, "dp-1", "ansor")->ratio, (2.2 + 15) / (1.1 + 15), 1e-9,
            "sums by calls count b three times");
    duel_contrasts_make(arena, l, false, DUEL_BY_NETWORK, &c);
    ok(c.set.ncontrasts == 5 && str_eq(c.at[0].network, "net"), "contrasts can be split by network");
}

static void test_read(struct store *s)
{
    struct records r;
    struct err err = {0};
    fixture_must(records_read(arena, s, &r, &err), &err);
    is_near(records_retimed_s(&r, ansor_a), 2.2e-3 * exp(0.2), 1e-9, "a re-timed time is the median over launches");
    is_near(records_retimed_s(&r, dp_a) / records_retimed_s(&r, ansor_a), 0.5, 1e-9,
            "two re-timed times have the ratio of their duel");
    ok(records_retimed_s(&r, dp_b) == records_retimed_s(&r, ansor_b),
       "a program that was measured again has the same time exactly");
    ok(isnan(records_launches_p(&r, dp_b, ansor_b)), "one program is not tested against itself");
    is_int(r.duels.had[0], 1, "launches of an earlier sitting do not count as had");
    is_int(r.duels.data[0].launches, 5, "launches of all sittings are pooled");
}

static void test_duels(void)
{
    struct store *s = records("few", 0);
    struct duel_list l;
    struct err err = {0};
    make(s, 1, &l);
    test_made(&l);
    for (int i = 0; i < 4; i++)
        for (int d = 0; d < l.n; d++)
            put(s, &l, d, 0.1 * i, 0); /* a spell that slows all programs of a launch */
    fixture_must(duel_sitting_begin(s, 0, &err), &err);
    for (int d = 0; d < l.n; d++)
        put(s, &l, d, 0.4, 1);
    test_contrasts(&l);
    test_read(s);
    store_close(s);
}

/* More programs than one duel has room for. */
static void test_dealt(void)
{
    struct store *s = records("many", 12);
    struct duel_list l;
    make(s, 12, &l);
    int of_a = 0, programs = 0;
    for (int i = 0; i < l.n; i++)
        if (!l.at[i].is_null && l.at[i].task == 0) {
            of_a++;
            programs += l.at[i].programs - 1;
            ok(place(&l.at[i], ansor_a) == 0, "every duel of a kernel has the explorer's program first");
        }
    is_int(of_a, programs / DUEL_PROGRAMS + 1, "programs that are too many for one duel are dealt to several");
    is_int(programs, 14, "no program is left out");
    struct duel_term t = {0};
    duel_term_find(&l, l.cells[1].cell, 0, l.cells[1].choices[0].kept_hash, l.cells[1].choices[0].kept_hash, &t);
    is_int(t.nlegs, 0, "one program needs no duel");
    store_close(s);
}

static void test_gate(void)
{
    struct duel_interval i = {.ratio = 1.001, .low = 0.995, .high = 1.007, .half_width = 0.006, .kernels = 3};
    is_int(duel_gate(arena, &i, 0.01, false).state, VERDICT_GATES_PASSED, "null pairs that hold 1 pass");
    is_int(duel_gate(arena, &i, 0.005, false).state, VERDICT_GATES_UNKNOWN,
           "null pairs wider than asked judge nothing");
    is_str(duel_gate(arena, &i, 0.005, false).cure, "--retime", "more launches cure them");
    is_int(duel_gate(arena, &i, 0.01, true).state, VERDICT_GATES_UNKNOWN, "duels that are not finished judge nothing");
    i.low = 1.0005;
    is_int(duel_gate(arena, &i, 0.01, false).state, VERDICT_GATES_PASSED,
           "what null pairs are off by less than was asked passes");
    i.ratio = 1.02, i.low = 1.014, i.high = 1.026;
    is_int(duel_gate(arena, &i, 0.01, false).state, VERDICT_GATES_FAILED, "null pairs that exclude 1 by more fail");
    i.kernels = 0;
    is_int(duel_gate(arena, &i, 0.01, false).state, VERDICT_GATES_UNKNOWN, "without null pairs nothing is judged");
}

int main(void)
{
    test_duels();
    test_dealt();
    test_gate();
    return done_testing();
}
