/* SPDX-License-Identifier: Apache-2.0 */
/* network: what a file says is read, and a file whose totals, shapes or names are wrong is refused with its place and,
 * where it can be told, the kernel. The committed networks are judged by test_kernels. */
#include "harness/experiment/network.h"
#include "harness/base/text.h"
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

#include <string.h>

/* dense 10 -> 4 with bias: 40 multiply-adds, 44 parameters; twice: 80 and 88. */
#define HEAD "name: tiny\ntitle: Tiny\nsource: this test\n"
#define LIST "list:\n  - {count: 2, op: dense, ci: 10, co: 4, bias: 1}\n  - {count: 1, op: softmax, c: 1000}\n"
#define TOTALS "kernels: 2\ncalls: 3\nmacs_m: 0.00008\nparams_m: 0.000088\n"

static bool load(const char *text, struct network **n, struct err *err)
{
    *err = (struct err){0};
    fixture_file("networks/tiny.yaml", text);
    return network_load(arena, fixture_folder(), "tiny", n, err);
}

static void refused(const char *text, const char *want, const char *name)
{
    struct network *n;
    struct err err;
    ok(!load(text, &n, &err), "a network is refused: %s", name);
    const char *at = strstr(err.text, "tiny.yaml:");
    ok(at && str_eq(at, want), "the refusal says: %s %s", want, err.text);
}

static void test_written(void)
{
    struct network *n;
    struct err err;
    if (ok(load(HEAD TOTALS LIST, &n, &err), "a small network loads %s", err.text)) {
        is_int(n->calls, 3, "a network counts its calls");
        is_near(n->macs_sum_m, 80e-6, 1e-12, "a network sums its multiply-adds");
        is_near(n->params_sum_m, 88e-6, 1e-12, "a network sums its parameters");
        is_near(n->gflop, (2 * n->tasks[0].task->flops + n->tasks[1].task->flops) / 1e9, 1e-12,
                "the FLOP of a network count each call");
        ok(n->tasks[0].weight == 2 && n->tasks[1].weight == 1, "the weight of a kernel is its calls");
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
            "tiny.yaml:7:33: 'count' must be between 1 and 100000, not 0", "no calls");
    refused(HEAD "kernels: 1\ncalls: 1\nlist:\n  - {op: softmax, c: [10]}\n",
            "tiny.yaml:7:22: 'c' must be a single value", "a list as size");
    refused(HEAD "kernels: 1\ncalls: 1\nlist: []\n", "tiny.yaml:6:7: 'list' must be the list of kernels", "no kernels");
    refused(HEAD "kernels: 1\ncalls: 1\nlist:\n  - softmax\n",
            "tiny.yaml:7:5: a kernel must be a map such as {count: 1, op: conv2d, ...}", "a word as kernel");
    refused(HEAD "kernels: 1\ncals: 1\nlist: []\n", "tiny.yaml:5:1: unknown key 'cals': did you mean 'calls'?",
            "an unknown key");
    refused("name: small\nkernels: 1\ncalls: 1\nlist:\n  - {op: softmax, c: 10}\n",
            "tiny.yaml:1:7: this file is 'tiny.yaml' but names the network 'small': both must be the same",
            "another network's name");
    refused(HEAD "kernels: 1\ncalls: 1\nlist:\n  - {op: dense, ci: \"10 bias=1\", co: 4}\n",
            "tiny.yaml:7:21: 'ci' is '10 bias=1', must be one word without spaces or '='", "a key within a value");
    refused(HEAD "kernels: 1\ncalls: 1\nlist:\n  - {op: dense, \"n=3 ci\": 10, co: 4}\n",
            "tiny.yaml:7:17: 'key' is 'n=3 ci', must be one word without spaces or '='", "a key within a key");
    refused(HEAD "kernels: 1\ncalls: 1\nlist:\n  - {op: \"dense n=3\", ci: 10, co: 4}\n",
            "tiny.yaml:7:10: 'op' is 'dense n=3', must be one word without spaces or '='", "a key within an operator");
    refused(HEAD "kernels: 1\ncalls: 1\nlist:\n  - {op: \"\", c: 10}\n",
            "tiny.yaml:7:10: 'op' is '', must be one word without spaces or '='", "no operator");
}

