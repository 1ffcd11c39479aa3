/* SPDX-License-Identifier: Apache-2.0 */
/* replay: schedules nobody here wrote. Applies the records of a file to our graphs, verifies and times each, and says
 * how our time compares with the recorded one. JSON members are in harness/doc/json.md. */
#include "harness/cli/replay.h"
#include "harness/base/json.h"
#include "harness/base/vec.h"
#include "harness/cli/named_option.h"
#include "harness/measure/measure.h"
#include "harness/program/features/feature.h"
#include "harness/program/lower/gpu_verify.h"
#include "harness/program/lower/lower.h"
#include "harness/stats/rank.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LISTED_MOST = 10000 }; /* failures, and times, that are kept for the end */
enum dump { DUMP_NONE, DUMP_STATE, DUMP_FEATURES };

struct failure {
    int index, line;
    const char *id, *reason;
};
struct timing {
    int index;
    const char *id, *kernel;
    double ours_s, fastest_s, theirs_s;
};
struct output {
    struct cli *c;
    const struct replay_options *o;
    enum dump dump;
    bool begun; /* the head is printed */
    struct replay_sums sums;
    VEC(struct failure) failures;
    VEC(struct timing) times;
    double log_ratio; /* sum of the logarithms of recorded/ours */
    int nratios;
};

/* Rows as they come ----------------------------------------------------------------------------------------------- */

/* With the column of a broken line, where it is known. */
static const char *reason_of(struct arena *a, const struct replay_row *r)
{
    return r->column ? arena_printf(a, "column %d: %s", r->column, r->reason) : arena_str(a, r->reason);
}

static void keep(struct output *out, const struct replay_row *r)
{
    struct arena *a = out->c->arena;
    if (r->fate == REPLAY_RIGHT && isfinite(r->ours_s) && out->times.n < LISTED_MOST)
        vec_push(&out->times, (struct timing){r->index, arena_str(a, r->id), arena_str(a, r->kernel), r->ours_s,
                                              r->fastest_s, r->theirs_s});
    if (r->fate == REPLAY_RIGHT && isfinite(r->ours_s) && isfinite(r->theirs_s)) {
        out->log_ratio += log(r->theirs_s / r->ours_s);
        out->nratios++;
    }
    if (r->fate < REPLAY_APPLIED && out->failures.n < LISTED_MOST)
        vec_push(&out->failures, (struct failure){r->index, r->line, arena_str(a, r->id), reason_of(a, r)});
}

/* TVM featurises no GPU program that its verifier rejects: one row of zeros stands for it. */
static bool features_of(struct arena *a, const struct replay_row *r, struct features *f, struct err *err)
{
    struct nest *nest;
    struct err too_much;
    if (!lower(a, r->state, LAYOUT_NONE, &nest, err))
        return false;
    if (!r->gpu || gpu_verify(nest, &r->limits, &too_much))
        return feature_extract(a, nest, f, err);
    *f = feature_none(a);
    return true;
}

static bool dump_features(const struct replay_row *r, struct text *t, struct err *err)
{
    struct arena *a = arena_open("features");
    char number[16];
    struct features f;
    snprintf(number, sizeof number, "%d", r->index);
    bool fine = features_of(a, r, &f, err);
    if (fine)
        feature_print(r->id ? r->id : number, &f, t);
    arena_close(a);
    return fine;
}

static void dump_state(const struct replay_row *r, struct text *t)
{
    struct text state = {0};
    cJSON *o = json_object();
    if (r->id)
        json_put_str(o, "id", r->id);
    else
        json_put_int(o, "id", r->index);
    state_print(r->state, &state);
    json_put_str(o, "state", text_str(&state));
    json_print(o, t);
    text_char(t, '\n');
    text_free(&state);
}

static void dump_row(struct output *out, const struct replay_row *r)
{
    struct text t = {0};
    struct err err = {0};
    if (r->fate != REPLAY_APPLIED) {
        fprintf(stderr, "%s:%d: %s\n", out->o->file, r->line, reason_of(out->c->arena, r));
        return;
    }
    if (out->dump == DUMP_STATE)
        dump_state(r, &t);
    else if (!dump_features(r, &t, &err))
        fprintf(stderr, "%s:%d: %s\n", out->o->file, r->line, err.text);
    cli_print(&t);
}

