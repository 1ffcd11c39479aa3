/* SPDX-License-Identifier: Apache-2.0 */
/* ranking: how well each cost model ranks recorded devices. */
#include "harness/base/cpus.h"
#include "harness/base/log.h"
#include "harness/cli/named_option.h"
#include "harness/experiment/machine.h"
#include "harness/plug/registry.h"
#include "harness/report/ranking/adaptation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct verb_ranking_options {
    const char *learn, *adapt, *pretraining, *settings;
    double share;
    int seeds;
    enum ranking_split split;
    enum { FORMAT_TEXT, FORMAT_TSV, FORMAT_JSON } format;
    struct setting_strings models;
};
static const char *const formats[] = {[FORMAT_TEXT] = "text", [FORMAT_TSV] = "tsv", [FORMAT_JSON] = "json", NULL};
static const char *const splits[] = {"programs", "kernels", NULL}; /* the first of ranking_splits */
static const struct setting options[] = {
    ENUM_SETTING("--split", struct verb_ranking_options, split, "programs", splits,
                 "what a model has not seen: programs of each kernel, or whole kernels"),
    STRING_SETTING("--learn", struct verb_ranking_options, learn, NULL,
                   "learn from this recording instead, but for kernels that are ranked", .word = "FILE"),
    STRING_SETTING("--adapt", struct verb_ranking_options, adapt, NULL,
                   "pre-train on --learn, then tell N programs of a kernel that is new: ways to adapt",
                   .word = "N,N,..."),
    STRING_SETTING("--pretraining", struct verb_ranking_options, pretraining, "",
                   "of --adapt: settings of model pacm on --learn", .word = "KEY=VALUE,..."),
    STRING_SETTING("--settings", struct verb_ranking_options, settings, "",
                   "of --adapt: settings of the models that adapt", .word = "KEY=VALUE,..."),
    REAL_SETTING("--share", struct verb_ranking_options, share, "0.5", 0.001, 0.999,
                 "part of the programs that is learned from", .word = "X"),
    INT_SETTING("--seeds", struct verb_ranking_options, seeds, "3", 1, 1000, "splits and trainings, for the intervals",
                .word = "N"),
    ENUM_SETTING("--format", struct verb_ranking_options, format, "text", formats, "what is printed",
                 .group = GROUP_OUTPUT),
    STRINGS_SETTING("--model", struct verb_ranking_options, models,
                    "a cost model and its settings, and what tables call it (all of them)",
                    .word = "[LABEL=]" NAMED_WORD, .group = GROUP_EXPERIMENT),
    {0}};

struct ranking_page { /* what is printed */
    const char *file;
    const struct recording *r;
    const struct ranking_options *o;
    const struct adaptation_options *adapt; /* NULL: no adaptation */
    const struct ranking *ranking;
};

static void progress(void *ctx, int done, int of)
{
    const struct recording_head *h = ctx;
    if (done == 0)
        progress_begin("ranking", of);
    progress_at(done, "%s", h->machine);
}

/* Printing -------------------------------------------------------------------------------------------------------- */

static const char *model_name(const struct ranking_row *r)
{
    return r->model ? r->model : "chance";
}

static void cell(struct text *t, const struct ranking_number *v)
{
    char text[48] = "-";
    if (isfinite(v->mean) && isfinite(v->low))
        snprintf(text, sizeof text, "%.3f [%.3f, %.3f]", v->mean, v->low, v->high);
    else if (isfinite(v->mean))
        snprintf(text, sizeof text, "%.3f", v->mean);
    text_printf(t, "  %-22s", text);
}

static void say_split(const struct ranking_page *p, struct text *t)
{
    const struct ranking_options *o = p->o;
    text_printf(t, "%s: %d programs of %d kernels on %s (%s)\n", p->file, p->r->n, p->r->head.ntasks,
                p->r->head.machine, p->r->head.source);
    if (p->adapt)
        text_printf(t,
                    "Adaptation: pacm learned from all other kernels of %s (%d programs in all). Then programs of the "
                    "kernel were told, ten at a time.\n",
                    o->learn->head.machine, o->learn->n);
    else if (o->split == RANKING_RECORDINGS)
        text_printf(
            t, "Split: recordings. Each model learned from the kernels of %s, %s (%d programs), that are not ranked.\n",
            o->learn->head.machine, o->learn->head.source, o->learn->n);
    else if (o->split == RANKING_PROGRAMS)
        text_printf(t,
                    "Split: held-out programs. Each model learned from %g of every kernel's programs and ranks the "
                    "rest.\n",
                    o->share);
    else
        text_printf(t,
                    "Split: held-out kernels. Each model learned from %g of the programs of all kernels but one and "
                    "ranks that one.\n",
                    o->share);
    text_printf(t, "Seeds 1 to %d; in brackets the 95 %% t-interval of the mean over seeds.\n", o->seeds);
    text_add(t, "Top-k: the least time of all ranked programs over the least of the k that the model ranks first.\n"
                "chance: what a random order gives on average, as computed.\n\n");
}

