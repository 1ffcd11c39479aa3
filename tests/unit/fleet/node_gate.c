/* SPDX-License-Identifier: Apache-2.0 */
/* node_gate: all shards of a fleet are measured on the processor of the first that began. Whether this machine is quiet
 * is not asked of a test. */
#include "harness/fleet/node_gate.h"
#include "harness/base/file.h"
#include "tests/lib/fixture_memory.h"
#include "tests/lib/tap.h"

#include <string.h>

static const struct machine here = {.name = "host", .detected = true};

static bool passes(const char *processor, const struct machine *m, struct err *err)
{
    *err = (struct err){0};
    return node_gate(&(struct node_gate){.processor = processor, .program = "p", .wanted = "p", .machine = m}, err) ||
           strstr(err->text, "other work takes") || strstr(err->text, "A/A: ");
}

int main(void)
{
    struct err err;
    const char *dir = fixture_folder(), *path = file_join(arena, dir, "processor");
    ok(passes(path, &here, &err), "the first node passes: %s", err.text);
    const char *own = fixture_read(path);
    ok(strchr(own, ',') && own[strlen(own) - 1] == '\n', "the first node's processor stands in the file: %s", own);
    char **names;
    int n = 0;
    is_int(file_list(arena, dir, "", &names, &n, &err) ? n : -1, 1, "no other file is left");
    ok(passes(path, &here, &err), "a node of the same processor passes: %s", err.text);
    fixture_must(file_write(path, "sparc, Other\n", 13, &err), &err);
    ok(!passes(path, &here, &err) && strstr(err.text, "are measured on 'sparc, Other'"),
       "a node of another processor is refused: %s", err.text);
    is_int(err.code, EXIT_ENVIRONMENT, "with the exit status of a node that will not do");
    ok(!strcmp(fixture_read(path), "sparc, Other\n"), "the file is the first one's");
    ok(passes(path, NULL, &err), "of a virtual target the processor does not matter: %s", err.text);
    const char *none = file_join(arena, dir, "none/processor");
    ok(!passes(none, &here, &err) && strstr(err.text, "none/processor"), "a folder that is not there: %s", err.text);
    return done_testing();
}
