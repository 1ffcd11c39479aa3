/* SPDX-License-Identifier: Apache-2.0 */
/* replay: records are read and applied in this process and measured in batches, so that builds run side by side. A
 * batch holds records of any kernels but of one layout mode, which a measurer has for good; rows come out in the file's
 * order.
 *
 * When measuring itself breaks (a reference that cannot be computed), the record at hand is blamed, the measurer is
 * opened anew, and the rest goes on. */
#include "harness/cli/replay.h"

#include "harness/base/file.h"
#include "harness/base/log.h"
#include "harness/base/vec.h"
#include "harness/experiment/network.h"
#include "harness/measure/measure.h"
#include "harness/program/lower/gpu_verify.h"
#include "harness/program/lower/lower.h"
#include "harness/record/tvm/record_task.h"
#include "harness/tune/interrupt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH_MOST = 64 };

struct item { /* one record on its way */
    struct arena *arena;
    struct tvm_log_entry e;
    struct task *task;
    struct state *state;
    bool gpu;
    bool measurable; /* its steps applied, and this machine can run it */
    struct replay_row row;
    struct err why;
    struct candidate c;
};

struct replay {
    const struct replay_options *o;
    struct record_task *identity;
    struct measurer *m;
    struct limits limits; /* of m's target */
    int layout;           /* of m and of the batch */
    struct item items[BATCH_MOST];
    int n, shown; /* of items */
    int total;
    bool (*row)(void *ctx, const struct replay_row *r);
    void *ctx;
    bool go_on;
    struct replay_sums *sums;
};

/* Applying -------------------------------------------------------------------------------------------------------- */

static bool is_gpu(const struct state *s)
{
    for (int i = 0; i < s->nstages; i++)
        for (int k = 0; k < s->stages[i].nleaf; k++)
            if (stage_iter(&s->stages[i], k)->annotation >= ANN_VTHREAD)
                return true;
    return false;
}

/* One kernel the record may be of. */
static bool try_spec(const struct replay *r, struct item *it, const char *spec, struct err *err)
{
    struct nest *nest;
    if (!task_parse(it->arena, spec, &it->task, err)) {
        it->task = NULL;
        return false;
    }
    if (!record_task_apply(it->arena, it->task, &it->e, &it->state, err))
        return false;
    it->gpu = is_gpu(it->state);
    enum layout_mode mode = it->gpu                         ? LAYOUT_NONE
                            : r->o->layout == LAYOUT_RECORD ? (enum layout_mode)it->e.layout
                                                            : (enum layout_mode)r->o->layout;
    it->e.layout = (int)mode;
    if (!lower(it->arena, it->state, mode, &nest, err))
        return false;
    return nest_check(nest, err) || err_context(err, "the nest is not sound");
}

static bool identify_and_apply(struct replay *r, struct item *it)
{
    struct found_task found;
    if (!record_task_find(r->identity, &it->e, &found, &it->why))
        return false;
    int layout = it->e.layout;
    for (int i = 0; i < found.n; i++) {
        struct err why = {0};
        it->e.layout = layout;
        if (try_spec(r, it, found.specs[i], &why)) {
            it->row.guessed = !found.certain;
            return true;
        }
        if (i == 0) { /* the likely one's reason is reported */
            it->why = why;
            it->row.kernel = it->task ? it->task->name : NULL;
            it->row.fate = it->task ? REPLAY_MISFIT : REPLAY_REFUSED;
        }
    }
    if (found.n > 1)
        err_context(&it->why, "the steps apply to none of %d kernels with these shapes; the likely one", found.n);
    return false;
}

static bool fits_measuring(const struct item *it, struct err *err)
{
    if (it->task->flops > REPLAY_FLOP)
        return err_set(err, "the kernel has %.3g FLOP, at most %.3g are measured", it->task->flops, REPLAY_FLOP);
    return true;
}

/* Whether the target that is open can hold the program. */
static bool fits_target(const struct replay *r, struct item *it, struct err *err)
{
    struct nest *nest;
    if (it->gpu && !r->limits.is_gpu)
        return err_set(err, "the schedule is for a GPU, target '%s' is none", r->o->target->name);
    if (!it->gpu && r->limits.is_gpu)
        return err_set(err, "the schedule is for a CPU, target '%s' is a GPU", r->o->target->name);
    return !it->gpu || (lower(it->arena, it->state, LAYOUT_NONE, &nest, err) && gpu_verify(nest, &r->limits, err));
}

struct limits replay_hardware(const struct tvm_log_entry *e)
{
    const int64_t *hw = e->hw;
    return (struct limits){.cores = hw[0],
                           .vector_bytes = hw[1],
                           .cache_line = hw[2],
                           .shared_bytes = hw[3],
                           .local_bytes = hw[4],
                           .threads_per_block = hw[5],
                           .vthread_extent = hw[6],
                           .warp_size = hw[7],
                           .is_gpu = hw[5] > 0};
}

