/* SPDX-License-Identifier: Apache-2.0 */
/* pruner_curves: the estimated latency of ResNet-50 while it was searched on an A100 of 40 GB in January 2024, five
 * methods, a row after every ten trials. Not the runs of the paper. */
#pragma once
#include "harness/released/pruner/pruner_release.h"

/* Reads the curves of a folder into r: resnet50_a100/METHOD.tsv, or the authors' total_latency.tsv. A curve with a
 * damaged row is left out: what comes after it cannot be trusted. */
void pruner_curves_read(struct arena *a, const char *dir, struct pruner_release *r);
/* The first point that is as fast as ms; NULL: none is. */
const struct pruner_point *pruner_curve_reach(const struct pruner_curve *c, double ms);
const struct pruner_point *pruner_curve_end(const struct pruner_curve *c);            /* NULL: no curve */
const struct pruner_point *pruner_curve_at(const struct pruner_curve *c, int trials); /* NULL: no such row */
double pruner_curve_round_s(const struct pruner_curve *c); /* seconds of a round once every task has a program */
