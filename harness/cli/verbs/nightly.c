/* SPDX-License-Identifier: Apache-2.0 */
/* nightly: one night, its verdict in words that tell an engineer what changed and where to look, and the exit code for
 * cron and systemd. Also the history, accepting a night as the normal, and (for night_commands.c) one launch of pinned
 * programs. */
#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/log.h"
#include "harness/cli/gather.h"
#include "harness/cli/open.h"
#include "harness/nightly/bisect.h"
#include "harness/nightly/drift.h"
#include "harness/nightly/history_page.h"
#include "harness/nightly/machine_changes.h"
#include "harness/nightly/night.h"
#include "harness/nightly/night_formats.h"
#include "harness/nightly/pinned.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct nightly_options {
    const char *tier, *state, *binary, *accept, *launch, *page, *bisect, *series, *junit, *prometheus;
    double budget_s; /* 0: not given */
    struct setting_strings sets;
    bool history, annotate;
};

/* What changed ---------------------------------------------------------------------------------------------------- */

/* "raingauge 0.1.0 (2b1c3d4-dirty) +llvm" -> "2b1c3d4" */
static const char *revision_of(struct arena *a, const char *version)
{
    const char *open = strchr(version, '(');
    return open ? arena_strn(a, open + 1, strcspn(open + 1, "-)")) : "?";
}

/* Commands that are shown find the same history. */
static void add_state(const struct night_run *r, struct text *t)
{
    if (r->o->state)
        cli_add_word(t, "--state", r->o->state);
}

static void what_changed(const struct night_run *r, struct text *t)
{
    const struct night *old = r->old.number ? &r->old : &r->before, *new = &r->night;
    struct text diff = {0};
    char date[32];
    if (!old->number)
        return;
    clock_iso(old->begun_unix, date);
    text_printf(t, "since night %lld (%.10s):\n", (long long)old->number, date);
    if (str_eq(old->binary, new->binary))
        text_printf(t, "  program   the same binary (%.12s)\n", new->binary);
    else if (str_eq(old->revision, new->revision))
        text_printf(t, "  program   %.12s is now %.12s, both %s\n", old->binary, new->binary, new->revision);
    else
        text_printf(t, "  program   %.12s is now %.12s: %s is now %s\n", old->binary, new->binary, old->revision,
                    new->revision);
    machine_changes(old, new, &diff);
    text_printf(t, "  machine   %s\n", diff.len ? text_str(&diff) : "no change that raingauge can see");
    text_free(&diff);
    if (r->code == EXIT_REGRESSION &&
        !str_eq(revision_of(r->o->arena, old->revision), revision_of(r->o->arena, new->revision)))
        text_printf(t, "look closer:\n  git log --oneline %s..%s -- harness search models targets\n",
                    revision_of(r->o->arena, old->revision), revision_of(r->o->arena, new->revision));
    else
        text_add(t, "look closer:\n");
    text_printf(t, "  raingauge compare %lld %lld --all", (long long)old->number, (long long)new->number);
    add_state(r, t);
    if (r->code == EXIT_REGRESSION)
        text_printf(t, "\n  the old binary: %s/binaries/%.16s/raingauge", r->dir, old->binary);
    text_printf(t, "\nif this is wanted: raingauge nightly %s --accept \"why\"", new->machine);
    add_state(r, t);
    text_add(t, " makes it what later nights are compared with\n");
}

/* The verdict ----------------------------------------------------------------------------------------------------- */

