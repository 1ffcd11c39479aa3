/* SPDX-License-Identifier: Apache-2.0 */
/* codegen: the LLVM side: target machine, passes, object. */
#include "targets/cpu/codegen.h"

#include "targets/cpu/emit/emit_function.h"
#include "targets/cpu/emit/emit_stmt.h"
#include "targets/cpu/emitter.h"
#include "targets/cpu/llvm.h"
#include "targets/cpu/processor.h"
#include "targets/cpu/tile/tile_rewrite.h"
#include "targets/cpu/tvm/llvm19_passes.h"
#include "targets/cpu/tvm/tvm_emitter.h"
#include "targets/cpu/tvm/tvm_llvm.h"
#include "targets/cpu/tvm/tvm_stmt.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The fast emitter leaves little to do: stack slots to registers, then what folding they allow. */
#define FAST_PASSES "function(mem2reg,early-cse,instsimplify)"

struct codegen {
    enum codegen_mode mode;
    LLVMTargetMachineRef tm;
    LLVMTargetDataRef layout;
    struct processor processor;
    struct codegen_machine machine;
    struct tvm_llvm *older; /* with CODEGEN_TVM: what makes its code; NULL: the LLVM of this program */
    struct file_cache *objects;
    struct text maker; /* what an object hangs on besides its IR, as text */
};

/* LLVM ends the process on a fatal error (a pattern it cannot select, say). Here it is a failed build. */
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

/* The fast emitter places addresses in their loops already; there LLVM's strength reduction takes a third of the time
 * to no gain. It is an option of the process, as is the size up to which O3 unrolls a loop fully. */
static void use_strength_reduction(bool use)
{
    static int now = -1;
    const char *const options[] = {"raingauge", use ? "-disable-lsr=false" : "-disable-lsr=true",
                                   "-unroll-threshold-default=300"};
    if (now != (int)use)
        LLVMParseCommandLineOptions(now < 0 ? 3 : 2, options, "");
    now = use;
}

static bool emit_memory(struct codegen *c, LLVMModuleRef m, LLVMCodeGenFileType type, LLVMMemoryBufferRef *out,
                        struct err *err)
{
    char *message = NULL;
    use_strength_reduction(c->mode == CODEGEN_TVM);
    if (!LLVMTargetMachineEmitToMemoryBuffer(c->tm, m, type, &message, out))
        return true;
    err_set(err, "LLVM: %s", message ? message : "no code");
    LLVMDisposeMessage(message);
    return false;
}

/* ---- the machine ---- */

static void probe_body(LLVMContextRef cx, LLVMModuleRef m)
{
    LLVMTypeRef v = LLVMVectorType(LLVMFloatTypeInContext(cx), 16), p = LLVMPointerTypeInContext(cx, 0);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(cx), &p, 1, false);
    LLVMValueRef f = LLVMAddFunction(m, "probe", type);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(cx);
    LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(cx, f, ""));
    LLVMValueRef x = LLVMBuildLoad2(b, v, LLVMGetParam(f, 0), ""), mul = LLVMBuildFMul(b, x, x, "");
    LLVMValueRef sum = LLVMBuildFAdd(b, mul, x, "");
    LLVMSetFastMathFlags(mul, LLVMFastMathAllowContract);
    LLVMSetFastMathFlags(sum, LLVMFastMathAllowContract);
    LLVMBuildStore(b, sum, LLVMGetParam(f, 0));
    LLVMBuildRetVoid(b);
    LLVMDisposeBuilder(b);
}

/* A CPU without 64-bit code is a fatal error of LLVM's. */
static bool probe(struct codegen *c, struct err *err)
{
    if (setjmp(fatal_exit)) {
        fatal_armed = false; /* the context is lost */
        return err_set(err, "no code for CPU '%s': %s", c->processor.cpu, fatal_reason);
    }
    fatal_armed = true;
    LLVMContextRef cx = LLVMContextCreate();
    LLVMModuleRef m = LLVMModuleCreateWithNameInContext("probe", cx);
    LLVMMemoryBufferRef text = NULL;
    LLVMSetTarget(m, c->processor.triple);
    LLVMSetModuleDataLayout(m, c->layout);
    probe_body(cx, m);
    processor_set_widths(&c->processor, m);
    bool fine = emit_memory(c, m, LLVMAssemblyFile, &text, err);
    fatal_armed = false;
    if (fine) {
        processor_read(&c->processor, LLVMGetBufferStart(text), &c->machine);
        LLVMDisposeMemoryBuffer(text);
    }
    LLVMDisposeModule(m);
    LLVMContextDispose(cx);
    return fine;
}

