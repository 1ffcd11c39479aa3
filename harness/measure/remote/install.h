/* SPDX-License-Identifier: Apache-2.0 */
/* install: has the program of `make bundle` on a remote machine, copied there when it is not yet. Its folder there is
 * named by the digest of its list of digests (SHA256SUMS, made by .ci/bundle), and every file is checked against that
 * list each time. */
#pragma once
#include "harness/base/text.h"
#include "harness/measure/remote/remote_host.h"

struct installed {      /* in quotes, for a shell there */
    const char *run;    /* the folder's script that starts the program */
    const char *lock;   /* the file that only one of them may hold (server_lock.h) */
    const char *folder; /* that programs are kept in */
};
/* Errors: there is no bundle here, or that of
 * another build; no ssh; the host cannot be reached, or does not let us in; its disk is full; a tool is missing there.
 */
MUST_CHECK bool install(struct arena *a, const struct remote_host *h, struct installed *out, struct err *err);
/* The bundle here: the named one, or where that is "" the one beside this program. Errors: there is none, or it holds
 * another build than this program. */
MUST_CHECK bool install_bundle(struct arena *a, const char *named, const char **folder, struct err *err);
/* What the command `tar` writes goes to a command on the host. */
MUST_CHECK bool install_send(const struct remote_host *h, const char *const *tar, const char *command, struct err *err);
