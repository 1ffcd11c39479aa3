/* SPDX-License-Identifier: Apache-2.0 */
/* tvm_llvm: the functions that are needed are looked up by name in the older library. It has its own types, contexts
 * and options of the process, so nothing of it may be given to the LLVM of llvm.h; only text goes over. */
#include "targets/cpu/tvm/tvm_llvm.h"

#include "targets/cpu/tvm/llvm16_passes.h"
#include "targets/cpu/tvm/loop_exit.h"
#include "targets/cpu/tvm/older_llvm.h"
#include "targets/cpu/tvm/reassociate.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct library {
    int version;
    const char *soname;
    void *handle;
    struct older_llvm f;
};
/* Nearest first. */
static struct library libraries[] = {{.version = 17, .soname = "libLLVM-17.so.1"},
                                     {.version = 16, .soname = "libLLVM-16.so.1"}};
enum { LIBRARIES = sizeof libraries / sizeof *libraries };

struct tvm_llvm {
    const struct library *library;
    LLVMTargetMachineRef tm;
    LLVMTargetDataRef layout;
    char *triple;
};

static _Thread_local jmp_buf fatal_exit;
static _Thread_local bool fatal_armed;
static _Thread_local char fatal_reason[200];

static void on_fatal(const char *reason)
{
    snprintf(fatal_reason, sizeof fatal_reason, "%s", reason);
    if (fatal_armed)
        longjmp(fatal_exit, 1);
    fprintf(stderr, "llvm: %s\n", reason);
}

/* LLVMInitializeX86Target and its like, named after this machine's processor; and those of the A64FX. */
#define TEXT_OF(x) #x
#define NAME_OF(x) TEXT_OF(x)
static const char *const STARTERS[] = {NAME_OF(LLVM_NATIVE_TARGETINFO),   NAME_OF(LLVM_NATIVE_TARGET),
                                       NAME_OF(LLVM_NATIVE_TARGETMC),     NAME_OF(LLVM_NATIVE_ASMPRINTER),
                                       "LLVMInitializeAArch64TargetInfo", "LLVMInitializeAArch64Target",
                                       "LLVMInitializeAArch64TargetMC",   "LLVMInitializeAArch64AsmPrinter"};

static bool start(struct library *l, struct err *err)
{
    for (size_t i = 0; i < sizeof STARTERS / sizeof *STARTERS; i++) {
        void (*starter)(void);
        void *found = dlsym(l->handle, STARTERS[i]);
        if (!found)
            return err_set(err, "%s has no %s", l->soname, STARTERS[i]);
        memcpy(&starter, &found, sizeof starter);
        starter();
    }
    l->f.LLVMInstallFatalErrorHandler(on_fatal);
    return true;
}

