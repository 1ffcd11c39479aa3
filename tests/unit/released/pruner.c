/* SPDX-License-Identifier: Apache-2.0 */
/* pruner: tables with places, curves in both forms, and what is computed from made-up results of arXiv 2402.02361.
 * tests/cli/reanalyse_pruner.sh has the public ones. */
#include "harness/released/pruner/pruner_numbers.h"
#include "harness/released/released_papers.h"
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

#include <math.h>
#include <string.h>

static const struct release_problem *problem(const struct pruner_release *r, int i)
{
    static const struct release_problem none = {"", 0, 0, ""};
    return i < r->problems->all.n ? &r->problems->all.at[i] : &none;
}

static struct pruner_release *open_folder(void)
{
    struct pruner_release *r;
    struct err err = {0};
    bool none;
    if (!pruner_release_open(arena, fixture_folder(), &r, &none, &err))
        fail("%s", none ? "none of its files" : err.text);
    return r;
}

static const struct pruner_numbers *numbers_of(const struct pruner_release *r)
{
    struct pruner_numbers *x = ARENA_NEW(arena, struct pruner_numbers);
    pruner_reanalysis_make(arena, r, x);
    return x;
}

static void test_cells(void)
{
    struct tsv_problems *p = tsv_problems_open(arena);
    struct tsv_table t;
    static const char *const needed[] = {"b", "a", NULL}, *const lacking[] = {"a", "c", NULL};
    double v;
    char text[] = "a\tb\r\n1.5\tx\n\ttail\n1\n";
    ok(tsv_table_read(p, "f", text, needed, &t), "columns may stand in any order");
    is_int(t.n, 2, "a row with too few fields is no row");
    ok(p->all.n == 1 && p->all.at[0].line == 4 && strstr(p->all.at[0].text, "1 fields, the head names 2"),
       "a row with too few fields is a problem with its line");
    is_str(tsv_text(&t, 0, "b"), "x", "a carriage return is no part of the last cell");
    ok(tsv_number(&t, 0, "a", 0, false, &v) && v == 1.5, "a cell becomes its number");
    ok(tsv_number(&t, 1, "a", 0, true, &v) && isnan(v), "an empty cell may be an absent number");
    ok(!tsv_number(&t, 1, "b", 0, false, &v) && p->all.at[1].line == 3 && p->all.at[1].column == 2,
       "a cell that is no number is a problem with its line and column");
    ok(!tsv_number(&t, 0, "a", 2, false, &v), "a number below the least is a problem");
    is_int(tsv_word(&t, 0, "b", (const char *const[]){"w", "x"}, 2), 1, "a cell becomes its word");
    is_int(tsv_word(&t, 1, "b", (const char *const[]){"tall", "x"}, 2), -1, "an unknown word is none");
    ok(strstr(p->all.at[3].text, "did you mean 'tall'?"), "an unknown word gets a hint");
    char again[] = "a\n1\n";
    ok(!tsv_table_read(p, "g", again, lacking, &t) && strstr(p->all.at[4].text, "no column 'c'"),
       "a missing column is a problem");
}

#define HEAD "elapsed_s\test_latency_ms\ttrials\n"

static void test_curve(void)
{
    fixture_file("resnet50_a100/ansor.tsv", HEAD "10\tN/A\t10\n20\t4\t20\n30\t3\t30\n50\t2\t40\n");
    fixture_file("resnet50_a100/pruner.tsv", HEAD "10\t3.5\t10\n20\t2\t20\n25\t1\t30\n");
    const struct pruner_release *r = open_folder();
    const struct pruner_curve *c = &r->curves[PRUNER_ANSOR];
    is_int(c->n, 4, "a curve has its rows");
    ok(isnan(c->at[0].ms), "a curve begins without a latency");
    is_int(pruner_curve_reach(c, 3)->trials, 30, "a latency is reached where it first is that good");
    ok(pruner_curve_reach(c, 1.9) == NULL, "a latency below the end is never reached");
    is_near(pruner_curve_round_s(c), 15, 1e-12, "a round is timed from the first latency on");
    const struct pruner_numbers *x = numbers_of(r);
    is_near(pruner_numbers_value(x, "curve", NULL, NULL, "pruner"), 2.5, 1e-12,
            "the speedup of a curve is the whole run over the time to parity");
    ok(isnan(pruner_numbers_value(x, "curve", NULL, NULL, "moa_pruner")), "an absent curve has no speedup");
    fixture_file("resnet50_a100/tensetmlp_offline.tsv", HEAD "10\t9\t10\n");
    r = open_folder();
    x = numbers_of(r);
    is_near(pruner_numbers_value(x, "curve", NULL, NULL, "tensetmlp_never"), 1, 1e-12, "a curve may never be as good");
}

