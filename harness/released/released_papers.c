/* SPDX-License-Identifier: Apache-2.0 */
/* released_papers: the table. The order is that in which a folder is tried. */
#include "harness/released/released_papers.h"

#include "harness/base/file.h"
#include "harness/released/droplet/droplet_paper.h"
#include "harness/released/pruner/pruner_paper.h"

const struct released_paper *const released_papers[] = {&pruner_paper, &droplet_paper};
const int released_papers_n = sizeof released_papers / sizeof *released_papers;

bool released_open(struct arena *a, const char *dir, struct released_results *out, struct err *err)
{
    const char *files = "", *near = "";
    for (int i = 0; i < released_papers_n; i++) {
        bool none = false;
        *out = (struct released_results){.paper = released_papers[i], .dir = arena_str(a, dir)};
        if (released_papers[i]->open(a, dir, out, &none, err))
            return true;
        if (!none)
            return false;
        files = arena_printf(a, "%s%s%s (%s)", files, i ? ", nor " : "", released_papers[i]->files,
                             released_papers[i]->name);
    }
    for (int i = 0; i < released_papers_n; i++) { /* folders in it that are called as the papers are */
        const char *below = file_join(a, dir, released_papers[i]->name);
        if (file_is_dir(below))
            near = arena_printf(a, "%s%s'%s'", near, *near ? " or " : "", below);
    }
    if (*near)
        return err_set(err, "'%s' holds no released results itself: did you mean %s?", dir, near);
    return err_set(err, "'%s' holds no released results: neither %s", dir, files);
}

const struct released_table *released_table_find(const char *name, const struct released_paper **paper)
{
    for (int i = 0; i < released_papers_n; i++)
        for (int k = 0; k < released_papers[i]->ntables; k++)
            if (str_eq(released_papers[i]->tables[k].name, name)) {
                *paper = released_papers[i];
                return &released_papers[i]->tables[k];
            }
    return NULL;
}
