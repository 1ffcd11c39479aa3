/* SPDX-License-Identifier: Apache-2.0 */
/* sa: the Symbol-based Analyzer of Pruner. Latencies of the released code's formula for typed-in rows, and the rows of
 * the example program itself, are those that the notes on Pruner (arXiv 2402.02361 and its repository at 0760c3f) work
 * out by hand: a product of 1024x1024 matrices in blocks of 16x16 threads of 4x4 elements, and a small grid. The
 * paper's variant is held against its formulas, written out here a second time. CPUs: what must be slower is. */
#include "models/sa/latency.h"
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

#include <math.h>
#include <string.h>

static const struct sa_penalties BOTH = {.compute = true, .memory = true};

static struct sa_device device(double peak_gflops, double memory_gb_s, int multiprocessors)
{
    return (struct sa_device){.of = {.peak_gflops = peak_gflops,
                                     .memory_gb_s = memory_gb_s,
                                     .multiprocessors = multiprocessors,
                                     .blocks_per_multiprocessor = 1,
                                     .multiprocessor_partitions = 4,
                                     .warp_size = 32,
                                     .thread_registers = 128},
                              .shared_elements = 12288,
                              .transaction_elements = 32};
}

/* ---- the released code, from typed-in rows ---- */

static const struct {
    const char *name;
    double peak_gflops, memory_gb_s;
    int multiprocessors;
    double ms, score;
} GOLDEN[] = {{"a100_40", 19490, 1555, 108, 0.188110, 5.316044},
              {"titanv", 14900, 651, 80, 0.265749, 3.762948},
              {"orin", 2660, 204, 16, 1.127015, 0.887300},
              {"t4", 8141, 320, 40, 0.447018, 2.237049},
              {"k80", 8226, 480, 26, 0.385389, 2.594781}};
enum { NGOLDEN = sizeof GOLDEN / sizeof *GOLDEN };

static void golden_rows(const struct sa_row *rows, int n, const char *whose)
{
    for (int i = 0; i < NGOLDEN; i++) {
        struct sa_device d = device(GOLDEN[i].peak_gflops, GOLDEN[i].memory_gb_s, GOLDEN[i].multiprocessors);
        double ms = sa_latency_code(&d, BOTH, rows, n);
        is_near(ms, GOLDEN[i].ms, 3e-6, "variant code on %s: the product of %s takes %.6f ms", GOLDEN[i].name, whose,
                ms);
        is_near(1 / ms, GOLDEN[i].score, 2e-6, "variant code on %s: the score is %.6f", GOLDEN[i].name, 1 / ms);
    }
}

static void test_code(void)
{
    const struct sa_row rows[] = {
        {.total_work = 2147483648.0, .registers = 24, .reuse = 1 + 32768.0 / 8208, .grid = 256, .threads = 256},
        {.traffic = 16777216, .reuse = 1, .grid = 256, .threads = 256},
        {.traffic = 16777216, .reuse = 1, .grid = 256, .threads = 256},
        {.traffic = 1048576, .reuse = 1, .grid = 256, .threads = 256}};
    golden_rows(rows, 4, "typed-in rows");
    const struct sa_row small[] = {{.total_work = 1e9, .registers = 140, .reuse = 3, .grid = 64, .threads = 100},
                                   {.traffic = 5e6, .reuse = 1, .grid = 64, .threads = 100}};
    struct sa_device a100 = device(19490, 1555, 108);
    is_near(sa_latency_code(&a100, BOTH, small, 1), 0.161621344, 5e-9, "a small grid: compute time");
    is_near(sa_latency_code(&a100, BOTH, small, 2), 0.164615951, 5e-9, "a small grid: with its memory time");
    const struct sa_row zeros = {0};
    is_near(sa_latency_code(&a100, BOTH, &zeros, 1), 0, 0, "a row of zeros takes no time: the program was refused");
    struct sa_penalties compute = {.compute = true}, memory = {.memory = true};
    is_near(sa_latency_code(&a100, compute, small, 1), 0.161621344 * 128 / 140, 5e-9,
            "without memory penalties full registers cost nothing");
    is_near(sa_latency_code(&a100, memory, small, 1), 1e9 / 19490 / 1e6 * 140 / 128, 1e-9,
            "without compute penalties the peak is reached");
}

/* ---- the example program ---- */

static struct nest_stores stores_of(const struct nest *n)
{
    struct nest_stores all;
    struct err err = {0};
    fixture_must(nest_stores_find(arena, n, &all, &err), &err);
    return all;
}

