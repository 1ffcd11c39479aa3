/* SPDX-License-Identifier: Apache-2.0 */
/* wire: every value by itself, so that no padding is sent and each can be checked. */
#include "harness/measure/remote/wire.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool broken(const char *what, struct err *err)
{
    return err_set(err, "a message with %s that is none", what);
}

bool wire_get_amount(struct packet *p, const char *what, double *out, struct err *err)
{
    *out = packet_get_real(p);
    return (!p->broken && isfinite(*out) && *out >= 0) || broken(what, err);
}

static bool get_int(struct packet *p, const char *what, int64_t least, int64_t most, int64_t *out, struct err *err)
{
    *out = packet_get_int(p);
    return (!p->broken && *out >= least && *out <= most) || broken(what, err);
}

/* ---- candidates ---- */

void wire_put_candidate(struct packet *p, const struct candidate *c)
{
    struct text steps = {0};
    steps_print(c->steps, c->nsteps, &steps);
    packet_str(p, c->task->spec);
    packet_bytes(p, text_str(&steps), steps.len);
    packet_int(p, (int64_t)c->hash);
    packet_real(p, c->score);
    text_free(&steps);
}

static const struct task *task_of(struct wire_reader *r, const char *spec, struct err *err)
{
    for (int i = r->tasks.n - 1; i >= 0; i--)
        if (str_eq(r->tasks.at[i].spec, spec))
            return r->tasks.at[i].task;
    struct wire_task t = {.spec = arena_str(r->kept, spec)};
    if (!task_parse(r->kept, spec, &t.task, err))
        return NULL;
    vec_push(&r->tasks, t);
    return t.task;
}

bool wire_get_candidate(struct wire_reader *r, struct packet *p, struct candidate *out, struct err *err)
{
    size_t n;
    const char *spec = packet_get_str(p), *text = packet_get_bytes(p, &n);
    *out = (struct candidate){.hash = (uint64_t)packet_get_int(p), .score = packet_get_real(p)};
    if (p->broken)
        return broken("a candidate", err);
    cJSON *json = json_parse(text, n, "steps", err);
    struct step *steps = NULL;
    bool fine =
        json && (out->task = task_of(r, spec, err)) != NULL && steps_parse(r->scratch, json, &steps, &out->nsteps, err);
    cJSON_Delete(json);
    out->steps = steps;
    return fine;
}

/* ---- options ---- */

void wire_put_regime(struct packet *p, const struct regime *g)
{
    struct text t = {0};
    setting_print(regime_settings, g, &t);
    packet_str(p, text_str(&t));
    text_free(&t);
}

bool wire_get_regime(struct wire_reader *r, struct packet *p, struct regime *out, struct err *err)
{
    const char *text = packet_get_str(p);
    setting_defaults(regime_settings, out);
    return p->broken ? broken("a regime", err) : setting_parse(regime_settings, out, r->scratch, text, err);
}

void wire_put_options(struct packet *p, const struct measure_options *o)
{
    packet_str(p, o->target->name);
    packet_str(p, o->target_settings);
    wire_put_regime(p, &o->regime);
    packet_int(p, o->threads);
    packet_int(p, o->build_workers);
    packet_int(p, o->layout);
    packet_int(p, o->verify_only);
    packet_int(p, o->force_overlap);
    packet_int(p, (int64_t)o->seed);
    packet_str(p, o->faults);
}

bool wire_get_options(struct wire_reader *r, struct packet *p, const struct registry *k, struct measure_options *out,
                      struct err *err)
{
    int64_t threads, workers, layout, verify_only, force_overlap;
    const char *target = arena_str(r->kept, packet_get_str(p));
    *out =
        (struct measure_options){.target_settings = arena_str(r->kept, packet_get_str(p)), .collectors = k->collectors};
    if (!wire_get_regime(r, p, &out->regime, err) || !get_int(p, "threads", 0, 1 << 20, &threads, err) ||
        !get_int(p, "build workers", 0, 1 << 20, &workers, err))
        return false;
    layout = packet_get_int(p);
    if (p->broken || layout < LAYOUT_NONE || layout > LAYOUT_REWRITTEN)
        return broken("a layout", err);
    if (!get_int(p, "a choice", 0, 1, &verify_only, err) || !get_int(p, "a choice", 0, 1, &force_overlap, err))
        return false;
    out->threads = (int)threads;
    out->build_workers = (int)workers;
    out->layout = (enum layout_mode)layout;
    out->verify_only = verify_only != 0;
    out->force_overlap = force_overlap != 0;
    out->seed = (uint64_t)packet_get_int(p);
    out->faults = arena_str(r->kept, packet_get_str(p));
    if (p->broken)
        return broken("options", err);
    out->target = registry_target(k, target, err);
    return out->target != NULL;
}

