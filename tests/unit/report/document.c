/* SPDX-License-Identifier: Apache-2.0 */
/* document: what is made of records is the same when it is read back from its JSON, to the byte; names that hold tabs,
 * quotes and line ends break neither JSON nor spreadsheet; the tables of columns are whole; an incomplete campaign says
 * so. */
#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/report/data/document_json.h"
#include "harness/report/data/document_read.h"
#include "harness/report/data/report_summary.h"
#include "harness/report/render/grid.h"
#include "harness/report/render/text_report.h"
#include "tests/lib/store_fixture.h"
#include "tests/lib/tap.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#define HOSTILE "a\t\"b\"\n<c>"

static void trial(struct store_fixture *f, int task, double ms)
{
    fixture_begin(f, task, 1, f->elapsed_s);
    fixture_trial(f, task, ms, 1, 2);
    fixture_end(f, f->elapsed_s);
}

static void fill(const char *dir, int64_t seeds)
{
    struct store_fixture f = {.s = fixture_open(dir), .scale = 1};
    for (int64_t seed = 1; seed <= seeds; seed++) {
        int home = f.cell;
        f.home = 0;
        fixture_cell(&f, HOSTILE, "ansor", seed, false, 0);
        trial(&f, 0, 8), trial(&f, 1, 6), trial(&f, 0, 4), trial(&f, 1, 0);
        int64_t a = f.id[0], b = f.id[1];
        fixture_again(&f, f.id[2], 0, 4.1), fixture_again(&f, f.id[1], 0, 6.1);
        fixture_done(&f, 9);
        f.home = home + 1;
        fixture_cell(&f, HOSTILE, "dp-1", seed, false, 1);
        fixture_seeded(&f, 0, a, -1), fixture_seeded(&f, 1, b, -1);
        trial(&f, 0, 3 + 0.1 * (double)seed), trial(&f, 1, 5);
        fixture_again(&f, f.id[0], 0, 3.2), fixture_again(&f, f.id[1], 0, 5.1);
        fixture_done(&f, 4);
    }
    store_close(f.s);
}

static struct document read_back(const char *dir, int64_t seeds, int ncells)
{
    static const int64_t ks[] = {1};
    static struct plan_task rows[] = {{.weight = 1}, {.weight = 3}};
    static struct network net = {.name = HOSTILE, .nkernels = 2, .tasks = rows};
    static struct network *networks[] = {&net};
    static struct arm arms[] = {{.name = "ansor"}, {.name = "dp", .explore = "ansor", .k = ks, .nk = 1}};
    struct experiment e = {.stem = "t",
                           .title = "",
                           .paper = "",
                           .report = "contest",
                           .tier = "",
                           .networks = networks,
                           .nnetworks = 1,
                           .arms = arms,
                           .narms = 2,
                           .seeds = seeds,
                           .plan = {.results_dir = dir, .experiment_hash = "h", .ncells = ncells}};
    struct document d;
    struct err err = {0};
    fixture_must(document_read(arena, &e, "experiments", &d, &err), &err);
    return d;
}

static char *json_of(const struct document *d)
{
    struct text t = {0};
    document_json_print(d, &t);
    return fixture_text(&t);
}

static void test_round_trip(const char *dir, struct document *made)
{
    char *json = json_of(made), *path = file_join(arena, dir, "report.json");
    struct document again;
    struct err err = {0};
    fixture_must(document_json_read(arena, json, strlen(json), "report.json", &again, &err), &err);
    is_str(json_of(&again), json, "a document that is read back prints the same JSON");
    const struct estimate *one = document_ratio_at(made, TABLE_MEANS, 0, COL_KERNEL_SPEEDUP),
                          *two = document_ratio_at(&again, TABLE_MEANS, 0, COL_KERNEL_SPEEDUP);
    ok(one && two && one->ratio == two->ratio && one->low == two->low && one->over == two->over && one->n == two->n &&
           one->method == two->method && one->p == two->p && one->better.wins == two->better.wins,
       "a ratio comes back with its interval and its test");
    is_str(document_text_at(&again, TABLE_NETWORKS, 0, COL_NETWORK), HOSTILE, "a name with a quote comes back");
    struct text a = {0}, b = {0};
    made->from_file = true; /* which the text says */
    text_report_print(made, &a);
    text_report_print(&again, &b);
    is_str(text_str(&b), text_str(&a), "a report that is read back prints the same text");
    text_free(&a);
    text_free(&b);
    fixture_must(file_write(path, json, strlen(json), &err), &err);
    unlink(file_join(arena, dir, "records.db"));
    struct document file = read_back(dir, 2, 4);
    ok(file.from_file && document_rows(&file, TABLE_MEANS) == 1, "a folder that has only report.json is read from it");
    is_str(json_of(&file), json, "a folder that has only report.json gives the same JSON");
}

