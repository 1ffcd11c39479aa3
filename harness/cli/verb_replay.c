/* SPDX-License-Identifier: Apache-2.0 */
/* replay: schedules nobody here wrote. Applies the records of a file to our graphs, verifies and times each, and says
 * how our time compares with the recorded one. JSON members are in HACKING.md. */
#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/vec.h"
#include "harness/cli/replay.h"
#include "harness/experiment/network.h"
#include "harness/program/lower/gpu_verify.h"
#include "harness/program/lower/lower.h"
#include "models/feature.h"

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
    const char *id;
    double ours_s, theirs_s;
};
struct output {
    struct cli *c;
    const struct replay_options *o;
    enum dump dump;
    struct replay_sums sums;
    VEC(struct failure) failures;
    VEC(struct timing) times;
    double log_ratio; /* sum of the logarithms of recorded/ours */
    int nratios;
};

/* Rows as they come ----------------------------------------------------------------------------------------------- */

static void keep(struct output *out, const struct replay_row *r)
{
    struct arena *a = out->c->arena;
    if (r->fate == REPLAY_RIGHT && out->times.n < LISTED_MOST)
        vec_push(&out->times, (struct timing){r->index, arena_str(a, r->id), r->ours_s, r->theirs_s});
    if (r->fate == REPLAY_RIGHT && isfinite(r->theirs_s)) {
        out->log_ratio += log(r->theirs_s / r->ours_s);
        out->nratios++;
    }
    if (r->fate < REPLAY_APPLIED && out->failures.n < LISTED_MOST)
        vec_push(&out->failures, (struct failure){r->index, r->line, arena_str(a, r->id), arena_str(a, r->reason)});
}

static void print_id(const struct replay_row *r, struct text *t)
{
    if (r->id)
        text_json(t, r->id);
    else
        text_int(t, r->index);
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

static void dump_row(struct output *out, const struct replay_row *r)
{
    struct text t = {0}, state = {0};
    struct err err = {0};
    if (r->fate != REPLAY_APPLIED) {
        fprintf(stderr, "%s:%d: %s\n", out->o->file, r->line, r->reason);
        return;
    }
    if (out->dump == DUMP_STATE) {
        state_print(r->state, &state);
        text_add(&t, "{\"id\": ");
        print_id(r, &t);
        text_add(&t, ", \"state\": ");
        text_json(&t, text_str(&state));
        text_add(&t, "}\n");
    } else if (!dump_features(r, &t, &err)) {
        fprintf(stderr, "%s:%d: %s\n", out->o->file, r->line, err.text);
    }
    cli_print(&t);
    text_free(&t);
    text_free(&state);
}

static void print_row(const struct replay_row *r)
{
    printf("%6d  %-48.48s ", r->index, r->kernel ? r->kernel : "?");
    if (r->fate < REPLAY_APPLIED)
        printf("%s\n", r->reason);
    else if (r->fate == REPLAY_APPLIED)
        printf("applies\n");
    else if (isfinite(r->theirs_s))
        printf("ok  %12.6f %12.6f %8.3f\n", 1e3 * r->ours_s, 1e3 * r->theirs_s, r->theirs_s / r->ours_s);
    else
        printf("ok  %12.6f %12s %8s\n", 1e3 * r->ours_s, "-", "-");
    fflush(stdout);
}

static bool on_row(void *ctx, const struct replay_row *r)
{
    struct output *out = ctx;
    keep(out, r);
    if (out->dump)
        dump_row(out, r);
    else if (!out->c->json)
        print_row(r);
    return !ferror(stdout);
}

/* The end --------------------------------------------------------------------------------------------------------- */

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
}

static void text_member(struct text *t, const char *name, const char *value)
{
    text_printf(t, "\"%s\": ", name);
    if (value)
        text_json(t, value);
    else
        text_add(t, "null");
}

static void json_lists(const struct output *out, struct text *t)
{
    text_add(t, "\"failures\": [");
    for (int i = 0; i < out->failures.n; i++) {
        const struct failure *f = &out->failures.at[i];
        text_printf(t, "%s{\"index\": %d, \"line\": %d, ", i ? ", " : "", f->index, f->line);
        text_member(t, "id", f->id);
        text_add(t, ", ");
        text_member(t, "reason", f->reason);
        text_char(t, '}');
    }
    text_add(t, "], \"times\": [");
    for (int i = 0; i < out->times.n; i++) {
        const struct timing *x = &out->times.at[i];
        text_printf(t, "%s{\"index\": %d, ", i ? ", " : "", x->index);
        text_member(t, "id", x->id);
        text_add(t, ", \"seconds\": ");
        text_number(t, x->ours_s);
        text_add(t, ", \"recorded_s\": ");
        text_number(t, x->theirs_s);
        text_char(t, '}');
    }
    text_char(t, ']');
}

static void print_json(const struct output *out, const char *regime)
{
    const struct replay_sums *s = &out->sums;
    struct text t = {0};
    text_char(&t, '{');
    text_member(&t, "file", out->o->file);
    text_printf(&t, ", \"dry\": %s, ", out->o->dry ? "true" : "false");
    text_member(&t, "target", out->o->dry ? NULL : out->o->target->name);
    text_add(&t, ", ");
    text_member(&t, "regime", out->o->dry ? NULL : regime);
    text_printf(&t, ", \"threads\": %d, \"records\": %d, \"applied\": %d, ", out->o->threads, s->records, s->applied);
    if (out->o->dry)
        text_add(&t, "\"right\": null, ");
    else
        text_printf(&t, "\"right\": %d, ", s->right);
    text_printf(&t, "\"failed\": %d, \"guessed\": %d, \"left\": %d, \"recorded_over_ours\": ", failed(out), s->guessed,
                s->left);
    text_number(&t, out->nratios ? exp(out->log_ratio / out->nratios) : (double)NAN);
    text_add(&t, ", ");
    json_lists(out, &t);
    text_add(&t, "}\n");
    cli_print(&t);
    text_free(&t);
}