static void headline(const struct night_run *r, struct text *t)
{
    const struct findings *f = &r->findings;
    text_printf(t, "night %lld, machine %s, %s: ", (long long)r->night.number, r->night.machine, r->night.experiment);
    if (!r->nwindow && r->code == EXIT_CHANGED)
        text_add(t, "the hardware is not that of the night before; this night begins its history");
    else if (!r->nwindow && r->code == EXIT_FINE)
        text_add(t, "nothing to compare with yet; later nights are compared with this one");
    else if (r->code == EXIT_REGRESSION)
        text_printf(t, "REGRESSION: %d of %d series %s %sslower, and %s again side by side with the old binary",
                    findings_count(f, "confirmed"), f->all.n, findings_count(f, "confirmed") == 1 ? "is" : "are",
                    drift_since(f) ? "little by little " : "", findings_count(f, "confirmed") == 1 ? "was" : "were");
    else if (r->code == EXIT_CHANGED)
        text_printf(t, "THE MACHINE CHANGED%s, not the program: %d of %d series moved",
                    drift_since(f) ? " little by little" : "", findings_count(f, "machine changed"), f->all.n);
    else if (r->code == EXIT_INVALID && !findings_count(f, "missing"))
        text_printf(t, "NOT MEASURED: %d pinned programs failed", r->broken.n);
    else if (r->code == EXIT_INVALID)
        text_printf(t, "NOT MEASURED: %d series of earlier nights have no values", findings_count(f, "missing"));
    else if (r->code == EXIT_INCONCLUSIVE)
        text_printf(t, "INCONCLUSIVE: %d series look changed, but %s", findings_count(f, "suspect"),
                    r->unjudged ? r->unjudged : "were not run again");
    else if (findings_count(f, "not confirmed"))
        text_printf(t, "fine: %d series looked changed, the rerun did not show it", findings_count(f, "not confirmed"));
    else
        text_printf(t, "fine: %d series, none slower%s", f->all.n, findings_count(f, "faster") ? ", some faster" : "");
    text_printf(t, " (compared with %d good nights)\n", r->nwindow < HISTORY_WINDOW ? r->nwindow : HISTORY_WINDOW);
}

/* A fine night on a machine that is not quite what it was: shown, as the next verdict may rest on it. */
static void note_changes(const struct night_run *r, struct text *t)
{
    struct text diff = {0};
    if (r->before.number)
        machine_changes(&r->before, &r->night, &diff);
    if (diff.len)
        text_printf(t, "since night %lld, without effect on any time: %s\n", (long long)r->before.number,
                    text_str(&diff));
    text_free(&diff);
}

static void print_text(const struct night_run *r, struct text *t)
{
    headline(r, t);
    if (r->nwindow)
        findings_text(&r->findings, false, t);
    for (int i = 0; i < r->broken.n; i++)
        text_printf(t, "broken: %s\n", r->broken.at[i]);
    if (r->code != EXIT_FINE)
        what_changed(r, t);
    else
        note_changes(r, t);
    for (int i = 0; i < r->removed.n; i++)
        text_printf(t, "%s%lld%s", i ? ", " : "removed: results, and binaries of no other use, of nights ",
                    (long long)r->removed.at[i],
                    i + 1 == r->removed.n ? " (nightly.keep of the machine's file)\n" : "");
    text_printf(t, "history: %s\n", r->page);
}

#define NIGHT struct night, 0
#define NIGHT_RUN struct night_run, 1
static const struct json_member members[] = {
    FIELD("night", NIGHT, number, "number", "Number of the night, from 1."),
    MEMBER("exit", "number", "The exit status."),
    FIELD("resumed", NIGHT_RUN, resumed, "true or false", "Whether a night that was cut short went on."),
    FIELD("nights", NIGHT_RUN, nwindow, "count", "Good nights before it that it was compared with."),
    FIELD("state", NIGHT, state, "text", "good, confirmed, machine changed, not confirmed, suspect or invalid."),
    FIELD("machine", NIGHT, machine, "text", "Name of the machine file."),
    FIELD("experiment", NIGHT, experiment, "text", "Experiment and tier."),
    FIELD("hash", NIGHT, experiment_hash, "text", "SHA-256 of what was run."),
    FIELD("binary", NIGHT, binary, "text", "SHA-256 of the binary that was judged."),
    FIELD("revision", NIGHT, revision, "text", "What its --version says."),
    FIELD("folder", NIGHT_RUN, dir, "text", "Folder of the history."),
    MEMBER("changes", "text", "What changed on the machine since the night before; empty: nothing that can be seen."),
    MEMBER_MAYBE("broken[]", "text", "A pinned program that failed, with the reason."),
    MEMBER_MAYBE("removed[]", "number", "A night whose results folder or binary was removed (nightly.keep)."),
    SERIES_MEMBERS,
    {0}};
