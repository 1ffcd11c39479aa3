/* SPDX-License-Identifier: Apache-2.0 */
/* pretraining: the median takes the place of the mean since a recording may have been made beside other work. */
#include "models/pretraining.h"

#include "harness/base/digest.h"
#include "harness/base/file.h"
#include "harness/program/lower/bound.h"
#include "harness/program/schedule/schedule.h"
#include "harness/stats/summary.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct pretraining_reader {
    struct arena *scratch;
    struct task **tasks;
    struct pretraining *out;
};

/* A row as candidate and sample; false: it holds no time, or its steps do not apply. */
static bool take_row(struct pretraining_reader *of, const struct recorded *row)
{
    struct pretraining *out = of->out;
    const struct task *task = of->tasks[row->task];
    struct err ignored;
    struct state *s;
    if (row->outcome != OUTCOME_OK || row->nseconds == 0)
        return false;
    double median = summary_median(row->seconds, row->nseconds);
    arena_reset(of->scratch);
    if (!(median > 0) || !isfinite(median) || !state_replay(of->scratch, task, row->steps, row->nsteps, &s, &ignored) ||
        !bound_infer(s, &ignored))
        return false;
    out->candidates[out->n] = (struct candidate){task, row->steps, row->nsteps, state_hash(s), NAN};
    out->samples[out->n++] = (struct sample){.outcome = OUTCOME_OK, .nseconds = 1, .seconds = {median}};
    return true;
}

bool pretraining_read(struct arena *a, const char *path, struct pretraining *out, struct err *err)
{
    struct recording r;
    if (!recording_read(a, path, false, &r, err))
        return false;
    struct pretraining_reader of = {NULL, ARENA_ARRAY(a, struct task *, r.head.ntasks + 1), out};
    *out = (struct pretraining){.candidates = ARENA_ARRAY(a, struct candidate, r.n + 1),
                                .samples = ARENA_ARRAY(a, struct sample, r.n + 1),
                                .kernels = r.head.ntasks};
    snprintf(out->digest, sizeof out->digest, "%s", r.digest);
    for (int i = 0; i < r.head.ntasks; i++)
        if (!task_parse(a, r.head.tasks[i].spec, &of.tasks[i], err))
            return err_context(err, "'%s'", path);
    of.scratch = arena_open("pre-training");
    for (int i = 0; i < r.n; i++)
        out->refused += !take_row(&of, &r.rows[i]);
    arena_close(of.scratch);
    return out->n > 0 || err_set(err, "'%s' holds no program to train on", path);
}

const char *pretraining_file(struct arena *a, const char *folder, const char *words)
{
    char hex[65];
    digest_sha256(words, strlen(words), hex);
    return file_join(a, folder, arena_printf(a, "pretrained-%.16s.net", hex));
}