/* So many calls that an int could not count them. */
static void test_calls(void)
{
    struct text t = {0};
    text_add(&t, HEAD "kernels: 2200\ncalls: 100000\nlist:\n");
    for (int i = 1; i <= 2200; i++)
        text_printf(&t, "  - {op: softmax, c: %d, count: 1000000}\n", i);
    refused(text_str(&t), "tiny.yaml:7:32: 'count' must be between 1 and 100000, not 1000000", "too many calls");
    text_free(&t);
}

/* A kernel that is not what the file says of it is named first; then calls that would explain the totals. */
static void test_differing(void)
{
#define KERNELS(x, y)                                                                                                  \
    "kernels: 3\ncalls: 7\nmacs: 188\nparams: 202\nlist:\n  - {count: 2, op: dense, ci: 10, co: 4, bias: 1" x "}\n"    \
    "  - {count: 3, op: dense, ci: 4, co: 9" y "}\n  - {count: 2, op: softmax, c: 10}\n"
#define RIGHT "kernels: 3\ncalls: 7\nmacs: 188\nparams: 196\nlist:\n"
    struct network *n;
    struct err err;
    refused(HEAD KERNELS(", macs: 40, params: 44", ", macs: 35"),
            "tiny.yaml:10:47: kernel 1 declares 35 multiply-adds a call but 'dense 1x4 -> 9' makes 36",
            "multiply-adds of a kernel");
    refused(HEAD KERNELS(", macs: 40, params: 40", ", macs: 35"),
            "tiny.yaml:9:69: kernel 0 declares 40 parameters a call but 'dense 1x10 -> 4 +bias' makes 44",
            "parameters of a kernel, the first one that differs");
    refused(HEAD KERNELS("", ""),
            "tiny.yaml:7:9: 'tiny' declares 188 multiply-adds and 202 parameters but its kernels make 188 and 196",
            "a total that no kernel explains");
    refused(HEAD RIGHT "  - {count: 2, op: dense, ci: 10, co: 4, bias: 1}\n  - {count: 2, op: dense, ci: 4, co: 9}\n"
                       "  - {count: 3, op: softmax, c: 10}\n",
            "tiny.yaml:10:5: 'tiny' declares 188 multiply-adds and 196 parameters but its kernels make 152 and 160, as "
            "if kernel 1, 'dense 1x4 -> 9', were called 3 times and not 2",
            "a call too few");
    ok(load(HEAD RIGHT "  - {count: 2, op: dense, ci: 10, co: 4, bias: 1, macs: 40, params: 44}\n"
                       "  - {count: 3, op: dense, ci: 4, co: 9, macs: 36, params: 36}\n"
                       "  - {count: 2, op: softmax, c: 10}\n",
            &n, &err),
       "a network whose totals are right loads: %s", err.text);
    ok(load(HEAD "kernels: 1\ncalls: 1\nparams_m: 0.001036\nparams_left: 1000\nlist:\n"
                 "  - {op: dense, ci: 4, co: 9, params: 36}\n",
            &n, &err),
       "a network may have parameters that no kernel holds: %s", err.text);
    refused(HEAD "kernels: 1\ncalls: 1\nparams_m: 0.001036\nlist:\n  - {op: dense, ci: 4, co: 9}\n",
            "tiny.yaml:6:11: 'tiny' declares 0.001036 million parameters but its kernels have 0.00",
            "the same without them");
    refused(HEAD "kernels: 1\ncalls: 1\nmacs: many\nlist:\n  - {op: dense, ci: 4, co: 9}\n",
            "tiny.yaml:6:7: 'macs' must be a whole number, not 'many'", "a word as total");
}

/* The words are the operator's own; place and subject are what counts here. */
static void refused_near(const char *kernel, const char *part)
{
    struct network *n;
    struct err err;
    struct text t = {0};
    text_printf(&t, HEAD "kernels: 1\ncalls: 1\nlist:\n  - %s\n", kernel);
    ok(!load(text_str(&t), &n, &err) && strstr(err.text, "tiny.yaml:7:5: ") && strstr(err.text, part),
       "a kernel is refused: %s: %s", kernel, err.text);
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
    ok(!network_load(arena, "experiments", "alexnot", &n, &err), "an unknown network is refused");
    is_str(err.text, "unknown network 'alexnot': did you mean 'alexnet'?",
           "the refusal of a network names the nearest");
}

int main(void)
{
    test_written();
    test_refused();
    test_calls();
    test_differing();
    test_names();
    return done_testing();
}
