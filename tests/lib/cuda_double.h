/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_double: runs a test with the doubles of NVIDIA's libraries (tests/doubles) in the place of the real ones. */
#pragma once

/* Called first in main: starts this program again with the doubles in front of all libraries, once. */
void cuda_double_enter(char **argv);
/* Path of the double of NVRTC, which makes code that the double of the driver can run. Static. */
const char *cuda_double_nvrtc(void);
/* Lets the double of the driver forget an error that stays, as a new process would. */
void cuda_double_forget(void);
