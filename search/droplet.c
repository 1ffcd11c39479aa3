/* SPDX-License-Identifier: Apache-2.0 */
/* droplet: Droplet Search on top of an explorer's best schedule (arXiv 2406.20037; droplet.md section 4): the seed's
 * split lengths and unroll pragma span a grid (knob.c), coordinate descent walks on it (descent.c). With MetaSchedule's
 * values and a seed of searcher metaschedule the grid is that of the seed's trace (retrace.c).
 *
 * Deviations from every published variant: candidates of a batch are distinct schedules (the aliasing defect of PR
 * 16499 is not rebuilt), a failed candidate is an outcome and never a cost of 1e10, and what does not apply counts as
 * measured. */
#include "harness/plug/searcher.h"
#include "search/descent.h"
#include "search/retrace.h"

struct droplet_options {
    int variant, values;
    int64_t batch;
    double p_value;
    bool speculate;
};
static const char *const variants[] = {"autotvm-first", "autotvm", "paper", "pr16499", "metaschedule", "fixed", NULL};
static const char *const value_lists[] = {"auto", "paper", "bennu", "sorted", "metaschedule", NULL};

#define AT(field) offsetof(struct droplet_options, field)
static const struct setting droplet_settings[] = {
    {.name = "variant",
     .help = "which published search, or 'fixed': the idea without the defects",
     .type = SETTING_ENUM,
     .offset = AT(variant),
     .fallback = "paper",
     .choices = variants},
    {.name = "values",
     .help = "axis values; auto: sorted for fixed, bennu for pr16499, metaschedule for itself, else paper",
     .type = SETTING_ENUM,
     .offset = AT(values),
     .fallback = "auto",
     .choices = value_lists},
    {.name = "batch",
     .help = "points a batch; 0: the variant's",
     .type = SETTING_INT,
     .offset = AT(batch),
     .fallback = "0",
     .min = 0,
     .max = 1024},
    {.name = "p_value",
     .help = "threshold of the acceptance test, where the variant has one",
     .type = SETTING_REAL,
     .offset = AT(p_value),
     .fallback = "0.05",
     .min = 0,
     .max = 1},
    {.name = "speculate",
     .help = "fill batches with longer jumps",
     .type = SETTING_BOOL,
     .offset = AT(speculate),
     .fallback = "true"},
    {0}};

struct droplet {
    struct searcher_env *env;
    struct arena *arena;
    struct descent descent;
    struct retrace retrace;
    bool traced; /* the axes are those of the seed's trace */
    struct knob knobs[DESCENT_AXES];
    int n, sizes[DESCENT_AXES], origin[DESCENT_AXES];
};

static enum knob_values values_of(const struct droplet_options *o)
{
    switch (o->values) {
    case 1:
        return KNOB_PAPER;
    case 2:
        return KNOB_BENNU;
    case 3:
        return KNOB_SORTED;
    case 4:
        return KNOB_META;
    default:
        return o->variant == 5 ? KNOB_SORTED : o->variant == 4 ? KNOB_META : o->variant == 3 ? KNOB_BENNU : KNOB_PAPER;
    }
}

static bool droplet_open(void *self, struct searcher_env *env, struct err *err)
{
    struct droplet *d = self;
    const struct droplet_options *o = env->options;
    if (!env->seed)
        return err_set(err, "searcher 'droplet' needs a seed schedule: name an arm to explore first");
    d->env = env;
    d->arena = arena_open("droplet");
    d->traced = values_of(o) == KNOB_META && retrace_open(&d->retrace, d->arena, env->seed, &env->limits);
    d->n = d->traced ? retrace_knobs(&d->retrace, d->arena, d->knobs, DESCENT_AXES)
                     : knobs_of(d->arena, env->seed->steps, env->seed->nsteps, values_of(o), d->knobs, DESCENT_AXES);
    for (int i = 0; i < d->n; i++) {
        d->sizes[i] = d->knobs[i].n;
        d->origin[i] = d->knobs[i].origin;
    }
    const struct sample *s = env->seed_sample;
    descent_open(&d->descent, &descent_table[o->variant], d->arena, d->n, d->sizes, d->origin, (int)o->batch,
                 env->parallel_builds, o->p_value, o->speculate, s ? s->seconds : NULL, s ? s->nseconds : 0);
    return true;
}

static bool droplet_ask(void *self, struct arena *a, int max, struct candidate *out, int *n, struct err *err)
{
    (void)err;
    struct droplet *d = self;
    int batch = descent_batch(&d->descent);
    *n = batch < max ? batch : max;
    for (int i = 0; i < *n; i++) {
        const int *point = d->descent.queue + (size_t)i * (size_t)d->n;
        out[i] = d->traced ? retrace_candidate(&d->retrace, a, d->knobs, d->n, point)
                           : knobs_candidate(a, d->env->seed, d->knobs, d->n, point);
    }
    return true;
}

static bool droplet_tell(void *self, const struct candidate *c, const struct sample *s, int n, struct err *err)
{
    (void)c;
    (void)err;
    struct droplet *d = self;
    struct descent_cost *costs = ARENA_ARRAY(d->arena, struct descent_cost, n + 1);
    for (int i = 0; i < n; i++)
        if (s[i].outcome == OUTCOME_OK)
            costs[i] = (struct descent_cost){s[i].seconds, s[i].nseconds};
    descent_tell(&d->descent, costs, n);
    return true;
}

static void droplet_close(void *self)
{
    struct droplet *d = self;
    if (!d->arena)
        return;
    descent_close(&d->descent);
    arena_close(d->arena);
}

const struct searcher searcher_droplet = {
    .name = "droplet",
    .summary = "coordinate descent from the explorer's best schedule (Droplet Search)",
    .settings = droplet_settings,
    .options_size = sizeof(struct droplet_options),
    .state_size = sizeof(struct droplet),
    .needs_seed = true,
    .repeats = 2, /* a move is tested; with one timing each it would be taken untested (practice.md 3.3) */
    .open = droplet_open,
    .ask = droplet_ask,
    .tell = droplet_tell,
    .close = droplet_close,
};
