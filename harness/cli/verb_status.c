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

bool verb_status(struct cli *c, struct err *err)
{
    const char *dir = NULL;
    int n;
    if (!cli_options(c, NULL, &dir, 1, &n, err))
        return false;
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
