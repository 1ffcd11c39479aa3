/* SPDX-License-Identifier: Apache-2.0 */
/* process_state: what a kernel may not change in the process that it runs in, since the next kernel would meet it:
 * signal handlers, the arithmetic's modes (rounding, denormals as zero), the priority, open descriptors. */
#pragma once
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PROCESS_SIGNALS = 32 };
struct process_state {
    struct sigaction handlers[PROCESS_SIGNALS];
    uint32_t arithmetic; /* control bits of the calling thread */
    int niceness, descriptor;
    bool has_children; /* of the target, or of a library that it opened */
};
/* descriptor: watched beside 0 to 2. */
void process_state_take(struct process_state *s, int descriptor);
/* True: something differs, and what says it. Handlers and modes are as before when it returns. */
bool process_state_changed(const struct process_state *s, char *what, size_t n);