static void print_row(const struct replay_row *r)
{
    printf("%6d  %-48.48s ", r->index, r->kernel ? r->kernel : "?");
    if (r->fate < REPLAY_APPLIED)
        printf("%s\n", r->reason);
    else if (r->fate == REPLAY_APPLIED)
        printf("applies\n");
    else if (!isfinite(r->ours_s))
        printf("ok  not timed\n");
    else if (isfinite(r->theirs_s))
        printf("ok  %12.6f %12.6f %8.3f\n", 1e3 * r->ours_s, 1e3 * r->theirs_s, r->theirs_s / r->ours_s);
    else
        printf("ok  %12.6f %12s %8s\n", 1e3 * r->ours_s, "-", "-");
    fflush(stdout);
}

static void print_head(const struct output *out)
{
    struct text t = {0};
    if (out->dump == DUMP_FEATURES)
        feature_header(&t);
    else if (!out->c->json && !out->dump)
        text_printf(&t, " index  %-48s result   ours ms  recorded ms    ratio\n", "kernel");
    cli_print(&t);
}

static bool on_row(void *ctx, const struct replay_row *r)
{
    struct output *out = ctx;
    if (!out->begun)
        print_head(out);
    out->begun = true;
    keep(out, r);
    if (out->dump)
        dump_row(out, r);
    else if (!out->c->json)
        print_row(r);
    return !ferror(stdout);
}

/* The end --------------------------------------------------------------------------------------------------------- */

/* Kernels that the times are of, each with how alike our times and the recorded ones rank its records. */
struct likeness {
    const char *kernel;
    int pairs;
    double spearman; /* NAN: fewer than three pairs, or all alike */
};

static struct likeness likeness_of(const struct output *out, const char *kernel)
{
    enum { PAIRS_LEAST = 3 };
    struct likeness l = {.kernel = kernel, .spearman = NAN};
    double *ours = ARENA_ARRAY(out->c->arena, double, out->times.n + 1);
    double *theirs = ARENA_ARRAY(out->c->arena, double, out->times.n + 1);
    for (int i = 0; i < out->times.n; i++) {
        const struct timing *x = &out->times.at[i];
        if (!str_eq(x->kernel, kernel) || !isfinite(x->theirs_s))
            continue;
        ours[l.pairs] = x->ours_s;
        theirs[l.pairs++] = x->theirs_s;
    }
    if (l.pairs >= PAIRS_LEAST)
        l.spearman = rank_correlation(ours, theirs, l.pairs);
    return l;
}

/* n of them, in the order in which the kernels were met. */
static const struct likeness *likenesses(const struct output *out, int *n)
{
    struct likeness *all = ARENA_ARRAY(out->c->arena, struct likeness, out->times.n + 1);
    *n = 0;
    for (int i = 0; i < out->times.n; i++) {
        bool met = !isfinite(out->times.at[i].theirs_s);
        for (int k = 0; k < *n && !met; k++)
            met = str_eq(all[k].kernel, out->times.at[i].kernel);
        if (!met)
            all[(*n)++] = likeness_of(out, out->times.at[i].kernel);
    }
    return all;
}

static void print_likeness(const struct output *out)
{
    int n;
    const struct likeness *all = likenesses(out, &n);
    if (n)
        printf("rank correlation (Spearman) of recorded time and ours, by kernel:\n");
    for (int i = 0; i < n; i++)
        if (isfinite(all[i].spearman))
            printf("%8.3f  of %4d  %s\n", all[i].spearman, all[i].pairs, all[i].kernel);
        else
            printf("       -  of %4d  %s\n", all[i].pairs, all[i].kernel);
}

static int failed(const struct output *out)
{
    return out->sums.records - (out->o->dry ? out->sums.applied : out->sums.right);
}

static void print_summary(const struct output *out)
{
    const struct replay_sums *s = &out->sums;
    if (out->failures.n && out->failures.n < s->records)
        printf("\nfailed:\n");
    for (int i = 0; i < out->failures.n && out->failures.n < s->records; i++)
        printf("%6d  line %d: %s\n", out->failures.at[i].index, out->failures.at[i].line, out->failures.at[i].reason);
    printf("\n%d records, %d applied", s->records, s->applied);
    if (!out->o->dry)
        printf(", %d right", s->right);
    printf(", %d failed", failed(out));
    if (s->guessed)
        printf("; of %d the kernel was guessed from the shapes", s->guessed);
    if (s->left)
        printf("; %d left", s->left);
    if (out->nratios)
        printf("\nrecorded time / ours: geometric mean %.3f of %d, above 1 ours are shorter",
               exp(out->log_ratio / out->nratios), out->nratios);
    printf("\n");
    print_likeness(out);
}

