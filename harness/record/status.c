/* SPDX-License-Identifier: Apache-2.0 */
/* status: everything is read in one go, so that the numbers are of one moment as nearly as matters to a person. */
#include "harness/record/status.h"

#include "harness/base/clock.h"
#include "harness/record/database.h"
#include "harness/record/duel_record.h"

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

/* Sums of numbers that a damaged database may hold. */
static int64_t sum_of(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/* Most trials that a cell makes itself: none of the kernels that it takes from another network. */
static int64_t budget_of(const struct store_cell *cells, int n, int cell)
{
    const struct store_cell *c = &cells[cell];
    int taken = 0;
    for (int t = 0; t < c->ntasks; t++)
        taken += store_taken(cells, n, cell, t);
    return c->trials <= 0 ? 0 : taken ? c->trials / c->ntasks * (c->ntasks - taken) : c->trials;
}

static bool read_cells(struct store *s, struct arena *a, struct status *out, struct err *err)
{
    struct store_cell *cells;
    int64_t unused = 0; /* budget of finished cells that their searches did not use */
    if (!store_cells(s, a, &cells, &out->cells, err))
        return false;
    for (int i = 0; i < out->cells; i++) {
        bool done = str_eq(cells[i].state, "done");
        int64_t budget = budget_of(cells, out->cells, i);
        out->cells_done += done;
        out->trials += cells[i].trials_done;
        out->planned = sum_of(out->planned, budget);
        out->elapsed_s += cells[i].elapsed_s;
        unused = sum_of(unused, done ? budget - cells[i].trials_done : 0);
        if (!str_eq(cells[i].state, "running"))
            continue;
        out->where = arena_printf(a, "%s, %s, seed %" PRId64, cells[i].network, cells[i].arm, cells[i].seed);
        if (!cell_objective(s, a, &cells[i], i, &out->best_s, err))
            return false;
    }
    double uncounted_s;
    if (!tally_uncounted(s, &uncounted_s, err))
        return false;
    if (out->trials > 0)
        out->left_s = (out->elapsed_s - uncounted_s) / (double)out->trials *
                      ((double)out->planned - (double)out->trials - (double)unused);
    return true;
}

static bool read_phase(struct store *s, struct arena *a, struct status *out, struct err *err)
{
    bool awaited;
    int processes, failed;
    if (!duel_awaited(s, &awaited, err) || !duel_count_processes(s, &processes, &failed, err))
        return false;
    if (out->cells_done < out->cells || out->cells == 0) {
        out->phase = out->trials > 0 || out->cells_done > 0 || out->where[0] ? STATUS_SEARCH : STATUS_BEGIN;
        return true;
    }
    out->phase = awaited ? STATUS_RETIMING : STATUS_FINISHED;
    if (!awaited)
        return true;
    out->where = arena_printf(a, "duels, %d readings", processes);
    out->left_s = NAN;
    return true;
}

/* The file alone, without its write-ahead log, which store_file_safe moves there every few seconds. */
bool status_glance(const char *dir, int64_t *trials)
{
    struct arena *a = arena_open("glance");
    struct database *d = NULL;
    int64_t n = 0;
    struct err ignored;
    bool fine = database_open_still(arena_printf(a, "%s/records.db", dir), &d, &ignored) &&
                database_int(d, &n, &ignored, "SELECT count(*) FROM trial", "");
    database_close(d);
    arena_close(a);
    if (fine)
        *trials = n;
    return fine;
}

bool status_read(struct arena *a, const char *dir, struct status *out, struct err *err)
{
    struct store *s;
    struct tally_failure *failures;
    *out = (struct status){.folder = arena_str(a, dir), .where = "", .best_s = INFINITY, .left_s = NAN};
    if (!store_open_read(dir, &s, err))
        return false;
    out->stem = arena_str(a, store_campaign(s)->stem);
    out->tier = arena_str(a, store_campaign(s)->tier);
    out->target = arena_str(a, store_campaign(s)->target);
    out->hash = arena_str(a, store_campaign(s)->experiment_hash);
    out->is_running = store_writer(dir, &out->pid);
    bool fine = read_cells(s, a, out, err) && read_phase(s, a, out, err) &&
                tally_failures(s, a, -1, -1, &failures, &out->nfailures, err);
    store_close(s);
    if (!fine)
        return false;
    out->failures = failures;
    for (int i = 0; i < out->nfailures; i++)
        out->failed += failures[i].count;
    return true;
}

static const char *const phase_words[] = {"begin", "search", "retiming", "finished"};

void status_print(const struct status *s, struct text *out)
{
    char elapsed[32], left[32] = "unknown";
    bool finished = s->phase == STATUS_FINISHED;
    clock_format(s->elapsed_s, elapsed, sizeof elapsed);
    if (isfinite(s->left_s))
        clock_format(s->left_s, left, sizeof left);
    text_printf(out, "%s\n%s%s%s: %s", s->folder, s->stem, s->tier[0] ? ", tier " : "", s->tier,
                s->is_running ? "running"
                : finished    ? "finished"
                              : "stopped");
    if (s->is_running)
        text_printf(out, " (process %ld)", (long)s->pid);
    text_printf(out, "\ncells   %d of %d done\n", s->cells_done, s->cells);
    text_printf(out, "trials  %" PRId64 " of at most %" PRId64 ", %" PRId64 " failed\n", s->trials, s->planned,
                s->failed);
    text_printf(out, "time    %s", elapsed);
    if (!finished)
        text_printf(out, ", left at this pace: %s%s", isfinite(s->left_s) ? "at most " : "", left);
    text_char(out, '\n');
    if (s->where[0])
        text_printf(out, "now     %s\n", s->where);
    if (isfinite(s->best_s))
        text_printf(out, "best    %.4g ms, call-weighted sum of its kernels\n", s->best_s * 1e3);
    for (int i = 0; i < s->nfailures && i < 3; i++)
        text_printf(out, "failed  %" PRId64 " x %s%s%s\n", s->failures[i].count, outcome_word(s->failures[i].outcome),
                    s->failures[i].message[0] ? ": " : "", s->failures[i].message);
}

#define STATUS struct status, 0
const struct json_member status_members[] = {
    FIELD("folder", STATUS, folder, "text", "Where the records are."),
    FIELD("experiment", STATUS, stem, "text", "Name of the experiment."),
    MEMBER("tier", "text", "Size of the run."),
    FIELD("target", STATUS, target, "text", "Where programs run."),
    FIELD("hash", STATUS, hash, "text", "SHA-256 of what is run."),
    FIELD("running", STATUS, is_running, "true or false", "Whether a process is at work in this folder."),
    MEMBER("pid", "number", "That process; 0: none."),
    MEMBER("finished", "true or false", "Whether searches and re-timing are done."),
    MEMBER("phase", "text", "begin, search, retiming or finished."),
    FIELD("cells", STATUS, cells, "count", "Cells of the campaign."),
    FIELD("cells_done", STATUS, cells_done, "count", "Those that are done."),
    FIELD("trials", STATUS, trials, "count", "Trials that are recorded."),
    FIELD("planned", STATUS, planned, "count", "Trials at most."),
    FIELD("failed", STATUS, failed, "count", "Recorded trials that failed."),
    FIELD("elapsed_s", STATUS, elapsed_s, "seconds", "Clocks of all cells, added up."),
    FIELD("left_s", STATUS, left_s, "seconds",
          "Time left at this pace, if all searches take all their trials; null: not known."),
    FIELD("best_s", STATUS, best_s, "seconds",
          "Call-weighted sum of the best kernel times of the running cell; null: a kernel has none."),
    MEMBER("where", "text", "What runs now; empty: nothing."),
    MEMBER_MAYBE("failures[].outcome", "text", "How trials failed."),
    MEMBER_MAYBE("failures[].message", "text", "What was said."),
    MEMBER_MAYBE("failures[].count", "count", "How many failed so."),
    {0}};

cJSON *status_json(const struct status *s)
{
    cJSON *all = json_object();
    json_put_fields(all, status_members, "", (const void *[]){s});
    json_put_str(all, "tier", s->tier);
    json_put_int(all, "pid", s->is_running ? (int64_t)s->pid : 0);
    json_put_bool(all, "finished", s->phase == STATUS_FINISHED);
    json_put_str(all, "phase", phase_words[s->phase]);
    json_put_str(all, "where", s->where);
    cJSON *failures = json_put_array(all, "failures");
    for (int i = 0; i < s->nfailures; i++) {
        cJSON *one = json_put_object(failures, NULL);
        json_put_str(one, "outcome", outcome_word(s->failures[i].outcome));
        json_put_str(one, "message", s->failures[i].message);
        json_put_int(one, "count", s->failures[i].count);
    }
    return all;
}
