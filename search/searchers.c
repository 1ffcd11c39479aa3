/* SPDX-License-Identifier: Apache-2.0 */
/* searchers: two lines per searcher: its declaration and its row. */
#include "search/searchers.h"

extern const struct searcher searcher_annealing;
extern const struct searcher searcher_ansor;
extern const struct searcher searcher_droplet;
extern const struct searcher searcher_genetic;
extern const struct searcher searcher_grid;
extern const struct searcher searcher_lottery;
extern const struct searcher searcher_metaschedule;
extern const struct searcher searcher_random;
extern const struct searcher searcher_raster;
extern const struct searcher searcher_remeasure;

static const struct searcher *const table[] = {
    &searcher_ansor,
    &searcher_metaschedule,
    &searcher_droplet,
    &searcher_random,
    &searcher_grid,
    &searcher_raster,
    &searcher_lottery,
    &searcher_genetic,
    &searcher_annealing,
    &searcher_remeasure,
    NULL,
};

const struct searcher *const *searchers_table(void)
{
    return table;
}
