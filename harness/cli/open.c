/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/cli/open.h"

#include "harness/base/file.h"
#include "harness/record/record_lines.h"
#include "harness/report/data/document_read.h"

#include <string.h>

const char *open_folder_of(struct cli *c, const char *word)
{
    size_t n = strlen(word);
    const char *dir = strchr(word, '/') ? record_folder(c->arena, word) : NULL;
    if (dir || !strchr(word, '/') || !file_is_dir(word))
        return dir;
    while (n > 1 && word[n - 1] == '/')
        n--;
    return arena_strn(c->arena, word, n);
}

/* Machine and code generator are the folder's, too: a hash says whether all else is the same. */
static bool ask_folder(struct cli *c, const char *dir, struct experiment_options *e, struct err *err)
{
    struct document head;
    if (e->results)
        return err_set(err, "'%s' is a results folder itself: leave out --results", dir);
    if (!document_head_read(c->arena, dir, &head, err))
        return false;
    const char **sets = ARENA_ARRAY(c->arena, const char *, e->nsets + 2), *codegen = document_codegen(&head);
    int n = 0;
    if (*head.machine)
        sets[n++] = arena_printf(c->arena, "machine=%s", head.machine);
    if (codegen)
        sets[n++] = arena_printf(c->arena, "target_settings.codegen=%s", codegen);
    for (int i = 0; i < e->nsets; i++)
        sets[n++] = e->sets[i];
    e->sets = sets;
    e->nsets = n;
    e->name = head.experiment;
    e->tier = e->tier ? e->tier : *head.tier ? head.tier : NULL;
    e->results = dir;
    return true;
}

bool open_experiment(struct cli *c, const char *name, const struct open_options *o, struct experiment **out,
                     struct err *err)
{
    struct experiment_options e = {.folder = c->folder,
                                   .name = name,
                                   .tier = o->tier,
                                   .results = o->results,
                                   .sets = o->sets.at,
                                   .nsets = o->sets.n};
    const char *dir = o->folder ? o->folder : open_folder_of(c, name);
    return (!dir || ask_folder(c, dir, &e, err)) &&
           (experiment_load(c->arena, c->registry, &e, out, err) || (dir && err_context(err, "'%s'", dir)));
}
