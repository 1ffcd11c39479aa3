/* SPDX-License-Identifier: Apache-2.0 */
/* document_read: results of another experiment hash are refused in either form, so that a report is never about other
 * searches than its experiment says. */
#include "harness/report/data/document_read.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/report/data/comparison_tables.h"
#include "harness/report/data/document_json.h"
#include "harness/report/data/race_tables.h"
#include "harness/report/data/report_summary.h"
#include "harness/report/data/run_tables.h"
#include "harness/stats/noise_floor.h"

#include <stdlib.h>
#include <string.h>

struct maker {
    struct arena *a;
    const struct experiment *e;
    const struct selection *selection;
    struct store *s;
    struct document *d;
    const struct published *published;
    const struct published_rows *rows;
    struct err *err;
};

struct origin { /* of results: what, the records or the file, with its verb */
    const char *what, *hash, *target, *target_settings, *files;
};

/* A file that settings name, and that is not there; NULL: none. */
static const char *absent_file(const struct plan *p)
{
    const char *absent = p->files.absent;
    for (int i = 0; i < p->ncells && !absent; i++)
        absent = p->cells[i].files.absent;
    return absent;
}

static bool same_hash(struct arena *a, const struct experiment *e, const struct origin *o, struct err *err)
{
    const char *codegen = keys_codegen(o->target, o->target_settings),
               *asked = keys_codegen(e->plan.target, e->plan.target_settings);
    if (str_eq(o->hash, e->plan.experiment_hash))
        return true;
    const char *absent = absent_file(&e->plan);
    if (absent)
        return str_eq(o->hash, experiment_hash(a, e, o->files)) ||
               err_set(err,
                       "%s of '%s' with hash %.12s, and '%s' cannot be read: whether they are of what is in it "
                       "is not known",
                       o->what, e->stem, o->hash, absent);
    if (codegen && asked && !str_eq(codegen, asked))
        return err_set(err,
                       "%s of another code generator than '%s' asks for: searched with codegen=%s, not "
                       "codegen=%s (--set target_settings.codegen=%s reads them)",
                       o->what, e->stem, codegen, asked, codegen);
    return err_set(err,
                   "%s of another version of '%s' (hash %.12s, now %.12s): give the --tier and --set they were made "
                   "with (where only the re-timing differs, `raingauge run --resume` takes the records over)",
                   o->what, e->stem, o->hash, e->plan.experiment_hash);
}

/* ---- from records ---- */

static void put_head(struct maker *m)
{
    const struct experiment *e = m->e;
    const struct store_campaign *c = store_campaign(m->s);
    char date[32] = "";
    if (c->created_unix > 0 && !c->is_virtual)
        clock_iso(c->created_unix, date);
    *m->d = (struct document){.a = m->a,
                              .experiment = e->stem,
                              .title = *e->title ? e->title : e->stem,
                              .paper = e->paper,
                              .report = e->report,
                              .tier = e->tier,
                              .hash = arena_str(m->a, c->experiment_hash),
                              .claims_hash = "",
                              .claims_begun = "",
                              .revision = arena_str(m->a, c->revision),
                              .measured = arena_strn(m->a, date, *date ? 10 : 0),
                              .machine = arena_str(m->a, c->machine),
                              .target = arena_str(m->a, c->target),
                              .target_settings = arena_str(m->a, c->target_settings),
                              .regime = arena_str(m->a, c->regime),
                              .environment = arena_str(m->a, c->environment),
                              .published = m->published ? m->published->title : "",
                              .threads = c->threads,
                              .layout = c->layout,
                              .seeds = e->seeds,
                              .retime_top = plan_retime_top(&e->plan),
                              .is_virtual = c->is_virtual};
}

static void put_state(struct maker *m, const struct record_scan *s, const struct validity *v)
{
    struct document *d = m->d;
    int done = 0;
    for (int i = 0; i < s->ncells; i++) {
        done += str_eq(s->cells[i].state, "done");
        d->trials_measured += s->cells[i].trials_done;
    }
    bool retimed = !plan_has_duels(&m->e->plan) || (v->has_duels && !v->duels.awaited);
    d->complete = done == m->e->plan.ncells && retimed;
    d->missing = d->complete                 ? NULL
                 : done != m->e->plan.ncells ? arena_printf(m->a, "%d of %d cells are done", done, m->e->plan.ncells)
                                             : "the re-timing is not finished, run --resume goes on with it";
    const char *why[VALIDITY_ABOUTS];
    for (int i = 0; i < VALIDITY_ABOUTS; i++)
        why[i] = v->of[i].gates == VERDICT_GATES_FAILED ? v->of[i].reason : NULL;
    const char *kernels = why[VALIDITY_KERNELS], *search = why[VALIDITY_SEARCH];
    d->valid = !kernels && !search;
    d->invalid = d->valid ? NULL
                          : arena_printf(m->a, "%s%s%s%s", kernels ? kernels : "", kernels && search ? "; " : "",
                                         search ? "search time: " : "", search ? search : "");
}

