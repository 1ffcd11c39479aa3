/* SPDX-License-Identifier: Apache-2.0 */
/* worker_main: the child from its fork to its service. */
#pragma once
#include "harness/measure/worker.h"

/* Never returns. fd: the socket to the parent; log: where standard error goes. */
_Noreturn void worker_main(const struct worker_setup *setup, enum worker_kind kind, int fd, int log);
