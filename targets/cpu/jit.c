/* SPDX-License-Identifier: Apache-2.0 */
/* jit: LLVM's ORC, one instance per kernel, so that dropping the kernel gives everything back. */
#include "targets/cpu/jit.h"

#include "targets/cpu/llvm.h"
#include "targets/cpu/parallel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct jit {
    LLVMOrcLLJITRef orc;
};

static bool failed(LLVMErrorRef e, struct err *err)
{
    if (!e)
        return false;
    char *s = LLVMGetErrorMessage(e);
    err_set(err, "LLVM: %s", s);
    LLVMDisposeErrorMessage(s);
    return true;
}

/* What kernels may call: these names and nothing else. */
static bool define_symbols(LLVMOrcLLJITRef orc, struct err *err)
{
#define CALLABLE(f) {#f, (LLVMOrcExecutorAddress)(uintptr_t)(f)}
    const struct {
        const char *name;
        LLVMOrcExecutorAddress at;
    } table[] = {CALLABLE(raingauge_parallel),
                 CALLABLE(raingauge_launch),
                 CALLABLE(raingauge_workspace),
                 CALLABLE(raingauge_workspace_end),
                 CALLABLE(expf),
                 CALLABLE(exp),
                 CALLABLE(logf),
                 CALLABLE(log),
                 CALLABLE(tanhf),
                 CALLABLE(tanh),
                 CALLABLE(erff),
                 CALLABLE(erf),
                 CALLABLE(sqrtf),
                 CALLABLE(sqrt),
                 CALLABLE(rintf),
                 CALLABLE(memset),
                 CALLABLE(memcpy),
                 CALLABLE(memmove),
                 CALLABLE(rint),
                 CALLABLE(fmaf),
                 CALLABLE(fma)};
#undef CALLABLE
    enum { N = sizeof table / sizeof *table };
    LLVMOrcCSymbolMapPair pairs[N];
    for (int i = 0; i < N; i++) {
        pairs[i].Name = LLVMOrcLLJITMangleAndIntern(orc, table[i].name);
        pairs[i].Sym.Address = table[i].at;
        pairs[i].Sym.Flags.GenericFlags = LLVMJITSymbolGenericFlagsExported;
        pairs[i].Sym.Flags.TargetFlags = 0;
    }
    return !failed(LLVMOrcJITDylibDefine(LLVMOrcLLJITGetMainJITDylib(orc), LLVMOrcAbsoluteSymbols(pairs, N)), err);
}

bool jit_open(const void *object, size_t n, struct jit **out, kernel_code **code, struct err *err)
{
    LLVMOrcLLJITRef orc;
    if (!llvm_load(err) || failed(LLVMOrcCreateLLJIT(&orc, NULL), err))
        return false;
    struct jit *j = calloc(1, sizeof *j);
    j->orc = orc;
    LLVMMemoryBufferRef copy = LLVMCreateMemoryBufferWithMemoryRangeCopy(object, n, "kernel");
    LLVMOrcExecutorAddress at = 0;
    bool fine = define_symbols(orc, err) &&
                !failed(LLVMOrcLLJITAddObjectFile(orc, LLVMOrcLLJITGetMainJITDylib(orc), copy), err) &&
                !failed(LLVMOrcLLJITLookup(orc, &at, "raingauge_kernel"), err);
    if (!fine) {
        jit_close(j);
        return false;
    }
    *code = (kernel_code *)(uintptr_t)at;
    *out = j;
    return true;
}

void jit_close(struct jit *j)
{
    if (!j)
        return;
    LLVMErrorRef e = LLVMOrcDisposeLLJIT(j->orc);
    if (e)
        LLVMConsumeError(e);
    free(j);
}
