/* SPDX-License-Identifier: Apache-2.0 */
/* install: two commands for a POSIX shell. The first looks, the second takes a tar file from its standard input into a
 * folder of its own, checks it, and puts it in place. They need sh, tar, sha256sum (coreutils or busybox). */
#include "harness/measure/remote/install.h"

#include "harness/base/digest.h"
#include "harness/base/file.h"
#include "harness/base/log.h"
#include "harness/measure/remote/identity.h"
#include "harness/measure/remote/ssh.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#define PROGRAM_MOST ((size_t)512 << 20)

/* $d: where bundles are kept; $p: this one. */
static const char WHERE[] = "d=%s; [ -n \"$d\" ] || d=${XDG_CACHE_HOME:-$HOME/.cache}/raingauge; p=$d/%s; ";
static const char CHECK[] = "{ echo '%s  SHA256SUMS' | sha256sum -c - && sha256sum -c SHA256SUMS; } >/dev/null 2>&1";
static const char LOOK[] = "if cd \"$p\" 2>/dev/null && %s; then echo \"$p\"; else echo absent; fi";
static const char TAKE[] = "t=$p.$$; trap 'rm -rf \"$t\"' EXIT; mkdir -p \"$t\" || exit; "
                           "m=$(tar -xf - -C \"$t\" 2>&1) || { "
                           "f=$(df -Pk \"$d\" | awk 'END { print $4 }'); echo \"$m\" | head -n 1 | "
                           "sed \"s/$/ ($f KiB are free there)/\" >&2; exit 1; }; "
                           "cd \"$t\" && { %s || { echo 'what arrived is damaged' >&2; exit 1; }; } && "
                           "rm -rf \"$p\" && mv \"$t\" \"$p\" && trap - EXIT";

static const char *program_folder(struct arena *a)
{
    char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    path[n > 0 ? n : 0] = 0;
    char *slash = strrchr(path, '/');
    if (!slash)
        return ".";
    *slash = 0;
    return arena_str(a, path);
}

/* The folder that is copied: the named one, else what is beside this program. */
static bool find_bundle(struct arena *a, const char *named, const char **folder, struct err *err)
{
    const char *here = program_folder(a);
    const char *places[] = {arena_printf(a, "%s/bundle", here), arena_printf(a, "%s/bundle-gpu", here),
                            arena_printf(a, "%s/..", here)};
    *folder = *named ? named : NULL;
    for (size_t i = 0; i < sizeof places / sizeof *places && !*folder; i++)
        if (file_exists(file_join(a, places[i], "SHA256SUMS")))
            *folder = places[i];
    if (!*folder)
        return err_set(err, "there is no bundle at '%s': `make bundle` makes it", places[0]);
    return file_exists(file_join(a, *folder, "SHA256SUMS")) ||
           err_set(err, "'%s' is no bundle (it has no SHA256SUMS): `make bundle` makes one", *folder);
}

/* The program in the bundle bears this program's build ID. */
static bool same_build(struct arena *a, const char *folder, struct err *err)
{
    unsigned char id[IDENTITY_BUILD_BYTES];
    size_t n = identity_build(id), bytes;
    char *program;
    const char *path = file_join(a, folder, "bin/raingauge");
    if (!file_read(a, path, PROGRAM_MOST, &program, &bytes, err))
        return false;
    return !n || memmem(program, bytes, id, n) ||
           err_set(err, "the bundle '%s' holds another build of raingauge than this: `make bundle` again", folder);
}

bool install_bundle(struct arena *a, const char *named, const char **folder, struct err *err)
{
    return find_bundle(a, named, folder, err) && same_build(a, *folder, err);
}

/* A word in quotes for a POSIX shell. */
static const char *quoted(struct arena *a, const char *word)
{
    struct text t = {0};
    text_shell(&t, word);
    return text_keep(&t, a);
}

/* `exec sh -c SCRIPT`, as the login shell may be another: to take the bundle with this digest, or to look for it. */
static const char *shell_command(struct arena *a, const struct remote_host *h, const char *digest, bool take)
{
    const char *where = arena_printf(a, WHERE, quoted(a, h->folder), digest);
    const char *script = arena_printf(a, take ? TAKE : LOOK, arena_printf(a, CHECK, digest));
    return arena_printf(a, "exec sh -c %s", quoted(a, arena_printf(a, "%s%s", where, script)));
}

bool install_send(const struct remote_host *h, const char *const *tar, const char *command, struct err *err)
{
    struct ssh_command take = {.command = command, .compressed = true};
    struct process p;
    struct err why = {0};
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return err_set(err, "cannot make a pipe: %s", strerror(errno));
    take.input = ends[0];
    bool started = process_start(&(struct process_spec){.argv = tar, .out = ends[1], .err = STDERR_FILENO}, &p, err);
    close(ends[1]);
    bool fine = started && ssh_run(h, &take, err);
    close(ends[0]);
    if (!started)
        return false;
    process_wait(&p, INFINITY); /* it ends at once: nobody reads any more */
    if (!process_fine(&p, &why) && (fine || p.state == PROCESS_EXITED))
        fine = fine ? err_set(err, "%s", why.text) : err_context(err, "%s", why.text);
    return fine;
}

static bool copy(struct arena *a, const struct remote_host *h, const char *folder, const char *digest, struct err *err)
{
    const char *const tar[] = {"tar", "-C", folder, "-cf", "-", "--owner=0", "--group=0", ".", NULL};
    return install_send(h, tar, shell_command(a, h, digest, true), err) ||
           err_context(err, "the program could not be copied to '%s'", h->name);
}

/* The last line of what was printed: a login shell may say something before. */
static const char *last_printed(struct arena *a, const struct text *t)
{
    char *all = arena_str(a, text_str(t));
    size_t n = strlen(all);
    while (n && all[n - 1] == '\n')
        all[--n] = 0;
    const char *line = strrchr(all, '\n');
    return line ? line + 1 : all;
}

/* *place: the folder there, NULL: it is not there, or damaged. */
static bool look(struct arena *a, const struct remote_host *h, const char *digest, const char **place, struct err *err)
{
    struct text printed = {0};
    struct ssh_command c = {.command = shell_command(a, h, digest, false), .printed = &printed};
    bool fine = ssh_run(h, &c, err) || err_context(err, "'%s'", h->name);
    const char *line = last_printed(a, &printed);
    *place = fine && str_ends(line, digest) ? line : NULL;
    if (fine && !*place && !str_eq(line, "absent"))
        fine = err_set(err, "'%s' has no shell that raingauge can talk to: it answered '%.60s'", h->name, line);
    text_free(&printed);
    return fine;
}

bool install(struct arena *a, const struct remote_host *h, struct installed *out, struct err *err)
{
    const char *folder, *place;
    char *sums, digest[65];
    size_t n;
    if (!install_bundle(a, h->bundle, &folder, err) ||
        !file_read(a, file_join(a, folder, "SHA256SUMS"), 0, &sums, &n, err))
        return false;
    digest_sha256(sums, n, digest);
    if (!look(a, h, digest, &place, err))
        return false;
    if (!place) {
        log_info("copying the program to '%s'", h->name);
        if (!copy(a, h, folder, digest, err) || !look(a, h, digest, &place, err))
            return false;
        if (!place)
            return err_set(err, "the program on '%s' is damaged though it was copied just now", h->name);
    }
    out->run = quoted(a, file_join(a, place, "run"));
    out->lock = quoted(a, file_join(a, place, "../lock"));
    out->folder = quoted(a, file_join(a, place, ".."));
    return true;
}
