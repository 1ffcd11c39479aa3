/* SPDX-License-Identifier: Apache-2.0 */
/* measure: batches of candidates. A batch is built completely, then run one by one: building beside a timed run would
 * disturb it. Not so where kernels leave the host's cores alone (runs_apart in plug/target.h): there a program runs as
 * soon as it and those before it are built, and the builds go on beside the runs (overlap). So it is where the runner
 * has cores of its own (keeps_cores; harness/doc/builds.md). A batch is a round; without overlap it is twice as many
 * candidates as there are build workers, as in TVM (harness/doc/measurement.md, "Build and run").
 *
 * Virtual targets take no real time and cannot crash. They are called in this process, through the same timing
 * protocol. The sample's times are the seconds they answer, and build_s is 0. So a search on them is deterministic. */
#include "harness/measure/measure.h"

#include "harness/base/cpus.h"
#include "harness/base/log.h"
#include "harness/measure/build.h"
#include "harness/measure/host.h"
#include "harness/measure/remote/remote.h"
#include "harness/measure/repeat.h"
#include "harness/measure/trial.h"
#include "harness/stats/interval.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- virtual targets --- */

static void virtual_measure(struct measurer *m, const struct candidate *c, const struct regime *regime,
                            double fastest_s, struct sample *s)
{
    struct virtual_call v = {.m = m};
    virtual_load(m, c, s, &v.kernel);
    if (s->outcome == OUTCOME_OK) {
        struct repeat timing = {
            .call = virtual_call, .ctx = &v, .fastest = fastest_s, .draw = repeat_draw(m->o.seed, c->hash)};
        s->outcome = repeat_time(regime, &timing, s);
        m->o.target->drop(m->self, v.kernel);
    }
    s->run_s = v.total;
    s->cost_s = s->build_s + s->run_s + s->spared_s;
    sample_settle(s);
}

/* --- open and close --- */

/* How many workers may build while a program runs. One core is left to the runner, which starts the kernels and reads
 * the clocks that check them. */
static int builders_beside(const struct measurer *m)
{
    int spare = cpus_usable() - 1, most = spare < m->nbuilders ? spare : m->nbuilders;
    if (m->o.force_overlap)
        return most > 1 ? most : 1;
    return m->runner.apart && m->o.regime.overlap ? most : 0;
}

/* Gives the runner cores of its own where the target allows it and a core is left. */
static bool split_cores(struct measurer *m, struct worker_setup *setup, struct err *err)
{
    const struct target *t = m->o.target;
    void *options;
    if (!t->keeps_cores || !m->o.regime.overlap)
        return true;
    struct arena *a = arena_open("options");
    int threads = m->o.threads > 0 ? m->o.threads : cpus_usable();
    bool fine = setting_options(a, t->settings, t->options_size, m->o.target_settings, &options, err);
    if (fine && t->keeps_cores(options))
        m->splits = setup->splits = cpus_split(threads, &setup->affinity[WORKER_RUN], &setup->affinity[WORKER_BESIDE]);
    if (m->splits) {
        int beside = CPU_COUNT(&setup->affinity[WORKER_BESIDE]);
        setup->affinity[WORKER_BUILD] = setup->affinity[WORKER_RUN];
        m->beside = m->spare = beside < m->nbuilders ? beside : m->nbuilders;
        m->nbuilders = m->nbuilders < m->spare + threads ? m->nbuilders : m->spare + threads;
    } else {
        memset(setup->affinity, 0, sizeof setup->affinity);
    }
    arena_close(a);
    return fine || err_context(err, "target '%s'", t->name);
}

static bool workers_start(struct measurer *m, struct limits *limits, struct err *err)
{
    struct worker_setup setup = {.target = m->o.target,
                                 .target_settings = m->o.target_settings,
                                 .collectors = m->o.collectors,
                                 .threads = m->o.threads,
                                 .layout = m->o.layout,
                                 .memory_mib = m->o.regime.memory_mib,
                                 .verify_only = m->o.verify_only,
                                 .objects = m->o.objects,
                                 .objects_mib = m->o.objects_mib,
                                 .seed = m->o.seed};
    if (!split_cores(m, &setup, err) || !fork_server_open(&setup, &m->fork_server, err))
        return false;
    m->runner = (struct worker_handle){.kind = WORKER_RUN, .child = FORK_SERVER_NO_CHILD};
    m->runners = !m->o.builds_only;
    if (m->runners && !worker_handle_start(&m->runner, m->fork_server, limits, err))
        return false;
    if (!m->splits)
        m->beside = builders_beside(m);
    for (int i = 0; i < m->nbuilders; i++) {
        m->builders[i] = (struct worker_handle){.kind = builder_kind(m, i), .child = FORK_SERVER_NO_CHILD};
        if (!worker_handle_start(&m->builders[i], m->fork_server, m->runners ? NULL : limits, err))
            return false;
    }
    return true;
}

