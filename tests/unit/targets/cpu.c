/* SPDX-License-Identifier: Apache-2.0 */
/* cpu: compiled kernels compute what the unscheduled graph computes: random schedules and MetaSchedule's traces of
 * every operator in the three layout modes, for this machine's CPU, for AVX2 and for plain x86-64. Arguments end at a
 * page that must not be touched. RAINGAUGE_PROPERTY=n compiles n schedules a task and CPU, RAINGAUGE_SEED moves the
 * stream. */
#include "harness/program/lower/lower.h"
#include "search/trace/trace_space.h"
#include "tests/lib/fixture.h"
#include "tests/lib/random_schedule.h"
#include "tests/lib/tap.h"

#ifdef HAVE_LLVM
#include "targets/cpu/codegen.h"
#include "targets/cpu/jit.h"
#include "targets/cpu/parallel.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Memory that ends where a page begins that cannot be touched, or less than align bytes in front of it. */
struct guarded {
    char *map, *data, *end; /* end: of what may be touched */
    size_t bytes, whole;
};

static struct guarded guarded_open(size_t bytes, size_t align)
{
    size_t taken = (bytes + align - 1) / align * align;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct guarded g = {.bytes = bytes, .whole = (bytes + page - 1) / page * page + page};
    g.map = mmap(NULL, g.whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(g.map + g.whole - page, page, PROT_NONE);
    g.end = g.map + g.whole - page;
    g.data = g.end - taken;
    memset(g.map, 0x55, g.whole - page);
    return g;
}

static bool guarded_close(struct guarded *g)
{
    bool intact = true;
    for (const char *p = g->map; p < g->end; p++)
        intact &= *p == 0x55 || (p >= g->data && p < g->data + g->bytes);
    munmap(g->map, g->whole);
    return intact;
}

static bool call_kernel(const struct trial_task *t, const struct nest *n, void *const *args, kernel_code *code,
                        const struct kernel_scratch *k, size_t align, struct err *err)
{
    struct guarded room[32];
    void *at[32];
    int nargs = t->task->nargs;
    for (int i = 0; i < nargs; i++) {
        int64_t elements = 1;
        for (int d = 0; d < n->buffers[i]->ndim; d++)
            elements *= n->buffers[i]->extent[d];
        room[i] = guarded_open((size_t)elements * (size_t)dtype_bytes(n->buffers[i]->dtype), align);
        at[i] = room[i].data;
        if (i < nargs - 1)
            memcpy(at[i], args[i], room[i].bytes);
        else
            memset(at[i], 0xff, room[i].bytes);
    }
    char *shared = aligned_alloc(64, (size_t)(k->shared_bytes + 127) / 64 * 64);
    char *own = aligned_alloc(64, (size_t)(2 * k->thread_bytes + 127) / 64 * 64);
    code(at, shared, own);
    bool same = random_schedule_same(t, at[nargs - 1], err);
    free(shared);
    free(own);
    for (int i = 0; i < nargs; i++)
        if (!guarded_close(&room[i]) && same)
            same = err_set(err, "wrote beside argument %d", i);
    return same;
}

static bool compile_and_call(struct codegen *g, enum codegen_mode mode, const struct trial_task *t,
                             const struct nest *n, void *const *args, struct err *err)
{
    struct codegen_made made;
    struct jit *jit;
    kernel_code *code;
    if (!codegen_object(g, n, &made, err))
        return err_context(err, "compile");
    bool fine = jit_open(made.bytes, made.n, &jit, &code, err);
    free(made.bytes);
    if (!fine)
        return err_context(err, "load");
    fine = call_kernel(t, n, args, code, &made.scratch, mode == CODEGEN_TVM ? 64 : 1, err);
    jit_close(jit);
    return fine;
}

static void show(const struct state *s, const struct nest *n, const char *what)
{
    struct text t = {0};
    steps_print(s->steps, s->nsteps, &t);
    text_char(&t, '\n');
    if (n)
        nest_print(n, &t);
    diag("%s\n%s", what, text_str(&t));
    text_free(&t);
}

/* A trace with extents as Droplet may set them: vectors of up to 256 elements. */
static struct state *trace_make(struct arena *a, const struct trace_space *tr, struct rng *r)
{
    struct trace t = trace_fresh(tr, a, (int)rng_below(r, (uint64_t)tr->space.nsketches));
    t.at[tr->layouts[t.layout].vector] = (int64_t)16 << rng_below(r, 5);
    return trace_replay(tr, a, &t, r, NULL, NULL);
}

static void test_task(struct codegen *g, enum codegen_mode codegen, const char *spec, struct rng *r, int64_t count)
{
    struct limits limits = limits_cpu(2);
    struct trace_options options = trace_defaults();
    struct trace_space tr;
    struct err err = {0};
    struct trial_task t;
    int made = 0, wrong = 0;
    if (!random_schedule_task(arena, spec, r, &t, &err) ||
        !trace_space_open(&tr, arena, t.task, &limits, &options, &err)) {
        fail("%s: %s", spec, err.text);
        return;
    }
    for (int64_t i = 0; i < count && wrong < 3; i++) {
        struct state *s = i % 4 == 3 ? trace_make(scratch, &tr, r) : random_schedule_make(scratch, t.task, r);
        struct nest *n = NULL;
        void *args[32];
        if (!s)
            continue;
        made++;
        enum layout_mode mode = (enum layout_mode)(i % 3);
        bool fine = lower(scratch, s, mode, &n, &err);
        if (fine) {
            random_schedule_args(scratch, &t, n, args);
            fine = compile_and_call(g, codegen, &t, n, args, &err);
        }
        if (!fine) {
            wrong++;
            show(s, n, err.text);
        }
        arena_reset(scratch);
    }
    ok(wrong == 0 && made > 0, "%s kernels of '%s' compute the graph (%d schedules for %s)",
       codegen == CODEGEN_TVM ? "codegen=tvm:" : "codegen=fast:", spec, made, codegen_cpu(g));
}

/* A small tensor lies on the stack, aligned to 16 bytes, and vectors of it are read in the next parallel loop, which is
 * a function of its own (TVM: CodeGenLLVM's alloc_storage_info_ outlives CreateParallelLaunch). */
static void test_stack_alignment(void)
{
    static const char STEPS[] = "[[\"AN\", 2, 0, 3], [\"AN\", 4, 0, 3], [\"AN\", 4, 1, 2]]";
    struct codegen_options o = {.mode = CODEGEN_TVM, .mcpu = "generic", .level = 2};
    struct codegen *g;
    const struct nest *n = fixture_nest(arena, "dense n=4 ci=4 co=32 bias=1", STEPS);
    struct text out = {0};
    struct err err = {0};
    if (!ok(codegen_open(&o, &g, &err) && codegen_text(g, n, CODEGEN_EMITTED, &out, NULL, &err),
            "a kernel with a small tensor between parallel loops is emitted %s", err.text))
        return;
    int on_stack = 0, aligned = 0;
    for (const char *at = text_str(&out); (at = strstr(at, "load <32 x float>")); at++) {
        const char *align = strstr(at, "align ");
        on_stack += align && strncmp(align, "align 16,", 9) == 0;
        aligned += align && strncmp(align, "align 64,", 9) == 0;
    }
    is_int(on_stack, 1, "the vector of the tensor on the stack is loaded as aligned to 16 bytes");
    is_int(aligned, 1, "the vector of the argument is loaded as aligned to 64 bytes");
    text_free(&out);
    codegen_close(g);
}

static void test_cpu(enum codegen_mode mode, const char *mcpu, int64_t seed, int64_t count)
{
    struct codegen_options o = {.mode = mode, .mcpu = mcpu, .level = 2, .contract = true};
    struct codegen *g;
    struct err err = {0};
    struct rng r;
    rng_seed(&r, (uint64_t)seed);
    if (!ok(codegen_open(&o, &g, &err), "code is generated for CPU %s %s", mcpu, err.text))
        return;
    for (int i = 0; RANDOM_SCHEDULE_SPECS[i]; i++)
        test_task(g, mode, RANDOM_SCHEDULE_SPECS[i], &r, count);
    codegen_close(g);
}

/* In a process of its own: what LLVM held at a fatal error is lost. */
static bool refuses(const char *mcpu)
{
    pid_t child = fork();
    if (child == 0) {
        struct codegen_options bad = {.mcpu = mcpu, .level = 2};
        struct codegen *g;
        struct err err = {0};
        _exit(!codegen_open(&bad, &g, &err) && err.text[0] ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int main(void)
{
    int64_t count = fixture_number("RAINGAUGE_PROPERTY", 10), seed = fixture_number("RAINGAUGE_SEED", 1);
    parallel_threads(2);
    test_cpu(CODEGEN_FAST, "native", seed, count);
    test_cpu(CODEGEN_FAST, "generic", seed, count / 2);
    test_cpu(CODEGEN_TVM, "native", seed, count / 2);
    test_cpu(CODEGEN_TVM, "generic", seed, count / 5);
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        test_cpu(CODEGEN_FAST, "haswell", seed, count / 2);
#endif
    test_stack_alignment();
    static const char *const BAD[] = {"no such cpu!", "nosuchcpu", "pentium"};
    for (int i = 0; i < 3; i++)
        ok(refuses(BAD[i]), "CPU '%s' is refused", BAD[i]);
    parallel_stop();
    return done_testing();
}
#else
int main(void)
{
    skip_all("built without LLVM");
}
#endif