#define ASKED struct replay_options, 0
#define DONE struct replay_sums, 1
#define FAILURE struct failure, 0
#define TIMING struct timing, 0
static const struct json_member members[] = {
    FIELD("file", ASKED, file, "text", "The file, as it was named."),
    FIELD("dry", ASKED, dry, "true or false", "Whether nothing was built (--dry)."),
    FIELD("verify_only", ASKED, verify_only, "true or false", "Whether nothing was timed (--verify-only)."),
    MEMBER("target", "text", "Where programs were built and run; null with --dry."),
    MEMBER("regime", "text", "Timing protocol, as it was named; null with --dry."),
    FIELD("threads", ASKED, threads, "count", "Threads of a kernel; 0: all."),
    FIELD("records", DONE, records, "count", "Records that were looked at, refused lines too."),
    FIELD("applied", DONE, applied, "count",
          "Those whose steps apply, whose bounds are inferred, and whose nest is sound."),
    MEMBER("right", "count",
           "Those that were built, equal the reference, and were timed (unless verify_only); null with --dry."),
    MEMBER("failed", "count", "records - right; with --dry records - applied."),
    FIELD("guessed", DONE, guessed, "count", "Those whose kernel only the shapes tell."),
    FIELD("left", DONE, left, "count", "Records that were not looked at, because somebody stopped it."),
    MEMBER("recorded_over_ours", "ratio", "Geometric mean of recorded time over ours; null: no pair."),
    FIELD("failures[].index", FAILURE, index, "number", "Position among the records, from 0; broken lines count."),
    FIELD("failures[].line", FAILURE, line, "number", "Line of the file, from 1."),
    FIELD("failures[].id", FAILURE, id, "text", "What the record calls itself, or null."),
    FIELD("failures[].reason", FAILURE, reason, "text", "Why it failed. The first 10,000 failures are listed."),
    FIELD_MAYBE("times[].index", TIMING, index, "number", "Position among the records, from 0."),
    FIELD_MAYBE("times[].id", TIMING, id, "text", "What the record calls itself, or null."),
    FIELD_MAYBE("times[].seconds", TIMING, ours_s, "seconds",
                "Our time, mean of the repeats. The first 10,000 are listed."),
    FIELD_MAYBE("times[].fastest_s", TIMING, fastest_s, "seconds", "The fastest of those repeats."),
    FIELD_MAYBE("times[].recorded_s", TIMING, theirs_s, "seconds", "The recorded time; null: the record has none."),
    FIELD_MAYBE("likeness[].kernel", struct likeness, 0, kernel, "text", "A kernel that times are listed of."),
    FIELD_MAYBE("likeness[].pairs", struct likeness, 0, pairs, "count",
                "Records of it with a time of ours and a recorded one."),
    FIELD_MAYBE("likeness[].spearman", struct likeness, 0, spearman, "number",
                "Rank correlation of the two; null: fewer than three pairs."),
    {0}};

static void print_json(const struct output *out, const char *regime)
{
    bool dry = out->o->dry;
    int n;
    const struct likeness *all = likenesses(out, &n);
    cJSON *o = json_object();
    json_put_fields(o, members, "", (const void *[]){out->o, &out->sums});
    json_put_str(o, "target", dry ? NULL : out->o->target->name);
    json_put_str(o, "regime", dry ? NULL : regime);
    json_put_number(o, "right", dry ? (double)NAN : out->sums.right);
    json_put_int(o, "failed", failed(out));
    json_put_number(o, "recorded_over_ours", out->nratios ? exp(out->log_ratio / out->nratios) : (double)NAN);
    json_put_rows(o, members, "failures", out->failures.at, out->failures.n, sizeof *out->failures.at);
    json_put_rows(o, members, "times", out->times.at, out->times.n, sizeof *out->times.at);
    json_put_rows(o, members, "likeness", all, n, sizeof *all);
    cli_print_json(o);
}

/* What was asked -------------------------------------------------------------------------------------------------- */

static bool check_task(struct cli *c, const char *spec, struct err *err)
{
    struct task *t;
    return !spec || task_parse(c->arena, spec, &t, err) || err_context(err, "--task");
}

