/* SPDX-License-Identifier: Apache-2.0 */
/* pruner_json: the reanalysis for scripts. */
#pragma once
#include "harness/released/pruner/pruner_numbers.h"

cJSON *pruner_json(const struct pruner_numbers *x, const char *dir);
