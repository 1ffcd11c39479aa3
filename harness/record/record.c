/* SPDX-License-Identifier: Apache-2.0 */
/* record: between a row of table trial and what the search understands. */
#include "harness/record/record.h"

#include "harness/base/json.h"
#include "harness/record/database.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool record_candidate(struct arena *a, const struct record *r, const struct task *task, struct candidate *out,
                      struct err *err)
{
    cJSON *json = json_parse(r->steps, strlen(r->steps), "steps", err);
    if (!json)
        return err_context(err, "record %lld", (long long)r->id);
    struct step *steps = NULL;
    int n = 0;
    bool fine = steps_parse(a, json, &steps, &n, err);
    cJSON_Delete(json);
    if (!fine)
        return err_context(err, "record %lld", (long long)r->id);
    *out =
        (struct candidate){.task = task, .steps = steps, .nsteps = n, .hash = r->hash, .score = r->sample.model_score};
    return true;
}

/* Strictly smaller mean, so that of equals the first measured stays the best: the authors' lookup does the same. */
bool record_better(const struct record *a, const struct record *b)
{
    return a->sample.outcome == OUTCOME_OK && sample_mean(&a->sample) < sample_mean(&b->sample);
}

void seconds_print(const double *seconds, int n, struct text *out)
{
    text_char(out, '[');
    for (int i = 0; i < n; i++) {
        if (i)
            text_char(out, ',');
        text_number(out, seconds[i]);
    }
    text_char(out, ']');
}

bool seconds_parse(const char *json, double *seconds, int *n, struct err *err)
{
    *n = 0;
    cJSON *list = json_parse(json, strlen(json), "seconds", err);
    if (!list)
        return false;
    bool fine = cJSON_IsArray(list) || err_set(err, "seconds is not a JSON array");
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, list)
    {
        if (!fine)
            break;
        if (!cJSON_IsNumber(item))
            fine = err_set(err, "seconds holds something that is not a number");
        else if (*n < SAMPLE_REPEATS)
            seconds[(*n)++] = item->valuedouble;
    }
    cJSON_Delete(list);
    return fine;
}

bool record_insert(struct database *d, struct record *r, const struct candidate *c, struct err *err)
{
    struct text steps = {0}, seconds = {0};
    char hash[20];
    steps_print(c->steps, c->nsteps, &steps);
    seconds_print(r->sample.seconds, r->sample.nseconds, &seconds);
    snprintf(hash, sizeof hash, "%016" PRIx64, c->hash);
    double mean = r->sample.outcome == OUTCOME_OK ? sample_mean(&r->sample) : NAN;
#define PLACE(name, below_0) ", ?"
#define TYPE(name, below_0) "d"
#define NUMBER(name, below_0) , r->sample.name
    bool fine = database_run(d, err,
                             "INSERT INTO trial(mean_s, " RECORD_COLUMNS
                             ") VALUES(?, NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?" SAMPLE_NUMBERS(PLACE) ")",
                             "dnnniisssssdddd" SAMPLE_NUMBERS(TYPE), mean, r->cell, r->task, r->round, r->ordinal,
                             r->task_ordinal, text_str(&steps), hash, outcome_word(r->sample.outcome),
                             r->sample.message, text_str(&seconds), r->sample.model_score, r->elapsed_s, r->wall_s,
                             r->unix_s SAMPLE_NUMBERS(NUMBER));
    if (fine)
        r->id = sqlite3_last_insert_rowid(database_handle(d));
    text_free(&steps);
    text_free(&seconds);
    return fine;
}

bool record_row(const struct query *q, struct arena *a, struct record *r, struct err *err)
{
    r->id = query_int(q, 0);
    r->cell = (int)query_int(q, 1);
    r->task = (int)query_int(q, 2);
    r->round = (int)query_int(q, 3);
    r->ordinal = query_int(q, 4);
    r->task_ordinal = query_int(q, 5);
    r->steps = query_str(q, a, 6);
    struct arena_mark mark = arena_mark(a);
    r->hash = strtoull(query_str(q, a, 7), NULL, 16);
    bool fine = outcome_parse(query_str(q, a, 8), &r->sample.outcome) ||
                err_set(err, "trial %" PRId64 ": unknown outcome '%s'", r->id, query_str(q, a, 8));
    snprintf(r->sample.message, sizeof r->sample.message, "%s", query_str(q, a, 9));
    fine = fine && seconds_parse(query_str(q, a, 10), r->sample.seconds, &r->sample.nseconds, err);
    arena_release(a, mark);
    r->sample.model_score = query_real(q, 11);
    r->elapsed_s = query_real(q, 12);
    r->wall_s = query_real(q, 13);
    r->unix_s = query_real(q, 14);
    int at = 15;
#define READ(name, below_0) r->sample.name = query_real(q, at++);
    SAMPLE_NUMBERS(READ)
    return fine;
}

void rng_print(const uint64_t state[4], char out[72])
{
    snprintf(out, 72, "%016" PRIx64 " %016" PRIx64 " %016" PRIx64 " %016" PRIx64, state[0], state[1], state[2],
             state[3]);
}

void rng_parse(const char *text, uint64_t state[4])
{
    for (int i = 0; i < 4; i++) {
        char *end;
        state[i] = strtoull(text, &end, 16);
        text = end;
    }
}
