/* SPDX-License-Identifier: Apache-2.0 */
/* dialect: CUDA's functions are those of TVM v0.16 (src/target/source/intrin_rule_cuda.cc): the fast exp and log of
 * float, exact ones of double. OpenCL's are generic in their type. */
#include "targets/gpu/dialect.h"

#include "harness/base/err.h"

static void cuda_kernel(struct text *out, const int64_t threads[3])
{
    long long all = threads[0] * threads[1] * threads[2];
    text_printf(out, "extern \"C\" __global__ void __launch_bounds__(%lld) ", all);
}

static void opencl_kernel(struct text *out, const int64_t threads[3])
{
    text_printf(out, "__kernel __attribute__((reqd_work_group_size(%lld, %lld, %lld))) void ", (long long)threads[0],
                (long long)threads[1], (long long)threads[2]);
}

static void cuda_vector(struct text *out, const char *type, int n)
{
    text_printf(out, "make_%s%d(", type, n);
}

static void opencl_vector(struct text *out, const char *type, int n)
{
    text_printf(out, "((%s%d)(", type, n);
}

const struct dialect dialect_cuda = {
    .name = "cuda",
    .prologue = "",
    .kernel = cuda_kernel,
    .global = "",
    .restricted = " __restrict__",
    .shared = "__shared__ ",
    .aligned = "__align__(16) ",
    .barrier = "__syncthreads();",
    .block = {"(int)blockIdx.x", "(int)blockIdx.y", "(int)blockIdx.z"},
    .thread = {"(int)threadIdx.x", "(int)threadIdx.y", "(int)threadIdx.z"},
    .int64 = "long long",
    .vector = cuda_vector,
    .vector_end = ")",
    .shuffles = true,
    .function = {[EXPR_EXP] = {"__expf", "exp"},
                 [EXPR_LOG] = {"__logf", "log"},
                 [EXPR_SQRT] = {"sqrtf", "sqrt"},
                 [EXPR_TANH] = {"tanhf", "tanh"},
                 [EXPR_ERF] = {"erff", "erf"}},
};

const struct dialect dialect_opencl = {
    .name = "opencl",
    .prologue = "",
    .kernel = opencl_kernel,
    .global = "__global ",
    .restricted = " restrict",
    .shared = "__local ",
    .aligned = "__attribute__((aligned(16))) ",
    .barrier = "barrier(CLK_LOCAL_MEM_FENCE);",
    .block = {"(int)get_group_id(0)", "(int)get_group_id(1)", "(int)get_group_id(2)"},
    .thread = {"(int)get_local_id(0)", "(int)get_local_id(1)", "(int)get_local_id(2)"},
    .int64 = "long",
    .vector = opencl_vector,
    .vector_end = "))",
    .space_of_pointer = true,
    .function = {[EXPR_EXP] = {"exp", "exp"},
                 [EXPR_LOG] = {"log", "log"},
                 [EXPR_SQRT] = {"sqrt", "sqrt"},
                 [EXPR_TANH] = {"tanh", "tanh"},
                 [EXPR_ERF] = {"erf", "erf"}},
};

const char *dialect_type(const struct dialect *d, enum dtype t)
{
    switch (t) {
    case DTYPE_F32:
        return "float";
    case DTYPE_F64:
        return "double";
    case DTYPE_I32:
        return "int";
    case DTYPE_I64:
        return d->int64;
    case DTYPE_BOOL:
        return "signed char";
    default:
        bug("dtype %d", (int)t);
    }
}
