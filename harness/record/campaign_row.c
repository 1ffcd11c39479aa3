/* SPDX-License-Identifier: Apache-2.0 */
/* campaign_row: SQL made of the keys' rows and of what stands beside them. */
#include "harness/record/campaign_row.h"

#include "harness/record/schema.h"
#include "harness/record/views.h"

bool campaign_row_read(struct database *d, struct arena *a, struct store_campaign *out, bool *found, struct err *err)
{
    struct query q;
    int at;
    if (!query_open(
            &q, d, err,
            keys_select(a, campaign_key_table,
                        "experiment_hash, regime, is_virtual, revision, environment, created_unix FROM campaign"),
            ""))
        return false;
    *found = query_next(&q, err);
    bool fine = true;
    if (*found) {
        fine = keys_read(campaign_key_table, &q, a, &out->keys, &at, err);
        out->experiment_hash = query_str(&q, a, at);
        out->regime = query_str(&q, a, at + 1);
        out->is_virtual = query_int(&q, at + 2) != 0;
        out->revision = query_str(&q, a, at + 3);
        out->environment = query_str(&q, a, at + 4);
        out->created_unix = query_real(&q, at + 5);
    }
    return query_close(&q) && fine;
}

/* Two tables have the columns of keys among others. */
static bool tables_create(struct database *d, struct err *err)
{
    struct text sql = {0};
    text_add(&sql, "CREATE TABLE campaign(id INTEGER PRIMARY KEY CHECK(id = 1), ");
    keys_definitions(campaign_key_table, &sql);
    text_add(&sql, ", " SCHEMA_CAMPAIGN "); CREATE TABLE cell(cell INTEGER PRIMARY KEY, ");
    keys_definitions(cell_key_table, &sql);
    text_add(&sql, ", " SCHEMA_CELL ");" SCHEMA_SQL);
    views_sql(&sql);
    bool fine = database_script(d, text_str(&sql), err);
    text_free(&sql);
    return fine;
}

static bool row_insert(struct database *d, struct arena *a, const struct store_campaign *c, struct err *err)
{
    struct text sql = {0};
    text_add(&sql, "INSERT INTO campaign(id, experiment_hash, regime, is_virtual, revision, environment, created_unix,"
                   " ");
    keys_columns(campaign_key_table, &sql);
    text_add(&sql, ") VALUES(1, ?1, ?2, ?3, ?4, ?5, ?6, ");
    keys_values(campaign_key_table, &c->keys, &sql);
    text_add(&sql, ")");
    bool fine = database_run(d, err, arena_str(a, text_str(&sql)), "ssnssd", c->experiment_hash, c->regime,
                             (int)c->is_virtual, c->revision, c->environment, c->created_unix);
    text_free(&sql);
    return fine;
}

bool campaign_row_create(struct database *d, struct arena *a, const struct store_campaign *c, struct err *err)
{
    if (!database_run(d, err, "BEGIN IMMEDIATE", ""))
        return false;
    return database_end(d, tables_create(d, err) && row_insert(d, a, c, err), err);
}

const char *campaign_row_difference(const struct store_campaign *x, const struct store_campaign *y)
{
    struct campaign_keys keys = x->keys;
    if (str_eq(x->experiment_hash, y->experiment_hash)) {
        keys.tier = y->tier;
        keys.target_settings = y->target_settings; /* a file that they name may have been moved */
    }
    return str_eq(x->regime, y->regime) ? keys_difference(campaign_key_table, &keys, &y->keys) : "regime";
}