static const char PRODUCT[] = "matmul n=1024 m=1024 k=1024";
static const char EXAMPLE[] =
    "[[\"CHW\",2,\"local\"],[\"SP\",2,0,1024,[1,16,4,1],1],[\"SP\",2,5,1024,[1,16,4,1],1],[\"SP\",2,10,1024,[16,1],1],"
    "[\"RE\",2,[0,5,1,6,2,7,10,11,3,8,12,4,9]],[\"FSP\",3,0,1,3],[\"FSP\",3,4,2,3],[\"RE\",3,[0,4,1,5,2,6,3,7]],"
    "[\"CA\",2,3,5],[\"CHR\",1,\"shared\",[2]],[\"CA\",2,3,6],[\"CHR\",0,\"shared\",[3]],[\"CA\",1,4,6],"
    "[\"FU\",5,[0,1]],[\"AN\",5,0,5],[\"FU\",5,[1,2]],[\"AN\",5,1,4],[\"FU\",5,[2,3]],[\"AN\",5,2,6],"
    "[\"FU\",3,[0,1]],[\"SP\",3,0,1024,[4],1],[\"AN\",3,1,2],[\"FFSP\",3,0,[1,2],1,1],[\"AN\",3,1,6],"
    "[\"FU\",1,[0,1]],[\"SP\",1,0,1024,[1],1],[\"AN\",1,1,2],[\"FFSP\",1,0,[1,2],1,1],[\"AN\",1,1,6]]";

static void test_rows(void)
{
    struct nest *n = fixture_nest(arena, PRODUCT, EXAMPLE);
    struct nest_stores all = stores_of(n);
    struct sa_rows rows = sa_rows_of(arena, n, &all);
    if (!is_int(rows.n, 4, "the example has four written buffers"))
        return;
    int copies = 0;
    for (int i = 0; i < rows.n; i++) {
        const struct sa_row *r = &rows.at[i];
        ok(r->grid == 256 && r->threads == 256 && r->vthreads == 1, "row %d: 256 blocks of 256 threads", i);
        if (r->thread_work > 0) {
            ok(r->thread_work == 32768 && r->total_work == 2147483648.0 && r->registers == 24 &&
                   r->thread_memory == 8208 && fabs(r->reuse - 4.992202) < 1e-6 && r->traffic == 0,
               "the update: 32,768 operations of a thread, 24 elements held, 8,208 read (%g, %g, %g)", r->thread_work,
               r->registers, r->thread_memory);
        } else if (r->shared > 0) {
            copies += r->shared == 65536 && r->traffic == 16777216;
        } else {
            is_near(r->traffic, 1048576, 0, "the result is written once");
        }
    }
    is_int(copies, 2, "both matrices go through shared memory, 16,777,216 elements each");
    golden_rows(rows.at, rows.n, "the lowered program");
}

/* ---- the paper ---- */

static void test_paper(void)
{
    struct nest *n = fixture_nest(arena, PRODUCT, EXAMPLE);
    struct nest_stores all = stores_of(n);
    struct sa_symbols_list list = sa_symbols_of(arena, n, &all);
    const struct sa_symbols *update = NULL;
    for (int i = 0; i < list.n; i++)
        if (list.at[i].l2_comp_count > 0)
            update = &list.at[i];
    if (!ok(update != NULL && list.n == 3, "three statements remain beside the two copies: start, update, result"))
        return;
    is_near(update->l0_mem_alloc, 24, 0, "S1: 16 + 4 + 4 elements of a thread");
    is_near(update->l0_comp_count, 16384, 0, "S2: 16 elements times 1,024");
    is_near(update->l1_mem_alloc, 2048, 0, "S3: two tiles of 64 x 16");
    is_near(update->l1_para_info, 256, 0, "S4: threads of a block");
    is_near(update->l2_mem_footprint, 33554432, 0, "S5: what both copies move");
    is_near(update->l2_para_info, 256, 0, "S6: blocks of the grid");
    is_near(update->l2_trans_dim, 16, 0, "S7: a row of the tile of A");
    is_near(1 + update->l0_comp_count / update->l0_mem_alloc, 683.7, 0.05, "P_l0,c of the example is 683.7");
    struct sa_device d = device(19490, 1555, 108);
    double peak = 19490e9 * (1 + 16384.0 / 24) * (8.0 / 8) * (256.0 / 256) * (256.0 / 324), bytes = 4.0 * 33554432;
    double update_ms = 1e3 * (2147483648.0 / peak + bytes / (1555e9 * 16 / 32));
    is_near(sa_latency_paper(&d, BOTH, update, 1), update_ms, 1e-9, "the update takes %.6f ms", update_ms);
    double result_ms = 1e3 * 4 * 1048576 / 1555e9;
    is_near(sa_latency_paper(&d, BOTH, list.at, list.n), update_ms + result_ms, 1e-9, "the rest is the result's write");
    struct sa_symbols six = {.l2_comp_count = 1e9, .l2_para_info = 6, .l1_para_info = 32};
    struct sa_device four = device(1000, 100, 4);
    four.of.multiprocessor_partitions = 1;
    is_near(sa_latency_paper(&four, BOTH, &six, 1), 1 / 0.75, 1e-9, "six blocks on four units have 0.75 of the peak");
    struct sa_penalties none = {0};
    is_near(sa_latency_paper(&four, none, &six, 1), 1, 1e-9, "without penalties they have all of the peak");
    struct sa_symbols full = {
        .l2_mem_footprint = 2.5e7, .l0_mem_alloc = 256, .l1_mem_alloc = 24576, .l2_trans_dim = 48};
    is_near(sa_latency_paper(&four, BOTH, &full, 1), 1 / (0.5 * 0.5 * 0.75), 1e-9,
            "full registers, full shared memory and short transfers slow memory");
}

