/* SPDX-License-Identifier: Apache-2.0 */
/* networks: the three learned cost models of the Pruner paper as lists of layers. Sources: Pruner (arXiv 2402.02361,
 * section 4.2, and its released code), TenSet (NeurIPS 2021 data sets, and its code), TLP (ASPLOS 2023, and its code).
 * Each is finished (net_finish) and zero. */
#pragma once
#include "models/nn/net.h"

enum {
    STATEMENT_WIDTH = 174, /* floats of a statement's row */
    DATAFLOW_WIDTH = 23,
    TLP_GPU_WIDTH = 20, /* floats of a step's row */
    TLP_CPU_WIDTH = 22
};
/* 417,409 parameters. Statements through two linear layers and summed; data-flow blocks through two and one
 * self-attention of four heads and summed; both side by side, a linear layer, batch norm, two residual blocks, one
 * score. */
void net_make_pacm(struct net *n);
/* The same with the statements' part alone, or the blocks' (the paper's Table 12); not without both. */
void net_make_pacm_parts(struct net *n, bool statements, bool dataflow);
/* 242,433 parameters: PaCM without blocks and without batch norm. */
void net_make_mlp(struct net *n);
/* 610,241 parameters at width 20, 610,369 at 22: every step through four linear layers, self-attention of eight heads,
 * two residual blocks and five linear layers to one number; these are summed. */
void net_make_tlp(struct net *n, int width);
