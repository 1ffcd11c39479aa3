/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/base/machine_lock.h"

#include "harness/base/clock.h"
#include "harness/base/cpus.h"
#include "harness/base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NOTE_BYTES = 160 }; /* of each processor, behind the bytes that are locked */
#define POLL_SECONDS 0.5

/* Files of others in a folder that all may write are opened without O_CREAT only (fs.protected_regular). */
static int open_file(const char *path)
{
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT && (fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666)) >= 0)
        (void)!fchmod(fd, 0666);
    return fd;
}

static bool set(int fd, int cpu, short type)
{
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = cpu, .l_len = 1};
    return fcntl(fd, F_SETLK, &lock) == 0;
}

/* The first processor that somebody has; then none is locked. -1: all are. */
static int taken(int fd)
{
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!cpus_may_use(cpu) || set(fd, cpu, F_WRLCK))
            continue;
        for (int k = 0; k < cpu; k++)
            if (cpus_may_use(k))
                (void)set(fd, k, F_UNLCK);
        return cpu;
    }
    return -1;
}

static bool in_use(int fd, int cpu, struct err *err)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = cpu, .l_len = 1};
    char note[NOTE_BYTES] = "";
    if (fcntl(fd, F_GETLK, &lock) != 0 || lock.l_type == F_UNLCK)
        lock.l_pid = 0;
    if (pread(fd, note, sizeof note - 1, CPU_SETSIZE + (off_t)cpu * NOTE_BYTES) <= 0 || !*note)
        snprintf(note, sizeof note, "a campaign");
    err_set(err,
            "%s is being measured on processor %d by process %d, and two would disturb each other: --wait waits for "
            "it, taskset gives each processors of its own",
            note, cpu, (int)lock.l_pid);
    return err_environment(err);
}

static void put_notes(int fd, const char *who)
{
    char note[NOTE_BYTES] = "", since[32];
    clock_iso(clock_unix(), since);
    snprintf(note, sizeof note, "'%.100s' (since %s)", who, since);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (cpus_may_use(cpu))
            (void)!pwrite(fd, note, sizeof note, CPU_SETSIZE + (off_t)cpu * NOTE_BYTES);
}

bool machine_lock(const char *who, bool wait, struct err *err)
{
    const char *path = getenv("RAINGAUGE_LOCK");
    if (path && strcmp(path, "off") == 0)
        return true;
    if (!path || !*path)
        path = access("/run/lock", W_OK) == 0 ? "/run/lock/raingauge.lock" : "/tmp/raingauge.lock";
    int fd = open_file(path);
    if (fd < 0) {
        log_warn("cannot write '%s': %s: a campaign beside this one will not be noticed", path, strerror(errno));
        return true;
    }
    for (int cpu, said = 0; (cpu = taken(fd)) >= 0; said = 1) {
        if (!in_use(fd, cpu, err) && !wait) {
            close(fd);
            return false;
        }
        if (!said)
            log_info("waiting: %s", err->text);
        clock_sleep(POLL_SECONDS);
    }
    *err = (struct err){0};
    put_notes(fd, who);
    return true;
}
