/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a recording. Every field is checked: a file that was cut, changed or made by another version is refused with
 * its line. */
#include "harness/plug/recording.h"

#include "harness/base/digest.h"
#include "harness/base/text.h"
#include "harness/base/unpack.h"
#include "harness/base/vec.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char RECORDING_START[] = "{\"recording\":";

struct lines { /* the text, line by line */
    const char *path, *at, *end;
    int line; /* of the line that was taken last */
};

/* The next line without its end; false: there is none, or only half of one. */
static bool next_line(struct lines *l, const char **line, size_t *n)
{
    const char *end = l->at < l->end ? memchr(l->at, '\n', (size_t)(l->end - l->at)) : NULL;
    if (!end)
        return false;
    *line = l->at;
    *n = (size_t)(end - l->at);
    l->at = end + 1;
    l->line++;
    return true;
}

static bool read_text(struct arena *a, const char *path, char **out, size_t *n, struct err *err)
{
    FILE *f;
    struct text t = {0};
    char part[1 << 16];
    size_t got;
    if (!unpack_open(path, &f, err))
        return false;
    while ((got = fread(part, 1, sizeof part, f)) > 0)
        text_addn(&t, part, got);
    bool fine = !ferror(f) || err_set(err, "%s: cannot be read", path);
    fclose(f);
    *n = t.len;
    *out = arena_strn(a, text_str(&t), t.len);
    text_free(&t);
    return fine;
}

/* The head ------------------------------------------------------------------------------------------------------- */

static bool read_limits(const cJSON *root, struct limits *l, struct err *err)
{
    const cJSON *list = json_get(root, "limits");
    int64_t v[8];
    for (int i = 0; i < 8; i++)
        if (!json_int(cJSON_GetArrayItem(list, i), &v[i]))
            return err_set(err, "'limits' is not a list of 8 whole numbers");
    *l = (struct limits){.cores = v[0],
                         .vector_bytes = v[1],
                         .cache_line = v[2],
                         .shared_bytes = v[3],
                         .local_bytes = v[4],
                         .threads_per_block = v[5],
                         .vthread_extent = v[6],
                         .warp_size = v[7],
                         .is_gpu = cJSON_IsTrue(json_get(root, "gpu"))};
    return true;
}

static bool read_tasks(struct arena *a, const cJSON *root, struct recording_head *h, struct err *err)
{
    const cJSON *list = json_get(root, "tasks"), *item = NULL;
    int n = cJSON_GetArraySize(list);
    struct recording_task *tasks = ARENA_ARRAY(a, struct recording_task, n + 1);
    struct task *t;
    cJSON_ArrayForEach(item, list)
    {
        if (!task_parse(a, json_str(item, "spec", ""), &t, err))
            return err_context(err, "task %d", h->ntasks);
        tasks[h->ntasks++] = (struct recording_task){.spec = t->spec, .weight = json_num(item, "weight", 1)};
    }
    h->tasks = tasks;
    return n > 0 || err_set(err, "it has no tasks");
}

static bool read_head(struct arena *a, const char *line, size_t n, struct recording_head *h, struct err *err)
{
    int64_t version = 0;
    cJSON *root = json_parse(line, n, NULL, err);
    if (!root || !json_int(json_get(root, "recording"), &version)) {
        cJSON_Delete(root);
        return err_set(err, "no recording: its first line is not {\"recording\":%d,...}", RECORDING_VERSION);
    }
    bool fine =
        version == RECORDING_VERSION || err_set(err, "a recording of version %lld; this program reads version %d",
                                                (long long)version, RECORDING_VERSION);
    *h = (struct recording_head){.machine = arena_str(a, json_str(root, "machine", "")),
                                 .target = arena_str(a, json_str(root, "target", "")),
                                 .source = arena_str(a, json_str(root, "source", "")),
                                 .revision = arena_str(a, json_str(root, "revision", "")),
                                 .per_task = (int64_t)json_num(root, "per_task", 0)};
    fine = fine && read_limits(root, &h->limits, err) && read_tasks(a, root, h, err);
    cJSON_Delete(root);
    return fine;
}

