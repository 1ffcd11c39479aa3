/* SPDX-License-Identifier: Apache-2.0 */
/* suite: the 20 networks of arXiv 2406.20037 and how many distinct kernels each has (droplet.md 1.1: the same count on
 * all four machines), in the order of the authors' scripts. What a released table of a network must hold. */
#pragma once

enum { SUITE_NETWORKS = 20, SUITE_KERNELS = 815 };
struct suite_network {
    const char *name;
    int kernels;
};
extern const struct suite_network suite[SUITE_NETWORKS];

/* Position, or -1. A word of n letters means a network when it is its name, or, from five letters on, when it starts
 * the name of exactly one ("Mnasnet", "inception"); capital letters do not matter. */
int suite_find(const char *word, int n);
int suite_place(const char *name); /* of exactly this name, or -1 */
