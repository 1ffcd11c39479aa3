/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as a task spec: refused with a message, or a task whose canonical spec gives the same task again. */
#include "harness/program/ops/task.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a = arena_open("fuzz");
    struct task *t, *again;
    struct err err = {0};
    char *spec = arena_strn(a, (const char *)data, size);
    if (!task_parse(a, spec, &t, &err)) {
        if (!err.text[0])
            abort();
    } else if (!task_parse(a, t->spec, &again, &err) || again->hash != t->hash || strcmp(again->spec, t->spec) != 0) {
        abort();
    }
    arena_close(a);
    return 0;
}
