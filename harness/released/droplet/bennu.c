/* SPDX-License-Identifier: Apache-2.0 */
/* bennu: tables among the words of a job's log. What a line is, in this order: a label, a head, a row, or chatter. Only
 * what stands where a row must stand and cannot be read is a problem; chatter is not. */
#include "harness/released/droplet/bennu.h"

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/text.h"
#include "harness/released/droplet/column.h"
#include "harness/released/droplet/paper_networks.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { METHODS = 4 };
/* Heads, in small letters and without units in brackets; "-#" stands for "-" and the table's k. */
static const struct column_name heads[] = {{"time droplet", DROPLET_TIME, 1},
                                           {"std droplet", DROPLET_SD, 1},
                                           {"tuning time droplet", DROPLET_TUNING, 1},
                                           {"tuning time droplet+ansor", DROPLET_TOTAL, 1},
                                           {"tasks droplet", DROPLET_RECORDS, 1},
                                           {"time ansor-#", SEED_TIME, 1},
                                           {"std ansor-#", SEED_SD, 1},
                                           {"tuning time ansor-#", SEED_TUNING, 1},
                                           {"task ansor-#", SEED_RECORDS, 1},
                                           {"time ansor 10k", BASE_TIME, 1},
                                           {"std ansor 10k", BASE_SD, 1},
                                           {"tuning time 10k", BASE_TUNING, 1},
                                           {"tasks ansor", BASE_RECORDS, 1},
                                           {"p-value", P_VALUE, 1},
                                           {"dpmeta time", DROPLET_TIME, 1},
                                           {"dpmeta std", DROPLET_SD, 1},
                                           {"dpmeta trials", DROPLET_RECORDS, 1},
                                           {"dpmeta tuning", DROPLET_TUNING, 60},
                                           {"dpmeta+meta tuning", DROPLET_TOTAL, 60},
                                           {"meta-# time", SEED_TIME, 1},
                                           {"meta-# std", SEED_SD, 1},
                                           {"trials-#", SEED_RECORDS, 1},
                                           {"meta 10k time", BASE_TIME, 1},
                                           {"meta 10k std", BASE_SD, 1},
                                           {"trials-10k", BASE_RECORDS, 1},
                                           {"avg", DROPLET_TIME, 1e-3},
                                           {"std", DROPLET_SD, 1e-3},
                                           {"trials", DROPLET_RECORDS, 1},
                                           {"time total", DROPLET_TOTAL, 60},
                                           {"ansor exec", BASE_TIME, 1e-3},
                                           {"ansor tuning", BASE_TUNING, 1},
                                           {0}};
/* What follows "<method>-#" in the exploiters' heads. */
static const struct column_name exploiter_tails[] = {{" exec", DROPLET_TIME, 1},
                                                     {" std", DROPLET_SD, 1},
                                                     {" tuning", DROPLET_TUNING, 1},
                                                     {" trials", DROPLET_RECORDS, 1},
                                                     {0}};

struct reader {
    struct release *r;
    const struct bennu_source *source;
    int line;
    const char *network; /* "" unknown yet */
    int64_t k;           /* of the label; 0 none */
    bool in_table;       /* below a head */
    int n, nmethods;
    struct column columns[COLUMN_MOST];
    const char *methods[METHODS];
    int blocks[METHODS]; /* -1: a row could not be given a block */
};

/* Labels ---------------------------------------------------------------------------------------------------------- */

static const char *network_named(struct reader *d, const char *word, size_t n)
{
    int at = paper_network_find(word, (int)n);
    return at >= 0 ? paper_networks[at].name : arena_strn(d->r->arena, word, n);
}

/* "Top 300", "Top-300", "TOP: 300", "SIZE: 300", then perhaps a network. Returns whether it is one. */
static bool label_k(struct reader *d, const char *s)
{
    size_t word = strcspn(s, " :-");
    if (!(word == 3 && strncasecmp(s, "top", 3) == 0) && !(word == 4 && strncasecmp(s, "size", 4) == 0))
        return false;
    s += word + strspn(s + word, " :-");
    if (!isdigit((unsigned char)*s))
        return false;
    char *end;
    long k = strtol(s, &end, 10);
    if (k < 1 || k > 1000000)
        return false;
    d->k = k;
    d->in_table = false;
    s = end + strspn(end, " ");
    size_t n = strcspn(s, " ,");
    if (n)
        d->network = network_named(d, s, n);
    return true;
}

static bool label(struct reader *d, const char *s)
{
    s += strspn(s, " \t");
    if (strncasecmp(s, "bench:", 6) == 0) {
        s += 6 + strspn(s + 6, " \t");
        d->network = network_named(d, s, strcspn(s, " \t"));
        d->in_table = false;
        d->k = 0;
        return true;
    }
    const char *colon = strchr(s, ':'); /* "Mnasnet: Top 25" */
    const char *after = colon ? colon + 1 + strspn(colon + 1, " ") : s;
    if (colon && colon > s && strncasecmp(after, "top", 3) == 0 && label_k(d, after)) {
        d->network = network_named(d, s, (size_t)(colon - s));
        return true;
    }
    return label_k(d, s);
}

