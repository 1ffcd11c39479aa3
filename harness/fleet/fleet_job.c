/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/fleet/fleet_job.h"

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/settings.h"

#include <ctype.h>
#include <string.h>

static const struct setting members[] = {STRING_SETTING("name", struct fleet_job, name, "", "of the job"),
                                         STRING_SETTING("on", struct fleet_job, on, "", "--on"),
                                         STRING_SETTING("program", struct fleet_job, program, "", "identity"),
                                         STRING_SETTING("experiment", struct fleet_job, experiment, "", "SHA-256"),
                                         {0}};
enum { NMEMBERS = sizeof members / sizeof *members }; /* texts, and shards */

static bool fits(char c)
{
    return isalnum((unsigned char)c) || strchr("._-", c);
}

char *fleet_name_of(struct arena *a, const char *words, size_t most)
{
    char *name = arena_strn(a, words, strnlen(words, most - 1));
    for (char *c = name; *c; c++)
        *c = fits(*c) && (c > name || *c != '-') ? *c : '_';
    return name;
}

bool fleet_name_fine(const char *name)
{
    size_t n = strlen(name);
    for (const char *c = name; *c; c++)
        if (!fits(*c))
            return false;
    return n > 0 && n < FLEET_JOB_NAME && *name != '-';
}

bool fleet_job_write(const char *path, const struct fleet_job *job, struct err *err)
{
    cJSON *all = json_object();
    for (const struct setting *m = members; m->name; m++)
        json_put_str(all, m->name, setting_str(m, job));
    json_put_int(all, "shards", job->shards);
    struct text t = {0};
    json_print(all, &t);
    text_char(&t, '\n');
    bool fine = file_write(path, text_str(&t), t.len, err);
    text_free(&t);
    return fine;
}

static bool take(struct arena *a, const cJSON *all, struct fleet_job *out, struct err *err)
{
    int64_t shards;
    for (const struct setting *m = members; m->name; m++) {
        const cJSON *text = json_get(all, m->name);
        if (!cJSON_IsString(text) || !*text->valuestring)
            return err_set(err, "its '%s' is no text", m->name);
        setting_put_str(m, out, arena_str(a, text->valuestring));
    }
    if (!fleet_name_fine(out->name))
        return err_set(err, "'%.60s' is no name of a job", out->name);
    if (!json_int(json_get(all, "shards"), &shards) || shards < 1 || shards > FLEET_SHARDS_MOST)
        return err_set(err, "its 'shards' is no whole number from 1 to %d", FLEET_SHARDS_MOST);
    out->shards = (int)shards;
    return cJSON_GetArraySize(all) == NMEMBERS || err_set(err, "it has members that no such file has");
}

bool fleet_job_read(struct arena *a, const char *path, struct fleet_job *out, struct err *err)
{
    char *text;
    size_t n;
    if (!file_read(a, path, 1 << 16, &text, &n, err))
        return false;
    cJSON *all = json_parse(text, n, path, err);
    bool fine = all && (take(a, all, out, err) || err_context(err, "'%s'", path));
    cJSON_Delete(all);
    if (!fine && err)
        err_set(err,
                "%.800s: the file was changed: remove it, and --resume submits the shards anew with what they recorded",
                arena_str(a, err->text));
    return fine;
}
