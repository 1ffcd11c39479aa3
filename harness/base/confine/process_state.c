/* SPDX-License-Identifier: Apache-2.0 */
/* process_state: some forty system calls, outside of any timed span. */
#include "harness/base/confine/process_state.h"

#include "harness/base/confine/descendants.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static uint32_t arithmetic_now(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_stmxcsr() & ~0x3fU; /* without the flags of what has happened */
#elif defined(__aarch64__)
    uint64_t v;
    __asm__ volatile("mrs %0, fpcr" : "=r"(v));
    return (uint32_t)v;
#else
    return 0;
#endif
}

static void arithmetic_set(uint32_t v)
{
#if defined(__x86_64__)
    __builtin_ia32_ldmxcsr(v);
#elif defined(__aarch64__)
    uint64_t wide = v;
    __asm__ volatile("msr fpcr, %0" ::"r"(wide));
#else
    (void)v;
#endif
}

void process_state_take(struct process_state *s, int descriptor)
{
    memset(s, 0, sizeof *s);
    for (int i = 1; i < PROCESS_SIGNALS; i++)
        sigaction(i, NULL, &s->handlers[i]);
    s->arithmetic = arithmetic_now();
    s->niceness = getpriority(PRIO_PROCESS, 0);
    s->descriptor = descriptor;
    s->has_children = descendants_exist();
}

static bool handler_changed(const struct process_state *s, int i)
{
    struct sigaction now;
    if (sigaction(i, NULL, &now) || now.sa_sigaction == s->handlers[i].sa_sigaction)
        return false;
    sigaction(i, &s->handlers[i], NULL);
    return true;
}

bool process_state_changed(const struct process_state *s, char *what, size_t n)
{
    const int watched[] = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO, s->descriptor};
    bool changed = false;
    if (arithmetic_now() != s->arithmetic) {
        arithmetic_set(s->arithmetic);
        snprintf(what, n, "changed the arithmetic's rounding or denormals");
        changed = true;
    }
    for (int i = 1; i < PROCESS_SIGNALS; i++)
        if (handler_changed(s, i)) {
            snprintf(what, n, "changed the handler of signal %d (SIG%s)", i, sigabbrev_np(i));
            changed = true;
        }
    for (int i = 0; i < 4; i++)
        if (fcntl(watched[i], F_GETFD) < 0) {
            snprintf(what, n, "closed descriptor %d, which is not its own", watched[i]);
            changed = true;
        }
    if (getpriority(PRIO_PROCESS, 0) != s->niceness) {
        snprintf(what, n, "changed its process's priority");
        changed = true;
    }
    if (!s->has_children && descendants_exist()) {
        snprintf(what, n, "made a process");
        changed = true;
    }
    return changed;
}
