/* SPDX-License-Identifier: Apache-2.0 */
/* bash_completion: a completion script for bash, from the tables of the verbs: verbs, options, the choices of their
 * values, and the names that `raingauge list` knows. */
#pragma once
#include "harness/base/text.h"

void bash_completion(struct text *t);
