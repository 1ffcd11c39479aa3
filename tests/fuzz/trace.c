/* SPDX-License-Identifier: Apache-2.0 */
/* trace: no trace of MetaSchedule's database and no module that TVM saved crashes or overflows on its way to steps; and
 * what comes out replays. The first byte chooses: a small letter is one of KERNELS and a trace follows; anything else
 * begins a module, whose index maps are read, too. */
#include "harness/program/lower/bound.h"
#include "harness/record/tvm/tir_module.h"
#include "search/trace/trace_import.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static const char *const KERNELS[] = {
    "matmul n=64 m=96 k=128 chain=0 relu=0",
    "dense n=16 ci=64 co=48 bias=1 relu=1",
    "conv2d ci=16 hi=14 wi=14 co=32 kh=3 kw=3 sh=2 sw=2 ph=1 pw=1 layout=nchw bias=1 relu=1",
    "softmax n=64 c=128",
};
enum { NKERNELS = sizeof KERNELS / sizeof *KERNELS };

static void trace(struct arena *a, const char *spec, const char *text, size_t n)
{
    const struct limits limits = limits_cpu(4);
    const struct trace_options options = trace_defaults();
    struct err err = {0};
    struct task *t;
    struct trace_space ts;
    struct trace_import im;
    struct state *again;
    if (!task_parse(a, spec, &t, &err) || !trace_space_open(&ts, a, t, &limits, &options, &err))
        abort();
    const char **names = ARENA_ARRAY(a, const char *, t->dag->nops);
    for (int i = 0; i < t->dag->nops; i++)
        names[i] = t->dag->ops[i]->name;
    cJSON *json = json_parse(text, n, "trace", &err);
    if (json && trace_import(&ts, a, json, names, &im, &err)) {
        if (!state_replay(a, t, im.state->steps, im.state->nsteps, &again, &err) || !bound_infer(again, &err) ||
            state_hash(again) != state_hash(im.state))
            abort();
    } else if (!err.text[0]) {
        abort();
    }
    cJSON_Delete(json);
}

static void module(struct arena *a, const char *text, size_t n)
{
    struct tir_module *m = ARENA_NEW(a, struct tir_module);
    const struct dim_map packed[] = {{0, 12, 4}, {1, 2, 32}, {0, 1, 12}, {1, 1, 2}};
    const int64_t shape[] = {48, 64};
    const struct buffer weight = {.npacked = 4, .packed = packed, .original = shape};
    struct err err = {0};
    struct task *t;
    char *copy = arena_strn(a, text, n), *unpacked;
    size_t length;
    if (tir_module_unpack(a, copy, &unpacked, &length, &err))
        text = unpacked, n = length;
    bool fine = tir_module_read(a, text, n, m, &err);
    if (!fine && !err.text[0])
        abort();
    for (int i = 0; fine && i < NKERNELS; i++)
        if (!task_parse(a, KERNELS[i], &t, &err) || !tir_module_is(m, t, &err))
            continue;
    (void)!tir_map_is(a, copy, &weight, 2, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct arena *a = arena_open("fuzz");
    if (n > 0 && data[0] >= 'a' && data[0] <= 'z')
        trace(a, KERNELS[(data[0] - 'a') % NKERNELS], (const char *)data + 1, n - 1);
    else
        module(a, (const char *)data, n);
    arena_close(a);
    return 0;
}
