/* SPDX-License-Identifier: Apache-2.0 */
/* wire: whatever another machine sends is refused with a message, or is a value within its bounds. The first byte says
 * what it is read as. */
#include "harness/measure/remote/wire.h"

#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool fine)
{
    if (!fine)
        abort();
}

static bool read_sample(struct packet *p, struct err *err)
{
    struct sample s;
    if (!wire_get_sample(p, &s, err))
        return false;
    check(s.nseconds >= 0 && s.nseconds <= SAMPLE_REPEATS && s.outcome < OUTCOME_COUNT && isfinite(s.cost_s));
    return true;
}

static bool read_counters(struct packet *p, struct err *err)
{
    struct counter_list l;
    if (!wire_get_counters(p, &l, err))
        return false;
    check(l.n >= 0 && l.n <= COUNTED_RUN_COUNTERS);
    return true;
}

static bool read_sliced(struct wire_reader *r, struct packet *p, struct err *err)
{
    struct wire_sliced *w = ARENA_NEW(r->scratch, struct wire_sliced);
    if (!wire_get_sliced(r, p, w, err))
        return false;
    for (int i = 0; i < w->run.nturns; i++)
        check(w->turns[i] >= 0 && w->turns[i] < w->run.n);
    return true;
}

static bool read_as(int what, struct wire_reader *r, struct packet *p, struct err *err)
{
    double phases[PHASE_COUNT];
    struct limits limits;
    struct candidate c;
    switch (what) {
    case 0:
        return read_sample(p, err);
    case 1:
        return read_counters(p, err);
    case 2:
        return wire_get_limits(p, &limits, err);
    case 3:
        return wire_get_phases(p, phases, err);
    case 4:
        return wire_get_candidate(r, p, &c, err);
    default:
        return read_sliced(r, p, err);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a = arena_open("fuzz");
    struct wire_reader r = {.kept = a, .scratch = a};
    struct packet p = {0};
    struct err err = {0};
    if (size > 0) {
        text_addn(&p.bytes, (const char *)data + 1, size - 1);
        check(read_as(data[0] % 6, &r, &p, &err) || err.text[0]);
    }
    vec_free(&r.tasks);
    packet_free(&p);
    arena_close(a);
    return 0;
}
