/* SPDX-License-Identifier: Apache-2.0 */
/* night: begin, experiment, pinned programs, judgement, rerun, end. The binary under test is run by its command line,
 * so a night can be run for an older or another one, and a rerun can have both. */
#include "harness/nightly/night.h"

#include "harness/base/clock.h"
#include "harness/base/digest.h"
#include "harness/base/file.h"
#include "harness/base/hash.h"
#include "harness/base/json.h"
#include "harness/base/log.h"
#include "harness/cli/gather.h"
#include "harness/measure/host.h"
#include "harness/nightly/child_process.h"
#include "harness/nightly/drift.h"
#include "harness/nightly/nightly_compare.h"
#include "harness/nightly/pinned.h"
#include "harness/nightly/series.h"
#include "harness/nightly/trend.h"
#include "harness/tune/campaign.h"
#include "harness/tune/interrupt.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORDS_MOST = 180 };

struct words {
    const char *at[WORDS_MOST];
    int n;
};

static void say(struct words *w, const char *word)
{
    if (w->n == WORDS_MOST - 1)
        bug("a command of more than %d words", WORDS_MOST);
    w->at[w->n++] = word;
}

bool night_folder(struct cli *c, const char *state, const char **out, struct err *err)
{
    const char *xdg = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    if (state)
        *out = state;
    else if (xdg && *xdg == '/') /* the specification: a relative one is to be ignored */
        *out = file_join(c->arena, xdg, "raingauge");
    else if (home && *home)
        *out = file_join(c->arena, home, ".local/state/raingauge");
    else
        return err_set(err, "no folder for the history: neither XDG_STATE_HOME nor HOME is set; give --state");
    return true;
}

/* Beginning ------------------------------------------------------------------------------------------------------- */

static bool run_words(struct night_run *r, const struct words *w, struct text *said, int *status, struct err *err)
{
    struct child_process e = {.argv = w->at, .until = r->until};
    bool fine = child_process_run(&e, err);
    *status = e.status;
    if (said && fine)
        text_add(said, text_str(&e.said));
    text_free(&e.said);
    if (!fine || !e.late)
        return fine;
    char budget[64];
    clock_format(r->budget_s, budget, sizeof budget);
    err->code = EXIT_INCONCLUSIVE;
    return err_set(err, "night %lld: the budget of %s is used up; the same command goes on with this night",
                   (long long)r->night.number, budget);
}

static bool know_binary(struct night_run *r, const char *path, struct err *err)
{
    char own[PATH_MAX], *bytes, hex[65];
    size_t n;
    int status;
    ssize_t len = readlink("/proc/self/exe", own, sizeof own - 1);
    if (!path && len <= 0)
        return err_set(err, "cannot tell which binary this is: %s", strerror(errno));
    r->binary = path ? path : arena_strn(r->c->arena, own, (size_t)len);
    struct arena *scratch = arena_open("binary");
    bool fine = file_read(scratch, r->binary, 0, &bytes, &n, err);
    if (fine)
        digest_sha256(bytes, n, hex);
    arena_close(scratch);
    if (!fine)
        return false;
    struct words w = {.at = {r->binary, "--version"}, .n = 2};
    struct text said = {0};
    fine = run_words(r, &w, &said, &status, err);
    r->night.binary = arena_str(r->c->arena, hex);
    r->night.revision = arena_strn(r->c->arena, text_str(&said), strcspn(text_str(&said), "\n"));
    text_free(&said);
    return fine && (status == 0 || err_set(err, "'%s --version' ended with status %d", r->binary, status));
}

/* Facts that may not change between nights that are compared, and those that are only told. */
static void know_machine(struct night_run *r)
{
    struct host h;
    struct text t = {0};
    host_probe(&h);
    text_add(&t, "{\"cpu\": ");
    text_json(&t, h.cpu);
    text_printf(&t,
                ", \"arch\": \"%s\", \"cores\": %d, \"threads_per_core\": %d, \"memory_gib\": %.0f, \"l3_bytes\": %ld",
                h.arch, h.cores_online, h.threads_per_core, h.memory_gib, h.l3_bytes);
    text_add(&t, ", \"target\": ");
    text_json(&t, r->e->plan.target);
    text_char(&t, '}');
    r->night.identity = arena_str(r->c->arena, text_str(&t));
    text_clear(&t);
    h.load1 = 0; /* changes every night */
    text_add(&t, "{\"host\": ");
    json_print(host_json(&h), &t);
    text_add(&t, ", \"versions\": {");
    gather_versions(&t);
    text_add(&t, "}}");
    r->night.environment = arena_str(r->c->arena, text_str(&t));
    text_free(&t);
}

