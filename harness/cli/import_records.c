/* SPDX-License-Identifier: Apache-2.0 */
/* import_records: the files are read twice. First each record's kernel and program are found, and what makes it no part
 * of the campaign; of a record only those two are kept, so memory does not grow with steps. Then the records are
 * written beside the results folder, which gets its name when it is whole. */
#include "harness/cli/import_records.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/base/hash.h"
#include "harness/base/log.h"
#include "harness/base/map.h"
#include "harness/base/vec.h"
#include "harness/cli/record_source.h"
#include "harness/experiment/experiment.h"
#include "harness/import/imported.h"
#include "harness/record/store_file.h"
#include "harness/record/tvm/tvm_export.h"
#include "harness/tune/cell.h"
#include "revision.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { WARNED_MOST = 40, ROUND_MOST = 64 };

struct placed { /* a record */
    int kernel; /* -1: refused */
    uint64_t hash;
};
struct import_job {
    struct cli *c;
    const struct import_records_options *o;
    struct import_sums *sums;
    struct arena *a, *scratch;
    int warned;
    struct network **networks; /* that are known */
    int nnetworks;
    struct record_task *identity;
    struct map by_key;          /* hash of a workload key, to its kernel */
    struct tvm_log_entry first; /* what all lines must have in common */
    VEC(struct import_kernel) kernels;
    VEC(struct import_arm) arms;
    VEC(struct import_unknown) unknown;
    VEC(struct placed) placed; /* of all files, one after the other */
    const char *path, *part;   /* experiment; folder that is being written */
    struct experiment *e;
    struct store *s;
};

/* ---- which kernel, which program ---- */

/* No kernel has this workload key: counted by key, so that a kernel of many records is named once. */
static bool unknown_kernel(struct import_job *j, const char *key, struct err *err)
{
    int i = 0;
    while (i < j->unknown.n && !str_eq(j->unknown.at[i].key, key))
        i++;
    if (i == j->unknown.n)
        vec_push(&j->unknown, (struct import_unknown){.key = arena_str(j->c->arena, key)});
    j->sums->unknown++;
    if (j->unknown.at[i].records++)
        err->text[0] = 0; /* it has been said */
    return false;
}

/* The first kernel that the key may be of and that the steps apply to. */
static bool new_kernel(struct import_job *j, const struct tvm_log_entry *e, bool traced, struct err *err)
{
    struct found_task found;
    if (!record_task_find(j->identity, e, &found, err)) {
        if (!j->o->task)
            return unknown_kernel(j, e->workload_key, err);
        found = (struct found_task){.specs = &j->o->task, .n = 1, .certain = true};
        *err = (struct err){0};
    }
    for (int i = 0; i < found.n; i++) {
        struct err why = {0};
        struct task *t;
        struct state *s;
        if (!task_parse(j->a, found.specs[i], &t, &why) || !record_task_apply(j->scratch, t, e, &s, &why)) {
            if (i == 0)
                *err = why;
            continue;
        }
        for (int k = 0; k < j->kernels.n; k++)
            if (str_eq(j->kernels.at[k].spec, t->spec))
                return err_set(err, "its kernel is there under the workload key %s: import it by itself",
                               j->kernels.at[k].key);
        map_put(&j->by_key, hash_str(e->workload_key), (uint64_t)j->kernels.n);
        vec_push(&j->kernels, (struct import_kernel){arena_str(j->a, e->workload_key), t->spec, t->name, 1, 0,
                                                     !found.certain, traced, t});
        return true;
    }
    return false;
}

static bool same_origin(const struct tvm_log_entry *x, const struct tvm_log_entry *y, struct err *err)
{
    bool same = (x->layout == y->layout || x->layout < 0 || y->layout < 0) && str_eq(x->host, y->host) &&
                memcmp(x->hw, y->hw, sizeof x->hw) == 0 &&
                str_eq(x->inputs ? x->inputs : "", y->inputs ? y->inputs : "");
    if (!str_eq(x->target, y->target))
        return err_set(err, "of target '%s', the first record is of '%s': import it by itself", y->target, x->target);
    return same || err_set(err, "of another layout mode, host or hardware than the first record: import it by itself");
}

