/* SPDX-License-Identifier: Apache-2.0 */
/* remote_host: another machine that measures in this one's place, as --on names it: "ssh:HOST" and settings,
 * "ssh:me@gpu3,give_up_min=30". HOST is what ssh takes: a name of its configuration, user@host, //user@host:port. */
#pragma once
#include "harness/base/arena.h"
#include "harness/base/err.h"
#include "harness/base/settings.h"

struct remote_host {
    const char *name;        /* "ssh:me@gpu3", for records and messages: --on without its settings */
    const char *destination; /* for ssh: "me@gpu3", "ssh://me@gpu3:22" */
    const char *config;      /* another configuration file for ssh; "": its own */
    const char *folder;      /* there, for the program; "": ~/.cache/raingauge */
    const char *bundle;      /* here, the folder that `make bundle` made; "": beside this program */
    double give_up_min;      /* minutes without an answer until measuring is given up */
    const char *identity;    /* of this program (identity.h) */
    const char *campaign;    /* tells this campaign from others that may want the same machine; "" none */
    bool (*stopped)(void);   /* asked while waiting for a connection: shall it be given up? NULL: never */
};
/* text: the value of --on. Errors: no "ssh:", no host, one that ssh would take for an option, unknown settings. */
MUST_CHECK bool remote_host_parse(struct arena *a, const char *text, struct remote_host *out, struct err *err);
