/* SPDX-License-Identifier: Apache-2.0 */
/* cycle_estimate: updates as the register tiles they will be; other stores by their loads, registers and conditions.
 * The numbers are rough on purpose: they have to tell a nest from one that is clearly worse. */
#include "targets/cpu/tile/cycle_estimate.h"

#include "targets/cpu/tile/register_tile.h"

/* Cycles of a store outside of tiles, of each load for it, and of a condition (padding). */
#define STORE 1.0
#define LOAD 0.5
#define CONDITION 1.0

static double value_cost(const struct emitter *em, const struct value *v, const struct stmt *lanes)
{
    double sum = v->kind == EXPR_IF || v->kind == EXPR_SELECT ? CONDITION : 0;
    if (v->kind == EXPR_LOAD) {
        int64_t s = lanes ? loop_plan_stride(em, v->buffer, v->index, lanes->atom) : 0;
        return s == 0 || s == 1 ? LOAD : 2 * LOAD * (double)(lanes->extent < 16 ? lanes->extent : 16);
    }
    for (int i = 0; i < v->nargs; i++)
        sum += value_cost(em, v->args[i], lanes);
    return sum;
}

static double store_cost(const struct emitter *em, const struct stmt *s, const struct stmt *lanes)
{
    if (s->is_update)
        return UPDATE_IN_MEMORY;
    int64_t stride = lanes ? loop_plan_stride(em, s->buffer, s->index, lanes->atom) : 1;
    double lane = stride == 1 ? 1 : 2 * (double)(lanes->extent < 16 ? lanes->extent : 16);
    return STORE * lane + value_cost(em, s->value, lanes);
}

static double below(struct emitter *em, const struct loop_node *n, const struct stmt *lanes, double steps)
{
    const struct stmt *s = n->s;
    double sum = s->kind == STMT_LOOP && !lanes ? register_tile_cost(em, n, steps) : -1;
    if (sum >= 0)
        return sum;
    if (s->kind == STMT_STORE)
        return steps * store_cost(em, s, lanes);
    if (s->kind == STMT_LOOP && n->mode == LOOP_VECTOR && !lanes) {
        lanes = s;
        steps *= loop_plan_registers(em, s->extent);
    } else if (s->kind == STMT_LOOP && !lanes && loop_plan_merges(em, n)) {
        int64_t iterations = em->machine->vector_bytes / 4 / n->kids[0]->s->extent;
        int64_t registers = (s->extent + iterations - 1) / iterations;
        steps *= (double)registers;
    } else if (s->kind == STMT_LOOP) {
        steps *= (double)s->extent;
    }
    sum = 0;
    for (int i = 0; i < n->nkids; i++)
        sum += below(em, n->kids[i], lanes, steps);
    return sum;
}

double cycle_estimate(struct emitter *em, const struct loop_node *root)
{
    return below(em, root, NULL, 1);
}
