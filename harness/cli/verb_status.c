/* SPDX-License-Identifier: Apache-2.0 */
/* status: progress of the campaign in a results folder; without one, of every results folder that holds records. */
#include "harness/base/file.h"
#include "harness/cli/cli.h"
#include "harness/record/status.h"

#include <dirent.h>
#include <stdio.h>

static bool show_one(struct cli *c, const char *dir, struct text *t, struct err *err)
{
    struct status s;
    if (!status_read(c->arena, dir, &s, err))
        return false;
    if (c->json) {
        text_add(t, t->len ? ", " : "");
        status_json(&s, t);
    } else {
        text_printf(t, "%s\n", dir);
        status_print(&s, t);
    }
    return true;
}

/* results/<stem> and results/<stem>/<tier> */
static bool show_below(struct cli *c, const char *dir, int depth, struct text *t, struct err *err)
{
    if (store_exists(dir) && !show_one(c, dir, t, err))
        return false;
    DIR *d = depth ? opendir(dir) : NULL;
    if (!d)
        return true;
    bool done = true;
    for (struct dirent *e; done && (e = readdir(d));)
        if (e->d_name[0] != '.' && file_is_dir(file_join(c->arena, dir, e->d_name)))
            done = show_below(c, file_join(c->arena, dir, e->d_name), depth - 1, t, err);
    closedir(d);
    return done;
}

static bool run(struct cli *c, struct err *err)
{
    const char *dir = c->words[0];
    struct text t = {0};
    bool done = dir ? show_one(c, dir, &t, err) : show_below(c, "results", 2, &t, err);
    if (done && !t.len && !c->json)
        text_add(&t, "no campaign has records here (folder 'results')\n");
    if (done && c->json && !dir) {
        printf("[%s]\n", text_str(&t));
    } else if (done) {
        cli_print(&t);
        if (c->json)
            printf("\n");
    }
    text_free(&t);
    return done;
}

static const struct json_member members[] = {
    MEMBER("experiment", "text", "Name of the experiment."),
    MEMBER("tier", "text", "Size of the run."),
    MEMBER("target", "text", "Where programs run."),
    MEMBER("hash", "text", "SHA-256 of what is run."),
    MEMBER("running", "true or false", "Whether a process is at work in this folder."),
    MEMBER("pid", "number", "That process; 0: none."),
    MEMBER("finished", "true or false", "Whether searches and re-timing are done."),
    MEMBER("cells", "count", "Cells of the campaign."),
    MEMBER("cells_done", "count", "Those that are done."),
    MEMBER("trials", "count", "Trials that are recorded."),
    MEMBER("planned", "count", "Trials at most."),
    MEMBER("failed", "count", "Recorded trials that failed."),
    MEMBER("elapsed_s", "seconds", "Clocks of all cells, added up."),
    MEMBER("left_s", "seconds", "Time left at this pace; null: not known."),
    MEMBER("best_s", "seconds",
           "Call-weighted sum of the best kernel times of the running cell; null: a kernel has none."),
    MEMBER("where", "text", "What runs now; empty: nothing."),
    MEMBER_MAYBE("failures[].outcome", "text", "How trials failed."),
    MEMBER_MAYBE("failures[].message", "text", "What was said."),
    MEMBER_MAYBE("failures[].count", "count", "How many failed so."),
    {0}};
static const struct json_form forms[] = {
    JSON_FORM("raingauge status DIR", members), JSON_FORM_LIST("raingauge status", members), {0}};

const struct verb verb_status = {.name = "status",
                                 .arguments = "[RESULTS]",
                                 .summary = "progress of a campaign, also while it runs; of all in results/ without "
                                            "a folder",
                                 .words = 1,
                                 .json = forms,
                                 .run = run};
