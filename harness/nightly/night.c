/* SPDX-License-Identifier: Apache-2.0 */
/* night: begin, experiment, pinned programs, comparison, rerun, end. The binary under test is run by its command line,
 * so a night can be run for an older or another one, and a rerun can have both. */
#include "harness/nightly/night.h"

#include "harness/base/clock.h"
#include "harness/base/digest.h"
#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/log.h"
#include "harness/measure/host.h"
#include "harness/nightly/history_page.h"
#include "harness/nightly/night_commands.h"
#include "harness/nightly/night_files.h"
#include "harness/nightly/night_rerun.h"
#include "harness/nightly/nightly_compare.h"
#include "harness/nightly/pinned.h"
#include "harness/tune/campaign.h"
#include "harness/tune/forecast.h"
#include "harness/tune/interrupt.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

/* Beginning ------------------------------------------------------------------------------------------------------- */

static bool know_binary(struct night_run *r, struct err *err)
{
    char own[PATH_MAX], *bytes, hex[65];
    size_t n;
    ssize_t len = readlink("/proc/self/exe", own, sizeof own - 1);
    if (!r->o->binary && len <= 0)
        return err_set(err, "cannot find out which binary this is: %s", strerror(errno));
    r->binary = r->o->binary ? r->o->binary : arena_strn(r->o->arena, own, (size_t)len);
    struct arena *scratch = arena_open("binary");
    bool fine = file_read(scratch, r->binary, 0, &bytes, &n, err);
    if (fine)
        digest_sha256(bytes, n, hex);
    arena_close(scratch);
    if (!fine)
        return false;
    r->night.binary = arena_str(r->o->arena, hex);
    return night_commands_version(r, r->binary, &r->night.revision, err);
}

static const char *print(struct night_run *r, cJSON *value)
{
    struct text t = {0};
    json_print(value, &t);
    return text_keep(&t, r->o->arena);
}

/* Facts that may not change between nights that are compared, and those that are only shown. */
static void know_machine(struct night_run *r)
{
    struct host h;
    cJSON *identity = json_object(), *environment = json_object();
    host_probe(&h);
    json_put_str(identity, "cpu", h.cpu);
    json_put_str(identity, "arch", h.arch);
    json_put_int(identity, "cores", h.cores_online);
    json_put_int(identity, "threads_per_core", h.threads_per_core);
    json_put_number(identity, "memory_gib", rint(h.memory_gib));
    json_put_int(identity, "l3_bytes", h.l3_bytes);
    json_put_str(identity, "target", r->e->plan.target);
    r->night.identity = print(r, identity);
    h.load1 = 0; /* changes every night */
    *h.node = 0; /* the identity says which machine it is */
    json_put(environment, "host", host_json(&h));
    json_put(environment, "versions", cJSON_CreateRaw(r->o->versions));
    r->night.environment = print(r, environment);
}

static bool load(struct night_run *r, struct err *err)
{
    const struct night_options *o = r->o;
    struct machine m;
    if (!machine_load(o->arena, o->experiments, o->machine, &m, err))
        return false;
    const char **sets = ARENA_ARRAY(o->arena, const char *, o->nsets + 1);
    sets[r->nsets++] = arena_printf(o->arena, "machine=%s", o->machine);
    for (int i = 0; i < o->nsets; i++)
        sets[r->nsets++] = o->sets[i];
    r->sets = sets;
    struct experiment_options x = {.folder = o->experiments,
                                   .name = m.nightly.experiment,
                                   .tier = o->tier ? o->tier : m.nightly.tier,
                                   .results = ".",
                                   .sets = r->sets,
                                   .nsets = r->nsets};
    r->budget_s = o->budget_s > 0 ? o->budget_s : m.nightly.budget_s;
    r->until = clock_now() + r->budget_s;
    return experiment_load(o->arena, o->registry, &x, &r->e, err);
}

/* Refuses a night that cannot fit before it begins; the forecast of what is left counts, so a cut one may go on. */
static bool check_budget(struct night_run *r, const struct target *target, struct err *err)
{
    struct campaign_forecast f = {.pace = forecast_pace()};
    char left[64], budget[64];
    r->e->plan.results_dir = night_files_results(r);
    campaign_forecast(&r->e->plan, target->is_virtual, false, &f, 1);
    clock_format(f.left_s, left, sizeof left);
    clock_format(r->budget_s, budget, sizeof budget);
    if (!target->is_virtual && f.left_s > r->budget_s)
        return err_set(
            err,
            "machine '%s': %s needs about %s, its budget is %s: raise nightly.budget_s in the machine's file "
            "(or --budget), or make the experiment smaller",
            r->night.machine, r->e->stem, left, budget);
    log_info("night %lld of machine %s%s: about %s for %lld trials of %s at most, then %d launches of pinned programs; "
             "at most "
             "%s in all",
             (long long)r->night.number, r->night.machine, r->resumed ? ", going on where it was cut short" : "", left,
             (long long)(f.most - f.done), r->e->stem, r->e->machine.nightly.launches, budget);
    log_info("Ctrl-C stops it, and the same command goes on; the history is in %s", r->dir);
    return true;
}

