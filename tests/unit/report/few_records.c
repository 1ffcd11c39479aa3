/* SPDX-License-Identifier: Apache-2.0 */
/* few_records: an explorer with four records of kernel a and one of kernel b, and descents from its first 1, 2 and 9.
 */
#include "harness/report/data/few_records.h"

#include "tests/lib/store_fixture.h"
#include "tests/lib/tap.h"

static void add_network(struct store_fixture *f, const char *network, int of_b)
{
    f->home = 0;
    fixture_cell(f, network, "ansor", 1, false, 0);
    fixture_begin(f, 0, 4, 0);
    for (int i = 0; i < 4; i++)
        fixture_trial(f, 0, i == 0 ? 0 : 3.0, 1, 1); /* a failed record is a record */
    fixture_end(f, 4);
    fixture_begin(f, 1, of_b, 4);
    for (int i = 0; i < of_b; i++)
        fixture_trial(f, 1, 5.0, 1, 1);
    fixture_end(f, 5);
    int64_t a = f->id[1], b = f->id[4];
    fixture_done(f, 6);
    f->home = f->cell;
    for (int64_t k = 1; k <= 9; k += k == 1 ? 1 : 7) {
        char arm[8] = {'d', 'p', '-', (char)('0' + k), 0};
        fixture_cell(f, network, arm, 1, false, k);
        fixture_seeded(f, 0, a, -1), fixture_seeded(f, 1, b, -1);
        fixture_done(f, 2);
    }
}

int main(void)
{
    struct err err = {0};
    struct records records;
    int n;
    struct store_fixture f = {.scale = 1, .dp_scale = 1};
    f.s = fixture_open(fixture_path("one"));
    add_network(&f, "few", 1);
    add_network(&f, "more", 2);
    fixture_must(records_read(arena, f.s, &records, &err), &err);
    const struct few_records_arm *arms = few_records_make(&records, &n);
    if (is_int(n, 2, "of k = 1, 2 and 9 the last two start from fewer records")) {
        is_str(arms[0].arm, "dp-2", "the first arm with few records has k = 2");
        is_int(arms[0].k, 2, "the arm at k = 2 may see two records of each kernel");
        is_int(arms[0].kernels, 4, "the arm at k = 2 has two kernels of two networks");
        is_int(arms[0].few, 1, "one kernel of the arm at k = 2 has fewer records");
        is_int(arms[0].fewest, 1, "the kernel with fewer records has one");
        is_str(arms[0].kernel, "b", "the kernel with the fewest records is named");
        is_str(arms[0].network, "few", "the network with the fewest records is named");
        is_int(arms[1].few, 4, "at k = 9 all four kernels have fewer");
    }
    store_close(f.s);
    return done_testing();
}