/* Rows ----------------------------------------------------------------------------------------------------------- */

static bool read_seconds(struct arena *a, const cJSON *list, struct recorded *r, struct err *err)
{
    int n = cJSON_IsArray(list) ? cJSON_GetArraySize(list) : -1;
    if (n < 0 || n > SAMPLE_REPEATS || (n == 0) == (r->outcome == OUTCOME_OK))
        return err_set(err, "an outcome '%s' with %d seconds", outcome_word(r->outcome), n);
    double *seconds = ARENA_ARRAY(a, double, n + 1);
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, list)
    {
        if (!cJSON_IsNumber(item) || !(item->valuedouble > 0) || !isfinite(item->valuedouble))
            return err_set(err, "a time is not a number above 0");
        seconds[r->nseconds++] = item->valuedouble;
    }
    r->seconds = seconds;
    return true;
}

static bool read_row(struct arena *a, const cJSON *root, const struct recording_head *h, struct recorded *r,
                     struct err *err)
{
    int64_t task;
    struct step *steps = NULL;
    const cJSON *word = cJSON_GetArrayItem(root, 1), *cost = cJSON_GetArrayItem(root, 3),
                *message = cJSON_GetArrayItem(root, 5);
    if (!json_int(cJSON_GetArrayItem(root, 0), &task) || task < 0 || task >= h->ntasks)
        return err_set(err, "the number of the task is not 0 to %d", h->ntasks - 1);
    if (!cJSON_IsString(word) || !outcome_parse(word->valuestring, &r->outcome))
        return err_set(err, "the second element is no outcome");
    if (!cJSON_IsNumber(cost) || !(cost->valuedouble >= 0))
        return err_set(err, "the cost is not a number of seconds");
    r->task = (int)task;
    r->cost_s = cost->valuedouble;
    r->message = cJSON_IsString(message) ? arena_str(a, message->valuestring) : "";
    if (!read_seconds(a, cJSON_GetArrayItem(root, 2), r, err) ||
        !steps_parse(a, cJSON_GetArrayItem(root, 4), &steps, &r->nsteps, err))
        return false;
    r->steps = steps;
    return true;
}

/* The last line, if it is one. */
static bool read_end(const cJSON *root, const struct lines *l, const char *text, const char *line,
                     struct recording *out, struct err *err)
{
    int64_t rows;
    if (!json_int(json_get(root, "rows"), &rows))
        return err_set(err, "neither a row nor the last line");
    if (rows != out->n)
        return err_set(err, "the last line tells of %lld rows, but there are %d", (long long)rows, out->n);
    if (l->at != l->end)
        return err_set(err, "something follows the last line");
    digest_sha256(text, (size_t)(line - text), out->digest);
    out->whole = str_eq(json_str(root, "digest", ""), out->digest);
    return out->whole || err_set(err, "the lines before were changed: their digest is another one");
}

static bool read_rows(struct arena *a, struct lines *l, const char *text, struct recording *out, struct err *err)
{
    VEC(struct recorded) rows = {0};
    const char *line;
    size_t n;
    bool fine = true;
    while (fine && !out->whole && next_line(l, &line, &n)) {
        struct recorded r = {.line = l->line};
        cJSON *root = json_parse(line, n, NULL, err);
        out->n = rows.n;
        fine = root &&
               (cJSON_IsArray(root) ? read_row(a, root, &out->head, &r, err) : read_end(root, l, text, line, out, err));
        if (fine && !out->whole)
            vec_push(&rows, r);
        cJSON_Delete(root);
    }
    out->n = rows.n;
    out->rows = ARENA_ARRAY(a, struct recorded, rows.n + 1);
    if (rows.n)
        memcpy(out->rows, rows.at, sizeof *rows.at * (size_t)rows.n);
    vec_free(&rows);
    return fine;
}

