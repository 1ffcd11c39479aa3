/* SPDX-License-Identifier: Apache-2.0 */
/* release: names of networks, cells of lines, heads and labels of the authors' formats, and which block counts.
 * tests/cli/reanalyse.sh has whole folders. */
#include "harness/released/droplet/release.h"

#include "harness/released/droplet/bennu.h"
#include "harness/released/droplet/column.h"
#include "harness/released/droplet/compact.h"
#include "harness/released/droplet/paper_networks.h"
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

#include <math.h>

static void test_networks(void)
{
    int kernels = 0;
    for (int i = 0; i < PAPER_NETWORKS; i++)
        kernels += paper_networks[i].kernels;
    is_int(kernels, PAPER_KERNELS, "the 20 networks have 815 kernels in all");
    is_int(paper_network_find("Mnasnet", 7), paper_network_place("mnasnet1_0"),
           "the beginning of one network's name finds it");
    is_int(paper_network_find("resnet", 6), -1, "a beginning that several networks share finds none");
    is_int(paper_network_find("vgg11", 5), paper_network_place("vgg11"), "a whole name finds its network");
    is_int(paper_network_find("alex", 4), -1, "four letters are too few to find a network");
    is_str(bennu_network("perf_stats/a64fx/run_squeezenet_a64fx_droplet_all_updated.log"), "squeezenet",
           "a file's name tells its network among other words");
    is_str(bennu_network("perf_stats/a100/cuda_a100_droplet_inception.log"), "inception_v3",
           "a file's name may shorten the network's");
    is_str(bennu_network("perf_stats/RTX3080/mnasnet1_0.csv"), "mnasnet1_0",
           "a file's name may hold a network with an underscore");
    is_str(bennu_network("x/cuda_a100_droplet_densenet169_top10k.log"), "densenet169",
           "of networks that begin alike a file's name tells the right one");
    is_str(bennu_network("x/cuda_a100_droplet_d169T1.log"), "", "a file's name without a network tells none");
}

static void test_lines(void)
{
    char text[] = "a,b\r\n\nlast", *at = text;
    is_str(column_line(&at), "a,b", "a line comes without its carriage return");
    is_str(column_line(&at), "", "an empty line comes as an empty line");
    is_str(column_line(&at), "last", "a last line without its end comes whole");
    ok(column_line(&at) == NULL, "after the last line there is none");
    char row[] = "x\t\t y z \t", *cells[4];
    is_int(column_split(row, '\t', cells, 4), 4, "a row of three tabs has four cells");
    is_str(cells[1], "", "an empty cell stays empty");
    is_str(cells[2], "y z", "blanks around a cell go");
    is_str(cells[3], "", "an empty last cell is a cell");
    char many[] = "1,2,3,4,5,6";
    is_int(column_split(many, ',', cells, 4), 6, "more cells than there is room for are counted");
}

static struct release *new_release(void)
{
    struct release *r = ARENA_NEW(arena, struct release);
    r->arena = arena;
    return r;
}

static void drop(struct release *r)
{
    for (int i = 0; i < r->blocks.n; i++)
        vec_free(&r->blocks.at[i].rows);
    vec_free(&r->blocks);
    vec_free(&r->files);
    vec_free(&r->problems);
}

