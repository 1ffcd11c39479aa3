/* SPDX-License-Identifier: Apache-2.0 */
/* compare: two results folders of one experiment, or two nights of the history, series by series, by the rule of
 * harness/doc/measurement.md, "Nightly rule". Runs nothing. */
#include "harness/cli/cli.h"
#include "harness/nightly/finding.h"
#include "harness/nightly/nightly_compare.h"
#include "harness/nightly/series.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct folder {
    const char *dir, *hash, *revision;
    const char *codegen; /* NULL: the target has no choice of code generators */
    struct series series;
};

static bool read_folder(struct cli *c, const char *dir, struct folder *out, struct err *err)
{
    struct store *s;
    *out = (struct folder){.dir = dir};
    if (!dir)
        return true;
    if (!store_open_read(dir, &s, err))
        return false;
    out->hash = arena_str(c->arena, store_campaign(s)->experiment_hash);
    out->codegen = keys_codegen(store_campaign(s)->target, store_campaign(s)->target_settings);
    out->revision = arena_str(c->arena, store_campaign(s)->revision);
    bool fine = series_read(c->arena, s, &out->series, err);
    store_close(s);
    return fine;
}

static bool same_experiment(const struct folder *a, const struct folder *b, struct err *err)
{
    if (!a->hash || !b->hash || str_eq(a->hash, b->hash))
        return true;
    if (a->codegen && b->codegen && !str_eq(a->codegen, b->codegen))
        return err_set(err,
                       "'%s' and '%s' cannot be compared: they were searched with codegen=%s and with codegen=%s "
                       "(`raingauge landscape` sets the two beside each other)",
                       a->dir, b->dir, a->codegen, b->codegen);
    return err_set(err, "'%s' and '%s' cannot be compared: their experiments differ (hashes %.12s and %.12s)", a->dir,
                   b->dir, a->hash, b->hash);
}

/* One binary: only where git says so beyond doubt. */
static bool same_program(const struct folder *a, const struct folder *b)
{
    return str_eq(a->revision, b->revision) && *a->revision && !strstr(a->revision, "dirty") &&
           !str_eq(a->revision, "unknown");
}

static bool same_rerun(const struct folder *old, const struct folder *new, struct err *err)
{
    return (!old->dir == !new->dir) || err_set(err, "a rerun has two sides: give --again-old and --again-new");
}

static void compare_folders(struct cli *c, const struct folder f[4], struct findings *out)
{
    const char **names;
    int n = series_names(&f[0].series, c->arena, &names);
    for (int i = 0; i < n; i++) {
        double *window, *fresh, *old, *new;
        struct regression_input in = {.noise = NAN, .same_binary = same_program(&f[0], &f[1])};
        in.nwindow = series_take(&f[0].series, c->arena, names[i], &window);
        in.nfresh = series_take(&f[1].series, c->arena, names[i], &fresh);
        int again = series_take(&f[2].series, c->arena, names[i], &old);
        in.npairs = series_take(&f[3].series, c->arena, names[i], &new);
        in.npairs = again < in.npairs ? again : in.npairs;
        in.window = window;
        in.fresh = fresh;
        in.old_again = old;
        in.new_again = new;
        struct finding x = finding_of(names[i], &in);
        if (in.nfresh == 0)
            x.v.kind = "missing";
        vec_push(&out->all, x);
    }
}

static bool folders(struct cli *c, const char *const dirs[4], struct findings *out, struct err *err)
{
    struct folder f[4] = {0};
    bool fine = true;
    for (int i = 0; fine && i < 4; i++)
        fine = read_folder(c, dirs[i], &f[i], err);
    fine = fine && same_experiment(&f[0], &f[1], err) && same_rerun(&f[2], &f[3], err);
    if (fine)
        compare_folders(c, f, out);
    for (int i = 0; i < 4; i++)
        series_free(&f[i].series);
    return fine;
}

