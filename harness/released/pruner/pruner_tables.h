/* SPDX-License-Identifier: Apache-2.0 */
/* pruner_tables: what follows from the tables that the paper prints, beside what its text says of them. */
#pragma once
#include "harness/released/pruner/pruner_numbers.h"

void pruner_tables_add(struct pruner_numbers *x);
