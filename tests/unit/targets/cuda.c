/* SPDX-License-Identifier: Apache-2.0 */
/* cuda: target cuda on doubles of the driver and of NVRTC (tests/doubles): programs of every GPU sketch of every
 * operator give what the graph computes when their CUDA C runs on the host, fragments for tensor cores included
 * (tests/doubles/fragment_shim.h). */
#include "tests/lib/cuda_double.h"
#include "tests/lib/gpu_programs.h"
#include "tests/lib/tap.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    char settings[512];
    (void)argc;
    cuda_double_enter(argv);
    snprintf(settings, sizeof settings, ",nvrtc=%s", cuda_double_nvrtc());
    gpu_programs_check("cuda", settings);
    return done_testing();
}