void wire_put_limits(struct packet *p, const struct limits *l)
{
    const int64_t all[] = {l->cores,       l->vector_bytes,      l->cache_line,     l->shared_bytes,
                           l->local_bytes, l->threads_per_block, l->vthread_extent, l->warp_size};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        packet_int(p, all[i]);
    packet_int(p, l->is_gpu);
}

bool wire_get_limits(struct packet *p, struct limits *out, struct err *err)
{
    *out = (struct limits){0};
    int64_t *const all[] = {&out->cores,       &out->vector_bytes,      &out->cache_line,     &out->shared_bytes,
                            &out->local_bytes, &out->threads_per_block, &out->vthread_extent, &out->warp_size};
    int64_t gpu;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!get_int(p, "limits", i ? 0 : -1, INT32_MAX, all[i], err))
            return false;
    bool fine = get_int(p, "limits", 0, 1, &gpu, err);
    out->is_gpu = fine && gpu;
    return fine && (out->cores != 0 || broken("limits", err));
}

/* ---- samples ---- */

bool wire_get_sample(struct packet *p, struct sample *out, struct err *err)
{
    return packet_get_sample(p, out) || broken("a sample", err);
}

void wire_put_phases(struct packet *p, const double seconds[PHASE_COUNT])
{
    for (int i = 0; i < PHASE_COUNT; i++)
        packet_real(p, seconds[i] > 0 ? seconds[i] : 0);
}

bool wire_get_phases(struct packet *p, double out[PHASE_COUNT], struct err *err)
{
    for (int i = 0; i < PHASE_COUNT; i++)
        if (!wire_get_amount(p, "a phase", &out[i], err))
            return false;
    return true;
}

void wire_put_counters(struct packet *p, const struct counter_list *l)
{
    packet_int(p, l->n);
    for (int i = 0; i < l->n; i++) {
        packet_str(p, l->at[i].name);
        packet_int(p, l->at[i].present);
        packet_int(p, l->at[i].level);
        packet_real(p, l->at[i].value);
        packet_str(p, l->at[i].reason);
    }
}

bool wire_get_counters(struct packet *p, struct counter_list *out, struct err *err)
{
    int64_t n, present, level;
    out->n = 0;
    if (!get_int(p, "counters", 0, COUNTED_RUN_COUNTERS, &n, err))
        return false;
    for (int i = 0; i < (int)n; i++) {
        struct counter *c = &out->at[i];
        *c = (struct counter){.present = false};
        snprintf(c->name, sizeof c->name, "%.39s", packet_get_str(p));
        if (!get_int(p, "a counter", 0, 1, &present, err) || !get_int(p, "a counter", 0, 1, &level, err))
            return false;
        c->present = present != 0;
        c->level = level != 0;
        c->value = packet_get_real(p);
        snprintf(c->reason, sizeof c->reason, "%.95s", packet_get_str(p));
        if (p->broken || !isfinite(c->value))
            return broken("a counter", err);
    }
    out->n = (int)n;
    return true;
}

/* ---- sliced runs ---- */

void wire_put_sliced(struct packet *p, const struct sliced_run *s)
{
    wire_put_regime(p, s->regime);
    packet_int(p, (int64_t)s->process);
    packet_int(p, s->n);
    for (int i = 0; i < s->n; i++) {
        wire_put_candidate(p, s->programs[i].c);
        packet_real(p, s->programs[i].slow);
    }
    packet_int(p, s->nturns);
    for (int i = 0; i < s->nturns; i++)
        packet_int(p, s->turns[i]);
}

bool wire_get_sliced(struct wire_reader *r, struct packet *p, struct wire_sliced *out, struct err *err)
{
    int64_t n = 0, turns = 0, turn = 0;
    if (!wire_get_regime(r, p, &out->regime, err))
        return false;
    out->run = (struct sliced_run){
        .programs = out->programs, .turns = out->turns, .regime = &out->regime, .process = (uint64_t)packet_get_int(p)};
    if (!get_int(p, "programs", 1, SLICED_RUN_MOST, &n, err))
        return false;
    for (int i = 0; i < (int)n; i++) {
        out->programs[i] = (struct sliced_program){.c = &out->candidates[i]};
        if (!wire_get_candidate(r, p, &out->candidates[i], err) ||
            !wire_get_amount(p, "a slowdown", &out->programs[i].slow, err))
            return false;
    }
    if (!get_int(p, "turns", 0, (int64_t)(sizeof out->turns / sizeof *out->turns), &turns, err))
        return false;
    for (int i = 0; i < (int)turns; i++) {
        if (!get_int(p, "a turn", 0, n - 1, &turn, err))
            return false;
        out->turns[i] = (int)turn;
    }
    out->run.n = (int)n;
    out->run.nturns = (int)turns;
    return true;
}
