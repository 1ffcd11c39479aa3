/* SPDX-License-Identifier: Apache-2.0 */
/* The results of this tree are of its experiments: the hash in each report.json is that of its experiment, tier and
 * code generator. A change of an experiment file, of a network or of how is hashed makes results unreadable. */
#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/experiment/experiment.h"
#include "models/models.h"
#include "search/searchers.h"
#include "targets/targets.h"
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

static const struct {
    const char *name, *tier, *folder; /* below results/<name>/<tier> */
    const char *set;                  /* NULL: none */
} ROWS[] = {
    {"exploiters", "short", "", NULL},
    {"landscape", "short", "fast", "target_settings.codegen=fast"},
    {"landscape", "short", "tvm", "target_settings.codegen=tvm"},
    {"micro", "short", "", NULL},
    {"parity", "direction", "", NULL},
    {"parity", "short", "", NULL},
    {"race", "short", "", NULL},
    {"speculation", "short", "", NULL},
    {"table3", "direction", "", NULL},
};

/* Of a report; "" where it cannot be read. */
static const char *hash_of_results(struct arena *a, const char *path)
{
    char *text;
    size_t n;
    struct err err = {0};
    cJSON *json = file_read(a, path, 0, &text, &n, &err) ? json_parse(text, n, path, &err) : NULL;
    const char *hash = arena_str(a, json_str(json, "hash", ""));
    cJSON_Delete(json);
    return hash;
}

int main(void)
{
    struct registry registry = {.searchers = searchers_table(),
                                .models = models_table(),
                                .targets = targets_table(),
                                .collectors = collectors_table()};
    struct err err = {0};
    if (!registry_model(&registry, "xgb", &err) || !registry_target(&registry, "cpu", &err))
        skip_all("%s", err.text);
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        struct experiment_options o = {.folder = "experiments",
                                       .name = ROWS[i].name,
                                       .tier = ROWS[i].tier,
                                       .sets = &ROWS[i].set,
                                       .nsets = ROWS[i].set ? 1 : 0};
        const char *folder = arena_printf(scratch, "%s/%s/%s/%s", file_exists("expected") ? "expected" : "results",
                                          o.name, o.tier, ROWS[i].folder); /* a package has ours in expected/ */
        struct experiment *e;
        if (!experiment_load(scratch, &registry, &o, &e, &err))
            fail("%s, tier '%s', loads: %s", o.name, o.tier, err.text);
        else
            is_str(e->plan.experiment_hash, hash_of_results(scratch, file_join(scratch, folder, "report.json")),
                   "%s is of experiment '%s'", folder, o.name);
        arena_reset(scratch);
    }
    return done_testing();
}
