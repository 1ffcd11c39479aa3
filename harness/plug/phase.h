/* SPDX-License-Identifier: Apache-2.0 */
/* phase: where the time of a search goes. The phases must add up to wall time within 1 %. */
#pragma once
#include "harness/base/clock.h"

#define PHASES(X) X(sample) X(bounds) X(lower) X(features) X(draft) X(score) X(train) X(build) X(run) X(verify) X(other)
enum phase {
#define X(id) PHASE_##id,
    PHASES(X)
#undef X
        PHASE_COUNT
};
/* One running phase at a time, switched by phases_enter; parallel work inside is wall time of the caller. */
struct phases {
    double seconds[PHASE_COUNT];
    enum phase now;
    double since;
};
void phases_start(struct phases *p);                         /* clears; PHASE_other runs */
enum phase phases_enter(struct phases *p, enum phase phase); /* returns the phase left, to go back to; p may be NULL */
void phases_stop(struct phases *p); /* books the running phase; seconds[] then sum to the wall time */
/* Moves seconds from one phase to others by measured shares (parallel workers time bounds, lower, features themselves).
 */
void phases_share(struct phases *p, enum phase from, const double shares[PHASE_COUNT]);
const char *phase_name(enum phase phase);
