/* SPDX-License-Identifier: Apache-2.0 */
/* bisect: the row of binaries, launches in turns, a verdict each. */
#include "harness/nightly/bisect.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/base/hash.h"
#include "harness/base/log.h"
#include "harness/nightly/level_steps.h"
#include "harness/nightly/night.h"
#include "harness/nightly/night_commands.h"
#include "harness/nightly/night_files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum bisect_state { BISECT_OPEN, BISECT_GOOD, BISECT_BAD, BISECT_UNCLEAR };

struct bisect_binary {
    const char *name, *id; /* for people; SHA-256 or commit */
    const char *folder;    /* of raingauge and experiments */
    enum bisect_state state;
    const char *why; /* it is unclear */
};
struct bisect {
    struct night_run r;
    VEC(struct bisect_binary) row; /* the good end first */
    const char *series;
    bool commits, timed;
};

/* ---- the row ---- */

static bool add_nights(struct bisect *b, int64_t good, int64_t bad, struct err *err)
{
    struct arena *a = b->r.o->arena;
    struct night *all;
    int n;
    if (!history_nights(b->r.h, a, b->r.night.machine, &all, &n, err))
        return false;
    for (int i = 0; i < n; i++) {
        bool end = all[i].number == good || all[i].number == bad;
        if (all[i].number < good || all[i].number > bad || (!end && !night_is_whole(&all[i])))
            continue;
        if (end && !level_comparable(&all[i], &b->r.night))
            return err_set(err, "night %lld ran on other hardware or another experiment", (long long)all[i].number);
        const char *binary = night_files_binary(&b->r, all[i].binary);
        if (end && !file_exists(binary))
            return err_set(err, "the binary of night %lld is no longer kept ('%s')", (long long)all[i].number, binary);
        if (b->row.n && str_eq(vec_last(&b->row).id, all[i].binary))
            continue;
        const char *name = arena_printf(a, "night %lld, %.12s, %.*s)", (long long)all[i].number, all[i].binary,
                                        (int)strcspn(all[i].revision, ")"), all[i].revision);
        vec_push(&b->row,
                 (struct bisect_binary){.name = name,
                                        .id = all[i].binary,
                                        .state = file_exists(binary) ? BISECT_OPEN : BISECT_UNCLEAR,
                                        .why = "its binary is no longer kept",
                                        .folder = arena_strn(a, binary, strlen(binary) - strlen("/raingauge"))});
    }
    return b->row.n >= 2 || err_set(err, "nights %lld and %lld of machine '%s' are not two binaries", (long long)good,
                                    (long long)bad, b->r.night.machine);
}

/* What git prints; false with its status, too, where that is not 0. */
static bool git(struct bisect *b, const char *const *words, const char **output, struct err *err)
{
    struct text t = {0};
    int status = 0;
    bool fine = night_commands_run(&b->r, words, &t, &status, err);
    *output = text_keep(&t, b->r.o->arena);
    return fine && (status == 0 || err_set(err, "'%s %s' ended with status %d", words[0], words[1], status));
}

static bool add_commits(struct bisect *b, const char *good, const char *bad, struct err *err)
{
    struct arena *a = b->r.o->arena;
    const char *first, *rest;
    if (!git(b, (const char *const[]){"git", "merge-base", "--is-ancestor", good, bad, NULL}, &first, err))
        return err_context(err, "'%s' and '%s' are neither two nights nor a commit and a later one", good, bad);
    if (!git(b, (const char *const[]){"git", "rev-list", "-1", good, NULL}, &first, err) ||
        !git(b,
             (const char *const[]){"git", "rev-list", "--reverse", "--first-parent",
                                   arena_printf(a, "%s..%s", good, bad), NULL},
             &rest, err))
        return false;
    char *save, *lines = arena_printf(a, "%s%s", first, rest);
    for (char *id = strtok_r(lines, "\n", &save); id; id = strtok_r(NULL, "\n", &save))
        vec_push(&b->row, (struct bisect_binary){.name = arena_printf(a, "commit %.12s", id),
                                                 .id = id,
                                                 .folder = arena_printf(a, "%s/bisect/%s", b->r.dir, id)});
    b->commits = true;
    return b->row.n >= 2 || err_set(err, "'%s' and '%s' are the same commit", good, bad);
}