bool recording_read(struct arena *a, const char *path, bool part, struct recording *out, struct err *err)
{
    char *text;
    const char *line;
    size_t n, length;
    *out = (struct recording){0};
    if (access(path, F_OK) != 0)
        return err_set(err, "%s: %s; `raingauge collect` makes recordings", path, strerror(errno));
    if (!read_text(a, path, &text, &n, err))
        return false;
    struct lines l = {.path = path, .at = text, .end = text + n};
    if (!next_line(&l, &line, &length))
        return err_set(err, "%s:1: no recording: it has no whole line", path);
    if (!read_head(a, line, length, &out->head, err) || !read_rows(a, &l, text, out, err))
        return err_in_line(err, path, l.line);
    return part || out->whole ||
           err_set(err, "%s:%d: cut short: %d rows and no last line; `raingauge collect --resume` goes on with it",
                   path, l.line + 1, out->n);
}

bool recording_is_begun(const char *path)
{
    char start[1 << 16];
    FILE *f = fopen(path, "re");
    size_t n = f ? fread(start, 1, sizeof start, f) : 0, known = sizeof RECORDING_START - 1;
    bool begun = !f || n == sizeof start || memchr(start, '\n', n) ||
                 strncmp(start, RECORDING_START, n < known ? n : known) != 0;
    if (f)
        fclose(f);
    return begun;
}

int recording_task(const struct recording *r, const char *spec)
{
    for (int i = 0; i < r->head.ntasks; i++)
        if (str_eq(r->head.tasks[i].spec, spec))
            return i;
    return -1;
}

void recorded_sample(const struct recorded *r, struct sample *out)
{
    *out = (struct sample){
        .outcome = r->outcome, .nseconds = r->nseconds, .cost_s = r->cost_s, .run_s = r->cost_s, .model_score = NAN};
    snprintf(out->message, SAMPLE_MESSAGE, "%.199s", r->message);
    for (int i = 0; i < r->nseconds; i++)
        out->seconds[i] = r->seconds[i];
}

double recorded_mean(const struct recorded *r)
{
    struct sample s;
    recorded_sample(r, &s);
    return sample_mean(&s);
}

static bool same_limits(const struct limits *is, const struct limits *wanted, struct err *err)
{
    bool same = is->cores == wanted->cores && is->is_gpu == wanted->is_gpu &&
                is->shared_bytes == wanted->shared_bytes && is->threads_per_block == wanted->threads_per_block;
    return same || err_set(err,
                           "its hardware has other limits (%lld cores, here %lld; %lld threads of a block, here %lld): "
                           "its times are of another machine, or of other settings",
                           (long long)is->cores, (long long)wanted->cores, (long long)is->threads_per_block,
                           (long long)wanted->threads_per_block);
}

bool recording_same_head(const struct recording_head *is, const struct recording_head *wanted, struct err *err)
{
    if (!str_eq(is->machine, wanted->machine) || !str_eq(is->target, wanted->target))
        return err_set(err, "it is of machine '%s' and target '%s', not of '%s' and '%s'", is->machine, is->target,
                       wanted->machine, wanted->target);
    if (!str_eq(is->source, wanted->source))
        return err_set(err, "its candidates are of '%s', not of '%s'", is->source, wanted->source);
    bool same = is->ntasks == wanted->ntasks;
    for (int i = 0; same && i < is->ntasks; i++)
        same = str_eq(is->tasks[i].spec, wanted->tasks[i].spec);
    if (!same)
        return err_set(err, "it is of another task set: %d kernels, '%s' first", is->ntasks, is->tasks[0].spec);
    if (is->per_task != wanted->per_task)
        return err_set(err, "it has %lld candidates of each kernel, not %lld", (long long)is->per_task,
                       (long long)wanted->per_task);
    return same_limits(&is->limits, &wanted->limits, err);
}
