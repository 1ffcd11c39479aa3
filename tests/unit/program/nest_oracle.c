/* SPDX-License-Identifier: Apache-2.0 */
/* The printed loop nests of TVM v0.16 for the authors' schedules and for random states (data/tvm_oracle): ours must be
 * the same, non-zero loop minima aside (they are expressions in TVM's variable names). RAINGAUGE_ORACLE_SHOW=n shows
 * the first n that differ. */
#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/program/lower/bound.h"
#include "harness/program/lower/lower.h"
#include "harness/record/tvm/record_task.h"
#include "tests/lib/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tally {
    int records, applied, equal, lowered, shown;
};

/* "(expression,27)" -> "(*,27)" unless the minimum is the number 0. */
static char *mask(const char *s)
{
    char *out = malloc(strlen(s) + 8), *w = out;
    while (*s) {
        if (*s != '(' || s[-1] != ' ') {
            *w++ = *s++;
            continue;
        }
        const char *end = strchr(s, '\n'), *comma = end;
        while (comma > s && *comma != ',')
            comma--;
        *w++ = '(';
        *w++ = comma - s == 2 && s[1] == '0' ? '0' : '*';
        while (comma < end)
            *w++ = *comma++;
        s = end;
    }
    *w = 0;
    return out;
}

/* NULL: no operator of ours. */
static const char *record_spec(struct arena *a, const cJSON *rec)
{
    const char *name = json_str(rec, "case", NULL);
    if (name)
        return record_task_case(name);
    const cJSON *shapes = json_get(rec, "shapes"), *second = shapes ? cJSON_GetArrayItem(shapes, 1) : NULL;
    bool first = strstr(json_str(rec, "desc", ""), "add=1") && cJSON_GetArraySize(second) == 5;
    return arena_printf(a, "%s %s%s", json_str(rec, "kind", ""), json_str(rec, "desc", ""),
                        first ? " order=residual" : "");
}

static void one(const cJSON *rec, const char *where, struct tally *t)
{
    struct arena *a = arena_open("oracle");
    struct err err = {0};
    struct task *task;
    struct step *steps;
    struct state *s;
    struct nest *n;
    int nsteps, show = getenv("RAINGAUGE_ORACLE_SHOW") ? atoi(getenv("RAINGAUGE_ORACLE_SHOW")) : 0;
    const char *want = json_str(rec, "state", "");
    const char *spec = record_spec(a, rec);
    if (!spec) {
        arena_close(a);
        return;
    }
    t->records++;
    bool applied = task_parse(a, spec, &task, &err) && steps_parse(a, json_get(rec, "steps"), &steps, &nsteps, &err) &&
                   state_replay(a, task, steps, nsteps, &s, &err) && bound_infer(s, &err);
    if (!applied) {
        if (t->shown++ < show)
            diag("%s: does not apply: %s (%s)", where, err.text, spec);
        arena_close(a);
        return;
    }
    t->applied++;
    struct text got = {0};
    state_print(s, &got);
    char *x = mask(text_str(&got)), *y = mask(want);
    if (strcmp(x, y) == 0)
        t->equal++;
    else if (t->shown++ < show)
        diag("%s: differs\n--- ours\n%s--- TVM\n%s", where, text_str(&got), want);
    bool lowered = lower(a, s, LAYOUT_REWRITTEN, &n, &err) && nest_check(n, &err);
    t->lowered += lowered;
    if (!lowered && t->shown++ < show)
        diag("%s: does not lower: %s", where, err.text);
    free(x);
    free(y);
    text_free(&got);
    arena_close(a);
}

static void file(const char *name)
{
    const char *path = shared_path(name);
    struct tally t = {0};
    if (!path) {
        skip("the published data are not here", "%s", name);
        return;
    }
    FILE *f = fopen(path, "r");
    char *line = NULL;
    size_t cap = 0;
    ssize_t n;
    struct err err;
    for (int i = 1; f && (n = getline(&line, &cap, f)) > 0; i++) {
        char where[64];
        snprintf(where, sizeof where, "%.40s:%d", name, i);
        cJSON *rec = json_parse(line, (size_t)n, where, &err);
        if (rec)
            one(rec, where, &t);
        cJSON_Delete(rec);
    }
    free(line);
    if (f)
        fclose(f);
    ok(t.records > 0 && t.applied == t.records, "of the schedules in %s, %d of %d apply", name, t.applied, t.records);
    ok(t.equal == t.records, "of the schedules in %s, %d of %d give states that print as TVM prints them", name,
       t.equal, t.records);
    is_int(t.lowered, t.applied, "all schedules in %s that apply can be lowered", name);
}

int main(void)
{
    file("data/tvm_oracle/published_states.jsonl");
    file("data/tvm_oracle/random_states.jsonl");
    file("data/tvm_oracle/cuda_states.jsonl");
    return done_testing();
}
