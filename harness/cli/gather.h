/* SPDX-License-Identifier: Apache-2.0 */
/* gather: the tables of the branches search, models and targets, which only cli sees, and what this binary was linked
 * with. */
#pragma once
#include "harness/base/json.h"
#include "harness/plug/registry.h"

struct registry gather_registry(void);
cJSON *gather_versions(void);      /* {"llvm": "19.1.7", ...} of what is linked in; the caller deletes it */
const char *gather_features(void); /* "+llvm +xgboost -papi ..." */
