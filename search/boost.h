/* SPDX-License-Identifier: Apache-2.0 */
/* boost: gradient-boosted regression trees for a few hundred rows of a few dozen columns: the cost model inside
 * AutoTVM's XGBTuner, which is one for each task and sees knob values (xgboost_cost_model.py, feature type 'knob', loss
 * 'reg'). Cost models of programs, which share what they learn among tasks, live in models/.
 *
 * Source: exact greedy splits and leaves of Chen and Guestrin, XGBoost (KDD 2016), eq. 5 to 7; tests/test_boost.c
 * compares with the library. */
#pragma once
#include "harness/base/arena.h"

struct boost_options {
    int rounds, depth;                /* trees at most; 1 to 8 */
    double eta, lambda, gamma, child; /* step, L2 of leaves, least gain, least rows of a leaf */
    int top;                          /* a tree is the last when the average recall of the best `top` rows ... */
    int patience;                     /* ... has not risen for so many trees; 0: all rounds */
};
struct boost_node {
    int column;              /* -1: leaf */
    double threshold, value; /* below goes left, to 2i+1; value of a leaf, eta applied */
};
struct boost {
    struct boost_options options;
    struct boost_node *nodes; /* ntrees full binary trees */
    int ntrees, tree_size;
};

/* rows: n x width, labels: n. Memory in a. */
void boost_fit(struct boost *b, struct arena *a, const struct boost_options *o, const double *rows,
               const double *labels, int n, int width);
double boost_predict(const struct boost *b, const double *row);
/* AutoTVM's a-recall@top (metric.py): mean over i < top of the share of the i + 1 truly best rows that stand among the
 * first i places of the predicted order, both orders descending. */
double boost_recall(struct arena *a, const double *predicted, const double *labels, int n, int top);
