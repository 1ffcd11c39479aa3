/* SPDX-License-Identifier: Apache-2.0 */
/* network: the committed networks have the published totals, and a file whose totals, shapes or names are wrong is
 * refused with its place. Published totals: torchvision 0.19 model pages (multiply-adds in GFLOPS counted as
 * multiply-adds, parameters), kernel and call counts of the authors' released task tables (lac-dcc/bennu). */
#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/experiment/network.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct arena *arena;
static char folder[] = "/tmp/raingauge-test-XXXXXX";

static void test_committed(void)
{
    static const struct {
        const char *name;
        int kernels, calls;
        double macs_m, params_m;
    } want[] = {
        {"alexnet", 13, 13, 714.2, 61.101}, {"resnet18", 19, 24, 1814, 11.690}, {"mobilenet_v2", 33, 55, 300.8, 3.505}};
    for (int i = 0; i < 3; i++) {
        struct network *n;
        struct err err = {0};
        if (!ok(network_load(arena, "experiments", want[i].name, &n, &err), "%s loads", want[i].name)) {
            diag("%s", err.text);
            continue;
        }
        is_int(n->nkernels, want[i].kernels, "%s: kernels", want[i].name);
        is_int(n->calls, want[i].calls, "%s: calls", want[i].name);
        is_near(n->macs_sum_m, want[i].macs_m, 0.01, "%s: multiply-adds", want[i].name);
        is_near(n->params_sum_m, want[i].params_m, 0.01, "%s: parameters", want[i].name);
        ok(n->gflop >= 2e-3 * n->macs_sum_m, "%s: FLOP are at least two for each multiply-add", want[i].name);
    }
}

/* dense 10 -> 4 with bias: 40 multiply-adds, 44 parameters; twice: 80 and 88. */
#define HEAD "name: tiny\ntitle: Tiny\nsource: this test\n"
#define LIST "list:\n  - {count: 2, op: dense, ci: 10, co: 4, bias: 1}\n  - {count: 1, op: softmax, c: 1000}\n"
#define TOTALS "kernels: 2\ncalls: 3\nmacs_m: 0.00008\nparams_m: 0.000088\n"

static bool load(const char *text, struct network **n, struct err *err)
{
    *err = (struct err){0};
    return file_write(file_join(arena, folder, "networks/tiny.yaml"), text, strlen(text), err) &&
           network_load(arena, folder, "tiny", n, err);
}

static void refused(const char *text, const char *want, const char *name)
{
    struct network *n;
    struct err err;
    ok(!load(text, &n, &err), "refused: %s", name);
    const char *at = strstr(err.text, "tiny.yaml:");
    if (!ok(at && str_eq(at, want), "%s", want))
        diag("got: %s", err.text);
}

static void test_written(void)
{
    struct network *n;
    struct err err;
    if (ok(load(HEAD TOTALS LIST, &n, &err), "a small network loads")) {
        is_int(n->calls, 3, "its calls");
        is_near(n->macs_sum_m, 80e-6, 1e-12, "its multiply-adds");
        is_near(n->params_sum_m, 88e-6, 1e-12, "its parameters");
        is_near(n->gflop, (2 * n->tasks[0].task->flops + n->tasks[1].task->flops) / 1e9, 1e-12, "FLOP by calls");
        ok(n->tasks[0].weight == 2 && n->tasks[1].weight == 1, "weights are calls");
    } else {
        diag("%s", err.text);
    }
}

static void test_refused(void)
{
    refused(HEAD "kernels: 3\ncalls: 3\n" LIST, "tiny.yaml:4:10: 'tiny' declares 3 kernels but lists 2", "kernels");
    refused(HEAD "kernels: 2\ncalls: 4\n" LIST, "tiny.yaml:5:8: 'tiny' declares 4 calls but its counts add up to 3",
            "calls");
    refused(HEAD "kernels: 2\ncalls: 3\nmacs_m: 5\n" LIST,
            "tiny.yaml:6:9: 'tiny' declares 5 million multiply-adds but its kernels make 0.0", "multiply-adds");
    refused(HEAD "kernels: 2\ncalls: 3\nparams_m: 5\n" LIST,
            "tiny.yaml:6:11: 'tiny' declares 5 million parameters but its kernels have 0.00", "parameters");
    refused(HEAD "kernels: 2\ncalls: 2\nlist:\n  - {op: softmax, c: 10}\n  - {op: softmax, c: 10}\n",
            "tiny.yaml:8:5: this kernel stands in the list already, as number 0", "a kernel twice");
    refused(HEAD "kernels: 1\ncalls: 1\nlist:\n  - {op: softmax, c: 10, count: 0}\n",
            "tiny.yaml:7:33: 'count' must be between 1 and 1000000, not 0", "no calls");
    refused(HEAD "kernels: 1\ncalls: 1\nlist:\n  - {op: softmax, c: [10]}\n",
            "tiny.yaml:7:22: 'c' must be a single value", "a list as size");
    refused(HEAD "kernels: 1\ncalls: 1\nlist: []\n", "tiny.yaml:6:7: 'list' must be the list of kernels", "no kernels");
    refused(HEAD "kernels: 1\ncalls: 1\nlist:\n  - softmax\n",
            "tiny.yaml:7:5: a kernel must be a map such as {count: 1, op: conv2d, ...}", "a word as kernel");
    refused(HEAD "kernels: 1\ncals: 1\nlist: []\n", "tiny.yaml:5:1: unknown key 'cals': did you mean 'calls'?",
            "an unknown key");
}

/* The words are the operator's own; place and subject are what counts here. */
static void refused_near(const char *kernel, const char *part)
{
    struct network *n;
    struct err err;
    struct text t = {0};
    text_printf(&t, HEAD "kernels: 1\ncalls: 1\nlist:\n  - %s\n", kernel);
    ok(!load(text_str(&t), &n, &err) && strstr(err.text, "tiny.yaml:7:5: ") && strstr(err.text, part), "refused: %s",
       kernel) ||
        (diag("%s", err.text), 0);
    text_free(&t);
}

static void test_names(void)
{
    struct network *n;
    struct err err = {0};
    refused_near("{op: sofmax, c: 10}", "softmax");
    refused_near("{op: softmax, cc: 10}", "cc");
    refused_near("{op: softmax, c: -3}", "c");
    refused_near("{op: softmax, c: many}", "many");
    refused_near("{op: conv2d, ci: 8, hi: 2, wi: 2, co: 8, kh: 5, kw: 5}", "k");
    ok(!network_load(arena, "experiments", "resnet81", &n, &err), "an unknown network");
    is_str(err.text, "unknown network 'resnet81': did you mean 'resnet18'?", "has a hint");
}

int main(void)
{
    struct err err = {0};
    arena = arena_open("test");
    if (!mkdtemp(folder) || !file_make_dirs(file_join(arena, folder, "networks"), &err))
        skip_all("no temporary folder: %s", err.text);
    test_committed();
    test_written();
    test_refused();
    test_names();
    unlink(file_join(arena, folder, "networks/tiny.yaml"));
    rmdir(file_join(arena, folder, "networks"));
    rmdir(folder);
    arena_close(arena);
    return done_testing();
}
