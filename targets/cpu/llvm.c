/* SPDX-License-Identifier: Apache-2.0 */
/* llvm: the shared library and its functions. It stays loaded until the process ends. */
#include "targets/cpu/llvm.h"

#include <dlfcn.h>
#include <string.h>

struct llvm_functions llvm_functions;
static const char *const NAMES[] = {LLVM_NAMES};
enum { FUNCTIONS = sizeof NAMES / sizeof *NAMES };

static bool find_functions(void *library, struct err *err)
{
    void *found[FUNCTIONS];
    _Static_assert(sizeof found == sizeof llvm_functions, "one pointer each, in the order of their names");
    for (int i = 0; i < FUNCTIONS; i++)
        if (!(found[i] = dlsym(library, NAMES[i])))
            return err_set(err, "%s, which this program needs for target cpu, has no %s", LLVM_LIBRARY, NAMES[i]);
    memcpy(&llvm_functions, found, sizeof found);
    return true;
}

bool llvm_load(struct err *err)
{
    static bool loaded;
    if (loaded)
        return true;
    void *library = dlopen(LLVM_LIBRARY, RTLD_LAZY | RTLD_LOCAL);
    if (!library)
        return err_set(err, "target cpu needs LLVM: %s", dlerror());
    if (!find_functions(library, err))
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
