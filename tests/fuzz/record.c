/* SPDX-License-Identifier: Apache-2.0 */
/* record: no line of a record file crashes, overflows or takes long on its way from text to nest and features: parsing,
 * finding the kernel, applying the steps, bounds, lowering; and a nest that comes out is sound. The first byte chooses:
 * a small letter: the rest is decoded into steps of that one of KERNELS, with absurd numbers among them, and written as
 * a line; anything else begins the line itself. */
#include "harness/base/json.h"
#include "harness/program/features/feature.h"
#include "harness/program/lower/bound.h"
#include "harness/program/lower/lower.h"
#include "harness/record/tvm/record_task.h"
#include "tests/lib/fuzz_bytes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static const char *const KERNELS[] = {
    "conv2d n=1 ci=8 hi=6 wi=6 co=8 kh=3 kw=3 ph=1 pw=1 cib=4 cob=4 bias=1 add=1 relu=1",
    "conv2d n=1 ci=3 hi=16777216 wi=4 co=4 kh=3 kw=3 sh=2 sw=2 ph=1 pw=1 layout=nchw relu=1",
    "conv2d n=2 ci=12 hi=7 wi=9 co=6 kh=3 kw=2 dh=2 ph=2,1 pw=1,0 layout=nhwc groups=3 bias=1 clip=1",
    "depthwise_conv2d ci=8 hi=9 wi=9 kh=3 kw=3 sh=2 sw=2 ph=1 pw=1 cib=4 cob=4 bias=1 relu=1",
    "winograd ci=4 hi=8 wi=8 co=4 ph=1 pw=1 tile=2 relu=1",
    "dense n=4 ci=16777216 co=64 bias=1",
    "matmul n=16 m=16 k=16 chain=1",
    "pool2d c=8 hi=9 wi=9 kh=3 kw=3 sh=2 sw=2 ph=1 pw=1 pool=avg cb=4",
    "adaptive_pool2d c=4 hi=7 wi=8 ho=3 wo=4",
    "mean c=1024 hi=4096 wi=256 cb=4",
    "softmax n=4 c=1000",
    "reduce n=0 m=2147483",
};
enum { NKERNELS = sizeof KERNELS / sizeof *KERNELS, STEPS_WRITTEN = 60 };

static _Noreturn void found(const char *what, const char *spec, const struct step *steps, int n, const struct err *err)
{
    struct text t = {0};
    steps_print(steps, n, &t);
    fprintf(stderr, "%s: %s\n%s\n%s\n", what, spec, err->text, text_str(&t));
    abort();
}

/* One kernel with steps. */
static void build(struct arena *a, const char *spec, const struct step *steps, int n)
{
    struct err err = {0};
    struct task *t;
    struct state *s;
    struct nest *nest;
    struct features f;
    struct text text = {0};
    if (!task_parse(a, spec, &t, &err) || !state_replay(a, t, steps, n, &s, &err) || !bound_infer(s, &err)) {
        if (!err.text[0])
            found("no reason is given", spec, steps, n, &err);
        return;
    }
    state_print(s, &text);
    text_free(&text);
    for (int mode = LAYOUT_NONE; mode <= LAYOUT_REWRITTEN; mode++) {
        if (!lower(a, s, (enum layout_mode)mode, &nest, &err)) {
            if (!err.text[0])
                found("no reason is given", spec, steps, n, &err);
            continue;
        }
        if (!nest_check(nest, &err))
            found("the nest is malformed", spec, steps, n, &err);
        if (mode == LAYOUT_NONE && !feature_extract(a, nest, &f, &err) && !err.text[0])
            found("no reason is given", spec, steps, n, &err);
    }
}

/* Prints the steps and parses them again. */
static void steps_again(struct arena *a, struct step **steps, int *n, struct text *out)
{
    struct err err = {0};
    steps_print(*steps, *n, out);
    cJSON *json = json_parse(out->s, out->len, "steps", &err);
    if (!json || !steps_parse(a, json, steps, n, &err))
        found("the steps do not parse back", "", *steps, *n, &err);
    cJSON_Delete(json);
}

/* Printed steps parse, and print to the same from then on (the first time, bytes that are no UTF-8 are replaced). */
static void print_again(struct arena *a, const struct tvm_log_entry *e)
{
    struct text text[3] = {0};
    struct step *steps = ARENA_DUP(a, e->steps, struct step, e->nsteps);
    int n = e->nsteps;
    for (int i = 0; i < 3; i++)
        steps_again(a, &steps, &n, &text[i]);
    if (strcmp(text[1].s, text[2].s) != 0)
        found("the steps print otherwise", "", steps, n, &(struct err){0});
    for (int i = 0; i < 3; i++)
        text_free(&text[i]);
}