/* Fills the item from a record that was read; true: it is to be measured. */
static bool take(struct replay *r, struct item *it)
{
    it->row.fate = REPLAY_REFUSED;
    if (!identify_and_apply(r, it))
        return false;
    it->row.kernel = it->task->name;
    it->row.fate = REPLAY_APPLIED;
    it->row.state = it->state;
    it->row.gpu = it->gpu;
    it->row.limits = it->e.hw[5] > 0 ? replay_hardware(&it->e) : limits_cuda(); /* as of data/tvm_oracle */
    if (r->o->dry)
        return false;
    it->c = (struct candidate){
        .task = it->task, .steps = it->e.steps, .nsteps = it->e.nsteps, .hash = state_hash(it->state), .score = NAN};
    it->row.fate = REPLAY_FAILED;
    return fits_measuring(it, &it->why);
}

/* Rows ------------------------------------------------------------------------------------------------------------ */

static double recorded(const struct tvm_log_entry *e)
{
    struct sample s;
    tvm_log_sample(e, &s);
    double mean = sample_mean(&s);
    return e->measured && isfinite(mean) ? mean : NAN;
}

static void show(struct replay *r, struct item *it)
{
    struct replay_row *row = &it->row;
    row->index = it->e.index;
    row->line = it->e.line;
    row->id = it->e.id;
    row->reason = it->why.text;
    row->column = it->why.column;
    row->theirs_s = recorded(&it->e);
    if (row->fate != REPLAY_RIGHT)
        row->ours_s = row->fastest_s = NAN;
    r->sums->records++;
    r->sums->applied += row->fate >= REPLAY_FAILED;
    r->sums->right += row->fate == REPLAY_RIGHT;
    r->sums->guessed += row->guessed;
    r->sums->left = r->total - r->sums->records;
    r->go_on = r->row(r->ctx, row) && r->go_on;
    progress_at(r->sums->records, "%d right", r->o->dry ? r->sums->applied : r->sums->right);
    arena_close(it->arena);
    it->arena = NULL;
}

/* Rows of the items before number end that were not shown yet. */
static void show_until(struct replay *r, int end)
{
    while (r->shown < end)
        show(r, &r->items[r->shown++]);
}

/* Measuring ------------------------------------------------------------------------------------------------------- */

struct batch {
    struct replay *r;
    int of[BATCH_MOST]; /* item of candidate */
    struct candidate c[BATCH_MOST];
    struct sample samples[BATCH_MOST];
    int n, done;
};

static bool measured(void *ctx, int i, const struct sample *s)
{
    struct batch *b = ctx;
    struct item *it = &b->r->items[b->of[b->done + i]];
    if (s->outcome == OUTCOME_OK) {
        it->row.fate = REPLAY_RIGHT;
        it->row.ours_s = s->nseconds ? sample_mean(s) : NAN;
        it->row.fastest_s = s->nseconds ? INFINITY : NAN;
        for (int k = 0; k < s->nseconds; k++)
            it->row.fastest_s = fmin(it->row.fastest_s, s->seconds[k]);
    } else {
        err_set(&it->why, "%s%s%s", outcome_word(s->outcome), *s->message ? ": " : "", s->message);
    }
    show_until(b->r, b->of[b->done + i] + 1);
    return b->r->go_on && !interrupt_asked();
}

static bool open_measurer(struct replay *r, struct err *err)
{
    struct measure_options o = {.target = r->o->target,
                                .target_settings = r->o->target_settings,
                                .regime = r->o->regime,
                                .threads = r->o->threads,
                                .layout = (enum layout_mode)r->layout,
                                .verify_only = r->o->verify_only,
                                .seed = 1,
                                .faults = ""};
    if (r->m || measure_open(&o, &r->m, &r->limits, err))
        return true;
    err->code = EXIT_INVALID;
    return false;
}

static void close_measurer(struct replay *r)
{
    measure_close(r->m);
    r->m = NULL;
}

static bool measure_some(struct replay *r, struct batch *b, struct err *err)
{
    while (b->done < b->n && r->go_on && !interrupt_asked()) {
        struct phases phases;
        struct err why = {0};
        phases_start(&phases);
        if (!open_measurer(r, err))
            return false;
        struct measured_batch rest = {.candidates = b->c + b->done,
                                      .n = b->n - b->done,
                                      .samples = b->samples,
                                      .done = measured,
                                      .ctx = b,
                                      .phases = &phases};
        bool fine = measure_batch(r->m, &rest, &why);
        b->done += rest.measured;
        if (fine)
            continue;
        close_measurer(r);
        if (b->done < b->n) {
            r->items[b->of[b->done]].why = why;
            show_until(r, b->of[b->done++] + 1);
        }
    }
    return true;
}

