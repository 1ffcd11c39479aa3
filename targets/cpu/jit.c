/* SPDX-License-Identifier: Apache-2.0 */
/* jit: LLVM's ORC, one instance per kernel, so that dropping the kernel gives everything back. */
#include "targets/cpu/jit.h"

#include "targets/cpu/llvm.h"
#include "targets/cpu/parallel.h"

#include <math.h>
#include <string.h>

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
    } table[] = {CALLABLE(raingauge_parallel), CALLABLE(raingauge_launch), CALLABLE(raingauge_workspace),
                 CALLABLE(raingauge_workspace_end), KERNEL_CALLS(CALLABLE)};
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
    LLVMOrcExecutorAddress at = 0;
    bool fine = define_symbols(orc, err) &&
                !failed(LLVMOrcLLJITAddObjectFile(orc, LLVMOrcLLJITGetMainJITDylib(orc),
                                                  LLVMCreateMemoryBufferWithMemoryRangeCopy(object, n, "kernel")),
                        err) &&
                !failed(LLVMOrcLLJITLookup(orc, &at, "raingauge_kernel"), err);
    struct jit *j = (struct jit *)orc; /* LLVM's, and never looked into */
    if (!fine)
        jit_close(j);
    *out = fine ? j : NULL;
    *code = (kernel_code *)(uintptr_t)at;
    return fine;
}

void jit_close(struct jit *j)
{
    LLVMErrorRef e = j ? LLVMOrcDisposeLLJIT((LLVMOrcLLJITRef)j) : NULL;
    if (e)
        LLVMConsumeError(e);
}
