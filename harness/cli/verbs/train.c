/* SPDX-License-Identifier: Apache-2.0 */
/* train: a cost model trained on record files and kept in a file, to be loaded by experiments (model setting `load`).
 * Kernels that are held out are not trained on; how the model ranks their records is printed: pairs in the right order,
 * and the fastest record over the fastest of the k that score highest (top-k; Pruner's equation 2 for one kernel). */
#include "harness/base/clock.h"
#include "harness/base/cpus.h"
#include "harness/base/log.h"
#include "harness/cli/training_set.h"
#include "harness/program/lower/bound.h"

#include <math.h>
#include <stdlib.h>

struct train_options {
    const char *settings, *output;
    int64_t seed;
    struct setting_strings data, tasks, hold, against;
};
static const struct setting options[] = {
    STRINGS_SETTING("--data", struct train_options, data,
                    "records: lines as TVM's logs have them, a recording (raingauge collect), packed or not, or a "
                    "results folder",
                    .word = "FILE|DIR", .group = GROUP_EXPERIMENT),
    STRINGS_SETTING("--task", struct train_options, tasks,
                    "the kernel of every record line, where they do not tell: one for all files, or one for each in "
                    "order",
                    .word = "LINE", .group = GROUP_EXPERIMENT),
    STRING_SETTING("--settings", struct train_options, settings, "",
                   "of the model: epochs=100,validation=0.1,load=FILE", .word = "KEY=VALUE,..."),
    STRINGS_SETTING("--hold-out", struct train_options, hold,
                    "kernels to test on: those of a network, or with the text in their name", .word = "NETWORK|TEXT",
                    .group = GROUP_EXPERIMENT),
    STRINGS_SETTING("--against", struct train_options, against,
                    "name the kernels of that network which are trained on: they leak into a test with it",
                    .word = "NETWORK", .group = GROUP_EXPERIMENT),
    STRING_SETTING("--output", struct train_options, output, NULL, "where the trained model is kept", .word = "FILE"),
    INT_SETTING("--seed", struct train_options, seed, "1", 0, INT32_MAX, "of its random numbers", .word = "N"),
    {0}};

struct tested { /* a kernel that was held out */
    const char *kernel;
    int records;
    double right, top1, top5; /* right: NAN where no two records differ in time */
};
struct leak { /* a kernel that is trained on */
    const char *network, *kernel;
    int asked; /* which --against names the network */
};
struct train {
    struct cli *c;
    const struct train_options *o;
    const struct model *model;
    void *self;
    struct model_env env;
    struct phases phases;
    struct training_set set;
    int trained, ntrained; /* records, kernels */
    double fit_s;
    VEC(struct tested) tests;
    VEC(struct leak) leaks;
};

static bool read_data(struct train *t, struct err *err)
{
    if (t->o->data.n == 0)
        return err_set(err, "which records? --data FILE, once or more");
    const struct setting_strings *tasks = &t->o->tasks;
    if (tasks->n > 1 && tasks->n != t->o->data.n)
        return err_set(err, "--task %d times and --data %d times: one for all, or one for each", tasks->n,
                       t->o->data.n);
    for (int i = 0; i < t->o->data.n; i++) {
        const char *task = tasks->n > 1 ? tasks->at[i] : tasks->n == 1 ? tasks->at[0] : NULL;
        if (!training_set_add(&t->set, t->c, t->o->data.at[i], task, err))
            return false;
    }
    for (int i = 0; i < t->o->hold.n; i++)
        if (!training_set_hold(&t->set, t->c, t->o->hold.at[i], err))
            return false;
    for (int i = 0; i < t->set.tasks.n; i++)
        if (!t->set.tasks.at[i].held) {
            t->trained += t->set.tasks.at[i].candidates.n;
            t->ntrained++;
        }
    return t->trained > 0 ||
           err_set(err, "no record is left to train on: %d without a time, %d not applied%s%s", t->set.untimed,
                   t->set.refused, t->set.reason ? ": " : "", t->set.reason ? t->set.reason : "");
}

/* All records are told at once, so the first fit is the only one: it is due, and it is done. */
static bool settle_cadence(const struct model *model, void *model_options, struct err *err)
{
    for (const struct setting *s = model->settings; s && s->name; s++) {
        if (str_eq(s->name, "every"))
            setting_put_int(s, model_options, 1);
        if (str_eq(s->name, "update") && str_eq(s->choices[setting_int(s, model_options)], "never"))
            return err_set(err,
                           "setting 'update' of model '%s' is never, which trains nothing: fresh, or tune with load",
                           model->name);
    }
    return true;
}

