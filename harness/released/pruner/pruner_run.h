/* SPDX-License-Identifier: Apache-2.0 */
/* pruner_run: the one run whose curves ship, ResNet-50 on an A100 of 40 GB. */
#pragma once
#include "harness/released/pruner/pruner_numbers.h"

void pruner_run_add(struct pruner_numbers *x);
