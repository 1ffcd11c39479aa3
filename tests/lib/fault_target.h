/* SPDX-License-Identifier: Apache-2.0 */
/* fault_target: a target made for tests of measure. As far as measure is concerned it is real: it is opened in forked
 * workers, and builds, loads and runs C functions there. Some of them crash, hang, eat memory, write where they must
 * not, or pretend to have computed. Which one is said by the value of the candidate's only step. */
#pragma once
#include "harness/measure/measure.h"

#include <sys/types.h>

/* What the candidate does, its outcome, what its message must contain. */
#define BEHAVIOURS(X)                                                                                                  \
    X(right, OK, "")                                                                                                   \
    X(slightly_wrong, WRONG_ANSWER, "1 of 63 elements differ, worst [3, 4]")                                           \
    X(zeros, WRONG_ANSWER, "63 of 63 elements differ")                                                                 \
    X(nothing, WRONG_ANSWER, "left 63 of 63 elements unwritten, first [0, 0]")                                         \
    X(partial, WRONG_ANSWER, "left 9 of 63 elements unwritten, first [6, 0]")                                          \
    X(replayed, WRONG_ANSWER, "63 of 63 elements differ")                                                              \
    X(past_end, WRONG_ANSWER, "wrote outside the output: 0 bytes past its end")                                        \
    X(before_start, WRONG_ANSWER, "wrote outside the output: 1 bytes before it")                                       \
    X(far_past_end, CRASHED, "signal 11 (SIGSEGV): access 4 bytes past the end of the output")                         \
    X(into_input, CRASHED, "signal 11 (SIGSEGV): access (a write) to argument 0")                                      \
    X(crash, CRASHED, "signal 11 (SIGSEGV): access through a null or wild pointer")                                    \
    X(divide, CRASHED, "signal 8 (SIGFPE)")                                                                            \
    X(assertion, CRASHED, "signal 6 (SIGABRT): test: Assertion `no' failed")                                           \
    X(leaves, CRASHED, "ended with status 3")                                                                          \
    X(hang, RUN_TIMEOUT, "no result within 2 s of the checked call")                                                   \
    X(hang_later, RUN_TIMEOUT, "no result within 2 s")                                                                 \
    X(hog, OUT_OF_MEMORY, "out of memory")                                                                             \
    X(too_fast, WRONG_ANSWER, "s by the system's clock")                                                               \
    X(run_fails, CRASHED, "the kernel refused")                                                                        \
    X(load_fails, LOAD_FAILED, "no such symbol")                                                                       \
    X(invalid, INVALID, "step 0 does not apply")                                                                       \
    X(over_limits, OVER_LIMITS, "too many registers")                                                                  \
    X(build_fails, BUILD_FAILED, "cannot select")                                                                      \
    X(build_crash, BUILD_FAILED, "killed by signal 11 (SIGSEGV)")                                                      \
    X(build_abort, BUILD_FAILED, "signal 6 (SIGABRT): LLVM ERROR: unsupported")                                        \
    X(build_hang, BUILD_TIMEOUT, "not built within 2 s")                                                               \
    X(build_hog, OUT_OF_MEMORY, "out of memory")                                                                       \
    X(build_killed, OUT_OF_MEMORY, "killed by the system (SIGKILL)")                                                   \
    X(meets_build, OK, "")                                                                                             \
    X(meets_build_dies, CRASHED, "signal 11 (SIGSEGV)")                                                                \
    X(meets_run, OK, "")                                                                                               \
    X(meets_run_dies, BUILD_FAILED, "killed by signal 11 (SIGSEGV)")
enum behaviour {
#define X(id, outcome, message) BEHAVIOUR_##id,
    BEHAVIOURS(X)
#undef X
        BEHAVIOUR_COUNT
};
struct behaviour_row {
    const char *name;
    enum outcome outcome;
    const char *message;
};
extern const struct behaviour_row behaviour_rows[BEHAVIOUR_COUNT];

#define FAULT_TARGET_SPEC "dense n=7 ci=40 co=9" /* the only task it runs */
/* Setting "speed": claimed peak in MFLOP/s, 13 cannot open. Each load of a reference adds a byte to the file named by
 * the variable RAINGAUGE_TALLY. A worker that opens while there is a file of that name and "-die" removes it and dies
 * when it loads a reference. One that opens while there is a file of that name and "-stillborn" takes a byte of it and
 * dies at once.
 * RAINGAUGE_MEETING names an empty file by which a run and a build meet, which takes both at one time. The kernels of
 * `meets_build` and `meets_build_dies` add a byte and wait for a second one, which the builds of `meets_run` and
 * `meets_run_dies` add when they see the first. Without the variable nobody waits. */
extern const struct target fault_target;
extern const struct target fault_target_split; /* the same, which says that its kernels keep to their cores */
extern const struct target fault_target_apart; /* the same, which says that its kernels leave the cores alone */

struct candidate fault_target_candidate(struct arena *a, const struct task *task, enum behaviour d);
struct measure_options fault_target_options(void); /* regime quick with short time-outs, two build workers */
struct measurer *fault_target_begin(const struct measure_options *o); /* a check of the test; NULL when it failed */
int fault_target_open_files(void); /* descriptors of this process, that of counting them included */
bool process_gone(pid_t pid);      /* within five seconds */
