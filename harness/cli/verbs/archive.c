/* SPDX-License-Identifier: Apache-2.0 */
/* archive: the records of a run, small enough for the repository, beside its report. */
#include "harness/base/json.h"
#include "harness/cli/cli.h"
#include "harness/record/record_pack.h"

struct archive_options {
    double limit_mib;
};
static const struct setting options[] = {
    REAL_SETTING("--limit", struct archive_options, limit_mib, "4", 0.001, 1024,
                 "what the packed file may take; beyond it schedules of programs in no duel are left out",
                 .word = "MIB"),
    {0}};

#define PACKED struct record_packed, 0
static const struct json_member members[] = {
    MEMBER("file", "text", "The packed file."),
    FIELD("trials", PACKED, trials, "count", "Records in it."),
    FIELD("bytes", PACKED, bytes, "bytes", "Its size."),
    FIELD("reduced", PACKED, reduced, "true or false",
          "Whether schedules, scores and dates of trials in no duel were left out."),
    MEMBER("sha256", "text", "SHA-256 of the file, as results/runs.md has it."),
    {0}};

static bool run(struct cli *c, struct err *err)
{
    const struct archive_options *o = c->options;
    const char *dir = c->words[0];
    struct record_packed packed;
    if (!record_pack(dir, (size_t)(o->limit_mib * (1 << 20)), &packed, err))
        return false;
    const char *file = arena_printf(c->arena, "%s/records.db.xz", dir);
    if (c->json) {
        cJSON *out = json_object();
        json_put_fields(out, members, "", (const void *[]){&packed});
        json_put_str(out, "file", file);
        json_put_str(out, "sha256", packed.sha256);
        cli_print_json(out);
        return true;
    }
    struct text t = {0};
    text_printf(&t, "%s: %lld trials in %.0f KiB%s\nSHA-256 %s\n", file, (long long)packed.trials,
                (double)packed.bytes / 1024, packed.reduced ? ", without the schedules of programs in no duel" : "",
                packed.sha256);
    cli_print(&t);
    return true;
}

static const struct json_form forms[] = {JSON_FORM("raingauge archive DIR", members), {0}};

const struct verb verb_archive = {.name = "archive",
                                  .arguments = "DIR",
                                  .summary = "a run's records for the repository: records.db.xz, which all verbs read",
                                  .asks = "which run? its results folder",
                                  .needed = 1,
                                  .words = 1,
                                  VERB_OPTIONS(struct archive_options),
                                  .json = forms,
                                  .run = run};