static void line(struct arena *a, const char *text, size_t n)
{
    struct tvm_log_entry e;
    struct found_task specs;
    struct err err = {0};
    if (!tvm_log_parse(a, text, n, &e, &err)) {
        if (!err.text[0])
            abort();
        return;
    }
    print_again(a, &e);
    struct record_task *id = record_task_open(NULL, 0, NULL);
    if (record_task_find(id, &e, &specs, &err))
        for (int i = 0; i < specs.n && i < 3; i++) {
            struct arena_mark mark = arena_mark(a);
            build(a, specs.specs[i], e.steps, e.nsteps);
            arena_release(a, mark);
        }
    else if (!err.text[0])
        abort();
    record_task_close(id);
}

static int64_t number(struct fuzz_bytes *b)
{
    static const int64_t ABSURD[] = {
        INT64_C(1) << 40, (INT64_C(1) << 40) - 1, INT64_C(1) << 32, INT32_MAX, INT64_C(1) << 24, 1000003, 65536, 4097};
    int v = fuzz_next(b);
    return v < 224 ? v % 40 : ABSURD[v % 8];
}

/* Some step for the state; what its numbers do not fit is left out by the caller. */
static struct step decode(struct arena *a, struct fuzz_bytes *b, const struct state *s)
{
    static const char *const TEXTS[] = {"local", "shared", "global"};
    int64_t *list = ARENA_ARRAY(a, int64_t, STEP_LIST_MAX);
    struct step st = {.kind = (enum step_kind)(fuzz_next(b) % STEP_COUNT), .list = list};
    st.stage = fuzz_next(b) % (s->nstages + 1);
    st.iter = fuzz_next(b) % ITERS_MAX;
    st.target = fuzz_next(b) % (s->nstages + 1);
    st.value = st.kind == STEP_AN ? fuzz_next(b) % ANN_COUNT : number(b);
    st.value2 = 1 + fuzz_next(b) % 5;
    st.flag = fuzz_next(b) & 1;
    st.text = st.kind == STEP_PR ? arena_printf(a, "auto_unroll_max_step$%lld", (long long)st.value)
                                 : TEXTS[st.value % 3 < 0 ? 0 : st.value % 3];
    int most = st.stage < s->nstages ? s->stages[st.stage].nleaf : 1;
    st.n = st.kind == STEP_RE                                                  ? most
           : st.kind == STEP_FU                                                ? (int)st.value2 % (most + 1)
           : st.kind == STEP_SP || st.kind == STEP_FFSP || st.kind == STEP_CHR ? (int)st.value2
                                                                               : 0;
    int from = most ? st.iter % most : 0;
    for (int i = 0; i < st.n; i++)
        list[i] = st.kind == STEP_FU ? from + i : st.kind == STEP_RE ? (i + from) % most : number(b);
    return st;
}

static void write_line(struct arena *a, const char *spec, const struct state *s, struct text *out)
{
    const char *space = strchr(spec, ' ');
    struct text steps = {0};
    cJSON *json = json_object();
    steps_print(s->steps, s->nsteps, &steps);
    json_put_str(json, "kind", arena_strn(a, spec, (size_t)(space - spec)));
    json_put_str(json, "desc", space + 1);
    json_put(json, "steps", cJSON_CreateRaw(text_str(&steps)));
    json_print(json, out);
    text_free(&steps);
}

static void coded(struct arena *a, const char *spec, const uint8_t *data, size_t n)
{
    struct fuzz_bytes b = {data, n};
    struct err err;
    struct task *t;
    struct text text = {0};
    if (!task_parse(a, spec, &t, &err))
        found("a kernel does not parse", spec, NULL, 0, &err);
    struct state *s = state_new(a, t);
    while (b.left > 0 && s->nsteps < STEPS_WRITTEN) {
        struct state *try = state_copy(a, s);
        struct step st = decode(a, &b, s);
        if (state_apply(try, &st, &err))
            s = try;
    }
    write_line(a, spec, s, &text);
    line(a, text.s, text.len);
    text_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct arena *a = arena_open("fuzz");
    if (n > 0 && data[0] >= 'a' && data[0] <= 'z')
        coded(a, KERNELS[(data[0] - 'a') % NKERNELS], data + 1, n - 1);
    else
        line(a, (const char *)data, n);
    arena_close(a);
    return 0;
}
