/* SPDX-License-Identifier: Apache-2.0 */
/* replay: schedules from a record file (harness/record/tvm/tvm_log.h) applied to our graphs, built, checked against the
 * reference and timed, record by record, in bounded memory. A record that fails is a row with its reason, whatever the
 * fault, and the rest goes on. */
#pragma once
#include "harness/cli/cli.h"
#include "harness/measure/regime.h"
#include "harness/record/tvm/tvm_log.h"

#define REPLAY_FLOP 2e11 /* a kernel of more work is refused: its unscheduled reference would take minutes */

enum replay_fate {
    REPLAY_REFUSED, /* the line is broken, or its kernel is not known */
    REPLAY_MISFIT,  /* the steps do not apply to the kernel's graph, or it does not lower */
    REPLAY_FAILED,  /* not built, crashed, wrong answer, ... */
    REPLAY_APPLIED, /* with dry: it lowers, and the nest is sound */
    REPLAY_RIGHT    /* the result equals the reference's, and it was timed (unless verify_only) */
};
struct replay_row {          /* all strings last for the call */
    int index, line, column; /* column: of the fault in a broken line; 0: unknown */
    const char *id;          /* of the record, or NULL */
    const char *kernel;      /* for people; NULL when it is not known */
    bool guessed;            /* only the shapes tell the kernel */
    enum replay_fate fate;
    const char *reason;        /* when neither applied nor right */
    double ours_s, theirs_s;   /* NAN: not timed here, not recorded */
    double fastest_s;          /* of the repeats whose mean ours_s is */
    const struct state *state; /* with dry: the applied state, bounds inferred */
    bool gpu;                  /* it binds loops to a GPU's blocks or threads */
    struct limits limits;      /* of that GPU, as the record says, or any recent one of CUDA */
};
enum { LAYOUT_RECORD = LAYOUT_REWRITTEN + 1 }; /* as each record says */
struct replay_options {
    const char *file;
    const char *task;            /* a task line for every record, or NULL */
    const struct target *target; /* not with dry */
    const char *target_settings; /* "codegen=tvm", or "" */
    struct regime regime;
    int threads;              /* 0: all */
    int layout;               /* enum layout_mode, or LAYOUT_RECORD */
    bool dry, verify_only;    /* verify_only: built, run and checked, not timed */
    const char *const *known; /* kernels asked first when a record does not describe its own */
    int nknown;
};
struct replay_sums {
    int records, applied, right, guessed; /* of those that were looked at */
    int left;                             /* not looked at: stopped */
};
/* row is called once a record, in order; it may return false to end. False: the file cannot be read, nothing can be
 * measured, or a person stopped it (EXIT_INTERRUPTED); sums holds what was done. */
MUST_CHECK bool replay_run(const struct replay_options *o, bool (*row)(void *ctx, const struct replay_row *r),
                           void *ctx, struct replay_sums *sums, struct err *err);
/* What a record says of its hardware: not a GPU where it says nothing. */
struct limits replay_hardware(const struct tvm_log_entry *e);
/* For people: how long n programs take under a regime. quick: nothing is timed. */
void replay_foretell(const struct regime *g, bool quick, double n, char out[static 64]);
/* The kernels of every network file become those that are asked first when a record gives only a hash and shapes. */
void replay_know_networks(struct cli *c, struct replay_options *o);
