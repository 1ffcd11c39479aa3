/* SPDX-License-Identifier: Apache-2.0 */
/* night: one nightly run: a fixed experiment and launches of pinned programs, by the binary under test as people meet
 * it (other processes), held against the last good nights of this machine; suspects are run again in turns with the
 * binary of the last good night, a copy of which is kept. Everything is kept as it comes, so a killed night goes on. */
#pragma once
#include "harness/cli/cli.h"
#include "harness/experiment/experiment.h"
#include "harness/nightly/finding.h"

enum { NIGHT_PAIRS = 8 /* of the rerun */, NIGHT_FOLDERS = 14 /* results folders that are kept */ };

struct night_options {
    const char *machine; /* name of a machine file */
    const char *state;   /* folder, or NULL: night_folder() */
    const char *binary;  /* under test, or NULL: this one */
    const char *tier;    /* NULL: as the machine file says */
    double budget_s;     /* 0: as the machine file says */
    const struct option_list *sets;
};
struct night_run {
    struct cli *c;
    struct history *h;
    const char *dir, *binary; /* of the state; path of what is tested */
    struct experiment *e;
    struct night night, *window, before; /* before: the machine's last night, whatever the hardware; number 0: none */
    int nwindow;                         /* 0: nothing to compare with yet */
    struct night old;                    /* of the window: whose binary reruns take; number 0: there is none */
    double budget_s, until;
    bool resumed, moved; /* moved: the hardware is not that of the night before */
    const struct option_list *sets;
    struct findings findings;
    VEC(const char *) broken; /* pinned programs that failed, with the reason */
    const char *unjudged;     /* why suspects could not be run again, or NULL */
    enum exit_code code;
    const char *trend;
};
/* $XDG_STATE_HOME/raingauge, else $HOME/.local/state/raingauge; state when given. */
MUST_CHECK bool night_folder(struct cli *c, const char *state, const char **out, struct err *err);
/* False: the night could not be ended (err->code says whether it was interrupted, out of time, ...). night_end in any
 * case. */
MUST_CHECK bool night_begin(struct cli *c, const struct night_options *o, struct night_run *out, struct err *err);
MUST_CHECK bool night_go(struct night_run *r, struct err *err);
void night_end(struct night_run *r);