static bool target_open_here(struct measurer *m, struct limits *limits, struct err *err)
{
    m->env = (struct target_env){.threads = m->o.threads, .layout = m->o.layout};
    if (m->faults.n)
        return err_set(err, "target '%s' is virtual: faults can only be planted in a real one", m->o.target->name);
    void *self = NULL;
    if (!target_begin(m->o.target, m->o.target_settings, m->arena, &m->env, &self, limits, err))
        return false;
    m->self = self;
    return true;
}

bool measure_allowed(const struct target *t, bool verify_only, const struct regime *r, struct err *err)
{
    if (t->is_emulated && !verify_only)
        return err_set(
            err,
            "target '%s' is emulated, a time would say nothing: `raingauge replay FILE --verify-only` checks "
            "its kernels",
            t->name);
    return !verify_only || (r->verify && !t->is_virtual) ||
           err_set(err, "to verify only, and not to verify, is nothing");
}

bool measure_open(const struct measure_options *o, struct measurer **out, struct limits *limits, struct err *err)
{
    struct arena *arena = arena_open("measure");
    struct measurer *m = ARENA_NEW(arena, struct measurer);
    m->arena = arena;
    m->o = *o;
    m->o.target_settings = arena_str(arena, o->target_settings ? o->target_settings : "");
    m->o.faults = arena_str(arena, o->faults ? o->faults : "");
    m->o.objects = arena_str(arena, o->objects ? o->objects : "");
    m->nbuilders = o->build_workers > 0 ? o->build_workers : cpus_usable();
    if (m->nbuilders > MOST_BUILDERS)
        m->nbuilders = MOST_BUILDERS;
    m->builders = ARENA_ARRAY(arena, struct worker_handle, m->nbuilders);
    m->contention = cpu_contention_mark();
    bool ok = measure_allowed(o->target, o->verify_only, &o->regime, err) &&
              fault_parse(m->o.faults, &m->faults, err) &&
              (o->on                   ? remote_open(&m->o, &m->remote, limits, err)
               : o->target->is_virtual ? target_open_here(m, limits, err)
                                       : workers_start(m, limits, err));
    if (!ok) {
        measure_close(m);
        return false;
    }
    *out = m;
    return true;
}

void measure_close(struct measurer *m)
{
    if (!m)
        return;
    if (m->remote)
        remote_close(m->remote);
    if (m->self)
        m->o.target->close(m->self);
    if (m->fork_server) {
        runner_stop(m);
        for (int i = 0; i < m->nbuilders; i++)
            worker_handle_stop(&m->builders[i], m->fork_server);
        fork_server_close(m->fork_server);
    }
    reference_cache_close(&m->references);
    packet_free(&m->packet);
    vec_free(&m->tasks);
    arena_close(m->arena);
}

int measure_build_workers(const struct measurer *m)
{
    return m->remote ? remote_build_workers(m->remote) : m->nbuilders;
}

double measure_peak_flops(struct measurer *m)
{
    struct err ignored = {0};
    double flops = 0;
    if (m->remote)
        return remote_peak_flops(m->remote);
    if (m->self || !m->o.target->peak_flops)
        return 0;
    runner_stop(m);
    return peaks_ask(m, &flops, &ignored) ? flops : 0;
}

cJSON *measure_host(const struct measurer *m)
{
    struct host here;
    if (m->remote)
        return remote_host_about(m->remote);
    host_probe(&here);
    return host_json(&here);
}

struct cpu_contention measure_contention(struct measurer *m)
{
    if (m->remote)
        return remote_contention(m->remote);
    struct cpu_contention since = cpu_contention_since(&m->contention);
    m->contention = cpu_contention_mark();
    return since;
}

