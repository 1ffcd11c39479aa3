/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/base/unpack.h"

#include "harness/base/file.h"
#include "harness/base/process.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_packed(FILE *f)
{
    int first = fgetc(f), second = fgetc(f);
    return fseek(f, 0, SEEK_SET) == 0 && first == 0x1f && second == 0x8b;
}

/* gzip -dc from one file to the other; its own words of a damaged file are not shown. */
static bool run_gzip(int from, int to, const char *path, struct err *err)
{
    const char *const argv[] = {"gzip", "-dc", NULL};
    const struct process_spec gzip = {.argv = argv, .in = from, .out = to};
    struct process p;
    if (process_run(&gzip, INFINITY, &p, err))
        return true;
    return p.state == PROCESS_NOT_STARTED ? err_set(err, "%s: gzip does not start: %s", path, strerror(p.code))
                                          : err_set(err, "%s: gzip cannot unpack it: it is damaged or cut short", path);
}

static bool unpack(FILE *packed, const char *path, FILE **out, struct err *err)
{
    int fd = file_unnamed(err);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "w+");
    if (!f)
        return err_context(err, "%s", path);
    bool fine = lseek(fileno(packed), 0, SEEK_SET) == 0 && run_gzip(fileno(packed), fileno(f), path, err);
    if (!fine || fseek(f, 0, SEEK_SET) != 0) {
        fclose(f);
        return fine && err_set(err, "%s: %s", path, strerror(errno));
    }
    *out = f;
    return true;
}

bool unpack_open(const char *path, FILE **out, struct err *err)
{
    struct stat info;
    FILE *f = fopen(path, "re");
    if (!f)
        return err_set(err, "%s: %s", path, strerror(errno));
    bool fine = (fstat(fileno(f), &info) == 0 && S_ISREG(info.st_mode)) || err_set(err, "%s: not a regular file", path);
    *out = f;
    if (fine && !is_packed(f))
        return true;
    fine = fine && unpack(f, path, out, err);
    fclose(f);
    return fine;
}
