/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/base/unpack.h"

#include "harness/base/file.h"
#include "harness/base/process.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct packer {
    const char *program, *first; /* first two bytes of what it packed */
} packers[] = {{"gzip", "\x1f\x8b"}, {"xz", "\xfd\x37"}};

static const struct packer *packer_of(FILE *f)
{
    const struct packer *found = NULL;
    char first[3] = "";
    size_t n = fread(first, 1, 2, f);
    for (size_t i = 0; n == 2 && i < sizeof packers / sizeof *packers; i++)
        found = memcmp(first, packers[i].first, 2) ? found : &packers[i];
    return fseek(f, 0, SEEK_SET) == 0 ? found : NULL;
}

/* PROGRAM -dc from one file to the other; its own words of a damaged file are not shown. */
static bool run_packer(const char *program, int from, int to, const char *path, struct err *err)
{
    const char *const argv[] = {program, "-dc", NULL};
    const struct process_spec unpacks = {.argv = argv, .in = from, .out = to};
    struct process p;
    if (process_run(&unpacks, INFINITY, &p, err))
        return true;
    return p.state == PROCESS_NOT_STARTED
               ? err_set(err, "%s: %s does not start: %s", path, program, strerror(p.code))
               : err_set(err, "%s: %s cannot unpack it: it is damaged or cut short", path, program);
}

static bool unpack(FILE *packed, const char *program, const char *path, FILE **out, struct err *err)
{
    int fd = file_unnamed(err);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "w+");
    if (!f)
        return err_context(err, "%s", path);
    bool fine = lseek(fileno(packed), 0, SEEK_SET) == 0 && run_packer(program, fileno(packed), fileno(f), path, err);
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
    const struct packer *packer = fine ? packer_of(f) : NULL;
    *out = f;
    if (fine && !packer)
        return true;
    fine = fine && unpack(f, packer->program, path, out, err);
    fclose(f);
    return fine;
}
