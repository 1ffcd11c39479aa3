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

enum form { FORM_TEXT, FORM_SHEET, FORM_KERNELS, FORM_JSON, FORM_PAGE, FORMS };
static const struct {
    const char *format, *file; /* format NULL: only written */
} forms[FORMS] = {[FORM_TEXT] = {"text", "report.txt"},
                  [FORM_SHEET] = {"tsv", "summary.tsv"},
                  [FORM_KERNELS] = {NULL, "kernels.tsv"},
                  [FORM_JSON] = {"json", "report.json"},
                  [FORM_PAGE] = {"html", "report.html"}};

static void print_form(const struct document *d, int form, const char *plots, struct text *out)
{
    if (form == FORM_TEXT)
        text_report_print(d, out);
    else if (form == FORM_JSON)
        document_json_print(d, out);
    else if (form == FORM_PAGE)
        html_report_print(d, plots, out);
    else
        text_report_sheet(d, form == FORM_SHEET ? TABLE_NETWORKS : TABLE_KERNELS, out);
}

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
            print_form(d, i, plots, out);
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
        print_form(d, i, plots, &t);
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
