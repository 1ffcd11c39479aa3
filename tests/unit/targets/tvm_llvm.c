/* SPDX-License-Identifier: Apache-2.0 */
/* The older LLVM that makes the code of codegen=tvm (targets/cpu/tvm/tvm_llvm.h): found, set to a CPU, and its pass
 * reassociate corrected. */
#include "tests/lib/tap.h"

#ifdef HAVE_LLVM
#include "targets/cpu/codegen.h"
#include "targets/cpu/tvm/tvm_llvm.h"

#include <dlfcn.h>
#include <string.h>

static const char INDEX[] = "define i64 @f(i32 %i, i32 %j, i32 %k, i32 %l) {\n"
                            "  %a = shl nsw i32 %i, 8\n"
                            "  %b = shl nsw i32 %j, 13\n"
                            "  %c = shl nsw i32 %k, 15\n"
                            "  %s = add nuw nsw i32 %c, %b\n"
                            "  %t = add nuw nsw i32 %s, %a\n"
                            "  %u = add nuw nsw i32 %t, %l\n"
                            "  %r = sext i32 %u to i64\n"
                            "  ret i64 %r\n"
                            "}\n";

/* Two indices of a loop that have two terms in common. */
static const char LOOP[] = "define void @g(i32 %a, i32 %b, i32 %d, ptr %o) {\n"
                           "entry:\n"
                           "  %x = shl nsw i32 %d, 2\n"
                           "  br label %loop\n"
                           "loop:\n"
                           "  %f = phi i32 [ 0, %entry ], [ %n, %loop ]\n"
                           "  %s = add nsw i32 %a, %x\n"
                           "  %s2 = add nsw i32 %s, %f\n"
                           "  %t = add nsw i32 %b, %x\n"
                           "  %t2 = add nsw i32 %t, %f\n"
                           "  %i = sext i32 %s2 to i64\n"
                           "  %j = sext i32 %t2 to i64\n"
                           "  %p = getelementptr inbounds float, ptr %o, i64 %i\n"
                           "  %q = getelementptr inbounds float, ptr %o, i64 %j\n"
                           "  %v = load float, ptr %p\n"
                           "  store volatile float %v, ptr %q\n"
                           "  %n = add nuw nsw i32 %f, 1\n"
                           "  %c = icmp ult i32 %n, 100\n"
                           "  br i1 %c, label %loop, label %end\n"
                           "end:\n"
                           "  ret void\n"
                           "}\n";

static void test_compile(struct tvm_llvm *t)
{
    struct text out = {0};
    struct err err = {0};
    ok(tvm_llvm_compile(t, INDEX, TVM_LLVM_OBJECT, &out, &err) && out.len > 4 && !memcmp(out.s, "\177ELF", 4),
       "a module becomes an object file");
    text_clear(&out);
    ok(tvm_llvm_compile(t, INDEX, TVM_LLVM_ASSEMBLY, &out, &err) && strstr(out.s, "retq"), "a module becomes assembly");
    text_clear(&out);
    ok(tvm_llvm_compile(t, INDEX, TVM_LLVM_IR, &out, &err) && strstr(out.s, "= add nuw nsw i32"),
       "the sum on top keeps its flags as in LLVM 17");
    text_clear(&out);
    ok(tvm_llvm_compile(t, LOOP, TVM_LLVM_IR, &out, &err) && strstr(out.s, "= phi i64") && !strstr(out.s, "= phi i32"),
       "a sum whose top is as it was keeps the flags there, so the loop counts in 64 bits as in LLVM 17");
    text_clear(&out);
    ok(!tvm_llvm_compile(t, "define void @f( {", TVM_LLVM_OBJECT, &out, &err) && strstr(err.text, "cannot read"),
       "broken text is refused with the reason");
    text_free(&out);
}

static void test_open(void)
{
    struct tvm_llvm *t = NULL;
    struct err err = {0};
    ok(tvm_llvm_open(&(struct tvm_llvm_options){.mcpu = "native", .level = 2}, &t, &err),
       "a machine without an older LLVM is no error");
    if (!t) {
        skip("an older LLVM compiles", "neither LLVM 17 nor 16 is installed (Debian: libllvm16)");
        return;
    }
    ok(tvm_llvm_version(t) == 17 || tvm_llvm_version(t) == 16, "the older LLVM is 17 or 16");
    test_compile(t);
    tvm_llvm_close(t);
}

/* To be asked before the first is opened, which loads it too. */
static void test_load(void)
{
    struct tvm_llvm *t = NULL;
    struct err err = {0};
    tvm_llvm_load();
    bool loaded =
        dlopen("libLLVM-17.so.1", RTLD_LAZY | RTLD_NOLOAD) || dlopen("libLLVM-16.so.1", RTLD_LAZY | RTLD_NOLOAD);
    ok(tvm_llvm_open(&(struct tvm_llvm_options){.mcpu = "native", .level = 2}, &t, &err) && loaded == (t != NULL),
       "the older LLVM can be loaded before workers are forked");
    tvm_llvm_close(t);
}

static void test_absent(void)
{
    struct tvm_llvm *t = NULL;
    struct err err = {0};
    bool found = tvm_llvm_open(&(struct tvm_llvm_options){.version = 15, .mcpu = "native"}, &t, &err);
    ok(!found && !t, "a version that is not known is refused");
    found = tvm_llvm_open(&(struct tvm_llvm_options){.version = 17, .mcpu = "native"}, &t, &err);
    ok(found || strstr(err.text, "LLVM 17 is not installed"), "a version that is not installed is refused by name");
    tvm_llvm_close(t);
}

/* znver5 is younger than LLVM 16. */
static void test_young_cpu(void)
{
    struct codegen_options o = {.mode = CODEGEN_TVM, .mcpu = "znver5", .level = 2};
    struct codegen *c = NULL;
    struct err err = {0};
    ok(codegen_open(&o, &c, &err) && codegen_llvm(c) != 16, "a CPU that LLVM 16 does not know is left to a later one");
    codegen_close(c);
    c = NULL;
    o.llvm = 16;
    ok(!codegen_open(&o, &c, &err), "a CPU that the LLVM asked for does not know is refused");
    o.llvm = 19;
    o.mcpu = "native";
    ok(codegen_open(&o, &c, &err) && codegen_llvm(c) == 19, "the LLVM of the program may be asked for");
    codegen_close(c);
}

int main(void)
{
    test_load();
    test_open();
    test_absent();
    test_young_cpu();
    return done_testing();
}
#else
int main(void)
{
    skip_all("built without LLVM");
}
#endif
