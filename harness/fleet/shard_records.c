/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/fleet/shard_records.h"

#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/record/duel_record.h"
#include "harness/tune/shards.h"

#include <stdio.h>
#include <string.h>

enum { ENDS_BYTES = 1 << 20, LOG_BYTES = 16 << 20 };

bool shard_records_end(const struct fleet *f, struct fleet_shard *s, const char **node, int *status)
{
    const char *path = arena_printf(f->a, "%s/%d.ends", f->folder, s->number);
    char *text, *save = NULL;
    size_t n;
    int line = 0;
    *node = NULL;
    if (!file_exists(path) || !file_read(f->a, path, ENDS_BYTES, &text, &n, NULL))
        return false;
    for (char *at = strtok_r(text, "\n", &save); at; at = strtok_r(NULL, "\n", &save)) {
        char *blank = strchr(at, ' ');
        int64_t code = -1;
        line++;
        if (blank)
            *blank = 0;
        if (!blank || !fleet_name_fine(at) || !str_int(blank + 1, &code) || code < 0 || code > 255) {
            snprintf(s->why, sizeof s->why, "%.200s:%d: no 'NODE STATUS': the file was changed: remove it", path, line);
            return false;
        }
        *node = at;
        *status = (int)code;
    }
    return *node != NULL;
}

/* The last "raingauge: ..." that its runs printed; NULL: none. */
static const char *last_words(const struct fleet *f, const struct fleet_shard *s)
{
    static const char mark[] = "raingauge: ";
    char *text, *save = NULL;
    const char *last = NULL;
    size_t n;
    const char *path = arena_printf(f->a, "%s/%d.log", f->folder, s->number);
    if (!file_exists(path) || !file_read(f->a, path, LOG_BYTES, &text, &n, NULL))
        return NULL;
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
        last = str_starts(line, mark) ? line + strlen(mark) : last;
    return last;
}

static void say_end(const struct fleet *f, struct fleet_shard *s, const char *node, int status)
{
    const char *said = status ? last_words(f, s) : NULL;
    snprintf(s->why, sizeof s->why, "its run ended with %d on '%.60s'%s%.200s", status, node, said ? ": " : "",
             said ? said : "");
}

/* All its cells, and their re-timing. A run that ended well found nothing more to do. */
static bool is_done(const struct fleet *f, const struct fleet_shard *s, struct store *r, bool ended_well, bool *done,
                    struct err *err)
{
    const struct plan *p = f->spec->plan;
    struct store_cell *cells;
    struct duel_record *duels;
    const bool *elsewhere;
    bool awaited;
    int n, nduels;
    if (!str_eq(store_campaign(r)->experiment_hash, p->experiment_hash))
        return err_set(err, "it holds the records of another experiment: move it away");
    if (!shard_elsewhere(p, (struct shard){s->number, f->job.shards}, f->a, &elsewhere, err) ||
        !store_cells(r, f->a, &cells, &n, err) || !duel_awaited(r, &awaited, err) ||
        !duel_records_get(r, f->a, &duels, &nduels, err))
        return false;
    *done = n == p->ncells && !awaited && (nduels || ended_well || !plan_has_duels(p));
    for (int i = 0; i < n && *done; i++)
        *done = elsewhere[i] || str_eq(cells[i].state, "done");
    return true;
}

void shard_records_look(const struct fleet *f, struct fleet_shard *s)
{
    struct store *r = NULL;
    struct err why = {0};
    const char *node;
    pid_t writer;
    bool done = false;
    int status = -1;
    struct arena_mark mark = arena_mark(f->a);
    s->state = SHARD_IDLE;
    s->why[0] = 0;
    if (shard_records_end(f, s, &node, &status))
        say_end(f, s, node, status);
    if (!store_begun(s->dir)) {
        arena_release(f->a, mark);
        return;
    }
    if (store_writer(s->dir, &writer)) {
        s->state = SHARD_RUNS;
    } else if (!store_open_read(s->dir, &r, &why) || !is_done(f, s, r, status == 0, &done, &why)) {
        s->state = SHARD_BROKEN;
        snprintf(s->why, sizeof s->why, "%.160s: move '%.100s' away, and --resume makes the shard anew", why.text,
                 s->dir);
    } else if (done) {
        s->state = SHARD_DONE;
    }
    store_close(r);
    arena_release(f->a, mark);
}
