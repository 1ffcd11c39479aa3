/* SPDX-License-Identifier: Apache-2.0 */
/* target: the interface of machines that run kernels. A plug-in is one .c file that exports one const struct target,
 * and a line in targets.c. build runs in a build worker, load, run and drop in the runner: processes that may crash
 * (harness/measure). */
#pragma once
#include "harness/base/err.h"
#include "harness/base/file_cache.h"
#include "harness/base/json.h"
#include "harness/base/settings.h"
#include "harness/base/text.h"
#include "harness/plug/candidate.h"
#include "harness/plug/sample.h"
#include "harness/program/lower/lower.h"
#include "harness/program/schedule/limits.h"

/* What an opened target is for. A driver that must not be started before a fork is started in runners only. */
enum target_use {
    TARGET_EXAMINED, /* can kernels run here, on what, within which limits? */
    TARGET_BUILDS,   /* build, reference and print; the device may be absent where settings say what it is */
    TARGET_RUNS      /* load, run and drop, in a runner */
};
struct target_env {
    const void *options; /* parsed settings */
    int threads;         /* threads that kernels may use; 0: all online cores */
    enum layout_mode layout;
    /* For virtual targets, whose noise is that of a process: another number, other noise. 0: the process of a search.
     * It may change between two loads. */
    uint64_t process;
    enum target_use use;
    struct file_cache *objects; /* of TARGET_BUILDS: where what was built is kept, to be built once; NULL: nowhere */
};

struct blob { /* object code or whatever load understands; malloc'd */
    void *bytes;
    size_t n;
    double cached_s; /* of a build that was found in env->objects: s that it would have taken more; 0: it was made */
};

struct exported { /* a program as code that needs nothing of raingauge */
    struct text code;
    int threads;                        /* that a parallel loop is cut for */
    int64_t shared_bytes, thread_bytes; /* memory that it works in: once, and for each thread */
};

struct target {
    const char *name, *summary;
    const struct setting *settings;
    size_t options_size, state_size;
    /* No real time passes: run answers seconds of a formula, nothing is verified, time is the sum of costs. */
    bool is_virtual;
    /* Its driver compiles, makes files or starts programs when it loads a kernel: the runner keeps its rights
     * (harness/base/confine). */
    bool loads_freely;
    bool is_emulated;  /* what kernels compute is checked, and nothing is timed: a time would say nothing */
    bool run_prepares; /* run moves or reorders data outside of the seconds it reports */
    /* Kernels work on copies of the arguments, which run makes: they reach nothing of the host's, and each set of
     * inputs comes to the same place. From load to drop the bytes of an input stay as they are. */
    bool copies_arguments;
    /* Loads or finds out what workers shall share, in the process that forks them, before the first one; NULL: nothing.
     * options: as open gets them. What fails here is tried again, and told, by the first worker. */
    MUST_CHECK bool (*preload)(const void *options, struct err *err);
    /* Probes the machine, fills limits; false says why the target cannot work here. env outlives self. */
    MUST_CHECK bool (*open)(void *self, struct target_env *env, struct limits *limits, struct err *err);
    /* OUTCOME_OK, or an outcome with message. */
    enum outcome (*build)(void *self, const struct candidate *c, struct blob *object, char message[SAMPLE_MESSAGE]);
    /* Of a recorded device: how the last build was answered. NULL: it is none. Virtual targets only. */
    enum recorded_answer (*answered)(const void *self);
    enum outcome (*load)(void *self, const struct candidate *c, const struct blob *object, void **kernel,
                         char message[SAMPLE_MESSAGE]);
    /* Calls the kernel number times back to back; args are host pointers, output last, weights packed as lower() says.
     * *seconds: total of the calls. The trunk compares it with the time that run took (harness/measure/kernel_check.h),
     * unless the target says that run does more than the calls. After OUTCOME_CRASHED this process is not trusted: the
     * next kernel gets a new runner. */
    enum outcome (*run)(void *self, void *kernel, void *const *args, int number, double *seconds,
                        char message[SAMPLE_MESSAGE]);
    void (*drop)(void *self, void *kernel);
    /* The next run shall find nothing of its arguments in the device's caches; emptying them is in no seconds. NULL:
     * kernels read the host's memory, and the trunk flushes the arguments from its caches. */
    void (*flush)(void *self);
    /* The unscheduled program as a kernel: compiled, or NULL: the interpreter is the reference. */
    enum outcome (*reference)(void *self, const struct task *task, struct blob *object, char message[SAMPLE_MESSAGE]);
    /* For the test whether a result is possible: FLOP/s of all threads, and bytes/s from the nearest cache; 0: unknown.
     * Measured at every call, since other programs on the machine change them. */
    double (*peak_flops)(void *self);
    double (*peak_bandwidth)(void *self);
    /* Do kernels run where they leave the host's cores alone, so that a build beside them costs their times nothing?
     * Asked in a runner. NULL: no. */
    bool (*runs_apart)(const void *self);
    /* Do kernels keep to as many cores as they have threads, so that builds may go on beside runs on the other cores?
     * Asked of the options before workers are started. NULL: no. */
    bool (*keeps_cores)(const void *options);
    /* What a build makes of a loop nest, as text, in one of the forms ("llvm", "asm"; ended by NULL); NULL: nothing can
     * be shown. */
    const char *const *forms;
    MUST_CHECK bool (*print)(void *self, const struct nest *n, const char *form, struct text *out, struct err *err);
    /* A program as code for other programs, in one of the forms ("c", "llvm", "object"; ended by NULL). symbol: what
     * the function is called that takes the tensors, weights packed as the nest says, and the memory to work in, the
     * threads' part behind the shared one. In C it is static, and called raingauge_kernel(char *tensors, char *shared,
     * char *threads). NULL: there is none. */
    const char *const *exports;
    MUST_CHECK bool (*export)(void *self, const struct nest *n, const char *form, const char *symbol,
                              struct exported *out, struct err *err);
    /* Puts "cpu", "features" and so on into a JSON object. A GPU puts "gpu", its name as the driver says it, and
     * "gpu_memory_gib": by them its machine's file (match) knows it in old results. May be NULL. */
    void (*describe)(void *self, cJSON *object);
    void (*close)(void *self);
};
