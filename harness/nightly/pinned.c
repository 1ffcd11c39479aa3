/* SPDX-License-Identifier: Apache-2.0 */
/* pinned: writes and times pinned programs. */
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

static bool gather_best(struct arena *a, struct store *s, const struct plan *p, struct pinned *all, int *n,
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

static void print_programs(const struct plan *p, const struct pinned *all, int n, struct text *t)
{
    struct text regime = {0};
    setting_print(regime_settings, &p->retime_regime, &regime);
    text_add(t, "{\"target\": ");
    text_json(t, p->target);
    text_add(t, ", \"settings\": ");
    text_json(t, p->target_settings);
    text_printf(t, ", \"threads\": %d, \"layout\": %d, \"regime\": ", p->threads, (int)p->layout);
    text_json(t, text_str(&regime));
    text_add(t, "}\n");
    for (int i = 0; i < n; i++) {
        text_printf(t, "{\"name\": ");
        text_json(t, all[i].name);
        text_add(t, ", \"spec\": ");
        text_json(t, all[i].task->spec);
        text_printf(t, ", \"steps\": %s}\n", all[i].best.steps);
    }
    text_free(&regime);
}

bool pinned_pin(struct cli *c, const struct experiment *e, const char *results, const char *path, struct err *err)
{
    struct store *s;
    struct pinned *all = ARENA_ARRAY(c->arena, struct pinned, PROGRAMS_MOST);
    struct text t = {0};
    int n = 0;
    if (!store_open_read(results, &s, err))
        return false;
    bool fine = gather_best(c->arena, s, &e->plan, all, &n, err);
    store_close(s);
    if (!fine || n == 0)
        return fine && err_set(err, "'%s' has no valid program to pin", results);
    print_programs(&e->plan, all, n, &t);
    fine = file_write(path, text_str(&t), t.len, err);
    text_free(&t);
    return fine;
}

/* Timing ---------------------------------------------------------------------------------------------------------- */

static bool open_measurer(struct cli *c, const cJSON *head, struct regime *regime, struct measurer **out,
                          struct err *err)
{
    struct limits limits;
    struct measure_options o = {.target = registry_target(c->registry, json_str(head, "target", ""), err),
                                .target_settings = arena_str(c->arena, json_str(head, "settings", "")),
                                .threads = (int)json_num(head, "threads", 0),
                                .build_workers = 1,
                                .layout = (enum layout_mode)json_num(head, "layout", LAYOUT_REWRITTEN),
                                .seed = 1,
                                .faults = ""};
    setting_defaults(regime_settings, regime);
    if (!o.target || !setting_parse(regime_settings, regime, c->arena, json_str(head, "regime", ""), err))
        return false;
    o.regime = *regime;
    return measure_open(&o, out, &limits, err);
}

static bool time_program(struct cli *c, struct measurer *m, const struct regime *regime, const cJSON *line, int number,
                         struct err *err)
{
    struct sample s = {.outcome = OUTCOME_INVALID};
    struct task *task;
    struct step *steps;
    struct state *state;
    struct text t = {0};
    struct candidate cand = {.score = NAN};
    struct err why = {0};
    bool fine = true;
    if (task_parse(c->arena, json_str(line, "spec", ""), &task, &why) &&
        steps_parse(c->arena, json_get(line, "steps"), &steps, &cand.nsteps, &why)) {
        cand.task = task;
        cand.steps = steps;
    }
    if (cand.steps && state_replay(c->arena, task, steps, cand.nsteps, &state, &why)) {
        cand.hash = state_hash(state);
        fine = measure_again(m, &cand, regime, &s, err);
    } else {
        snprintf(s.message, sizeof s.message, "%.*s", SAMPLE_MESSAGE - 1, why.text);
    }
    if (fine) {
        text_add(&t, "{\"series\": ");
        text_json(&t, arena_printf(c->arena, "program %02d %s", number, json_str(line, "name", "?")));
        text_add(&t, ", \"seconds\": ");
        text_number(&t, s.outcome == OUTCOME_OK ? summary_median(s.seconds, s.nseconds) : (double)NAN);
        text_add(&t, ", \"reason\": ");
        text_json(&t, s.outcome == OUTCOME_OK ? ""
                                              : arena_printf(c->arena, "%s%s%s", outcome_word(s.outcome),
                                                             *s.message ? ": " : "", s.message));
        text_add(&t, "}\n");
        cli_print(&t);
        fflush(stdout);
    }
    text_free(&t);
    return fine;
}

static bool print_lines(struct cli *c, const char *path, char *text, struct err *err)
{
    struct measurer *m = NULL;
    struct regime regime;
    bool fine = true;
    int number = 0;
    for (char *line = strtok(text, "\n"); fine && line; line = strtok(NULL, "\n"), number++) {
        cJSON *json = json_parse(line, strlen(line), arena_printf(c->arena, "%s:%d", path, number + 1), err);
        fine = json && (m ? time_program(c, m, &regime, json, number, err) : open_measurer(c, json, &regime, &m, err));
        cJSON_Delete(json);
    }
    measure_close(m);
    return fine && (m || err_set(err, "'%s' is empty", path));
}

bool pinned_print(struct cli *c, const char *path, struct err *err)
{
    char *text;
    size_t n;
    return file_read(c->arena, path, 0, &text, &n, err) && print_lines(c, path, text, err);
}
