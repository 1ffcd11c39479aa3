/* SPDX-License-Identifier: Apache-2.0 */
/* slurm: shards as tasks of a job array. Needed: sbatch, squeue and sinfo on this machine, and results folder, program
 * and experiments on a file system that the nodes share, with locks (NFS 4, Lustre with flock). slurmdbd is not. */
#pragma once
#include "harness/fleet/fleet_engine.h"

extern const struct fleet_engine slurm_engine;
/* May a partition or a constraint be named so? Letters, digits and what Slurm's own expressions have; nothing that a
 * shell would take for something else gets further than the head of the script. */
MUST_CHECK bool slurm_word_check(const char *option, const char *word, struct err *err);
