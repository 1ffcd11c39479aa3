/* SPDX-License-Identifier: Apache-2.0 */
/* night_commands: the command line of raingauge is the interface, so an older binary can be run as well. */
#include "harness/nightly/night_commands.h"

#include "harness/base/clock.h"
#include "harness/base/json.h"
#include "harness/base/process.h"
#include "harness/nightly/series.h"
#include "harness/tune/interrupt.h"

#include <limits.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { WORDS_MOST = 180 };
#define GRACE_S 20 /* from SIGINT to SIGKILL */

struct words {
    struct arena *arena;
    const char *at[WORDS_MOST];
    int n;
};

static void add_word(struct words *w, const char *word)
{
    if (w->n == WORDS_MOST - 1)
        bug("a command of more than %d words", WORDS_MOST);
    w->at[w->n++] = arena_str(w->arena, word);
}

/* words ended by NULL */
static void add_words(struct words *w, const char *const *words)
{
    for (; *words; words++)
        add_word(w, *words);
}

/* Its stderr is passed on, but not what it says once it is interrupted: how it would go on is not how a night goes on.
 */
static void pass_on(struct process *p)
{
    if (!interrupt_asked())
        (void)!write(STDERR_FILENO, text_str(&p->err), p->err.len);
    text_clear(&p->err);
}

/* Until it has ended. True: it was interrupted, as the budget was used up. */
static bool follow(const struct night_run *r, struct process *p)
{
    while (!process_wait(p, fmin(clock_now() + 0.2, r->until))) {
        bool late = clock_now() > r->until;
        pass_on(p);
        if (!late && !interrupt_asked())
            continue;
        process_signal(p, SIGINT);
        if (!process_wait(p, clock_now() + GRACE_S))
            process_stop(p, 0);
        return late;
    }
    pass_on(p);
    return false;
}

static bool run_words(struct night_run *r, const struct words *w, struct text *output, int *status, struct err *err)
{
    const struct process_spec binary = {.argv = w->at, .out = PROCESS_CAPTURE, .err = PROCESS_CAPTURE};
    struct process p;
    if (!process_start(&binary, &p, err))
        return false;
    bool late = follow(r, &p);
    *status = p.state == PROCESS_SIGNALLED ? 128 + p.code : p.code;
    if (output)
        text_add(output, text_str(&p.out));
    process_close(&p);
    if (interrupt_asked()) {
        err->code = EXIT_INTERRUPTED;
        return err_set(err, "interrupted: the same command goes on with this night");
    }
    if (!late)
        return true;
    char budget[64];
    clock_format(r->budget_s, budget, sizeof budget);
    err->code = EXIT_INCONCLUSIVE;
    return err_set(err, "night %lld: the budget of %s is used up; the same command goes on with this night",
                   (long long)r->night.number, budget);
}

bool night_commands_run(struct night_run *r, const char *const *words, struct text *output, int *status,
                        struct err *err)
{
    struct words w = {.arena = r->o->arena};
    add_words(&w, words);
    return run_words(r, &w, output, status, err);
}

bool night_commands_version(struct night_run *r, const char *binary, const char **out, struct err *err)
{
    struct words w = {.arena = r->o->arena};
    struct text output = {0};
    int status;
    add_words(&w, (const char *const[]){binary, "--version", NULL});
    bool fine = run_words(r, &w, &output, &status, err);
    *out = arena_strn(r->o->arena, text_str(&output), strcspn(text_str(&output), "\n"));
    text_free(&output);
    return fine && (status == 0 || err_set(err, "'%s --version' ended with status %d", binary, status));
}

/* Campaigns ------------------------------------------------------------------------------------------------------- */

static void campaign_words(const struct night_run *r, const struct night_side *side, const char *results,
                           const char *const *more, struct words *w)
{
    add_words(w, (const char *const[]){side->binary, "run", r->e->stem, "--experiments", side->experiments, "--results",
                                       results, "--resume", "--quiet", NULL});
    if (*r->e->tier)
        add_words(w, (const char *const[]){"--tier", r->e->tier, NULL});
    for (int i = 0; i < r->nsets; i++)
        add_words(w, (const char *const[]){"--set", r->sets[i], NULL});
    for (; more && *more; more++)
        add_words(w, (const char *const[]){"--set", *more, NULL});
}