bool codegen_version(struct text *out, struct err *err)
{
    unsigned major, minor, patch;
    if (!llvm_load(err))
        return false;
    LLVMGetVersion(&major, &minor, &patch);
    text_printf(out, "%u.%u.%u", major, minor, patch);
    return true;
}

/* An older LLVM takes a CPU that it does not know for the plainest one. Then its vectors are narrower. */
static bool knows_cpu(const struct codegen *c)
{
    const char *mark = processor_mark(&c->processor, c->machine.vector_bytes);
    struct text out = {0};
    struct err ignored = {0};
    bool knows = tvm_llvm_compile(c->older, processor_probe(&c->processor), TVM_LLVM_ASSEMBLY, &out, &ignored) &&
                 strstr(out.s, mark);
    text_free(&out);
    return knows;
}

static void ask_older(void *with)
{
    struct tvm_llvm *older;
    struct err ignored = {0};
    if (tvm_llvm_open(with, &older, &ignored))
        tvm_llvm_close(older);
}

/* The program's own LLVM may be asked for, and serves where the older one does not know the CPU. */
static bool open_older(struct codegen *c, const struct codegen_options *o, struct err *err)
{
    struct tvm_llvm_options t = {.version = o->llvm, .mcpu = o->mcpu, .level = o->level, .triple = c->processor.triple};
    if (o->mode != CODEGEN_TVM || o->llvm == LLVM_VERSION_MAJOR)
        return true;
    bool named = !str_eq(o->mcpu, "native") && !str_eq(o->mcpu, "generic");
    if (!named || processor_silent(ask_older, &t)) {
        if (!tvm_llvm_open(&t, &c->older, err))
            return false;
        if (!c->older || knows_cpu(c))
            return true;
    }
    tvm_llvm_close(c->older);
    c->older = NULL;
    return o->llvm == 0 || err_set(err, "LLVM %d does not know CPU '%s'", o->llvm, o->mcpu);
}

bool codegen_open(const struct codegen_options *o, struct codegen **out, struct err *err)
{
    static bool started;
    if (!llvm_load(err))
        return false;
    if (!started)
        LLVMInstallFatalErrorHandler(on_fatal);
    started = true;
    struct codegen *c = calloc(1, sizeof *c);
    c->mode = o->mode;
    LLVMTargetRef target;
    char *message = NULL;
    bool named = processor_find(o, &c->processor, err);
    if (!named || LLVMGetTargetFromTriple(c->processor.triple, &target, &message)) {
        if (named)
            err_set(err, "no code for CPU '%s': %s", c->processor.cpu, message);
        LLVMDisposeMessage(message);
        codegen_close(c);
        return false;
    }
    LLVMCodeGenOptLevel level = (LLVMCodeGenOptLevel)(o->level < 0 ? 0 : o->level > 3 ? 3 : o->level);
    c->tm = LLVMCreateTargetMachine(target, c->processor.triple, c->processor.cpu, c->processor.features, level,
                                    LLVMRelocPIC, LLVMCodeModelDefault);
    c->layout = LLVMCreateTargetDataLayout(c->tm);
    c->machine.contract = o->contract;
    c->machine.reassociate = o->reassociate;
    if (!probe(c, err) || !open_older(c, o, err)) {
        codegen_close(c);
        return false;
    }
    c->objects = o->mode == CODEGEN_TVM ? o->objects : NULL; /* the fast emitter's are made as soon as found */
    unsigned v[3];
    if (c->older)
        tvm_llvm_release(c->older, v);
    else
        LLVMGetVersion(&v[0], &v[1], &v[2]);
    text_printf(&c->maker, "LLVM %u.%u.%u, %s, %s, %s, level %d\n", v[0], v[1], v[2], o->mcpu, c->processor.cpu,
                c->processor.features, (int)level);
    *out = c;
    return true;
}

