/* SPDX-License-Identifier: Apache-2.0 */
/* step_rows: a schedule as TLP sees it, without lowering it: one row a step, eleven flags of its kind and then its
 * arguments as whole numbers, cut or filled with zeros to a fixed size (TLP, ASPLOS 2023, and its code; not
 * normalised). GPUs: 40 rows of 20; CPUs: 25 of 22.
 *
 * Kinds in the order of the flags: AN CHR CHW CI CA FFSP SP FU RE PR FSP; CR has the arguments and no flag. On CPUs, of
 * which we know the sizes only, RF and CR take the places of CHR and FFSP, which no CPU sketch has (ours). */
#pragma once
#include "harness/program/schedule/step.h"

enum {
    STEP_ROWS_KINDS = 11,
    STEP_ROWS_GPU = 40,
    STEP_ROWS_CPU = 25,
    STEP_ROWS_GPU_WIDTH = 20,
    STEP_ROWS_CPU_WIDTH = 22
};
/* out: STEP_ROWS_GPU rows of STEP_ROWS_GPU_WIDTH, or those of CPUs. */
void step_rows(const struct step *steps, int n, bool gpu, float *out);