static const struct json_member history_members[] = {
    FIELD("night", NIGHT, number, "number", "Number of the night, from 1."),
    MEMBER("begun", "text", "When it began, UTC, ISO 8601."),
    FIELD("machine", NIGHT, machine, "text", "Name of the machine file."),
    FIELD("state", NIGHT, state, "text", "As of a night; also running, and stopped (given up)."),
    FIELD("experiment", NIGHT, experiment, "text", "Experiment and tier."),
    FIELD("binary", NIGHT, binary, "text", "SHA-256 of the binary that was judged."),
    FIELD("revision", NIGHT, revision, "text", "What its --version says."),
    FIELD("accepted", NIGHT, accepted, "text", "Why it was made what later nights are compared with, or null."),
    {0}};

static void print_json(const struct night_run *r)
{
    struct text changes = {0};
    cJSON *out = json_object();
    if (r->before.number)
        machine_changes(&r->before, &r->night, &changes);
    json_put_fields(out, members, "", (const void *[]){&r->night, r});
    json_put_int(out, "exit", r->code);
    json_put_str(out, "changes", text_str(&changes));
    cJSON *broken = json_put_array(out, "broken");
    for (int i = 0; i < r->broken.n; i++)
        json_put_str(broken, NULL, r->broken.at[i]);
    cJSON *removed = json_put_array(out, "removed");
    for (int i = 0; i < r->removed.n; i++)
        json_put_int(removed, NULL, r->removed.at[i]);
    findings_json(&r->findings, out);
    text_free(&changes);
    cli_print_json(out);
}

/* What other tools read of a night, of one that could not be ended, too. */
static const struct {
    const char *option;
    size_t path; /* in struct nightly_options */
    void (*print)(const struct night_run *r, const char *failure, struct text *out);
} FORMATS[] = {{"--junit", offsetof(struct nightly_options, junit), night_junit},
               {"--prometheus", offsetof(struct nightly_options, prometheus), night_prometheus}};
enum { NFORMATS = sizeof FORMATS / sizeof *FORMATS };

static const char *format_path(const struct cli *c, int i)
{
    return *(const char *const *)((const char *)c->options + FORMATS[i].path);
}

/* Before anything is measured for a file that cannot be written. */
static bool check_formats(const struct cli *c, struct err *err)
{
    for (int i = 0; i < NFORMATS; i++) {
        const char *path = format_path(c, i);
        if (path && (!*path || file_is_dir(path) || access(file_folder(c->arena, path), W_OK) != 0))
            return err_set(err, "%s '%s': %s", FORMATS[i].option, path,
                           !*path || file_is_dir(path) ? "a file is needed" : strerror(errno));
    }
    return true;
}

static bool write_formats(const struct cli *c, const struct night_run *r, const char *failure, struct err *err)
{
    const struct nightly_options *o = c->options;
    struct text t = {0};
    bool fine = true;
    if (o->annotate)
        night_annotations(r, failure, &t);
    fputs(text_str(&t), c->json ? stderr : stdout);
    for (int i = 0; i < NFORMATS; i++) {
        const char *path = format_path(c, i);
        text_clear(&t);
        if (path)
            FORMATS[i].print(r, failure, &t);
        fine = (!path || file_write(path, text_str(&t), t.len, err)) && fine;
    }
    text_free(&t);
    return fine;
}

static const char *versions(struct arena *a)
{
    struct text t = {0};
    json_print(gather_versions(), &t);
    return text_keep(&t, a);
}

static bool run_night(struct cli *c, struct night_options *o, struct err *err)
{
    struct night_run r;
    struct text t = {0};
    struct err unwritten = {0};
    o->versions = versions(c->arena);
    bool fine = night_begin(o, &r, err) && night_go(&r, err);
    if (fine) {
        if (c->json)
            print_json(&r);
        else
            print_text(&r, &t);
        cli_print(&t);
        err->code = r.code;
        *err->text = 0;
    }
    r.code = err->code;
    if (!write_formats(c, &r, fine ? NULL : err->text, &unwritten) && err->code == EXIT_FINE)
        *err = unwritten;
    else if (*unwritten.text)
        log_warn("%s", unwritten.text);
    text_free(&t);
    night_end(&r);
    return fine && err->code == EXIT_FINE;
}