static bool load(struct night_run *r, const struct night_options *o, struct err *err)
{
    struct machine m;
    if (!machine_load(r->c->arena, r->c->folder, o->machine, &m, err))
        return false;
    struct option_list sets = {.at = {arena_printf(r->c->arena, "machine=%s", o->machine)}, .n = 1};
    for (int i = 0; o->sets && i < o->sets->n && sets.n < 64; i++)
        sets.at[sets.n++] = o->sets->at[i];
    r->sets = arena_copy(r->c->arena, &sets, sizeof sets);
    struct experiment_options x = {.folder = r->c->folder,
                                   .name = m.nightly.experiment,
                                   .tier = o->tier ? o->tier : m.nightly.tier,
                                   .results = ".",
                                   .sets = r->sets->at,
                                   .nsets = r->sets->n};
    r->budget_s = o->budget_s > 0 ? o->budget_s : m.nightly.budget_s;
    r->until = clock_now() + r->budget_s;
    return experiment_load(r->c->arena, r->c->registry, &x, &r->e, err);
}

static const char *night_dir(const struct night_run *r)
{
    return arena_printf(r->c->arena, "%s/nights/%lld", r->dir, (long long)r->night.number);
}

static const char *programs_path(const struct night_run *r)
{
    uint64_t key = hash_mix(hash_str(r->night.identity), hash_str(r->night.experiment_hash));
    return arena_printf(r->c->arena, "%s/programs/%s-%016llx.jsonl", r->dir, r->night.machine, (unsigned long long)key);
}

static const char *kept_binary(const struct night_run *r, const char *hash)
{
    return arena_printf(r->c->arena, "%s/binaries/%.16s", r->dir, hash);
}

/* Refuses a night that cannot fit before it begins; the forecast of what is left counts, so a cut one may go on. */
static bool check_budget(struct night_run *r, const struct target *target, struct err *err)
{
    struct campaign_forecast f;
    char left[64], budget[64];
    r->e->plan.results_dir = night_dir(r);
    campaign_forecast(&r->e->plan, target->is_virtual, false, &f);
    clock_format(f.left_s, left, sizeof left);
    clock_format(r->budget_s, budget, sizeof budget);
    if (!target->is_virtual && f.left_s > r->budget_s)
        return err_set(
            err,
            "machine '%s': %s needs about %s, its budget is %s: raise nightly.budget_s in the machine's file "
            "(or --budget), or make the experiment smaller",
            r->night.machine, r->e->stem, left, budget);
    log_info("night %lld of machine %s%s: %lld trials of %s left, about %s; budget %s; history in %s",
             (long long)r->night.number, r->night.machine, r->resumed ? ", going on where it was cut short" : "",
             (long long)(f.trials - f.done), r->e->stem, left, budget, r->dir);
    return true;
}

static bool look_back(struct night_run *r, struct err *err)
{
    struct night *all;
    int n;
    if (!history_nights(r->h, r->c->arena, r->night.machine, &all, &n, err) ||
        !history_before(r->h, r->c->arena, &r->night, true, &r->window, &r->nwindow, err))
        return false;
    for (int i = n - 1; i >= 0 && !r->before.number; i--)
        if (all[i].number < r->night.number && !str_eq(all[i].state, NIGHT_STOPPED))
            r->before = all[i];
    r->old = r->nwindow ? r->window[0] : (struct night){0};
    r->moved = r->before.number && !str_eq(r->before.identity, r->night.identity);
    return true;
}

bool night_begin(struct cli *c, const struct night_options *o, struct night_run *r, struct err *err)
{
    *r = (struct night_run){.c = c, .until = INFINITY};
    interrupt_install();
    if (!load(r, o, err) || !night_folder(c, o->state, &r->dir, err) || !history_open(r->dir, &r->h, err) ||
        !know_binary(r, o->binary, err))
        return false;
    r->night.machine = o->machine;
    r->night.experiment =
        *r->e->tier ? arena_printf(c->arena, "%s %s", r->e->stem, r->e->tier) : arena_str(c->arena, r->e->stem);
    r->night.experiment_hash = r->e->plan.experiment_hash;
    know_machine(r);
    const struct target *target = registry_target(c->registry, r->e->plan.target, err);
    return target && history_begin(r->h, &r->night, &r->resumed, err) && look_back(r, err) &&
           check_budget(r, target, err);
}

