/* SPDX-License-Identifier: Apache-2.0 */
/* export: the module is the one that is measured, after LLVM's passes. What the runner gives to it is added then, as
 * text, so that the code of the kernel stays what it was. */
#include "targets/cpu/export/export.h"

#include "targets/cpu/export/c_source.h"

#include <string.h>

const char *const export_forms[] = {"c", "llvm", "object", NULL};

static const char C_RUNTIME[] =
    "#pragma GCC diagnostic ignored \"-Wpsabi\"\n#ifndef _OPENMP\n#pragma GCC diagnostic ignored "
    "\"-Wunknown-pragmas\"\n#endif\n"
    "/* A parallel loop is THREADS tasks; with OpenMP each has a thread, else they run one after the other. */\n"
    "static inline UNUSED void raingauge_launch(void (*task)(uint32_t, uint32_t, char *), char *env)\n"
    "{\n#if THREADS > 1\n#pragma omp parallel for num_threads(THREADS) schedule(static, 1)\n#endif\n"
    "    for (uint32_t i = 0; i < THREADS; i++)\n        task(i, THREADS, env);\n}\n"
    "static inline UNUSED void raingauge_parallel(void (*body)(uint64_t, uint64_t, char *, uint64_t),\n"
    "                                                              char *env, uint64_t n)\n"
    "{\n    uint64_t each = (n + THREADS - 1) / THREADS;\n"
    "#if THREADS > 1\n#pragma omp parallel for num_threads(THREADS) schedule(static, 1)\n#endif\n"
    "    for (uint64_t i = 0; i < THREADS; i++) {\n"
    "        uint64_t low = each * i, high = low + each < n ? low + each : n;\n"
    "        if (low < high)\n            body(low, high, env, i);\n    }\n}\n"
    "static inline UNUSED char *raingauge_workspace(char *memory)\n{\n    return memory;\n}\n"
    "static inline UNUSED void raingauge_workspace_end(char *memory)\n{\n    (void)memory;\n}\n\n";

/* $N is the number of threads. */
static const char IR_RUNTIME[] =
    "define internal ptr @raingauge_workspace(ptr %m) {\n  ret ptr %m\n}\n"
    "define internal void @raingauge_workspace_end(ptr %m) {\n  ret void\n}\n"
    "declare extern_weak void @raingauge_run_tasks(ptr, ptr, i32)\n"
    "define internal void @raingauge_launch(ptr %task, ptr %env) {\n"
    "  %there = icmp ne ptr @raingauge_run_tasks, null\n  %many = icmp sgt i32 $N, 1\n"
    "  %both = and i1 %there, %many\n  br i1 %both, label %all, label %loop\n"
    "all:\n  call void @raingauge_run_tasks(ptr %task, ptr %env, i32 $N)\n  ret void\n"
    "loop:\n  %i = phi i32 [ 0, %0 ], [ %j, %loop ]\n  call void %task(i32 %i, i32 $N, ptr %env)\n"
    "  %j = add i32 %i, 1\n  %more = icmp slt i32 %j, $N\n  br i1 %more, label %loop, label %done\n"
    "done:\n  ret void\n}\n"
    "define internal void @raingauge_part(i32 %id, i32 %n, ptr %env) {\n"
    "  %body = load ptr, ptr %env\n  %at1 = getelementptr i8, ptr %env, i64 8\n  %its = load ptr, ptr %at1\n"
    "  %at2 = getelementptr i8, ptr %env, i64 16\n  %total = load i64, ptr %at2\n  %t = sext i32 %id to i64\n"
    "  %up = add i64 %total, $N\n  %least = sub i64 %up, 1\n  %each = sdiv i64 %least, $N\n"
    "  %low = mul i64 %each, %t\n  %end = add i64 %low, %each\n  %less = icmp slt i64 %end, %total\n"
    "  %high = select i1 %less, i64 %end, i64 %total\n  %some = icmp slt i64 %low, %high\n"
    "  br i1 %some, label %work, label %done\n"
    "work:\n  call void %body(i64 %low, i64 %high, ptr %its, i64 %t)\n  br label %done\ndone:\n  ret void\n}\n"
    "define internal void @raingauge_parallel(ptr %body, ptr %env, i64 %n) {\n"
    "  %p = alloca [3 x i64], align 8\n  store ptr %body, ptr %p\n  %at1 = getelementptr i8, ptr %p, i64 8\n"
    "  store ptr %env, ptr %at1\n  %at2 = getelementptr i8, ptr %p, i64 16\n  store i64 %n, ptr %at2\n"
    "  call void @raingauge_launch(ptr @raingauge_part, ptr %p)\n  ret void\n}\n";