static bool place(struct import_job *j, const struct tvm_log_entry *e, bool traced, struct placed *out, struct err *err)
{
    uint64_t at;
    struct state *s;
    if (!e->measured)
        return err_set(err, "it holds no result: a schedule only");
    if (j->first.target && !same_origin(&j->first, e, err))
        return false;
    bool known = map_get(&j->by_key, hash_str(e->workload_key), &at);
    if (!known && !new_kernel(j, e, traced, err))
        return false;
    struct import_kernel *k = &j->kernels.at[known ? (int)at : j->kernels.n - 1];
    if (!record_task_apply(j->scratch, k->task, e, &s, err))
        return err_context(err, "kernel '%s'", k->name);
    if (!j->first.target) {
        j->first = *e;
        j->first.target = arena_str(j->a, e->target);
        j->first.host = arena_str(j->a, e->host);
        j->first.inputs = arena_str(j->a, e->inputs);
    }
    if (j->first.layout < 0)
        j->first.layout = e->layout;
    k->records++;
    *out = (struct placed){(int)(k - j->kernels.at), state_hash(s)};
    return true;
}

static void refuse(struct import_job *j, const char *file, int line, struct err *why)
{
    j->sums->refused++;
    if (!why->text[0] || j->warned++ >= WARNED_MOST)
        return;
    err_in_line(why, file, line);
    log_warn("%s%s", why->text, j->warned == WARNED_MOST ? "; further ones are only counted" : "");
}

static bool read_file(struct import_job *j, struct import_arm *arm, struct err *err)
{
    struct record_source f;
    struct tvm_log_entry e;
    enum tvm_log_line kind;
    struct err why = {0};
    bool unknown;
    if (!record_source_open(arm->file, j->identity, j->o->task, &f, err))
        return false;
    while ((kind = record_source_next(&f, j->scratch, &e, &unknown, &why)) == TVM_LOG_RECORD ||
           kind == TVM_LOG_REFUSED) {
        struct placed p = {.kernel = -1};
        j->sums->records++;
        j->sums->traces += f.traces != NULL;
        j->sums->mapped += f.traces && kind == TVM_LOG_RECORD;
        if (unknown)
            (void)unknown_kernel(j, e.workload_key, &why);
        if (kind == TVM_LOG_REFUSED || !place(j, &e, f.traces != NULL, &p, &why)) {
            refuse(j, arm->file, e.line, &why);
        } else {
            struct sample s;
            tvm_log_sample(&e, &s);
            arm->records++;
            arm->valid += s.outcome == OUTCOME_OK;
            if (!(arm->best_s > 0) || sample_mean(&s) < arm->best_s)
                arm->best_s = sample_mean(&s);
        }
        vec_push(&j->placed, p);
        arena_reset(j->scratch);
        why = (struct err){0};
    }
    record_source_close(&f);
    return kind == TVM_LOG_END ||
           err_set(err, "%s", why.text); /* a file without a record is refused by the experiment: no trials */
}

/* ---- names ---- */

/* Networks and their kernels, which are asked first for a workload key. */
static void know_networks(struct import_job *j)
{
    struct err ignored = {0};
    char **names;
    int n = 0, nknown = 0;
    if (!file_list(j->a, file_join(j->a, j->c->folder, "networks"), ".yaml", &names, &n, &ignored))
        n = 0;
    j->networks = ARENA_ARRAY(j->a, struct network *, n);
    for (int i = 0; i < n; i++)
        if (!str_eq(names[i], j->o->name) &&
            network_load(j->a, j->c->folder, names[i], &j->networks[j->nnetworks], &ignored))
            nknown += j->networks[j->nnetworks++]->nkernels;
    const char **known = ARENA_ARRAY(j->a, const char *, nknown);
    nknown = 0;
    for (int i = 0; i < j->nnetworks; i++)
        for (int k = 0; k < j->networks[i]->nkernels; k++)
            known[nknown++] = j->networks[i]->tasks[k].task->spec;
    j->identity = record_task_open(known, nknown, NULL);
}

static const struct plan_task *kernel_in(const struct network *n, const char *spec)
{
    for (int i = 0; i < n->nkernels; i++)
        if (str_eq(n->tasks[i].task->spec, spec))
            return &n->tasks[i];
    return NULL;
}

