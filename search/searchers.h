/* SPDX-License-Identifier: Apache-2.0 */
/* searchers: the table of searchers in this binary. */
#pragma once
#include "harness/plug/searcher.h"

const struct searcher *const *searchers_table(void); /* ended by NULL */
