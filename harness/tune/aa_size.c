/* SPDX-License-Identifier: Apache-2.0 */
/* aa_size: from the expected seconds of a reading. */
#include "harness/tune/aa_size.h"

#include "harness/base/text.h"
#include "harness/record/aa_test.h"
#include "harness/tune/forecast.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_flops(const void *x, const void *y)
{
    const struct task *a = (*(const struct plan_task *const *)x)->task,
                      *b = (*(const struct plan_task *const *)y)->task;
    if (a->flops != b->flops)
        return a->flops < b->flops ? -1 : 1;
    return strcmp(a->spec, b->spec);
}

/* Cells of one network share its list. */
static bool seen_before(const struct plan *p, int cell)
{
    for (int i = 0; i < cell; i++)
        if (p->cells[i].tasks == p->cells[cell].tasks)
            return true;
    return false;
}

struct aa_kernels aa_kernels_of(struct arena *a, const struct plan *p)
{
    struct aa_kernels out = {0};
    int most = 0;
    for (int i = 0; i < p->ncells; i++)
        most += p->cells[i].ntasks;
    out.at = ARENA_ARRAY(a, const struct plan_task *, most + 1);
    for (int i = 0; i < p->ncells; i++)
        for (int t = 0; t < p->cells[i].ntasks && !seen_before(p, i); t++) {
            bool known = false;
            for (int k = 0; k < out.n && !known; k++)
                known = str_eq(out.at[k]->task->spec, p->cells[i].tasks[t].task->spec);
            if (!known)
                out.at[out.n++] = &p->cells[i].tasks[t];
        }
    qsort((void *)out.at, (size_t)out.n, sizeof *out.at, by_flops);
    return out;
}

static int count_kernels(const struct plan *p)
{
    struct arena *a = arena_open("kernels");
    int n = aa_kernels_of(a, p).n;
    arena_close(a);
    return n;
}

/* Expected seconds of the slowest cell's mean reading, and of the mean over the cells. */
static double slowest_reading(const struct plan *p)
{
    double s = 1e-9;
    for (int i = 0; i < p->ncells; i++)
        s = fmax(s, forecast_reading(p, &p->cells[i]));
    return s;
}

static double mean_reading(const struct plan *p)
{
    double s = 0;
    for (int i = 0; i < p->ncells; i++)
        s += forecast_reading(p, &p->cells[i]) / p->ncells;
    return s;
}

static int between(double v, int least, int most)
{
    return v < least ? least : v > most ? most : (int)v;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

struct aa_size aa_size_of(const struct plan *p)
{
    struct aa_size out = {0};
    int kernels = count_kernels(p), least = smaller(p->launches, AA_LAUNCHES), most = smaller(kernels, AA_SIZE_MOST);
    if (p->launches < 1 || kernels < 1)
        return out;
    double reading_s = slowest_reading(p);
    out.programs = between(AA_STAGE_S / (AA_ARMS * least * reading_s), smaller(most, AA_SIZE_LEAST), most);
    out.launches = between(AA_STAGE_S / (AA_ARMS * out.programs * reading_s), least,
                           smaller(kernels * p->launches / out.programs, AA_LAUNCHES));
    /* A draw costs as much as a reading, and the first of a kernel its reference. */
    int readings = 2 * AA_ARMS * out.launches + AA_SIZE_DRAWS;
    out.seconds = out.programs * (readings * mean_reading(p) + FORECAST_REFERENCE_S);
    return out;
}