void measure_describe(struct measurer *m, cJSON *object)
{
    if (m->remote) {
        remote_describe(m->remote, object);
        return;
    }
    if (m->self) {
        if (m->o.target->describe)
            m->o.target->describe(m->self, object);
        return;
    }
    int kind = -1;
    struct err ignored = {0};
    double deadline = clock_now() + 120;
    packet_clear(&m->packet);
    if (!runner_ready(m, &ignored) ||
        worker_handle_ask(&m->runner, MESSAGE_DESCRIBE, &m->packet, deadline) != CHANNEL_OK ||
        worker_handle_answer(&m->runner, &kind, &m->packet, deadline) != CHANNEL_OK || kind != MESSAGE_DESCRIBE) {
        runner_stop(m);
        return;
    }
    const char *text = packet_get_str(&m->packet);
    cJSON *description = json_parse(text, strlen(text), "description", &ignored);
    if (description)
        json_move(description, object);
    if (m->beside)
        json_put(object, "builds_beside_runs", cJSON_CreateNumber(m->beside)); /* bench reads it without printing */
    cJSON_Delete(description);
}

/* --- batches --- */

static void sample_begin(struct sample *s, const struct candidate *c)
{
    memset(s, 0, sizeof *s);
    s->model_score = c->score;
}

static void object_free(struct trial *t)
{
    free(t->object.bytes);
    t->object = (struct blob){0};
}

static void trials_free(struct trial *t, int n)
{
    for (int i = 0; i < n; i++)
        object_free(&t[i]);
}

/* One program in twenty is timed twice where builds go on beside runs: also while nothing is built. So what overlap
 * does to times is known (validity.h). Half of them are timed alone first. What it took is in no clock. */
enum { ALONE_ONE_IN = 20 };

static bool run_alone(struct measurer *m, struct trial *t, struct phases *phases, struct err *err)
{
    struct builds *builds = m->builds;
    struct sample again = *t->s;
    struct trial alone = *t;
    enum phase before = phases_enter(phases, PHASE_run);
    alone.s = &again;
    bool ok = builds_pause(builds, err);
    double start = clock_now(); /* waiting for builds is the search's own time */
    ok = ok && trial_run(m, &alone, &m->o.regime, NULL, err);
    m->builds = builds;
    phases_enter(phases, before);
    if (ok && again.outcome == OUTCOME_OK && again.computed_s <= 0)
        t->s->alone_s = sample_mean(&again);
    double took = clock_now() - start;
    t->s->run_s += took;
    t->s->spared_s -= took;
    return ok;
}

static bool run_overlapped(struct measurer *m, struct trial *t, struct phases *phases, struct err *err)
{
    uint64_t draw = m->splits && m->beside && !m->choosing ? repeat_draw(m->o.seed + 1, t->c->hash) : 1;
    bool drawn = draw % ALONE_ONE_IN == 0, first = draw / ALONE_ONE_IN % 2;
    if (drawn && first && !run_alone(m, t, phases, err))
        return false;
    struct sample was = *t->s;
    if (!trial_run(m, t, &m->o.regime, phases, err))
        return false;
    t->s->alone_s = was.alone_s;
    t->s->run_s += was.run_s;
    t->s->spared_s += was.spared_s;
    return !drawn || first || t->s->outcome != OUTCOME_OK || run_alone(m, t, phases, err);
}

/* Runs one trial that was built. False: measuring itself broke. */
static bool built_run(struct measurer *m, struct trial *t, struct phases *phases, struct err *err)
{
    t->s->cost_s = t->s->build_s + t->s->cached_s;
    if (m->self) {
        enum phase before = phases_enter(phases, PHASE_run);
        virtual_measure(m, t->c, &m->o.regime, t->fastest_s, t->s);
        phases_enter(phases, before);
        return true;
    }
    return t->s->outcome != OUTCOME_OK || run_overlapped(m, t, phases, err);
}

static bool is_stopped(const struct measurer *m)
{
    return m->o.stopped && m->o.stopped();
}

/* Waits for the builds that the run of trial i has to wait for: its own and those before it, or all n of the batch,
 * unless the search is to stop. The clock books it as building; what is built beside runs is time of the runs. */
static bool wait_built(struct builds *builds, int i, struct phases *phases, struct err *err)
{
    enum phase before = phases_enter(phases, PHASE_build);
    int last = builds->wanted = builds->m->beside ? i : builds->n - 1;
    bool ok = builds_until(builds, i, err);
    while (ok && builds->built <= last && !is_stopped(builds->m))
        ok = builds_until(builds, builds->built, err);
    ok = ok && (builds->built > last || builds_pause(builds, err));
    phases_enter(phases, before);
    return ok;
}

/* How n trials share the machine: builds in this order on the workers, runs in order, each when it is built, or, unless
 * builds go on beside runs, when all are. */
struct batch_way {
    int workers;
    bool beside;
    const int *order;
};

