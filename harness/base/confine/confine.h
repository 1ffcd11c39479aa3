/* SPDX-License-Identifier: Apache-2.0 */
/* confine: what a runner may ask of the system once its target is open, and a user's program from its start. Kernels
 * compute; they need memory, threads, clocks and counters. Two lists say what else there is:
 *
 *   ends the runner (SIGSYS, with the call's name in its log): processes (fork, exec), other processes' memory and
 *   signals, what would undo the limits (prctl, ptrace, seccomp, namespaces, mounts), the system's clock.
 *   fails with EPERM, since libraries try such things by themselves: sockets, new or changed files, priorities, limits.
 *
 * Files are opened for writing below /dev only, where the system can see to that (confine_files.h).
 * A seccomp filter does the rest (Linux manual, seccomp(2)). It has no effect on what it allows: the filter that slows
 * speculation down is declined (SECCOMP_FILTER_FLAG_SPEC_ALLOW), and the system caches the answers. */
#pragma once
#include <stdbool.h>

/* Not called for targets that say loads_freely (harness/plug/target.h). For this process, all its threads, and for
 * ever. False where the system cannot, or the environment says RAINGAUGE_CONFINE=off: what a kernel leaves behind is
 * then found and killed afterwards (descendants.h). */
bool confine_process(void);
/* The same for a process that becomes another program (exec), as searcher exec starts one: it may start processes, and
 * what ends a runner fails with EPERM, as a program tries more by itself. Only system calls are made. */
bool confine_program(void);
