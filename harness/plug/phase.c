/* SPDX-License-Identifier: Apache-2.0 */
/* phase: one clock for all phases. Every moment since phases_start belongs to exactly one phase. So the phases sum to
 * the wall time by construction. */
#include "harness/plug/phase.h"

#include <string.h>

static const char *const PHASE_NAMES[PHASE_COUNT] = {
#define X(id) #id,
    PHASES(X)
#undef X
};

void phases_start(struct phases *p)
{
    memset(p, 0, sizeof *p);
    p->now = PHASE_other;
    p->since = clock_now();
}

/* Books the time since the last switch on the running phase. */
static double phases_book(struct phases *p)
{
    double now = clock_now(), span = now - p->since;
    p->seconds[p->now] += span;
    p->since = now;
    return span;
}

enum phase phases_enter(struct phases *p, enum phase phase)
{
    if (!p)
        return PHASE_other;
    phases_book(p);
    enum phase left = p->now;
    p->now = phase;
    return left;
}

void phases_stop(struct phases *p)
{
    if (p)
        phases_book(p);
}

/* While 'from' is the running phase, only the span since it was entered is shared out: what earlier calls left to it
 * stays. When it has been left already, all that was booked on it is shared out. Shares are weights (thread seconds
 * do). */
void phases_share(struct phases *p, enum phase from, const double shares[PHASE_COUNT])
{
    if (!p)
        return;
    double total = 0;
    for (int i = 0; i < PHASE_COUNT; i++)
        total += shares[i] > 0 ? shares[i] : 0;
    double span = p->now == from ? phases_book(p) : p->seconds[from];
    if (total <= 0)
        return;
    p->seconds[from] -= span;
    for (int i = 0; i < PHASE_COUNT; i++)
        if (shares[i] > 0)
            p->seconds[i] += span * (shares[i] / total);
}

const char *phase_name(enum phase phase)
{
    return (unsigned)phase < PHASE_COUNT ? PHASE_NAMES[phase] : "unknown";
}