static bool open_model(struct train *t, struct err *err)
{
    void *model_options;
    t->model = registry_model(t->c->registry, t->c->words[0], err);
    if (!t->model ||
        !setting_options(t->c->arena, t->model->settings, t->model->options_size, t->o->settings, &model_options, err))
        return false;
    if (!t->model->save)
        return err_set(err, "model '%s' cannot be trained", t->model->name);
    if (!settle_cadence(t->model, model_options, err))
        return false;
    t->env = (struct model_env){.options = model_options,
                                .limits = t->set.limits,
                                .pool = pool_open(cpus_usable()),
                                .phases = &t->phases,
                                .warmup = -1};
    rng_seed(&t->env.rng, (uint64_t)t->o->seed);
    phases_start(&t->phases);
    void *self = arena_alloc(t->c->arena, t->model->state_size + 1);
    if (!t->model->open(self, &t->env, err))
        return false;
    t->self = self;
    return true;
}

static bool fit(struct train *t, struct err *err)
{
    struct candidate *c = ARENA_ARRAY(t->c->arena, struct candidate, t->trained);
    struct sample *s = ARENA_ARRAY(t->c->arena, struct sample, t->trained);
    int n = 0;
    for (int i = 0; i < t->set.tasks.n; i++) {
        const struct training_task *of = &t->set.tasks.at[i];
        for (int k = 0; k < of->candidates.n && !of->held; k++, n++) {
            c[n] = of->candidates.at[k];
            s[n] = of->samples.at[k];
        }
    }
    log_info("%d records of %d kernels", t->trained, t->ntrained);
    if (!t->c->quiet)
        log_level_set(LOG_VERBOSE); /* the model tells its epochs */
    double start = clock_now();
    bool fine = t->model->tell(t->self, c, s, n, err) && t->model->fit(t->self, err);
    t->fit_s = clock_now() - start;
    log_level_set(t->c->quiet ? LOG_QUIET : t->c->verbose ? LOG_VERBOSE : LOG_NORMAL);
    return fine;
}

/* Testing --------------------------------------------------------------------------------------------------------- */

struct ranked_record {
    double score, seconds;
    int i;
};

static int by_score(const void *x, const void *y)
{
    const struct ranked_record *a = x, *b = y;
    return a->score > b->score ? -1 : a->score < b->score ? 1 : a->i - b->i;
}

static void judge(const struct ranked_record *r, int n, struct tested *out)
{
    double right = 0, pairs = 0, least = INFINITY, top[5], chosen = INFINITY;
    for (int i = 0; i < n; i++) {
        least = fmin(least, r[i].seconds);
        for (int k = 0; k < i; k++) {
            pairs += r[i].seconds != r[k].seconds;
            right += r[i].seconds == r[k].seconds ? 0 : r[i].score == r[k].score ? 0.5 : r[k].seconds < r[i].seconds;
        }
    }
    for (int k = 0; k < 5; k++) {
        chosen = k < n ? fmin(chosen, r[k].seconds) : chosen;
        top[k] = least / chosen;
    }
    *out = (struct tested){.records = n, .right = right / pairs, .top1 = top[0], .top5 = top[4]};
}

static bool test_kernel(struct train *t, const struct training_task *of, struct arena *a, struct err *err)
{
    int n = of->candidates.n;
    struct state **states = ARENA_ARRAY(a, struct state *, n);
    struct ranked_record *r = ARENA_ARRAY(a, struct ranked_record, n);
    double *scores = ARENA_ARRAY(a, double, n);
    struct tested result;
    for (int i = 0; i < n; i++) {
        const struct candidate *c = &of->candidates.at[i];
        if (!state_replay(a, c->task, c->steps, c->nsteps, &states[i], err) || !bound_infer(states[i], err))
            return false;
    }
    if (!t->model->score(t->self, of->task, states, n, scores, err))
        return false;
    for (int i = 0; i < n; i++)
        r[i] = (struct ranked_record){scores[i], of->samples.at[i].seconds[0], i};
    qsort(r, (size_t)n, sizeof *r, by_score);
    judge(r, n, &result);
    result.kernel = of->task->name;
    vec_push(&t->tests, result);
    return true;
}

static bool test_held(struct train *t, struct err *err)
{
    bool fine = true;
    for (int i = 0; fine && i < t->set.tasks.n; i++)
        if (t->set.tasks.at[i].held) {
            struct arena *a = arena_open("test of a kernel");
            fine = test_kernel(t, &t->set.tasks.at[i], a, err);
            arena_close(a);
        }
    return fine;
}

static bool find_leaks(struct train *t, struct err *err)
{
    for (int i = 0; i < t->o->against.n; i++) {
        const char **names;
        int n;
        if (!training_set_leaks(&t->set, t->c, t->o->against.at[i], &names, &n, err))
            return false;
        for (int k = 0; k < n; k++)
            vec_push(&t->leaks, (struct leak){t->o->against.at[i], names[k], i});
    }
    return true;
}

/* Printing -------------------------------------------------------------------------------------------------------- */

static struct tested mean_of(const struct train *t)
{
    struct tested m = {.kernel = "mean"};
    int paired = 0;
    for (int i = 0; i < t->tests.n; i++) {
        const struct tested *one = &t->tests.at[i];
        m.records += one->records;
        m.right += isnan(one->right) ? 0 : one->right;
        paired += !isnan(one->right);
        m.top1 += one->top1 / t->tests.n;
        m.top5 += one->top5 / t->tests.n;
    }
    m.right = paired ? m.right / paired : (double)NAN;
    return m;
}

