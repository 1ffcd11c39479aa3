/* SPDX-License-Identifier: Apache-2.0 */
/* ops: the table of operators. One row each: name, keys with defaults, builder. A new operator is one op_*.c file
 * exporting one const struct operator, and one line in the table in ops.c. */
#pragma once
#include "harness/base/settings.h"
#include "harness/program/ir/dag.h"

struct graph; /* a dag under construction, graph.h */

struct operator
{
    const char *name, *summary;
    const struct setting *keys; /* offsets into an options struct of size options_size */
    size_t options_size;
    /* Adds the ops and arguments; the last op added is the output. Fills in what follows from other keys (output sizes,
     * the layout), so that equal tasks have equal canonical specs. */
    bool (*build)(struct graph *g, void *options, struct err *err);
};
/* The row of an operator: its keys are a table KEYS in the same file, for the options struct. */
#define OPERATOR(id, text, options, build)                                                                             \
    extern const struct operator operator_##id;                                                                        \
    const struct operator operator_##id = {#id, text, KEYS, sizeof(options), build}

const struct operator* const * ops_table(void); /* ended by NULL */
