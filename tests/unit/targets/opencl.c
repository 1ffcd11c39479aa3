/* SPDX-License-Identifier: Apache-2.0 */
/* opencl: programs of every GPU sketch of every operator, as target opencl builds and runs them (on PoCL where there is
 * no GPU), give what the graph computes; so does the reference (tests/lib/gpu_programs.h). For `make gpu-check`
 * RAINGAUGE_GPU_TARGET names another target. */
#include "tests/lib/gpu_programs.h"
#include "tests/lib/tap.h"

#include <stdlib.h>

/* PoCL names its devices so; of another device this machine cannot say what it is to say. */
static void check_apart(const struct gpu_programs *b)
{
    cJSON *about = json_object();
    b->target->describe(b->self, about);
    const char *device = json_str(about, "device", "");
    if (str_starts(device, "pthread") || str_starts(device, "cpu"))
        ok(!b->target->runs_apart(b->self), "device '%s' runs kernels on the cores that build", device);
    else
        skip("no device of PoCL", "whether kernels run on the cores that build");
    cJSON_Delete(about);
}

int main(void)
{
    struct gpu_programs b = {0};
    struct err err = {0};
    const char *named = getenv("RAINGAUGE_GPU_TARGET"), *target = named ? named : "opencl";
    if (!gpu_programs_open(&b, target, GPU_PROGRAMS_SMALL, &err))
        skip_all("%s", err.text);
    ok(b.limits.threads_per_block == 16 && b.limits.shared_bytes == 2048 && b.limits.warp_size == 4,
       "the settings bound the device's limits");
    check_apart(&b);
    gpu_programs_close(&b);
    gpu_programs_check(target, "");
    return done_testing();
}