/* A rename makes the folder whole or absent. False without err->code EXIT_INTERRUPTED or EXIT_INCONCLUSIVE: it does not
 * build. */
static bool build(struct bisect *b, const struct bisect_binary *c, struct err *err)
{
    struct arena *a = b->r.o->arena;
    const char *tree = arena_printf(a, "%s.tree", c->folder), *half = arena_printf(a, "%s.new", c->folder);
    const char *jobs = arena_printf(a, "-j%ld", sysconf(_SC_NPROCESSORS_ONLN)), *ignored;
    if (!b->commits || file_exists(c->folder))
        return true;
    log_info("bisect: building %s", c->name);
    const char *const steps[][7] = {{"rm", "-rf", tree, half},
                                    {"git", "worktree", "prune"},
                                    {"mkdir", "-p", half},
                                    {"git", "worktree", "add", "--detach", tree, c->id},
                                    {"make", "-C", tree, "-s", jobs, "all"},
                                    {"cp", "-L", file_join(a, tree, "build/raingauge"), half},
                                    {"cp", "-RL", file_join(a, tree, "experiments"), half},
                                    {"git", "worktree", "remove", "--force", tree},
                                    {"mv", half, c->folder}};
    const size_t nsteps = sizeof steps / sizeof *steps;
    for (size_t i = 0; i < nsteps; i++)
        if (!git(b, steps[i], &ignored, err)) {
            struct err left = {0}; /* the next build clears what this cannot */
            (void)!git(b, steps[nsteps - 2], &ignored, &left);
            return false;
        }
    return true;
}

/* ---- one binary ---- */

/* One that is not interrupted and has time left, only this binary fails. */
static bool goes_on(const struct err *err)
{
    return err->code != EXIT_INTERRUPTED && err->code != EXIT_INCONCLUSIVE;
}

/* Values of a binary in the round of another are those of that round alone. */
static const char *side_word(const struct bisect *b, const struct bisect_binary *of, const struct bisect_binary *c)
{
    uint64_t key = hash_mix(hash_str(night_files_programs(&b->r)), hash_str(b->row.at[0].id));
    key = hash_mix(hash_mix(key, hash_str(vec_last(&b->row).id)), hash_str(of->id));
    return arena_printf(b->r.o->arena, "bisect %016llx %.16s", (unsigned long long)key, c->id);
}

static bool values(struct bisect *b, const char *series, const char *side, double **v, int *n, struct err *err)
{
    return history_values(b->r.h, b->r.o->arena, &(struct night_series){0, series, side}, v, n, err);
}

/* Series of the machine's nights: the pinned programs. */
static bool programs(struct bisect *b, const char ***names, int *n, struct err *err)
{
    return history_series(b->r.h, b->r.o->arena, b->r.old.number, names, n, err);
}

static bool launched(struct bisect *b, const char *side, int *most, struct err *err)
{
    const char **names;
    int n;
    *most = 0;
    if (!programs(b, &names, &n, err))
        return false;
    for (int i = 0; i < n; i++) {
        double *v;
        int nv;
        if (!values(b, names[i], side, &v, &nv, err))
            return false;
        *most = nv > *most ? nv : *most;
    }
    return true;
}

static int rounds_left(int between)
{
    int rounds = 0;
    while (between >> rounds)
        rounds++;
    return rounds;
}