/* The rest of the verb -------------------------------------------------------------------------------------------- */

static void history_line(struct cli *c, const struct night *n, struct text *t)
{
    char date[32];
    clock_iso(n->begun_unix, date);
    text_printf(t, "%5lld  %.16s  %-16s  %-16s  %-24s %s", (long long)n->number, date, n->machine, n->state,
                n->experiment, revision_of(c->arena, n->revision));
    if (n->accepted)
        text_printf(t, "  accepted: %s", n->accepted);
    text_char(t, '\n');
}

static void history_json(const struct night *n, cJSON *list)
{
    char date[32];
    cJSON *o = json_put_object(list, NULL);
    clock_iso(n->begun_unix, date);
    json_put_fields(o, history_members, "", (const void *[]){n});
    json_put_str(o, "begun", date);
}

static void print_history(struct cli *c, const struct night *all, int n)
{
    struct text t = {0};
    cJSON *list = c->json ? json_array() : NULL;
    for (int i = 0; i < n; i++)
        if (list)
            history_json(&all[i], list);
        else
            history_line(c, &all[i], &t);
    if (list)
        cli_print_json(list);
    cli_print(&t);
}

/* As a page when there is a file for it. */
static bool show_history(struct cli *c, const char *state, const char *machine, const char *page, struct err *err)
{
    struct history *h;
    struct night *all;
    const char *dir;
    int n;
    if (!history_folder(c->arena, state, &dir, err) || !history_open_read(dir, &h, err))
        return false;
    bool fine = history_nights(h, c->arena, machine, &all, &n, err);
    if (fine && page)
        fine = history_page_write(c->arena, h, machine, page, err);
    else if (fine)
        print_history(c, all, n);
    history_close(h);
    return fine;
}

/* Times the programs of a file in this process; what a night starts. */
static bool launch(struct cli *c, const char *programs, struct err *err)
{
    struct text t = {0};
    bool fine = pinned_time(c->arena, c->registry, programs, &t, err);
    cli_print(&t);
    return fine;
}

/* The machine's latest whole night becomes what later ones are held against. */
static bool accept(struct cli *c, const char *state, const char *machine, const char *reason, struct err *err)
{
    struct history *h;
    struct night *all;
    const char *dir;
    int n, last = -1;
    if (!history_folder(c->arena, state, &dir, err) || !history_open(dir, &h, err))
        return false;
    bool fine = history_nights(h, c->arena, machine, &all, &n, err);
    for (int i = 0; fine && i < n; i++)
        if (night_is_whole(&all[i]))
            last = i;
    if (fine && last < 0)
        fine = err_set(err, "machine '%s' has no whole night to accept", machine);
    fine = fine && history_accept(h, &all[last], reason, err);
    history_close(h);
    if (fine)
        printf("night %lld of machine %s is accepted: later nights are compared with it and what follows\n",
               (long long)all[last].number, machine);
    return fine;
}

static bool bisect(struct cli *c, struct night_options *night, struct err *err)
{
    const struct nightly_options *o = c->options;
    struct text t = {0};
    if (c->nwords < 1 || c->json)
        return err_set(err, c->json ? "--bisect prints no JSON" : "--bisect takes two: GOOD BAD");
    night->machine = c->nwords > 1 ? c->words[1] : "host";
    night->versions = versions(c->arena);
    bool fine = bisect_run(night, o->bisect, c->words[0], o->series, &t, err);
    cli_print(&t);
    return fine;
}

