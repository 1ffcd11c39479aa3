/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_reduce: the order of the steps is TVM's. Deviations: a mask names the lanes that take part, and only those come
 * to a shuffle, where TVM takes __activemask(), and in v0.16 lets lanes outside of the second round's mask shuffle,
 * which is undefined (its pull request 17307). The last halves in shared memory, of one warp, wait by __syncwarp(),
 * where TVM has volatile memory and no wait. */
#include "targets/gpu/gpu_reduce.h"

#include "harness/base/int_math.h"
#include "targets/gpu/gpu_expr.h"

#include <stdio.h>

enum { WARP = 32 };

static int64_t groups_of(const struct gpu_emitter *em)
{
    int64_t y = em->extents[ANN_THREAD_Y], z = em->extents[ANN_THREAD_Z];
    return (y ? y : 1) * (z ? z : 1);
}

enum gpu_reduction gpu_reduction_form(const struct gpu_emitter *em, enum dtype t)
{
    int64_t x = em->extents[ANN_THREAD_X];
    if (!em->dialect->shuffles || x < 1 || dtype_bytes(t) < 4)
        return GPU_HALVES;
    if (WARP % x == 0 || (x < WARP && groups_of(em) == 1))
        return GPU_LANES;
    return x % WARP == 0 && x <= WARP * WARP ? GPU_WARPS : GPU_HALVES;
}

/* The number of the group that a thread is in, "" for the only one. */
static void group_text(const struct gpu_emitter *em, char *out, size_t size)
{
    const struct dialect *d = em->dialect;
    long long y = em->extents[ANN_THREAD_Y], z = em->extents[ANN_THREAD_Z];
    out[0] = 0;
    if (y > 1 && z > 1)
        snprintf(out, size, "(%s * %lld + %s)", d->thread[2], y, d->thread[1]);
    else if (y > 1 || z > 1)
        snprintf(out, size, "%s", d->thread[y > 1 ? 1 : 2]);
}

/* "group * stride + ", or nothing. */
static void row_text(const struct gpu_emitter *em, int64_t stride, char *out, size_t size)
{
    char group[80];
    group_text(em, group, sizeof group);
    if (group[0])
        snprintf(out, size, "%s * %lld + ", group, (long long)stride);
    else
        out[0] = 0;
}

static void combine(struct gpu_emitter *em, const struct stmt *s, const char *value, const char *other)
{
    text_printf(em->out, "%s = ", value);
    gpu_expr_reduce(em->out, s->reducer, value, other);
    text_add(em->out, ";");
}

/* ---- from lane to lane ---- */

/* Those of the first n lanes of a warp; with several groups in it, those of the thread's own. */
static void mask_text(const struct gpu_emitter *em, int64_t n, bool own, char *out, size_t size)
{
    char group[80];
    unsigned long mask = n == WARP ? 0xffffffffUL : (1UL << n) - 1;
    group_text(em, group, sizeof group);
    if (own && n < WARP && group[0])
        snprintf(out, size, "0x%lxu << (%s %% %lld * %lld)", mask, group, (long long)(WARP / n), (long long)n);
    else
        snprintf(out, size, "0x%lxu", mask);
}

/* The n first lanes of those that mask names get the combined value to the first of them. width: a divisor of 32, no
 * less than n. */
static void shuffle_down(struct gpu_emitter *em, const struct stmt *s, const char *value, int64_t n, const char *mask)
{
    const struct dialect *d = em->dialect;
    int64_t half = 1, width = WARP % n ? WARP : n;
    char other[256];
    while (2 * half < n)
        half *= 2;
    for (; half > 0 && n > 1; half /= 2) {
        snprintf(other, sizeof other, "__shfl_down_sync(%s, %s, %lld, %lld)", mask, value, (long long)half,
                 (long long)width);
        struct text *out = gpu_line(em);
        if (2 * half <= n) {
            combine(em, s, value, other);
        } else { /* what comes from further on than the last lane is no value */
            text_printf(out, "{ %s other = %s; if (%s + %lld < %lld) ", dialect_type(d, s->buffer->dtype), other,
                        d->thread[0], (long long)half, (long long)n);
            combine(em, s, value, "other");
            text_add(out, " }");
        }
        text_add(out, "\n");
    }
}

static void by_lanes(struct gpu_emitter *em, const struct stmt *s, const char *value)
{
    int64_t x = em->extents[ANN_THREAD_X];
    char mask[160];
    mask_text(em, x, true, mask, sizeof mask);
    shuffle_down(em, s, value, x, mask);
    if (x > 1)
        text_printf(gpu_line(em), "%s = __shfl_sync(%s, %s, 0, %lld);\n", value, mask, value,
                    (long long)(WARP % x ? WARP : x));
}