static bool put_series(struct night_run *r, const char *results, const char *side, int ordinal, struct err *err)
{
    struct store *s;
    struct series series = {0};
    if (!store_open_read(results, &s, err))
        return false;
    bool fine = series_read(r->o->arena, s, &series, err);
    store_close(s);
    for (int i = 0; fine && i < series.all.n; i++) {
        const struct series_value *v = &series.all.at[i];
        fine = str_starts(v->series, "program ") || /* of this night's best programs: others every night */
               history_put(r->h, &(struct night_series){r->night.number, v->series, side},
                           ordinal ? ordinal : v->ordinal, v->seconds, err);
    }
    series_free(&series);
    return fine;
}

bool night_commands_campaign(struct night_run *r, const struct night_side *side, const char *results,
                             const char *const *more, int ordinal, struct err *err)
{
    struct words w = {.arena = r->o->arena};
    int status;
    campaign_words(r, side, results, more, &w);
    if (!run_words(r, &w, NULL, &status, err))
        return false;
    if (status == 0)
        return put_series(r, results, side->word, ordinal, err);
    err->code = status == EXIT_INVALID ? EXIT_INVALID : EXIT_USAGE;
    return err_set(err, "night %lld: '%s run %s' ended with status %d", (long long)r->night.number, side->binary,
                   r->e->stem, status);
}

/* Launches of pinned programs ------------------------------------------------------------------------------------- */

static bool put_line(struct night_run *r, const char *line, const char *side, int ordinal, struct err *err)
{
    cJSON *json = json_parse(line, strlen(line), "a launch", err);
    if (!json)
        return false;
    const char *series = arena_str(r->o->arena, json_str(json, "series", "?"));
    double seconds = json_num(json, "seconds", NAN);
    bool fine = true;
    if (seconds > 0)
        fine = history_put(r->h, &(struct night_series){r->night.number, series, side}, ordinal, seconds, err);
    else if (!*side)
        vec_push(&r->broken, arena_printf(r->o->arena, "%s: %s", series, json_str(json, "reason", "")));
    cJSON_Delete(json);
    return fine;
}

bool night_commands_launch(struct night_run *r, const struct night_side *side, const char *programs, int ordinal,
                           struct err *err)
{
    struct words w = {.arena = r->o->arena};
    struct text output = {0};
    int status;
    add_words(&w, (const char *const[]){side->binary, "nightly", "--launch", programs, "--quiet", NULL});
    bool fine = run_words(r, &w, &output, &status, err);
    if (fine && status != 0) {
        err->code = EXIT_INVALID;
        fine = err_set(err, "night %lld: '%s nightly --launch' ended with status %d", (long long)r->night.number,
                       side->binary, status);
    }
    char *save, *lines = arena_str(r->o->arena, text_str(&output));
    for (char *line = strtok_r(lines, "\n", &save); fine && line; line = strtok_r(NULL, "\n", &save))
        fine = put_line(r, line, side->word, ordinal, err);
    text_free(&output);
    return fine;
}

bool night_commands_launches_done(struct night_run *r, const struct night_side *side, int *done, struct err *err)
{
    const char **names;
    int n;
    *done = INT_MAX;
    if (!history_series(r->h, r->o->arena, r->night.number, &names, &n, err))
        return false;
    for (int i = 0; i < n; i++) {
        double *v;
        int nv = 0;
        if (!str_starts(names[i], "program "))
            continue;
        if (!history_values(r->h, r->o->arena, &(struct night_series){r->night.number, names[i], side->word}, &v, &nv,
                            err))
            return false;
        *done = nv < *done ? nv : *done;
    }
    *done = *done == INT_MAX ? 0 : *done;
    return true;
}
