/* SPDX-License-Identifier: Apache-2.0 */
/* processor: what code for the A64FX is made of: vectors of 512 bits where LLVM may use them, else of 128. A CPU that
 * LLVM does not know is refused without a word of LLVM's. */
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

#ifdef HAVE_LLVM
#include "targets/cpu/codegen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* What opening wrote on the standard error, in bytes. */
static long open_heard(const struct codegen_options *o, bool *fine, struct err *err)
{
    struct codegen *c = NULL;
    FILE *heard = tmpfile();
    int kept = dup(STDERR_FILENO);
    if (!heard || kept < 0)
        abort();
    dup2(fileno(heard), STDERR_FILENO);
    *fine = codegen_open(o, &c, err);
    dup2(kept, STDERR_FILENO);
    close(kept);
    codegen_close(*fine ? c : NULL);
    fseek(heard, 0, SEEK_END);
    long bytes = ftell(heard);
    fclose(heard);
    return bytes;
}

static void test_unknown(struct codegen_options o, const char *says, const char *name)
{
    struct err err = {0};
    bool fine;
    long bytes = open_heard(&o, &fine, &err);
    ok(fine == !says, "%s: a CPU that is not known is %s", name, says ? "refused" : "left to the program's own LLVM");
    ok(bytes == 0 && (!says || strstr(err.text, says)), "%s: one message of ours, none of LLVM's", name);
    if (bytes || (says && !strstr(err.text, says)))
        diag("%ld bytes, '%s'", bytes, err.text);
}

int main(void)
{
    const char *unknown = "no code for CPU 'foo': LLVM ";
    test_unknown((struct codegen_options){.mode = CODEGEN_TVM, .mcpu = "foo"}, unknown, "codegen=tvm");
    test_unknown((struct codegen_options){.mode = CODEGEN_FAST, .mcpu = "foo"}, unknown, "codegen=fast");
    test_unknown((struct codegen_options){.mode = CODEGEN_TVM, .mcpu = "foo", .arch = CODEGEN_AARCH64}, unknown,
                 "codegen=tvm for AArch64");
#ifdef __x86_64__
    test_unknown((struct codegen_options){.mode = CODEGEN_TVM, .mcpu = "znver5"}, NULL, "an older LLVM");
#endif
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
