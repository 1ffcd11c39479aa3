/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_check: a loaded kernel that is run and checked, in the runner. Whoever times a kernel calls, in this order:
 *
 *   kernel_check_open    once
 *   kernel_check_first   once: a checked call on the inputs CHECK
 *   kernel_check_poison  before each timed run of calls, and before a cache flush
 *   kernel_check_run     the timed run of calls itself
 *   kernel_check_repeat  after each reading that is kept
 *   kernel_check_last    once, after the last reading
 *
 * What each finds (the timed span itself gets no work):
 *   poison: the output is filled with poison, so a kernel that computes only at first leaves it unwritten. One reading,
 *     drawn by the system's random numbers, and the last are compared with the reference.
 *   run: the system's own clock is read around the target's. Seconds that it does not bear out, six times in a row, are
 *     a wrong answer.
 *   last: the output once more. Then one random element of it is poisoned and one more call must write it: a kernel
 *     that looks whether there is work left does not. Then the contents of the inputs TIME and CHECK change places, and
 *     one more call must give CHECK's output: a kernel that keeps its output by its arguments' addresses does not.
 *     A target that copies its arguments has one place for both; the contents stay where they are.
 *     Then margins, inputs (where kernels reach the host's), and the process's state. */
#pragma once
#include "harness/base/confine/process_state.h"
#include "harness/measure/task_data.h"

enum { KERNEL_ARGS_MAX = 24 };
struct kernel_check {
    const struct target *target;
    void *self, *kernel; /* the target's state; the loaded kernel */
    struct task_data *data;
    void *args[SET_COUNT][KERNEL_ARGS_MAX];
    bool verify;      /* false: run only runs, the others do nothing */
    bool counted;     /* calls are counted: none is made again because clocks disagree */
    bool plant_wrong; /* the planted fault: flips bits of an element after the checked call */
    int descriptor;   /* the runner's socket */
    char *message;    /* room for SAMPLE_MESSAGE */
    /* set by kernel_check_open */
    int chosen; /* this reading is checked */
    bool chosen_was_last;
    uint64_t element; /* random: which element is poisoned at the end */
    struct process_state before;
};
void kernel_check_open(struct kernel_check *k, int repeats);
enum outcome kernel_check_first(struct kernel_check *k);
void kernel_check_poison(struct kernel_check *k);
/* *seconds: of number calls, the target's. */
enum outcome kernel_check_run(struct kernel_check *k, int number, double *seconds);
enum outcome kernel_check_repeat(struct kernel_check *k, int repeat);
/* is_slow: the two more calls are left out, as they take long and nobody will use the program. */
enum outcome kernel_check_last(struct kernel_check *k, bool is_slow);
