/* SPDX-License-Identifier: Apache-2.0 */
#include "targets/cuda/cuda_program.h"

#include <stdio.h>
#include <string.h>

#define MIB ((double)(1 << 20))

static enum outcome failed(const struct cuda_device *d, enum outcome o, const char *what, int status,
                           char message[SAMPLE_MESSAGE])
{
    char words[160];
    bool sticky = cuda_api_is_sticky(status);
    if (sticky)
        o = OUTCOME_CRASHED;
    else if (status == CUDA_NO_MEMORY)
        o = OUTCOME_OUT_OF_MEMORY;
    else if (status == CUDA_OVER_RESOURCES)
        o = OUTCOME_OVER_LIMITS;
    snprintf(message, SAMPLE_MESSAGE, "%s: %s", what, cuda_api_words(d->api, status, words, sizeof words));
    return o;
}

/* ---- load ---- */

static enum outcome load_code(const struct cuda_device *d, struct cuda_program *p, const void *code,
                              char message[SAMPLE_MESSAGE])
{
    char log[1024] = "", words[160];
    union {
        void *as;
        uintptr_t bytes;
    } room = {.bytes = sizeof log - 1};
    int options[] = {CUDA_JIT_LOG, CUDA_JIT_LOG_BYTES};
    void *values[] = {log, room.as};
    int status = d->api->load(&p->module, code, 2, options, values);
    if (status == CUDA_FINE)
        return OUTCOME_OK;
    enum outcome o = failed(d, OUTCOME_LOAD_FAILED, "load", status, message);
    if (log[0])
        snprintf(message, SAMPLE_MESSAGE, "load: %.80s: %.100s", cuda_api_words(d->api, status, words, sizeof words),
                 log);
    return o;
}

static enum outcome take_function(const struct cuda_device *d, struct cuda_program *p, int i,
                                  char message[SAMPLE_MESSAGE])
{
    const struct gpu_kernel *k = &p->plan.kernels[i];
    int64_t threads = k->threads[0] * k->threads[1] * k->threads[2];
    int most = 0, registers = 0;
    char name[32];
    snprintf(name, sizeof name, "kernel_%d", i);
    int status = d->api->function(&p->functions[i], p->module, name);
    if (status == CUDA_FINE)
        status = d->api->function_attribute(&most, CUDA_FUNCTION_THREADS, p->functions[i]);
    if (status != CUDA_FINE)
        return failed(d, OUTCOME_LOAD_FAILED, name, status, message);
    if (threads <= most)
        return OUTCOME_OK;
    (void)d->api->function_attribute(&registers, CUDA_FUNCTION_REGISTERS, p->functions[i]);
    snprintf(message, SAMPLE_MESSAGE, "%s has %lld threads a block; with %d registers a thread the device allows %d",
             name, (long long)threads, registers, most);
    return OUTCOME_OVER_LIMITS;
}

static enum outcome take_memory(const struct cuda_device *d, struct cuda_program *p, int i,
                                char message[SAMPLE_MESSAGE])
{
    size_t bytes = (size_t)p->plan.tensors[i].bytes, left = 0, all = 0;
    int status = d->api->allocate(&p->memory[i], bytes);
    if (status == CUDA_FINE)
        return OUTCOME_OK;
    enum outcome o = failed(d, OUTCOME_LOAD_FAILED, "memory", status, message);
    if (o == OUTCOME_OUT_OF_MEMORY && d->api->memory(&left, &all) == CUDA_FINE)
        snprintf(message, SAMPLE_MESSAGE, "no memory on the device for a tensor of %.1f MiB: %.1f of %.1f MiB are free",
                 (double)bytes / MIB, (double)left / MIB, (double)all / MIB);
    return o;
}

enum outcome cuda_program_load(struct cuda_device *d, struct cuda_program *p, const void *code,
                               char message[SAMPLE_MESSAGE])
{
    enum outcome o = load_code(d, p, code, message);
    for (int i = 0; i < p->plan.nkernels && o == OUTCOME_OK; i++)
        o = take_function(d, p, i, message);
    for (int i = 0; i < p->plan.ntensors && o == OUTCOME_OK; i++)
        o = take_memory(d, p, i, message);
    return o;
}

void cuda_program_unload(struct cuda_device *d, struct cuda_program *p)
{
    for (int i = 0; i < GPU_TENSORS; i++)
        if (p->memory[i])
            (void)d->api->release(p->memory[i]);
    if (p->module)
        (void)d->api->unload(p->module);
}

/* ---- run ---- */

struct calls {
    const struct cuda_device *d;
    const struct cuda_program *p;
    int number;
};

static int launch(const struct calls *c, int i)
{
    const struct gpu_kernel *k = &c->p->plan.kernels[i];
    uint64_t at[GPU_KERNEL_TENSORS];
    void *arguments[GPU_KERNEL_TENSORS];
    for (int t = 0; t < k->ntensors; t++) {
        at[t] = c->p->memory[k->tensors[t]];
        arguments[t] = &at[t];
    }
    return c->d->api->launch(c->p->functions[i], (unsigned)k->blocks[0], (unsigned)k->blocks[1], (unsigned)k->blocks[2],
                             (unsigned)k->threads[0], (unsigned)k->threads[1], (unsigned)k->threads[2], 0, NULL,
                             arguments, NULL);
}

static int launch_all(void *ctx)
{
    const struct calls *c = ctx;
    int status = CUDA_FINE;
    for (int n = 0; n < c->number && status == CUDA_FINE; n++)
        for (int i = 0; i < c->p->plan.nkernels && status == CUDA_FINE; i++)
            status = launch(c, i);
    return status;
}

static int copy_in(const struct cuda_device *d, struct cuda_program *p, void *const *args)
{
    int status = CUDA_FINE;
    for (int i = 0; i < p->plan.ntensors && status == CUDA_FINE; i++) {
        const struct gpu_tensor *t = &p->plan.tensors[i];
        if (gpu_copied_differs(&p->copied, &p->plan, i, args))
            status = d->api->copy_in(p->memory[i], args[t->arg], (size_t)t->bytes);
    }
    return status;
}

enum outcome cuda_program_run(struct cuda_device *d, struct cuda_program *p, const struct cuda_run *run,
                              double *seconds, char message[SAMPLE_MESSAGE])
{
    struct calls calls = {d, p, run->number};
    const struct cuda_work work = {.enqueue = launch_all, .ctx = &calls, .flush = run->flush};
    int out = gpu_program_output(&p->plan);
    int status = copy_in(d, p, run->args);
    if (status != CUDA_FINE)
        return failed(d, OUTCOME_CRASHED, "arguments to the device", status, message);
    status = cuda_device_time(d, &work, seconds);
    if (status != CUDA_FINE)
        return failed(d, status == CUDA_BAD_VALUE ? OUTCOME_OVER_LIMITS : OUTCOME_CRASHED, "run", status, message);
    status = d->api->copy_out(run->args[p->plan.tensors[out].arg], p->memory[out], (size_t)p->plan.tensors[out].bytes);
    return status == CUDA_FINE ? OUTCOME_OK : failed(d, OUTCOME_CRASHED, "result to the host", status, message);
}
