/* SPDX-License-Identifier: Apache-2.0 */
/* dataflow: the accesses of all stores are kept in a list, and then the row of them that is wanted is looked for. */
#include "models/dataflow.h"

#include "harness/base/err.h"
#include "harness/base/vec.h"

#include <math.h>
#include <string.h>

struct moved { /* one access */
    char place;
    float field[DATAFLOW_FIELDS];
};
struct stored { /* one store */
    const struct buffer *buffer;
    bool is_init, is_update;
    double work;
    int first; /* its first access */
};
struct dataflow {
    VEC(struct moved) moves;
    VEC(struct stored) stores;
};

struct dataflow *dataflow_open(void)
{
    struct dataflow *d = calloc(1, sizeof *d);
    if (!d)
        bug("out of memory");
    return d;
}

void dataflow_close(struct dataflow *d)
{
    if (!d)
        return;
    vec_free(&d->moves);
    vec_free(&d->stores);
    free(d);
}

static char place_of(const struct buffer *b)
{
    return strcmp(b->scope, "shared") == 0 ? '1' : strcmp(b->scope, "local") == 0 ? '2' : '0';
}

static double allocated(const struct buffer *b)
{
    double bytes = b->role == BUFFER_ARG ? 0 : dtype_bytes(b->dtype);
    for (int i = 0; i < b->ndim; i++)
        bytes *= (double)b->extent[i];
    return bytes;
}

static float bits(double x)
{
    return (float)log2(1 + x);
}

static void fill(const struct footprint *p, double work, float *f)
{
    const float four[4] = {p->bytes, p->unique_bytes, p->lines, p->unique_lines};
    double part = p->reuse_count > 0.5f ? 1 / (double)p->reuse_count : 2;
    memset(f, 0, sizeof *f * DATAFLOW_FIELDS);
    f[DATAFLOW_WORK] = bits(work);
    f[DATAFLOW_PLACE + place_of(p->buffer) - '0'] = 1;
    f[DATAFLOW_TYPE + (int)p->type] = 1;
    for (int i = 0; i < 4; i++) {
        f[DATAFLOW_BYTES + i] = bits((double)four[i]);
        f[DATAFLOW_BYTES_PER_REUSE + i] = bits((double)four[i] * part);
    }
    f[DATAFLOW_REUSE + (int)p->reuse] = 1;
    f[DATAFLOW_DISTANCE] = bits((double)p->reuse_iterations);
    f[DATAFLOW_DISTANCE + 1] = bits((double)p->reuse_bytes);
    f[DATAFLOW_DISTANCE + 2] = bits((double)p->reuse_count);
    f[DATAFLOW_STRIDE] = bits((double)p->stride);
    f[DATAFLOW_ALLOCATED] = bits(allocated(p->buffer));
}

static void see_store(void *ctx, const struct stmt *s, const struct footprints *touched, double ops, double turns)
{
    struct dataflow *d = ctx;
    vec_push(&d->stores, (struct stored){s->buffer, s->is_init, s->is_update, ops * turns, d->moves.n});
    for (int i = 0; i < touched->n; i++) {
        struct moved m = {.place = place_of(touched->at[i].buffer)};
        fill(&touched->at[i], ops * turns * turns, m.field);
        vec_push(&d->moves, m);
    }
}

struct feature_watch dataflow_start(struct dataflow *d)
{
    d->moves.n = d->stores.n = 0;
    return (struct feature_watch){see_store, d};
}

/* The first access of the wanted row on GPUs, or -1. */
static int find_tile(const struct dataflow *d)
{
    static const char wanted[] = "20101112";
    for (int i = 0; i + DATAFLOW_BLOCKS <= d->moves.n; i++) {
        int k = 0;
        while (k < DATAFLOW_BLOCKS && d->moves.at[i + k].place == wanted[k])
            k++;
        if (k == DATAFLOW_BLOCKS)
            return i;
    }
    return -1;
}

static int find_update(const struct dataflow *d)
{
    int most = -1;
    for (int i = 0; i < d->stores.n; i++)
        if (d->stores.at[i].is_update && (most < 0 || d->stores.at[i].work > d->stores.at[most].work))
            most = i;
    if (most < 0)
        return -1;
    const struct stored *own = &d->stores.at[most];
    bool zeroed = most > 0 && own[-1].is_init && own[-1].buffer == own->buffer;
    return d->stores.at[zeroed ? most - 1 : most].first;
}

bool dataflow_blocks(const struct dataflow *d, bool gpu, float *out)
{
    int first = gpu ? find_tile(d) : find_update(d);
    memset(out, 0, sizeof *out * DATAFLOW_BLOCKS * DATAFLOW_FIELDS);
    for (int i = 0; first >= 0 && i < DATAFLOW_BLOCKS && first + i < d->moves.n; i++)
        memcpy(out + (size_t)i * DATAFLOW_FIELDS, d->moves.at[first + i].field, sizeof *out * DATAFLOW_FIELDS);
    return first >= 0;
}
