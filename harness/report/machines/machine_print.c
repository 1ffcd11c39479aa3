/* SPDX-License-Identifier: Apache-2.0 */
/* machine_print: what a gate voids stands in its place as measured, with the word INVALID, and without an interval. */
#include "harness/report/machines/machine_print.h"

#include "harness/report/render/text_report.h"

#include <math.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static const char *const leanings[] = {
    [LEANING_NEITHER] = "neither", [LEANING_FOR] = "for", [LEANING_AGAINST] = "against"};

/* ---- text ---- */

static const char *state(const struct document *d, enum validity_about about)
{
    const char *reason;
    enum verdict_gates gates = document_gates(d, about, &reason);
    return gates == VERDICT_GATES_PASSED ? "valid" : gates == VERDICT_GATES_FAILED ? "INVALID" : "not judged";
}

static void print_machines(struct arena *a, const struct machine_comparison *m, struct text *out)
{
    static const struct grid_column heads[] = {{"#", "", "", false},
                                               {"machine", "", "", true},
                                               {"tier", "", "", true},
                                               {"seeds", "", "", false},
                                               {"trials", "", "", false},
                                               {"kernels", "", "", true},
                                               {"noise floor", "%", "", false},
                                               {"search time", "", "", true},
                                               {"measured", "", "", true}};
    enum { HEADS = sizeof heads / sizeof *heads };
    const char **cells = ARENA_ARRAY(a, const char *, m->ncolumns *HEADS), **notes;
    notes = ARENA_ARRAY(a, const char *, m->ncolumns);
    for (int i = 0; i < m->ncolumns; i++) {
        const struct machine_column *c = &m->columns[i];
        const struct document *d = c->d;
        double floor = document_number_at(d, TABLE_NOISE, 0, COL_NOISE_FLOOR);
        struct text caveats = {0};
        const char *row[HEADS] = {arena_printf(a, "%d", i + 1),
                                  c->name,
                                  *d->tier ? d->tier : NULL,
                                  arena_printf(a, "%lld", (long long)d->seeds),
                                  arena_printf(a, "%lld", (long long)d->trials_measured),
                                  state(d, VALIDITY_KERNELS),
                                  isfinite(floor) ? grid_number(a, 100 * floor, 2) : NULL,
                                  state(d, VALIDITY_SEARCH),
                                  *d->measured ? d->measured : NULL};
        for (int k = 0; k < HEADS; k++)
            cells[i * HEADS + k] = row[k];
        text_add(&caveats, c->folder);
        for (int k = 0; k < c->ncaveats; k++)
            text_printf(&caveats, "%s%s", k ? "; " : ": ", c->caveats[k]);
        notes[i] = text_keep(&caveats, a);
    }
    text_report_grid(a,
                     &(struct grid){.caption = "Machines",
                                    .columns = heads,
                                    .ncolumns = HEADS,
                                    .cells = cells,
                                    .groups = ARENA_ARRAY(a, const char *, m->ncolumns),
                                    .notes = notes,
                                    .nrows = m->ncolumns},
                     out);
}

/* The heads of a table that has a column a machine between what it begins with and what it ends with. */
static struct grid_column *heads_of(struct arena *a, const struct machine_comparison *m, const char *first,
                                    const char *last)
{
    struct grid_column *heads = ARENA_ARRAY(a, struct grid_column, m->ncolumns + 2);
    heads[0] = (struct grid_column){first, "", "", true};
    for (int i = 0; i < m->ncolumns; i++)
        heads[i + 1] = (struct grid_column){m->columns[i].name, "", "", true};
    if (last)
        heads[m->ncolumns + 1] = (struct grid_column){last, "", "", true};
    return heads;
}

/* "1.243 [1.211, 1.277]", "1.243, INVALID" */
static const char *speedup(struct arena *a, const struct machine_ratio *r)
{
    const char *value = grid_number(a, r->ratio, 3), *interval = grid_range(a, r->low, r->high, 3);
    return isnan(r->ratio)  ? NULL
           : !r->is_finding ? arena_printf(a, "%s, INVALID", value)
           : interval       ? arena_printf(a, "%s %s", value, interval)
                            : value;
}

static void print_rows(struct arena *a, const struct machine_comparison *m, struct text *out)
{
    bool race = document_rows(m->columns[0].d, TABLE_RACE) > 0;
    int width = m->ncolumns + 1;
    const char **cells = ARENA_ARRAY(a, const char *, m->nrows *width), **groups, *last = "";
    groups = ARENA_ARRAY(a, const char *, m->nrows);
    for (int i = 0; i < m->nrows; i++) {
        const struct machine_row *r = &m->rows[i];
        groups[i] = str_eq(r->arm, last) ? NULL : r->arm;
        last = r->arm;
        cells[i * width] = r->about == VALIDITY_KERNELS ? "kernels" : "search";
        for (int k = 0; k < m->ncolumns; k++)
            cells[i * width + k + 1] = speedup(a, &r->of[k]);
    }
    text_report_grid(
        a,
        &(struct grid){.caption = race ? "Speedups over the first arm, with 95 % intervals; search: until both "
                                         "are as good as the worse of them in the end"
                                       : "Speedups over the full run of the arm that each is set against, "
                                         "with 95 % intervals",
                       .columns = heads_of(a, m, "", NULL),
                       .ncolumns = width,
                       .cells = cells,
                       .groups = groups,
                       .nrows = m->nrows},
        out);
}