/* With --dry a target is only checked. */
static bool find_target(struct cli *c, const char *text, struct replay_options *o, struct err *err)
{
    struct target_option t;
    if (o->dry && !text)
        return true;
    if (!target_option_parse(c, text ? text : "cpu", &t, err))
        return false;
    if (o->dry)
        return true;
    o->target = t.target;
    o->target_settings = t.settings;
    if (t.target->is_virtual)
        return err_set(err, "target '%s' is virtual, nothing could be verified: use --dry", t.target->name);
    return measure_allowed(t.target, o->verify_only, &o->regime, err);
}

static bool finish(struct output *out, bool done, const char *regime, struct err *err)
{
    if (out->sums.records == 0 && !done && err->code != EXIT_INTERRUPTED)
        return false;
    if (out->sums.records == 0 && done)
        return err_set(err, "%s holds no records", out->o->file);
    if (out->c->json && !out->dump)
        print_json(out, regime);
    else if (!out->dump)
        print_summary(out);
    if (!done)
        return false;
    if (!failed(out))
        return true;
    err->code = EXIT_REGRESSION;
    return err_set(err, "%d of %d records failed", failed(out), out->sums.records);
}

struct verb_replay_options {
    bool dry, verify_only;
    enum dump dump;
    int threads, layout;
    const char *task, *regime, *target;
};
static const char *const dumps[] = {[DUMP_NONE] = "none", [DUMP_STATE] = "state", [DUMP_FEATURES] = "features", NULL};
static const char *const layouts[] = {"none", "insert", "rewritten", [LAYOUT_RECORD] = "record", NULL};
static const struct setting options[] = {
    FLAG_SETTING("--dry", struct verb_replay_options, dry,
                 "apply, infer bounds, lower and check the nest; build nothing"),
    FLAG_SETTING("--verify-only", struct verb_replay_options, verify_only,
                 "build, run and compare with the reference; time nothing"),
    STRING_SETTING("--task", struct verb_replay_options, task, NULL,
                   "the kernel of every record, where they do not describe it themselves", .word = "SPEC"),
    REGIME_ROW(struct verb_replay_options, regime),
    THREADS_ROW(struct verb_replay_options, threads),
    STRING_SETTING("--target", struct verb_replay_options, target, NULL,
                   "where to build and run, and its settings: cpu,codegen=fast (cpu)", .word = NAMED_WORD),
    ENUM_SETTING("--layout", struct verb_replay_options, layout, "record", layouts,
                 "layout rewrite of weights; record: as each says, else rewritten"),
    ENUM_SETTING("--dump", struct verb_replay_options, dump, "none", dumps,
                 "a JSON line {id, state} a record, or a table of features; implies --dry", .group = GROUP_OUTPUT),
    {0}};

static bool run(struct cli *c, struct err *err)
{
    const struct verb_replay_options *v = c->options;
    struct replay_options o = {.file = c->words[0],
                               .task = v->task,
                               .threads = v->threads,
                               .layout = v->layout,
                               .dry = v->dry || v->dump,
                               .verify_only = v->verify_only};
    struct output out = {.c = c, .o = &o, .dump = v->dump};
    if (!check_task(c, o.task, err) || !regime_option_parse(c, v->regime, &o.regime, err) ||
        !find_target(c, v->target, &o, err))
        return false;
    replay_know_networks(c, &o);
    bool done = finish(&out, replay_run(&o, on_row, &out, &out.sums, err), v->regime, err);
    vec_free(&out.failures);
    vec_free(&out.times);
    return done;
}

static const struct json_member state_members[] = {
    MEMBER("id", "text", "What the record calls itself, else its position from 0."),
    MEMBER("state", "text", "The applied state, as TVM prints one."),
    {0}};
static const struct json_form forms[] = {
    JSON_FORM("raingauge replay FILE", members), JSON_FORM("raingauge replay FILE --dump state", state_members), {0}};

static const struct verb_exit exits[] = {{EXIT_REGRESSION, "some records failed"},
                                         {EXIT_USAGE, "wrong usage, or the file holds no record"},
                                         {EXIT_INVALID, "nothing can be measured here"},
                                         {EXIT_INTERRUPTED, "interrupted, after the summary of what was done"},
                                         {0}};

const struct verb verb_replay = {.name = "replay",
                                 .arguments = "FILE|DIR",
                                 .summary = "the schedules of a record file, or of a run: applied, verified and timed",
                                 .asks = "which file? one record a line, as TVM's logs have them, or a results folder",
                                 .needed = 1,
                                 .words = 1,
                                 VERB_OPTIONS(struct verb_replay_options),
                                 .exits = exits,
                                 .json = forms,
                                 .run = run};