/* The smallest network that has all kernels gives their calls. One kernel alone is no network. */
static void name_network(struct import_job *j)
{
    const struct network *best = NULL;
    for (int i = 0; i < j->nnetworks && j->kernels.n > 1; i++) {
        int k = 0;
        while (k < j->kernels.n && kernel_in(j->networks[i], j->kernels.at[k].spec))
            k++;
        if (k == j->kernels.n && (!best || j->networks[i]->nkernels < best->nkernels))
            best = j->networks[i];
    }
    for (int k = 0; best && k < j->kernels.n; k++)
        j->kernels.at[k].weight = kernel_in(best, j->kernels.at[k].spec)->weight;
    j->sums->network = best ? arena_str(j->c->arena, best->name) : NULL;
}

/* An arm is named after its log: "a/b c.json.gz" is b_c. */
static bool name_arms(struct import_job *j, struct err *err)
{
    for (int i = 0; i < j->o->nfiles; i++) {
        char *name = file_stem(j->c->arena, metaschedule_title(j->a, j->o->files[i]));
        name[strcspn(name, ".")] = 0;
        for (char *p = name; *p; p++)
            *p = isalnum((unsigned char)*p) || (*p == '-' && p > name) ? *p : '_';
        for (int k = 0; k < i; k++)
            if (str_eq(j->arms.at[k].name, name))
                return err_set(err, "'%s' and '%s' would both be arm '%s': rename one of the files", j->arms.at[k].file,
                               j->o->files[i], name);
        vec_push(&j->arms, (struct import_arm){.name = name, .file = j->o->files[i]});
    }
    return true;
}

/* ---- files ---- */

static bool write_network(struct import_job *j, struct err *err)
{
    struct text t = {0};
    double calls = 0;
    for (int i = 0; i < j->kernels.n; i++)
        calls += j->kernels.at[i].weight;
    text_printf(&t, "# SPDX-License-Identifier: Apache-2.0\n%s from record files of TVM. Calls: %s%s.\n", IMPORTED_HEAD,
                j->sums->network ? "those of network " : "no network here has all these kernels, each counts once",
                j->sums->network ? j->sums->network : "");
    text_printf(&t, "name: %s\nkernels: %d\ncalls: %g\nlist:\n", j->o->name, j->kernels.n, calls);
    for (int i = 0; i < j->kernels.n; i++)
        text_printf(&t, "  - {count: %g, %s}\n", j->kernels.at[i].weight, imported_words(j->a, j->kernels.at[i].spec));
    bool fine = file_write(j->sums->network_file, text_str(&t), t.len, err);
    text_free(&t);
    return fine;
}

static bool write_experiment(struct import_job *j, struct err *err)
{
    struct text t = {0};
    text_printf(&t, "# SPDX-License-Identifier: Apache-2.0\n%s: its records came from files and are not to be run.\n",
                IMPORTED_HEAD);
    text_printf(&t, "experiment: %s\ntitle: imported records of TVM\nreport: race\n", j->o->name);
    text_printf(&t, "machine: %s\ntarget: imported\nthreads: %lld\nnetworks: [%s]\nlayout: %d\narms:\n", j->o->machine,
                j->first.hw[0] > 0 ? (long long)j->first.hw[0] : 0, j->o->name, j->first.layout);
    for (int i = 0; i < j->arms.n; i++)
        text_printf(&t, "  - {name: %s, searcher: imported, scheduler: sequential, batch: %d, trials: %lld} # %s\n",
                    j->arms.at[i].name, ROUND_MOST, (long long)j->arms.at[i].records, file_name(j->arms.at[i].file));
    bool fine = file_write(j->path, text_str(&t), t.len, err);
    text_free(&t);
    return fine;
}

/* Only what was imported is written anew, and no records ever are. */
static bool may_write(struct import_job *j, struct err *err)
{
    const char *const paths[] = {j->path, j->sums->network_file};
    for (int i = 0; i < 2; i++) {
        char *old;
        size_t n;
        if (file_exists(paths[i]) && (!file_read(j->a, paths[i], 0, &old, &n, err) || !strstr(old, IMPORTED_HEAD)))
            return err->text[0] ? false
                                : err_set(err, "'%s' is there and was not imported: choose another --name", paths[i]);
    }
    return !file_exists(j->sums->results) ||
           err_set(err, "'%s' is there: remove it, or choose another --name", j->sums->results);
}

/* ---- records ---- */

