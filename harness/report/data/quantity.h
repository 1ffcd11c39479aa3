/* SPDX-License-Identifier: Apache-2.0 */
/* quantity: the table of ratios: each is one measure over another, of two cells of the same network and seed. Within
 * one arm both cells are the same. Every ratio is above 1 in favour of the cell below the line. */
#pragma once
#include "harness/report/data/results.h"

enum quantity {
    /* of one arm against its explorer's full run */
    QUANTITY_KERNEL,
    QUANTITY_KERNEL_CALLS,
    QUANTITY_RETIMED,
    QUANTITY_RETIMED_CALLS,
    QUANTITY_EACH,
    QUANTITY_EACH_RETIMED,
    QUANTITY_OWN,
    QUANTITY_SEARCH_WALL, /* in the order of enum search_clock */
    QUANTITY_SEARCH_RECORDS,
    QUANTITY_SEARCH_SUM,
    QUANTITY_SEARCH_DEVICE,
    QUANTITY_SEARCH_CPU,
    /* of its seeds: the explorer stopped after k records, against its full run */
    QUANTITY_K_KERNEL,
    QUANTITY_K_KERNEL_CALLS,
    QUANTITY_K_SEARCH_WALL,
    QUANTITY_K_SEARCH_RECORDS,
    QUANTITY_K_SEARCH_SUM,
    QUANTITY_K_SEARCH_DEVICE,
    QUANTITY_K_SEARCH_CPU,
    /* of the arm against its seeds */
    QUANTITY_GAIN,
    QUANTITY_GAIN_CALLS,
    QUANTITY_TIMING_GAIN,
    QUANTITY_TIMING_GAIN_CALLS,
    QUANTITY_SEARCH_GAIN,
    QUANTITY_SEARCH_GAIN_CALLS,
    QUANTITY_OF_ARM, /* how many these are */
    /* of one arm against another that starts from the same records */
    QUANTITY_PAIR_KERNEL = QUANTITY_OF_ARM,
    QUANTITY_PAIR_RETIMED,
    QUANTITY_PAIR_EACH,
    QUANTITY_PAIR_EACH_RETIMED,
    QUANTITY_PAIR_RECORDS,
    QUANTITY_PAIR_WALL,
    /* of control arms: a descent's seeds (the cut) against a run of its own with k trials a kernel; descents from
     * either; seeds as recorded against seeds measured again, and these against the descent */
    QUANTITY_SEPARATE_KERNEL,
    QUANTITY_SEPARATE_SEARCH,
    QUANTITY_SEPARATE_DESCENT,
    QUANTITY_REMEASURE_GAIN,
    QUANTITY_REMEASURE_SEARCH,
    QUANTITY_COUNT
};
bool quantity_by_kernel(enum quantity q);  /* each kernel is a value, all alike; else kernel sums and cell clocks */
bool quantity_is_main(enum quantity q);    /* with interval and test in every row; else the ratio alone */
bool quantity_is_retimed(enum quantity q); /* of re-timed programs */
/* kernel: of a quantity by kernel; -1: of another; of one by kernel the geometric mean over them. NAN: not known. */
double quantity_value(enum quantity q, const struct cell_result *over, const struct cell_result *under, int kernel);
