/* SPDX-License-Identifier: Apache-2.0 */
/* count: how many operations TVM sees in a stored value. Index arithmetic counts as it would be written out by TVM's
 * canonical simplifier: a sum of scaled terms, each a loop variable or a quotient of a sum. */
#pragma once
#include "harness/program/nest.h"

/* Order of the first 16 features. */
enum count_kind {
    COUNT_MAD, /* TVM never detects it: stays 0 */
    COUNT_ADDSUB,
    COUNT_MUL,
    COUNT_DIVMOD,
    COUNT_CMP,
    COUNT_MATH,
    COUNT_OTHER,
    COUNT_INT, /* the same seven for integers start here */
    COUNT_BOOL = 14,
    COUNT_SELECT = 15,
    COUNT_KINDS = 16
};

/* All add to counts. */
/* The stored value. The test by which RF keeps a split that does not divide inside its tensor is an if_then_else in our
 * bodies and a guard of the store in TVM, so it does not count. */
void count_store(const struct atoms *p, const struct stmt *store, int counts[COUNT_KINDS]);
void count_value(const struct atoms *p, const struct value *v, int counts[COUNT_KINDS]);
void count_form(const struct atoms *p, const struct affine *f, int counts[COUNT_KINDS]);
int count_float(const int counts[COUNT_KINDS]); /* sum of the float kinds */
