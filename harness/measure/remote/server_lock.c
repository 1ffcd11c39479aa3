/* SPDX-License-Identifier: Apache-2.0 */
/* server_lock: a record lock (fcntl(2)), which the system takes back however its holder ends. The file names the
 * holder's campaign. */
#include "harness/measure/remote/server_lock.h"

#include "harness/base/clock.h"
#include "harness/base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define WAIT_SECONDS 20.0
enum { CAMPAIGN_MOST = 128 };

static bool take(int fd, pid_t *holder)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    *holder = 0;
    if (fcntl(fd, F_SETLK, &lock) == 0)
        return true;
    lock = (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK)
        *holder = lock.l_pid;
    return false;
}

static bool is_of(int fd, const char *campaign)
{
    char named[CAMPAIGN_MOST] = "";
    return *campaign && pread(fd, named, sizeof named - 1, 0) > 0 && str_eq(named, campaign);
}

bool server_lock(const char *file, const char *campaign, struct err *err)
{
    double until = clock_now() + WAIT_SECONDS;
    pid_t holder = 0;
    int fd = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return err_set(err, "'%s': %s", file, strerror(errno));
    while (!take(fd, &holder)) {
        if (holder > 0 && is_of(fd, campaign))
            kill(holder, SIGTERM);
        if (clock_now() > until) {
            close(fd);
            return err_set(err, "another campaign is being measured on this machine (process %d)", (int)holder);
        }
        clock_sleep(0.1);
    }
    size_t n = strlen(campaign);
    return (ftruncate(fd, 0) == 0 && pwrite(fd, campaign, n, 0) == (ssize_t)n) ||
           err_set(err, "'%s': %s", file, strerror(errno));
}
