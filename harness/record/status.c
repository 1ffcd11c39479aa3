/* SPDX-License-Identifier: Apache-2.0 */
/* status: everything is read in one go, so that the numbers are of one moment as nearly as matters to a person. */
#include "harness/record/status.h"

#include "harness/base/clock.h"
#include "harness/record/aa_test.h"

#include <inttypes.h>
#include <math.h>

static bool cell_objective(struct store *s, struct arena *a, const struct store_cell *c, int cell, double *sum,
                           struct err *err)
{
    *sum = 0;
    for (int t = 0; t < c->ntasks; t++) {
        struct record best;
        bool found;
        if (!store_best(s, a, (struct store_part){cell, t, 0}, &best, &found, err))
            return false;
        *sum += found ? c->tasks[t].weight * sample_mean(&best.sample) : INFINITY;
    }
    return true;
}

static bool read_cells(struct store *s, struct arena *a, struct status *out, struct err *err)
{
    struct store_cell *cells;
    int64_t unused = 0; /* budget of finished cells that their searches did not use */
    if (!store_cells(s, a, &cells, &out->cells, err))
        return false;
    for (int i = 0; i < out->cells; i++) {
        bool done = str_eq(cells[i].state, "done");
        out->cells_done += done;
        out->trials += cells[i].trials_done;
        out->planned += cells[i].trials;
        out->elapsed_s += cells[i].elapsed_s;
        unused += done ? cells[i].trials - cells[i].trials_done : 0;
        if (!str_eq(cells[i].state, "running"))
            continue;
        out->where = arena_printf(a, "%s, %s, seed %" PRId64, cells[i].network, cells[i].arm, cells[i].seed);
        if (!cell_objective(s, a, &cells[i], i, &out->best_s, err))
            return false;
    }
    out->finished = out->cells > 0 && out->cells_done == out->cells;
    if (out->trials > 0)
        out->left_s = out->elapsed_s / (double)out->trials * (double)(out->planned - out->trials - unused);
    return true;
}

/* The searches are done: is what comes after them? */
static bool read_shootout(struct store *s, struct arena *a, struct status *out, struct err *err)
{
    bool awaited = false;
    int readings, failed;
    if (!out->finished)
        return true;
    if (!aa_awaited(s, &awaited, err) || !aa_count_readings(s, &readings, &failed, err))
        return false;
    out->finished = !awaited;
    if (awaited) {
        out->where = arena_printf(a, "shoot-out, %d readings", readings);
        out->left_s = NAN;
    }
    return true;
}

bool status_read(struct arena *a, const char *dir, struct status *out, struct err *err)
{
    struct store *s;
    struct tally_failure *failures;
    *out = (struct status){.where = "", .best_s = INFINITY, .left_s = NAN};
    if (!store_open_read(dir, &s, err))
        return false;
    out->stem = arena_str(a, store_campaign(s)->stem);
    out->tier = arena_str(a, store_campaign(s)->tier);
    out->target = arena_str(a, store_campaign(s)->target);
    out->hash = arena_str(a, store_campaign(s)->experiment_hash);
    out->is_running = store_writer(dir, &out->pid);
    bool fine = read_cells(s, a, out, err) && read_shootout(s, a, out, err) &&
                tally_failures(s, a, -1, -1, &failures, &out->nfailures, err);
    store_close(s);
    if (!fine)
        return false;
    out->failures = failures;
    for (int i = 0; i < out->nfailures; i++)
        out->failed += failures[i].count;
    return true;
}

void status_print(const struct status *s, struct text *out)
{
    char elapsed[32], left[32] = "unknown";
    clock_format(s->elapsed_s, elapsed, sizeof elapsed);
    if (isfinite(s->left_s))
        clock_format(s->left_s, left, sizeof left);
    text_printf(out, "%s%s%s: %s", s->stem, s->tier[0] ? ", tier " : "", s->tier,
                s->is_running ? "running"
                : s->finished ? "finished"
                              : "stopped");
    if (s->is_running)
        text_printf(out, " (process %ld)", (long)s->pid);
    text_printf(out, "\ncells   %d of %d done\n", s->cells_done, s->cells);
    text_printf(out, "trials  %" PRId64 " of at most %" PRId64 ", %" PRId64 " failed\n", s->trials, s->planned,
                s->failed);
    text_printf(out, "time    %s%s%s\n", elapsed, s->finished ? "" : ", left at this pace: ", s->finished ? "" : left);
    if (s->where[0])
        text_printf(out, "now     %s\n", s->where);
    if (isfinite(s->best_s))
        text_printf(out, "best    %.4g ms, call-weighted sum of its kernels\n", s->best_s * 1e3);
    for (int i = 0; i < s->nfailures && i < 3; i++)
        text_printf(out, "failed  %" PRId64 " x %s%s%s\n", s->failures[i].count, outcome_word(s->failures[i].outcome),
                    s->failures[i].message[0] ? ": " : "", s->failures[i].message);
}

static void member(struct text *out, const char *name, double v)
{
    text_printf(out, ",\"%s\":", name);
    text_number(out, v);
}

void status_json(const struct status *s, struct text *out)
{
    text_add(out, "{\"experiment\":");
    text_json(out, s->stem);
    text_add(out, ",\"tier\":");
    text_json(out, s->tier);
    text_add(out, ",\"target\":");
    text_json(out, s->target);
    text_add(out, ",\"hash\":");
    text_json(out, s->hash);
    text_printf(out, ",\"running\":%s,\"pid\":%ld", s->is_running ? "true" : "false",
                s->is_running ? (long)s->pid : 0L);
    text_printf(out, ",\"finished\":%s", s->finished ? "true" : "false");
    text_printf(out, ",\"cells\":%d,\"cells_done\":%d", s->cells, s->cells_done);
    text_printf(out, ",\"trials\":%" PRId64 ",\"planned\":%" PRId64 ",\"failed\":%" PRId64, s->trials, s->planned,
                s->failed);
    member(out, "elapsed_s", s->elapsed_s);
    member(out, "left_s", s->left_s);
    member(out, "best_s", s->best_s);
    text_add(out, ",\"where\":");
    text_json(out, s->where);
    text_add(out, ",\"failures\":[");
    for (int i = 0; i < s->nfailures; i++) {
        text_printf(out, "%s{\"outcome\":", i ? "," : "");
        text_json(out, outcome_word(s->failures[i].outcome));
        text_add(out, ",\"message\":");
        text_json(out, s->failures[i].message);
        text_printf(out, ",\"count\":%" PRId64 "}", s->failures[i].count);
    }
    text_add(out, "]}\n");
}
