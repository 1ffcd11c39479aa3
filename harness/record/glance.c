/* SPDX-License-Identifier: Apache-2.0 */
/* glance: immutable=1 has SQLite read the file alone, without its write-ahead log (store_file_safe moves that there
 * every few seconds). */
#include "harness/record/glance.h"

#include "harness/record/database.h"

bool records_glance(const char *dir, int64_t *trials)
{
    struct arena *a = arena_open("glance");
    struct database *d = NULL;
    int64_t n = 0;
    struct err ignored;
    bool fine = database_open_still(arena_printf(a, "%s/records.db", dir), &d, &ignored) &&
                database_int(d, &n, &ignored, "SELECT count(*) FROM trial", "");
    database_close(d);
    arena_close(a);
    if (fine)
        *trials = n;
    return fine;
}
