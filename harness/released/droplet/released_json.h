/* SPDX-License-Identifier: Apache-2.0 */
/* released_json: a reanalysis for scripts, every table whole. A number that is not there is null. */
#pragma once
#include "harness/base/json.h"
#include "harness/released/droplet/released_claims.h"

extern const struct json_member droplet_members[];
/* The caller deletes it. */
cJSON *released_json(const struct reanalysis *x, const struct outliers *s, const struct released_claims *c);
