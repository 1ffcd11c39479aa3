/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/cli/reference/results_page.h"

#include "harness/base/digest.h"
#include "harness/base/file.h"
#include "harness/report/data/document_json.h"
#include "harness/report/data/report_summary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEP = 4, COLUMNS = 98 };
#define REPORT_LIMIT (64u << 20)

struct page {
    struct arena *a;
    struct text *table, *found;
    struct err *err;
};

void results_page_fill(struct text *out, const char *text, int used)
{
    int indent = used || str_starts(text, "- ") ? 2 : 0;
    for (const char *p = text; *p;) {
        int n = (int)strcspn(p, " ");
        if (used > indent && used + 1 + n > COLUMNS) {
            text_printf(out, "\n%*s", indent, "");
            used = indent;
        } else if (p > text) {
            text_char(out, ' ');
            used++;
        }
        text_addn(out, p, (size_t)n);
        used += n;
        p += n;
        while (*p == ' ')
            p++;
    }
    text_char(out, '\n');
}

static const char *judged(const struct document *d)
{
    if (!d->complete)
        return "not complete";
    return d->valid ? "valid" : document_kernels_stand(d) ? "valid for kernels" : "INVALID";
}

static int kernels(const struct document *d, int *networks)
{
    int n = 0;
    const char *first = document_text_at(d, TABLE_EXPLORERS, 0, COL_ARM);
    *networks = 0;
    for (int i = 0; i < document_rows(d, TABLE_EXPLORERS); i++)
        if (*document_text_at(d, TABLE_EXPLORERS, i, COL_NETWORK) &&
            str_eq(document_text_at(d, TABLE_EXPLORERS, i, COL_ARM), first)) {
            n += (int)document_number_at(d, TABLE_EXPLORERS, i, COL_KERNELS);
            (*networks)++;
        }
    return n;
}

/* Hours on the wall that the searches took, all arms of all networks: "1.6", "-" where no clock ran. */
static const char *search_hours(const struct page *p, const struct document *d)
{
    for (int i = 0; i < document_rows(d, TABLE_PHASES) && !d->is_virtual; i++)
        if (str_eq(document_text_at(d, TABLE_PHASES, i, COL_PHASE), "wall"))
            return arena_printf(p->a, "%.1f", document_number_at(d, TABLE_PHASES, i, COL_SECONDS) / 3600);
    return "-";
}

static void put_run(const struct page *p, const char *name, const struct document *d)
{
    int networks, n = kernels(d, &networks);
    bool stands = document_kernels_stand(d);
    const char *codegen = document_codegen(d), *verdict = judged(d), *cpu = document_fact(d, "target", "cpu");
    text_printf(p->table, "| `%s` | %s | %s | %s | %s | %d | %d | %lld | %s | %s |\n", name, codegen ? codegen : "-",
                document_machine(d), cpu ? cpu : "-", d->measured, networks, n, (long long)d->seeds, search_hours(p, d),
                verdict);
    text_printf(p->found, "\n## %s\n\n%s.\n\n", name, d->title);
    if (stands && document_judges(d) && d->found) {
        text_add(p->found, "- Found: ");
        results_page_fill(p->found, d->found, 9);
    }
    text_printf(p->found, "- %s: ", verdict);
    results_page_fill(p->found,
                      stands && d->validity ? d->validity
                      : d->invalid          ? d->invalid
                      : d->missing          ? d->missing
                                            : "",
                      4 + (int)strlen(verdict));
}

/* The packed records, by which a reader can check the report. */
static bool put_records(const struct page *p, const char *dir)
{
    char *bytes, hex[65];
    size_t n;
    const char *path = file_join(p->a, dir, "records.db.xz");
    if (!file_exists(path)) {
        if (file_is_dir(file_join(p->a, dir, "shards")))
            text_add(p->found, "- Records: of its shards, in `shards`; `raingauge merge` joins them.\n");
        return true;
    }
    if (!file_read(p->a, path, REPORT_LIMIT, &bytes, &n, p->err))
        return false;
    digest_sha256(bytes, n, hex);
    text_printf(p->found, "- Records: `records.db.xz`, %zu KiB, SHA-256\n  `%s`.\n", (n + 1023) / 1024, hex);
    return true;
}

static bool read_run(const struct page *p, const char *dir, const char *name)
{
    char *text;
    size_t n;
    struct document d;
    const char *path = file_join(p->a, dir, "report.json");
    if (!file_exists(path))
        return true;
    if (!file_read(p->a, path, REPORT_LIMIT, &text, &n, p->err) || !document_json_read(p->a, text, n, path, &d, p->err))
        return false;
    put_run(p, name, &d);
    return put_records(p, dir);
}

static bool walk(const struct page *p, const char *dir, const char *name, int deep)
{
    char **names;
    int n;
    if (!read_run(p, dir, name) || !file_list(p->a, dir, "", &names, &n, p->err))
        return false;
    for (int i = 0; i < n; i++) {
        const char *path = file_join(p->a, dir, names[i]);
        if (names[i][0] == '.' || !file_is_dir(path) || deep == DEEP)
            continue;
        if (!walk(p, path, *name ? arena_printf(p->a, "%s/%s", name, names[i]) : names[i], deep + 1))
            return false;
    }
    return true;
}

bool results_page(const char *folder, struct text *out, struct err *err)
{
    struct text table = {0}, found = {0};
    struct page p = {arena_open("results"), &table, &found, err};
    bool fine = walk(&p, folder, "", 0);
    if (fine) {
        text_add(out,
                 "# What the runs here found\n\n"
                 "Made by `make docs` from each run's `report.json`; do not edit it. Of a run that is INVALID\n"
                 "only the reason is given: what it shows is not a finding. One that is valid for kernels\n"
                 "finds nothing on search time. Hours are of the searches alone: programs are timed\n"
                 "again after them.\n\n"
                 "| run | codegen | machine | code for | measured | networks | kernels | seeds | hours | verdict |\n"
                 "|---|---|---|---|---|---|---|---|---|---|\n");
        text_add(out, text_str(&table));
        text_add(out, text_str(&found));
    }
    text_free(&table);
    text_free(&found);
    arena_close(p.a);
    return fine;
}