static const char *origin_text(struct import_job *j)
{
    struct text t = {0};
    cJSON *o = json_object(), *files = json_put_array(o, "files");
    for (int i = 0; i < j->arms.n; i++)
        json_put_str(files, NULL, file_name(j->arms.at[i].file));
    json_put_str(o, "target", j->first.target);
    json_put_str(o, "host", j->first.host);
    cJSON *hardware = json_put_array(o, "hardware");
    for (int i = 0; i < 8; i++)
        json_put_int(hardware, NULL, j->first.hw[i]);
    json_put_number(o, "layout", j->first.layout);
    json_put_str(o, "inputs", j->first.inputs);
    cJSON *keys = json_put_object(o, "keys");
    for (int i = 0; i < j->kernels.n; i++)
        if (!j->kernels.at[i].traced) /* auto_scheduler's key of such a kernel is what export makes */
            json_put_str(keys, j->kernels.at[i].spec, j->kernels.at[i].key);
    json_print(o, &t);
    return text_keep(&t, j->a);
}

struct cell_writer {
    int cell;
    int64_t trials, *of_kernel, *rounds_of; /* written so far */
    struct store_round round;               /* measured: its records so far; number -1: none yet */
    double clock_s;
};

static bool end_round(struct import_job *j, struct cell_writer *w, struct err *err)
{
    const struct store_spent spent = {.end_s = w->clock_s};
    return w->round.measured == 0 ||
           (store_trials_end(j->s, true, err) && store_round_end(j->s, w->cell, w->round.number, &spent, err));
}

/* Records of one kernel in a row are a round, as TVM measures them. */
static bool put_record(struct import_job *j, struct cell_writer *w, const struct tvm_log_entry *e,
                       const struct placed *p, struct err *err)
{
    struct store_round *r = &w->round;
    if (r->measured == 0 || r->task != p->kernel || r->measured == ROUND_MOST) {
        if (!end_round(j, w, err))
            return false;
        *r = (struct store_round){.number = r->number + 1, .task = p->kernel, .begin_s = w->clock_s};
        r->task_round = (int)w->rounds_of[p->kernel]++;
        if (!store_round_begin(j->s, w->cell, r, err) || !store_trials_begin(j->s, err))
            return false;
    }
    struct record record = {.cell = w->cell,
                            .task = p->kernel,
                            .round = r->number,
                            .ordinal = w->trials++,
                            .task_ordinal = w->of_kernel[p->kernel]++,
                            .wall_s = e->all_cost_s,
                            .unix_s = (double)e->unix_s};
    const struct candidate c = {.steps = e->steps, .nsteps = e->nsteps, .hash = p->hash};
    tvm_log_sample(e, &record.sample);
    record.elapsed_s = w->clock_s += e->all_cost_s;
    r->measured++;
    return store_trial(j->s, &record, &c, err);
}

static bool end_cell(struct import_job *j, const struct cell_writer *w, const struct store_cell *cell, struct err *err)
{
    for (int i = 0; i < cell->ntasks; i++)
        if (!store_task_state(j->s, w->cell, i, &(struct store_task){.shared_cell = -1, .state = "done"}, err))
            return false;
    return store_cell_state(j->s, w->cell, "done", w->clock_s, 0, err);
}

static bool put_arm(struct import_job *j, int cell, const struct placed *placed, int *read, struct err *err)
{
    struct store_cell stored;
    struct record_source f;
    struct tvm_log_entry e;
    struct err why = {0};
    bool fine = true, unknown;
    struct cell_writer w = {.cell = cell, .round.number = -1};
    w.of_kernel = ARENA_ARRAY(j->a, int64_t, j->kernels.n);
    w.rounds_of = ARENA_ARRAY(j->a, int64_t, j->kernels.n);
    cell_stored(j->a, &j->e->plan, cell, &stored);
    if (!store_cell_put(j->s, cell, &stored, err) ||
        !record_source_open(j->arms.at[cell].file, j->identity, j->o->task, &f, err))
        return false;
    for (*read = 0; fine; ++*read) {
        enum tvm_log_line kind = record_source_next(&f, j->scratch, &e, &unknown, &why);
        if (kind == TVM_LOG_END || kind == TVM_LOG_UNREADABLE)
            break;
        if (kind == TVM_LOG_RECORD && placed[*read].kernel >= 0)
            fine = put_record(j, &w, &e, &placed[*read], err);
        arena_reset(j->scratch);
    }
    record_source_close(&f);
    if (fine && w.trials != j->arms.at[cell].records)
        fine = err_set(err, "%s changed while it was read", j->arms.at[cell].file);
    return fine && end_round(j, &w, err) && end_cell(j, &w, &stored, err);
}

