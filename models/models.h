/* SPDX-License-Identifier: Apache-2.0 */
/* models: the table of cost models in this binary. */
#pragma once
#include "harness/plug/model.h"

const struct model *const *models_table(void); /* ended by NULL */