static bool nights(struct cli *c, const char *state, int64_t old, int64_t new, struct findings *out, struct err *err)
{
    struct history *h;
    struct night a, b;
    const char *dir;
    if (!history_folder(c->arena, state, &dir, err) || !history_open_read(dir, &h, err))
        return false;
    bool fine = history_night(h, c->arena, old, &a, err) && history_night(h, c->arena, new, &b, err);
    if (fine && !str_eq(a.experiment_hash, b.experiment_hash))
        fine = err_set(err, "nights %lld and %lld cannot be compared: their experiments differ", (long long)old,
                       (long long)new);
    const struct tonight t = {c->arena, h, &b, &a, 1};
    fine = fine && nightly_compare(&t, out, err);
    history_close(h);
    return fine;
}

static void print_json(const struct findings *f, enum exit_code code)
{
    cJSON *out = json_object();
    json_put_int(out, "exit", code);
    findings_json(f, out);
    cli_print_json(out);
}

static void print_text(const struct findings *f, bool all)
{
    struct text t = {0};
    findings_text(f, all, &t);
    text_printf(&t,
                "%d series: %d confirmed slower, %d suspect, %d machine changed, %d faster, %d missing, %d with too"
                " few values\n",
                f->all.n, findings_count(f, "confirmed"), findings_count(f, "suspect"),
                findings_count(f, "machine changed"), findings_count(f, "faster"), findings_count(f, "missing"),
                findings_count(f, "too few"));
    cli_print(&t);
}

static bool print(struct cli *c, const struct findings *f, bool all, struct err *err)
{
    enum exit_code code = findings_code(f);
    if (c->json)
        print_json(f, code);
    else
        print_text(f, all);
    err->code = code;
    if (code == EXIT_INCONCLUSIVE)
        return err_set(err,
                       "suspects need a rerun of both programs in turns: `raingauge nightly` makes one, or give its "
                       "folders by --again-old and --again-new");
    *err->text = 0;
    return code == EXIT_FINE;
}

struct compare_options {
    const char *again_old, *again_new, *state;
    bool all;
};
static const struct setting options[] = {
    STRING_SETTING("--again-old", struct compare_options, again_old, NULL,
                   "rerun of the old side, taken in turns with --again-new", .word = "DIR"),
    STRING_SETTING("--again-new", struct compare_options, again_new, NULL, "rerun of the new side, seed by seed",
                   .word = "DIR"),
    STRING_SETTING("--state", struct compare_options, state, NULL, "folder of the history of nights", .word = "DIR"),
    FLAG_SETTING("--all", struct compare_options, all, "show the series without a finding too", .group = GROUP_OUTPUT),
    {0}};

static bool run(struct cli *c, struct err *err)
{
    const struct compare_options *o = c->options;
    const char *const dirs[4] = {c->words[0], c->words[1], o->again_old, o->again_new};
    int64_t old, new;
    struct findings f = {0};
    bool fine = str_int(c->words[0], &old) && str_int(c->words[1], &new) ? nights(c, o->state, old, new, &f, err)
                                                                         : folders(c, dirs, &f, err);
    fine = fine && print(c, &f, o->all, err);
    vec_free(&f.all);
    return fine;
}

static const struct json_member members[] = {MEMBER("exit", "number", "The exit status."), SERIES_MEMBERS, {0}};
static const struct json_form forms[] = {JSON_FORM("raingauge compare OLD NEW", members), {0}};

static const struct verb_exit exits[] = {{EXIT_REGRESSION, "a confirmed regression"},
                                         {EXIT_INVALID, "a series is missing on the new side"},
                                         {EXIT_INCONCLUSIVE, "series look changed and were not run again"},
                                         {EXIT_CHANGED, "the machine changed, and not the program"},
                                         {0}};

const struct verb verb_compare = {.name = "compare",
                                  .arguments = "OLD NEW",
                                  .summary = "two results folders, or two nights, by the rule of nightly",
                                  .asks =
                                      "compare what? two results folders of one experiment, or two numbers of nights",
                                  .needed = 2,
                                  .words = 2,
                                  VERB_OPTIONS(struct compare_options),
                                  .exits = exits,
                                  .json = forms,
                                  .run = run};