/* What the trials take so, as their own seconds say. cached: had those that were found been built. */
static double batch_seconds(const struct batch_way *way, const struct trial *t, int n, bool cached)
{
    double free_s[MOST_BUILDERS] = {0}, built_s = 0, runs_s = 0, now_s = 0;
    for (int i = 0; i < n; i++) {
        const struct sample *s = t[way->order[i]].s;
        int first = 0;
        for (int w = 1; w < way->workers; w++)
            if (free_s[w] < free_s[first])
                first = w;
        free_s[first] += s->build_s + (cached ? s->cached_s : 0);
        built_s = fmax(built_s, free_s[first]);
        double run_s = s->run_s + s->verify_s;
        now_s = fmax(now_s, built_s) + run_s;
        runs_s += run_s;
    }
    return way->beside ? now_s : built_s + runs_s;
}

/* Builds and runs n trials. *more becomes false when done asks to stop. */
static bool trials_run(struct measurer *m, struct measured_batch *b, struct trial *t, int n, bool *more,
                       struct err *err)
{
    struct builds builds;
    struct batch_way way = {.workers = m->beside && !m->splits ? m->beside : m->nbuilders, .beside = m->beside > 0};
    bool ok = true;
    builds_begin(&builds, m, t, n, m->o.regime.build_timeout_s);
    way.order = builds.order.at;
    for (int i = 0; i < n && ok && *more; i++) {
        t[i].fastest_s = b->fastest_s;
        ok = (m->self || wait_built(&builds, i, b->phases, err)) && built_run(m, &t[i], b->phases, err);
        if (!ok)
            break;
        object_free(&t[i]);
        t[i].s->run_s += m->choice_s;
        t[i].s->spared_s -= m->choice_s;
        m->choice_s = 0;
        b->fastest_s = sample_faster(b->fastest_s, t[i].s);
        int at = b->measured++;
        b->cached_s = i == n - 1 ? batch_seconds(&way, t, n, true) - batch_seconds(&way, t, n, false) : 0;
        *more = !b->done || b->done(b->ctx, at, t[i].s);
    }
    builds_end(&builds);
    trials_free(t, n);
    return ok;
}

static bool batch_run(struct measurer *m, struct measured_batch *b, struct err *err)
{
    int size = m->o.regime.overlap && b->n > 0 ? b->n : 2 * m->nbuilders;
    struct trial *t = calloc((size_t)size, sizeof *t);
    bool ok = t != NULL || err_set(err, "out of memory"), more = true;
    b->measured = 0;
    for (int first = 0; first < b->n && ok && more; first += size) {
        int now = b->n - first < size ? b->n - first : size;
        for (int i = 0; i < now; i++) {
            const struct candidate *c = &b->candidates[first + i];
            struct sample *s = &b->samples[first + i];
            sample_begin(s, c);
            t[i] = (struct trial){.c = c, .s = s, .fault = fault_at(&m->faults, ++m->trials)};
        }
        ok = trials_run(m, b, t, now, &more, err);
    }
    free(t);
    return ok;
}

/* The times that programs have beside builds, over those that they have without. */
static struct interval times_ratio(const struct sample *beside, const struct sample *apart, int n)
{
    double *ratios = calloc((size_t)n, sizeof *ratios);
    int fine = 0;
    for (int i = 0; i < n && ratios; i++)
        if (beside[i].outcome == OUTCOME_OK && apart[i].outcome == OUTCOME_OK && beside[i].computed_s <= 0 &&
            apart[i].computed_s <= 0)
            ratios[fine++] = sample_mean(&beside[i]) / sample_mean(&apart[i]);
    struct interval out = fine ? interval_student(ratios, fine, 0.95) : (struct interval){0};
    free(ratios);
    return out;
}

static bool go_on(void *measurer, int i, const struct sample *s)
{
    (void)i, (void)s;
    return !is_stopped(measurer);
}

/* Where the runner has cores of its own, builds go on beside runs, or a batch is built on all cores and then run:
 * whichever is quicker, if it leaves times as they are. The first batch of CHOICE_LEAST programs is measured both ways
 * in the order beside, apart, apart, beside, with every build made, and only then for the record. The clock of the
 * search is charged none of it. */