void night_end(struct night_run *r)
{
    history_close(r->h);
    vec_free(&r->findings.all);
    vec_free(&r->broken);
    interrupt_restore();
}

/* Measuring ------------------------------------------------------------------------------------------------------- */

/* The binary and the experiments it ran, for a rerun some night. A rename makes it whole or absent. */
static bool keep_binary(struct night_run *r, struct err *err)
{
    const char *to = kept_binary(r, r->night.binary), *half = arena_printf(r->c->arena, "%s.new", to);
    int status = 0;
    if (file_exists(to))
        return true;
    const char *file = file_join(r->c->arena, half, "raingauge");
    const struct words steps[] = {{.at = {"/bin/rm", "-rf", half}},
                                  {.at = {"/bin/mkdir", "-p", half}},
                                  {.at = {"/bin/cp", "-L", r->binary, file}},
                                  {.at = {"/bin/cp", "-RL", r->c->folder, file_join(r->c->arena, half, "experiments")}},
                                  {.at = {"/bin/mv", half, to}}};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (!run_words(r, &steps[i], NULL, &status, err))
            return false;
        else if (status != 0)
            return err_set(err, "cannot keep a copy of the binary in '%s'", to);
    return true;
}

/* One campaign by a binary; more: "--set" values after those of the night. */
static bool run_campaign(struct night_run *r, const char *binary, const char *experiments, const char *results,
                         const char *const *more, int nmore, struct err *err)
{
    struct words w = {0};
    int status;
    const char *const head[] = {binary,      "run",   r->e->stem, "--experiments", experiments,
                                "--results", results, "--resume", "--quiet"};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        say(&w, head[i]);
    if (*r->e->tier) {
        say(&w, "--tier");
        say(&w, r->e->tier);
    }
    for (int i = 0; i < r->sets->n + nmore; i++) {
        say(&w, "--set");
        say(&w, i < r->sets->n ? r->sets->at[i] : more[i - r->sets->n]);
    }
    if (!run_words(r, &w, NULL, &status, err))
        return false;
    if (status == 0)
        return true;
    err->code = status == EXIT_INVALID ? EXIT_INVALID : EXIT_USAGE;
    return err_set(err, "night %lld: '%s run %s' ended with status %d", (long long)r->night.number, binary, r->e->stem,
                   status);
}

static bool read_series(struct night_run *r, const char *results, const char *side, int ordinal, struct err *err)
{
    struct store *s;
    struct series series = {0};
    if (!store_open_read(results, &s, err))
        return false;
    bool fine = series_read(r->c->arena, s, &series, err);
    store_close(s);
    for (int i = 0; fine && i < series.all.n; i++)
        fine = str_starts(series.all.at[i].series, "program ") || /* of this night's winners: others every night */
               history_put(r->h, r->night.number, series.all.at[i].series, side,
                           ordinal ? ordinal : series.all.at[i].ordinal, series.all.at[i].seconds, err);
    series_free(&series);
    return fine;
}

static bool put_line(struct night_run *r, const char *line, const char *side, int ordinal, struct err *err)
{
    cJSON *json = json_parse(line, strlen(line), "a launch", err);
    if (!json)
        return false;
    const char *series = arena_str(r->c->arena, json_str(json, "series", "?"));
    double seconds = json_num(json, "seconds", NAN);
    bool fine = true;
    if (seconds > 0)
        fine = history_put(r->h, r->night.number, series, side, ordinal, seconds, err);
    else if (!*side)
        vec_push(&r->broken, arena_printf(r->c->arena, "%s: %s", series, json_str(json, "reason", "")));
    cJSON_Delete(json);
    return fine;
}

