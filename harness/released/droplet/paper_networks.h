/* SPDX-License-Identifier: Apache-2.0 */
/* paper_networks: the 20 networks of arXiv 2406.20037 and how many distinct kernels each has (the same
 * count on all four machines), in the order of the authors' scripts. What a released table of a network must hold. */
#pragma once

enum { PAPER_NETWORKS = 20, PAPER_KERNELS = 815 };
struct paper_network {
    const char *name;
    int kernels;
};
extern const struct paper_network paper_networks[PAPER_NETWORKS];

/* Position, or -1. A word of n letters means a network when it is its name, or, from five letters on, when it starts
 * the name of exactly one ("Mnasnet", "inception"); capital letters do not matter. */
int paper_network_find(const char *word, int n);
int paper_network_place(const char *name); /* of exactly this name, or -1 */
