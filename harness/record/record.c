/* SPDX-License-Identifier: Apache-2.0 */
/* record: between a row of table trial and what the search understands. */
#include "harness/record/record.h"

#include "harness/base/json.h"

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
