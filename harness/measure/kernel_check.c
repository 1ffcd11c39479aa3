/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_check: checks that a kernel cannot foresee. */
#include "harness/measure/kernel_check.h"

#include "harness/base/clock.h"
#include "harness/measure/verify.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>

/* A run of calls may lie within this of its target's seconds: calling the target, and its own synchronising. */
#define CLOCK_SLACK_S 1e-4
#define CLOCK_SLACK_SHARE 0.25
enum { SECOND_LOOKS = 5 };

static const struct guard_pages *buffer_of(const struct kernel_check *k, enum input_set set, int arg)
{
    const struct guard_pages *plain = task_data_arg(k->data, set, arg), *packed = &k->data->packed[arg];
    return k->args[set][arg] == packed->data ? packed : plain;
}

static int output_arg(const struct kernel_check *k)
{
    return k->data->task->nargs - 1;
}

static enum outcome margins_check(struct kernel_check *k, enum input_set set)
{
    for (int i = 0; i < k->data->task->nargs; i++) {
        const struct guard_pages *g = buffer_of(k, set, i);
        ptrdiff_t at;
        if (guard_pages_intact(g, &at))
            continue;
        bool before = at < 0;
        guard_pages_repair(g);
        snprintf(k->message, SAMPLE_MESSAGE, "wrote outside %s: %td bytes %s", k->data->names[i],
                 before ? -at : at - (ptrdiff_t)g->bytes, before ? "before it" : "past its end");
        return OUTCOME_WRONG_ANSWER;
    }
    return OUTCOME_OK;
}

/* Compares the output buffer of one set with the reference of another. */
static enum outcome output_check(struct kernel_check *k, enum input_set at, enum input_set reference)
{
    const struct task *t = k->data->task;
    const struct inputs *want = &k->data->sets[reference];
    int out = output_arg(k);
    enum outcome o = margins_check(k, at);
    if (o != OUTCOME_OK)
        return o;
    bool right = verify_compare(task_arg_op(t, out), k->data->sets[at].args[out].data, want->reference,
                                task_arg_elements(t, out), want->tolerance, k->message);
    return right ? OUTCOME_OK : OUTCOME_WRONG_ANSWER;
}

static void output_poison(struct kernel_check *k, enum input_set set)
{
    const struct task *t = k->data->task;
    int out = output_arg(k);
    verify_poison(task_arg_op(t, out)->dtype, k->data->sets[set].args[out].data, task_arg_elements(t, out));
}

static enum outcome call_it(struct kernel_check *k, enum input_set set, int number, double *seconds)
{
    return k->target->run(k->self, k->kernel, k->args[set], number, seconds, k->message);
}

/* Puts when the message was made in front of it. */
static enum outcome found(struct kernel_check *k, enum outcome o, const char *when)
{
    char text[SAMPLE_MESSAGE];
    memcpy(text, k->message, sizeof text);
    if (o != OUTCOME_OK)
        snprintf(k->message, SAMPLE_MESSAGE, "%s: %.160s", when, text);
    return o;
}

void kernel_check_open(struct kernel_check *k, int repeats)
{
    uint64_t random[2] = {0};
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        random[0] = random[1] = (uint64_t)(clock_system() * 1e9);
    k->chosen = repeats > 1 ? (int)(random[0] % (uint64_t)repeats) : 0;
    k->chosen_was_last = k->chosen == repeats - 1;
    k->element = random[1];
    process_state_take(&k->before, k->descriptor);
}

enum outcome kernel_check_first(struct kernel_check *k)
{
    double seconds;
    output_poison(k, SET_CHECK);
    enum outcome o = call_it(k, SET_CHECK, 1, &seconds);
    if (o != OUTCOME_OK)
        return o;
    int out = output_arg(k);
    unsigned char *p = k->data->sets[SET_CHECK].args[out].data;
    if (k->plant_wrong)
        p[k->data->sets[SET_CHECK].args[out].bytes - 1] ^= 0x55;
    return output_check(k, SET_CHECK, SET_CHECK);
}

void kernel_check_poison(struct kernel_check *k)
{
    if (k->verify)
        output_poison(k, SET_TIME);
}

static enum outcome run_between_clocks(struct kernel_check *k, int number, double *seconds, double *around)
{
    double start = clock_system();
    enum outcome o = call_it(k, SET_TIME, number, seconds);
    *around = clock_system() - start;
    return o;
}

