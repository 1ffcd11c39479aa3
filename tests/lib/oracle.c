/* SPDX-License-Identifier: Apache-2.0 */
/* oracle: see oracle.h. */
#include "tests/lib/oracle.h"

#include "harness/record/tvm/record_task.h"
#include "tests/lib/tap.h"

#include <stdlib.h>

bool oracle_open(struct oracle *o, const char *name)
{
    char path[120];
    snprintf(path, sizeof path, "data/tvm_oracle/%s_states.jsonl", name);
    const char *at = shared_path(path);
    *o = (struct oracle){.f = at ? fopen(at, "re") : NULL};
    if (!o->f)
        skip("the published data is not here (RAINGAUGE_SHARED)", "TVM's answers in %s are ours", path);
    return o->f;
}

bool oracle_next(struct oracle *o, struct arena *a)
{
    struct err err = {0};
    ssize_t n = getline(&o->line, &o->cap, o->f);
    cJSON_Delete(o->json);
    if (n <= 0) {
        free(o->line);
        fclose(o->f);
        return false;
    }
    o->number++;
    o->json = json_parse(o->line, (size_t)n, "record", &err);
    if (!o->json || !tvm_log_parse(a, o->line, (size_t)n, &o->e, &err))
        bug("record %d: %s", o->number, err.text);
    o->spec = o->e.label ? record_task_case(o->e.label) : o->e.spec;
    if (!o->spec)
        bug("record %d has no kernel", o->number);
    return true;
}
