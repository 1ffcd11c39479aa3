/* SPDX-License-Identifier: Apache-2.0 */
/* selection_loss: hand-made records with a re-timing whose losses are computed by hand. One network, two kernels, arms
 * "ansor" (two programs a kernel re-timed) and "dp-1" (a descent). Milliseconds, as tuned -> re-timed:
 *
 *     a   ansor   3.0 (first) -> 3.2   2.0 -> 2.6   2.1 -> 2.2      dp-1 from 3.0:  1.9 -> 2.4
 *     b   ansor   5.0 -> 5.0   (6.0 is not re-timed)               dp-1 from 5.0:  shared, nothing better found: 7.0
 *
 * so on a Ansor chose 2.6 where it had 2.2, and the descent 2.4 where its seed had 3.2; the best of a is 2.2. */
#include "harness/report/data/selection_loss.h"

#include "harness/base/text.h"
#include "harness/record/top_records.h"
#include "tests/lib/store_fixture.h"
#include "tests/lib/tap.h"

#include <math.h>

static void add_ansor(struct store_fixture *f, int64_t log[16])
{
    fixture_cell(f, "net", "ansor", 1, false, 0);
    fixture_begin(f, 0, 4, 0);
    fixture_trial(f, 0, 3.0, 1, 1), fixture_trial(f, 0, 2.0, 1, 1), fixture_trial(f, 0, 2.1, 1, 1);
    fixture_trial(f, 0, 0, 1, 1), fixture_end(f, 4);
    fixture_begin(f, 1, 2, 4), fixture_trial(f, 1, 5.0, 1, 1), fixture_trial(f, 1, 6.0, 1, 1), fixture_end(f, 6);
    for (int i = 0; i < 6; i++)
        log[i] = f->id[i];
    /* launches 2.5, 2.6, 9.9: the median counts; a failed one does not */
    for (int l = 0; l < 4; l++)
        fixture_again(f, log[0], l, 3.2);
    fixture_again(f, log[2], 0, 2.2), fixture_again(f, log[4], 0, 5.0);
    fixture_again(f, log[1], 0, 2.5), fixture_again(f, log[1], 1, 9.9), fixture_again(f, log[1], 2, 2.6);
    fixture_again(f, log[1], 3, 0);
    fixture_done(f, 6);
}

static void add_descent(struct store_fixture *f, const char *network, const int64_t log[16])
{
    fixture_cell(f, network, "dp-1", 1, false, 1);
    fixture_seeded(f, 0, log[0], -1), fixture_seeded(f, 1, log[4], -1);
    fixture_begin(f, 0, 1, 0), fixture_trial(f, 0, 1.9, 1, 1), fixture_end(f, 1);
    fixture_begin(f, 1, 1, 1), fixture_trial(f, 1, 7.0, 1, 1), fixture_end(f, 2);
    fixture_again(f, f->id[0], 0, 2.4), fixture_again(f, f->id[1], 0, 6.5);
    fixture_done(f, 2);
}

static void read_losses(struct store *s, struct selection_loss *out)
{
    static struct records records;
    struct err err = {0};
    fixture_must(records_read(arena, s, &records, &err), &err);
    selection_loss_make(&records, out);
}

static const struct selection_loss_row *row(const struct selection_loss *r, const char *network, const char *arm)
{
    for (int i = 0; i < r->n; i++)
        if (str_eq(r->rows[i].arm, arm) &&
            (network ? r->rows[i].network && str_eq(r->rows[i].network, network) : !r->rows[i].network))
            return &r->rows[i];
    bug("no row %s %s", network ? network : "mean", arm);
}

static void expect(const struct selection_loss_row *r, int kernels, double programs, double selection,
                   double exploration, const char *name)
{
    is_int(r->kernels, kernels, "%s: kernels that enter", name);
    is_near(r->programs, programs, 1e-9, "%s: programs of its own that were re-timed", name);
    is_near(r->selection, selection, 1e-9, "%s: selection", name);
    is_near(r->exploration, exploration, 1e-9, "%s: exploration", name);
    is_near(r->whole, selection * exploration, 1e-9, "%s: the whole loss", name);
}

static void test_fastest(struct store *s, const int64_t log[16])
{
    int64_t ids[8];
    struct err err = {0};
    int n;
    fixture_must(top_records_of(s, 0, 0, 2, ids, &n, &err), &err);
    ok(n == 2 && ids[0] == log[1] && ids[1] == log[2], "the two fastest programs of a come fastest first");
    fixture_must(top_records_of(s, 0, 0, 8, ids, &n, &err), &err);
    is_int(n, 3, "there are no more programs than valid records");
}

int main(void)
{
    struct store_fixture f = {.scale = 1, .dp_scale = 1};
    struct selection_loss r;
    int64_t log[16];
    const char *dir = fixture_path("records");
    f.s = fixture_open(dir);
    read_losses(f.s, &r);
    is_int(r.n, 0, "without a re-timing there is no loss");
    add_ansor(&f, log);
    add_descent(&f, "net", log);
    test_fastest(f.s, log);
    read_losses(f.s, &r);
    is_int(r.n, 4, "two arms have a row each, and a mean each");
    expect(row(&r, "net", "ansor"), 2, (3 + 1) / 2., sqrt(2.6 / 2.2 * 1), 1, "ansor");
    /* a: chose 2.4 of {3.2, 2.4}; the best is 2.2. b: chose its seed of 5.0, as its own record 7.0 is worse. */
    expect(row(&r, "net", "dp-1"), 2, 2, 1, sqrt(2.4 / 2.2 * 1), "descent");
    expect(row(&r, NULL, "dp-1"), 2, 2, 1, sqrt(2.4 / 2.2), "mean over one network");

    /* Another network with the same kernels: its programs are programs for these kernels, too. */
    fixture_cell(&f, "other", "ansor", 1, false, 0);
    fixture_begin(&f, 0, 1, 0), fixture_trial(&f, 0, 2.5, 1, 1), fixture_end(&f, 1);
    fixture_again(&f, f.id[0], 0, 1.1);
    fixture_done(&f, 1);
    read_losses(f.s, &r);
    expect(row(&r, "net", "ansor"), 2, 2, sqrt(2.6 / 2.2), sqrt(2.2 / 1.1), "ansor, by a better program elsewhere");
    expect(row(&r, "other", "ansor"), 1, 1, 1, 1, "a kernel without a valid record is left out");
    expect(row(&r, NULL, "ansor"), 3, 1.5, pow(2.6 / 2.2, 0.25), pow(2, 0.25), "mean over networks, each once");

    /* A descent that was shared is as good here. */
    fixture_cell(&f, "net", "dp-3", 1, false, 3);
    fixture_seeded(&f, 0, log[0], 1), fixture_seeded(&f, 1, log[4], 1);
    fixture_done(&f, 0);
    read_losses(f.s, &r);
    expect(row(&r, "net", "dp-3"), 2, 2, 1, sqrt(2.4 / 1.1), "shared descent");
    store_close(f.s);
    return done_testing();
}
