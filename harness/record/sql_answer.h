/* SPDX-License-Identifier: Apache-2.0 */
/* sql_answer: somebody's SELECT on the records of a folder, also while a run writes them. Nothing that writes, attaches
 * or sets anything is let through. */
#pragma once
#include "harness/base/err.h"

#include <stdbool.h>
#include <stdint.h>

enum sql_kind { SQL_NULL, SQL_INTEGER, SQL_REAL, SQL_TEXT };
struct sql_value {
    enum sql_kind kind;
    int64_t integer;
    double real;
    const char *text; /* of SQL_TEXT, until the next row; else NULL */
};
struct sql_reader {
    /* False: no more rows are wanted. */
    bool (*head)(void *ctx, const char *const *names, int n);
    bool (*row)(void *ctx, const struct sql_value *values, int n);
    void *ctx;
};
/* sql is one statement. Its errors have the line and column in it. */
MUST_CHECK bool sql_answer(const char *dir, const char *sql, const struct sql_reader *to, struct err *err);