static bool launch(struct bisect *b, const struct bisect_binary *of, const struct bisect_binary *c, int turn,
                   struct err *err)
{
    const struct night_side side = {side_word(b, of, c), file_join(b->r.o->arena, c->folder, "raingauge"),
                                    file_join(b->r.o->arena, c->folder, "experiments")};
    double begun = clock_now();
    int done;
    if (!launched(b, side.word, &done, err))
        return false;
    if (done > turn)
        return true;
    if (!night_commands_launch(&b->r, &side, night_files_programs(&b->r), turn, err))
        return err_context(err, "%s", c->name);
    if (!b->timed) {
        char left[64];
        clock_format((clock_now() - begun) * NIGHT_PAIRS * (2 + 3 * rounds_left(b->row.n - 2)), left, sizeof left);
        log_info("bisect: about %s at most%s", left, b->commits ? ", and the time of the builds" : "");
    }
    b->timed = true;
    return true;
}

/* Both ends in turns, and c between them unless it is one of the two. */
static bool take_turns(struct bisect *b, const struct bisect_binary *c, struct err *err)
{
    const struct bisect_binary *sides[3] = {&b->row.at[0], &vec_last(&b->row), c};
    int n = c == sides[1] ? 2 : 3;
    for (int i = 0; i < NIGHT_PAIRS; i++)
        for (int k = 0; k < n; k++)
            if (!launch(b, c, sides[(i + k) % n], i, err))
                return false;
    return true;
}

static bool compare(struct bisect *b, const char *series, const struct bisect_binary *of,
                    const struct bisect_binary *old, const struct bisect_binary *new, struct regression *out,
                    struct err *err)
{
    double *v, *w;
    int nv, nw;
    if (!values(b, series, side_word(b, of, old), &v, &nv, err) ||
        !values(b, series, side_word(b, of, new), &w, &nw, err))
        return false;
    *out = regression_of(&(struct regression_input){.window = v,
                                                    .nwindow = nv,
                                                    .fresh = w,
                                                    .nfresh = nw,
                                                    .noise = NAN,
                                                    .old_again = v,
                                                    .new_again = w,
                                                    .npairs = nv == nw ? nv : 0});
    return true;
}

/* Finds the series in which the last binary is slower than the first. */
static bool judge_ends(struct bisect *b, struct text *out, struct err *err)
{
    const struct bisect_binary *good = &b->row.at[0], *bad = &vec_last(&b->row);
    const char **names, *asked = b->series;
    int n, found = 0;
    double most = 0;
    b->series = NULL;
    if (!take_turns(b, bad, err) || !programs(b, &names, &n, err))
        return false;
    for (int i = 0; i < n; i++) {
        struct regression x;
        if (!str_starts(names[i], "program ") || (asked && !str_eq(asked, names[i])))
            continue;
        found++;
        if (!compare(b, names[i], bad, good, bad, &x, err))
            return false;
        if (x.kind != REGRESSION_CONFIRMED)
            continue;
        text_printf(out, "%.4f (%.4f to %.4f)  %s\n", x.again, x.low, x.high, names[i]);
        if (x.again > most) {
            most = x.again;
            b->series = names[i];
        }
    }
    if (asked && !found)
        return str_unknown(err, "series", asked, names, n);
    if (b->series)
        return true;
    err->code = EXIT_INCONCLUSIVE;
    return err_set(err, "%s is not slower than %s: nothing to bisect in %d series", bad->name, good->name, found);
}

static bool judge(struct bisect *b, struct bisect_binary *c, struct err *err)
{
    struct bisect_binary *good = &b->row.at[0], *bad = &vec_last(&b->row);
    struct regression slower, faster;
    struct err why = {0};
    c->state = BISECT_UNCLEAR;
    if (!build(b, c, &why) || !take_turns(b, c, &why)) {
        c->why = arena_str(b->r.o->arena, why.text);
        *err = why;
        return goes_on(&why);
    }
    if (!compare(b, b->series, c, good, c, &slower, err) || !compare(b, b->series, c, c, bad, &faster, err))
        return false;
    bool is_slower = slower.kind == REGRESSION_CONFIRMED, is_faster = faster.kind == REGRESSION_CONFIRMED;
    if (is_slower != is_faster)
        c->state = is_slower ? BISECT_BAD : BISECT_GOOD;
    else
        c->why = is_slower ? "it lies between the two: more than one change made it slower"
                           : "its times differ from neither end's by the rule";
    log_info("bisect: %s: %.4f of the good end: %s", c->name, slower.again > 0 ? slower.again : slower.ratio,
             c->state == BISECT_GOOD  ? "good"
             : c->state == BISECT_BAD ? "slow"
                                      : c->why);
    return true;
}

