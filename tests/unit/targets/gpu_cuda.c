/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_cuda: NVRTC compiles the CUDA C of drawn and mutated programs of every operator and every GPU sketch. Nothing is
 * run, so no GPU is needed; without libnvrtc the test is skipped. Every program is compiled for one of the
 * architectures of the papers' machines that this NVRTC knows, in turn; the others are skipped by name.
 * RAINGAUGE_PROPERTY=n compiles n programs a sketch and architecture. */
#include "harness/program/lower/gpu_verify.h"
#include "search/evolution/mutate.h"
#include "search/sketch/draw.h"
#include "targets/gpu/gpu_emit.h"
#include "tests/lib/random_schedule.h"
#include "tests/lib/tap.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DRAWS = 200, TRIES = 8 };
static const struct space_options options = {
    .max_vectorize = 16, .cpu_structure = "SSRSRS", .gpu_structure = "SSSRRSRS"};
/* Titan V, A100, RTX 3080, Orin, H100; and the oldest of CUDA 13. */
static const int ARCHITECTURES[] = {70, 75, 80, 86, 87, 90};
enum { NARCHITECTURES = sizeof ARCHITECTURES / sizeof *ARCHITECTURES };
static const char *const SPECS[] = {
    "matmul n=128 m=128 k=64",
    "conv2d ci=32 hi=14 wi=14 co=32 kh=3 kw=3 ph=1 pw=1 layout=nhwc bias=1 relu=1",
    "conv2d ci=32 hi=14 wi=14 co=32 kh=3 kw=3 sh=2 sw=2 ph=1 pw=1 layout=nchw",
    "depthwise_conv2d ci=32 hi=14 wi=14 kh=3 kw=3 ph=1 pw=1 layout=nhwc bias=1 clip=1",
    "winograd ci=32 hi=12 wi=12 co=32 ph=1 pw=1 tile=4 bias=1 relu=1",
    "dense n=16 ci=128 co=64 bias=1 relu=1",
    "batch_matmul b=4 n=32 m=32 k=64",
    "pool2d c=32 hi=14 wi=14 kh=3 kw=3 sh=2 sw=2 ph=1 pw=1 pool=max layout=nchw",
    "global_pool2d c=64 hi=7 wi=7 cb=16",
    "softmax n=64 c=100",
    "reduce n=64 m=1000 by=sum",
    "layer_norm n=32 c=128",
    "map n=64 c=128 by=tanh",
    NULL,
};

/* NVRTC's interface, as its headers of CUDA 8 to 13 have it. */
struct nvrtc {
    int (*version)(int *, int *);
    int (*create)(void **, const char *, const char *, int, const char *const *, const char *const *);
    int (*compile)(void *, int, const char *const *);
    int (*log_size)(void *, size_t *);
    int (*log)(void *, char *);
    int (*cubin_size)(void *, size_t *);
    int (*destroy)(void **);
};

static void *symbol(void *library, const char *name)
{
    void *at = dlsym(library, name);
    if (!at)
        skip_all("libnvrtc has no %s", name);
    return at;
}

static void open_nvrtc(struct nvrtc *v)
{
    static const char *const NAMES[] = {
        "libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "/usr/local/cuda/lib64/libnvrtc.so",
        NULL};
    void *library = NULL;
    for (int i = 0; NAMES[i] && !library; i++)
        library = dlopen(NAMES[i], RTLD_NOW);
    if (!library)
        skip_all("libnvrtc is not installed (it comes with CUDA)");
    *(void **)&v->version = symbol(library, "nvrtcVersion");
    *(void **)&v->create = symbol(library, "nvrtcCreateProgram");
    *(void **)&v->compile = symbol(library, "nvrtcCompileProgram");
    *(void **)&v->log_size = symbol(library, "nvrtcGetProgramLogSize");
    *(void **)&v->log = symbol(library, "nvrtcGetProgramLog");
    *(void **)&v->cubin_size = symbol(library, "nvrtcGetCUBINSize");
    *(void **)&v->destroy = symbol(library, "nvrtcDestroyProgram");
}

static bool compiles(const struct nvrtc *v, const char *source, int architecture, struct err *err)
{
    char flag[32];
    const char *flags[] = {flag};
    void *program = NULL;
    size_t n = 0;
    snprintf(flag, sizeof flag, "-arch=sm_%d", architecture);
    if (v->create(&program, source, "kernels.cu", 0, NULL, NULL))
        return err_set(err, "NVRTC makes no program");
    bool fine = v->compile(program, 1, flags) == 0 && v->cubin_size(program, &n) == 0 && n > 0;
    if (!fine && v->log_size(program, &n) == 0 && n > 0) {
        char *log = calloc(n + 1, 1);
        v->log(program, log);
        err_set(err, "%.900s", log);
        free(log);
    }
    v->destroy(&program);
    return fine;
}

