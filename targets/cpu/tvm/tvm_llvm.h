/* SPDX-License-Identifier: Apache-2.0 */
/* tvm_llvm: an LLVM as old as TVM's. TVM v0.16's wheel has LLVM 17. Of TVM's own IR LLVM 19 makes other loops for every
 * second convolution, LLVM 16 for one of ten (targets/cpu/README.md). So code of codegen=tvm goes, as text, through
 * LLVM 17 or 16 where one of them is installed. It is loaded beside the LLVM that this program is built with. */
#pragma once
#include "harness/base/err.h"
#include "harness/base/text.h"

struct tvm_llvm;
enum tvm_llvm_output {
    TVM_LLVM_OBJECT,
    TVM_LLVM_IR,
    TVM_LLVM_ASSEMBLY,
    TVM_LLVM_ASSEMBLED /* an object of what went through the passes before */
};

struct tvm_llvm_options {
    int version;        /* 17 or 16; 0: the first of them that is installed */
    const char *mcpu;   /* "native" or a CPU name of LLVM */
    int level;          /* LLVM's code generation level, 0..3 */
    const char *triple; /* of the machine that the code is for; NULL: this one's */
};

/* Loads the library that version 0 would take, if there is one, for processes that are forked after it. */
void tvm_llvm_load(void);
/* Puts NULL, and is true, when version is 0 and none is installed. Error: the version asked for is not installed, or
 * knows no such CPU. */
MUST_CHECK bool tvm_llvm_open(const struct tvm_llvm_options *o, struct tvm_llvm **out, struct err *err);
void tvm_llvm_close(struct tvm_llvm *t);
int tvm_llvm_version(const struct tvm_llvm *t);                 /* 17 or 16 */
void tvm_llvm_release(const struct tvm_llvm *t, unsigned v[3]); /* of the library: 16, 0, 6 */

/* ir: a module as text. Adds to out what LLVM's O3 makes of it. */
MUST_CHECK bool tvm_llvm_compile(struct tvm_llvm *t, const char *ir, enum tvm_llvm_output form, struct text *out,
                                 struct err *err);
