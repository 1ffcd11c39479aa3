/* SPDX-License-Identifier: Apache-2.0 */
/* best: the best program of each kernel of a campaign: as a table, as record lines of TVM, and as code that other
 * programs call. JSON members are in harness/doc/json.md. */
#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/log.h"
#include "harness/cli/named_option.h"
#include "harness/experiment/machine.h"
#include "harness/measure/worker.h"
#include "harness/record/tvm/tvm_export.h"
#include "harness/report/best/best_programs.h"
#include "harness/report/best/program_source.h"
#include "harness/report/best/reference_source.h"
#include "harness/report/best/tensor_map.h"

#include <math.h>
#include <string.h>

enum format { FORMAT_TABLE, FORMAT_TVM, FORMAT_C, FORMAT_LLVM, FORMAT_OBJECT };
static const char *const formats[] = {[FORMAT_TABLE] = "table", [FORMAT_TVM] = "tvm",       [FORMAT_C] = "c",
                                      [FORMAT_LLVM] = "llvm",   [FORMAT_OBJECT] = "object", NULL};
static const char LIST[] = "programs"; /* the header that lists them */
static const char *const suffixes[] = {[FORMAT_C] = "c", [FORMAT_LLVM] = "ll", [FORMAT_OBJECT] = "o"};

struct best_options {
    const char *network, *output, *target;
    int64_t kernel;
    enum format format;
};
static const struct setting options[] = {
    STRING_SETTING("--network", struct best_options, network, NULL, "of this network only", .word = "N"),
    INT_SETTING("--kernel", struct best_options, kernel, "-1", -1, 100000, "its kernel of that number only (-1: all)",
                .word = "INDEX"),
    ENUM_SETTING("--format", struct best_options, format, "table", formats,
                 "what comes out; c, llvm and object are files, with headers", .group = GROUP_OUTPUT),
    STRING_SETTING("--output", struct best_options, output, "programs", "folder of these files", .word = "DIR",
                   .group = GROUP_OUTPUT),
    STRING_SETTING("--target", struct best_options, target, NULL,
                   "what code is made for, if not for the target of the records: cpu,mcpu=znver3", .word = NAMED_WORD),
    {0}};

struct best {
    struct cli *c;
    const struct best_options *o;
    struct store *s;
    struct kernel_best *list;
    int n;
    double memory_gb_s; /* of the machine's facts; 0: not given */
};

/* ---- the table ---- */

/* Of the shortest time that the machine's peak and memory allow. */
static double of_roof(const struct best *b, const struct kernel_best *w)
{
    double memory_s = b->memory_gb_s > 0 ? w->flops / w->flop_per_byte / b->memory_gb_s / 1e9 : NAN;
    return fmax(w->share_of_peak, memory_s / w->seconds);
}

static void print_table(const struct best *b)
{
    struct text t = {0};
    text_printf(&t, "%-14s %3s  %-40s %9s %8s %7s %7s %9s  %-12s %6s %7s %8s  %s\n", "network", "no.", "kernel", "ms",
                "GFLOP/s", "of peak", "of roof", "FLOP/byte", "the best?", "next", "p", "launches", "found by");
    for (int i = 0; i < b->n; i++) {
        const struct kernel_best *w = &b->list[i];
        text_printf(&t, "%-14s %3d  %-40.40s", w->network, w->kernel, w->name);
        text_printf(&t, " %9.4g", 1e3 * w->seconds);
        text_cell(&t, 8, 2, w->gflops);
        text_cell(&t, 7, 3, w->share_of_peak);
        text_cell(&t, 7, 3, of_roof(b, w));
        text_cell(&t, 9, 1, w->flop_per_byte);
        text_printf(&t, "  %-12s", w->sure);
        text_cell(&t, 6, 3, w->next);
        text_cell(&t, 7, 3, w->p);
        text_printf(&t, " %8d  %s, seed %lld\n", w->launches, w->arm, (long long)w->seed);
    }
    text_add(&t,
             "\nnext: time of the fastest other program of its duel over its own; p: that the two are equal. The best? "
             "yes is p below 0.05.\n");
    if (!(b->memory_gb_s > 0))
        text_printf(&t, "of roof: of the peak only, as the file of machine '%s' has no memory_gb_s.\n",
                    store_campaign(b->s)->machine);
    cli_print(&t);
    text_free(&t);
}