static void print_text(const struct ranking_page *p)
{
    struct text t = {0};
    say_split(p, &t);
    text_printf(&t, "%-34s %-10s %8s%s  %-22s  %-22s  %s\n", "kernel", "model", "programs", p->adapt ? "   told" : "",
                "Top-1", "Top-5", "Spearman");
    for (int i = 0; i < p->ranking->n; i++) {
        const struct ranking_row *r = &p->ranking->rows[i];
        text_printf(&t, "%-34.34s %-10.10s %8d", r->kernel, model_name(r), r->programs);
        if (p->adapt)
            text_printf(&t, "%7d", r->adapted);
        for (int k = 0; k < RANKING_TOPS; k++)
            cell(&t, &r->top[k]);
        cell(&t, &r->spearman);
        while (t.len > 0 && text_str(&t)[t.len - 1] == ' ')
            t.len--;
        text_char(&t, '\n');
    }
    cli_print(&t);
}

static void tsv_number(struct text *t, const struct ranking_number *v)
{
    const double of[] = {v->mean, v->low, v->high};
    for (int i = 0; i < 3; i++)
        if (isfinite(of[i]))
            text_printf(t, "\t%.6g", of[i]);
        else
            text_add(t, "\t");
}

static void print_tsv(const struct ranking_page *p, bool head)
{
    struct text t = {0};
    if (head)
        text_add(
            &t,
            "machine\tsplit\tshare\tseeds\tkernel\tmodel\tprograms\tlearned\tadapted\ttop1\ttop1_low\ttop1_high\ttop5\t"
            "top5_low\ttop5_high\tspearman\tspearman_low\tspearman_high\n");
    for (int i = 0; i < p->ranking->n; i++) {
        const struct ranking_row *r = &p->ranking->rows[i];
        text_printf(&t, "%s\t%s\t%g\t%d\t%s\t%s\t%d\t%d\t", p->r->head.machine, ranking_splits[p->o->split],
                    p->o->share, p->o->seeds, r->kernel, model_name(r), r->programs, r->learned);
        if (p->adapt)
            text_printf(&t, "%d", r->adapted);
        for (int k = 0; k < RANKING_TOPS; k++)
            tsv_number(&t, &r->top[k]);
        tsv_number(&t, &r->spearman);
        text_char(&t, '\n');
    }
    cli_print(&t);
}

static void json_number(cJSON *to, const char *name, const struct ranking_number *v)
{
    cJSON *one = json_put_object(to, name);
    json_put_number(one, "mean", v->mean);
    json_put_range(one, "interval", v->low, v->high);
}

static void put_json(const struct ranking_page *p, cJSON *list)
{
    cJSON *d = json_put_object(list, NULL);
    json_put_str(d, "file", p->file);
    json_put_str(d, "machine", p->r->head.machine);
    json_put_str(d, "source", p->r->head.source);
    json_put_str(d, "digest", p->r->digest);
    json_put_int(d, "programs", p->r->n);
    cJSON *rows = json_put_array(d, "rows");
    for (int i = 0; i < p->ranking->n; i++) {
        const struct ranking_row *r = &p->ranking->rows[i];
        cJSON *one = json_put_object(rows, NULL);
        json_put_str(one, "kernel", r->kernel);
        json_put_str(one, "model", model_name(r));
        json_put_int(one, "programs", r->programs);
        json_put_int(one, "learned", r->learned);
        if (p->adapt)
            json_put_int(one, "adapted", r->adapted);
        json_number(one, "top1", &r->top[0]);
        json_number(one, "top5", &r->top[1]);
        json_number(one, "spearman", &r->spearman);
    }
}

/* The options ----------------------------------------------------------------------------------------------------- */

