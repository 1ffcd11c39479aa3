/* SPDX-License-Identifier: Apache-2.0 */
/* release: blocks, rows and problems as the parsers add them, and the questions that are asked of them. */
#include "harness/released/droplet/release.h"

#include "harness/base/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const double SENTINEL_EXPLOITERS = 9999, SENTINEL_META = 1e10;

const char *const release_table_words[TABLE_COUNT] = {"sweep", "variance", "exploiters", "meta", "micro", "other"};

const char *const block_state_words[] = {"", "partial", "mislabelled", "superseded"};

/* For the parsers ------------------------------------------------------------------------------------------------- */

void release_problem(struct release *r, const char *file, int line, const char *fmt, ...)
{
    char text[300];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    vec_push(&r->problems, (struct release_problem){file, line, 0, arena_str(r->arena, text)});
}

bool release_same_names(const struct release_block *a, const struct release_block *b)
{
    return a->table == b->table && a->k == b->k && str_eq(a->network, b->network) && str_eq(a->machine, b->machine) &&
           str_eq(a->run, b->run) && str_eq(a->method, b->method);
}

int release_block(struct release *r, const struct release_block *names)
{
    struct release_block made = *names;
    made.run = made.run ? made.run : "";
    made.method = made.method ? made.method : "";
    made.note = "";
    made.rows.at = NULL;
    made.rows.n = made.rows.cap = 0;
    /* The blocks of a file stand together. */
    for (int i = r->blocks.n - 1; i >= 0 && str_eq(r->blocks.at[i].file, made.file); i--)
        if (release_same_names(&r->blocks.at[i], &made))
            return i;
    vec_push(&r->blocks, made);
    return r->blocks.n - 1;
}

struct release_row release_row(int kernel, int line)
{
    struct release_row row = {.kernel = kernel, .line = line};
    for (int i = 0; i < MEASURE_COUNT; i++)
        row.v[i] = NAN;
    return row;
}

static const char *unreal(const struct release_block *b, const struct release_row *row)
{
    static const int times[] = {DROPLET_TIME, SEED_TIME, BASE_TIME};
    if (isnan(row->v[DROPLET_TIME]))
        return "it has no time";
    for (int i = 0; i < 3; i++)
        if (row->v[times[i]] <= 0)
            return "a time is not above 0";
    for (int m = 0; m < MEASURE_COUNT; m++)
        if (row->v[m] < 0)
            return "a cost, a spread or a count is negative";
    if (row->v[P_VALUE] > 1)
        return "a p-value above 1";
    if (b->table <= TABLE_VARIANCE && (isnan(row->v[BASE_TIME]) || isnan(row->v[SEED_TIME]) ||
                                       isnan(row->v[DROPLET_TOTAL]) || isnan(row->v[BASE_TUNING])))
        return "Ansor's time or a tuning time is missing";
    if (b->table == TABLE_META && isnan(row->v[BASE_TIME]))
        return "MetaSchedule's time is missing";
    return NULL;
}

bool release_add(struct release *r, int block, const struct release_row *row)
{
    struct release_block *b = &r->blocks.at[block];
    const char *why = unreal(b, row);
    for (int i = b->rows.n - 1; !why && i >= 0 && b->rows.at[i].kernel >= row->kernel; i--)
        if (b->rows.at[i].kernel == row->kernel)
            why = "this kernel stands in the block already";
    if (why) {
        release_problem(r, b->file, row->line, "the row of kernel %d is left out: %s", row->kernel, why);
        return false;
    }
    vec_push(&b->rows, *row);
    return true;
}

/* Asking ---------------------------------------------------------------------------------------------------------- */

bool release_counts(const struct release_block *b)
{
    return b->state == BLOCK_WHOLE || b->state == BLOCK_PARTIAL;
}

const struct release_block *release_find(const struct release *r, enum release_table table, const char *machine,
                                         const char *run, const char *method, const char *network, int64_t k)
{
    for (int i = 0; i < r->blocks.n; i++) {
        const struct release_block *b = &r->blocks.at[i];
        if (b->table == table && b->k == k && b->rows.n && release_counts(b) && str_eq(b->network, network) &&
            str_eq(b->machine, machine) && (!run || str_eq(b->run, run)) && (!method || str_eq(b->method, method)))
            return b;
    }
    return NULL;
}

const struct release_row *release_kernel(const struct release_block *b, int kernel)
{
    for (int i = 0; i < b->rows.n; i++)
        if (b->rows.at[i].kernel == kernel)
            return &b->rows.at[i];
    return NULL;
}

double release_sum(const struct release_block *b, enum measure m)
{
    double sum = 0;
    for (int i = 0; i < b->rows.n; i++)
        sum += b->rows.at[i].v[m];
    return sum;
}

bool release_failed(const struct release_row *row, enum measure m)
{
    return row->v[m] == SENTINEL_EXPLOITERS || row->v[m] >= SENTINEL_META;
}

bool release_any_failed(const struct release_row *row)
{
    return release_failed(row, DROPLET_TIME) || release_failed(row, SEED_TIME) || release_failed(row, BASE_TIME);
}

int release_machines(const struct release *r, enum release_table table, const char **names, int most)
{
    static const char *const order[] = {"ryzen7", "rtx3080", "a100", "a64fx", "intel_x86"};
    int n = 0;
    for (int pass = 0; pass < 6; pass++)
        for (int i = 0; i < r->blocks.n && n < most; i++) {
            const struct release_block *b = &r->blocks.at[i];
            bool known = false, wanted = pass < 5 && str_eq(b->machine, order[pass < 5 ? pass : 0]);
            for (int k = 0; k < n; k++)
                known = known || str_eq(names[k], b->machine);
            if (b->table == table && b->rows.n && !known && (wanted || pass == 5))
                names[n++] = b->machine;
        }
    return n;
}

static int ks_of(const struct release *r, enum release_table table, const char *machine, int64_t *ks, int most)
{
    int n = 0;
    for (int i = 0; i < r->blocks.n; i++) {
        const struct release_block *b = &r->blocks.at[i];
        int at = 0;
        if (b->table != table || !b->rows.n || !b->k || !release_counts(b) || !str_eq(b->machine, machine))
            continue;
        while (at < n && ks[at] < b->k)
            at++;
        if (n == most || (at < n && ks[at] == b->k))
            continue;
        memmove(&ks[at + 1], &ks[at], sizeof *ks * (size_t)(n - at));
        ks[at] = b->k;
        n++;
    }
    return n;
}

struct release_cell *release_cells(const struct release *r, enum release_table table, int *n)
{
    enum { MACHINES = 16, KS = 32 };
    const char *machines[MACHINES];
    int64_t ks[KS];
    int nmachines = release_machines(r, table, machines, MACHINES);
    struct release_cell *out = ARENA_ARRAY(r->arena, struct release_cell, nmachines * KS + 1);
    *n = 0;
    for (int i = 0; i < nmachines; i++)
        for (int k = 0, nk = ks_of(r, table, machines[i], ks, KS); k < nk; k++)
            out[(*n)++] = (struct release_cell){machines[i], ks[k]};
    return out;
}