static void test_refused(void)
{
    static const char *const old = "{\"experiment\": \"t\", \"exploiters\": []}";
    struct document d;
    struct err err = {0};
    ok(!document_json_read(arena, old, strlen(old), "x.json", &d, &err) && strstr(err.text, "no report of raingauge"),
       "a file without tables is refused: %s", err.text);
    ok(!document_json_read(arena, "{", 1, "x.json", &d, &err) && strstr(err.text, "x.json:1:"),
       "broken JSON is refused with its place: %s", err.text);
}

static int count(const char *s, char c)
{
    int n = 0;
    for (; *s; s++)
        n += *s == c;
    return n;
}

static void test_sheet(const struct document *d)
{
    struct text t = {0};
    text_report_sheet(d, TABLE_NETWORKS, &t);
    const char *row = strchr(text_str(&t), '\n');
    is_int(count(text_str(&t), '\n'), 2, "a spreadsheet of one arm on one network has a head and a row");
    is_int(row ? 2 * count(row, '\t') : -1, count(text_str(&t), '\t'), "a name with a tab takes one field");
    ok(str_starts(text_str(&t), "network\tarm\tk\t"), "the head of a spreadsheet names the columns");
    text_free(&t);
}

static void test_columns(void)
{
    struct text t = {0};
    bool unique = true, whole = true, used[COL_COUNT] = {false}, all = true;
    for (int i = 0; i < COL_COUNT; i++) {
        unique = unique && report_column_find(report_columns[i].name) == i;
        whole = whole && *report_columns[i].help && report_columns[i].help[strlen(report_columns[i].help) - 1] == '.';
    }
    ok(unique, "no two columns have a name in common");
    ok(whole, "the help of each column is a sentence");
    column_reference(&t);
    for (int i = 0; i < REPORT_TABLES; i++)
        for (int c = 0; c < report_tables[i].n; c++) {
            const char *member = arena_printf(arena, "| `%s` |", report_columns[report_tables[i].columns[c]].name);
            used[report_tables[i].columns[c]] = true;
            all = all && strstr(text_str(&t), member);
        }
    ok(all, "the reference names every column of every table");
    for (int i = 0; i < COL_COUNT; i++)
        if (!used[i])
            diag("no table has column '%s'", report_columns[i].name), all = false;
    ok(all, "every column is in a table");
    text_free(&t);
}

static void test_grid(const struct document *d)
{
    const struct grid_choice columns[] = {
        {COL_ARM, SHOW_VALUE, NULL}, {COL_PAPER_KERNEL, SHOW_VALUE, NULL}, {COL_WINS, SHOW_WINS, NULL}};
    struct grid g = grid_of(
        &(struct grid_request){.d = d, .table = TABLE_MEANS, .columns = columns, .ncolumns = 3, .group = COL_COUNT});
    is_int(g.ncolumns, 2, "a column in which nothing is known is left out");
    is_str(g.cells[0], "dp-1", "a grid shows the arm");
    is_str(g.cells[1], "1 of 1", "a grid shows wins of those that count");
}