static void test_bennu(void)
{
    struct release *r = new_release();
    struct bennu_source source = {"perf_stats/a100/some.log", TABLE_SWEEP, "a100", ""};
    char text[] =
        "Greetings from !\n"
        "Layer, Time Droplet (s), Time Ansor-1 (s)\n" /* no network yet */
        "Mnasnet: Top 25\n"
        "Layer, Time Droplet (s), std droplet (s), Tuning time Droplet (s), Tuning time Droplet+Ansor (s), tasks "
        "Droplet, Time Ansor-25 (s), std Ansor-25, tuning time Ansor-25, task Ansor-25, Time Ansor 10k (s), std "
        "Ansor 10k, tuning time 10k (s), tasks Ansor, speedup top-25, p-value\n"
        "0, 0.001, 0.1, 2, 3, 4, 0.005, 0.6, 7,  8, 0.009, 0.10, 11, 12, 9.00, 0.5\n"
        "2, 0.001, 0.1, 2, 3, 4, 0.005, 0.6, 7,  8, 0.009, 0.10, 11, 12, 9.00, nan\n"
        "Completed, with thanks\n"
        "3, 0.001, 0.1\n";
    is_int(bennu_read(r, &source, text), 2, "two rows of a table among chatter are read");
    is_int(r->blocks.n, 1, "rows below one head make one block");
    const struct release_block *b = &r->blocks.at[0];
    is_str(b->network, "mnasnet1_0", "a label names the block's network");
    is_int(b->k, 25, "a label names the block's k");
    static const double want[MEASURE_COUNT] = {0.001, 0.1, 2, 3, 4, 0.005, 0.6, 7, 8, 0.009, 0.10, 11, 12, 0.5};
    is_mem(b->rows.at[0].v, want, sizeof want, "every column goes where its name says");
    ok(isnan(b->rows.at[1].v[P_VALUE]) && b->rows.at[1].kernel == 2, "nan is read as a p-value that is not there");
    is_int(r->problems.n, 2, "a headless table and a cut row are two problems");
    is_str(r->problems.at[0].text, "a table before any line that names its network",
           "a table before any network is a problem");
    is_int(r->problems.at[1].line, 8, "a row that is cut off is a problem with its line");
    drop(r);
}

static void test_compact(void)
{
    struct release *r = new_release();
    char text[] = "network\tkernel\tmethod\ttime_s\tstd_s\trun\tnews\n"
                  "alexnet\t0\tgrid\t0.5\t\tgrid_a\tx\n"
                  "alexnet\t0\tdroplet\t0.25\t0.125\tgrid_a\t\n"
                  "alexnet\t1\tgrid\t9999\t\tgrid_a\t\n"
                  "alexnet\t1\tgrid\t1\t\tgrid_a\t\n";
    is_int(compact_read(r, TABLE_EXPLOITERS, "exploiters_ryzen7.tsv", "ryzen7", text), 3,
           "three of four rows of a compact table are read");
    is_int(r->blocks.n, 2, "each method of a compact table has a block");
    ok(isnan(r->blocks.at[0].rows.at[0].v[DROPLET_SD]) && r->blocks.at[1].rows.at[0].v[DROPLET_SD] == 0.125,
       "an empty field of a compact table is absent");
    is_int(r->blocks.at[0].k, 300, "the exploiters' tables are of k = 300");
    ok(release_failed(&r->blocks.at[0].rows.at[1], DROPLET_TIME), "9999 s is a failed kernel");
    is_str(r->problems.at[0].text, "the row of kernel 1 is left out: this kernel stands in the block already",
           "a kernel that stands twice is a problem");
    drop(r);
}

static void test_log(void)
{
    struct release *r = new_release();
    struct release_row row = {0};
    ok(bennu_log(r, "log", "{\"r\": [[0.5, 0.25], 0, 3, 1]}\n# none\n{\"r\": [[1e10], 4, 5, 1]}\n", &row),
       "a log of Ansor is read");
    ok(row.v[BASE_TIME] == 0.375 && row.v[BASE_TUNING] == 8 && row.v[BASE_RECORDS] == 2,
       "a log gives the best mean, the cost of all records, and their number");
    ok(!bennu_log(r, "log", "{\"r\": [[1e10], 4, 5, 1]}\n{\"r\": 1}", &row), "a log without a valid record is refused");
    is_int(r->problems.n, 1, "a broken record of a log is a problem");
    drop(r);
}

int main(void)
{
    test_networks();
    test_lines();
    test_bennu();
    test_compact();
    test_log();
    return done_testing();
}