/* What was asked -------------------------------------------------------------------------------------------------- */

/* The kernels of every network file: asked first when a record gives only a hash and shapes. */
static void known_kernels(struct cli *c, struct replay_options *o)
{
    char **names;
    int n = 0;
    VEC(const char *) specs = {0};
    struct err ignored = {0};
    const char *dir = file_join(c->arena, c->folder, "networks");
    if (!file_list(c->arena, dir, ".yaml", &names, &n, &ignored))
        n = 0;
    for (int i = 0; i < n; i++) {
        struct network *net;
        if (!network_load(c->arena, c->folder, names[i], &net, &ignored))
            continue;
        for (int k = 0; k < net->nkernels; k++)
            vec_push(&specs, net->tasks[k].task->spec);
    }
    const char **known = (const char **)ARENA_ARRAY(c->arena, char *, specs.n + 1);
    for (int i = 0; i < specs.n; i++)
        known[i] = specs.at[i];
    o->known = known;
    o->nknown = specs.n;
    vec_free(&specs);
}

static bool parse_layout(const char *word, int *out, struct err *err)
{
    static const char *const names[] = {"none", "insert", "rewritten", "record"};
    for (int i = 0; i < 4; i++)
        if (str_eq(word, names[i])) {
            *out = i == 3 ? -1 : i;
            return true;
        }
    return err_set(err, "unknown layout '%s': none, insert, rewritten or record", word);
}

static bool parse_dump(const char *word, enum dump *out, struct err *err)
{
    *out = !word ? DUMP_NONE : str_eq(word, "state") ? DUMP_STATE : DUMP_FEATURES;
    return !word || str_eq(word, "state") || str_eq(word, "features") ||
           err_set(err, "unknown dump '%s': state or features", word);
}

static bool check_task(struct cli *c, const char *spec, struct err *err)
{
    struct task *t;
    return !spec || task_parse(c->arena, spec, &t, err) || err_context(err, "--task");
}

/* "tvm" or "tvm,number=5,run_timeout_s=60". */
static bool parse_regime(struct cli *c, const char *text, struct regime *out, struct err *err)
{
    const char *comma = strchr(text, ',');
    char *name = arena_strn(c->arena, text, comma ? (size_t)(comma - text) : strlen(text));
    return regime_named(name, out, err) &&
           (!comma || setting_parse(regime_settings, out, c->arena, comma + 1, err) || err_context(err, "--regime"));
}

static bool find_target(struct cli *c, const char *name, struct replay_options *o, struct err *err)
{
    if (o->dry)
        return true;
    o->target = registry_target(c->registry, name, err);
    return o->target && (!o->target->is_virtual ||
                         err_set(err, "target '%s' is virtual, nothing could be verified: use --dry", name));
}

static bool finish(struct output *out, bool done, const char *regime, struct err *err)
{
    if (out->sums.records == 0 && !done)
        return false;
    if (out->sums.records == 0)
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

bool verb_replay(struct cli *c, struct err *err)
{
    const char *regime = "tvm", *threads = "0", *target = "cpu", *layout = "record", *dump = NULL;
    struct replay_options o = {0};
    const struct option table[] = {
        {"--dry", NULL, "apply, infer bounds, lower and check the nest; build nothing", &o.dry, NULL, NULL},
        {"--dump", "state|features", "implies --dry: a JSON line {id, state} a record, or a table of features", NULL,
         &dump, NULL},
        {"--task", "SPEC", "the kernel of every record, where they do not describe it themselves", NULL, &o.task, NULL},
        {"--regime", "NAME[,KEY=VALUE]...", "timing protocol (tvm); `raingauge list regimes`", NULL, &regime, NULL},
        {"--threads", "N", "threads of a kernel (0: all)", NULL, &threads, NULL},
        {"--target", "NAME", "where to build and run (cpu)", NULL, &target, NULL},
        {"--layout", "none|insert|rewritten|record", "layout rewrite of weights; record: as each says, else rewritten",
         NULL, &layout, NULL},
        {0}};
    struct output out = {.c = c, .o = &o};
    int64_t nthreads;
    int nwords;
    if (!cli_options(c, table, &o.file, 1, &nwords, err))
        return false;
    if (!o.file)
        return err_set(err, "which file? one record a line, as TVM's logs or data/kernels/*.steps.jsonl");
    if (!str_int(threads, &nthreads) || nthreads < 0 || nthreads > 4096)
        return err_set(err, "--threads must be a whole number between 0 and 4096, not '%s'", threads);
    o.threads = (int)nthreads;
    o.dry = o.dry || dump;
    if (!parse_dump(dump, &out.dump, err) || !parse_layout(layout, &o.layout, err) || !check_task(c, o.task, err) ||
        !parse_regime(c, regime, &o.regime, err) || !find_target(c, target, &o, err))
        return false;
    known_kernels(c, &o);
    struct text head = {0};
    if (out.dump == DUMP_FEATURES)
        feature_header(&head);
    else if (!c->json && !out.dump)
        text_printf(&head, " index  %-48s result   ours ms  recorded ms    ratio\n", "kernel");
    cli_print(&head);
    text_free(&head);
    bool done = finish(&out, replay_run(&o, on_row, &out, &out.sums, err), regime, err);
    vec_free(&out.failures);
    vec_free(&out.times);
    return done;
}
