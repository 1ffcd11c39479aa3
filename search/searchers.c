/* SPDX-License-Identifier: Apache-2.0 */
/* searchers: two lines per searcher: its declaration and its row. */
#include "search/searchers.h"

extern const struct searcher searcher_xgb_annealing;
extern const struct searcher searcher_ansor;
extern const struct searcher searcher_droplet;
extern const struct searcher searcher_exec;
extern const struct searcher searcher_genetic;
extern const struct searcher searcher_grid;
extern const struct searcher searcher_imported;
extern const struct searcher searcher_knob_random;
extern const struct searcher searcher_metaschedule;
extern const struct searcher searcher_pool;
extern const struct searcher searcher_pruner;
extern const struct searcher searcher_random;
extern const struct searcher searcher_knob_grid;
extern const struct searcher searcher_remeasure;

static const struct searcher *const table[] = {
    &searcher_ansor,     &searcher_metaschedule, &searcher_pruner,      &searcher_droplet,  &searcher_random,
    &searcher_grid,      &searcher_knob_grid,    &searcher_knob_random, &searcher_genetic,  &searcher_xgb_annealing,
    &searcher_remeasure, &searcher_pool,         &searcher_exec,        &searcher_imported, NULL,
};

const struct searcher *const *searchers_table(void)
{
    return table;
}
