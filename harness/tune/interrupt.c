/* SPDX-License-Identifier: Apache-2.0 */
/* interrupt: the handler only sets a flag; the loop looks at it after every trial. On the second signal the default
 * action is already back in place, so the process dies at once: records are transactions, so nothing recorded is lost
 * by that.
 */
#include "harness/tune/interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile sig_atomic_t asked;
static const int SIGNALS[] = {SIGINT, SIGTERM, SIGHUP};
enum { NSIGNALS = sizeof SIGNALS / sizeof *SIGNALS };
static struct sigaction before[NSIGNALS];

static void on_signal(int number)
{
    static const char said[] = "\nstopping after the trial in flight; once more to stop at once\n";
    asked = 1;
    if (write(STDERR_FILENO, said, sizeof said - 1) < 0) {
        /* nobody to tell */
    }
    signal(number, SIG_DFL);
}

void interrupt_install(void)
{
    struct sigaction act = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigemptyset(&act.sa_mask);
    asked = 0;
    for (int i = 0; i < NSIGNALS; i++) {
        sigaction(SIGNALS[i], NULL, &before[i]);
        if (SIGNALS[i] != SIGHUP || before[i].sa_handler != SIG_IGN) /* as nohup has it */
            sigaction(SIGNALS[i], &act, NULL);
    }
}

void interrupt_restore(void)
{
    for (int i = 0; i < NSIGNALS; i++)
        sigaction(SIGNALS[i], &before[i], NULL);
}

bool interrupt_asked(void)
{
    return asked != 0;
}

bool interrupt_not_asked(struct err *err, const char *where)
{
    if (!interrupt_asked())
        return true;
    err_set(err, "interrupted %s", where);
    err->code = EXIT_INTERRUPTED;
    return false;
}
