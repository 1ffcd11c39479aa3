/* SPDX-License-Identifier: Apache-2.0 */
/* llvm: the shared library and its functions. It stays loaded until the process ends. */
#include "targets/cpu/llvm.h"

#include "harness/base/library.h"

#include <dlfcn.h>
#include <string.h>

struct llvm_functions llvm_functions;
static const char *const NAMES[] = {LLVM_NAMES NULL};

bool llvm_load(struct err *err)
{
    static bool loaded;
    if (loaded)
        return true;
    void *library = dlopen(LLVM_LIBRARY, RTLD_LAZY | RTLD_LOCAL);
    if (!library)
        return err_set(err, "target cpu needs LLVM: %s", dlerror()) || err_environment(err);
    if (!library_functions(library, NAMES, &llvm_functions, sizeof llvm_functions, LLVM_LIBRARY,
                           ", which this program needs for target cpu", err))
        return false;
    LLVM_NATIVE_TARGETINFO();
    LLVM_NATIVE_TARGET();
    LLVM_NATIVE_TARGETMC();
    LLVM_NATIVE_ASMPRINTER();
    LLVM_NATIVE_ASMPARSER();
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
    loaded = true;
    return true;
}

bool llvm_read(LLVMContextRef cx, const char *ir, LLVMModuleRef *out, struct err *err)
{
    char *message = NULL;
    LLVMMemoryBufferRef text = LLVMCreateMemoryBufferWithMemoryRangeCopy(ir, strlen(ir), "kernel");
    if (!LLVMParseIRInContext(cx, text, out, &message)) /* takes the text, whatever comes of it */
        return true;
    err_set(err, "LLVM cannot read code that it has made: %s", message ? message : "");
    LLVMDisposeMessage(message);
    return false;
}