/* A damaged curve is left out, and its first bad cell named. */
static void test_damage(const char *rows, int line, int column, const char *text)
{
    fixture_file("resnet50_a100/ansor.tsv", arena_printf(arena, "%s%s", HEAD, rows));
    const struct pruner_release *r = open_folder();
    const struct release_problem *p = problem(r, 0);
    ok(r->curves[PRUNER_ANSOR].n == 0 && p->line == line && p->column == column && strstr(p->text, text),
       "a damaged curve is refused at %d:%d: %s (got %d:%d: %s)", line, column, text, p->line, p->column, p->text);
}

static void test_authors(void)
{
    const char *at = "scripts/res/resnet_50-A100/2000_ansor/1";
    fixture_remove(fixture_path("resnet50_a100/ansor.tsv"));
    fixture_file(arena_printf(arena, "%s/total_latency.tsv", at),
                 "ElapsedTime(s)\t7\tEstimatedLatency(ms)\tN/A\tTrials\t10\n"
                 "ElapsedTime(s)\t9\tEstimatedLatency(ms)\t1.25\tTrials\t20\n");
    fixture_file(arena_printf(arena, "%s/results.tsv", at), "cuda\tgpu\t{'costs': '1.75'}\t17.5\n");
    const struct pruner_release *r = open_folder();
    ok(r->authors && r->curves[PRUNER_ANSOR].n == 2 && r->curves[PRUNER_ANSOR].at[1].ms == 1.25,
       "a curve in the authors' form is read");
    is_near(r->curves[PRUNER_ANSOR].measured_ms, 1.75, 1e-12, "the measured latency stands beside it");
    fixture_file(arena_printf(arena, "%s/total_latency.tsv", at),
                 "ElapsedTime(s)\t7\tEstimatedLatency(ms)\tfast\tTrials\t10\n");
    r = open_folder();
    is_int(problem(r, 0)->line, 1, "lines of the authors' form are counted without our head");
    is_int(problem(r, 0)->column, 39, "columns of the authors' form are those of the file");
}

static void test_bars(void)
{
    fixture_file("search_time.tsv",
                 "network\tplatform\tbaseline\tmethod\twhat\tseconds\n"
                 "vit\ta100\tansor\tansor\twhole_run\t100\nvit\ta100\tansor\tpruner\tto_parity\t50\n"
                 "detr\ta100\tansor\tansor\twhole_run\t80\ndetr\ta100\tansor\tpruner\tto_parity\t10\n"
                 "bert_tiny\ta100\tansor\tansor\twhole_run\t80\n"
                 "resnet51\ta100\tansor\tansor\twhole_run\t80\n");
    const struct pruner_release *r = open_folder();
    const struct pruner_numbers *x = numbers_of(r);
    is_near(pruner_numbers_value(x, "parity", "a100", NULL, "pruner"), 5, 1e-12,
            "speedups are averaged as the paper does");
    is_near(pruner_numbers_value(x, "parity", "a100", NULL, "pruner_geomean"), 4, 1e-12,
            "speedups are averaged by the geometric mean");
    is_near(pruner_numbers_value(x, "parity", "a100", NULL, "pruner_sums"), 3, 1e-12,
            "speedups are taken as a ratio of sums");
    is_near(pruner_numbers_value(x, "parity", "a100", NULL, "pruner_networks"), 2, 1e-12,
            "a network without both bars is in no mean");
    ok(isnan(pruner_numbers_value(x, "parity", "all", NULL, "pruner")), "a mean over platforms needs all of them");
    bool said = false;
    for (int i = 0; i < r->problems->all.n; i++)
        said = said || (strstr(problem(r, i)->text, "did you mean 'resnet50'?") && problem(r, i)->line == 7);
    ok(said, "an unknown network is a problem with a hint");
}

static void test_papers(void)
{
    struct released_results results;
    struct err err = {0};
    ok(released_open(arena, fixture_folder(), &results, &err) && str_eq(results.paper->name, "pruner"),
       "a folder belongs to the paper whose files it holds");
    const struct released_paper *paper;
    ok(released_table_find("sweep", &paper) && str_eq(paper->name, "droplet"), "a table belongs to one paper");
    int twice = 0;
    for (int i = 0; i < released_papers_n; i++)
        for (int k = 0; k < released_papers[i]->ntables; k++)
            twice += released_table_find(released_papers[i]->tables[k].name, &paper) != &released_papers[i]->tables[k];
    is_int(twice, 0, "no two papers have a table of one name");
}

int main(void)
{
    test_cells();
    test_curve();
    test_damage("10\t4\t10\n10\t3\t20\n", 3, 1, "not after the row before");
    test_damage("10\t4\t10\n20\t5\t20\n", 3, 4, "more than the best");
    test_damage("10\t4\t10\n20\tN/A\t20\n", 3, 4, "after rows that had a latency");
    test_damage("10\t4\t10\n20\t3\t10\n", 3, 6, "not more than in the row before");
    test_damage("10\tfast\t10\n", 2, 4, "not a number");
    test_damage("10\t4\n", 2, 0, "2 fields, the head names 3");
    test_authors();
    test_bars();
    test_papers();
    return done_testing();
}