/* Claims that no machine has measured are counted in the first line, and in JSON. */
static void print_claims(struct arena *a, const struct machine_comparison *m, struct text *out)
{
    int width = m->ncolumns + 2, rows = 0;
    const char **cells = ARENA_ARRAY(a, const char *, m->nclaims *width + 1), **notes;
    notes = ARENA_ARRAY(a, const char *, m->nclaims + 1);
    for (int i = 0; i < m->nclaims; i++) {
        const struct machine_claim *c = &m->claims[i];
        const char **row = cells + rows * width;
        if (c->agreement == MACHINES_UNKNOWN)
            continue;
        notes[rows] = c->says;
        row[0] = c->claim;
        for (int k = 0; k < m->ncolumns; k++)
            row[k + 1] = !*c->of[k].verdict ? NULL
                         : *c->of[k].doubt  ? arena_printf(a, "%s, doubtful", c->of[k].verdict)
                                            : c->of[k].verdict;
        row[width - 1] =
            arena_printf(a, "%s%s", machine_agreement_words[c->agreement], c->doubtful ? ", doubtful" : "");
        rows++;
    }
    if (rows)
        text_report_grid(a,
                         &(struct grid){.caption = "Claims: the verdict of each machine, and whether they agree",
                                        .columns = heads_of(a, m, "claim", "machines"),
                                        .ncolumns = width,
                                        .cells = cells,
                                        .groups = ARENA_ARRAY(a, const char *, rows),
                                        .notes = notes,
                                        .nrows = rows},
                         out);
}

void machine_print_text(struct arena *a, const struct machine_comparison *m, struct text *out)
{
    text_report_lines(m->found, m->validity, m->next, out);
    print_machines(a, m, out);
    print_rows(a, m, out);
    print_claims(a, m, out);
    text_add(out, "\n  A finding on one machine and none on another is no contradiction. INVALID is no finding: the\n"
                  "  number stands as it was measured. Nothing is pooled over machines.\n");
}

/* ---- spreadsheet ---- */

static void sheet_row(struct text *out, const struct machine_column *c, const char *part, const char *name)
{
    const char *words[] = {c->name, c->folder, c->d->tier, part, name};
    for (int i = 0; i < COUNT(words); i++) {
        text_report_sheet_text(out, words[i]);
        text_char(out, '\t');
    }
}

void machine_print_sheet(const struct machine_comparison *m, struct text *out)
{
    text_add(out, "machine\tresults\ttier\tabout\tname\tratio\tlow\thigh\tvalidity\tverdict\tdoubtful\tagreement\n");
    for (int i = 0; i < m->nrows; i++)
        for (int k = 0; k < m->ncolumns; k++) {
            const struct machine_row *r = &m->rows[i];
            const double numbers[] = {r->of[k].ratio, r->of[k].low, r->of[k].high};
            sheet_row(out, &m->columns[k], validity_about_words[r->about], r->arm);
            for (int n = 0; n < COUNT(numbers); n++) {
                text_report_sheet_number(out, numbers[n]);
                text_char(out, '\t');
            }
            text_printf(out, "%s\t\t\t\n", state(m->columns[k].d, r->about));
        }
    for (int i = 0; i < m->nclaims; i++)
        for (int k = 0; k < m->ncolumns; k++) {
            const struct machine_claim *c = &m->claims[i];
            sheet_row(out, &m->columns[k], "claim", c->claim);
            text_printf(out, "\t\t\t\t%s\t", c->of[k].verdict);
            text_report_sheet_text(out, c->of[k].doubt);
            text_printf(out, "\t%s\n", machine_agreement_words[c->agreement]);
        }
}

/* ---- JSON ---- */

