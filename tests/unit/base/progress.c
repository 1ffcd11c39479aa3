/* SPDX-License-Identifier: Apache-2.0 */
/* progress: what a terminal shows of work that turns out to be less than was expected. */
#include "harness/base/clock.h"
#include "harness/base/log.h"
#include "tests/lib/tap.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DRAWN_S 0.15 /* a terminal's line is drawn ten times a second at most */
#define KNOWN_S 1.1  /* after a second it says how much time is left */

int main(void)
{
    char shown[4096] = "";
    int host = posix_openpt(O_RDWR | O_NOCTTY), kept = dup(STDERR_FILENO);
    int terminal = host >= 0 && grantpt(host) == 0 && unlockpt(host) == 0 ? open(ptsname(host), O_RDWR | O_NOCTTY) : -1;
    if (terminal < 0 || kept < 0)
        skip_all("no terminal can be made here");
    setenv("TERM", "vt100", 1);
    dup2(terminal, STDERR_FILENO);
    progress_begin("trials", 1000);
    progress_at(0, "begun");
    clock_sleep(KNOWN_S);
    progress_at(100, "a tenth");
    progress_total(200);
    clock_sleep(DRAWN_S);
    progress_at(101, "half");
    progress_total(50);
    clock_sleep(DRAWN_S);
    progress_at(102, "more");
    dup2(kept, STDERR_FILENO);
    progress_end();
    close(terminal);
    size_t n = 0;
    for (ssize_t more = 1; more > 0 && n < sizeof shown - 1; n += more > 0 ? (size_t)more : 0)
        more = read(host, shown + n, sizeof shown - 1 - n);
    ok(strstr(shown, " 10% 100/1000, ") && !strstr(shown, "100/1000, ? left"), "a tenth is told, and the time left");
    ok(strstr(shown, " 50% 101/200, "), "when there is less to do, the same is a larger share");
    ok(strstr(shown, "100% 102/50, 0 s left"), "what goes on beyond the end has no time left");
    return done_testing();
}
