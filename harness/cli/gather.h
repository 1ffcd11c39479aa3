/* SPDX-License-Identifier: Apache-2.0 */
/* gather: builds the registry from the branches' tables: the only place that sees search, models and targets. */
#pragma once
#include "harness/plug/registry.h"

struct registry gather_kit(void);
void gather_versions(struct text *json_members); /* "\"llvm\": \"19.1.7\", ..." of what is linked in */
const char *gather_features(void);               /* "+llvm +xgboost -papi ..." */