/* Heads ----------------------------------------------------------------------------------------------------------- */

/* The name in small letters and without its unit, "-300" as "-#"; returns the number, or 0. "-10k" stays. */
static int64_t plain_name(const char *name, char *out, size_t size)
{
    size_t n = 0;
    int64_t k = 0;
    for (const char *s = name; *s && n + 2 < size; s++) {
        if (*s == '(')
            s += strcspn(s, ")");
        if (!*s)
            break;
        if (*s == ')')
            continue;
        out[n++] = (char)tolower((unsigned char)*s);
        size_t digits = *s == '-' ? strspn(s + 1, "0123456789") : 0;
        if (digits && digits < 8 && s[1 + digits] != 'k') {
            k = strtol(s + 1, NULL, 10);
            out[n++] = '#';
            s += digits;
        }
    }
    while (n && out[n - 1] == ' ')
        n--;
    out[n] = 0;
    return k;
}

static int method_of(struct reader *d, const char *name, size_t n)
{
    for (int i = 0; i < d->nmethods; i++)
        if (strlen(d->methods[i]) == n && strncmp(d->methods[i], name, n) == 0)
            return i;
    if (d->nmethods == METHODS)
        return METHODS - 1;
    d->methods[d->nmethods] = arena_strn(d->r->arena, name, n);
    return d->nmethods++;
}

static void find_column(struct reader *d, const char *name, struct column *c)
{
    if (d->source->table != TABLE_EXPLOITERS) {
        (void)column_find(heads, name, c);
        return;
    }
    const char *mark = strstr(name, "-#");
    if (mark && column_find(exploiter_tails, mark + 2, c))
        c->method = method_of(d, name, (size_t)(mark - name));
}

static void open_blocks(struct reader *d, int64_t k, int64_t head_k)
{
    struct release_block b = {.table = d->source->table,
                              .machine = d->source->machine,
                              .run = d->source->run,
                              .network = d->network,
                              .k = k,
                              .file = d->source->path,
                              .line = d->line};
    for (int i = 0; i < d->nmethods; i++) {
        b.method = d->methods[i];
        d->blocks[i] = release_block(d->r, &b);
        if (head_k && k != head_k) {
            struct release_block *made = &d->r->blocks.at[d->blocks[i]];
            made->state = BLOCK_MISLABELLED;
            made->note =
                arena_printf(d->r->arena, "labelled k = %lld, its head says %lld", (long long)k, (long long)head_k);
        }
    }
}

static bool is_head(const struct reader *d, const char *line)
{
    line += strspn(line, " \t");
    return d->source->table == TABLE_MICRO ? strncasecmp(line, "bench,", 6) == 0 : strncasecmp(line, "layer,", 6) == 0;
}

static void head(struct reader *d, char *line)
{
    char *cells[COLUMN_MOST], name[80];
    int64_t head_k = 0;
    bool time = false;
    d->n = column_split(line, ',', cells, COLUMN_MOST);
    d->nmethods = 0;
    d->in_table = d->n <= COLUMN_MOST;
    if (d->source->table != TABLE_EXPLOITERS)
        method_of(d, "", 0);
    for (int i = 0; d->in_table && i < d->n; i++) {
        int64_t k = plain_name(cells[i], name, sizeof name);
        d->columns[i] = (struct column){.name = arena_str(d->r->arena, cells[i]), .measure = -1, .scale = 1};
        head_k = k ? k : head_k;
        if (i)
            find_column(d, name, &d->columns[i]);
        time = time || d->columns[i].measure == DROPLET_TIME;
    }
    if (!time) {
        release_problem(d->r, d->source->path, d->line, "a head without a column of times that is known");
        d->in_table = false;
    } else if (d->source->table != TABLE_MICRO && !*d->network) {
        release_problem(d->r, d->source->path, d->line, "a table before any line that names its network");
        d->in_table = false;
    } else if (d->source->table != TABLE_MICRO) {
        open_blocks(d, d->k ? d->k : head_k, head_k);
    }
}

/* Rows ------------------------------------------------------------------------------------------------------------ */

/* MetaSchedule's tables of May hold one unnamed number more, before the two speedups; the micro-kernels of the A100
 * hold the first five only. What is missing there stays NaN. */
static bool fields_fit(const struct reader *d, int fields)
{
    if (d->source->table == TABLE_META)
        return fields == d->n || fields == d->n + 1;
    return fields == d->n || (d->source->table == TABLE_MICRO && fields == 5);
}

static int commas(const char *line)
{
    int n = 0;
    for (; *line; line++)
        n += *line == ',';
    return n;
}

