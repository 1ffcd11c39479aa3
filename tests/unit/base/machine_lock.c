/* SPDX-License-Identifier: Apache-2.0 */
/* machine_lock: who holds the processors is refused to others by name and process, also while it cannot clean up; the
 * one that waits has them next. The holders are processes of their own. */
#include "harness/base/machine_lock.h"
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* A process that takes the lock, says so with a byte, and holds it until it is killed. */
static pid_t holder(const char *who, bool wait, int *said)
{
    int ends[2];
    struct err err = {0};
    fixture_must(pipe(ends) == 0 || err_set(&err, "no pipe"), &err);
    pid_t child = fork();
    if (child == 0) {
        if (!machine_lock(who, wait, &err) || write(ends[1], "x", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    close(ends[1]);
    *said = ends[0];
    return child;
}

static bool has_said(int fd)
{
    char byte;
    return read(fd, &byte, 1) == 1;
}

static void end(pid_t child, int said)
{
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    close(said);
}

int main(void)
{
    struct err err = {0};
    const char *path = fixture_path("lock");
    int first_said, second_said;
    setenv("RAINGAUGE_LOCK", path, 1);
    pid_t first = holder("first", false, &first_said);
    ok(has_said(first_said), "a free machine is locked");
    ok(!machine_lock("other", false, &err) && err.code == EXIT_ENVIRONMENT, "a machine in use is refused");
    ok(strstr(err.text, "'first' (since 2") && strstr(err.text, arena_printf(arena, "process %d,", (int)first)),
       "the refusal names campaign, date and process: %s", err.text);
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int fd = open(path, O_RDWR);
    ok(fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type == F_WRLCK && lock.l_pid == first, "the system knows its holder");
    close(fd);
    pid_t second = holder("second", true, &second_said);
    end(first, first_said);
    ok(has_said(second_said), "one that waits has the machine when the holder was killed");
    ok(!machine_lock("other", false, &err) && strstr(err.text, "'second'"),
       "the holder that waited is named from then on: %s", err.text);
    end(second, second_said);
    setenv("RAINGAUGE_LOCK", "off", 1);
    ok(machine_lock("other", false, &err), "off locks nothing");
    setenv("RAINGAUGE_LOCK", path, 1);
    ok(machine_lock("other", false, &err) && !*err.text, "a holder that was killed leaves no lock");
    setenv("RAINGAUGE_LOCK", fixture_path("no/such/folder"), 1);
    ok(machine_lock("other", false, &err), "where no file can be written a run goes on");
    return done_testing();
}
