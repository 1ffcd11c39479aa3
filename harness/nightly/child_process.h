/* SPDX-License-Identifier: Apache-2.0 */
/* child_process: another program (an older raingauge, as a rule) run to its end, with a deadline. A nightly run judges
 * binaries from outside, as people meet them. */
#pragma once
#include "harness/base/err.h"
#include "harness/base/text.h"

struct child_process {
    char *const *argv;  /* argv[0]: path of the program; ended by NULL */
    double until;       /* clock_now() at which it is interrupted (SIGINT, then SIGKILL 20 s later); INFINITY never */
    struct text output; /* stdout; the caller frees it */
    int status;         /* exit status, 128 + signal when a signal ended it */
    bool late;          /* it was interrupted for the deadline */
};
/* Its stderr is passed on, but not what it says once it is interrupted: how it would go on is not how a night goes on.
 * False: it cannot be started, or this process was interrupted (interrupt_asked: then the child is too). */
MUST_CHECK bool child_process_run(struct child_process *p, struct err *err);
