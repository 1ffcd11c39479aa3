/* SPDX-License-Identifier: Apache-2.0 */
/* examples: growing arrays, files that grow with their mappings, and batches of some examples side by side. */
#include "models/nn/examples.h"

#include "harness/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ROWS_FLOATS = 1 << 18 /* of a new file: whole pages */ };

void examples_open(struct examples *e, int ninputs, const int *width)
{
    *e = (struct examples){.ninputs = ninputs};
    for (int i = 0; i < ninputs; i++) {
        e->width[i] = width[i];
        vec_push(&e->in[i].first, 0);
    }
}

static int task_index(struct examples *e, uint64_t hash)
{
    for (int i = 0; i < e->tasks.n; i++)
        if (e->tasks.at[i].hash == hash)
            return i;
    vec_push(&e->tasks, (struct example_task){hash, INFINITY});
    return e->tasks.n - 1;
}

/* Room for n floats in all. */
static bool rows_room(struct example_input *in, int n, struct err *err)
{
    int cap = in->rows.cap ? in->rows.cap : ROWS_FLOATS;
    while (cap < n && cap <= INT_MAX / 2)
        cap *= 2;
    if (in->rows.cap >= n)
        return true;
    if (in->rows.cap == 0 && (in->file = file_unnamed(err)) < 0)
        return false;
    size_t had = sizeof(float) * (size_t)in->rows.cap, bytes = sizeof(float) * (size_t)cap;
    int why = cap < n ? EFBIG : posix_fallocate(in->file, 0, (off_t)bytes);
    void *at = why   ? MAP_FAILED
               : had ? mremap(in->rows.at, had, bytes, MREMAP_MAYMOVE)
                     : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, in->file, 0);
    if (at == MAP_FAILED)
        return err_set(err, "no room in a temporary file for features of measured programs: %s",
                       strerror(why ? why : errno));
    in->rows.at = at;
    in->rows.cap = cap;
    return true;
}

bool examples_add(struct examples *e, uint64_t task_hash, const struct example_inputs *shown, double cost,
                  struct err *err)
{
    for (int i = 0; i < e->ninputs; i++)
        if (!rows_room(&e->in[i], e->in[i].rows.n + shown->in[i].n * e->width[i], err))
            return false;
    int task = task_index(e, task_hash);
    cost = cost < EXAMPLE_FAILED ? cost : EXAMPLE_FAILED;
    for (int i = 0; i < e->ninputs; i++) {
        struct example_input *in = &e->in[i];
        int floats = shown->in[i].n * e->width[i];
        memcpy(in->rows.at + in->rows.n, shown->in[i].at, sizeof(float) * (size_t)floats);
        in->rows.n += floats;
        int end = vec_last(&in->first) + shown->in[i].n;
        vec_push(&in->first, end);
    }
    vec_push(&e->task, task);
    vec_push(&e->cost, cost);
    vec_push(&e->label, 0);
    return true;
}

void examples_unload(struct examples *e)
{
    for (int i = 0; i < e->ninputs; i++)
        if (e->in[i].rows.cap > 0)
            madvise(e->in[i].rows.at, sizeof(float) * (size_t)e->in[i].rows.cap, MADV_DONTNEED);
}

void examples_limit(struct examples *e, int n)
{
    e->task.n = e->cost.n = e->label.n = n;
    for (int i = 0; i < e->ninputs; i++) {
        e->in[i].first.n = n + 1;
        e->in[i].rows.n = e->in[i].first.at[n] * e->width[i];
    }
}

void examples_label(struct examples *e)
{
    for (int i = 0; i < e->tasks.n; i++)
        e->tasks.at[i].best = INFINITY;
    for (int i = 0; i < e->cost.n; i++) {
        double *best = &e->tasks.at[e->task.at[i]].best;
        *best = fmin(*best, e->cost.at[i]);
    }
    for (int i = 0; i < e->cost.n; i++) {
        double best = e->tasks.at[e->task.at[i]].best;
        e->label.at[i] = best < EXAMPLE_FAILED ? (float)(best / e->cost.at[i]) : 0;
    }
}

void examples_scales(const struct examples *e, struct net *n)
{
    for (int i = 0; i < e->ninputs; i++) {
        int width = e->width[i], rows = vec_last(&e->in[i].first);
        for (int k = 0; k < width; k++) {
            float most = 0;
            for (int r = 0; r < rows; r++)
                most = fmaxf(most, e->in[i].rows.at[(size_t)r * (size_t)width + (size_t)k]);
            n->scale[i][k] = most > 0 ? 1 / most : 1;
        }
    }
}

void examples_free(struct examples *e)
{
    for (int i = 0; i < NET_INPUTS; i++) {
        if (e->in[i].rows.cap > 0) {
            munmap(e->in[i].rows.at, sizeof(float) * (size_t)e->in[i].rows.cap);
            close(e->in[i].file);
        }
        vec_free(&e->in[i].first);
    }
    vec_free(&e->tasks);
    vec_free(&e->task);
    vec_free(&e->cost);
    vec_free(&e->label);
}

static void picker_start(const struct net *n, struct example_picker *p, int count)
{
    p->batch.n = count;
    for (int i = 0; i < n->ninputs; i++) {
        p->rows[i].n = p->first[i].n = 0;
        vec_push(&p->first[i], 0);
    }
}

static void picker_add(const struct net *n, struct example_picker *p, int i, struct example_rows from)
{
    int width = n->layer[i].width, floats = from.n * width, begin = p->rows[i].n;
    if (begin + floats > p->rows[i].cap)
        p->rows[i].at = vec_grow(p->rows[i].at, &p->rows[i].cap, begin + floats, sizeof(float));
    float *to = p->rows[i].at + begin;
    for (int r = 0; r < from.n; r++)
        for (int c = 0; c < width; c++)
            to[(size_t)r * (size_t)width + (size_t)c] = from.at[(size_t)r * (size_t)width + (size_t)c] * n->scale[i][c];
    p->rows[i].n += floats;
    vec_push(&p->first[i], p->rows[i].n / width);
}

static const struct net_batch *picker_batch(const struct net *n, struct example_picker *p)
{
    for (int i = 0; i < n->ninputs; i++) {
        p->batch.in[i].at = p->rows[i].at;
        p->batch.in[i].first = p->first[i].at;
    }
    return &p->batch;
}

const struct net_batch *example_gather(const struct net *n, const struct example_inputs *shown, int count,
                                       struct example_picker *p)
{
    picker_start(n, p, count);
    for (int k = 0; k < count; k++)
        for (int i = 0; i < n->ninputs; i++)
            picker_add(n, p, i, shown[k].in[i]);
    return picker_batch(n, p);
}

const struct net_batch *examples_pick(const struct examples *e, const struct net *n, const int *order, int count,
                                      struct example_picker *p)
{
    picker_start(n, p, count);
    for (int k = 0; k < count; k++)
        for (int i = 0; i < n->ninputs; i++) {
            const int *first = &e->in[i].first.at[order[k]];
            const float *at = e->in[i].rows.at + (size_t)first[0] * (size_t)e->width[i];
            picker_add(n, p, i, (struct example_rows){first[1] - first[0], at});
        }
    return picker_batch(n, p);
}

void example_picker_free(struct example_picker *p)
{
    for (int i = 0; i < NET_INPUTS; i++) {
        vec_free(&p->rows[i]);
        vec_free(&p->first[i]);
    }
}
