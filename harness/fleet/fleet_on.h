/* SPDX-License-Identifier: Apache-2.0 */
/* fleet_on: which engine --on names: "slurm", "slurm:PARTITION", "ssh:HOST,HOST", and settings after that. */
#pragma once
#include "harness/fleet/fleet_engine.h"

/* *engine NULL: it names one host, or no engine (then remote_host_parse says what is wrong). Texts in a. */
MUST_CHECK bool fleet_on_parse(struct arena *a, const char *text, struct fleet_on *out,
                               const struct fleet_engine **engine, struct err *err);