/* Our functions are internal, and those of the runner defined below. */
static void add_lines(const char *ir, struct text *out)
{
    static const char DEFINE[] = "define ";
    for (const char *line = ir; *line;) {
        size_t n = strcspn(line, "\n");
        n += line[n] == '\n';
        const char *ours = memmem(line, n, "@raingauge_", 11);
        if (ours && str_starts(line, DEFINE)) {
            text_add(out, "define internal ");
            text_addn(out, line + sizeof DEFINE - 1, n - (sizeof DEFINE - 1));
        } else if (!ours || !str_starts(line, "declare ")) {
            text_addn(out, line, n);
        }
        line += n;
    }
}

static void add_runtime(int threads, struct text *out)
{
    for (const char *s = IR_RUNTIME; *s; s += *s == '$' ? 2 : 1)
        if (*s == '$')
            text_int(out, threads);
        else
            text_char(out, *s);
}

static void add_function(const struct export_request *r, const struct nest *n, const struct kernel_scratch *s,
                         struct text *out)
{
    text_printf(out, "define void @%s(", r->symbol);
    for (int i = 0; i < n->nargs; i++)
        text_printf(out, "ptr %%p%d, ", i);
    text_printf(out, "ptr %%workspace) {\n  %%args = alloca [%d x ptr], align 8\n", n->nargs);
    for (int i = 0; i < n->nargs; i++)
        text_printf(out, "  %%at%d = getelementptr ptr, ptr %%args, i64 %d\n  store ptr %%p%d, ptr %%at%d\n", i, i, i,
                    i);
    text_printf(out, "  %%threads = getelementptr i8, ptr %%workspace, i64 %lld\n", (long long)s->shared_bytes);
    text_add(out, "  call void @raingauge_kernel(ptr %args, ptr %workspace, ptr %threads)\n  ret void\n}\n");
}

static bool to_c(const struct codegen *c, const char *ir, int threads, struct text *out, struct err *err)
{
    LLVMContextRef cx = LLVMContextCreate();
    LLVMModuleRef m;
    text_printf(out, "#define THREADS %d\n#define UNUSED __attribute__((unused))\n%s", threads, C_RUNTIME);
    bool fine = llvm_read(cx, ir, &m, err) && c_source(m, codegen_vector_bytes(c), out, err);
    LLVMContextDispose(cx);
    return fine;
}

bool export_code(struct codegen *c, const struct nest *n, const struct export_request *r, struct text *out,
                 struct kernel_scratch *scratch, struct err *err)
{
    struct text ir = {0}, whole = {0};
    bool fine = codegen_text(c, n, CODEGEN_OPTIMISED, &ir, scratch, err);
    scratch->shared_bytes = (scratch->shared_bytes + 63) / 64 * 64;
    if (fine && str_eq(r->form, "c")) {
        fine = to_c(c, text_str(&ir), r->threads, out, err);
    } else if (fine) {
        add_lines(text_str(&ir), &whole);
        add_runtime(r->threads, &whole);
        add_function(r, n, scratch, &whole);
        if (str_eq(r->form, "llvm"))
            text_addn(out, whole.s, whole.len);
        else
            fine = codegen_assemble(c, text_str(&whole), out, err);
    }
    text_free(&ir);
    text_free(&whole);
    return fine;
}