#define BEST struct kernel_best, 0
static const struct json_member members[] = {
    FIELD("network", BEST, network, "text", "The network."),
    FIELD("kernel", BEST, kernel, "number", "Number of the kernel in it, from 0."),
    FIELD("name", BEST, name, "text", "The kernel as people read it."),
    FIELD("spec", BEST, spec, "text", "The kernel as a task line."),
    FIELD("calls", BEST, calls, "count", "How often the network calls it."),
    FIELD("flops", BEST, flops, "FLOP", "Operations of a call."),
    FIELD("arm", BEST, arm, "text", "The arm whose program is the best."),
    FIELD("searcher", BEST, searcher, "text", "Its searcher."),
    FIELD("seed", BEST, seed, "number", "Its seed."),
    FIELD("trial", BEST, trial, "number", "The trial."),
    FIELD("seconds", BEST, seconds, "seconds", "Of a call: re-timed, or as tuned where it was not."),
    FIELD("tuned_s", BEST, tuned_s, "seconds", "As the search saw it."),
    FIELD("retimed_s", BEST, retimed_s, "seconds", "Median of its launches; null: none."),
    FIELD("launches", BEST, launches, "count", "Fresh processes that timed it again."),
    FIELD("rivals", BEST, rivals, "count", "Other programs in its duel."),
    FIELD("sure", BEST, sure, "text", "yes, tied, alone or not re-timed."),
    FIELD("next", BEST, next, "ratio", "Time of the fastest rival over its own; null: none."),
    FIELD("p", BEST, p, "number", "Of a t-test that these two are equal; null: none."),
    FIELD("gflops", BEST, gflops, "GFLOP/s", "At `seconds`."),
    FIELD("share_of_peak", BEST, share_of_peak, "share", "Of the peak measured beside the re-timing; null: none."),
    MEMBER("share_of_roof", "share", "Of what peak and memory bandwidth allow; null: no peak."),
    FIELD("flop_per_byte", BEST, flop_per_byte, "number", "Operations over the bytes of the arguments."),
    FIELD("threads", BEST, threads, "count", "Threads of the kernel; 0: all."),
    MEMBER("layout", "text", "How weights are packed: none, insert or rewritten."),
    FIELD("settings", BEST, settings, "text", "Settings of the target."),
    FIELD("steps", BEST, steps, "text", "The schedule, as TVM's steps in JSON."),
    {0}};

static void print_json(const struct best *b)
{
    cJSON *list = json_array();
    for (int i = 0; i < b->n; i++) {
        cJSON *o = json_put_object(list, NULL);
        json_put_fields(o, members, "", (const void *[]){&b->list[i]});
        json_put_number(o, "share_of_roof", of_roof(b, &b->list[i]));
        json_put_str(o, "layout", named_option_layouts[b->list[i].layout]);
    }
    cli_print_json(list);
}

/* ---- record lines ---- */

static bool print_lines(const struct best *b, struct err *err)
{
    struct text ids = {0};
    struct tvm_export_sums sums;
    for (int i = 0; i < b->n; i++)
        text_printf(&ids, "%s%lld", i ? "," : "[", (long long)b->list[i].trial);
    text_add(&ids, "]");
    bool fine =
        tvm_export(b->s, &(struct tvm_export_options){.trials = text_str(&ids), .lines = cli_print_lines}, &sums, err);
    text_free(&ids);
    return fine;
}

/* ---- files ---- */

static bool put_file(const struct best *b, const char *name, const char *suffix, struct text *t, struct err *err)
{
    const char *path = arena_printf(b->c->arena, "%s/%s.%s", b->o->output, name, suffix);
    bool fine = file_write(path, t->s, t->len, err);
    text_clear(t);
    return fine;
}

static const char *note_of(const struct best *b, const struct kernel_best *w)
{
    const struct store_campaign *k = store_campaign(b->s);
    struct text t = {0};
    text_printf(&t, " * %s\n * From experiment %s, tier %s: trial %lld, arm %s, seed %lld; the best: %s.\n", w->spec,
                k->stem, k->tier, (long long)w->trial, w->arm, (long long)w->seed, w->sure);
    text_printf(&t, " * %.6g ms, %.4g GFLOP/s as measured %s; target %s%s%s.\n", 1e3 * w->seconds, w->gflops,
                isfinite(w->retimed_s) ? "again" : "in the search", k->target, *w->settings ? "," : "", w->settings);
    return text_keep(&t, b->c->arena);
}

static bool export_files(const struct best *b, const struct kernel_best *w, const char *name,
                         const struct target_option *to, struct err *err)
{
    struct arena *a = b->c->arena;
    struct task *t;
    struct step *steps;
    struct nest *n;
    struct limits limits;
    struct exported code = {0};
    struct text out = {0};
    struct target_env env = {.threads = w->threads, .layout = w->layout, .use = TARGET_BUILDS};
    void *self;
    int nsteps;
    cJSON *json = json_parse(w->steps, strlen(w->steps), "steps", err);
    bool fine = json && task_parse(a, w->spec, &t, err) && steps_parse(a, json, &steps, &nsteps, err) &&
                lower_steps(a, t, steps, nsteps, w->layout, &n, err);
    cJSON_Delete(json);
    if (!fine || !target_begin(to->target, to->settings, a, &env, &self, &limits, err))
        return false;
    fine = to->target->export(self, n, formats[b->o->format], name, &code, err);
    to->target->close(self);
    const struct program_source s = {.name = name,
                                     .task = t,
                                     .nest = n,
                                     .note = note_of(b, w),
                                     .flops = w->flops,
                                     .seconds = w->seconds,
                                     .code = &code};
    if (fine && b->o->format == FORMAT_C)
        program_c(&s, &out);
    fine = fine && put_file(b, name, suffixes[b->o->format], out.len ? &out : &code.code, err);
    if (fine)
        program_header(&s, &out);
    fine = fine && put_file(b, name, "h", &out, err) && reference_source(t, name, &out, err) &&
           put_file(b, arena_printf(a, "%s_reference", name), "c", &out, err);
    text_free(&out);
    text_free(&code.code);
    return fine || err_context(err, "kernel %d of %s", w->kernel, w->network);
}

