/* SPDX-License-Identifier: Apache-2.0 */
/* sketches: prints how many sketches each task spec on the command line has, one number a line, for tvmpeer.py to set
 * beside TVM's. No verb of raingauge tells this number: people tune without it. */
#include "search/sketch/space.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    /* TVM's SketchPolicy.DEFAULT_PARAMS; 8 cores as in the oracle, the count does not depend on them. */
    const struct space_options defaults = {.max_vectorize = 16, .cpu_structure = "SSRSRS", .gpu_structure = "SSSRRSRS"};
    const struct limits limits = limits_cpu(8);
    struct arena *a = arena_open("sketches");
    for (int i = 1; i < argc; i++) {
        struct err err = {0};
        struct task *task;
        struct space space;
        if (!task_parse(a, argv[i], &task, &err) || !space_open(&space, a, task, &limits, &defaults, &err)) {
            fprintf(stderr, "sketches: %s\n", err.text);
            return 2;
        }
        printf("%d\n", space.nsketches);
    }
    arena_close(a);
    return 0;
}
