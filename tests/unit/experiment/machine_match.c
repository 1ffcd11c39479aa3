/* SPDX-License-Identifier: Apache-2.0 */
/* machine_match: which machine of experiments/ a computer is, for computers that are typed in here: none is taken for
 * two machines, and what is like a machine but another one is taken for none. The rows of the Symbol-based Analyzer are
 * held against the notes on Pruner's code. */
#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/experiment/machine.h"
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

#include <string.h>

static char **names;
static int nnames;

static struct machine *load(const char *name)
{
    struct machine *m = ARENA_NEW(arena, struct machine);
    struct err err = {0};
    if (!machine_load(arena, "experiments", name, m, &err))
        fail("%s", err.text);
    return m;
}

/* The machines that take this computer, separated by blanks. */
static const char *machines_of(const struct machine_traits *t)
{
    const char *out = "";
    for (int i = 0; i < nnames; i++) {
        struct machine *m = load(names[i]);
        if (machine_match_given(&m->match) && !machine_mismatch(arena, &m->match, t))
            out = arena_printf(arena, "%s%s%s", out, *out ? " " : "", names[i]);
    }
    return out;
}

/* Names and sizes as the drivers say them. */
static void test_gpus(void)
{
    static const struct {
        const char *gpu;
        double gib;
        const char *want;
    } CASES[] = {
        {"NVIDIA A100-SXM4-80GB", 80.0, "a100-80"},
        {"NVIDIA A100 80GB PCIe", 80.0, "a100-80"},
        {"A100-SXM4-80GB", 79.2, "a100-80"},
        {"NVIDIA A100-SXM4-40GB", 40.0, "a100-40"},
        {"NVIDIA A100-PCIE-40GB", 39.6, "a100-40"},
        {"NVIDIA A100-SXM4-80GB MIG", 80.0, ""},
        {"NVIDIA A100-SXM4-40GB MIG 3g.20gb", 19.5, ""},
        {"NVIDIA A100X", 80.0, ""},
        {"NVIDIA RTX A1000", 8.0, ""},
        {"NVIDIA A100-SXM4-80GB", 0, ""}, /* how much is not known: either */
        {"NVIDIA GeForce RTX 3080", 12.0, "rtx3080"},
        {"NVIDIA GeForce RTX 3080", 10.0, ""},
        {"NVIDIA GeForce RTX 3080 Ti", 12.0, ""},
        {"NVIDIA GeForce RTX 3080 Laptop GPU", 12.0, ""},
        {"NVIDIA TITAN V", 11.8, "titanv"},
        {"TITAN V CEO Edition", 31.7, ""},
        {"NVIDIA TITAN Xp", 11.9, ""},
        {"Tesla K80", 11.2, "k80"},
        {"Tesla T4", 15.0, "t4"},
        {"NVIDIA T400", 4.0, ""},
        {"NVIDIA H100 80GB HBM3", 79.6, "h100"},
        {"NVIDIA H100 PCIe", 79.6, ""},
        {"NVIDIA H100 NVL", 93.6, ""},
        {"NVIDIA H200", 140.4, "h200"},
        {"NVIDIA H200 NVL", 140.4, ""},
        {"NVIDIA GH200 480GB", 95.6, ""},
        {"NVIDIA GeForce RTX 4090", 24.0, ""},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        struct machine_traits t = {.cpu = "Some Xeon",
                                   .arch = "x86_64",
                                   .memory_gib = 251,
                                   .cores = 64,
                                   .gpu = CASES[i].gpu,
                                   .gpu_memory_gib = CASES[i].gib};
        is_str(machines_of(&t), CASES[i].want, "'%s' with %g GiB is %s", CASES[i].gpu, CASES[i].gib,
               *CASES[i].want ? CASES[i].want : "no machine of ours");
    }
}