static bool read_models(struct cli *c, const struct setting_strings *given, struct ranking_options *o, struct err *err)
{
    int most = given->n;
    while (c->registry->models[most])
        most++;
    struct ranked_model *models = ARENA_ARRAY(c->arena, struct ranked_model, most + 1);
    o->models = models;
    for (int i = 0; i < given->n; i++) {
        const char *settings, *name = named_option_split(c->arena, given->at[i], &settings);
        const char *label = strchr(name, '=');
        const struct model *m = registry_model(c->registry, label ? label + 1 : name, err);
        if (!m)
            return false;
        models[o->nmodels++] =
            (struct ranked_model){m, settings, label ? arena_strn(c->arena, name, (size_t)(label - name)) : NULL};
    }
    for (const struct model *const *m = c->registry->models; given->n == 0 && *m; m++) {
        void *defaults;
        if (!setting_options(c->arena, (*m)->settings, (*m)->options_size, "", &defaults, err))
            return false;
        if (setting_missing((*m)->settings, defaults))
            continue; /* model exec, which is nothing without a command */
        models[o->nmodels++] = (struct ranked_model){.plug = *m, .settings = ""};
    }
    return true;
}

static bool read_learn(struct cli *c, const char *file, struct ranking_options *o, struct err *err)
{
    struct recording *r = ARENA_NEW(c->arena, struct recording);
    o->learn = r;
    return recording_read(c->arena, file, false, r, err);
}

/* "0,10,30". */
static bool read_amounts(struct cli *c, const char *text, struct adaptation_options *o, struct err *err)
{
    enum { MOST = 16 };
    int *records = ARENA_ARRAY(c->arena, int, MOST);
    char *end = NULL;
    o->records = records;
    for (const char *at = text;; at = end + 1) {
        long n = strtol(at, &end, 10);
        if (end == at || (*end && *end != ',') || n < 0 || n > 1000000 || o->nrecords == MOST ||
            (o->nrecords && n <= records[o->nrecords - 1]))
            return err_set(err, "--adapt must be at most %d rising whole numbers, as 0,10,30, not '%s'", MOST, text);
        records[o->nrecords++] = (int)n;
        if (!*end)
            return true;
    }
}

static bool read_adaptation(struct cli *c, const struct ranking_options *o, struct adaptation_options *a,
                            struct err *err)
{
    const struct verb_ranking_options *v = c->options;
    *a = (struct adaptation_options){.pacm = registry_model(c->registry, "pacm", err),
                                     .moa = registry_model(c->registry, "moa", err),
                                     .learn = o->learn,
                                     .pretraining = v->pretraining,
                                     .settings = v->settings,
                                     .seeds = o->seeds};
    if (!a->pacm || !a->moa)
        return false;
    if (!o->learn)
        return err_set(err, "--adapt needs a recording to pre-train on: --learn FILE");
    if (v->models.n)
        return err_set(err, "--adapt compares its own ways: --model is not for it");
    return read_amounts(c, v->adapt, a, err);
}

static bool read_options(struct cli *c, struct ranking_options *o, struct err *err)
{
    const struct verb_ranking_options *v = c->options;
    *o = (struct ranking_options){
        .share = v->share, .seeds = v->seeds, .split = v->learn ? RANKING_RECORDINGS : v->split};
    return (!v->learn || read_learn(c, v->learn, o, err)) && read_models(c, &v->models, o, err);
}

/* The pre-trained network is in a file of TMPDIR meanwhile. */
static bool adapt_to(struct cli *c, struct recording *r, struct adaptation_options *a, struct ranking *out,
                     struct err *err)
{
    const char *folder = getenv("TMPDIR");
    char *path = arena_printf(c->arena, "%s/raingauge-network.XXXXXX", folder && folder[0] ? folder : "/tmp");
    int fd = mkstemp(path);
    if (fd < 0)
        return err_set(err, "%s: cannot be made", path);
    close(fd);
    a->file = path;
    bool fine = adaptation_make(c->arena, r, a, progress, &r->head, out, err);
    unlink(path);
    return fine;
}

