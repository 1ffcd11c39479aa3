/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/record/node_record.h"

#include "harness/record/database.h"

bool node_record_put(struct store *s, const char *node, double unix_s, struct err *err)
{
    int64_t known;
    if (!*node)
        return true;
    return database_int(store_database(s), &known, err,
                        "SELECT count(*) FROM event WHERE cell < 0 AND kind = '" STORE_EVENT_NODE "' AND text = ?1",
                        "s", node) &&
           (known || store_event(s, -1, -1, STORE_EVENT_NODE, node, unix_s, err));
}

bool node_record_cells(struct store *s, struct arena *a, int n, const char **out, struct err *err)
{
    struct query q;
    for (int i = 0; i < n; i++)
        out[i] = "";
    if (!query_open(&q, store_database(s), err,
                    "SELECT cell, text FROM event WHERE cell >= 0 AND kind = '" STORE_EVENT_NODE "' ORDER BY id", ""))
        return false;
    while (query_next(&q, err)) {
        int64_t cell = query_int(&q, 0);
        if (cell < n)
            out[cell] = query_str(&q, a, 1);
    }
    return query_close(&q);
}
