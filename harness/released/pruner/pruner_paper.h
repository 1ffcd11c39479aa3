/* SPDX-License-Identifier: Apache-2.0 */
/* pruner_paper: arXiv 2402.02361 among the papers with released files. */
#pragma once
#include "harness/released/released_paper.h"

extern const struct json_member pruner_members[];
extern const struct released_paper pruner_paper;