static bool rank_file(struct cli *c, const struct ranking_page *to, int file, cJSON *json, struct err *err)
{
    const struct verb_ranking_options *v = c->options;
    struct ranking_options here = *to->o;
    struct adaptation_options adapt = {0};
    struct recording r;
    struct ranking ranking = {0};
    struct machine m;
    struct err unknown = {0}; /* a machine without a file: analytic models then know less */
    if (!recording_read(c->arena, c->words[file], false, &r, err))
        return false;
    if (machine_load(c->arena, c->folder, r.head.machine, &m, &unknown))
        here.analyzer = &m.analyzer;
    if (to->adapt)
        adapt = *to->adapt;
    bool fine = to->adapt ? adapt_to(c, &r, &adapt, &ranking, err)
                          : ranking_make(c->arena, &r, &here, progress, &r.head, &ranking, err);
    progress_end();
    if (!fine)
        return err_context(err, "%s", c->words[file]);
    const struct ranking_page page = {
        .file = c->words[file], .r = &r, .o = &here, .adapt = to->adapt, .ranking = &ranking};
    if (json)
        put_json(&page, json);
    else if (v->format == FORMAT_TSV)
        print_tsv(&page, file == 0);
    else
        print_text(&page);
    return true;
}

static cJSON *start_json(const struct ranking_options *o, cJSON **list)
{
    cJSON *out = json_object();
    json_put_str(out, "split", ranking_splits[o->split]);
    json_put_number(out, "share", o->share);
    json_put_int(out, "seeds", o->seeds);
    *list = json_put_array(out, "devices");
    return out;
}

static bool run(struct cli *c, struct err *err)
{
    const struct verb_ranking_options *v = c->options;
    struct ranking_options o = {0};
    struct adaptation_options adapt = {0};
    if (!read_options(c, &o, err) || (v->adapt && !read_adaptation(c, &o, &adapt, err)))
        return false;
    o.pool = adapt.pool = pool_open(cpus_usable());
    const struct ranking_page to = {.o = &o, .adapt = v->adapt ? &adapt : NULL};
    cJSON *list = NULL, *out = c->json || v->format == FORMAT_JSON ? start_json(&o, &list) : NULL;
    bool fine = true;
    for (int i = 0; i < c->nwords && fine; i++)
        fine = rank_file(c, &to, i, list, err);
    pool_close(o.pool);
    if (fine && out)
        cli_print_json(out);
    else
        cJSON_Delete(out);
    return fine;
}

#define NUMBER_MEMBERS(name, of)                                                                                       \
    MEMBER("devices[].rows[]." name ".mean", "ratio", of " Mean over seeds; null: not known."),                        \
        MEMBER("devices[].rows[]." name ".interval", "[low, high]", "Its 95 % interval over seeds; null: one seed.")
static const struct json_member members[] = {
    MEMBER("split", "text", "What the models had not seen: programs, kernels, or the whole recording."),
    MEMBER("share", "fraction", "Part of the programs that was learned from."),
    MEMBER("seeds", "count", "Splits and trainings of each model."),
    MEMBER("devices[].file", "text", "The recording, as it was named."),
    MEMBER("devices[].machine", "text", "The machine that was recorded."),
    MEMBER("devices[].source", "text", "How its programs came about."),
    MEMBER("devices[].digest", "text", "SHA-256 of the recording's lines."),
    MEMBER("devices[].programs", "count", "Programs of the recording."),
    MEMBER("devices[].rows[].kernel", "text", "Name of the kernel; all: all of them together, weighted by calls."),
    MEMBER("devices[].rows[].model", "text", "The cost model; chance: a random order, as computed."),
    MEMBER("devices[].rows[].programs", "count", "Programs that were ranked."),
    MEMBER("devices[].rows[].learned", "count", "Programs that the model learned from."),
    MEMBER_MAYBE("devices[].rows[].adapted", "count", "With --adapt: programs of the kernel that were told later."),
    NUMBER_MEMBERS("top1", "Least time of all programs over that of the first."),
    NUMBER_MEMBERS("top5", "Least time of all programs over the least of the first five."),
    NUMBER_MEMBERS("spearman", "Rank correlation of score and speed."),
    {0}};
static const struct json_form forms[] = {JSON_FORM("raingauge ranking FILE", members), {0}};

const struct verb verb_ranking = {.name = "ranking",
                                  .arguments = "FILE [FILE]",
                                  .summary = "how well each cost model ranks recorded devices",
                                  .asks = "which recordings? `raingauge collect` makes them",
                                  .needed = 1,
                                  .words = 2,
                                  VERB_OPTIONS(struct verb_ranking_options),
                                  .json = forms,
                                  .run = run};
