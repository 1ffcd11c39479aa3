/* SPDX-License-Identifier: Apache-2.0 */
/* pinned: the best programs of a store to lines, and lines to times. */
#include "harness/nightly/pinned.h"

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/measure/measure.h"
#include "harness/record/store.h"
#include "harness/stats/summary.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PROGRAMS_MOST = 256 };

struct pinned {
    const struct task *task;
    const char *name;
    struct record best;
};

/* Pinning --------------------------------------------------------------------------------------------------------- */

static void offer(struct pinned *all, int *n, const struct plan_task *t, const struct record *r)
{
    for (int i = 0; i < *n; i++)
        if (str_eq(all[i].task->spec, t->task->spec)) {
            if (record_better(r, &all[i].best))
                all[i].best = *r;
            return;
        }
    if (*n < PROGRAMS_MOST)
        all[(*n)++] = (struct pinned){t->task, t->name ? t->name : t->task->name, *r};
}

static bool find_best(struct arena *a, struct store *s, const struct plan *p, struct pinned *all, int *n,
                      struct err *err)
{
    for (int i = 0; i < p->ncells; i++)
        for (int t = 0; t < p->cells[i].ntasks; t++) {
            struct record best;
            bool found;
            if (!store_best(s, a, (struct store_part){i, t, 0}, &best, &found, err))
                return false;
            if (found)
                offer(all, n, &p->cells[i].tasks[t], &best);
        }
    return true;
}

static void add_line(cJSON *o, struct text *t)
{
    json_print(o, t);
    text_char(t, '\n');
}

static void print_programs(const struct plan *p, const struct pinned *all, int n, struct text *t)
{
    struct text regime = {0};
    cJSON *head = json_object();
    setting_print(regime_settings, &p->retime_regime, &regime);
    json_put_str(head, "target", p->target);
    json_put_str(head, "settings", p->target_settings);
    json_put_int(head, "threads", p->threads);
    json_put_int(head, "layout", p->layout);
    json_put_str(head, "regime", text_str(&regime));
    add_line(head, t);
    text_free(&regime);
    for (int i = 0; i < n; i++) {
        cJSON *o = json_object();
        json_put_str(o, "name", all[i].name);
        json_put_str(o, "spec", all[i].task->spec);
        json_put(o, "steps", cJSON_CreateRaw(all[i].best.steps));
        add_line(o, t);
    }
}

bool pinned_write(struct arena *a, const struct plan *p, const char *results, const char *path, struct err *err)
{
    struct store *s;
    struct pinned *all = ARENA_ARRAY(a, struct pinned, PROGRAMS_MOST);
    struct text t = {0};
    int n = 0;
    if (!store_open_read(results, &s, err))
        return false;
    bool fine = find_best(a, s, p, all, &n, err);
    store_close(s);
    if (!fine || n == 0)
        return fine && err_set(err, "'%s' has no valid program to pin", results);
    print_programs(p, all, n, &t);
    fine = file_write(path, text_str(&t), t.len, err);
    text_free(&t);
    return fine;
}

/* Timing ---------------------------------------------------------------------------------------------------------- */

struct launch {
    struct arena *arena;
    const struct registry *registry;
    struct measurer *m; /* NULL before the first line */
    struct regime regime;
    struct text *out;
};

static bool open_measurer(struct launch *l, const cJSON *head, struct err *err)
{
    struct limits limits;
    struct measure_options o = {.target = registry_target(l->registry, json_str(head, "target", ""), err),
                                .target_settings = arena_str(l->arena, json_str(head, "settings", "")),
                                .threads = (int)json_num(head, "threads", 0),
                                .build_workers = 1,
                                .layout = (enum layout_mode)json_num(head, "layout", LAYOUT_REWRITTEN),
                                .seed = 1,
                                .faults = ""};
    setting_defaults(regime_settings, &l->regime);
    if (!o.target || !setting_parse(regime_settings, &l->regime, l->arena, json_str(head, "regime", ""), err))
        return false;
    o.regime = l->regime;
    return measure_open(&o, &l->m, &limits, err);
}

/* The candidate that a line holds; false: it does not apply any more. */
static bool read_candidate(struct launch *l, const cJSON *line, struct candidate *c, struct err *why)
{
    struct task *task;
    struct step *steps;
    struct state *state;
    *c = (struct candidate){.score = NAN};
    if (!task_parse(l->arena, json_str(line, "spec", ""), &task, why) ||
        !steps_parse(l->arena, json_get(line, "steps"), &steps, &c->nsteps, why) ||
        !state_replay(l->arena, task, steps, c->nsteps, &state, why))
        return false;
    c->task = task;
    c->steps = steps;
    c->hash = state_hash(state);
    return true;
}

static bool time_program(struct launch *l, const cJSON *line, int number, struct err *err)
{
    struct sample s = {.outcome = OUTCOME_INVALID};
    struct candidate c;
    struct err why = {0};
    if (!read_candidate(l, line, &c, &why))
        snprintf(s.message, sizeof s.message, "%.*s", SAMPLE_MESSAGE - 1, why.text);
    else if (!measure_again(l->m, &c, &l->regime, &s, err))
        return false;
    bool fine = s.outcome == OUTCOME_OK;
    cJSON *o = json_object();
    json_put_str(o, "series", arena_printf(l->arena, "program %02d %s", number, json_str(line, "name", "?")));
    json_put_number(o, "seconds", fine ? summary_median(s.seconds, s.nseconds) : (double)NAN);
    json_put_str(o, "reason",
                 fine ? ""
                      : arena_printf(l->arena, "%s%s%s", outcome_word(s.outcome), *s.message ? ": " : "", s.message));
    add_line(o, l->out);
    return true;
}

bool pinned_time(struct arena *a, const struct registry *registry, const char *path, struct text *out, struct err *err)
{
    struct launch l = {.arena = a, .registry = registry, .out = out};
    char *text, *save;
    size_t n;
    bool fine = file_read(a, path, 0, &text, &n, err);
    int number = 0;
    for (char *line = fine ? strtok_r(text, "\n", &save) : NULL; fine && line;
         line = strtok_r(NULL, "\n", &save), number++) {
        cJSON *json = json_parse(line, strlen(line), arena_printf(a, "%s:%d", path, number + 1), err);
        fine = json && (l.m ? time_program(&l, json, number, err) : open_measurer(&l, json, err));
        cJSON_Delete(json);
    }
    fine = fine && (l.m || err_set(err, "'%s' is empty", path));
    measure_close(l.m);
    return fine;
}