void codegen_close(struct codegen *c)
{
    if (!c)
        return;
    tvm_llvm_close(c->older);
    if (c->layout)
        LLVMDisposeTargetData(c->layout);
    if (c->tm)
        LLVMDisposeTargetMachine(c->tm);
    processor_free(&c->processor);
    text_free(&c->maker);
    free(c);
}

const char *codegen_cpu(const struct codegen *c)
{
    return c->processor.cpu;
}

const char *codegen_features(const struct codegen *c)
{
    return c->processor.features;
}

int codegen_llvm(const struct codegen *c)
{
    return c->older ? tvm_llvm_version(c->older) : LLVM_VERSION_MAJOR;
}

int codegen_vector_bytes(const struct codegen *c)
{
    return c->machine.vector_bytes;
}

/* ---- one nest ---- */

struct build { /* one nest on its way to object code */
    struct codegen *codegen;
    const struct nest *nest;
    struct arena *arena;
    LLVMContextRef context;
    LLVMModuleRef module;
    struct kernel_scratch scratch;
};

static void build_open(struct build *b, struct codegen *c, const struct nest *n)
{
    *b = (struct build){.codegen = c, .nest = n, .arena = arena_open("codegen"), .context = LLVMContextCreate()};
    b->module = LLVMModuleCreateWithNameInContext("kernel", b->context);
    LLVMSetTarget(b->module, c->processor.triple);
    LLVMSetModuleDataLayout(b->module, c->layout);
}

static void build_close(struct build *b)
{
    LLVMDisposeModule(b->module);
    LLVMContextDispose(b->context);
    arena_close(b->arena);
}

static LLVMValueRef constant_global(struct build *b, const char *name, LLVMValueRef value)
{
    LLVMValueRef g = LLVMAddGlobal(b->module, LLVMTypeOf(value), name);
    LLVMSetInitializer(g, value);
    LLVMSetGlobalConstant(g, true);
    LLVMSetLinkage(g, LLVMInternalLinkage);
    LLVMSetAlignment(g, 64);
    return g;
}

static LLVMValueRef bytes_value(const struct build *b, int64_t v)
{
    return LLVMConstInt(LLVMInt64TypeInContext(b->context), (unsigned long long)v, false);
}

/* A thread's part begins on a page of its own. The code reads its size from a constant that is known at the end. */
static void finish_scratch(struct build *b, int64_t shared, int64_t thread)
{
    b->scratch = (struct kernel_scratch){.shared_bytes = shared, .thread_bytes = (thread + 4095) / 4096 * 4096};
    LLVMSetInitializer(LLVMGetNamedGlobal(b->module, "own_bytes"), bytes_value(b, b->scratch.thread_bytes));
}

static void find_written(struct emitter *em, const struct stmt *s)
{
    if (s->kind == STMT_STORE)
        em->written[s->buffer->id] = true;
    for (int i = 0; i < s->nbody; i++)
        find_written(em, s->body[i]);
}

static void emitter_open(struct emitter *em, struct build *b)
{
    LLVMContextRef cx = b->context;
    *em = (struct emitter){.context = cx,
                           .module = b->module,
                           .machine = &b->codegen->machine,
                           .nest = b->nest,
                           .arena = b->arena,
                           .emit_stmt = emit_stmt,
                           .lanes = {.count = 1, .width = 1, .atom = -1}};
    em->builder = LLVMCreateBuilderInContext(cx);
    em->addresses = LLVMCreateBuilderInContext(cx);
    em->pointer = LLVMPointerTypeInContext(cx, 0);
    em->i64 = LLVMInt64TypeInContext(cx);
    em->i32 = LLVMInt32TypeInContext(cx);
    em->i1 = LLVMInt1TypeInContext(cx);
    em->f32 = LLVMFloatTypeInContext(cx);
    em->f64 = LLVMDoubleTypeInContext(cx);
    em->versions = ARENA_ARRAY(b->arena, uint64_t, b->nest->nbuffers + 1);
    em->written = ARENA_ARRAY(b->arena, bool, b->nest->nbuffers + 1);
    find_written(em, b->nest->root);
    em->zeros = constant_global(b, "zeros", LLVMConstNull(LLVMArrayType2(em->i64, 64)));
}