static void test_computers(void)
{
    struct machine_traits none = {0},
                          ryzen = {.cpu = "AMD Ryzen 7 3700X 8-Core Processor", .arch = "x86_64", .cores = 16},
                          other = {.cpu = "AMD Ryzen 7 3700", .arch = "x86_64", .cores = 16},
                          fujitsu = {.cpu = "Fujitsu A64FX", .arch = "aarch64", .cores = 48, .memory_gib = 31},
                          orin = {.cpu = "Arm Cortex-A78AE",
                                  .arch = "aarch64",
                                  .cores = 12,
                                  .memory_gib = 29.9,
                                  .gpu = "Orin (nvgpu)"};
    is_str(machines_of(&none), "", "a computer of which nothing is known is no machine of ours");
    is_str(machines_of(&ryzen), "ryzen7-3700x", "the Ryzen is told by its processor");
    is_str(machines_of(&other), "", "a Ryzen of another number is another machine");
    is_str(machines_of(&fujitsu), "a64fx", "the A64FX is told by its processor");
    fujitsu.arch = "x86_64";
    is_str(machines_of(&fujitsu), "", "no x86 machine is an A64FX");
    is_str(machines_of(&orin), "orin-agx", "the Orin is told by its GPU and the memory of both");
    orin.memory_gib = 61.3;
    is_str(machines_of(&orin), "", "an Orin with twice the memory is another machine");
    ryzen.gpu = "NVIDIA H200";
    ryzen.gpu_memory_gib = 140.4;
    is_str(machines_of(&ryzen), "h200 ryzen7-3700x", "a Ryzen with an H200 is both machines");
}

static void test_reasons(void)
{
    struct machine_traits t = {.cpu = "x", .arch = "x86_64", .gpu = "NVIDIA A100-SXM4-40GB", .gpu_memory_gib = 40};
    is_str(machine_mismatch(arena, &load("a100-80")->match, &t), "its GiB of GPU memory are 76 to 82, here 40",
           "another size of memory is the reason");
    is_str(machine_mismatch(arena, &load("h200")->match, &t), "its GPU is a 'H200', here is 'NVIDIA A100-SXM4-40GB'",
           "another name of the GPU is the reason");
    is_str(machine_mismatch(arena, &load("a64fx")->match, &t), "it is aarch64, here is x86_64",
           "another architecture is the reason");
    t.gpu = "NVIDIA H200 NVL";
    is_str(machine_mismatch(arena, &load("h200")->match, &t), "its GPU is no 'NVL', here is 'NVIDIA H200 NVL'",
           "a variant of the GPU is the reason");
    t.gpu = NULL;
    is_str(machine_mismatch(arena, &load("t4")->match, &t), "its GPU is a 'T4', here none is known",
           "a missing GPU is the reason");
}

static void test_aliases(void)
{
    struct machine_traits small = {.gpu = "NVIDIA A100-SXM4-40GB", .gpu_memory_gib = 40},
                          large = {.gpu = "NVIDIA A100-SXM4-80GB", .gpu_memory_gib = 80};
    is_str(load("a100")->name, "a100-80", "the A100 of old files is the one with 80 GB");
    is_str(load("ryzen7")->name, "ryzen7-3700x", "the authors' ryzen7 is the 3700X");
    ok(machine_takes(arena, "experiments", "a100", &large) && !machine_takes(arena, "experiments", "a100", &small),
       "an A100 with 40 GB is not the A100 of the Droplet paper");
    ok(machine_takes(arena, "experiments", "made-up", &small) && machine_takes(arena, "experiments", "host", &small),
       "without a file or a rule nothing is ruled out");
}

