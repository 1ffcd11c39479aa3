/* SPDX-License-Identifier: Apache-2.0 */
/* networks: widths as published. In TLP's code one more layer is declared and not used; it is left out, as in its count
 * of parameters. */
#include "models/nn/networks.h"

static int dense(struct net *n, int from, const int *widths, int count)
{
    for (int i = 0; i < count; i++)
        from = net_linear(n, from, widths[i], true);
    return from;
}

void net_make_pacm_parts(struct net *n, bool statements, bool dataflow)
{
    *n = (struct net){0};
    int rows = statements ? net_input(n, STATEMENT_WIDTH) : -1, blocks = dataflow ? net_input(n, DATAFLOW_WIDTH) : -1;
    if (statements)
        rows = net_sum(n, dense(n, rows, (const int[]){256, 256}, 2));
    if (dataflow)
        blocks = net_sum(n, net_attention(n, dense(n, blocks, (const int[]){64, 128}, 2), 4));
    int seen = statements && dataflow ? net_concat(n, rows, blocks) : statements ? rows : blocks;
    int fused = net_batch_norm(n, net_linear(n, seen, 256, true));
    net_linear(n, net_residual(n, net_residual(n, fused)), 1, false);
    net_finish(n);
}

void net_make_pacm(struct net *n)
{
    net_make_pacm_parts(n, true, true);
}

void net_make_mlp(struct net *n)
{
    *n = (struct net){0};
    int sum = net_sum(n, dense(n, net_input(n, STATEMENT_WIDTH), (const int[]){256, 256}, 2));
    net_linear(n, net_residual(n, net_residual(n, sum)), 1, false);
    net_finish(n);
}

void net_make_tlp(struct net *n, int width)
{
    *n = (struct net){0};
    int steps = dense(n, net_input(n, width), (const int[]){64, 128, 256, 256}, 4);
    steps = net_residual(n, net_residual(n, net_attention(n, steps, 8)));
    net_sum(n, net_linear(n, dense(n, steps, (const int[]){256, 128, 64}, 3), 1, false));
    net_finish(n);
}
