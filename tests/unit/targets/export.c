/* SPDX-License-Identifier: Apache-2.0 */
/* export: programs taken out as C and as objects compute what the graph computes, compiled and linked by the C compiler
 * that is there, without anything of raingauge: random schedules of every operator, by both code generators.
 * RAINGAUGE_PROPERTY=n takes n schedules of each (fast: a quarter), RAINGAUGE_SEED others; EXPORT_CC names the
 * compiler. */
#include "tests/lib/fixture.h"
#include "tests/lib/random_schedule.h"
#include "tests/lib/tap.h"

#ifdef HAVE_LLVM
#include "targets/cpu/export/c_source.h"
#include "targets/cpu/export/export.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 2 };
static const char *cc;
static const char *folder;
typedef void any_kernel(void *const *args, void *shared, void *threads);

static bool shell(const char *command, struct err *err)
{
    return system(command) == 0 || err_set(err, "failed: %s", command);
}

static bool put_file(const char *name, const struct text *t, struct err *err)
{
    FILE *f = fopen(arena_printf(scratch, "%s/%s", folder, name), "w");
    return f && fwrite(t->s, 1, t->len, f) == t->len && fclose(f) == 0 ? true : err_set(err, "no file %s", name);
}

/* A library of the program: its function unpacks the tensors. */
static bool make_library(struct codegen *g, const struct nest *n, const char *form, struct kernel_scratch *k,
                         struct err *err)
{
    static const char HEAD[] = "#include <math.h>\n#include <stdint.h>\n";
    const struct export_request r = {.form = form, .symbol = "taken", .threads = THREADS};
    struct text code = {0}, glue = {0};
    bool c = str_eq(form, "c");
    if (c)
        text_add(&code, HEAD);
    bool fine = export_code(g, n, &r, &code, k, err);
    if (c)
        text_add(&code, "void call(char *a, char *s, char *t);\nvoid call(char *a, char *s, char *t)\n{\n    "
                        "raingauge_kernel(a, s, t);\n}\n");
    text_add(&glue, "void taken();\nvoid call(void **a, void *s, void *t)\n{\n    (void)t;\n    taken(");
    for (int i = 0; i < n->nargs; i++)
        text_printf(&glue, "a[%d], ", i);
    text_add(&glue, "s);\n}\n");
    fine = fine && put_file(c ? "kernel.c" : "kernel.o", &code, err) && put_file("glue.c", &glue, err) &&
           shell(c ? arena_printf(scratch,
                                  "%s -O1 -march=native -Wall -Wextra -Werror -ffp-contract=fast "
                                  "-fopenmp -shared -fPIC -o %s/kernel.so %s/kernel.c -lm",
                                  cc, folder, folder)
                   : arena_printf(scratch, "%s -w -shared -fPIC -o %s/kernel.so %s/glue.c %s/kernel.o -lm", cc, folder,
                                  folder, folder),
                 err);
    text_free(&code);
    text_free(&glue);
    return fine;
}

static bool call(const struct trial_task *t, const struct nest *n, const struct kernel_scratch *k, struct err *err)
{
    void *args[32], *at[32];
    any_kernel *f;
    void *library = dlopen(arena_printf(scratch, "%s/kernel.so", folder), RTLD_NOW | RTLD_LOCAL);
    void *found = library ? dlsym(library, "call") : NULL;
    if (!found)
        return err_set(err, "%s", dlerror());
    memcpy(&f, &found, sizeof f);
    random_schedule_args(scratch, t, n, args);
    for (int i = 0; i < n->nargs; i++) {
        int64_t bytes = dtype_bytes(n->buffers[i]->dtype);
        for (int d = 0; d < n->buffers[i]->ndim; d++)
            bytes *= n->buffers[i]->extent[d];
        at[i] = aligned_alloc(64, (size_t)(bytes + 63) / 64 * 64);
        if (i < n->nargs - 1)
            memcpy(at[i], args[i], (size_t)bytes);
        else
            memset(at[i], 0xff, (size_t)bytes);
    }
    char *memory = aligned_alloc(4096, (size_t)(k->shared_bytes + THREADS * k->thread_bytes) / 4096 * 4096 + 8192);
    f(at, memory, memory + k->shared_bytes);
    bool same = random_schedule_same(t, at[n->nargs - 1], err);
    for (int i = 0; i < n->nargs; i++)
        free(at[i]);
    free(memory);
    dlclose(library);
    return same;
}

