/* SPDX-License-Identifier: Apache-2.0 */
/* hostile_target: kernels that cheat or do harm, on a target that is real as far as measure is concerned. Each is run
 * by the same trunk as the kernels of target cpu. Which one is said by the value of the candidate's only step. */
#pragma once
#include "harness/measure/measure.h"

/* name; what it does; its outcome; what its message has; what catches it, or why it does no harm */
#define HOSTILE_KERNELS(X)                                                                                             \
    X(honest, "computes what was asked", OK, "", "nothing: it is right")                                               \
    X(once, "computes in its first call with a buffer only", WRONG_ANSWER, "unwritten", "poison between repeats")      \
    X(half_sum, "adds half of the terms", WRONG_ANSWER, "elements differ", "the reference")                            \
    X(half_output, "computes every other element after the first call", WRONG_ANSWER, "unwritten",                     \
      "poison between repeats")                                                                                        \
    X(cached, "keeps its output by the output's address", WRONG_ANSWER, "with other inputs at the same place",         \
      "one more call with other inputs at the same addresses")                                                         \
    X(looks, "computes only where the first element is poison", WRONG_ANSWER, "in one more call",                      \
      "one random element poisoned for one more call")                                                                 \
    X(looks_more, "the same, and where its first input is another", WRONG_ANSWER, "in one more call",                  \
      "one random element poisoned for one more call")                                                                 \
    X(half_clock, "reports half of its time", WRONG_ANSWER, "by the system's clock", "a second clock")                 \
    X(fast_clock, "reports more time than passed, to end the repeat early", WRONG_ANSWER, "by the system's clock",     \
      "a second clock")                                                                                                \
    X(works_outside, "stops its clock before its work", WRONG_ANSWER, "by the system's clock", "a second clock")       \
    X(thread, "leaves its work to a thread and returns", WRONG_ANSWER, "", "the output is looked at at once")          \
    X(sometimes, "is wrong in every other call", WRONG_ANSWER, "elements differ", "checks of calls in a row")          \
    X(nan_element, "writes one NaN", WRONG_ANSWER, "elements differ", "the reference")                                 \
    X(slow_later, "is fast in the checked call and slow in the timed ones", OK, "", "its time is what was timed")      \
    X(one_past, "writes one element past the end", WRONG_ANSWER, "0 bytes past its end", "margins of the buffers")     \
    X(one_before, "writes one element before the output", WRONG_ANSWER, "1 bytes before it", "margins of the buffers") \
    X(far_past, "writes a page past the end", CRASHED, "SIGSEGV", "guard pages")                                       \
    X(its_inputs, "makes its input writable and changes it", WRONG_ANSWER, "changed argument 0", "sums of the inputs") \
    X(forged, "sends the parent an answer of its own", WRONG_ANSWER, "forged an answer", "numbers of the requests")    \
    X(flood, "sends the parent noise", WRONG_ANSWER, "forged an answer", "numbers of the requests")                    \
    X(forks, "forks a process that stays", CRASHED, "forbidden system call fork", "seccomp filter")                    \
    X(fork_exits, "forks, and ends while its child holds the socket", CRASHED, "forbidden system call fork",           \
      "seccomp filter")                                                                                                \
    X(exec, "becomes another program", CRASHED, "forbidden system call execve", "seccomp filter")                      \
    X(kills_parent, "kills the process that forks the workers", CRASHED, "forbidden system call kill",                 \
      "seccomp filter")                                                                                                \
    X(traces_parent, "attaches to it as a debugger", CRASHED, "forbidden system call ptrace", "seccomp filter")        \
    X(outlives, "asks to outlive the campaign", CRASHED, "forbidden system call prctl", "seccomp filter")              \
    X(network, "opens a socket", OK, "", "refused by the filter; its result is right")                                 \
    X(deletes, "deletes a file, writes over it, makes another", OK, "", "refused by the filter; its result is right")  \
    X(alarm_clock, "sets an alarm that would end a later kernel", OK, "", "refused by the filter")                     \
    X(priority, "raises its priority and its limits", OK, "", "refused by the filter")                                 \
    X(handlers, "puts its own handler on SIGSEGV", WRONG_ANSWER, "changed the handler of signal 11",                   \
      "handlers compared after each trial")                                                                            \
    X(denormals, "switches denormal numbers off", WRONG_ANSWER, "changed the arithmetic", "modes compared")            \
    X(closes_streams, "closes standard error", WRONG_ANSWER, "closed descriptor 2", "descriptors looked at")           \
    X(closes_all, "closes every descriptor", CRASHED, "ended", "the socket's other end")                               \
    X(prints, "writes megabytes to standard output and error", OK, "", "/dev/null, and a log of fixed size")           \
    X(crash, "stores through a null pointer", CRASHED, "SIGSEGV", "a process of its own")                              \
    X(recursion, "fills its stack", CRASHED, "SIGSEGV", "a handler with a stack of its own")                           \
    X(loop, "never returns", RUN_TIMEOUT, "no result within", "the deadline")                                          \
    X(stops, "stops itself with SIGSTOP", RUN_TIMEOUT, "no result within", "the deadline")                             \
    X(exits, "ends its process as if all were well", CRASHED, "ended with status 0", "the missing answer")             \
    X(aborts, "aborts", CRASHED, "SIGABRT", "a process of its own")                                                    \
    X(memory, "allocates until it is refused", OUT_OF_MEMORY, "out of memory", "the limit on memory")
enum hostile {
#define X(id, does, outcome, message, by) HOSTILE_##id,
    HOSTILE_KERNELS(X)
#undef X
        HOSTILE_COUNT
};
struct hostile_row {
    const char *name, *does;
    enum outcome outcome;
    const char *message, *by;
};
extern const struct hostile_row hostile_rows[HOSTILE_COUNT];
/* The file that HOSTILE_deletes would delete; one beside it with ".new" it would make. */
#define HOSTILE_FILE "RAINGAUGE_HOSTILE_FILE"
#define HOSTILE_CHILD "rg-stray" /* the name of a process that a kernel leaves behind */
#define HOSTILE_SPEC "dense n=15 ci=64 co=31"
extern const struct target hostile_target;
struct candidate hostile_candidate(struct arena *a, const struct task *task, enum hostile h);