static void emitter_close(struct emitter *em)
{
    LLVMDisposeBuilder(em->builder);
    LLVMDisposeBuilder(em->addresses);
}

static bool emit_fast(struct build *b, struct err *err)
{
    struct emitter *em = ARENA_NEW(b->arena, struct emitter);
    emitter_open(em, b);
    em->nest = tile_rewrite(em);
    emit_kernel(em, loop_plan(em));
    finish_scratch(b, em->shared_bytes, em->thread_bytes);
    processor_set_widths(&b->codegen->processor, b->module);
    emitter_close(em);
    return !em->failed || err_set(err, "%s", em->message);
}

static bool emit_tvm(struct build *b, struct err *err)
{
    struct tvm_emitter *em = ARENA_NEW(b->arena, struct tvm_emitter);
    tvm_emitter_open(em, b->module, b->nest, b->arena);
    em->llvm = codegen_llvm(b->codegen);
    tvm_kernel(em);
    finish_scratch(b, em->shared_bytes, em->thread_bytes);
    processor_set_scalable(&b->codegen->processor, b->module);
    tvm_emitter_close(em);
    return !em->failed || err_set(err, "%s", em->message);
}

static bool emit_nest(struct build *b, struct err *err)
{
    constant_global(b, "own_bytes", bytes_value(b, 0));
    if (!(b->codegen->mode == CODEGEN_TVM ? emit_tvm : emit_fast)(b, err))
        return false;
#ifndef NDEBUG
    char *message = NULL;
    if (LLVMVerifyModule(b->module, LLVMReturnStatusAction, &message))
        err_set(err, "the emitted module is broken: %s", message);
    bool broken = message && message[0];
    LLVMDisposeMessage(message);
    return !broken;
#else
    return true;
#endif
}

static bool run_passes(struct build *b, struct err *err)
{
    const char *asked = getenv("RAINGAUGE_PASSES");
    const char *passes = asked ? asked : b->codegen->mode == CODEGEN_TVM ? LLVM19_PASSES : FAST_PASSES;
    LLVMPassBuilderOptionsRef o = LLVMCreatePassBuilderOptions();
    LLVMPassBuilderOptionsSetLoopVectorization(o, true);
    LLVMPassBuilderOptionsSetLoopInterleaving(o, true);
    LLVMPassBuilderOptionsSetSLPVectorization(o, true);
    use_strength_reduction(b->codegen->mode == CODEGEN_TVM);
    LLVMErrorRef e = LLVMRunPasses(b->module, passes, b->codegen->tm, o);
    LLVMDisposePassBuilderOptions(o);
    if (!e)
        return true;
    char *message = LLVMGetErrorMessage(e);
    err_set(err, "LLVM: %s", message);
    LLVMDisposeErrorMessage(message);
    return false;
}

static bool compile_older(const struct build *b, enum tvm_llvm_output form, struct text *out, struct err *err)
{
    char *ir = LLVMPrintModuleToString(b->module);
    bool fine = tvm_llvm_compile(b->codegen->older, ir, form, out, err);
    LLVMDisposeMessage(ir);
    return fine;
}

static bool compile(void *build, struct text *out, struct err *err)
{
    struct build *b = build;
    LLVMMemoryBufferRef object;
    if (b->codegen->older)
        return compile_older(b, TVM_LLVM_OBJECT, out, err);
    if (!run_passes(b, err) || !emit_memory(b->codegen, b->module, LLVMObjectFile, &object, err))
        return false;
    text_addn(out, LLVMGetBufferStart(object), LLVMGetBufferSize(object));
    LLVMDisposeMemoryBuffer(object);
    return true;
}

