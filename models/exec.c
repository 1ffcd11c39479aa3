/* SPDX-License-Identifier: Apache-2.0 */
/* exec: model 'exec': a user's program scores (harness/doc/exec.md). It is given the rows of features that model xgb
 * sees, learns from what was measured when it is asked to fit, and gives a number a state. One program serves all
 * kernels of a cell. Nothing of it is saved: a resumed search tells it all again and has it fit once. */
#include "harness/plug/exchange.h"
#include "models/statement_rows.h"

#include <math.h>

struct exec_options {
    struct exchange_options program;
};
static const struct setting settings[] = {EXCHANGE_SETTINGS(struct exec_options, program), {0}};

enum { CHUNK = 512 }; /* programs in a line */

struct exec_model {
    struct model_env *env;
    struct example_batch *batch;
    struct exchange program;
};
static const struct example_form form = FEATURE_FORM;

static bool exec_open(void *self, struct model_env *env, struct err *err)
{
    struct exec_model *m = self;
    const struct exec_options *o = env->options;
    struct text hello = {0};
    *m = (struct exec_model){.env = env};
    text_printf(&hello, "\"role\":\"model\",\"seed\":%lld,\"gpu\":%s,\"warmup\":%d,\"features\":",
                (long long)exchange_seed(&m->env->rng), env->limits.is_gpu ? "true" : "false", env->warmup);
    feature_names(&hello);
    bool fine = exchange_open(&m->program, &o->program, text_str(&hello), err);
    text_free(&hello);
    if (fine)
        m->batch = example_batch_open(&form, env);
    return fine;
}

static void exec_close(void *self)
{
    struct exec_model *m = self;
    example_batch_close(m->batch);
    exchange_close(&m->program);
}

/* Rows of a program, null where it cannot be shown. */
static void put_rows(struct exec_model *m, const struct example_matrix *shown, int i)
{
    const struct example_rows *in = &shown->shown[i].in[0];
    if (shown->none[i])
        text_add(&m->program.line, "null");
    else
        exchange_rows(&m->program.line, in->at, in->n, FEATURE_WIDTH);
}

static void put_sample(struct exec_model *m, const struct candidate *c, const struct sample *s)
{
    struct text *out = &m->program.line;
    text_add(out, "{\"task\":");
    text_json(out, c->task->spec);
    text_char(out, ',');
    exchange_sample(out, s);
    text_add(out, ",\"features\":");
}

/* Sends the line; the program must answer it by "done". */
static bool until_done(struct exec_model *m, struct err *err)
{
    cJSON *answer;
    if (!exchange_ask(&m->program, &answer, err))
        return false;
    bool done = json_get(answer, "done") != NULL;
    cJSON_Delete(answer);
    return done || exchange_wrong(&m->program, err, "'tell' and 'fit' are answered by {\"done\":true}");
}

static bool exec_tell(void *self, const struct candidate *c, const struct sample *s, int n, struct err *err)
{
    struct exec_model *m = self;
    for (int from = 0; from < n; from += CHUNK) {
        int part = n - from < CHUNK ? n - from : CHUNK;
        struct example_matrix shown = example_batch_candidates(m->batch, c + from, part);
        text_add(&m->program.line, "{\"tell\":[");
        for (int i = 0; i < part; i++) {
            text_add(&m->program.line, i ? "," : "");
            put_sample(m, &c[from + i], &s[from + i]);
            put_rows(m, &shown, i);
            text_char(&m->program.line, '}');
        }
        text_add(&m->program.line, "]}");
        if (!until_done(m, err))
            return false;
    }
    return true;
}

static bool exec_fit(void *self, struct err *err)
{
    struct exec_model *m = self;
    text_printf(&m->program.line, "{\"fit\":true,\"seed\":%lld}", (long long)exchange_seed(&m->env->rng));
    return until_done(m, err);
}

static bool read_scores(struct exec_model *m, const cJSON *answer, const struct example_matrix *shown, double *scores,
                        struct err *err)
{
    const cJSON *list = json_get(answer, "scores");
    if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) != shown->n)
        return exchange_wrong(&m->program, err, "'score' is answered by {\"scores\":[...]}, %d numbers, one a state",
                              shown->n);
    int i = 0;
    for (const cJSON *one = list->child; one; one = one->next, i++) {
        if (!cJSON_IsNumber(one) && !cJSON_IsNull(one))
            return exchange_wrong(&m->program, err, "score %d is neither a number nor null", i);
        scores[i] = cJSON_IsNumber(one) && !shown->none[i] ? one->valuedouble : -INFINITY;
    }
    return true;
}

static bool exec_score(void *self, const struct task *task, struct state *const *states, int n, double *scores,
                       struct err *err)
{
    struct exec_model *m = self;
    struct text *out = &m->program.line;
    bool fine = true;
    for (int from = 0; from < n && fine; from += CHUNK) {
        struct example_matrix shown =
            example_batch_states(m->batch, states + from, n - from < CHUNK ? n - from : CHUNK);
        cJSON *answer;
        text_add(out, "{\"score\":[");
        for (int i = 0; i < shown.n; i++) {
            text_add(out, i ? "," : "");
            put_rows(m, &shown, i);
        }
        text_add(out, "],\"task\":");
        text_json(out, task->spec);
        text_printf(out, ",\"seed\":%lld}", (long long)exchange_seed(&m->env->rng));
        fine = exchange_ask(&m->program, &answer, err) && read_scores(m, answer, &shown, scores + from, err);
        cJSON_Delete(answer);
    }
    return fine;
}

extern const struct model model_exec;
const struct model model_exec = {
    .name = "exec",
    .summary = "your own program, in any language, spoken to in JSON (harness/doc/exec.md)",
    .settings = settings,
    .options_size = sizeof(struct exec_options),
    .state_size = sizeof(struct exec_model),
    .open = exec_open,
    .tell = exec_tell,
    .fit = exec_fit,
    .score = exec_score,
    .close = exec_close,
};
