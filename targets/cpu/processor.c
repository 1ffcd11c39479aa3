/* SPDX-License-Identifier: Apache-2.0 */
/* processor: names, attributes, and the reading of assembly. */
#include "targets/cpu/processor.h"

#include "harness/base/clock.h"
#include "harness/base/process.h"

#include <stdlib.h>
#include <string.h>

static bool known_cpu(const char *name)
{
    return name[0] && strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") == strlen(name);
}

static char *copy_message(char *s)
{
    char *out = strdup(s);
    LLVMDisposeMessage(s);
    return out;
}

/* The A64FX has vectors of 512 bits; of another processor's scalable ones nothing is known here. */
static int scalable_bits(const struct codegen_options *o, const struct processor *p)
{
    bool known = p->is_arm && str_eq(p->cpu, "a64fx");
    bool assumed = o->sve == CODEGEN_SVE_512 || (o->sve == CODEGEN_SVE_USUAL && o->mode == CODEGEN_FAST);
    return known && assumed ? 512 : 0;
}

bool processor_silent(void (*ask)(void *with), void *with)
{
    enum { LONGEST_S = 20 };
    struct process child;
    struct err ignored = {0};
    const struct process_spec spec = {.run = ask, .with = with, .err = PROCESS_CAPTURE};
    bool ended = process_run(&spec, clock_now() + LONGEST_S, &child, &ignored);
    bool silent = !ended || child.err.len == 0;
    process_close(&child);
    return silent;
}

static void open_machine(void *with)
{
    const struct processor *p = with;
    LLVMTargetRef target;
    char *message;
    if (!LLVMGetTargetFromTriple(p->triple, &target, &message))
        (void)LLVMCreateTargetMachine(target, p->triple, p->cpu, p->features, LLVMCodeGenLevelNone, LLVMRelocPIC,
                                      LLVMCodeModelDefault);
}

bool processor_find(const struct codegen_options *o, struct processor *p, struct err *err)
{
    bool native = str_eq(o->mcpu, "native"), generic = str_eq(o->mcpu, "generic");
    *p = (struct processor){.triple = o->arch == CODEGEN_AARCH64 ? strdup("aarch64-unknown-linux-gnu")
                                                                 : copy_message(LLVMGetDefaultTargetTriple())};
    p->is_arm = !strncmp(p->triple, "aarch64", 7);
    p->cpu = native ? copy_message(LLVMGetHostCPUName())
                    : strdup(generic && !strncmp(p->triple, "x86_64", 6) ? "x86-64" : o->mcpu);
    p->features = native ? copy_message(LLVMGetHostCPUFeatures()) : strdup("");
    p->sve_bits = scalable_bits(o, p);
    if (!known_cpu(p->cpu))
        return err_set(err, "no code for CPU '%s': not a CPU name", p->cpu);
    return native || generic || processor_silent(open_machine, p) ||
           err_set(err, "no code for CPU '%s': LLVM %d does not know it for %s", p->cpu, LLVM_VERSION_MAJOR, p->triple);
}

void processor_free(struct processor *p)
{
    free(p->triple);
    free(p->cpu);
    free(p->features);
}

static void set_string_attribute(LLVMContextRef cx, LLVMValueRef f, const char *name, const char *value)
{
    LLVMAttributeRef a = LLVMCreateStringAttribute(cx, name, (unsigned)strlen(name), value, (unsigned)strlen(value));
    LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, a);
}

void processor_set_scalable(const struct processor *p, LLVMModuleRef m)
{
    LLVMContextRef cx = LLVMGetModuleContext(m);
    uint64_t units = (uint64_t)(p->sve_bits / 128); /* least and most, in one number */
    unsigned kind = LLVMGetEnumAttributeKindForName("vscale_range", strlen("vscale_range"));
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f && units; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f))
            LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                    LLVMCreateEnumAttribute(cx, kind, units << 32 | units));
}

void processor_set_widths(const struct processor *p, LLVMModuleRef m)
{
    LLVMContextRef cx = LLVMGetModuleContext(m);
    processor_set_scalable(p, m);
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f && !p->is_arm; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f))
            continue;
        set_string_attribute(cx, f, "prefer-vector-width", "512");
        set_string_attribute(cx, f, "min-legal-vector-width", "512");
    }
}

void processor_read(const struct processor *p, const char *s, struct codegen_machine *m)
{
    m->masks = p->is_arm ? strstr(s, "z0.s") != NULL : strstr(s, "%zmm") != NULL;
    m->vector_bytes = m->masks ? 64 : strstr(s, "%ymm") ? 32 : 16;
    m->registers = m->masks || p->is_arm ? 32 : 16;
}

#define PROBE(attributes)                                                                                              \
    "define void @probe(ptr %p) " attributes " {\n"                                                                    \
    "  %v = load <16 x float>, ptr %p\n  %s = fadd <16 x float> %v, %v\n"                                              \
    "  store <16 x float> %s, ptr %p\n  ret void\n}\n"

const char *processor_probe(const struct processor *p)
{
    return !p->is_arm    ? PROBE("\"prefer-vector-width\"=\"512\" \"min-legal-vector-width\"=\"512\"")
           : p->sve_bits ? PROBE("vscale_range(4,4)")
                         : PROBE("");
}

const char *processor_mark(const struct processor *p, int vector_bytes)
{
    return vector_bytes == 64 ? p->is_arm ? "z0.s" : "%zmm" : vector_bytes == 32 ? "%ymm" : "";
}