/* The target of the records with the settings of each program, unless another is named. */
static bool find_target(const struct best *b, const struct kernel_best *w, struct target_option *to, struct err *err)
{
    const char *text = b->o->target ? b->o->target
                                    : arena_printf(b->c->arena, "%s%s%s", store_campaign(b->s)->target,
                                                   *w->settings ? "," : "", w->settings);
    if (!target_option_parse(b->c, text, to, err))
        return false;
    const char *word = formats[b->o->format];
    for (int i = 0; to->target->exports && to->target->exports[i]; i++)
        if (str_eq(to->target->exports[i], word))
            return true;
    return err_set(
        err, "target %s makes no code for other programs%s: name one that does (--target cpu)", to->target->name,
        to->target->print ? "; `raingauge show --steps FILE --target ... --dump source` prints its kernels" : "");
}

static bool write_files(const struct best *b, struct err *err)
{
    const char **names = ARENA_ARRAY(b->c->arena, const char *, b->n + 1);
    struct text list = {0};
    struct target_option to;
    if (!file_make_dirs(b->o->output, err))
        return false;
    for (int i = 0; i < b->n; i++) {
        char name[128];
        c_name(arena_printf(b->c->arena, "%s_%d", b->list[i].network, b->list[i].kernel), name, sizeof name);
        names[i] = arena_str(b->c->arena, name);
        if (!find_target(b, &b->list[i], &to, err) || !export_files(b, &b->list[i], names[i], &to, err))
            return false;
    }
    program_list(names, b->n, &list);
    bool fine = put_file(b, LIST, "h", &list, err);
    text_free(&list);
    if (fine)
        log_info("%d programs as %s in '%s'; %s.h lists them", b->n, formats[b->o->format], b->o->output, LIST);
    return fine;
}

/* ---- what was asked ---- */

static bool read_programs(struct best *b, struct err *err)
{
    int kept = 0;
    if (!best_programs_read(b->c->arena, b->s, b->o->network, &b->list, &b->n, err))
        return false;
    if (b->n == 0 && b->o->network)
        return recorded_option_check(b->c, b->s, NULL, b->o->network, err) &&
               err_set(err, "no valid program of network '%s' is on record in '%s'", b->o->network, b->c->words[0]);
    if (b->o->kernel < 0)
        return true;
    struct text others = {0};
    for (int i = 0; i < b->n; i++)
        if (b->list[i].kernel == b->o->kernel)
            b->list[kept++] = b->list[i];
        else
            text_printf(&others, "%s%s %d", others.len ? ", " : "", b->list[i].network, b->list[i].kernel);
    b->n = kept;
    if (!kept)
        err_set(err, "no valid program of a kernel %lld is on record in '%s': there are %s", (long long)b->o->kernel,
                b->c->words[0], others.len ? others.s : "none");
    text_free(&others);
    return kept;
}

static bool print(struct best *b, struct err *err)
{
    struct machine m;
    struct err ignored = {0};
    bool files = b->o->format >= FORMAT_C;
    if (files && !write_files(b, err))
        return false;
    if (b->o->format == FORMAT_TVM)
        return print_lines(b, err);
    if (machine_load(b->c->arena, b->c->folder, store_campaign(b->s)->machine, &m, &ignored))
        b->memory_gb_s = m.memory_gb_s;
    if (b->c->json)
        print_json(b);
    else if (!files)
        print_table(b);
    return true;
}

static bool run(struct cli *c, struct err *err)
{
    struct best b = {.c = c, .o = c->options};
    if (!store_open_read(c->words[0], &b.s, err))
        return false;
    bool fine = read_programs(&b, err);
    if (fine && b.n == 0) {
        fine = err_set(err, "no valid program is on record in '%s'", c->words[0]);
        err->code = EXIT_INCONCLUSIVE;
    }
    fine = fine && print(&b, err);
    store_close(b.s);
    return fine;
}

static const struct json_form forms[] = {JSON_FORM_LIST("raingauge best DIR", members), {0}};
static const struct verb_exit exits[] = {{EXIT_USAGE, "wrong usage, no records there, or no code in that form"},
                                         {EXIT_INCONCLUSIVE, "no program has a time yet"},
                                         {0}};

const struct verb verb_best = {.name = "best",
                               .arguments = "RESULTS",
                               .summary =
                                   "the best program of each kernel: a table, record lines of TVM, or C, LLVM IR "
                                   "and objects for other programs",
                               .asks = "which results folder?",
                               .needed = 1,
                               .words = 1,
                               VERB_OPTIONS(struct best_options),
                               .exits = exits,
                               .json = forms,
                               .run = run};