static void print_test(struct text *out, const struct tested *r)
{
    if (isnan(r->right))
        text_add(out, "        -  ");
    else
        text_printf(out, "  %7.1f %%", 100 * r->right);
    text_printf(out, "   %6.3f   %6.3f   %7d  %s\n", r->top1, r->top5, r->records, r->kernel);
}

static void print_text(const struct train *t)
{
    struct text out = {0};
    text_printf(&out, "model %s: %d records of %d kernels in %.1f s (left out: %d without a time, %d not applied)\n",
                t->model->name, t->trained, t->ntrained, t->fit_s, t->set.untimed, t->set.refused);
    if (t->tests.n > 0) {
        text_add(&out, "held out:\n  pairs right   top-1    top-5   records  kernel\n");
        for (int i = 0; i < t->tests.n; i++)
            print_test(&out, &t->tests.at[i]);
        struct tested mean = mean_of(t);
        print_test(&out, &mean);
    }
    for (int i = 0, k = 0; i < t->o->against.n; i++) {
        int n = 0;
        while (k + n < t->leaks.n && t->leaks.at[k + n].asked == i)
            n++;
        text_printf(&out, "%d kernels of %s are trained on%s\n", n, t->o->against.at[i], n ? ":" : "");
        for (int end = k + n; k < end; k++)
            text_printf(&out, "  %s\n", t->leaks.at[k].kernel);
    }
    if (t->o->output)
        text_printf(&out, "kept in '%s'\n", t->o->output);
    cli_print(&out);
}

#define TRAIN struct train, 0
#define TESTED struct tested, 0
#define LEAK struct leak, 0
static const struct json_member members[] = {
    MEMBER("model", "text", "The model."),
    FIELD("output", struct train_options, 1, output, "text", "The file that holds it; null: it was not kept."),
    FIELD("records", TRAIN, trained, "count", "Records that were trained on."),
    FIELD("kernels", TRAIN, ntrained, "count", "Their kernels."),
    FIELD("untimed", TRAIN, set.untimed, "count", "Records left out as they hold no time."),
    FIELD("refused", TRAIN, set.refused, "count", "Records left out as they could not be read or applied."),
    FIELD("fit_s", TRAIN, fit_s, "seconds", "Time of features and training."),
    FIELD_MAYBE("held_out[].kernel", TESTED, kernel, "text", "A kernel that was not trained on."),
    FIELD_MAYBE("held_out[].records", TESTED, records, "count", "Its records."),
    FIELD_MAYBE("held_out[].pairs_right", TESTED, right, "share",
                "Pairs of them that the model puts in the right order; null: no two differ in time."),
    FIELD_MAYBE("held_out[].top1", TESTED, top1, "share",
                "Time of the fastest over time of the one with the highest score."),
    FIELD_MAYBE("held_out[].top5", TESTED, top5, "share", "The same for the fastest of the five highest scores."),
    FIELD_MAYBE("leaks[].network", LEAK, network, "text", "A network named by --against."),
    FIELD_MAYBE("leaks[].kernel", LEAK, kernel, "text", "A kernel of it that was trained on."),
    {0}};

static void print_json(const struct train *t)
{
    cJSON *out = json_object();
    json_put_str(out, "model", t->model->name);
    json_put_fields(out, members, "", (const void *[]){t, t->o});
    json_put_rows(out, members, "held_out", t->tests.at, t->tests.n, sizeof *t->tests.at);
    json_put_rows(out, members, "leaks", t->leaks.at, t->leaks.n, sizeof *t->leaks.at);
    cli_print_json(out);
}

static bool run(struct cli *c, struct err *err)
{
    struct train t = {.c = c, .o = c->options};
    bool fine = registry_model(c->registry, c->words[0], err) && read_data(&t, err) && open_model(&t, err) &&
                fit(&t, err) && test_held(&t, err) && (!t.o->output || t.model->save(t.self, t.o->output, err)) &&
                find_leaks(&t, err);
    if (fine && c->json)
        print_json(&t);
    else if (fine)
        print_text(&t);
    if (t.self)
        t.model->close(t.self);
    if (t.env.pool)
        pool_close(t.env.pool);
    training_set_free(&t.set);
    vec_free(&t.tests);
    vec_free(&t.leaks);
    return fine;
}

static const struct json_form forms[] = {JSON_FORM("raingauge train MODEL", members), {0}};

const struct verb verb_train = {.name = "train",
                                .arguments = "MODEL",
                                .summary = "a cost model trained on record files",
                                .asks = "which model? `raingauge list models` names them",
                                .needed = 1,
                                .words = 1,
                                VERB_OPTIONS(struct train_options),
                                .json = forms,
                                .run = run};
