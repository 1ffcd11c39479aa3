/* SPDX-License-Identifier: Apache-2.0 */
/* trace_knobs: the Space class of apache/tvm 167795b3bb (post_optimization/space.py) on our traces: values in knob.c,
 * the seed's first, no bound by extents, the axes of loops of extent 1 included; sampled categories (the unroll limit
 * of a fresh trace) and locations are no axes.
 *
 * Deviations: (1) theirs keeps the recorded result of the postprocessors, in which the parallel and vector extents have
 * no effect any more, and drops it with probability 1/4 at random; here the postprocessors run again on every
 * candidate, so both extents count and a point is one program. (2) The outermost part of a tile is what is left and no
 * axis, so a point's parts always cover the loop; theirs is an axis of its own, and points that do not cover fail. */
#include "search/trace/trace_knobs.h"

#include <string.h>

bool trace_knobs_open(struct trace_knobs *k, struct arena *a, const struct candidate *seed, const struct limits *limits)
{
    const struct trace_options options = trace_defaults();
    struct err ignored = {0};
    *k = (struct trace_knobs){.seed = seed};
    return !limits->is_gpu && trace_space_open(&k->traces, a, seed->task, limits, &options, &ignored) &&
           trace_find(&k->traces, a, seed->steps, seed->nsteps, &k->trace);
}

int trace_knobs_list(const struct trace_knobs *k, struct arena *a, struct knob *out, int max)
{
    const struct trace_layout *o = &k->traces.layouts[k->trace.layout];
    const struct step *steps = k->seed->steps;
    int n = knobs_of(a, steps, o->sketch->nsteps, KNOB_META, out, max);
    if (n + 2 > max)
        return n;
    knob_extents(a, KNOB_PARALLEL, k->trace.at[o->parallel], TRACE_KNOBS_PARALLEL, &out[n++]);
    knob_extents(a, KNOB_VECTOR, k->trace.at[o->vector], TRACE_KNOBS_VECTOR, &out[n++]);
    for (int i = o->sketch->nsteps; i < k->seed->nsteps && n < max; i++)
        if (steps[i].kind == STEP_PR && knobs_of(a, &steps[i], 1, KNOB_META, &out[n], 1))
            out[n++].step = i;
    return n;
}

static void set_tile(const struct trace_layout *o, struct trace *t, const struct knob *k, int64_t value)
{
    for (int i = 0; i < o->sketch->nsplits; i++)
        if (o->sketch->splits[i].step == k->step)
            t->at[o->tile[i] + k->place] = value;
}

/* The pragma of the seed's step at number step becomes value in the steps of a candidate, which has the same pragmas in
 * the same order. */
static void set_pragma(const struct trace_knobs *k, struct arena *a, struct step *steps, int n, int step, int64_t value)
{
    int before = 0;
    for (int i = 0; i < step; i++)
        before += k->seed->steps[i].kind == STEP_PR;
    for (int i = 0; i < n; i++)
        if (steps[i].kind == STEP_PR && before-- == 0)
            knob_pragma(a, &steps[i], value);
}

struct candidate trace_knobs_candidate(const struct trace_knobs *k, struct arena *a, const struct knob *knobs, int n,
                                       const int *point)
{
    const struct trace_layout *o = &k->traces.layouts[k->trace.layout];
    struct arena *work = arena_open("trace_knobs");
    struct trace t = trace_copy(&k->traces, work, &k->trace);
    struct candidate c;
    for (int i = 0; i < n; i++) {
        int64_t value = knobs[i].values[point[i]];
        if (knobs[i].place == TRACE_KNOBS_PARALLEL)
            t.at[o->parallel] = value;
        else if (knobs[i].place == TRACE_KNOBS_VECTOR)
            t.at[o->vector] = value;
        else if (knobs[i].place >= 0)
            set_tile(o, &t, &knobs[i], value);
    }
    struct state *s = trace_replay(&k->traces, work, &t, NULL, NULL, NULL);
    if (s) {
        struct step *steps = steps_copy(a, s->steps, s->nsteps);
        for (int i = 0; i < n; i++)
            if (knobs[i].place == -1)
                set_pragma(k, a, steps, s->nsteps, knobs[i].step, knobs[i].values[point[i]]);
        c = knob_candidate(a, k->seed->task, steps, s->nsteps);
    } else {
        c = knobs_candidate(a, k->seed, knobs, n, point);
    }
    arena_close(work);
    return c;
}