/* ---- CPUs ---- */

static const struct sa_cpu CORE = {.cores = 4,
                                   .lanes = 8,
                                   .registers = 16,
                                   .ghz = 3,
                                   .capacity = {32 << 10, 1 << 20, 8 << 20},
                                   .bandwidth = {64, 32, 16, 8}};

static double cpu_ms(const char *steps, struct sa_penalties on)
{
    struct nest_stores all = stores_of(fixture_nest(arena, "matmul n=512 m=512 k=512", steps));
    return sa_latency_cpu(&CORE, on, &all);
}

static void test_cpu(void)
{
    static const char TILED[] = "[\"SP\",2,0,512,[4,2,4],1],[\"SP\",2,4,512,[4,1,16],1],[\"SP\",2,8,512,[8],1],"
                                "[\"RE\",2,[0,4,1,5,8,2,6,9,3,7]]";
    double plain = cpu_ms("[]", BOTH);
    double tiled = cpu_ms(arena_printf(arena, "[%s]", TILED), BOTH);
    double vector = cpu_ms(arena_printf(arena, "[%s,[\"AN\",2,9,2]]", TILED), BOTH);
    double parallel = cpu_ms(arena_printf(arena, "[%s,[\"AN\",2,9,2],[\"AN\",2,0,3]]", TILED), BOTH);
    struct sa_penalties memory = {.memory = true};
    ok(tiled <= plain && vector < tiled && parallel < vector,
       "on a CPU vectors are faster, and cores more so: %.3g, %.3g, %.3g, %.3g ms", plain, tiled, vector, parallel);
    is_near(cpu_ms(arena_printf(arena, "[%s]", TILED), memory),
            cpu_ms(arena_printf(arena, "[%s,[\"AN\",2,9,2]]", TILED), memory), 1e-12,
            "without compute penalties vectors make no difference");
    ok(parallel >= 2.0 * 512 * 512 * 512 / (4.0 * 8 * 4) / 3e6, "no program is faster than the peak of all lanes");
}

/* ---- the model ---- */

static void test_model(void)
{
    const struct model *plug = fixture_model("sa");
    struct err err = {0};
    struct machine_analyzer known = {.peak_gflops = 19490, .memory_gb_s = 1555, .multiprocessors = 108};
    void *self = arena_alloc(arena, plug->state_size), *options;
    fixture_must(setting_options(arena, plug->settings, plug->options_size, "", &options, &err), &err);
    struct model_env env = {.options = options, .limits = limits_cuda()};
    ok(!plug->open(self, &env, &err) && strstr(err.text, "peak_gflops"), "an unknown GPU is refused: %s", err.text);
    plug->close(self);
    env.analyzer = &known;
    if (!ok(plug->open(self, &env, &err), "a GPU with a row of its machine's file is taken"))
        return;
    double score = 0;
    struct state *s = fixture_state(arena, fixture_task(arena, PRODUCT), EXAMPLE);
    ok(plug->score(self, s->task, &s, 1, &score, &err), "the model scores a state%s", err.text);
    is_near(score, 5.316044, 2e-6, "the score is one over the milliseconds");
    plug->close(self);
}

int main(void)
{
    test_code();
    test_rows();
    test_paper();
    test_cpu();
    test_model();
    return done_testing();
}
