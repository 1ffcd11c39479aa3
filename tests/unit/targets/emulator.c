/* SPDX-License-Identifier: Apache-2.0 */
/* emulator: code for the A64FX computes what the unscheduled graph computes, under qemu: of every operator a program of
 * each sketch and random schedules in the three layout modes, from both code generators. RAINGAUGE_PROPERTY=n compiles
 * n schedules a task and code generator, RAINGAUGE_SEED moves the stream. */
#include "search/sketch/draw.h"
#include "tests/lib/fixture.h"
#include "tests/lib/random_schedule.h"
#include "tests/lib/share_test.h"
#include "tests/lib/tap.h"

#ifdef HAVE_LLVM
#include "targets/a64fx/emulator.h"
#include "targets/cpu/codegen.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 3 };
static struct emulator *emulator;

/* Extents at which vectors of sixteen lanes, whole ones and parts, and register tiles come up. */
static const char *const WIDE[] = {"matmul n=32 m=48 k=32", "conv2d ci=16 hi=8 wi=8 co=32 kh=3 kw=3 ph=1 pw=1 relu=1",
                                   "softmax n=4 c=40", "map n=2 c=16 h=4 w=5 by=tanh", NULL};

struct kernel { /* a program and what comes of it */
    struct codegen *codegen;
    const struct trial_task *t;
    const struct state *state;
    enum layout_mode layout;
};

static bool call(const struct kernel *k, const struct nest *n, void *const *args, struct err *err)
{
    struct codegen_made made;
    int64_t bytes[32];
    int nargs = k->t->task->nargs;
    if (!codegen_object(k->codegen, n, &made, err))
        return err_context(err, "compile");
    bool fine = emulator_load(emulator, made.bytes, made.n, &made.scratch, THREADS, err);
    free(made.bytes);
    for (int i = 0; i < nargs; i++) {
        bytes[i] = dtype_bytes(n->buffers[i]->dtype);
        for (int d = 0; d < n->buffers[i]->ndim; d++)
            bytes[i] *= n->buffers[i]->extent[d];
    }
    memset(args[nargs - 1], 0xff, (size_t)bytes[nargs - 1]);
    struct emulated_call c = {.args = args, .arg_bytes = bytes, .nargs = nargs, .number = 2};
    return fine && emulator_run(emulator, &c, err) && random_schedule_same(k->t, args[nargs - 1], err);
}

static bool is_right(struct arena *a, const struct kernel *k)
{
    struct nest *n;
    struct err err = {0};
    void *args[32];
    bool fine = lower(a, k->state, k->layout, &n, &err);
    if (fine) {
        random_schedule_args(a, k->t, n, args);
        fine = call(k, n, args, &err);
    }
    if (!fine)
        random_schedule_show(k->state, err.text);
    return fine;
}

/* A program of one sketch. */
static struct state *draw_sketch(const struct space *all, int sketch, struct arena *a, struct rng *r)
{
    struct space one = *all;
    struct state *s = NULL;
    one.sketches += sketch;
    one.nsketches = 1;
    for (int i = 0; i < 100 && !s; i++)
        s = draw_state(&one, a, r, NULL, NULL);
    return s;
}

static void test_task(struct kernel k, const char *spec, struct rng *r, int64_t count)
{
    struct trial_task t;
    struct space sp;
    struct err err = {0};
    int made = 0, wrong = 0;
    if (!random_schedule_task(arena, spec, r, &t, &err))
        bug("%s: %s", spec, err.text);
    share_test_space(&sp, arena, spec, THREADS);
    k.t = &t;
    for (int i = 0; i < sp.nsketches + count && wrong < 3; i++) {
        k.state = i < sp.nsketches ? draw_sketch(&sp, i, scratch, r) : random_schedule_make(scratch, t.task, r);
        k.layout = (enum layout_mode)(i % 3);
        made += k.state != NULL;
        wrong += k.state && !is_right(scratch, &k);
        arena_reset(scratch);
    }
    ok(made > 0 && wrong == 0, "'%s': %d programs of %d sketches and by chance compute the graph", spec, made,
       sp.nsketches);
}

static void test_codegen(const struct codegen_options *o, const char *name, const char *const *specs, int64_t count)
{
    struct kernel k = {0};
    struct err err = {0};
    struct rng r;
    rng_seed(&r, (uint64_t)fixture_number("RAINGAUGE_SEED", 1));
    if (!ok(codegen_open(o, &k.codegen, &err), "%s makes code for the A64FX %s", name, err.text))
        return;
    for (int i = 0; specs[i]; i++)
        test_task(k, specs[i], &r, count);
    codegen_close(k.codegen);
}

/* A kernel of one input and one output of so many elements, given arguments that are shorter. */
static bool call_short(struct codegen *c, int64_t input_bytes, int64_t output_bytes, struct err *err)
{
    float in[32] = {0}, out[32] = {0};
    const struct nest *n = fixture_nest(arena, "map n=4 c=8 by=relu", "[]");
    struct codegen_made made;
    fixture_must(codegen_object(c, n, &made, err), err);
    const struct emulated_call call = {
        .args = (void *[]){in, out}, .arg_bytes = (int64_t[]){input_bytes, output_bytes}, .nargs = 2, .number = 1};
    bool fine =
        emulator_load(emulator, made.bytes, made.n, &made.scratch, 1, err) && emulator_run(emulator, &call, err);
    free(made.bytes);
    return fine;
}

static void test_faults(const struct codegen_options *o)
{
    struct codegen *c;
    struct err err = {0};
    struct kernel_scratch none = {0};
    static const char elf[128] = "\177ELF";
    fixture_must(codegen_open(o, &c, &err), &err);
    ok(!emulator_load(emulator, elf, sizeof elf, &none, 1, &err) && strstr(err.text, "not an object file for AArch64"),
       "an object for another processor is refused");
    ok(call_short(c, 128, 128, &err), "the emulator goes on after a refused object");
    ok(!call_short(c, 128, 124, &err) && strstr(err.text, "wrote outside the output"),
       "a kernel that writes past its output is found out");
    ok(emulator_runs(emulator) && !call_short(c, 64, 128, &err) && emulator_signal(emulator) == SIGSEGV,
       "a kernel that reads past its input ends the emulated program by a signal");
    ok(!emulator_runs(emulator) && !call_short(c, 128, 128, &err) && strstr(err.text, "SIGSEGV"),
       "an emulator that has ended says why at each request");
    codegen_close(c);
}

int main(void)
{
    int64_t count = fixture_number("RAINGAUGE_PROPERTY", 2);
    struct err err = {0};
    if (!emulator_open(&emulator, &err))
        skip_all("%s", err.text);
    struct codegen_options o = {.mode = CODEGEN_FAST, .arch = CODEGEN_AARCH64, .mcpu = "a64fx", .level = 2};
    o.contract = true;
    test_codegen(&o, "codegen=fast", RANDOM_SCHEDULE_SPECS, count);
    test_codegen(&o, "codegen=fast", WIDE, count);
    o.mode = CODEGEN_TVM;
    test_codegen(&o, "codegen=tvm", RANDOM_SCHEDULE_SPECS, count);
    test_codegen(&o, "codegen=tvm", WIDE, count);
    o.sve = CODEGEN_SVE_512;
    test_codegen(&o, "codegen=tvm for vectors of 512 bits", WIDE, count);
    test_faults(&o);
    emulator_close(emulator);
    return done_testing();
}
#else
int main(void)
{
    skip_all("built without LLVM");
}
#endif