#define COLUMN(path, field, type, help) FIELD("machines[]." path, struct machine_column, 0, field, type, help)
#define OF(path, field, type, help) FIELD("machines[]." path, struct document, 1, field, type, help)
const struct json_member machine_members[] = {
    MEMBER("experiment", "text", "Name of the experiment."),
    FIELD("summary.found", struct machine_comparison, 0, found, "text", "How many claims the machines agree on."),
    FIELD("summary.validity", struct machine_comparison, 0, validity, "text", "Whether each machine's run counts."),
    FIELD("summary.next", struct machine_comparison, 0, next, "text", "What to do next."),
    COLUMN("name", name, "text", "Its processor or GPU; of a second run on such a machine with #2."),
    COLUMN("folder", folder, "text", "Its results folder."),
    COLUMN("same_as", same_as, "number", "The first entry with such a machine, from 0: its own where it is that."),
    OF("machine", machine, "text", "The file of experiments/machines that the run named."),
    OF("target", target, "text", "The target."),
    OF("tier", tier, "text", "Size of the run; null: none."),
    OF("budget", budget, "text", "How much of the paper's it is: whole, reduced or mechanics."),
    OF("hash", hash, "text", "SHA-256 of what was run."),
    OF("revision", revision, "text", "Of raingauge, that made the records."),
    OF("claims_begun", claims_begun, "text", "What the claims were when the run began; null: not recorded."),
    OF("seeds", seeds, "count", "Its seeds."),
    OF("trials", trials_measured, "count", "Programs that its searches measured."),
    OF("measured", measured, "text", "The day it began; null on virtual targets."),
    OF("complete", complete, "true or false", "Whether all its cells are done."),
    OF("valid", valid, "true or false", "Whether no gate failed."),
    MEMBER("machines[].noise_floor", "relative", "Its noise floor; null: not measured."),
    MEMBER("machines[].kernels", "text", "valid, INVALID or not judged."),
    MEMBER("machines[].search_time", "text", "valid, INVALID or not judged."),
    MEMBER("machines[].caveats", "list of texts", "What stands beside its column."),
    FIELD("rows[].arm", struct machine_row, 0, arm, "text", "The arm, with its k."),
    MEMBER("rows[].about", "text", "kernels or search time."),
    MEMBER("rows[].of[].ratio", "ratio", "Its speedup on each machine, in their order; null: not known."),
    MEMBER("rows[].of[].interval", "[low, high]", "Its 95 % interval."),
    MEMBER("rows[].of[].is_finding", "true or false", "No: it is not known, or a gate failed."),
    FIELD("claims[].claim", struct machine_claim, 0, claim, "text", "Name of the claim."),
    FIELD("claims[].says", struct machine_claim, 0, says, "text", "What it says."),
    MEMBER("claims[].agreement", "text", "agree: for, agree: against, contradict, open or not measured."),
    FIELD("claims[].doubtful", struct machine_claim, 0, doubtful, "true or false",
          "Whether a finding that this rests on is doubtful."),
    FIELD("claims[].of[].verdict", struct machine_verdict, 0, verdict, "text",
          "The verdict of each machine, in their order; null: it has none."),
    FIELD("claims[].of[].reason", struct machine_verdict, 0, reason, "text", "Why this verdict."),
    FIELD("claims[].of[].doubt", struct machine_verdict, 0, doubt, "text", "Why it is doubtful; null: it is not."),
    MEMBER("claims[].of[].side", "text", "for, against or neither."),
    {0}};

static void json_machine(cJSON *to, const struct machine_column *c)
{
    json_put_fields(to, machine_members, "machines[].", (const void *[]){c, c->d});
    json_put_number(to, "noise_floor", document_number_at(c->d, TABLE_NOISE, 0, COL_NOISE_FLOOR));
    json_put_str(to, "kernels", state(c->d, VALIDITY_KERNELS));
    json_put_str(to, "search_time", state(c->d, VALIDITY_SEARCH));
    cJSON *list = json_put_array(to, "caveats");
    for (int i = 0; i < c->ncaveats; i++)
        json_put_str(list, NULL, c->caveats[i]);
}

static void json_row(cJSON *to, const struct machine_comparison *m, const struct machine_row *r)
{
    json_put_fields(to, machine_members, "rows[].", (const void *[]){r});
    json_put_str(to, "about", validity_about_words[r->about]);
    cJSON *list = json_put_array(to, "of");
    for (int i = 0; i < m->ncolumns; i++) {
        cJSON *one = json_put_object(list, NULL);
        json_put_number(one, "ratio", r->of[i].ratio);
        json_put_range(one, "interval", r->of[i].low, r->of[i].high);
        json_put_bool(one, "is_finding", r->of[i].is_finding);
    }
}

static void json_claim(cJSON *to, const struct machine_comparison *m, const struct machine_claim *c)
{
    json_put_fields(to, machine_members, "claims[].", (const void *[]){c});
    json_put_str(to, "agreement", machine_agreement_words[c->agreement]);
    cJSON *list = json_put_array(to, "of");
    for (int i = 0; i < m->ncolumns; i++) {
        cJSON *one = json_put_object(list, NULL);
        json_put_fields(one, machine_members, "claims[].of[].", (const void *[]){&c->of[i]});
        json_put_str(one, "side", leanings[c->of[i].leans]);
    }
}

cJSON *machine_print_json(const struct machine_comparison *m)
{
    cJSON *out = json_object();
    json_put_str(out, "experiment", m->columns[0].d->experiment);
    json_put_fields(out, machine_members, "", (const void *[]){m});
    cJSON *list = json_put_array(out, "machines");
    for (int i = 0; i < m->ncolumns; i++)
        json_machine(json_put_object(list, NULL), &m->columns[i]);
    list = json_put_array(out, "rows");
    for (int i = 0; i < m->nrows; i++)
        json_row(json_put_object(list, NULL), m, &m->rows[i]);
    list = json_put_array(out, "claims");
    for (int i = 0; i < m->nclaims; i++)
        json_claim(json_put_object(list, NULL), m, &m->claims[i]);
    return out;
}
