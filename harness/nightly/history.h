/* SPDX-License-Identifier: Apache-2.0 */
/* history: nights of `raingauge nightly` in one SQLite file, <dir>/nightly.db, outside the checkout: what was measured
 * each night, what was said of it, and from where on nights may be compared. The tables are in README.md of this
 * folder.
 *
 * A night is of a kind: machine file, identity (facts of the hardware that may not change between nights that are
 * compared) and experiment hash. A series is one thing that is timed again every night; its values are seconds, one a
 * seed or a launch. One process at a time (an fcntl lock on <dir>/nightly.lock, which a kill -9 releases). Every value
 * is a transaction that kill -9 cannot take; a power cut may. All errors name the file. Strings read back live in the
 * caller's arena. */
#pragma once
#include "harness/base/arena.h"
#include "harness/base/err.h"

#include <stdbool.h>
#include <stdint.h>

enum { HISTORY_WINDOW = 7 }; /* good nights, at most, that tonight is compared with */

/* state when it is given, else $XDG_STATE_HOME/raingauge, else $HOME/.local/state/raingauge; in a. */
MUST_CHECK bool history_folder(struct arena *a, const char *state, const char **out, struct err *err);

struct history;
/* Makes the folder and takes the lock; says who holds it. */
MUST_CHECK bool history_open(const char *dir, struct history **out, struct err *err);
MUST_CHECK bool history_open_read(const char *dir, struct history **out, struct err *err);
void history_close(struct history *h); /* NULL is fine */

#define NIGHT_RUNNING "running"
#define NIGHT_STOPPED "stopped" /* given up: another binary or experiment came before it was whole */
#define NIGHT_GOOD "good"       /* nothing was found: may be compared with */
struct night {
    int64_t number;                              /* from 1 */
    const char *machine, *identity;              /* name of the machine file; facts of the hardware, JSON */
    const char *experiment, *experiment_hash;    /* stem and tier; of what is run */
    const char *binary, *revision, *environment; /* SHA-256; what `--version` says; JSON object */
    const char *state;                           /* a NIGHT_*, or what was found: "confirmed", ... */
    double begun_unix;
    const char *accepted; /* why it was made the normal, or NULL */
};
bool night_is_whole(const struct night *n); /* neither running nor stopped */
/* A night that was cut short goes on when kind and binary are the same (*resumed), else a new one begins and those cut
 * short are given up. n: all but number, state and times; these are filled, and it is adopted. */
MUST_CHECK bool history_begin(struct history *h, struct night *n, bool *resumed, struct err *err);
/* An identity that is equal as JSON to one on record gets the text of that one, as nights are distinguished by it. */
MUST_CHECK bool history_adopt(struct history *h, struct night *n, struct err *err);
MUST_CHECK bool history_end(struct history *h, int64_t number, const char *state, struct err *err);
MUST_CHECK bool history_night(struct history *h, struct arena *a, int64_t number, struct night *out, struct err *err);
/* All, or those of one machine file, in order. */
MUST_CHECK bool history_nights(struct history *h, struct arena *a, const char *machine, struct night **out, int *n,
                               struct err *err);
/* Nights of n's kind that are whole, the latest first, and not from before the last acceptance; good: of those only. */
MUST_CHECK bool history_before(struct history *h, struct arena *a, const struct night *n, bool good, struct night **out,
                               int *count, struct err *err);
/* A night and what it is compared with. */
struct tonight {
    struct arena *arena;
    struct history *history;
    const struct night *night;
    const struct night *good; /* good nights of its kind before it, the latest first */
    int ngood;
};
/* What is found from night on is the new normal: earlier nights of its kind are not compared with any more. */
MUST_CHECK bool history_accept(struct history *h, const struct night *n, const char *reason, struct err *err);

struct night_series {
    int64_t night;
    const char *series;
    const char *side; /* "" of the night itself, "old" and "new" of its rerun */
};
/* Of two values of one ordinal the later counts. */
MUST_CHECK bool history_put(struct history *h, const struct night_series *of, int ordinal, double seconds,
                            struct err *err);
/* In the order of their ordinals. */
MUST_CHECK bool history_values(struct history *h, struct arena *a, const struct night_series *of, double **out, int *n,
                               struct err *err);
/* Geometric mean of a night's own values; NAN: it has none. */
MUST_CHECK bool history_level(struct history *h, struct arena *a, int64_t night, const char *series, double *out,
                              struct err *err);
MUST_CHECK bool history_series(struct history *h, struct arena *a, int64_t night, const char ***out, int *n,
                               struct err *err);

struct night_verdict { /* see harness/stats/regression.h */
    const char *series, *kind;
    double ratio, p, margin, again, low, high;
};
MUST_CHECK bool history_judge(struct history *h, int64_t night, const struct night_verdict *v, struct err *err);
/* *out NULL: none */
MUST_CHECK bool history_verdict(struct history *h, struct arena *a, int64_t night, const char *series,
                                struct night_verdict **out, struct err *err);
/* history_values of tonight. */
MUST_CHECK bool tonight_values(const struct tonight *t, const char *series, const char *side, double **out, int *n,
                               struct err *err);
