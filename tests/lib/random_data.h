/* SPDX-License-Identifier: Apache-2.0 */
/* random_data: data for tests of statistics: normal and log-normal draws from base/rng, and the Monte-Carlo error of a
 * share. */
#pragma once
#include "harness/base/rng.h"

#include <stdbool.h>

double random_data_normal(struct rng *rng);
/* n log-normal ratios whose logs have this mean and standard deviation. */
void random_data_ratios(struct rng *rng, double mean, double sd, double *out, int n);
/* Is hits/runs within four standard errors of the share expected (and `slack` more)? With fixed seeds the answer never
 * changes; four errors make it likely that another seed would do, too. */
bool random_data_agrees(int hits, int runs, double expected, double slack);