/* ---- the search ---- */

/* The open one nearest to the middle of low and high, -1: there is none. */
static int next_of(const struct bisect *b, int low, int high)
{
    int middle = (low + high) / 2, best = -1;
    for (int i = low + 1; i < high; i++)
        if (b->row.at[i].state == BISECT_OPEN && (best < 0 || abs(i - middle) < abs(best - middle)))
            best = i;
    return best;
}

static bool search(struct bisect *b, struct text *out, struct err *err)
{
    int low = 0, high = b->row.n - 1, at;
    while ((at = next_of(b, low, high)) >= 0) {
        struct bisect_binary *c = &b->row.at[at];
        if (!judge(b, c, err))
            return false;
        low = c->state == BISECT_GOOD ? at : low;
        high = c->state == BISECT_BAD ? at : high;
    }
    *err = (struct err){0};
    text_printf(out, "bisected: %s\nlast fast one:  %s\nfirst slow one: %s\n", b->series, b->row.at[low].name,
                b->row.at[high].name);
    for (int i = low + 1; i < high; i++)
        text_printf(out, "not judged:     %s: %s\n", b->row.at[i].name, b->row.at[i].why);
    if (high == low + 1)
        return true;
    err->code = EXIT_INCONCLUSIVE;
    return err_set(err, "inconclusive: it is one of %d binaries, of which %d could not be judged", high - low,
                   high - low - 1);
}

static bool find_row(struct bisect *b, const char *good, const char *bad, struct err *err)
{
    int64_t first, last;
    int n;
    struct night *before, now = b->r.night;
    now.number = INT64_MAX;
    if (!history_before(b->r.h, b->r.o->arena, &now, false, &before, &n, err))
        return false;
    if (n == 0 || !file_exists(night_files_programs(&b->r)))
        return err_set(err,
                       "machine '%s' has no night of this hardware and experiment, so no pinned programs: run "
                       "`raingauge nightly` first",
                       b->r.night.machine);
    b->r.old = before[0];
    if (!str_int(good, &first) || !str_int(bad, &last) || last > before[0].number)
        return add_commits(b, good, bad, err);
    return first < last ? add_nights(b, first, last, err) : err_set(err, "night %s is not before night %s", good, bad);
}

bool bisect_run(const struct night_options *o, const char *good, const char *bad, const char *series, struct text *out,
                struct err *err)
{
    struct bisect b = {.series = series};
    bool fine = night_open(o, &b.r, err) && history_adopt(b.r.h, &b.r.night, err) && find_row(&b, good, bad, err);
    if (fine) {
        int rounds = rounds_left(b.row.n - 2);
        char budget[64];
        clock_format(b.r.budget_s, budget, sizeof budget);
        log_info("bisect: %d binaries from %s to %s: %d launches of the two ends, then %d rounds of %d: %d launches at "
                 "most, %s at most; Ctrl-C stops it, and the same command goes on",
                 b.row.n, b.row.at[0].name, vec_last(&b.row).name, 2 * NIGHT_PAIRS, rounds, 3 * NIGHT_PAIRS,
                 NIGHT_PAIRS * (2 + 3 * rounds), budget);
        fine = build(&b, &b.row.at[0], err) && build(&b, &vec_last(&b.row), err) && judge_ends(&b, out, err) &&
               search(&b, out, err);
    }
    vec_free(&b.row);
    night_end(&b.r);
    return fine;
}