/* work: of what is read and computed on the way to the document. */
static bool make(struct maker *m, struct arena *work)
{
    struct records records;
    struct results results;
    struct comparisons comparisons;
    struct validity validity;
    if (!records_read(work, m->s, &records, m->err))
        return err_context(m->err, "'%s'", m->e->plan.results_dir);
    records.asked_half_width = m->e->plan.duels.half_width;
    if (!validity_read(&records, &validity, m->err) ||
        !results_make(&records, m->e, m->selection->seed_cost_again, &results, m->err) ||
        (m->selection->race && !results_race(&results, m->err)))
        return false;
    double margin = noise_floor_tie(validity.floor);
    if (!comparisons_make(&results, m->selection, margin, &comparisons, m->err))
        return err_context(m->err, "'%s'", m->e->stem);
    put_head(m);
    put_state(m, &records.scan, &validity);
    m->d->kernels = results.kernels;
    m->d->taken_kernels = results.taken;
    m->d->design_effect = results.design;
    if (!store_event_text(m->s, m->a, STORE_EVENT_CLAIMS, &m->d->claims_begun, m->err))
        return false;
    comparison_tables_fill(&(struct comparison_input){&comparisons, m->e, m->published, margin}, m->d);
    if (m->selection->race)
        race_tables_fill(&(struct race_input){&comparisons, &validity, margin}, m->d);
    const struct run_input run = {&results, &validity, margin, m->selection->race, m->published, m->rows};
    if (!run_tables_fill(&run, m->d, m->err))
        return false;
    comparison_tables_unlike(&results, m->d);
    return true;
}

/* What others published for this report, typed in. */
static bool load_published(struct maker *m, const char *folder)
{
    const struct experiment *e = m->e;
    struct published *p = NULL;
    struct published_rows *rows = NULL;
    bool fine = m->selection->published_ratios
                    ? !*e->machine.compare || published_load(m->a, folder, e->report, e->machine.compare, &p, m->err)
                    : published_rows_load(m->a, folder, e->stem, &rows, m->err);
    m->published = p ? p : rows ? rows->ratios : NULL;
    m->rows = rows;
    return fine;
}

static bool from_records(struct maker *m, const char *folder)
{
    const struct experiment *e = m->e;
    const char *files;
    if (!load_published(m, folder) || !store_open_read(e->plan.results_dir, &m->s, m->err))
        return false;
    struct arena *work = arena_open("report");
    const struct store_campaign *c = store_campaign(m->s);
    bool fine = store_event_text(m->s, m->a, STORE_EVENT_FILES, &files, m->err);
    const struct origin origin = {arena_printf(work, "the records in '%s' are", e->plan.results_dir),
                                  c->experiment_hash, c->target, c->target_settings, fine ? files : ""};
    fine = fine && same_hash(m->a, e, &origin, m->err) && make(m, work);
    m->d->files = origin.files;
    arena_close(work);
    store_close(m->s);
    return fine;
}

/* ---- from a file ---- */

static char *path_of(struct arena *a, const struct experiment *e)
{
    return file_join(a, e->plan.results_dir, "report.json");
}

static bool from_file(struct maker *m)
{
    char *text, *path = path_of(m->a, m->e);
    size_t n;
    if (!file_read(m->a, path, 256 << 20, &text, &n, m->err) || !document_json_read(m->a, text, n, path, m->d, m->err))
        return false;
    const struct origin origin = {arena_printf(m->a, "'%s' is", path), m->d->hash, m->d->target, m->d->target_settings,
                                  m->d->files};
    return same_hash(m->a, m->e, &origin, m->err);
}

/* The arm's label; of several k that of the largest. */
static const char *headline_arm(const struct document *d, const char *name)
{
    const char *label = "";
    double most = -1;
    for (int i = 0; name && *name && i < document_rows(d, TABLE_MEANS); i++) {
        const char *arm = document_text_at(d, TABLE_MEANS, i, COL_ARM);
        double k = document_number_at(d, TABLE_MEANS, i, COL_K);
        size_t n = strlen(name);
        if (strncmp(arm, name, n) == 0 && (!arm[n] || (arm[n] == '-' && k > 0 && atof(arm + n + 1) == k)) &&
            !(k <= most)) {
            label = arm;
            most = k;
        }
    }
    return label;
}

bool document_exists(struct arena *a, const struct experiment *e)
{
    return store_exists(e->plan.results_dir) || file_exists(path_of(a, e));
}

bool document_read(struct arena *a, const struct experiment *e, const char *folder, struct document *out,
                   struct err *err)
{
    struct maker m = {.a = a, .e = e, .d = out, .selection = selection_find(e->report), .err = err};
    if (!document_exists(a, e)) {
        err->code = EXIT_INCONCLUSIVE;
        return err_set(err, "nothing is measured yet in '%s': start with `raingauge run %s%s%s`", e->plan.results_dir,
                       e->stem, *e->tier ? " --tier " : "", e->tier);
    }
    if (!(store_exists(e->plan.results_dir) ? from_records(&m, folder) : from_file(&m)))
        return false;
    out->budget = experiment_budgets[e->budget];
    out->headline_arm = headline_arm(out, e->headline);
    if (!str_eq(e->file, file_join(a, folder, arena_printf(a, "%s.yaml", e->stem))))
        out->asked = e->file;
    out->answer = report_summary_answer(out, e);
    out->answer_rule = report_summary_rule(out->a, e);
    report_summary_fill(out);
    return true;
}

bool document_head_read(struct arena *a, const char *dir, struct document *out, struct err *err)
{
    struct store *s;
    size_t n;
    char *text, *path = file_join(a, dir, "report.json");
    if (!store_exists(dir) && !file_exists(path))
        return err_set(err, "no results in '%s': it has neither records.db nor report.json", dir);
    if (!store_exists(dir))
        return file_read(a, path, 256 << 20, &text, &n, err) && document_json_read(a, text, n, path, out, err);
    if (!store_open_read(dir, &s, err))
        return false;
    const struct store_campaign *c = store_campaign(s);
    *out = (struct document){.a = a,
                             .experiment = arena_str(a, c->stem),
                             .tier = arena_str(a, c->tier),
                             .machine = arena_str(a, c->machine),
                             .target = arena_str(a, c->target),
                             .target_settings = arena_str(a, c->target_settings)};
    store_close(s);
    return true;
}
