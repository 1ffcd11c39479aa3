/* SPDX-License-Identifier: Apache-2.0 */
/* droplet_paper: arXiv 2406.20037 among the papers with released files. */
#pragma once
#include "harness/released/released_paper.h"

extern const struct released_paper droplet_paper;