static const struct setting options[] = {
    STRING_SETTING("--accept", struct nightly_options, accept, NULL,
                   "later nights are compared with the latest one; runs nothing", .word = "REASON"),
    FLAG_SETTING("--history", struct nightly_options, history, "list the nights; runs nothing"),
    STRING_SETTING("--page", struct nightly_options, page, NULL,
                   "the history as one HTML page, with the change points of every series; runs nothing",
                   .word = "FILE"),
    STRING_SETTING("--bisect", struct nightly_options, bisect, NULL,
                   "--bisect GOOD BAD [MACHINE]: the first slow binary of the nights or commits between the two",
                   .word = "GOOD"),
    STRING_SETTING("--series", struct nightly_options, series, NULL,
                   "the pinned program that --bisect goes by (the one that became slowest)", .word = "SERIES"),
    STRING_SETTING("--state", struct nightly_options, state, NULL,
                   "folder of the history ($XDG_STATE_HOME/raingauge, else ~/.local/state/raingauge)", .word = "DIR"),
    STRING_SETTING("--binary", struct nightly_options, binary, NULL, "the raingauge that is judged (this one)",
                   .word = "FILE"),
    BUDGET_ROW(struct nightly_options, budget_s,
               "longest time for the night: 90m, 2h (nightly.budget_s of the machine's file)"),
    STRING_SETTING("--launch", struct nightly_options, launch, NULL,
                   "time the pinned programs of a file once; what a night calls", .word = "FILE"),
    STRING_SETTING("--junit", struct nightly_options, junit, NULL, "the verdict as JUnit XML", .word = "FILE",
                   .group = GROUP_OUTPUT),
    STRING_SETTING("--prometheus", struct nightly_options, prometheus, NULL,
                   "the verdict as metrics for Prometheus: a *.prom of the node exporter's", .word = "FILE",
                   .group = GROUP_OUTPUT),
    FLAG_SETTING("--annotate", struct nightly_options, annotate,
                 "annotations of GitHub Actions on stdout, with --json on stderr", .group = GROUP_OUTPUT),
    STRING_SETTING("--tier", struct nightly_options, tier, NULL,
                   "tier of the experiment (nightly.tier of the machine's file)", .word = TIER_WORD,
                   .group = GROUP_EXPERIMENT),
    STRINGS_SETTING("--set", struct nightly_options, sets,
                    "changes a value of the experiment; such nights have a history of their own", .word = "KEY=VALUE",
                    .group = GROUP_EXPERIMENT),
    {0}};

static bool run(struct cli *c, struct err *err)
{
    const struct nightly_options *o = c->options;
    struct night_options night = {.arena = c->arena,
                                  .registry = c->registry,
                                  .experiments = c->folder,
                                  .machine = c->nwords ? c->words[0] : "host",
                                  .state = o->state,
                                  .binary = o->binary,
                                  .tier = o->tier,
                                  .budget_s = o->budget_s,
                                  .sets = o->sets.at,
                                  .nsets = o->sets.n};
    if (o->bisect)
        return cli_need_experiments(c, err) && bisect(c, &night, err);
    if (c->nwords > 1 || o->series)
        return err_set(err, "%s goes with --bisect GOOD BAD only", o->series ? "--series" : "a second argument");
    if (o->launch)
        return launch(c, o->launch, err);
    if (o->history || o->page)
        return show_history(c, o->state, c->words[0], o->page, err);
    if (o->accept)
        return accept(c, o->state, night.machine, o->accept, err);
    return cli_need_experiments(c, err) && check_formats(c, err) && run_night(c, &night, err);
}

static const struct json_form forms[] = {
    JSON_FORM("raingauge nightly", members), JSON_FORM_LIST("raingauge nightly --history", history_members), {0}};

static const struct verb_exit exits[] = {
    {EXIT_REGRESSION, "a confirmed regression"},
    {EXIT_INVALID, "no candidate works, a pinned program failed, or a series has no values"},
    {EXIT_INCONCLUSIVE, "inconclusive, or the budget is used up"},
    {EXIT_CHANGED, "the machine changed, and not the program"},
    {EXIT_ENVIRONMENT, "a full disk, a missing library, or another nightly is under way"},
    {EXIT_INTERRUPTED, "interrupted; the same command goes on with this night"},
    {0}};

const struct verb verb_nightly = {
    .name = "nightly",
    .arguments = "[BAD] [MACHINE]",
    .summary = "a fixed experiment, compared with the last good nights of this machine",
    .more = "Without --history, --page, --bisect, --accept or --launch it starts to measure, for 10 to 15 minutes on "
            "machine "
            "host, and "
            "up to half an hour more when something looks changed. It says first how long it will take. Ctrl-C stops "
            "it; the same command goes on with that night.",
    .words = 2,
    VERB_OPTIONS(struct nightly_options),
    .exits = exits,
    .json = forms,
    .run = run};
