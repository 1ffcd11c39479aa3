/* SPDX-License-Identifier: Apache-2.0 */
/* slurm: shards as tasks of a job array. Needed: sbatch, squeue and sinfo on this machine, and results folder, program
 * and experiments on a file system that the nodes share, with locks (NFS 4, Lustre with flock). slurmdbd is not. */
#pragma once
#include "harness/fleet/fleet_engine.h"

extern const struct fleet_engine slurm_engine;