/* All pinned programs once, in a process of their own. */
static bool launch(struct night_run *r, const char *binary, const char *side, int ordinal, struct err *err)
{
    struct words w = {.at = {binary, "nightly", "--launch", programs_path(r), "--quiet"}, .n = 5};
    struct text said = {0};
    int status;
    bool fine = run_words(r, &w, &said, &status, err);
    if (fine && status != 0) {
        err->code = EXIT_INVALID;
        fine = err_set(err, "night %lld: '%s nightly --launch' ended with status %d", (long long)r->night.number,
                       binary, status);
    }
    for (char *line = fine ? strtok(said.s ? said.s : (char[]){""}, "\n") : NULL; fine && line;
         line = strtok(NULL, "\n"))
        fine = put_line(r, line, side, ordinal, err);
    text_free(&said);
    return fine;
}

/* How many launches of a side are recorded whole: the fewest values of a program. */
static bool launches_done(struct night_run *r, const char *side, int *done, struct err *err)
{
    const char **names;
    int n;
    *done = INT_MAX;
    if (!history_series(r->h, r->c->arena, r->night.number, &names, &n, err))
        return false;
    for (int i = 0; i < n; i++) {
        double *v;
        int nv = 0;
        if (str_starts(names[i], "program ") &&
            !history_values(r->h, r->c->arena, r->night.number, names[i], side, &v, &nv, err))
            return false;
        if (str_starts(names[i], "program ") && nv < *done)
            *done = nv;
    }
    *done = *done == INT_MAX ? 0 : *done;
    return true;
}

static bool measure(struct night_run *r, struct err *err)
{
    int done = 0, launches = r->e->machine.nightly.launches;
    const char *programs = programs_path(r);
    if (!file_make_dirs(file_join(r->c->arena, r->dir, "programs"), err) ||
        !file_make_dirs(file_join(r->c->arena, r->dir, "binaries"), err) || !keep_binary(r, err) ||
        !run_campaign(r, r->binary, r->c->folder, night_dir(r), NULL, 0, err) ||
        !read_series(r, night_dir(r), "", 0, err))
        return false;
    if (!file_exists(programs) && !pinned_pin(r->c, r->e, night_dir(r), programs, err))
        return false;
    if (!launches_done(r, "", &done, err))
        return false;
    log_info("night %lld: pinned programs, %d launches", (long long)r->night.number, launches - done);
    for (int i = done; i < launches; i++) {
        r->broken.n = 0;
        if (!launch(r, r->binary, "", i, err))
            return false;
    }
    return true;
}

/* Rerun ----------------------------------------------------------------------------------------------------------- */

static bool is_suspect(const struct finding *f)
{
    return finding_is(f, REGRESSION_SUSPECT);
}

/* "search alexnet/ansor" -> "alexnet" */
static const char *network_of(const struct night_run *r, const char *series)
{
    const char *from = strchr(series, ' ') + 1;
    return arena_strn(r->c->arena, from, strcspn(from, "/"));
}

/* Suspect networks as one value of --set, or NULL. */
static const char *suspect_networks(const struct night_run *r)
{
    const char *set = NULL;
    for (int i = 0; i < r->findings.all.n; i++) {
        const struct finding *f = &r->findings.all.at[i];
        if (!is_suspect(f) || str_starts(f->v.series, "program "))
            continue;
        const char *network = network_of(r, f->v.series);
        bool listed = false; /* whole names: one may be part of another */
        for (int j = 0; j < i && !listed; j++) {
            const struct finding *g = &r->findings.all.at[j];
            listed =
                is_suspect(g) && !str_starts(g->v.series, "program ") && str_eq(network_of(r, g->v.series), network);
        }
        if (!listed)
            set = arena_printf(r->c->arena, "%s%s", set ? arena_printf(r->c->arena, "%s,", set) : "networks=", network);
    }
    return set;
}

static bool suspect_programs(const struct night_run *r)
{
    for (int i = 0; i < r->findings.all.n; i++)
        if (is_suspect(&r->findings.all.at[i]) && str_starts(r->findings.all.at[i].v.series, "program "))
            return true;
    return false;
}

/* Side 0: old, 1: new, of pair number pair. */
static bool rerun_one(struct night_run *r, int side, int pair, const char *networks, bool programs, int launched,
                      struct err *err)
{
    static const char *const SIDES[] = {"old", "new"};
    const char *kept = kept_binary(r, r->old.binary);
    const char *binary = side ? r->binary : file_join(r->c->arena, kept, "raingauge");
    const char *folder = side ? r->c->folder : file_join(r->c->arena, kept, "experiments");
    const char *results = arena_printf(r->c->arena, "%s/again/%s-%d", night_dir(r), SIDES[side], pair + 1);
    const char *more[] = {networks, "seeds=1", arena_printf(r->c->arena, "first_seed=%d", pair + 1)};
    return (!networks || (run_campaign(r, binary, folder, results, more, 3, err) &&
                          read_series(r, results, SIDES[side], pair + 1, err))) &&
           (!programs || pair < launched || launch(r, binary, SIDES[side], pair, err));
}

