/* SPDX-License-Identifier: Apache-2.0 */
/* column: cells to numbers. "nan" is a number only as a p-value: the authors' test prints it for two equal constants.
 */
#include "harness/released/droplet/column.h"

#include "harness/base/text.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

char *column_line(char **text)
{
    char *line = *text, *end;
    if (!line || !*line)
        return NULL;
    end = line + strcspn(line, "\n");
    *text = *end ? end + 1 : end;
    if (end > line && end[-1] == '\r')
        end[-1] = 0;
    *end = 0;
    return line;
}

int column_split(char *line, char sep, char **cells, int most)
{
    int n = 0;
    for (char *at = line; at; n++) {
        char *end = strchr(at, sep), *next = end ? end + 1 : NULL;
        if (!end)
            end = at + strlen(at);
        while (at < end && isspace((unsigned char)*at))
            at++;
        while (end > at && isspace((unsigned char)end[-1]))
            end--;
        *end = 0;
        if (n < most)
            cells[n] = at;
        at = next;
    }
    return n;
}

bool column_find(const struct column_name *names, const char *name, struct column *c)
{
    for (; names->name; names++)
        if (str_eq(names->name, name)) {
            c->measure = names->measure;
            c->scale = names->scale;
            return true;
        }
    return false;
}

static bool cell_number(const struct column *c, const char *cell, double *out)
{
    *out = NAN;
    if (!*cell)
        return c->may_be_empty;
    if (c->measure == P_VALUE && strcasecmp(cell, "nan") == 0)
        return true;
    if (!str_real(cell, out))
        return false;
    if (c->scale != 1)
        *out *= c->scale;
    return true;
}

bool column_row(struct release *r, const char *file, int line, const struct column *columns, int n, char *const *cells,
                struct release_row *rows)
{
    for (int i = 0; i < n; i++) {
        const struct column *c = &columns[i];
        if (c->measure < 0)
            continue;
        if (!cell_number(c, cells[i], &rows[c->method].v[c->measure])) {
            release_problem(r, file, line, "column '%s' is '%.40s', not a number", c->name, cells[i]);
            return false;
        }
    }
    return true;
}
