/* SPDX-License-Identifier: Apache-2.0 */
/* night_run: what the parts of a night share: its options, its place in the history, and what was found. */
#pragma once
#include "harness/experiment/experiment.h"
#include "harness/nightly/finding.h"
#include "harness/plug/registry.h"

enum { NIGHT_PAIRS = 8 /* of the rerun */ };

struct night_options {
    /* Of the program that asks. */
    struct arena *arena;
    const struct registry *registry;
    const char *experiments; /* folder */
    const char *versions;    /* of the libraries, a JSON object */
    /* Of the night. */
    const char *machine; /* name of a machine file */
    const char *state;   /* folder of the history, or NULL: history_folder() */
    const char *binary;  /* under test, or NULL: this one */
    const char *tier;    /* NULL: as the machine file says */
    double budget_s;     /* 0: as the machine file says */
    const char *const *sets;
    int nsets;
};
struct night_run {
    const struct night_options *o;
    struct history *h;
    const char *dir, *binary; /* of the history; path of what is tested */
    struct experiment *e;
    struct night night, *window, before; /* before: the machine's last night, whatever the hardware; number 0: none */
    int nwindow;                         /* 0: nothing to compare with yet */
    struct night old;                    /* of the window: whose binary reruns take; number 0: there is none */
    double budget_s, until;
    bool resumed, moved;     /* moved: the hardware is not that of the night before */
    const char *const *sets; /* "machine=..." and those of the options */
    int nsets;
    struct findings findings;
    VEC(const char *) broken; /* pinned programs that failed, with the reason */
    const char *unjudged;     /* why suspects could not be run again, or NULL */
    enum exit_code code;
    VEC(int64_t) removed; /* nights whose results folder or binary was removed at the end of this one */
    const char *page;     /* of the history */
};