static bool looks_like_row(const struct reader *d, const char *line)
{
    line += strspn(line, " \t");
    size_t digits = strspn(line, "0123456789");
    if (digits && d->source->table != TABLE_MICRO && line[digits + strspn(line + digits, " \t")] == ',')
        return true;
    return commas(line) >= (d->source->table == TABLE_MICRO ? 3 : d->n / 2);
}

static int micro_block(struct reader *d, const char *kernel)
{
    struct release_block b = {.table = TABLE_MICRO,
                              .machine = d->source->machine,
                              .network = arena_str(d->r->arena, kernel),
                              .k = d->k,
                              .file = d->source->path,
                              .line = d->line};
    return release_block(d->r, &b);
}

static int row(struct reader *d, char *line)
{
    char *cells[COLUMN_MOST];
    struct release_row rows[METHODS];
    int fields = column_split(line, ',', cells, COLUMN_MOST), added = 0;
    int64_t kernel = 0;
    if (!fields_fit(d, fields)) {
        release_problem(d->r, d->source->path, d->line, "%d fields, the head names %d", fields, d->n);
        return 0;
    }
    if (d->source->table != TABLE_MICRO && (!str_int(cells[0], &kernel) || kernel < 0 || kernel > 100000)) {
        release_problem(d->r, d->source->path, d->line, "column '%s' is '%.40s', not the number of a kernel",
                        d->columns[0].name, cells[0]);
        return 0;
    }
    for (int m = 0; m < METHODS; m++)
        rows[m] = release_row((int)kernel, d->line);
    int n = fields < d->n ? fields : d->n;
    if (!column_row(d->r, d->source->path, d->line, d->columns, n, cells, rows))
        return 0;
    if (d->source->table == TABLE_MICRO)
        d->blocks[0] = micro_block(d, cells[0]);
    for (int m = 0; m < d->nmethods; m++)
        added += release_add(d->r, d->blocks[m], &rows[m]);
    return added > 0;
}

int bennu_read(struct release *r, const struct bennu_source *source, char *text)
{
    struct reader d = {.r = r, .source = source, .network = bennu_network(source->path)};
    int rows = 0;
    for (char *line; (line = column_line(&text));) {
        d.line++;
        if (label(&d, line))
            continue;
        if (is_head(&d, line))
            head(&d, line);
        else if (d.in_table && looks_like_row(&d, line))
            rows += row(&d, line);
    }
    return rows;
}

const char *bennu_network(const char *path)
{
    const char *s = file_name(path);
    for (int i = 0; i < PAPER_NETWORKS; i++) { /* names with an underscore of their own */
        size_t n = strlen(paper_networks[i].name);
        const char *at = strstr(s, paper_networks[i].name);
        if (at && !isalnum((unsigned char)at[n]))
            return paper_networks[i].name;
    }
    for (; *s; s += strspn(s, "_.")) {
        size_t n = strcspn(s, "_.");
        int at = paper_network_find(s, (int)n);
        if (at >= 0)
            return paper_networks[at].name;
        s += n;
    }
    return "";
}

/* Logs of the micro-kernels --------------------------------------------------------------------------------------- */

/* r = [[costs], error, total cost, time] */
static bool log_record(const cJSON *doc, double *mean_s, double *cost_s)
{
    const cJSON *result = json_get(doc, "r"), *costs = cJSON_GetArrayItem(result, 0), *one;
    const cJSON *error = cJSON_GetArrayItem(result, 1), *cost = cJSON_GetArrayItem(result, 2);
    double sum = 0;
    if (!cJSON_IsArray(costs) || !cJSON_IsNumber(error) || !cJSON_IsNumber(cost) || cost->valuedouble < 0)
        return false;
    cJSON_ArrayForEach(one, costs) sum += cJSON_IsNumber(one) ? one->valuedouble : INFINITY;
    int n = cJSON_GetArraySize(costs);
    *mean_s = n && error->valueint == 0 ? sum / n : INFINITY;
    *cost_s = cost->valuedouble;
    return true;
}

bool bennu_log(struct release *r, const char *path, const char *text, struct release_row *out)
{
    double best = INFINITY, sum = 0;
    int n = 0, line = 0;
    for (const char *end; *text; text = *end ? end + 1 : end) {
        struct err err = {0};
        double mean, cost;
        end = text + strcspn(text, "\n");
        line++;
        if (text[strspn(text, " \t\r")] != '{')
            continue;
        cJSON *doc = json_parse(text, (size_t)(end - text), path, &err);
        bool good = doc && log_record(doc, &mean, &cost);
        cJSON_Delete(doc);
        if (!good) {
            release_problem(r, path, line, "not a record of Ansor");
            continue;
        }
        best = fmin(best, mean);
        sum += cost;
        n++;
    }
    out->v[BASE_TIME] = best;
    out->v[BASE_TUNING] = sum;
    out->v[BASE_RECORDS] = n;
    return isfinite(best);
}
