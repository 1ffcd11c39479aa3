/* SPDX-License-Identifier: Apache-2.0 */
/* opencl: programs of every GPU sketch of every operator, as target opencl builds and runs them (on PoCL where there is
 * no GPU), give what the graph computes; so does the reference (tests/lib/gpu_programs.h). For `make gpu-check`
 * RAINGAUGE_GPU_TARGET names another target; with RAINGAUGE_GPU_DOUBLE that is a double, which runs no PTX. */
#include "tests/lib/gpu_programs.h"
#include "tests/lib/tap.h"

#include <stdlib.h>

int main(void)
{
    struct gpu_programs b = {0};
    struct err err = {0};
    const char *named = getenv("RAINGAUGE_GPU_TARGET"), *target = named ? named : "opencl";
    if (!gpu_programs_open(&b, target, GPU_PROGRAMS_SMALL, &err))
        skip_all("%s", err.text);
    ok(b.limits.threads_per_block == 16 && b.limits.shared_bytes == 2048 && b.limits.warp_size == 4,
       "the settings bound the device's limits");
    gpu_programs_close(&b);
    gpu_programs_check(target, "", !getenv("RAINGAUGE_GPU_DOUBLE"));
    return done_testing();
}
