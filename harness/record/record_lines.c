/* SPDX-License-Identifier: Apache-2.0 */
/* record_lines: the flat form of record lines, which names the kernel by words. Steps and seconds are JSON already. */
#include "harness/record/record_lines.h"

#include "harness/base/file.h"
#include "harness/base/unpack.h"
#include "harness/plug/sample.h"
#include "harness/record/database.h"
#include "harness/record/store.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

const char *record_folder(struct arena *a, const char *path)
{
    static const char *const names[] = {"records.db", "records.db" DATABASE_PACKED};
    for (int i = 0; i < 2; i++)
        if (str_eq(file_name(path), names[i]) && file_exists(path))
            return file_folder(a, path);
    return file_is_dir(path) && store_exists(path) ? path : NULL;
}

static bool put_line(const struct query *q, struct arena *a, FILE *f, struct err *err)
{
    const char *spec = query_str(q, a, 1), *seconds = query_str(q, a, 3);
    size_t kind = strcspn(spec, " ");
    enum outcome outcome;
    if (!outcome_parse(query_str(q, a, 4), &outcome))
        return err_set(err, "trial %" PRId64 ": unknown outcome '%s'", query_int(q, 0), query_str(q, a, 4));
    fprintf(f,
            "{\"id\":\"%" PRId64 "\",\"kind\":\"%.*s\",\"desc\":\"%s\",\"layout_rewrite\":%" PRId64
            ",\"steps\":%s,\"costs\":%s,\"error\":%d,\"total_cost\":%.17g,\"time\":%.0f}\n",
            query_int(q, 0), (int)kind, spec, spec + kind + (spec[kind] == ' '), query_int(q, 7), query_str(q, a, 2),
            outcome == OUTCOME_OK ? seconds : "[1e10]", outcome_tvm(outcome), query_real(q, 5), query_real(q, 6));
    return true;
}

static bool put_lines(struct store *s, const char *dir, FILE *f, struct err *err)
{
    struct query q;
    int64_t lines = 0;
    if (!query_open(&q, store_database(s), err,
                    "SELECT id, spec, steps, seconds, outcome, cost_s, trial.unix_s, CASE WHEN conditions LIKE"
                    " 'layout=%' THEN substr(conditions, 8, 1) ELSE layout END FROM trial JOIN task"
                    " USING(cell, task) JOIN cell USING(cell), (SELECT layout FROM campaign)"
                    " WHERE steps <> '' ORDER BY id",
                    ""))
        return false;
    struct arena *a = arena_open("lines");
    bool fine = true;
    for (; fine && query_next(&q, err); lines++) {
        arena_reset(a);
        fine = put_line(&q, a, f, err);
    }
    fine = query_close(&q) && fine;
    arena_close(a);
    if (fine && !lines)
        return err_set(err, "'%s' holds no record with its schedule", dir);
    return fine && (fseek(f, 0, SEEK_SET) == 0 || err_set(err, "%s: %s", dir, strerror(errno)));
}

bool record_lines_open(const char *path, FILE **out, struct err *err)
{
    struct arena *a = arena_open("folder");
    struct store *s;
    const char *dir = record_folder(a, path);
    bool fine;
    if (!dir) {
        fine = file_is_dir(path) ? err_set(err, "no records in '%s': name the folder of a run, or a record file", path)
                                 : unpack_open(path, out, err);
    } else if ((fine = store_open_read(dir, &s, err))) {
        int fd = file_unnamed(err);
        *out = fd < 0 ? NULL : fdopen(fd, "w+");
        fine = *out && put_lines(s, dir, *out, err);
        if (*out && !fine)
            fclose(*out);
        store_close(s);
    }
    arena_close(a);
    return fine;
}