/* The latest of the window that is kept; of a drift, from before its step. */
static bool find_old(struct night_run *r)
{
    int64_t since = drift_since(&r->findings);
    for (int i = 0; i < r->nwindow && (since || i < HISTORY_WINDOW); i++) {
        const struct night *n = &r->window[i];
        if (since && n->number >= since)
            continue;
        r->old = *n;
        if (file_exists(file_join(r->c->arena, kept_binary(r, n->binary), "raingauge")))
            return true;
    }
    r->unjudged = arena_printf(r->c->arena, "the binary of night %lld is no longer kept ('%s')",
                               (long long)r->old.number, kept_binary(r, r->old.binary));
    return false;
}

/* Old and new take turns, and take turns in going first. */
static bool rerun(struct night_run *r, struct err *err)
{
    const char *networks = suspect_networks(r);
    bool programs = suspect_programs(r), fine = true;
    int old = 0, new = 0;
    if (!find_old(r))
        return true;
    if (!launches_done(r, "old", &old, err) || !launches_done(r, "new", &new, err))
        return false;
    log_info("night %lld: %d series look changed: old and new run again in turns, %d pairs", (long long)r->night.number,
             findings_count(&r->findings, regression_word(REGRESSION_SUSPECT)), NIGHT_PAIRS);
    for (int i = 0; fine && i < NIGHT_PAIRS; i++) {
        int first = i % 2;
        fine = rerun_one(r, first, i, networks, programs, first ? new : old, err) &&
               rerun_one(r, !first, i, networks, programs, first ? old : new, err);
    }
    return fine;
}

/* The end --------------------------------------------------------------------------------------------------------- */

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

static bool used(const struct night_run *r, const char *binary)
{
    if (str_eq(binary, r->night.binary))
        return true;
    for (int i = 0; i < r->nwindow; i++) {
        bool weekly = i < DRIFT_NIGHTS && (r->nwindow - 1 - i) % DRIFT_EVERY == 0; /* counted from the oldest */
        if ((i < HISTORY_WINDOW || weekly) && str_eq(r->window[i].binary, binary))
            return true;
    }
    return false;
}

/* Old folders and binaries that nothing refers to any more; of this machine file only. Values stay for good. */
static bool sweep(struct night_run *r, struct err *err)
{
    struct night *all;
    int n, status;
    if (!history_nights(r->h, r->c->arena, r->night.machine, &all, &n, err))
        return false;
    for (int i = 0; i + NIGHT_FOLDERS < n; i++) {
        const char *folder = arena_printf(r->c->arena, "%s/nights/%lld", r->dir, (long long)all[i].number);
        const char *kept = kept_binary(r, all[i].binary);
        struct words w = {.at = {"/bin/rm", "-rf", folder, used(r, all[i].binary) ? NULL : kept}};
        if ((file_exists(folder) || file_exists(kept)) && !run_words(r, &w, NULL, &status, err))
            return false;
    }
    return true;
}

static bool weigh(struct night_run *r, struct err *err)
{
    return nightly_compare(r->c->arena, r->h, &r->night, r->window, r->nwindow, &r->findings, err);
}

bool night_go(struct night_run *r, struct err *err)
{
    char *note;
    if (!measure(r, err) || !weigh(r, err))
        return false;
    if (r->nwindow && findings_count(&r->findings, regression_word(REGRESSION_SUSPECT)) &&
        (!rerun(r, err) || !weigh(r, err)))
        return false;
    if (!write_verdicts(r, err))
        return false;
    r->until = INFINITY;
    const char *plots = access("plots", F_OK) == 0 ? "plots" : RAINGAUGE_DATADIR "/plots";
    if (!sweep(r, err) || !trend_draw(r->c->arena, r->h, r->dir, r->night.machine, plots, &note, err))
        return false;
    r->trend = note;
    if (r->moved && r->code == EXIT_FINE)
        r->code = EXIT_CHANGED;
    return true;
}