/* Takes the emitted module's object from those that are kept, or makes and keeps it. */
static bool find_or_compile(struct build *b, struct text *out, double *cached_s, struct err *err)
{
    struct text from = {0};
    if (b->codegen->objects) {
        char *ir = LLVMPrintModuleToString(b->module);
        text_add(&from, text_str(&b->codegen->maker));
        text_add(&from, ir);
        LLVMDisposeMessage(ir);
    }
    bool fine = file_cache_find_or_make(b->codegen->objects, &from, compile, b, out, cached_s, err);
    text_free(&from);
    return fine;
}

bool codegen_object(struct codegen *c, const struct nest *n, struct codegen_made *out, struct err *err)
{
    struct build b;
    struct text object = {0};
    volatile bool fine = false;
    *out = (struct codegen_made){0};
    build_open(&b, c, n);
    if (setjmp(fatal_exit)) {
        fatal_armed = false; /* the context is lost with whatever LLVM held; workers that see this are replaced */
        return err_set(err, "LLVM: %s", fatal_reason);
    }
    fatal_armed = true;
    fine = emit_nest(&b, err) && find_or_compile(&b, &object, &out->cached_s, err);
    fatal_armed = false;
    out->bytes = object.s;
    out->n = object.len;
    out->scratch = b.scratch;
    build_close(&b);
    if (!fine)
        text_free(&object);
    return fine;
}

static void print_module(const struct build *b, struct text *out)
{
    char *s = LLVMPrintModuleToString(b->module);
    text_add(out, s);
    LLVMDisposeMessage(s);
}

/* With codegen=tvm the nest is emitted as it is. */
static void print_tiled(struct build *b, struct text *out)
{
    struct emitter *em = ARENA_NEW(b->arena, struct emitter);
    emitter_open(em, b);
    nest_print(b->codegen->mode == CODEGEN_TVM ? b->nest : tile_rewrite(em), out);
    emitter_close(em);
}

static bool text_of(struct build *b, enum codegen_stage stage, struct text *out, struct err *err)
{
    LLVMMemoryBufferRef text;
    if (stage == CODEGEN_TILED) {
        print_tiled(b, out);
        return true;
    }
    if (!emit_nest(b, err))
        return false;
    if (stage == CODEGEN_EMITTED) {
        print_module(b, out);
        return true;
    }
    if (b->codegen->older)
        return compile_older(b, stage == CODEGEN_OPTIMISED ? TVM_LLVM_IR : TVM_LLVM_ASSEMBLY, out, err);
    if (!run_passes(b, err))
        return false;
    if (stage == CODEGEN_OPTIMISED) {
        print_module(b, out);
        return true;
    }
    if (!emit_memory(b->codegen, b->module, LLVMAssemblyFile, &text, err))
        return false;
    text_addn(out, LLVMGetBufferStart(text), LLVMGetBufferSize(text));
    LLVMDisposeMemoryBuffer(text);
    return true;
}

bool codegen_text(struct codegen *c, const struct nest *n, enum codegen_stage stage, struct text *out,
                  struct kernel_scratch *scratch, struct err *err)
{
    struct build b;
    build_open(&b, c, n);
    bool fine = text_of(&b, stage, out, err);
    if (scratch)
        *scratch = b.scratch;
    build_close(&b);
    return fine;
}

bool codegen_assemble(struct codegen *c, const char *ir, struct text *out, struct err *err)
{
    LLVMContextRef cx;
    LLVMModuleRef m;
    LLVMMemoryBufferRef object;
    if (c->older)
        return tvm_llvm_compile(c->older, ir, TVM_LLVM_ASSEMBLED, out, err);
    cx = LLVMContextCreate();
    bool fine = llvm_read(cx, ir, &m, err);
    if (fine && (fine = emit_memory(c, m, LLVMObjectFile, &object, err))) {
        text_addn(out, LLVMGetBufferStart(object), LLVMGetBufferSize(object));
        LLVMDisposeMemoryBuffer(object);
    }
    LLVMContextDispose(cx); /* with the module */
    return fine;
}
