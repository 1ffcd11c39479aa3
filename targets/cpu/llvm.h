/* SPDX-License-Identifier: Apache-2.0 */
/* llvm: LLVM's C interface, from a shared library that is loaded when it is first needed. Most verbs compile nothing,
 * and the library takes some 48 MiB and 10 ms before its first function is called. So the program is not linked with
 * it: each LLVMxyz() of this room calls through a pointer that llvm_load fills. The build finds the functions that are
 * used (llvm_functions.sh). Include this instead of <llvm-c/...>. */
#pragma once
#include "harness/base/err.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/ErrorHandling.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "llvm_functions.h"

extern struct llvm_functions llvm_functions;

/* Loads the library and makes this machine's processor and AArch64 known to it; a second call does nothing. */
MUST_CHECK bool llvm_load(struct err *err);
/* A module that is given as text, in cx. */
MUST_CHECK bool llvm_read(LLVMContextRef cx, const char *ir, LLVMModuleRef *out, struct err *err);
