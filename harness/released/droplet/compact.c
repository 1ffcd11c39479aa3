/* SPDX-License-Identifier: Apache-2.0 */
/* compact: columns by name to measures, and rows to blocks by their key columns. */
#include "harness/released/droplet/compact.h"

#include "harness/base/text.h"
#include "harness/released/droplet/column.h"

/* Key columns, as measures below zero. */
enum key { KEY_NONE = -1, KEY_NETWORK = -2, KEY_KERNEL = -3, KEY_K = -4, KEY_RUN = -5, KEY_METHOD = -6 };

static const struct column_name kernel_heads[] = {{"network", KEY_NETWORK, 1},
                                                  {"kernel", KEY_KERNEL, 1},
                                                  {"k", KEY_K, 1},
                                                  {"run", KEY_RUN, 1},
                                                  {"method", KEY_METHOD, 1},
                                                  {"dp_time_s", DROPLET_TIME, 1},
                                                  {"dp_std_s", DROPLET_SD, 1},
                                                  {"dp_tuning_s", DROPLET_TUNING, 1},
                                                  {"dp_total_tuning_s", DROPLET_TOTAL, 1},
                                                  {"dp_records", DROPLET_RECORDS, 1},
                                                  {"ansork_time_s", SEED_TIME, 1},
                                                  {"ansork_std_s", SEED_SD, 1},
                                                  {"ansork_tuning_s", SEED_TUNING, 1},
                                                  {"ansork_records", SEED_RECORDS, 1},
                                                  {"ansor10k_time_s", BASE_TIME, 1},
                                                  {"ansor10k_std_s", BASE_SD, 1},
                                                  {"ansor10k_tuning_s", BASE_TUNING, 1},
                                                  {"ansor10k_records", BASE_RECORDS, 1},
                                                  {"p_value", P_VALUE, 1},
                                                  {"time_s", DROPLET_TIME, 1},
                                                  {"std_s", DROPLET_SD, 1},
                                                  {"tuning_s", DROPLET_TUNING, 1},
                                                  {"records", DROPLET_RECORDS, 1},
                                                  {"dpm_time_s", DROPLET_TIME, 1},
                                                  {"dpm_std_s", DROPLET_SD, 1},
                                                  {"dpm_records", DROPLET_RECORDS, 1},
                                                  {"dpm_tuning_min", DROPLET_TUNING, 60},
                                                  {"dpm_total_tuning_min", DROPLET_TOTAL, 60},
                                                  {"metak_time_s", SEED_TIME, 1},
                                                  {"metak_std_s", SEED_SD, 1},
                                                  {"metak_records", SEED_RECORDS, 1},
                                                  {"meta10k_time_s", BASE_TIME, 1},
                                                  {"meta10k_std_s", BASE_SD, 1},
                                                  {"meta10k_records", BASE_RECORDS, 1},
                                                  {0}};
/* Of the micro-kernels, where "kernel" is a name. */
static const struct column_name micro_heads[] = {{"kernel", KEY_NETWORK, 1},
                                                 {"k", KEY_K, 1},
                                                 {"tool", KEY_METHOD, 1},
                                                 {"dp_time_ms", DROPLET_TIME, 1e-3},
                                                 {"dp_std_ms", DROPLET_SD, 1e-3},
                                                 {"dp_records", DROPLET_RECORDS, 1},
                                                 {"dp_total_tuning_min", DROPLET_TOTAL, 60},
                                                 {"ansor_time_ms", BASE_TIME, 1e-3},
                                                 {"ansor_tuning_min", BASE_TUNING, 60},
                                                 {"ansor_records", BASE_RECORDS, 1},
                                                 {"time_as_printed", DROPLET_TIME, 1e-3},
                                                 {"tuning_s", DROPLET_TUNING, 1},
                                                 {0}};

struct compact_reader {
    struct release *r;
    const char *path;
    int line, n;
    struct column columns[COLUMN_MOST];
    struct release_block names; /* of the row at hand */
    int block;                  /* where the row before went, -1 none yet */
    int kernel;
};

static bool read_head(struct compact_reader *t, char *line)
{
    char *cells[COLUMN_MOST];
    bool network = false, time = false;
    bool micro = t->names.table == TABLE_MICRO || t->names.table == TABLE_OTHER;
    t->n = column_split(line, '\t', cells, COLUMN_MOST);
    if (t->n > COLUMN_MOST) {
        release_problem(t->r, t->path, 1, "a head of %d columns, at most %d are read", t->n, COLUMN_MOST);
        return false;
    }
    for (int i = 0; i < t->n; i++) {
        struct column *c = &t->columns[i];
        *c = (struct column){.name = arena_str(t->r->arena, cells[i]), .measure = KEY_NONE, .may_be_empty = true};
        (void)column_find(micro ? micro_heads : kernel_heads, cells[i], c);
        network = network || c->measure == KEY_NETWORK;
        time = time || c->measure == DROPLET_TIME;
    }
    if (!network || !time)
        release_problem(t->r, t->path, 1, "the head names no column of %s", network ? "times" : "networks");
    return network && time;
}

