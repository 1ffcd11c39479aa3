/* SPDX-License-Identifier: Apache-2.0 */
/* emulator: runs AArch64 objects on this machine: qemu's user mode (`qemu-aarch64 -cpu a64fx`) runs a small program
 * that is inside of this one (targets/a64fx/program), and both talk through a socket. What kernels compute is found out
 * so; how long they take there says nothing about any processor. */
#pragma once
#include "harness/base/err.h"
#include "targets/cpu/codegen.h"

struct emulator;
/* Starts one; it ends with the thread that called this. Error: the program was not built in (no cross compiler), no
 * qemu in PATH, or one without vectors of 512 bits. */
MUST_CHECK bool emulator_open(struct emulator **out, struct err *err);
void emulator_close(struct emulator *e);

/* One kernel at a time: a later one replaces it. Error: it cannot be linked, or the emulator has ended. */
MUST_CHECK bool emulator_load(struct emulator *e, const void *object, size_t n, const struct kernel_scratch *k,
                              int threads, struct err *err);
struct emulated_call {
    void *const *args;        /* output last */
    const int64_t *arg_bytes; /* of each */
    int nargs, number;        /* number calls, one after the other */
};
/* The output's bytes are replaced by what the kernel made of them. Error: wrote beside the output, or the emulator has
 * ended: by whatever ends a process whose kernel touches what it may not. */
MUST_CHECK bool emulator_run(struct emulator *e, const struct emulated_call *c, struct err *err);
bool emulator_runs(const struct emulator *e);
/* The signal that ended it; 0: it runs, or ended by itself. */
int emulator_signal(const struct emulator *e);
