/* SPDX-License-Identifier: Apache-2.0 */
#include "targets/gpu/gpu_emitter.h"

#include "harness/base/int_math.h"

#include <stdarg.h>
#include <stdio.h>

void gpu_fail(struct gpu_emitter *em, const char *fmt, ...)
{
    char message[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(message, sizeof message, fmt, ap);
    va_end(ap);
    if (!em->failed)
        err_set(em->err, "%s", message);
    em->failed = true;
}

struct text *gpu_line(struct gpu_emitter *em)
{
    for (int i = 0; i < em->indent; i++)
        text_add(em->out, "  ");
    return em->out;
}

void gpu_text_line(struct gpu_emitter *em, const char *s)
{
    text_printf(gpu_line(em), "%s\n", s);
}

void gpu_declare_shared(struct gpu_emitter *em, enum dtype t, const char *name, int64_t elements)
{
    const struct dialect *d = em->dialect;
    const char *aligned = em->fragments ? d->fragment_aligned : d->aligned;
    text_printf(&em->shared, "  %s%s%s %s[%lld];\n", d->shared, aligned, dialect_type(d, t), name, (long long)elements);
    em->shared_bytes = sat_add(em->shared_bytes, sat_mul(elements, dtype_bytes(t)));
}
