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
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

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

bool install_bundle(struct arena *a, const struct remote_host *h, const char **folder, struct err *err)
{
    const char *here = program_folder(a);
    const char *places[] = {arena_printf(a, "%s/bundle", here), arena_printf(a, "%s/bundle-gpu", here),
                            arena_printf(a, "%s/..", here)};
    *folder = *h->bundle ? h->bundle : NULL;
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

/* Adds `where; check` for the bundle with this digest. */
static void add_where(struct text *t, const struct remote_host *h, const char *digest)
{
    struct text folder = {0};
    ssh_quote(&folder, h->folder);
    text_printf(t, WHERE, text_str(&folder), digest);
    text_free(&folder);
}

/* `exec sh -c SCRIPT`: the login shell may be another. */
static const char *as_command(struct arena *a, const struct text *script)
{
    struct text t = {0};
    text_add(&t, "exec sh -c ");
    ssh_quote(&t, text_str(script));
    const char *command = arena_str(a, text_str(&t));
    text_free(&t);
    return command;
}

static const char *look_command(struct arena *a, const struct remote_host *h, const char *digest)
{
    struct text t = {0};
    add_where(&t, h, digest);
    text_printf(&t, LOOK, arena_printf(a, CHECK, digest));
    const char *command = as_command(a, &t);
    text_free(&t);
    return command;
}

static const char *take_command(struct arena *a, const struct remote_host *h, const char *digest)
{
    struct text t = {0};
    add_where(&t, h, digest);
    text_printf(&t, TAKE, arena_printf(a, CHECK, digest));
    const char *command = as_command(a, &t);
    text_free(&t);
    return command;
}

/* Starts `tar` of the folder; *from is where it can be read. */
static bool pack(const char *folder, int *from, pid_t *pid, struct err *err)
{
    int ends[2];
    char *argv[] = {"tar", "-C", strdup(folder), "-cf", "-", "--owner=0", "--group=0", ".", NULL};
    if (pipe2(ends, O_CLOEXEC) != 0) {
        free(argv[2]);
        return err_set(err, "cannot make a pipe: %s", strerror(errno));
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    int why = posix_spawnp(pid, "tar", &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    free(argv[2]);
    close(ends[1]);
    *from = ends[0];
    if (!why)
        return true;
    close(ends[0]);
    return err_set(err, "cannot start tar: %s", strerror(why));
}

static bool copy(struct arena *a, const struct remote_host *h, const char *folder, const char *digest, struct err *err)
{
    struct ssh_command c = {.command = take_command(a, h, digest), .output = -1, .compressed = true};
    pid_t tar = -1;
    if (!pack(folder, &c.input, &tar, err))
        return false;
    bool fine = ssh_run(h, &c, err);
    close(c.input);
    while (waitpid(tar, NULL, 0) < 0 && errno == EINTR)
        ;
    return fine || err_context(err, "the program could not be copied to '%s'", h->name);
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
    struct ssh_command c = {.command = look_command(a, h, digest), .input = -1, .output = -1, .printed = &printed};
    bool fine = ssh_run(h, &c, err) || err_context(err, "'%s'", h->name);
    const char *line = last_printed(a, &printed);
    *place = fine && str_ends(line, digest) ? line : NULL;
    if (fine && !*place && !str_eq(line, "absent"))
        fine = err_set(err, "'%s' has no shell that raingauge can talk to: it answered '%.60s'", h->name, line);
    text_free(&printed);
    return fine;
}

static const char *quoted(struct arena *a, const char *word)
{
    struct text t = {0};
    ssh_quote(&t, word);
    const char *copy = arena_str(a, text_str(&t));
    text_free(&t);
    return copy;
}

bool install(struct arena *a, const struct remote_host *h, struct installed *out, struct err *err)
{
    const char *folder, *place;
    char *sums, digest[65];
    size_t n;
    if (!install_bundle(a, h, &folder, err) || !same_build(a, folder, err) ||
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
    return true;
}
