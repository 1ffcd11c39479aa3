/* SPDX-License-Identifier: Apache-2.0 */
/* node_gate: is this node one that a shard may be measured on? Asked by the shard's own run, before anything is
 * measured (--gate). */
#pragma once
#include "harness/experiment/machine.h"

struct node_gate {
    const char *processor;        /* file with the one that all shards are measured on; the first writes it. "": none */
    const char *program, *wanted; /* identity of this program, and of the one that the fleet is run by */
    const struct machine *machine; /* the experiment's. NULL, of a virtual target: machine and load do not matter */
};
/* False, with EXIT_ENVIRONMENT: another program; a machine that the machine's file does not take (its GPU is not looked
 * at); another processor than the file's; other work that takes more than a tenth of the processors for two seconds;
 * the same work that is more than 1 % apart when it is timed in turns meanwhile (an A/A). */
MUST_CHECK bool node_gate(const struct node_gate *g, struct err *err);
