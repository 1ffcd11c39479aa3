/* SPDX-License-Identifier: Apache-2.0 */
/* fleet_job: the file by which a fleet is found again, <results>/fleet/job.json. It is written before anything is
 * submitted. What became of a shard is not in it: the scheduler and the shard's records say that. */
#pragma once
#include "harness/base/arena.h"
#include "harness/base/err.h"

enum { FLEET_SHARDS_MOST = 4096, FLEET_JOB_NAME = 64 };
struct fleet_job {
    const char *name;       /* of the job, no other has it: "raingauge-table3-0123456789ab" */
    const char *on;         /* --on */
    const char *program;    /* identity of the one that shards run (harness/measure/remote/identity.h) */
    const char *experiment; /* SHA-256 of what is run */
    int shards;
};
/* A name of a job or of a node: letters, digits, '.', '_' and '-', no '-' first. */
bool fleet_name_fine(const char *name);
/* Such a name of the first most - 1 bytes of words, in a: '_' stands for what may not be in it. */
char *fleet_name_of(struct arena *a, const char *words, size_t most);
MUST_CHECK bool fleet_job_write(const char *path, const struct fleet_job *job, struct err *err);
/* Strict: each member once, and no other. Errors name the file and say how to do without it. Texts in a. */
MUST_CHECK bool fleet_job_read(struct arena *a, const char *path, struct fleet_job *out, struct err *err);
