/* SPDX-License-Identifier: Apache-2.0 */
/* dialect: CUDA's functions are those of TVM v0.16 (src/target/source/intrin_rule_cuda.cc): the fast exp and log of
 * float, exact ones of double. OpenCL's are generic in their type. */
#include "targets/gpu/dialect.h"

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

/* Fragments by PTX: each thread of a warp holds 8 registers of a 16x16 block. */
#define REGISTER(type, name, i) "\"" type "\"(" name "[" #i "])"
#define EIGHT(t, f)                                                                                                    \
    REGISTER(t, f, 0)                                                                                                  \
    ", " REGISTER(t, f, 1) ", " REGISTER(t, f, 2) ", " REGISTER(t, f, 3) ", " REGISTER(t, f, 4) ", " REGISTER(         \
        t, f, 5) ", " REGISTER(t, f, 6) ", " REGISTER(t, f, 7)
#define FRAGMENT(name, arguments, body)                                                                                \
    "static __device__ __forceinline__ void fragment_" name "(" arguments ")\n{\n" body "}\n"
#define FILL FRAGMENT("fill", "float *f", "  for (int i = 0; i < 8; ++i) f[i] = 0.0f;\n")
#define LOAD(name, tensor, order)                                                                                      \
    FRAGMENT("load_" name, "unsigned *f, const ushort *p, int row",                                                    \
             "  asm volatile(\"wmma.load." tensor ".sync.aligned." order ".m16n16k16.f16 {%0, %1, %2, %3, %4, %5, "    \
             "%6, %7}, [%8], %9;\"\n    : " EIGHT("=r", "f") " : \"l\"(p), \"r\"(row) : \"memory\");\n")
#define STORE                                                                                                          \
    FRAGMENT("store", "float *p, int row, const float *f",                                                             \
             "  asm volatile(\"wmma.store.d.sync.aligned.row.m16n16k16.f32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8}, "   \
             "%9;\"\n    : : \"l\"(p), " EIGHT("f", "f") ", \"r\"(row) : \"memory\");\n")
#define MULTIPLY(order)                                                                                                \
    FRAGMENT("multiply_" order, "float *c, const unsigned *a, const unsigned *b",                                      \
             "  asm volatile(\"wmma.mma.sync.aligned.row." order ".m16n16k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, "    \
             "%7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%0, %1, %2, "    \
             "%3, %4, %5, %6, %7};\"\n    : " EIGHT("+f", "c") "\n    : " EIGHT("r", "a") ", " EIGHT("r", "b") ");\n")
static const char CUDA_FRAGMENTS[] = FILL LOAD("a", "a", "row") LOAD("b_row", "b", "row") LOAD("b_col", "b", "col")
    STORE MULTIPLY("row") MULTIPLY("col");

const struct dialect dialect_cuda = {
    .fragments = CUDA_FRAGMENTS,
    .name = "cuda",
    .half_prologue =
        "typedef unsigned short ushort;\nstatic __device__ __forceinline__ float half_to_float(unsigned short "
        "bits)\n{\n"
        "  float value;\n  asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(value) : \"h\"(bits));\n  return value;\n}\n",
    .prologue = "",
    .kernel = cuda_kernel,
    .global = "",
    .restricted = " __restrict__",
    .shared = "__shared__ ",
    .aligned = "__align__(16) ",
    .fragment_aligned = "__align__(32) ",
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
    .half_prologue = "static inline float half_to_float(ushort bits)\n{\n"
                     "  return vload_half(0, (const __private half *)&bits);\n}\n",
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
    static const char *const TYPES[DTYPE_COUNT] = {[DTYPE_F32] = "float",
                                                   [DTYPE_F64] = "double",
                                                   [DTYPE_I32] = "int",
                                                   [DTYPE_BOOL] = "signed char",
                                                   [DTYPE_F16] = "ushort"};
    return t == DTYPE_I64 ? d->int64 : TYPES[t];
}