/* Programs first to last of a task; odd ones are objects. */
static void test_task(struct codegen *g, const char *name, const char *spec, struct rng *r, int64_t first, int64_t last)
{
    struct err err = {0};
    struct trial_task t;
    int wrong = 0, made = 0;
    if (!random_schedule_task(arena, spec, r, &t, &err)) {
        fail("%s: %s", spec, err.text);
        return;
    }
    for (int64_t i = first; i <= last && !wrong; i++) {
        struct state *s = random_schedule_make(scratch, t.task, r);
        const char *form = export_forms[i % 2 ? 2 : 0];
        struct kernel_scratch k;
        struct nest *n;
        if (!lower(scratch, s, i % 4 < 2 ? LAYOUT_REWRITTEN : LAYOUT_NONE, &n, &err) ||
            !make_library(g, n, form, &k, &err) || !call(&t, n, &k, &err)) {
            wrong++;
            random_schedule_show(s, arena_printf(scratch, "%s: %s", form, err.text));
        }
        made++;
        arena_reset(scratch);
    }
    ok(!wrong && made, "codegen=%s: '%s' taken out computes the graph (%d programs)", name, spec, made);
}

/* count programs of each task, or one where it is 0: C of every second task, objects of the others. */
static void test_codegen(enum codegen_mode mode, const char *name, int64_t count)
{
    struct codegen_options o = {.mode = mode, .mcpu = "native", .level = 2, .contract = true};
    struct codegen *g;
    struct err err = {0};
    struct rng r;
    rng_seed(&r, (uint64_t)fixture_number("RAINGAUGE_SEED", 7));
    if (!ok(codegen_open(&o, &g, &err), "code is generated %s", err.text))
        return;
    for (int i = 0; RANDOM_SCHEDULE_SPECS[i]; i++)
        test_task(g, name, RANDOM_SCHEDULE_SPECS[i], &r, count ? 0 : i % 2, count ? count - 1 : i % 2);
    codegen_close(g);
}

/* What LLVM makes of sums of indices now and then: each function against what it must give of 3, 0x2d and 5. */
static const struct {
    const char *name, *body;
    unsigned long expected;
} RARE[] = {
    {"reverse of 6 bits",
     "%a = trunc i64 %y to i6\n%b = call i6 @llvm.bitreverse.i6(i6 %a)\n%r = zext i6 %b to i64\nret i64 %r", 0x2d},
    {"reverse of 32 bits",
     "%a = trunc i64 %y to i32\n%b = call i32 @llvm.bitreverse.i32(i32 %a)\n%r = zext i32 %b to i64\nret i64 %r",
     0xb4000000},
    {"bytes turned round",
     "%a = trunc i64 %y to i32\n%b = call i32 @llvm.bswap.i32(i32 %a)\n%r = zext i32 %b to i64\nret i64 %r",
     0x2d000000},
    {"number of ones", "%r = call i64 @llvm.ctpop.i64(i64 %y)\nret i64 %r", 4},
    {"leading zeros of 16 bits",
     "%a = trunc i64 %y to i16\n%b = call i16 @llvm.ctlz.i16(i16 %a, i1 false)\n%r = zext i16 %b to i64\nret i64 %r",
     10},
    {"trailing zeros of 0", "%a = sub i64 %y, %y\n%r = call i64 @llvm.cttz.i64(i64 %a, i1 false)\nret i64 %r", 64},
    {"a shift of two words to the left", "%r = call i64 @llvm.fshl.i64(i64 %x, i64 %y, i64 %z)\nret i64 %r", 96},
    {"a shift of two words to the right", "%r = call i64 @llvm.fshr.i64(i64 %x, i64 %y, i64 %z)\nret i64 %r",
     0x1800000000000001},
    {"a sum in 6 bits with its sign",
     "%a = trunc i64 %y to i6\n%b = sext i6 %a to i64\n%r = add i64 %b, %z\nret i64 %r",
     (unsigned long)(0x2d - 64 + 5)},
    {"a value that one path leaves open",
     "entry:\n%c = icmp ult i64 %x, %y\nbr i1 %c, label %one, label %two\none:\nbr label %two\n"
     "two:\n%p = phi i64 [ %z, %one ], [ undef, %entry ]\n%q = phi i64 [ 7, %one ], [ 9, %entry ]\n"
     "%r = add i64 %p, %q\nret i64 %r",
     12},
};
enum { NRARE = sizeof RARE / sizeof *RARE };

