/* SPDX-License-Identifier: Apache-2.0 */
/* processor: which processor code is made for, and what LLVM makes of its name. What a processor can do is found in the
 * assembly of a probe, because LLVM's C API cannot be asked what a CPU name means. */
#pragma once
#include "harness/base/err.h"
#include "targets/cpu/codegen_options.h"
#include "targets/cpu/emitter.h"

struct processor {
    char *triple, *cpu, *features;
    bool is_arm;  /* AArch64 */
    int sve_bits; /* of a scalable vector, as LLVM is to assume; 0: nothing */
};

/* LLVM takes a CPU that it does not know for a plain one, and only says so on the standard error. So it is asked in a
 * copy of this process, where `ask` opens a machine: true if nothing was said there, or nobody could be asked. */
MUST_CHECK bool processor_silent(void (*ask)(void *with), void *with);
/* The options' mcpu and arch as names of LLVM, which must be loaded. *p is to be freed whatever comes. Error: not a CPU
 * name, or one that LLVM does not know. */
MUST_CHECK bool processor_find(const struct codegen_options *o, struct processor *p, struct err *err);
void processor_free(struct processor *p);
/* Has the functions of a module use the widest vectors. x86: registers of 512 bits are used where they exist; several
 * CPU definitions would have LLVM avoid them. AArch64: the attribute vscale_range says how long a scalable vector is;
 * then LLVM gives a vector of fixed length such a register, else one or more of 128 bits. */
void processor_set_widths(const struct processor *p, LLVMModuleRef m);
/* Only the second half of that, for code that is TVM's, which sets no widths of x86. */
void processor_set_scalable(const struct processor *p, LLVMModuleRef m);
/* Fills what the assembly of a function of 16 lanes tells: vector_bytes, registers, masks. */
void processor_read(const struct processor *p, const char *assembly, struct codegen_machine *m);
/* A module as text that adds vectors of 16 lanes, and the mark of the widest register in what is made of it. */
const char *processor_probe(const struct processor *p);
const char *processor_mark(const struct processor *p, int vector_bytes);