/* The architectures that this NVRTC knows. */
static int known_architectures(const struct nvrtc *v, int known[NARCHITECTURES])
{
    int major = 0, minor = 0, n = 0;
    v->version(&major, &minor);
    for (int i = 0; i < NARCHITECTURES; i++) {
        struct err err = {0};
        if (compiles(v, "extern \"C\" __global__ void empty() {}", ARCHITECTURES[i], &err))
            known[n++] = ARCHITECTURES[i];
        else
            skip("this NVRTC does not know it", "NVRTC %d.%d compiles for sm_%d", major, minor, ARCHITECTURES[i]);
    }
    return n;
}

static struct nest *fitting_nest(struct arena *a, const struct state *s, const struct limits *limits)
{
    struct err err = {0};
    struct nest *n;
    return s && lower(a, s, LAYOUT_NONE, &n, &err) && gpu_verify(n, limits, &err) ? n : NULL;
}

/* A program that CUDA's limits allow, mutated a few times; NULL: none was drawn. */
static struct nest *draw_nest(struct arena *a, const struct space *sp, struct rng *r, const struct limits *limits)
{
    for (int i = 0; i < DRAWS; i++) {
        struct state *s = draw_state(sp, a, r, NULL, NULL);
        struct nest *n = fitting_nest(a, s, limits);
        for (int k = 0; n && k < TRIES; k++) {
            struct genome child, parent = {s->steps, s->nsteps};
            if (!mutation_draw(sp, r)->apply(sp, a, a, r, parent, &child))
                continue;
            struct state *next = space_state(sp, a, child.steps, child.n, NULL, NULL);
            struct nest *other = fitting_nest(a, next, limits);
            s = other ? next : s;
            n = other ? other : n;
        }
        if (n)
            return n;
    }
    return NULL;
}

struct tally {
    int compiled, failed, empty, vectors, shuffles;
};

static void check_program(const struct nvrtc *v, struct arena *a, const struct nest *n, int architecture,
                          struct tally *t)
{
    static struct gpu_program program;
    struct text source = {0};
    struct err err = {0};
    bool fine =
        gpu_emit(a, n, &dialect_cuda, &program, &source, &err) && compiles(v, text_str(&source), architecture, &err);
    t->compiled += fine;
    t->failed += !fine;
    t->vectors += strstr(text_str(&source), "float4") || strstr(text_str(&source), "float2");
    t->shuffles += strstr(text_str(&source), "__shfl") != NULL;
    if (!fine && t->failed < 3)
        diag("sm_%d: %s\n%.3000s", architecture, err.text, text_str(&source));
    text_free(&source);
}

static void check_task(const struct nvrtc *v, const char *spec, const int *known, int nknown, struct tally *all)
{
    struct arena *a = arena_open("task"), *b = arena_open("program");
    struct limits limits = limits_cuda();
    struct err err = {0};
    struct tally t = *all;
    struct task *task;
    struct space sp;
    struct rng r;
    const char *more = getenv("RAINGAUGE_PROPERTY");
    int64_t programs = 0;
    rng_seed(&r, 3);
    if (!task_parse(a, spec, &task, &err) || !space_open(&sp, a, task, &limits, &options, &err))
        bug("%s", err.text);
    programs = more && str_int(more, &programs) ? programs * nknown : 2;
    struct space one = sp;
    one.nsketches = 1;
    for (int k = 0; k < sp.nsketches; k++)
        for (int64_t i = 0; i < programs; i++) {
            one.sketches = &sp.sketches[k];
            const struct nest *n = draw_nest(b, &one, &r, &limits);
            t.empty += !n;
            if (n)
                check_program(v, b, n, known[(t.compiled + t.failed) % nknown], &t);
            arena_reset(b);
        }
    ok(t.failed == all->failed && t.empty == all->empty && t.compiled > all->compiled,
       "%s: %d programs of %d sketches compile", spec, t.compiled - all->compiled, sp.nsketches);
    *all = t;
    arena_close(b);
    arena_close(a);
}

int main(void)
{
    struct nvrtc v;
    int known[NARCHITECTURES];
    struct tally t = {0};
    open_nvrtc(&v);
    int n = known_architectures(&v, known);
    if (!ok(n > 0, "this NVRTC knows %d of the architectures", n))
        return done_testing();
    for (int i = 0; SPECS[i]; i++)
        check_task(&v, SPECS[i], known, n, &t);
    ok(t.vectors > 2 && t.shuffles > 2, "vectors (%d programs) and values from lane to lane (%d) have been met",
       t.vectors, t.shuffles);
    return done_testing();
}
