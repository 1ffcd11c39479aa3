/* SPDX-License-Identifier: Apache-2.0 */
/* views: what people ask of records.db with SQL. Each column has a name that stays, a unit and a sentence. The views
 * are in the database itself, so that sqlite3 and pandas see them; the tables below them may change with the version of
 * the schema. */
#pragma once
#include "harness/base/text.h"

struct view_column {
    const char *name, *expression, *help;
};
struct record_view {
    const char *name, *help, *from;
    const struct view_column *columns; /* ended by a NULL name */
};
extern const struct record_view views[]; /* ended by a NULL name */

void views_sql(struct text *out); /* the statements that make them */