static bool clocks_agree(const struct kernel_check *k, double seconds, double around)
{
    double slack = CLOCK_SLACK_S + CLOCK_SLACK_SHARE * around;
    return seconds <= around * 1.01 + 1e-6 && (k->target->run_prepares || seconds >= around - slack);
}

/* The system may take the processor away between the two clocks, but not at each of several tries. A reading that is in
 * doubt is replaced by one that is not. */
enum outcome kernel_check_run(struct kernel_check *k, int number, double *seconds)
{
    double around = 0;
    for (int i = 0; i <= SECOND_LOOKS; i++) {
        enum outcome o = run_between_clocks(k, number, seconds, &around);
        if (o != OUTCOME_OK || !k->verify || k->counted || clocks_agree(k, *seconds, around))
            return o;
        output_poison(k, SET_TIME);
    }
    snprintf(k->message, SAMPLE_MESSAGE, "reports %.3g s for calls that took %.3g s by the system's clock", *seconds,
             around);
    return OUTCOME_WRONG_ANSWER;
}

enum outcome kernel_check_repeat(struct kernel_check *k, int repeat)
{
    if (!k->verify || repeat != k->chosen || k->chosen_was_last)
        return OUTCOME_OK;
    return found(k, output_check(k, SET_TIME, SET_TIME), "between repeats");
}

static void inputs_exchange(struct kernel_check *k)
{
    const struct task *t = k->data->task;
    for (int i = 0; i < output_arg(k); i++)
        if (!t->is_weight[i])
            guard_pages_exchange(&k->data->sets[SET_CHECK].args[i], &k->data->sets[SET_TIME].args[i]);
}

/* One more call, on inputs of the set, with TIME's output in place, but for one random element. */
static enum outcome call_again(struct kernel_check *k, enum input_set inputs, enum input_set reference)
{
    const struct task *t = k->data->task;
    int out = output_arg(k);
    enum dtype dtype = task_arg_op(t, out)->dtype;
    int64_t element = (int64_t)(k->element % (uint64_t)task_arg_elements(t, out));
    void *args[KERNEL_ARGS_MAX];
    double seconds;
    memcpy(args, k->args[inputs], sizeof args);
    args[out] = k->args[SET_TIME][out];
    verify_poison(dtype, (char *)k->data->sets[SET_TIME].args[out].data + element * dtype_bytes(dtype), 1);
    enum outcome o = k->target->run(k->self, k->kernel, args, 1, &seconds, k->message);
    return o == OUTCOME_OK ? output_check(k, SET_TIME, reference) : o;
}

/* Where the kernel sees copies, those of CHECK come to the place of TIME's by themselves. */
static enum outcome call_exchanged(struct kernel_check *k)
{
    if (k->target->copies_arguments)
        return call_again(k, SET_CHECK, SET_CHECK);
    inputs_exchange(k);
    enum outcome o = call_again(k, SET_TIME, SET_CHECK);
    inputs_exchange(k);
    return o;
}

static enum outcome more_calls_check(struct kernel_check *k)
{
    enum outcome o = found(k, call_again(k, SET_TIME, SET_TIME), "in one more call");
    return o == OUTCOME_OK ? found(k, call_exchanged(k), "with other inputs at the same place") : o;
}

static enum outcome inputs_check(struct kernel_check *k)
{
    for (int s = 0; s < SET_COUNT && !k->target->copies_arguments; s++)
        for (int i = 0; i < output_arg(k); i++)
            if (guard_pages_changed(buffer_of(k, (enum input_set)s, i))) {
                snprintf(k->message, SAMPLE_MESSAGE, "changed %s", k->data->names[i]);
                return OUTCOME_WRONG_ANSWER;
            }
    return OUTCOME_OK;
}

enum outcome kernel_check_last(struct kernel_check *k, bool is_slow)
{
    if (!k->verify)
        return OUTCOME_OK;
    enum outcome o = found(k, output_check(k, SET_TIME, SET_TIME), "after timing");
    if (o == OUTCOME_OK && !is_slow)
        o = more_calls_check(k);
    if (o == OUTCOME_OK)
        o = inputs_check(k);
    if (process_state_changed(&k->before, k->message, SAMPLE_MESSAGE))
        o = OUTCOME_WRONG_ANSWER;
    return o;
}
