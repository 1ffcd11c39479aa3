/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_double: runs a test with the doubles of NVIDIA's libraries (tests/doubles) in the place of the real ones. */
#pragma once
#include "harness/plug/target.h"
#include "tests/lib/random_schedule.h"

/* Called first in main: starts this program again with the doubles in front of all libraries, once. */
void cuda_double_enter(char **argv);
/* Path of the double of NVRTC, which makes code that the double of the driver can run. Static. */
const char *cuda_double_nvrtc(void);
/* Lets the double of the driver forget an error that stays, as a new process would. */
void cuda_double_forget(void);

#define CUDA_DOUBLE_SPEC "matmul n=8 m=8 k=4" /* the only task of what follows */
struct cuda_opened {
    struct arena *arena;
    void *self;
    struct target_env env;
    struct limits limits;
    struct err err;
};
const struct target *cuda_double_target(void);
/* Opens target cuda with the double of NVRTC and these settings; false: o->err says why. */
bool cuda_double_open(struct cuda_opened *o, enum target_use use, const char *settings);
void cuda_double_close(struct cuda_opened *o, bool was_open);
/* Every element by a thread of its own, in two blocks of 32. */
struct candidate cuda_double_candidate(struct arena *a, const char *spec);

/* That program, opened, built and loaded on a driver that is as CUDA_DOUBLE says; outcome and message are the last. */
struct cuda_loaded {
    struct cuda_opened o;
    struct blob object;
    void *kernel;
    enum outcome outcome;
    char message[SAMPLE_MESSAGE];
    struct trial_task t;
};
void cuda_double_load(struct cuda_loaded *l, const char *driver);
void cuda_double_unload(struct cuda_loaded *l);
/* Seconds of so many calls. */
double cuda_double_run(struct cuda_loaded *l, int number);
