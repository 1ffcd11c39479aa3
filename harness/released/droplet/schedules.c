/* SPDX-License-Identifier: Apache-2.0 */
/* schedules: a record belongs to the kernel of its index in the sweep's table. */
#include "harness/released/droplet/schedules.h"

#include "harness/base/json.h"
#include "harness/base/text.h"
#include "harness/released/droplet/bennu.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HEADLINE_K = 300, LAYOUT_MOST = 2 };

const char *const schedule_words[SCHEDULE_ORIGINS] = {"ansor", "other", "open"};

/* Mean of the costs, NaN when one is no time. */
static double mean_cost(const cJSON *doc)
{
    const cJSON *costs = json_get(doc, "costs"), *cost;
    double sum = 0;
    int n = 0;
    cJSON_ArrayForEach(cost, costs)
    {
        sum += cJSON_IsNumber(cost) && cost->valuedouble > 0 ? cost->valuedouble : (double)NAN;
        n++;
    }
    return n ? sum / n : (double)NAN;
}

/* What a record lacks, or NULL. */
static const char *read_record(const cJSON *doc, struct release_schedule *s)
{
    int64_t kernel, layout, threads;
    s->time_s = mean_cost(doc);
    if (!json_int(json_get(doc, "index"), &kernel) || kernel < 0 || kernel > 100000)
        return "'index' is not the number of a kernel";
    if (isnan(s->time_s))
        return "'costs' is not a list of times above 0";
    if (!json_int(json_get(doc, "layout_rewrite"), &layout) || layout < 0 || layout > LAYOUT_MOST)
        return "'layout_rewrite' is not a whole number from 0 to 2";
    if (!json_int(cJSON_GetArrayItem(json_get(doc, "hw"), 0), &threads) || threads < 1 || threads > 100000)
        return "'hw' does not begin with a number of cores";
    s->kernel = (int)kernel;
    s->layout = (int)layout;
    s->threads = (int)threads;
    return NULL;
}

int schedules_read(struct release *r, const char *path, const char *machine, const char *text)
{
    int n = 0, line = 0;
    struct release_schedule s = {.machine = machine, .network = bennu_network(path), .file = path};
    for (const char *end; *text; text = *end ? end + 1 : end) {
        struct err err = {0};
        end = text + strcspn(text, "\n");
        line++;
        if (end == text)
            continue;
        cJSON *doc = json_parse(text, (size_t)(end - text), NULL, &err);
        const char *why = doc ? read_record(doc, &s) : err.text;
        if (why)
            release_problem(r, path, line, "the schedule is left out: %s", why);
        else if (json_num(doc, "error", 0) == 0) {
            vec_push(&r->schedules, s);
            n++;
        }
        cJSON_Delete(doc);
    }
    return n;
}

/* Whether some kernel of the file stands twice in it, or not in the sweep. */
static bool is_open(const struct release *r, const struct release_schedule *of, const struct release_block *sweep)
{
    for (int i = 0; i < r->schedules.n; i++) {
        const struct release_schedule *s = &r->schedules.at[i];
        if (!str_eq(s->file, of->file))
            continue;
        if (!sweep || !release_kernel(sweep, s->kernel))
            return true;
        for (int k = i + 1; k < r->schedules.n; k++)
            if (str_eq(r->schedules.at[k].file, of->file) && r->schedules.at[k].kernel == s->kernel)
                return true;
    }
    return false;
}

static int by_kind(const void *a, const void *b)
{
    const struct schedule_count *x = a, *y = b;
    int network = strcmp(x->network, y->network), machine = strcmp(x->machine, y->machine);
    return machine                  ? machine
           : network                ? network
           : x->origin != y->origin ? (int)x->origin - (int)y->origin
           : x->layout != y->layout ? x->layout - y->layout
                                    : x->threads - y->threads;
}

static void count_record(struct schedule_count *all, int *n, const struct schedule_count *c)
{
    int at = 0;
    while (at < *n && by_kind(&all[at], c) != 0)
        at++;
    if (at == *n)
        all[(*n)++] = *c;
    all[at].records++;
}

struct schedule_count *schedules_count(struct arena *a, const struct release *r, int *n)
{
    struct schedule_count *out = ARENA_ARRAY(a, struct schedule_count, 2 * r->schedules.n + 1);
    const struct release_block *sweep = NULL;
    const char *file = "";
    bool open = false;
    *n = 0;
    for (int i = 0; i < r->schedules.n; i++) {
        const struct release_schedule *s = &r->schedules.at[i];
        if (!str_eq(file, s->file)) {
            file = s->file;
            sweep = release_find(r, TABLE_SWEEP, s->machine, NULL, NULL, s->network, HEADLINE_K);
            open = is_open(r, s, sweep);
        }
        struct schedule_count c = {s->machine, s->network, SCHEDULE_OPEN, s->layout, s->threads, 0};
        if (!open)
            c.origin = fabs(s->time_s - release_kernel(sweep, s->kernel)->v[BASE_TIME]) <= RELEASE_HALF_UNIT
                           ? SCHEDULE_ANSOR
                           : SCHEDULE_OTHER;
        count_record(out, n, &c);
        c.network = "";
        count_record(out, n, &c);
    }
    qsort(out, (size_t)*n, sizeof *out, by_kind);
    return out;
}

const char *schedules_apart(struct arena *a, const struct schedule_count *all, int n, const char *machine,
                            const char *network)
{
    int records[SCHEDULE_ORIGINS][LAYOUT_MOST + 1] = {0}, sum[SCHEDULE_ORIGINS] = {0}, most[SCHEDULE_ORIGINS] = {0};
    int least = INT_MAX, highest = 0; /* threads */
    for (int i = 0; i < n; i++) {
        const struct schedule_count *c = &all[i];
        if (!str_eq(c->machine, machine) || !str_eq(c->network, network) || c->origin == SCHEDULE_OPEN)
            continue;
        records[c->origin][c->layout] += c->records;
        sum[c->origin] += c->records;
        if (records[c->origin][c->layout] > records[c->origin][most[c->origin]])
            most[c->origin] = c->layout;
        least = c->threads < least ? c->threads : least;
        highest = c->threads > highest ? c->threads : highest;
    }
    int own = most[SCHEDULE_ANSOR], other = most[SCHEDULE_OTHER];
    if (!sum[SCHEDULE_ANSOR] || !sum[SCHEDULE_OTHER] || own == other)
        return "";
    return arena_printf(a, "layout_rewrite is %d in %d of Ansor's %d and %d in %d of the other %d, on %d%s threads",
                        own, records[SCHEDULE_ANSOR][own], sum[SCHEDULE_ANSOR], other, records[SCHEDULE_OTHER][other],
                        sum[SCHEDULE_OTHER], least, highest > least ? arena_printf(a, " to %d", highest) : "");
}
