/* SPDX-License-Identifier: Apache-2.0 */
/* report: hands a document to the form that is asked for. */
#include "harness/report/render/report.h"

#include "harness/base/file.h"
#include "harness/claims/verdicts.h"
#include "harness/report/data/document_json.h"
#include "harness/report/data/document_read.h"
#include "harness/report/render/figure.h"
#include "harness/report/render/html_report.h"
#include "harness/report/render/text_report.h"

struct form {
    const char *format, *file; /* format NULL: only written */
    void (*print)(const struct document *d, const char *plots, struct text *out);
};

static void print_text(const struct document *d, const char *plots, struct text *out)
{
    (void)plots;
    text_report_print(d, out);
}

static void print_sheet(const struct document *d, const char *plots, struct text *out)
{
    (void)plots;
    text_report_sheet(d, TABLE_NETWORKS, out);
}

static void print_kernels(const struct document *d, const char *plots, struct text *out)
{
    (void)plots;
    text_report_sheet(d, TABLE_KERNELS, out);
}

static void print_json(const struct document *d, const char *plots, struct text *out)
{
    (void)plots;
    document_json_print(d, out);
}

static const struct form forms[] = {
    {"text", "report.txt", print_text},         {"tsv", "summary.tsv", print_sheet},
    {NULL, "kernels.tsv", print_kernels},       {"json", "report.json", print_json},
    {"html", "report.html", html_report_print},
};
enum { FORMS = sizeof forms / sizeof *forms };

bool report_open(struct arena *a, const struct registry *registry, const struct experiment *e, const char *folder,
                 struct document *out, struct err *err)
{
    if (!document_read(a, e, folder, out, err))
        return false;
    verdicts_fill(out, registry, folder);
    return true;
}

bool report_print(const struct document *d, const char *format, const char *plots, struct text *out, struct err *err)
{
    for (int i = 0; i < FORMS; i++)
        if (forms[i].format && str_eq(forms[i].format, format)) {
            forms[i].print(d, plots, out);
            return true;
        }
    return err_set(err, "unknown format '%s': text, tsv, json or html", format);
}

static bool write_forms(const struct document *d, const char *dir, const char *plots, struct err *err)
{
    struct text t = {0};
    bool fine = true;
    for (int i = 0; i < FORMS && fine; i++) {
        text_clear(&t);
        forms[i].print(d, plots, &t);
        fine = file_write(file_join(d->a, dir, forms[i].file), text_str(&t), t.len, err);
    }
    if (fine && d->environment) {
        text_clear(&t);
        text_printf(&t, "%s\n", d->environment);
        fine = file_write(file_join(d->a, dir, "host.json"), text_str(&t), t.len, err);
    }
    text_free(&t);
    return fine;
}

bool report_write(const struct document *d, const char *dir, const char *plots, char **note, struct err *err)
{
    struct err why = {0};
    if (!write_forms(d, dir, plots, err))
        return false;
    bool drawn = figure_write(d, "figure", dir, plots, &why) &&
                 (!document_rows(d, TABLE_CURVES) || figure_write(d, "curves", dir, plots, &why));
    *note = drawn ? arena_printf(d->a, "figures: %s/%s.svg and .png", dir, d->experiment) : arena_str(d->a, why.text);
    return true;
}