/* What two arms give against yes from 1.1 and no up to 1.05. df 1e9: Student's quantiles are the normal's. */
static void test_answer(void)
{
    static const struct {
        double ratio[2], half[2];
        bool seeds, valid;
        const char *want, *name;
    } cases[] = {
        {{1.15, 1.00},
         {0.05, 0.05},
         true,
         true,
         "Yes, what this tier changes does it: ",
         "one arm that is clearly above is a yes"},
        {{1.15, 1.00}, {0.13, 0.05}, true, true, "Open: ", "a point above whose interval holds 1 is open"},
        {{1.06, 1.00}, {0.01, 0.01}, true, true, "Open: ", "an effect between the two limits is open"},
        {{1.01, 0.99},
         {0.02, 0.03},
         true,
         true,
         "No, not under this tier: ",
         "intervals of all arms below the least are a no"},
        {{1.01, 0.99}, {0.02, 0.06}, true, true, "Open: ", "one wide interval is open"},
        {{1.01, 0.99}, {0.036, 0.01}, true, true, "Open: ", "intervals hold for both arms at once"},
        {{1.15, 1.00}, {0.05, 0.05}, false, true, "Open: ", "an interval over networks is open"},
        {{NAN, 0.99}, {0.02, 0.03}, true, true, "Open: ", "an arm without a number is open"},
        {{1.15, 1.00},
         {0.05, 0.05},
         true,
         false,
         "Open, since kernels are INVALID: ",
         "invalid kernels answer nothing"},
    };
    static const char *networks[] = {"net"};
    const struct experiment e = {.answer_networks = {networks, 1}, .answer_above = 1.1, .answer_none = 1.05};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct document d = {.a = arena};
        struct document_row row = document_add(&d, TABLE_NOISE);
        document_text(row, COL_STATE, cases[i].valid ? "passed" : "failed");
        document_text(row, COL_REASON, cases[i].valid ? NULL : "noise");
        for (int k = 0; k < 2; k++) {
            double r = cases[i].ratio[k], half = cases[i].half[k];
            row = document_add(&d, TABLE_DECLARED);
            document_text(row, COL_ARM, k ? "b" : "a");
            const struct estimate x = {r,
                                       r * exp(-half),
                                       r * exp(half),
                                       .method = INTERVAL_POOLED,
                                       .n = 2,
                                       .df = 1e9,
                                       .over = cases[i].seeds ? ESTIMATE_SEEDS : ESTIMATE_ROWS,
                                       .half = half};
            document_ratio(row, COL_PAIR_KERNELS, &x);
        }
        ok(str_starts(report_summary_answer(&d, &e), cases[i].want), "%s", cases[i].name);
    }
}

static void test_standing(void)
{
    static const struct {
        const char *kernels, *search;
        bool complete;
        const char *want, *name;
    } cases[] = {
        {"passed", "passed", true, "VALID", "a run whose gates all pass is valid"},
        {"passed", "failed", true, "VALID FOR KERNELS", "a run whose search time alone is void is valid for kernels"},
        {"passed", "failed", false, "INVALID", "a part of a run whose search time is void is valid for nothing"},
        {"failed", "passed", true, "INVALID", "a run whose kernels are void is not valid"},
        {"unknown", "failed", true, "INVALID", "a run is not valid for kernels that no gate judged"},
        {"passed", "unknown", true, "NOT JUDGED", "a run whose search time no gate judged is not judged"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct document d = {.a = arena,
                             .complete = cases[i].complete,
                             .valid = !str_eq(cases[i].kernels, "failed") && !str_eq(cases[i].search, "failed")};
        struct document_row row = document_add(&d, TABLE_NOISE);
        document_text(row, COL_STATE, cases[i].kernels);
        document_text(row, COL_SEARCH_STATE, cases[i].search);
        is_str(document_standing(&d), cases[i].want, "%s", cases[i].name);
    }
}

static void test_change(void)
{
    static const struct {
        double speedup;
        const char *want;
    } cases[] = {{1.25, "20 % less"}, {0.8, "25 % more"},      {1.003, "0.3 % less"},
                 {1, "the same"},     {400, "over 99 % less"}, {0.05, "over 1000 % more"},
                 {100, "99 % less"},  {0.1, "900 % more"},     {INFINITY, "any"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        is_str(report_summary_change(arena, cases[i].speedup), cases[i].want, "a ratio of times of %g in words",
               cases[i].speedup);
}

int main(void)
{
    test_change();
    char *dir = fixture_path("r");
    fill(dir, 2);
    struct document d = read_back(dir, 2, 4);
    ok(d.complete && !d.missing, "a campaign whose cells are done is complete");
    struct document part = read_back(dir, 2, 12);
    ok(!part.complete, "a campaign that has cells to come is not complete");
    is_str(part.missing, "4 of 12 cells are done", "a campaign that is not complete says how much is done");
    is_str(d.headline, "kernel_speedup_retimed", "the headline is a column's name");
    test_sheet(&d);
    test_grid(&d);
    test_columns();
    test_round_trip(dir, &d);
    test_refused();
    test_answer();
    test_standing();
    return done_testing();
}
