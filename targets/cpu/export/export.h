/* SPDX-License-Identifier: Apache-2.0 */
/* export: a program as code that needs nothing of raingauge: one function that takes the tensors and a workspace. */
#pragma once
#include "targets/cpu/codegen.h"

extern const char *const export_forms[]; /* "c", "llvm", "object" */

/* threads: that a parallel loop is cut for. symbol: what the function is called; in C it is static and called
 * raingauge_kernel(char *args, char *workspace, char *threads_workspace), for the caller to put behind a function with
 * the types of the tensors. The parts of the workspace: *scratch, thread_bytes for each thread. */
struct export_request {
    const char *form, *symbol;
    int threads;
};
MUST_CHECK bool export_code(struct codegen *c, const struct nest *n, const struct export_request *r, struct text *out,
                            struct kernel_scratch *scratch, struct err *err);
