/* SPDX-License-Identifier: Apache-2.0 */
/* object: an object file of LLVM's into the memory of the emulated program, ready to be called. */
#pragma once
#include <stddef.h>

typedef void emulated_kernel(void *const *args, char *shared, char *threads_scratch);

/* Replaces the object that was linked before. NULL, and a reason in text of n bytes: it is none for AArch64, is too
 * large, calls what is not there, or has a relocation that LLVM does not use for such code. */
emulated_kernel *object_link(char *file, size_t bytes, char *text, size_t n);
