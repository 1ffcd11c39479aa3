/* SPDX-License-Identifier: Apache-2.0 */
/* boost: squared loss, so a row's gradient is predicted - label and its hessian 1. A node is split at the best gain,
 * thresholds halfway between neighbouring values; splits that gain less than gamma are pruned bottom-up, as XGBoost's
 * TreePruner does. Predictions begin at 0.5 (base_score of XGBoost 1.x). */
#include "search/boost.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const double base = 0.5, least_change = 1e-6; /* kRtEps */

struct grower {
    struct boost *b;
    const double *rows, *gradient;
    int width;
    struct boost_node *tree;
    double *gain; /* by node */
    int *order;   /* scratch: rows of a node sorted by a column */
};

struct split {
    double gain, threshold;
    int column;
};

static double score(const struct grower *g, double sum, int n)
{
    return sum * sum / (n + g->b->options.lambda);
}

struct key {
    double value;
    int row;
};

static int by_value(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    return x->value < y->value ? -1 : x->value > y->value ? 1 : x->row - y->row;
}

static void try_column(const struct grower *g, const int *members, int n, int column, double sum, struct key *keys,
                       struct split *best)
{
    const struct boost_options *o = &g->b->options;
    double left = 0;
    for (int i = 0; i < n; i++)
        keys[i] = (struct key){g->rows[(size_t)members[i] * (size_t)g->width + (size_t)column], members[i]};
    qsort(keys, (size_t)n, sizeof *keys, by_value);
    for (int i = 0; i + 1 < n; i++) {
        left += g->gradient[keys[i].row];
        if (keys[i].value >= keys[i + 1].value || i + 1 < o->child || n - i - 1 < o->child)
            continue;
        double gain = score(g, left, i + 1) + score(g, sum - left, n - i - 1) - score(g, sum, n);
        if (gain > best->gain)
            *best = (struct split){gain, (keys[i].value + keys[i + 1].value) / 2, column};
    }
}

/* Splits members[0..n) in place: those of the left child first. */
static void grow(struct grower *g, struct arena *a, int node, int depth, int *members, int n)
{
    struct arena_mark mark = arena_mark(a);
    struct split best = {.gain = least_change, .column = -1};
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += g->gradient[members[i]];
    g->tree[node] = (struct boost_node){.column = -1, .value = -g->b->options.eta * sum / (n + g->b->options.lambda)};
    struct key *keys = ARENA_ARRAY(a, struct key, n + 1);
    for (int c = 0; c < g->width && depth < g->b->options.depth; c++)
        try_column(g, members, n, c, sum, keys, &best);
    if (best.column >= 0) {
        int *right = ARENA_ARRAY(a, int, n + 1), nleft = 0, nright = 0;
        for (int i = 0; i < n; i++)
            if (g->rows[(size_t)members[i] * (size_t)g->width + (size_t)best.column] < best.threshold)
                members[nleft++] = members[i];
            else
                right[nright++] = members[i];
        memcpy(members + nleft, right, sizeof *members * (size_t)nright);
        g->tree[node].column = best.column;
        g->tree[node].threshold = best.threshold;
        g->gain[node] = best.gain;
        grow(g, a, 2 * node + 1, depth + 1, members, nleft);
        grow(g, a, 2 * node + 2, depth + 1, members + nleft, nright);
        bool leaves = g->tree[2 * node + 1].column < 0 && g->tree[2 * node + 2].column < 0;
        if (leaves && g->gain[node] < g->b->options.gamma)
            g->tree[node].column = -1;
    }
    arena_release(a, mark);
}

static double tree_value(const struct boost_node *tree, const double *row)
{
    int i = 0;
    while (tree[i].column >= 0)
        i = row[tree[i].column] < tree[i].threshold ? 2 * i + 1 : 2 * i + 2;
    return tree[i].value;
}

static int descending(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    return x->value > y->value ? -1 : x->value < y->value ? 1 : x->row - y->row;
}

double boost_recall(struct arena *a, const double *predicted, const double *labels, int n, int top)
{
    struct arena_mark mark = arena_mark(a);
    struct key *order = ARENA_ARRAY(a, struct key, n + 1), *truth = ARENA_ARRAY(a, struct key, n + 1);
    int *rank = ARENA_ARRAY(a, int, n + 1);
    double sum = 0;
    for (int i = 0; i < n; i++) {
        order[i] = (struct key){predicted[i], i};
        truth[i] = (struct key){labels[i], i};
    }
    qsort(order, (size_t)n, sizeof *order, descending);
    qsort(truth, (size_t)n, sizeof *truth, descending);
    for (int i = 0; i < n; i++)
        rank[truth[i].row] = i;
    for (int i = 0; i < n && i < top; i++) {
        int hits = 0;
        for (int k = 0; k < i; k++)
            hits += rank[order[k].row] <= i;
        sum += (double)hits / (i + 1);
    }
    arena_release(a, mark);
    return sum / top;
}

static void add_tree(struct boost *b, struct arena *a, struct grower *g, int n, int *members)
{
    g->tree = b->nodes + (size_t)b->ntrees * (size_t)b->tree_size;
    for (int i = 0; i < n; i++)
        members[i] = i;
    grow(g, a, 0, 0, members, n);
    b->ntrees++;
}

void boost_fit(struct boost *b, struct arena *a, const struct boost_options *o, const double *rows,
               const double *labels, int n, int width)
{
    *b = (struct boost){.options = *o, .tree_size = (2 << o->depth) - 1};
    double *predicted = ARENA_ARRAY(a, double, n + 1), *gradient = ARENA_ARRAY(a, double, n + 1), best = -1;
    int *members = ARENA_ARRAY(a, int, n + 1), best_at = 0, cap = 0;
    struct grower g = {.b = b, .rows = rows, .gradient = gradient, .width = width};
    g.gain = ARENA_ARRAY(a, double, b->tree_size);
    for (int i = 0; i < n; i++)
        predicted[i] = base;
    while (n > 0 && b->ntrees < o->rounds && (!o->patience || b->ntrees - best_at <= o->patience)) {
        if (b->ntrees == cap) {
            cap = cap ? 2 * cap : 64;
            struct boost_node *more = ARENA_ARRAY(a, struct boost_node, cap * b->tree_size);
            if (b->ntrees)
                memcpy(more, b->nodes, sizeof *more * (size_t)(b->ntrees * b->tree_size));
            b->nodes = more;
        }
        for (int i = 0; i < n; i++)
            gradient[i] = predicted[i] - labels[i];
        add_tree(b, a, &g, n, members);
        for (int i = 0; i < n; i++)
            predicted[i] += tree_value(g.tree, rows + (size_t)i * (size_t)width);
        double recall = o->patience ? boost_recall(a, predicted, labels, n, o->top) : 0;
        if (recall > best) {
            best = recall;
            best_at = b->ntrees;
        }
    }
}

double boost_predict(const struct boost *b, const double *row)
{
    double sum = base;
    for (int t = 0; t < b->ntrees; t++)
        sum += tree_value(b->nodes + (size_t)t * (size_t)b->tree_size, row);
    return sum;
}