static void drop_rest(struct replay *r)
{
    for (int i = r->shown; i < r->n; i++)
        arena_close(r->items[i].arena);
    r->n = r->shown = 0;
}

/* Measures what is gathered and shows it all; what a stop left unmeasured is not shown. */
static bool flush(struct replay *r, struct err *err)
{
    struct batch b = {.r = r};
    for (int i = 0; i < r->n; i++)
        if (r->items[i].measurable) {
            b.of[b.n] = i;
            b.c[b.n++] = r->items[i].c;
        }
    bool fine = measure_some(r, &b, err);
    show_until(r, fine && b.done == b.n ? r->n : r->shown);
    drop_rest(r);
    return fine;
}

/* The file -------------------------------------------------------------------------------------------------------- */

/* Opens a measurer of the record's layout, once what waits for another one is measured. */
static bool prepare(struct replay *r, const struct item *it, struct err *err)
{
    if (it->e.layout == r->layout && r->m)
        return true;
    if (!flush(r, err))
        return false;
    close_measurer(r);
    r->layout = it->e.layout;
    return open_measurer(r, err);
}

static bool replay_file(struct replay *r, struct tvm_log_file *f, int size, struct err *err)
{
    int gathered = 0;
    while (r->go_on && !interrupt_asked()) {
        struct item it = {.arena = arena_open("record")};
        enum tvm_log_line kind = tvm_log_next(f, it.arena, &it.e, &it.why);
        if (kind == TVM_LOG_END || kind == TVM_LOG_UNREADABLE) {
            arena_close(it.arena);
            return flush(r, err) && (kind == TVM_LOG_END || err_set(err, "%s", it.why.text));
        }
        it.measurable = kind == TVM_LOG_RECORD && take(r, &it);
        if (it.measurable && !prepare(r, &it, err)) {
            arena_close(it.arena);
            return false;
        }
        it.measurable = it.measurable && fits_target(r, &it, &it.why);
        gathered = r->n ? gathered : 0;
        r->items[r->n++] = it;
        gathered += it.measurable;
        if (gathered < size && r->n < BATCH_MOST && !r->o->dry)
            continue;
        if (!flush(r, err))
            return false;
        gathered = 0;
    }
    drop_rest(r);
    return true;
}

void replay_foretell(const struct regime *g, bool quick, double n, char out[static 64])
{
    double one = 0.15 + (double)g->repeat * (0.1 + 1.3e-3 * (g->min_repeat_ms + g->cooldown_ms));
    clock_format(quick ? 1e-3 * n : one * n + 1, out, 64);
}

bool replay_run(const struct replay_options *o, bool (*row)(void *ctx, const struct replay_row *r), void *ctx,
                struct replay_sums *sums, struct err *err)
{
    struct tvm_log_file *f;
    char left[64];
    *sums = (struct replay_sums){0};
    if (!tvm_log_open(o->file, &f, err))
        return false;
    if (!tvm_log_looks(o->file, err)) {
        tvm_log_close(f);
        return false;
    }
    struct arena *a = arena_open("replay");
    struct replay *r = ARENA_NEW(a, struct replay);
    *r = (struct replay){.o = o, .row = row, .ctx = ctx, .go_on = true, .sums = sums, .layout = -1};
    bool fine = tvm_log_count(f, &r->total, err);
    if (fine) {
        sums->left = r->total;
        replay_foretell(&o->regime, o->dry, r->total, left);
        log_info("replay: %d records of %s: about %s", r->total, o->file, left);
        interrupt_install();
        progress_begin("replay", r->total);
        r->identity = record_task_open(o->known, o->nknown, o->task);
        fine = replay_file(r, f, 8, err);
        if (fine && interrupt_asked()) {
            err->code = EXIT_INTERRUPTED;
            fine = err_set(err, "stopped after %d of %d records", sums->records, r->total);
        }
        record_task_close(r->identity);
        close_measurer(r);
        progress_end();
        interrupt_restore();
    }
    arena_close(a);
    tvm_log_close(f);
    return fine;
}

void replay_know_networks(struct cli *c, struct replay_options *o)
{
    char **names;
    int n = 0;
    VEC(const char *) specs = {0};
    struct err ignored = {0};
    const char *dir = file_join(c->arena, c->folder, "networks");
    if (!file_list(c->arena, dir, ".yaml", &names, &n, &ignored))
        n = 0;
    for (int i = 0; i < n; i++) {
        struct network *net;
        if (!network_load(c->arena, c->folder, names[i], &net, &ignored))
            continue;
        for (int k = 0; k < net->nkernels; k++)
            vec_push(&specs, net->tasks[k].task->spec);
    }
    const char **known = ARENA_ARRAY(c->arena, const char *, specs.n + 1);
    for (int i = 0; i < specs.n; i++)
        known[i] = specs.at[i];
    o->known = known;
    o->nknown = specs.n;
    vec_free(&specs);
}
