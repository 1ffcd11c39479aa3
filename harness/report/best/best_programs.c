/* SPDX-License-Identifier: Apache-2.0 */
/* programs: of what was re-timed the fastest by that; where nothing was, the fastest as tuned. */
#include "harness/report/best/best_programs.h"

#include "harness/base/vec.h"

#include <math.h>
#include <string.h>

enum { SURE_YES, SURE_TIED, SURE_ALONE, SURE_NOT };
const char *const best_program_words[] = {"yes", "tied", "alone", "not re-timed", NULL};

struct choice {
    int64_t trial;
    double tuned_s, retimed_s; /* NAN: was not */
};

static bool better(const struct choice *x, const struct choice *y)
{
    bool again = isfinite(x->retimed_s);
    if (again != isfinite(y->retimed_s))
        return again;
    return again ? x->retimed_s < y->retimed_s : x->tuned_s < y->tuned_s;
}

static void offer(const struct records *r, int64_t trial, double tuned_s, struct choice *best)
{
    struct choice c = {trial, tuned_s, records_retimed_s(r, trial)};
    if (trial && isfinite(tuned_s) && (!best->trial || better(&c, best)))
        *best = c;
}

/* Of a kernel, over all cells of its network: what each keeps, and whatever was re-timed. */
static struct choice choose(const struct records *r, const char *network, int task)
{
    struct choice best = {0};
    for (int i = 0; i < r->scan.ncells; i++) {
        const struct store_cell *c = &r->scan.cells[i];
        if (str_eq(c->network, network) && task < c->ntasks) {
            struct kept_program k = records_kept(r, i, task);
            offer(r, k.trial, k.s, &best);
        }
    }
    for (int i = 0; i < r->nretimed; i++) {
        const struct scan_trial *t = record_scan_trial(&r->scan, r->retimed[i].trial);
        if (t && t->cell >= 0 && t->task == task && str_eq(r->scan.cells[t->cell].network, network))
            offer(r, t->id, t->mean_s, &best);
    }
    return best;
}

/* The programs that were timed beside it: the fastest of them, and whether it can be told from it. */
static int judge(const struct records *r, struct kernel_best *w)
{
    const struct retimed_trial *own = records_retimed(r, w->trial), *next = NULL;
    uint64_t places = 0;
    if (!own || !isfinite(own->median))
        return SURE_NOT;
    double readings[RECORDS_LAUNCHES];
    w->launches = records_launches(r, w->trial, readings);
    for (int i = 0; i < r->nretimed; i++) {
        const struct retimed_trial *t = &r->retimed[i];
        if (t->duel != own->duel || t->place == own->place || !isfinite(t->median))
            continue;
        places |= 1ull << t->place;
        next = !next || t->median < next->median ? t : next;
    }
    w->rivals = __builtin_popcountll(places);
    if (!next)
        return SURE_ALONE;
    w->next = next->median / own->median;
    w->p = records_launches_p(r, w->trial, next->trial);
    return w->next > 1 && w->p < 0.05 ? SURE_YES : SURE_TIED;
}

/* What an arm's conditions change (struct conditions): "layout=1, threads=2, mcpu=x86-64, regime number=3". */
static void read_conditions(struct arena *a, const char *text, struct kernel_best *w)
{
    while (*text) {
        size_t n = strcspn(text, ",");
        const char *one = arena_strn(a, text, n);
        int64_t v = 0;
        if (str_starts(one, "layout=") && str_int(one + 7, &v))
            w->layout = (enum layout_mode)v;
        else if (str_starts(one, "threads=") && str_int(one + 8, &v))
            w->threads = (int)v;
        else if (!str_starts(one, "regime"))
            w->settings = arena_printf(a, "%s%s%s", w->settings, *w->settings ? "," : "", one);
        text += n;
        text += strspn(text, ", ");
    }
}

static bool fill(const struct records *r, const struct choice *best, double peak, struct kernel_best *w,
                 struct err *err)
{
    struct record rec;
    struct task *t;
    const struct store_campaign *campaign = store_campaign(r->s);
    if (!store_record(r->s, r->a, best->trial, &rec, err) || !task_parse(r->a, w->spec, &t, err))
        return false;
    const struct store_cell *cell = &r->scan.cells[rec.cell];
    double bytes = 0;
    for (int i = 0; i < t->nargs; i++)
        bytes += (double)(task_arg_elements(t, i) * dtype_bytes(task_arg_op(t, i)->dtype));
    w->arm = cell->arm;
    w->searcher = cell->searcher;
    w->seed = cell->seed;
    w->trial = best->trial;
    w->steps = rec.steps;
    w->tuned_s = best->tuned_s;
    w->retimed_s = best->retimed_s;
    w->seconds = isfinite(best->retimed_s) ? best->retimed_s : best->tuned_s;
    w->gflops = w->flops / w->seconds / 1e9;
    w->share_of_peak = w->flops / w->seconds / peak;
    w->flop_per_byte = w->flops / bytes;
    w->sure = best_program_words[judge(r, w)];
    w->settings = arena_str(r->a, campaign->target_settings);
    w->threads = campaign->threads;
    w->layout = campaign->layout;
    read_conditions(r->a, cell->conditions, w);
    return true;
}

bool best_programs_read(struct arena *a, struct store *s, const char *network, struct kernel_best **out, int *n,
                        struct err *err)
{
    struct records r;
    double peak;
    VEC(struct kernel_best) list = {0};
    bool fine = records_read(a, s, &r, err) && duel_peak(s, &peak, err);
    for (int i = 0; fine && i < r.scan.ncells; i++) {
        const struct store_cell *c = &r.scan.cells[i];
        bool met = network && !str_eq(network, c->network);
        for (int k = 0; k < i && !met; k++)
            met = str_eq(r.scan.cells[k].network, c->network);
        for (int k = 0; k < c->ntasks && !met && fine; k++) {
            struct choice best = choose(&r, c->network, k);
            struct kernel_best w = {.network = c->network,
                                    .name = c->tasks[k].name,
                                    .spec = c->tasks[k].spec,
                                    .kernel = k,
                                    .calls = c->tasks[k].weight,
                                    .flops = c->tasks[k].flops,
                                    .next = NAN,
                                    .p = NAN};
            if (!best.trial)
                continue;
            fine = fill(&r, &best, peak, &w, err);
            vec_push(&list, w);
        }
    }
    vec_keep(a, &list, out, n);
    return fine;
}