/* Files that must be refused, with their place. */
static void test_refused(void)
{
    static const char *const CASES[][2] = {
        {"match: {gpu_memory_gib: [3]}\n", "m.yaml:3:25: gpu_memory_gib takes two numbers, the least and the most"},
        {"match: {cores: [3, 2]}\n", "m.yaml:3:16: cores takes two numbers"},
        {"match: {gup: [x]}\n", "m.yaml:3:9: unknown key 'gup': did you mean 'gpu'?"},
        {"regimes: [droplit]\n", "m.yaml:3:10: unknown regime 'droplit': did you mean 'droplet'?"},
        {"symbol_analyzer: {multiprocessors: -1}\n", "m.yaml:3:36: "},
        {"limits: {warps: 3}\n", "m.yaml:3:10: unknown key 'warps'"}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        struct machine m;
        struct err err = {0};
        fixture_file("machines/m.yaml", arena_printf(arena, "name: m\ntarget: fake\n%s", CASES[i][0]));
        bool refused = !machine_load(arena, fixture_folder(), "m", &m, &err) && strstr(err.text, CASES[i][1]);
        ok(refused, "refused with its place: %s %s", CASES[i][1], err.text);
        ok(!machine_takes(arena, fixture_folder(), "m", &(struct machine_traits){0}),
           "a file that cannot be read takes nobody");
    }
}

static void test_analyzer(void)
{
    /* The table of devices in task_scheduler.py of Pruner's released code. */
    static const struct {
        const char *name;
        double peak_gflops, memory_gb_s;
        int multiprocessors;
    } DEVICES[] = {{"k80", 8226, 480, 26},      {"t4", 8141, 320, 40},         {"titanv", 14900, 651, 80},
                   {"orin-agx", 2660, 204, 16}, {"a100-80", 19490, 1935, 108}, {"a100-40", 19490, 1555, 108}};
    for (int i = 0; i < nnames; i++) {
        struct machine *m = load(names[i]);
        bool gpu = str_eq(m->target, "cuda"), given = m->analyzer.peak_gflops > 0;
        ok(gpu == given &&
               (!gpu || (m->analyzer.memory_gb_s > 0 && m->analyzer.multiprocessors > 0 &&
                         m->analyzer.blocks_per_multiprocessor == 1 && m->analyzer.multiprocessor_partitions == 4 &&
                         m->analyzer.warp_size == 32 && m->analyzer.thread_registers == 128)),
           "%s %s a row for the Symbol-based Analyzer", names[i], gpu ? "has" : "needs no");
        ok(!gpu || (m->limits.shared_bytes == 48 << 10 && m->limits.threads_per_block == 1024 &&
                    m->limits.warp_size == 32 && m->limits.vthread_extent == 8 && m->limits.vector_bytes == 16),
           "%s has the limits of TVM's records", names[i]);
        bool unknown = str_eq(m->target, "imported"); /* nobody said which machine it was */
        ok(m->detected || unknown ||
               (m->peak_gflops > 0 && m->memory_gb_s > 0 && m->cache_mib > 0 && machine_match_given(&m->match)),
           "%s has upper limits and a rule", names[i]);
    }
    for (size_t i = 0; i < sizeof DEVICES / sizeof *DEVICES; i++) {
        const struct machine_analyzer *d = &load(DEVICES[i].name)->analyzer;
        ok(d->peak_gflops == DEVICES[i].peak_gflops && d->memory_gb_s == DEVICES[i].memory_gb_s &&
               d->multiprocessors == DEVICES[i].multiprocessors,
           "%s is %g GFLOP/s, %g GB/s, %d multiprocessors to Pruner", DEVICES[i].name, DEVICES[i].peak_gflops,
           DEVICES[i].memory_gb_s, DEVICES[i].multiprocessors);
    }
}

int main(void)
{
    struct err err = {0};
    if (!file_list(arena, "experiments/machines", ".yaml", &names, &nnames, &err))
        fail("%s", err.text);
    ok(nnames == 13, "eleven machines, the host and the unknown one have files: %d", nnames);
    test_gpus();
    test_computers();
    test_reasons();
    test_aliases();
    test_refused();
    test_analyzer();
    return done_testing();
}
