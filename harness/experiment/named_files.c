/* SPDX-License-Identifier: Apache-2.0 */
/* named_files: SHA-256 of each file, whole, as it lies there: packed or not. */
#include "harness/experiment/named_files.h"

#include "harness/base/digest.h"
#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/plug/exchange.h"

#include <string.h>

enum { SHA_256 = 64 }; /* its letters */

enum named_text { NAMED_FIXED, NAMED_MOVABLE, NAMED_PATHS, NAMED_TEXTS };

/* " NAME SHA-256" of a file that a setting names, added to the text that it belongs to, and its path. */
static bool add_content(const char *path, const char *name, struct text texts[], enum named_text to, struct err *err)
{
    struct arena *scratch = arena_open("file of a setting");
    char *text, hex[SHA_256 + 1];
    size_t n;
    bool fine = file_read(scratch, path, 0, &text, &n, err);
    if (fine) {
        digest_sha256(text, n, hex);
        text_printf(&texts[to], " %s %s", name, hex);
        text_printf(&texts[NAMED_PATHS], "%s\n", path);
    }
    arena_close(scratch);
    return fine;
}

static bool add_row(struct arena *a, const struct named_files_of *of, const struct setting *s, const char *path,
                    struct text texts[], struct named_files *out, struct err *err)
{
    struct err why = {0};
    if (!s->movable)
        return add_content(file_find(a, path, of->folder), s->name, texts, NAMED_FIXED, err);
    if (!add_content(path, s->name, texts, NAMED_MOVABLE, &why)) {
        out->absent = arena_str(a, path);
        out->absent_name = s->name;
    }
    return true;
}

/* The files among the words of a command, each by its word: what it runs, and what it is given. */
static bool add_command(struct arena *a, const char *command, struct text texts[], struct err *err)
{
    int n;
    bool fine = true;
    char **words = exchange_words(a, command, &n);
    for (int i = 0; i < n && fine; i++)
        if (strchr(words[i], '/') || i > 0)
            fine = !file_exists(words[i]) || file_is_dir(words[i]) ||
                   add_content(words[i], words[i], texts, NAMED_FIXED, err);
    return fine;
}

struct named_files named_files_recorded(struct arena *a, const struct named_files *f, const char *contents)
{
    struct named_files out = *f;
    const char *at = f->absent ? strstr(contents, arena_printf(a, " %s ", f->absent_name)) : NULL;
    if (at) {
        out.movable = arena_strn(a, at, strlen(f->absent_name) + 2 + SHA_256);
        out.settings = f->absent_settings;
    }
    return out;
}

bool named_files_read(struct arena *a, const struct named_files_of *of, struct named_files *out, struct err *err)
{
    void *options;
    struct text texts[NAMED_TEXTS] = {{0}};
    *out = (struct named_files){.settings = of->settings};
    bool fine = setting_options(a, of->table, of->size, of->settings, &options, err);
    for (const struct setting *s = of->table; s && s->name && fine; s++)
        if (s->command)
            fine = add_command(a, setting_str(s, options), texts, err);
        else if (s->content && *setting_str(s, options))
            fine = add_row(a, of, s, setting_str(s, options), texts, out, err);
    out->fixed = text_keep(&texts[NAMED_FIXED], a);
    out->paths = text_keep(&texts[NAMED_PATHS], a);
    out->movable = out->absent ? "" : arena_str(a, text_str(&texts[NAMED_MOVABLE]));
    if (*out->movable)
        out->settings = setting_settled(a, of->table, options, false);
    if (out->absent)
        out->absent_settings = setting_settled(a, of->table, options, false);
    text_free(&texts[NAMED_MOVABLE]);
    return fine;
}