static bool whole_number(struct compact_reader *t, const struct column *c, const char *cell, int64_t most, int64_t *out)
{
    if (str_int(cell, out) && *out >= 0 && *out <= most)
        return true;
    release_problem(t->r, t->path, t->line, "column '%s' is '%.40s', not a whole number from 0 to %lld", c->name, cell,
                    (long long)most);
    return false;
}

/* Keeps a name when it is that of the row before: names are few, rows are many. */
static const char *name_of(struct compact_reader *t, const char *before, const char *cell)
{
    return before && str_eq(before, cell) ? before : arena_str(t->r->arena, cell);
}

static bool read_keys(struct compact_reader *t, char *const *cells)
{
    struct release_block *b = &t->names;
    int64_t whole;
    for (int i = 0; i < t->n; i++) {
        const struct column *c = &t->columns[i];
        if (c->measure == KEY_NETWORK)
            b->network = name_of(t, b->network, cells[i]);
        else if (c->measure == KEY_RUN)
            b->run = name_of(t, b->run, cells[i]);
        else if (c->measure == KEY_METHOD)
            b->method = name_of(t, b->method, cells[i]);
        else if (c->measure == KEY_K && !whole_number(t, c, cells[i], 1000000, &b->k))
            return false;
        else if (c->measure == KEY_KERNEL) {
            if (!whole_number(t, c, cells[i], 100000, &whole))
                return false;
            t->kernel = (int)whole;
        }
    }
    if (*b->network)
        return true;
    release_problem(t->r, t->path, t->line, "the row names no network");
    return false;
}

static bool same_block(const struct release_block *a, const struct release_block *b)
{
    return a->k == b->k && str_eq(a->network, b->network) && str_eq(a->method, b->method) && str_eq(a->run, b->run) &&
           str_eq(a->file, b->file);
}

static bool read_row(struct compact_reader *t, char *line)
{
    char *cells[COLUMN_MOST];
    struct release_row row = release_row(0, t->line);
    int n = column_split(line, '\t', cells, COLUMN_MOST);
    if (n != t->n) {
        release_problem(t->r, t->path, t->line, "%d fields, the head names %d", n, t->n);
        return false;
    }
    if (!read_keys(t, cells) || !column_row(t->r, t->path, t->line, t->columns, n, cells, &row))
        return false;
    if (t->block < 0 || !same_block(&t->r->blocks.at[t->block], &t->names)) {
        t->names.line = t->line;
        t->block = release_block(t->r, &t->names);
    }
    row.kernel = t->kernel;
    return release_add(t->r, t->block, &row);
}

int compact_read(struct release *r, enum release_table table, const char *path, const char *machine, char *text)
{
    struct compact_reader t = {.r = r, .path = path, .line = 1, .block = -1};
    int rows = 0;
    char *line = column_line(&text);
    t.names = (struct release_block){
        .table = table, .machine = machine, .run = "", .method = "", .network = "", .file = path};
    if (table == TABLE_EXPLOITERS)
        t.names.k = 300; /* the only one they were run at */
    if (!line || !read_head(&t, line))
        return 0;
    while ((line = column_line(&text))) {
        t.line++;
        if (*line)
            rows += read_row(&t, line);
    }
    return rows;
}

int compact_coverage(struct release *r, const char *path, char *text)
{
    static const char *const head[] = {"machine", "run", "network", "kernels", "rows", "status"};
    int line = 0, n = 0;
    for (char *at; (at = column_line(&text));) {
        char *cells[6];
        int64_t rows = 0;
        int cut = *at ? column_split(at, '\t', cells, 6) : 0;
        line++;
        if (!cut || (line == 1 && cut == 6 && str_eq(cells[0], head[0]) && str_eq(cells[5], head[5])))
            continue;
        if (cut != 6 || !str_int(cells[4], &rows) || rows < 0 || rows > 100000) {
            release_problem(r, path, line, cut != 6 ? "%d fields, not 6" : "%d fields, 'rows' is not a number", cut);
            continue;
        }
        vec_push(&r->files, (struct release_file){.path = path,
                                                  .table = TABLE_EXPLOITERS,
                                                  .machine = arena_str(r->arena, cells[0]),
                                                  .run = arena_str(r->arena, cells[1]),
                                                  .network = arena_str(r->arena, cells[2]),
                                                  .rows = (int)rows,
                                                  .status = arena_str(r->arena, cells[5]),
                                                  .listed = true});
        n++;
    }
    return n;
}
