/* SPDX-License-Identifier: Apache-2.0 */
/* processor: what code for the A64FX is made of: vectors of 512 bits where LLVM may use them, else of 128. */
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

#ifdef HAVE_LLVM
#include "targets/cpu/codegen.h"

#include <string.h>

/* The assembly of a loop of sixteen lanes that the schedule asks for. */
static void assembly(struct codegen *c, struct text *out)
{
    struct err err = {0};
    const struct nest *n = fixture_nest(arena, "map n=4 c=16 by=relu", "[[\"AN\", 1, 1, 2]]");
    fixture_must(codegen_text(c, n, CODEGEN_ASSEMBLY, out, NULL, &err), &err);
}

static void test_code(struct codegen_options o, int bytes, const char *name)
{
    struct codegen *c;
    struct err err = {0};
    struct text code = {0};
    o.arch = CODEGEN_AARCH64;
    o.mcpu = "a64fx";
    o.level = 2;
    if (!ok(codegen_open(&o, &c, &err), "%s opens for the A64FX %s", name, err.text))
        return;
    ok(codegen_vector_bytes(c) == bytes && str_eq(codegen_cpu(c), "a64fx"), "%s counts on vectors of %d bytes", name,
       bytes);
    assembly(c, &code);
    bool scalable = strstr(code.s, "fmax\tz") || strstr(code.s, "fmaxnm\tz"), fixed = strstr(code.s, "v0.4s") != NULL;
    if (!ok(bytes == 64 ? scalable && !fixed : fixed && !scalable, "%s takes the maximum in registers of %d bytes",
            name, bytes))
        diag("%s", code.s);
    text_free(&code);
    codegen_close(c);
}

int main(void)
{
    test_code((struct codegen_options){.mode = CODEGEN_FAST}, 64, "codegen=fast");
    test_code((struct codegen_options){.mode = CODEGEN_TVM}, 16, "codegen=tvm");
    test_code((struct codegen_options){.mode = CODEGEN_TVM, .sve = CODEGEN_SVE_512}, 64, "codegen=tvm for 512 bits");
    test_code((struct codegen_options){.mode = CODEGEN_TVM, .llvm = 19}, 16, "codegen=tvm by LLVM 19");
    test_code((struct codegen_options){.mode = CODEGEN_TVM, .llvm = 19, .sve = CODEGEN_SVE_512}, 64,
              "codegen=tvm by LLVM 19 for 512 bits");
    return done_testing();
}
#else
int main(void)
{
    skip_all("built without LLVM");
}
#endif
