/* SPDX-License-Identifier: Apache-2.0 */
#include "targets/gpu/gpu_program.h"

#include <stdlib.h>
#include <string.h>

static const char MAGIC[8] = "rggpu01";

void *gpu_program_pack(const struct gpu_program *p, const void *code, size_t n, size_t *size)
{
    char *bytes = malloc(sizeof MAGIC + sizeof *p + n);
    *size = sizeof MAGIC + sizeof *p + n;
    if (!bytes)
        return NULL;
    memcpy(bytes, MAGIC, sizeof MAGIC);
    memcpy(bytes + sizeof MAGIC, p, sizeof *p);
    memcpy(bytes + sizeof MAGIC + sizeof *p, code, n);
    return bytes;
}

static bool is_sound(const struct gpu_program *p)
{
    if (p->nkernels < 0 || p->nkernels > GPU_KERNELS || p->ntensors < 0 || p->ntensors > GPU_TENSORS)
        return false;
    for (int k = 0; k < p->nkernels; k++) {
        if (p->kernels[k].ntensors < 0 || p->kernels[k].ntensors > GPU_KERNEL_TENSORS)
            return false;
        for (int i = 0; i < p->kernels[k].ntensors; i++)
            if (p->kernels[k].tensors[i] < 0 || p->kernels[k].tensors[i] >= p->ntensors)
                return false;
    }
    return true;
}

bool gpu_program_unpack(const void *bytes, size_t size, struct gpu_program *p, const void **code, size_t *n,
                        struct err *err)
{
    const char *at = bytes;
    if (size < sizeof MAGIC + sizeof *p || memcmp(at, MAGIC, sizeof MAGIC) != 0)
        return err_set(err, "not a program for a GPU");
    memcpy(p, at + sizeof MAGIC, sizeof *p);
    *code = at + sizeof MAGIC + sizeof *p;
    *n = size - sizeof MAGIC - sizeof *p;
    return is_sound(p) || err_set(err, "a damaged program for a GPU");
}

int gpu_program_output(const struct gpu_program *p)
{
    int last = 0;
    for (int i = 0; i < p->ntensors; i++)
        last = p->tensors[i].arg > p->tensors[last].arg ? i : last;
    return last;
}

bool gpu_copied_differs(struct gpu_copied *c, const struct gpu_program *p, int tensor, void *const *args)
{
    int64_t arg = p->tensors[tensor].arg;
    if (arg < 0 || (c->of[tensor] == args[arg] && tensor != gpu_program_output(p)))
        return false;
    c->of[tensor] = args[arg];
    return true;
}
