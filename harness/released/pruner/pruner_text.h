/* SPDX-License-Identifier: Apache-2.0 */
/* pruner_text: the reanalysis for people. */
#pragma once
#include "harness/released/pruner/pruner_numbers.h"

void pruner_text_print(const struct pruner_numbers *x, const char *dir, struct text *t);
