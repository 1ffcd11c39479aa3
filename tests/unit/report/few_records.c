/* SPDX-License-Identifier: Apache-2.0 */
/* shortage: an explorer with four records of kernel a and one of kernel b, and descents from its first 1, 2 and 9. */
#include "harness/report/data/few_records.h"

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "tests/lib/store_fixture.h"
#include "tests/lib/tap.h"

#include <stdlib.h>
#include <string.h>

static struct arena *arena;
static char folder[] = "/tmp/raingauge-shortage-XXXXXX";

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
    struct few_records s;
    struct text t = {0};
    arena = arena_open("test");
    if (!mkdtemp(folder))
        skip_all("no temporary folder");
    struct store_fixture f = {.scale = 1, .dp_scale = 1};
    f.s = fixture_open(file_join(arena, folder, "one"));
    add_network(&f, "few", 1);
    add_network(&f, "more", 2);
    fixture_must(few_records_make(arena, f.s, &s, &err), &err);
    if (is_int(s.n, 2, "of k = 1, 2 and 9 the last two are short")) {
        is_str(s.arms[0].arm, "dp-2", "k = 2");
        is_int(s.arms[0].kernels, 4, "two kernels of two networks");
        is_int(s.arms[0].lacking, 1, "one has fewer records");
        is_int(s.arms[0].least, 1, "one of them");
        is_str(s.arms[0].network, "few", "of this network");
        is_int(s.arms[1].lacking, 4, "k = 9: all four");
    }
    few_records_text(&s, &t);
    ok(strstr(text_str(&t), "  dp-2             1 of 4 kernels; fewest: 1, 'b' of few\n") != NULL,
       "told in the text") ||
        (diag("%s", text_str(&t)), 0);
    text_clear(&t);
    few_records_json(&s, &t);
    cJSON *json = json_parse(text_str(&t), strlen(text_str(&t)), "shortage", &err);
    is_int(cJSON_GetArraySize(json), 2, "and in JSON");
    cJSON_Delete(json);
    text_free(&t);
    s.n = 0;
    few_records_text(&s, &t);
    few_records_html(&s, &t);
    is_str(text_str(&t), "", "nothing is said where nothing is short");
    text_free(&t);
    store_close(f.s);
    fixture_remove(file_join(arena, folder, "one"));
    fixture_remove(folder);
    arena_close(arena);
    return done_testing();
}