static void by_warps(struct gpu_emitter *em, const struct stmt *s, const char *value)
{
    const struct dialect *d = em->dialect;
    const char *x = d->thread[0];
    int64_t warps = em->extents[ANN_THREAD_X] / WARP, groups = groups_of(em);
    char of_warps[32], result[32], row[128], group[80], mask[160];
    snprintf(of_warps, sizeof of_warps, "of_warps_%d", em->reductions);
    snprintf(result, sizeof result, "handed_over_%d", em->reductions++);
    gpu_declare_shared(em, s->buffer->dtype, of_warps, warps * groups);
    gpu_declare_shared(em, s->buffer->dtype, result, groups);
    row_text(em, warps, row, sizeof row);
    group_text(em, group, sizeof group);
    shuffle_down(em, s, value, WARP, "0xffffffffu");
    text_printf(gpu_line(em), "if (%s %% %d == 0) %s[%s%s / %d] = %s;\n", x, WARP, of_warps, row, x, WARP, value);
    gpu_text_line(em, d->barrier);
    text_printf(gpu_line(em), "if (%s < %lld) {\n", x, (long long)warps);
    em->indent++;
    text_printf(gpu_line(em), "%s = %s[%s%s];\n", value, of_warps, row, x);
    mask_text(em, warps, false, mask, sizeof mask);
    shuffle_down(em, s, value, warps, mask);
    text_printf(gpu_line(em), "if (%s == 0) %s[%s] = %s;\n", x, result, group[0] ? group : "0", value);
    em->indent--;
    gpu_text_line(em, "}");
    gpu_text_line(em, d->barrier);
    text_printf(gpu_line(em), "%s = %s[%s];\n", value, result, group[0] ? group : "0");
}

/* ---- in shared memory ---- */

struct halving {
    const char *value, *room, *row;
    int64_t extent, half;
};

/* Of the elements that are left, thread i adds the one half further on to its own. */
static void halve(struct gpu_emitter *em, const struct stmt *s, const struct halving *h)
{
    const char *x = em->dialect->thread[0];
    char mine[224], other[256];
    snprintf(mine, sizeof mine, "%s[%s%s]", h->room, h->row, x);
    snprintf(other, sizeof other, "%s[%s%s + %lld]", h->room, h->row, x, (long long)h->half);
    struct text *out = gpu_line(em);
    text_printf(out, "if (%s < %lld", x, (long long)h->half);
    if (2 * h->half > h->extent)
        text_printf(out, " && %s + %lld < %lld", x, (long long)h->half, (long long)h->extent);
    text_add(out, ") ");
    combine(em, s, mine, other);
    text_add(out, "\n");
    gpu_text_line(em, em->dialect->barrier);
}

/* The halves that the first warp has alone. No thread may write an element before all have read. */
static void halve_in_warp(struct gpu_emitter *em, const struct stmt *s, const struct halving *h)
{
    const char *x = em->dialect->thread[0];
    unsigned mask = (1u << h->half) - 1;
    text_printf(gpu_line(em), "if (%s < %lld) {\n", x, (long long)h->half);
    em->indent++;
    for (int64_t half = h->half; half > 0; half /= 2) {
        char mine[224], other[256];
        snprintf(mine, sizeof mine, "%s[%s%s]", h->room, h->row, x);
        snprintf(other, sizeof other, "%s[%s%s + %lld]", h->room, h->row, x, (long long)half);
        struct text *out = gpu_line(em);
        text_printf(out, "%s = ", h->value);
        gpu_expr_reduce(out, s->reducer, mine, other);
        text_add(out, ";\n");
        text_printf(gpu_line(em), "__syncwarp(0x%xu);\n", mask);
        text_printf(gpu_line(em), "%s = %s;\n", mine, h->value);
        text_printf(gpu_line(em), "__syncwarp(0x%xu);\n", mask);
    }
    em->indent--;
    gpu_text_line(em, "}");
    gpu_text_line(em, em->dialect->barrier);
}

static void by_halves(struct gpu_emitter *em, const struct stmt *s, const char *value, bool again)
{
    const struct dialect *d = em->dialect;
    char room[32], row[128];
    struct halving h = {.value = value, .room = room, .row = row, .extent = em->extents[ANN_THREAD_X], .half = 1};
    bool one_group = groups_of(em) == 1;
    snprintf(room, sizeof room, "handed_over_%d", em->reductions++);
    row_text(em, h.extent, row, sizeof row);
    gpu_declare_shared(em, s->buffer->dtype, room, groups_of(em) * h.extent);
    text_printf(gpu_line(em), "%s[%s%s] = %s;\n", room, row, d->thread[0], value);
    gpu_text_line(em, d->barrier);
    while (2 * h.half < h.extent)
        h.half *= 2;
    for (; h.half > 0 && h.extent > 1; h.half /= 2) {
        if (d->shuffles && one_group && 2 * h.half <= WARP && 2 * h.half <= h.extent) {
            halve_in_warp(em, s, &h);
            break;
        }
        halve(em, s, &h);
    }
    text_printf(gpu_line(em), "%s = %s[%s0];\n", value, room, row);
    if (again)
        gpu_text_line(em, d->barrier);
}

void gpu_reduce(struct gpu_emitter *em, const struct stmt *s, const char *value, bool again)
{
    switch (gpu_reduction_form(em, s->buffer->dtype)) {
    case GPU_LANES:
        by_lanes(em, s, value);
        break;
    case GPU_WARPS:
        by_warps(em, s, value);
        break;
    case GPU_HALVES:
        by_halves(em, s, value, again);
        break;
    }
}