static bool look_back(struct night_run *r, struct err *err)
{
    struct night *all;
    int n;
    if (!history_nights(r->h, r->o->arena, r->night.machine, &all, &n, err) ||
        !history_before(r->h, r->o->arena, &r->night, true, &r->window, &r->nwindow, err))
        return false;
    for (int i = n - 1; i >= 0 && !r->before.number; i--)
        if (all[i].number < r->night.number && !str_eq(all[i].state, NIGHT_STOPPED))
            r->before = all[i];
    r->old = r->nwindow ? r->window[0] : (struct night){0};
    r->moved = r->before.number && !str_eq(r->before.identity, r->night.identity);
    return true;
}

bool night_open(const struct night_options *o, struct night_run *r, struct err *err)
{
    *r = (struct night_run){.o = o, .until = INFINITY};
    interrupt_install();
    if (!load(r, err) || !history_folder(o->arena, o->state, &r->dir, err) || !history_open(r->dir, &r->h, err))
        return false;
    r->night.machine = o->machine;
    r->night.experiment =
        *r->e->tier ? arena_printf(o->arena, "%s %s", r->e->stem, r->e->tier) : arena_str(o->arena, r->e->stem);
    r->night.experiment_hash = r->e->plan.experiment_hash;
    know_machine(r);
    return true;
}

bool night_begin(const struct night_options *o, struct night_run *r, struct err *err)
{
    if (!night_open(o, r, err) || !know_binary(r, err))
        return false;
    const struct target *target = registry_target(o->registry, r->e->plan.target, err);
    return target && history_begin(r->h, &r->night, &r->resumed, err) && look_back(r, err) &&
           check_budget(r, target, err);
}

void night_end(struct night_run *r)
{
    history_close(r->h);
    vec_free(&r->findings.all);
    vec_free(&r->broken);
    vec_free(&r->removed);
    interrupt_restore();
}

/* Measuring ------------------------------------------------------------------------------------------------------- */

static bool measure(struct night_run *r, struct err *err)
{
    struct arena *a = r->o->arena;
    const struct night_side tonight = {"", r->binary, r->o->experiments};
    const char *programs = night_files_programs(r), *results = night_files_results(r);
    int done = 0, launches = r->e->machine.nightly.launches;
    if (!file_make_dirs(file_join(a, r->dir, "programs"), err) ||
        !file_make_dirs(file_join(a, r->dir, "binaries"), err) || !night_files_keep_binary(r, err) ||
        !night_commands_campaign(r, &tonight, results, NULL, 0, err) ||
        (!file_exists(programs) && !pinned_write(a, &r->e->plan, results, programs, err)) ||
        !night_commands_launches_done(r, &tonight, &done, err))
        return false;
    log_info("night %lld: pinned programs, %d launches", (long long)r->night.number, launches - done);
    for (int i = done; i < launches; i++) {
        r->broken.n = 0;
        if (!night_commands_launch(r, &tonight, programs, i, err))
            return false;
    }
    return true;
}

/* The end --------------------------------------------------------------------------------------------------------- */

static bool compare(struct night_run *r, struct err *err)
{
    const struct tonight t = {r->o->arena, r->h, &r->night, r->window, r->nwindow};
    return nightly_compare(&t, &r->findings, err);
}

static bool write_verdicts(struct night_run *r, struct err *err)
{
    r->code = findings_code(&r->findings);
    if (r->broken.n && r->code != EXIT_REGRESSION)
        r->code = EXIT_INVALID;
    r->night.state = findings_state(&r->findings, r->code);
    for (int i = 0; i < r->findings.all.n; i++)
        if (!history_judge(r->h, r->night.number, &r->findings.all.at[i].v, err))
            return false;
    return history_end(r->h, r->night.number, r->night.state, err);
}

bool night_go(struct night_run *r, struct err *err)
{
    if (!measure(r, err) || !compare(r, err))
        return false;
    if (r->nwindow && findings_count(&r->findings, regression_words[REGRESSION_SUSPECT]) &&
        (!night_rerun(r, err) || !compare(r, err)))
        return false;
    if (!write_verdicts(r, err))
        return false;
    r->until = INFINITY;
    r->page = arena_printf(r->o->arena, "%s/history-%s.html", r->dir, r->night.machine);
    if (!night_files_clean(r, err) || !history_page_write(r->o->arena, r->h, r->night.machine, r->page, err))
        return false;
    if (r->moved && r->code == EXIT_FINE)
        r->code = EXIT_CHANGED;
    return true;
}