static void test_rare(void)
{
    static const char DECLARED[] = "declare i6 @llvm.bitreverse.i6(i6)\ndeclare i32 @llvm.bitreverse.i32(i32)\n"
                                   "declare i32 @llvm.bswap.i32(i32)\ndeclare i64 @llvm.ctpop.i64(i64)\n"
                                   "declare i16 @llvm.ctlz.i16(i16, i1)\ndeclare i64 @llvm.cttz.i64(i64, i1)\n"
                                   "declare i64 @llvm.fshl.i64(i64, i64, i64)\n"
                                   "declare i64 @llvm.fshr.i64(i64, i64, i64)\n";
    struct text ir = {0}, code = {0};
    struct err err = {0};
    LLVMModuleRef m;
    if (!ok(llvm_load(&err), "LLVM loads %s", err.text))
        return;
    LLVMContextRef cx = LLVMContextCreate();
    text_add(&ir, DECLARED);
    for (int i = 0; i < NRARE; i++)
        text_printf(&ir, "define i64 @f%d(i64 %%x, i64 %%y, i64 %%z) {\n%s\n}\n", i, RARE[i].body);
    text_add(&code, "#include <stdint.h>\n#define UNUSED __attribute__((unused))\n");
    bool fine = llvm_read(cx, text_str(&ir), &m, &err) && c_source(m, 32, &code, &err);
    text_add(&code, "uint64_t call(int f, uint64_t x, uint64_t y, uint64_t z);\n"
                    "uint64_t call(int f, uint64_t x, uint64_t y, uint64_t z)\n{\n    switch (f) {\n");
    for (int i = 0; i < NRARE; i++)
        text_printf(&code, "    case %d:\n        return f%d(x, y, z);\n", i, i);
    text_add(&code, "    default:\n        return 0;\n    }\n}\n");
    fine = fine && put_file("rare.c", &code, &err) &&
           shell(arena_printf(scratch, "%s -O1 -Wall -Wextra -Werror -shared -fPIC -o %s/rare.so %s/rare.c", cc, folder,
                              folder),
                 &err);
    ok(fine, "what is rare is C without a warning %s", err.text);
    void *library = fine ? dlopen(arena_printf(scratch, "%s/rare.so", folder), RTLD_NOW | RTLD_LOCAL) : NULL;
    void *found = library ? dlsym(library, "call") : NULL;
    unsigned long (*f)(int, unsigned long, unsigned long, unsigned long);
    memcpy(&f, &found, sizeof f);
    for (int i = 0; i < NRARE && found; i++)
        is_int((int64_t)f(i, 3, 0x2d, 5), (int64_t)RARE[i].expected, "C computes %s", RARE[i].name);
    LLVMContextDispose(cx);
    text_free(&ir);
    text_free(&code);
}

int main(void)
{
    cc = getenv("EXPORT_CC") ? getenv("EXPORT_CC") : "cc";
    folder = fixture_folder();
    int64_t count = fixture_number("RAINGAUGE_PROPERTY", 2);
    if (system(arena_printf(arena, "%s --version >/dev/null 2>&1", cc)))
        skip_all("no C compiler '%s'", cc);
    test_rare();
    test_codegen(CODEGEN_FAST, "fast", count / 4);
    test_codegen(CODEGEN_TVM, "tvm", count);
    return done_testing();
}
#else
int main(void)
{
    skip_all("built without LLVM");
}
#endif