static bool choose_way(struct measurer *m, struct measured_batch *b, struct err *err)
{
    enum { CHOICE_LEAST = 16, TURNS = 4 };
    m->chosen = m->chosen || !m->splits || m->o.force_overlap || m->faults.n > 0;
    if (m->chosen || b->n < CHOICE_LEAST)
        return true;
    enum phase before = phases_enter(b->phases, PHASE_run);
    struct sample *samples = calloc((size_t)b->n, 2 * sizeof *samples);
    bool ok = samples != NULL || err_set(err, "out of memory"), whole = true;
    double start = clock_now(), seconds[2] = {0};
    m->choosing = true;
    for (int i = 0; i < TURNS && ok && whole; i++) {
        int beside = i == 0 || i == TURNS - 1;
        struct measured_batch turn = {.candidates = b->candidates,
                                      .n = b->n,
                                      .samples = samples + beside * b->n,
                                      .done = go_on,
                                      .ctx = m,
                                      .fastest_s = b->fastest_s};
        double began = clock_now();
        m->beside = beside ? m->spare : 0;
        ok = batch_run(m, &turn, err);
        whole = turn.measured == b->n;
        seconds[beside] += clock_now() - began;
    }
    m->choosing = false;
    m->chosen = true;
    if (ok && whole) {
        struct interval r = times_ratio(samples + b->n, samples, b->n);
        bool disturbed = r.n > 1 && (r.low > 1 + OVERLAP_BIAS || r.high < 1 - OVERLAP_BIAS);
        m->beside = seconds[1] < seconds[0] && !disturbed ? m->spare : 0;
        b->overlap = arena_printf(m->arena,
                                  "%d programs take %.1f s with builds beside runs and %.1f s without; times %.3f "
                                  "[%.3f, %.3f] times as long: builds %s",
                                  b->n, seconds[1] / 2, seconds[0] / 2, r.ratio, r.low, r.high,
                                  m->beside ? "go on beside runs" : "are made before runs");
        log_info("overlap: %s", b->overlap);
    }
    m->choice_s = clock_now() - start;
    free(samples);
    phases_enter(b->phases, before);
    return ok;
}

bool measure_batch(struct measurer *m, struct measured_batch *b, struct err *err)
{
    if (m->remote)
        return remote_batch(m->remote, b, err);
    return choose_way(m, b, err) && batch_run(m, b, err);
}

bool measure_builds(struct measurer *m, const struct candidate *c, int n, struct sample *s, struct err *err)
{
    struct trial *t = calloc((size_t)n, sizeof *t);
    if (!t)
        return err_set(err, "out of memory");
    if (!m->fork_server)
        bug("builds of a virtual target, or of another machine");
    for (int i = 0; i < n; i++) {
        sample_begin(&s[i], &c[i]);
        t[i] = (struct trial){.c = &c[i], .s = &s[i]};
    }
    bool ok = build_all(m, t, n, m->o.regime.build_timeout_s, err);
    trials_free(t, n);
    free(t);
    return ok;
}

bool measure_again(struct measurer *m, const struct candidate *c, const struct regime *regime, struct sample *out,
                   struct err *err)
{
    if (m->remote)
        return remote_again(m->remote, c, regime, out, err);
    sample_begin(out, c);
    if (m->self) {
        virtual_measure(m, c, regime, 0, out);
        return true;
    }
    struct trial t = {.c = c, .s = out, .is_fresh = true};
    bool ok = build_all(m, &t, 1, regime->build_timeout_s, err);
    out->cost_s = out->build_s + out->cached_s;
    if (ok && out->outcome == OUTCOME_OK) {
        runner_stop(m);
        ok = trial_run(m, &t, regime, NULL, err);
    }
    trials_free(&t, 1);
    return ok;
}

bool measure_count(struct measurer *m, const struct candidate *c, const struct regime *regime, struct counter_list *out,
                   struct sample *s, struct err *err)
{
    if (m->remote)
        return remote_count(m->remote, c, regime, out, s, err);
    out->n = 0;
    sample_begin(s, c);
    if (m->self || !m->o.collectors || !m->o.collectors[0])
        return true;
    struct trial t = {.c = c, .s = s, .is_fresh = true};
    bool ok = build_all(m, &t, 1, regime->build_timeout_s, err);
    if (ok && s->outcome == OUTCOME_OK) {
        runner_stop(m); /* threads made before are not counted by every collector */
        ok = trial_count(m, &t, regime, out, err);
        runner_stop(m); /* no timed run may meet a collector */
    }
    if (ok && s->outcome != OUTCOME_OK) {
        char why[sizeof s->message + 32];
        snprintf(why, sizeof why, "%s: %s", outcome_word(s->outcome), s->message);
        counted_run_absent(m->o.collectors, why, out);
    }
    trials_free(&t, 1);
    return ok;
}

bool measure_sliced(struct measurer *m, struct sliced_run *r, struct err *err)
{
    return m->remote ? remote_sliced(m->remote, r, err) : sliced_run_take(m, r, err);
}
