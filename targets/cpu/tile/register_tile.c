/* SPDX-License-Identifier: Apache-2.0 */
/* register_tile: where loops may be exchanged, unroll and jam gives the tile its shape. Elsewhere all elements must
 * have room in registers as the loops stand. */
#include "targets/cpu/tile/register_tile.h"

#define CUT_STEPS 512 /* reduce steps that a cut nest may repeat per tile */

/* Registers for elements; the rest is for what is loaded. */
static int budget_of(const struct emitter *em)
{
    return em->machine->registers > 16 ? 28 : em->machine->registers - 3;
}

static bool plan_cut(const struct tile_analysis *a, struct unroll_jam *out)
{
    if (!a->exchangeable || a->em->lanes.width > 1)
        return false;
    unroll_jam_plan(a, out);
    if (!unroll_jam_cut(a->em, out, budget_of(a->em), a->steps <= CUT_STEPS))
        return false;
    unroll_jam_finish(out);
    return true;
}

bool register_tile_plan(struct emitter *em, const struct loop_node *n, struct register_tile *out)
{
    if (!tile_analysis_make(em, n, TILE_OPENS, true, &out->analysis))
        return false;
    out->is_cut = plan_cut(&out->analysis, &out->jam);
    return out->is_cut || out->analysis.registers <= budget_of(em);
}

static double update_cost(const struct tile_analysis *a, double steps)
{
    struct unroll_jam u;
    double lanes = a->lanes ? (double)a->lanes / loop_plan_registers(a->em, a->lanes) : 1; /* elements in a register */
    if (a->fused > 1) {
        int64_t iterations = a->outer->s->extent, registers = (iterations + a->fused - 1) / a->fused;
        lanes *= (double)iterations / (double)registers;
    }
    if (!plan_cut(a, &u)) {
        if (a->registers > budget_of(a->em))
            return steps * UPDATE_IN_MEMORY / lanes;
        unroll_jam_plan(a, &u);
    }
    return steps * unroll_jam_cost(a->em, &u) / lanes;
}

double register_tile_cost(struct emitter *em, const struct loop_node *n, double steps)
{
    struct tile_analysis a;
    if (n->mode == LOOP_PARALLEL || n->mode == LOOP_VECTOR || !tile_analysis_make(em, n, TILE_OPENS, true, &a) ||
        (!a.exchangeable && a.registers > budget_of(em)))
        return -1;
    for (int i = 0; i < a.nchain; i++)
        steps *= (double)a.chain[i]->s->extent;
    return update_cost(&a, steps);
}
