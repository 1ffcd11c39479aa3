/* SPDX-License-Identifier: Apache-2.0 */
/* status: progress of the campaign in a results folder; without one, of every results folder that holds records. */
#include "harness/record/status.h"
#include "harness/base/file.h"
#include "harness/cli/cli.h"

#include <dirent.h>

struct shown {
    struct text text; /* for people */
    cJSON *list;      /* NULL: for people */
};

static bool show_one(struct cli *c, const char *dir, struct shown *out, struct err *err)
{
    struct status s;
    if (!status_read(c->arena, dir, &s, err))
        return false;
    if (out->list)
        json_put(out->list, NULL, status_json(&s));
    else
        status_print(&s, &out->text);
    return true;
}

/* results/<stem>, results/<stem>/<tier>, and what one more folder sets apart: results/landscape/<tier>/<codegen>. */
static bool show_below(struct cli *c, const char *dir, int depth, struct shown *out, struct err *err)
{
    if (store_exists(dir) && !show_one(c, dir, out, err))
        return false;
    DIR *d = depth ? opendir(dir) : NULL;
    if (!d)
        return true;
    bool done = true;
    for (struct dirent *e; done && (e = readdir(d));)
        if (e->d_name[0] != '.' && file_is_dir(file_join(c->arena, dir, e->d_name)))
            done = show_below(c, file_join(c->arena, dir, e->d_name), depth - 1, out, err);
    closedir(d);
    return done;
}

static bool run(struct cli *c, struct err *err)
{
    const char *dir = c->words[0];
    struct shown out = {.list = c->json ? json_array() : NULL};
    bool done = dir ? show_one(c, dir, &out, err) : show_below(c, "results", 3, &out, err);
    if (done && c->json) {
        cJSON *shown = dir ? cJSON_DetachItemFromArray(out.list, 0) : out.list;
        out.list = dir ? out.list : NULL; /* printing frees */
        json_print(shown, &out.text);
        text_char(&out.text, '\n');
    } else if (done && !out.text.len) {
        text_add(&out.text, "no campaign has records here (folder 'results')\n");
    }
    if (done)
        cli_print(&out.text);
    cJSON_Delete(out.list);
    text_free(&out.text);
    return done;
}

static const struct json_form forms[] = {
    JSON_FORM("raingauge status DIR", status_members), JSON_FORM_LIST("raingauge status", status_members), {0}};

const struct verb verb_status = {.name = "status",
                                 .arguments = "[RESULTS]",
                                 .summary = "progress of a campaign, also while it runs; of all in results/ without "
                                            "a folder",
                                 .words = 1,
                                 .json = forms,
                                 .run = run};
