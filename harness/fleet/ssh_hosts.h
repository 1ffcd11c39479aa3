/* SPDX-License-Identifier: Apache-2.0 */
/* ssh_hosts: shards on hosts without a scheduler, one at a time on each. The program is installed there as for one host
 * (harness/measure/remote/install.h) and runs the shard by itself; its records are brought here when it is done. A run
 * ends with its connection, and so with the gatherer. A host that cannot be reached any more gives its shard to
 * another, which begins it anew: what it recorded stays there, and --resume asks the same host first. */
#pragma once
#include "harness/fleet/fleet_engine.h"

extern const struct fleet_engine ssh_engine;
