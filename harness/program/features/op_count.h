/* SPDX-License-Identifier: Apache-2.0 */
/* op_count: how many operations TVM sees in a stored value. Index arithmetic counts as it would be written out by TVM's
 * canonical simplifier: a sum of scaled terms, each a loop variable or a quotient of a sum. */
#pragma once
#include "harness/program/ir/nest.h"

/* Order of the first 16 features. */
enum op_count_kind {
    OP_COUNT_MAD, /* TVM never detects it: stays 0 */
    OP_COUNT_ADDSUB,
    OP_COUNT_MUL,
    OP_COUNT_DIVMOD,
    OP_COUNT_CMP,
    OP_COUNT_MATH,
    OP_COUNT_OTHER,
    OP_COUNT_INT, /* the same seven for integers start here */
    OP_COUNT_BOOL = 14,
    OP_COUNT_SELECT = 15,
    OP_COUNT_KINDS = 16
};

/* Adds the operations of the stored value to counts. The test by which RF keeps a split that does not divide inside its
 * tensor is an if_then_else in our bodies and a guard of the store in TVM, so it does not count. */
void op_count_store(const struct atoms *p, const struct stmt *store, int counts[OP_COUNT_KINDS]);
/* The same as TVM counts constant matrices (winograd): it puts 1 for their elements, so a product with one is the other
 * factor. */
void op_count_matrix_store(const struct atoms *p, const struct stmt *store, int counts[OP_COUNT_KINDS]);
int op_count_float(const int counts[OP_COUNT_KINDS]); /* sum of the float kinds */
