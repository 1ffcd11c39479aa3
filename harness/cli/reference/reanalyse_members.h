/* SPDX-License-Identifier: Apache-2.0 */
/* reanalyse_members: the JSON members of reanalyse. A list is empty where the folder has no such files. */
#pragma once
#include "harness/cli/cli.h"

extern const struct json_member reanalyse_members[], reanalyse_pruner_members[];