static bool find_functions(struct library *l, struct err *err)
{
    void *found;
#define FIND(name)                                                                                                     \
    if (!(found = dlsym(l->handle, #name)))                                                                            \
        return err_set(err, "%s has no %s", l->soname, #name);                                                         \
    memcpy(&l->f.name, &found, sizeof found);
    EACH_FUNCTION(FIND)
#undef FIND
#define FIND(name, declaration, symbol)                                                                                \
    if (l->version == 16) {                                                                                            \
        if (!(found = dlsym(l->handle, symbol)))                                                                       \
            return err_set(err, "%s has no %s", l->soname, symbol);                                                    \
        memcpy(&l->f.name, &found, sizeof found);                                                                      \
    }
    EACH_FLAG(FIND)
#undef FIND
    return true;
}

static bool load(struct library *l, struct err *err)
{
    if (l->handle)
        return true;
    void *handle = dlopen(l->soname, RTLD_LAZY | RTLD_LOCAL);
    if (!handle)
        return err_set(err, "LLVM %d is not installed: %s", l->version, dlerror()) || err_environment(err);
    l->handle = handle;
    return find_functions(l, err) && start(l, err);
}

static const struct library *find_library(int version, struct err *err)
{
    for (int i = 0; i < LIBRARIES; i++)
        if ((version == 0 || libraries[i].version == version) && load(&libraries[i], err))
            return &libraries[i];
    if (!err->text[0])
        err_set(err, "LLVM %d is none that codegen=tvm can use", version);
    return NULL;
}

void tvm_llvm_load(void)
{
    struct err ignored = {0};
    find_library(0, &ignored);
}

/* A pipeline given as text unrolls loops fully up to 150 instructions, O3 up to 300. LLVM 17 gave Alder Lake and
 * later ones a model of their own, whose buffer of looping micro-operations holds 72 where LLVM 16's holds 50: a loop
 * is unrolled partly up to that size (X86SchedAlderlakeP.td, X86SchedSapphireRapids.td). LLVM 16's instcombine goes
 * over a function until nothing changes, later ones once. Ranges after a counter's step only help where sums lack
 * nsw, and ours have it. All are options of the process. */
static void tell_options(const struct library *l, const char *cpu)
{
    static const char *const LATER[] = {"alderlake",     "raptorlake",    "meteorlake",   "sapphirerapids",
                                        "emeraldrapids", "graniterapids", "sierraforest", "graniterapids-d"};
    const char *options[] = {"raingauge", "-unroll-threshold-default=300", "-instcombine-max-iterations=1",
                             "-indvars-post-increment-ranges=false", "-unroll-partial-threshold=72"};
    static bool warned;
    bool later = false;
    for (size_t i = 0; i < sizeof LATER / sizeof *LATER; i++)
        later |= !strcmp(cpu, LATER[i]);
    if (l->version == 16 && !warned)
        l->f.LLVMParseCommandLineOptions(later ? 5 : 4, options, "");
    warned = true;
}

static void set_triple(struct tvm_llvm *t, const char *triple)
{
    const struct older_llvm *f = &t->library->f;
    t->triple = triple ? strdup(triple) : NULL;
    if (!t->triple) {
        char *here = f->LLVMGetDefaultTargetTriple();
        t->triple = strdup(here);
        f->LLVMDisposeMessage(here);
    }
}

static bool open_machine(struct tvm_llvm *t, const struct tvm_llvm_options *o, struct err *err)
{
    const struct older_llvm *f = &t->library->f;
    bool native = !strcmp(o->mcpu, "native"), generic = !strcmp(o->mcpu, "generic");
    char *cpu = native ? f->LLVMGetHostCPUName() : NULL, *features = native ? f->LLVMGetHostCPUFeatures() : NULL;
    set_triple(t, o->triple);
    const char *name = cpu ? cpu : generic && !strncmp(t->triple, "x86_64", 6) ? "x86-64" : o->mcpu;
    char *message = NULL;
    LLVMTargetRef target;
    bool fine = !f->LLVMGetTargetFromTriple(t->triple, &target, &message);
    /* Of a CPU that it does not know LLVM assumes 32 bits, and ends with a fatal error at the first function. */
    const char *at_least = !strncmp(t->triple, "x86_64", 6) ? "+64bit" : "";
    if (fine) {
        tell_options(t->library, name);
        t->tm = f->LLVMCreateTargetMachine(target, t->triple, name, features ? features : at_least,
                                           (LLVMCodeGenOptLevel)o->level, LLVMRelocPIC, LLVMCodeModelDefault);
        t->layout = f->LLVMCreateTargetDataLayout(t->tm);
    } else {
        err_set(err, "LLVM %d has no code for '%s'", t->library->version, name);
        f->LLVMDisposeMessage(message);
    }
    if (cpu)
        f->LLVMDisposeMessage(cpu);
    if (features)
        f->LLVMDisposeMessage(features);
    return fine;
}

bool tvm_llvm_open(const struct tvm_llvm_options *o, struct tvm_llvm **out, struct err *err)
{
    struct err why = {0};
    const struct library *l = find_library(o->version, &why);
    *out = NULL;
    if (!l)
        return o->version == 0 || err_set(err, "%s", why.text);
    struct tvm_llvm *t = calloc(1, sizeof *t);
    t->library = l;
    if (!open_machine(t, o, err)) {
        tvm_llvm_close(t);
        return false;
    }
    *out = t;
    return true;
}

void tvm_llvm_close(struct tvm_llvm *t)
{
    if (!t)
        return;
    const struct older_llvm *f = &t->library->f;
    if (t->layout)
        f->LLVMDisposeTargetData(t->layout);
    if (t->tm)
        f->LLVMDisposeTargetMachine(t->tm);
    free(t->triple);
    free(t);
}

int tvm_llvm_version(const struct tvm_llvm *t)
{
    return t->library->version;
}

void tvm_llvm_release(const struct tvm_llvm *t, unsigned v[3])
{
    t->library->f.LLVMGetVersion(&v[0], &v[1], &v[2]);
}

/* ---- one module ---- */

static bool run_passes(const struct tvm_llvm *t, LLVMModuleRef m, const char *passes, struct err *err)
{
    const struct older_llvm *f = &t->library->f;
    LLVMPassBuilderOptionsRef o = f->LLVMCreatePassBuilderOptions();
    f->LLVMPassBuilderOptionsSetLoopVectorization(o, true);
    f->LLVMPassBuilderOptionsSetLoopInterleaving(o, true);
    f->LLVMPassBuilderOptionsSetSLPVectorization(o, true);
    LLVMErrorRef e = f->LLVMRunPasses(m, passes, t->tm, o);
    f->LLVMDisposePassBuilderOptions(o);
    if (!e)
        return true;
    char *message = f->LLVMGetErrorMessage(e);
    err_set(err, "LLVM %d: %s", t->library->version, message);
    f->LLVMDisposeErrorMessage(message);
    return false;
}

/* Stores are ordinary again (tvm_expr.c, store_at). */
static void clear_nontemporal(const struct older_llvm *l, LLVMModuleRef m)
{
    unsigned kind = l->LLVMGetMDKindIDInContext(l->LLVMGetModuleContext(m), "nontemporal", 11);
    for (LLVMValueRef f = l->LLVMGetFirstFunction(m); f; f = l->LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = l->LLVMGetFirstBasicBlock(f); b; b = l->LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = l->LLVMGetFirstInstruction(b); i; i = l->LLVMGetNextInstruction(i))
                if (l->LLVMGetInstructionOpcode(i) == LLVMStore)
                    l->LLVMSetMetadata(i, kind, NULL);
}

/* LLVM's O3. Of LLVM 16 in parts, as reassociate.h and loop_exit.h tell. */
static bool optimise(const struct tvm_llvm *t, LLVMModuleRef m, struct err *err)
{
    if (t->library->version != 16)
        return run_passes(t, m, "default<O3>", err);
    struct reassociate r;
    if (!run_passes(t, m, LLVM16_BEFORE_REASSOCIATE, err))
        return false;
    reassociate_before(&r, &t->library->f, m);
    bool fine = run_passes(t, m, "function(reassociate)", err);
    if (fine)
        reassociate_after(&r, m);
    reassociate_free(&r);
    if (!fine || !run_passes(t, m, LLVM16_AFTER_REASSOCIATE, err))
        return false;
    narrow_loop_exits(&t->library->f, m);
    clear_nontemporal(&t->library->f, m);
    return run_passes(t, m, LLVM16_AFTER_LOOPS, err);
}

static bool put_code(const struct tvm_llvm *t, LLVMModuleRef m, LLVMCodeGenFileType type, struct text *out,
                     struct err *err)
{
    const struct older_llvm *f = &t->library->f;
    LLVMMemoryBufferRef code;
    char *message = NULL;
    if (f->LLVMTargetMachineEmitToMemoryBuffer(t->tm, m, type, &message, &code)) {
        err_set(err, "LLVM %d: %s", t->library->version, message ? message : "no code");
        f->LLVMDisposeMessage(message);
        return false;
    }
    text_addn(out, f->LLVMGetBufferStart(code), f->LLVMGetBufferSize(code));
    f->LLVMDisposeMemoryBuffer(code);
    return true;
}

static void put_module(const struct tvm_llvm *t, LLVMModuleRef m, struct text *out)
{
    char *s = t->library->f.LLVMPrintModuleToString(m);
    text_add(out, s);
    t->library->f.LLVMDisposeMessage(s);
}

static bool compile(const struct tvm_llvm *t, LLVMModuleRef m, enum tvm_llvm_output form, struct text *out,
                    struct err *err)
{
    t->library->f.LLVMSetTarget(m, t->triple);
    t->library->f.LLVMSetModuleDataLayout(m, t->layout);
    if (form != TVM_LLVM_ASSEMBLED && !optimise(t, m, err))
        return false;
    if (form != TVM_LLVM_IR)
        return put_code(t, m, form == TVM_LLVM_ASSEMBLY ? LLVMAssemblyFile : LLVMObjectFile, out, err);
    put_module(t, m, out);
    return true;
}

static bool parse(const struct tvm_llvm *t, LLVMContextRef cx, const char *ir, LLVMModuleRef *m, struct err *err)
{
    const struct older_llvm *f = &t->library->f;
    char *message = NULL;
    LLVMMemoryBufferRef text = f->LLVMCreateMemoryBufferWithMemoryRangeCopy(ir, strlen(ir), "kernel");
    if (!f->LLVMParseIRInContext(cx, text, m, &message)) /* takes the text, whatever comes of it */
        return true;
    err_set(err, "LLVM %d cannot read the emitted code: %s", t->library->version, message ? message : "");
    f->LLVMDisposeMessage(message);
    return false;
}

bool tvm_llvm_compile(struct tvm_llvm *t, const char *ir, enum tvm_llvm_output form, struct text *out, struct err *err)
{
    const struct older_llvm *f = &t->library->f;
    if (setjmp(fatal_exit)) {
        fatal_armed = false; /* the context is lost with whatever LLVM held */
        return err_set(err, "LLVM %d: %s", t->library->version, fatal_reason);
    }
    fatal_armed = true;
    LLVMContextRef cx = f->LLVMContextCreate();
    LLVMModuleRef m = NULL;
    bool fine = parse(t, cx, ir, &m, err);
    if (fine) {
        fine = compile(t, m, form, out, err);
        f->LLVMDisposeModule(m);
    }
    f->LLVMContextDispose(cx);
    fatal_armed = false;
    return fine;
}