static bool put_all(struct import_job *j, struct err *err)
{
    const struct plan *p = &j->e->plan;
    const struct store_campaign campaign = {.keys = p->keys,
                                            .experiment_hash = p->experiment_hash,
                                            .regime = "as imported",
                                            .is_virtual = true,
                                            .revision = RAINGAUGE_REVISION,
                                            .environment = "{}",
                                            .created_unix = clock_unix()};
    int at = 0, read = 0;
    if (!store_open(j->part, &campaign, STORE_NEW, &j->s, err))
        return false;
    bool fine = store_event(j->s, -1, -1, STORE_EVENT_IMPORTED, origin_text(j), 0, err);
    for (int i = 0; i < p->ncells && fine; i++, at += read)
        fine = put_arm(j, i, &j->placed.at[at], &read, err);
    store_close(j->s);
    return fine;
}

static bool write_all(struct import_job *j, struct err *err)
{
    const struct experiment_options of = {.folder = j->c->folder, .name = j->o->name};
    bool fine = write_network(j, err) && write_experiment(j, err) &&
                experiment_load(j->c->arena, j->c->registry, &of, &j->e, err);
    if (fine) {
        store_file_remove(j->part); /* of an import that was killed */
        fine = put_all(j, err);
        if (fine && rename(j->part, j->sums->results) != 0)
            fine = err_set(err, "cannot rename '%s' to '%s': %s", j->part, j->sums->results, strerror(errno));
        if (!fine)
            store_file_remove(j->part);
    }
    if (!fine) {
        (void)unlink(j->path);
        (void)unlink(j->sums->network_file);
    }
    return fine;
}

/* ---- the whole ---- */

static bool read_all(struct import_job *j, struct err *err)
{
    know_networks(j);
    for (int i = 0; i < j->arms.n; i++)
        if (!read_file(j, &j->arms.at[i], err))
            return false;
    for (int i = 0; i < j->unknown.n; i++)
        j->unknown.at[i].share = (double)j->unknown.at[i].records / (double)j->sums->records;
    for (int i = 0; i < j->arms.n; i++)
        if (!j->arms.at[i].records)
            return err_set(err, "%s: none of its records can be imported", j->arms.at[i].file);
    if (j->first.layout < 0)
        j->first.layout = 0; /* no weight is anywhere else */
    name_network(j);
    return true;
}

static void sum_up(struct import_job *j)
{
    struct import_sums *s = j->sums;
    int64_t guessed = 0;
    for (int i = 0; i < j->kernels.n; i++) {
        struct import_kernel *k = &j->kernels.at[i];
        guessed += k->guessed ? k->records : 0;
        k->key = arena_str(j->c->arena, k->key);
        k->spec = arena_str(j->c->arena, k->spec);
        k->name = arena_str(j->c->arena, k->name);
        k->task = NULL;
    }
    s->target = arena_str(j->c->arena, j->first.target);
    s->imported = s->records - s->refused;
    s->mapped_share = s->traces ? (double)s->mapped / (double)s->traces : NAN;
    s->guessed_share = (double)guessed / (double)s->records;
    vec_keep(j->c->arena, &j->kernels, &s->kernels, &s->nkernels);
    vec_keep(j->c->arena, &j->arms, &s->arms, &s->narms);
    vec_keep(j->c->arena, &j->unknown, &s->unknown_keys, &s->nunknown);
}

bool import_records(struct cli *c, const struct import_records_options *o, struct import_sums *out, struct err *err)
{
    struct import_job j = {
        .c = c, .o = o, .sums = out, .a = arena_open("import"), .scratch = arena_open("imported record")};
    *out = (struct import_sums){.experiment = o->name};
    out->network_file = arena_printf(c->arena, "%s/networks/%s.yaml", c->folder, o->name);
    out->results = arena_printf(c->arena, "results/%s", o->name);
    j.path = arena_printf(j.a, "%s/%s.yaml", c->folder, o->name);
    j.part = arena_printf(j.a, "%s.part", out->results);
    bool fine = may_write(&j, err) && name_arms(&j, err) && read_all(&j, err) && write_all(&j, err);
    if (fine)
        sum_up(&j);
    record_task_close(j.identity);
    map_free(&j.by_key);
    vec_free(&j.kernels);
    vec_free(&j.arms);
    vec_free(&j.placed);
    vec_free(&j.unknown);
    arena_close(j.scratch);
    arena_close(j.a);
    return fine;
}
